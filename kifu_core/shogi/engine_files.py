"""The commands `kifu train` and `kifu book`: training data and opening books from records and books."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from kifu_core.decoding import Notes, Source
from kifu_core.errors import Issue, KifuError
from kifu_core.files import SourceFile
from kifu_core.messages import Params, message
from kifu_core.reading import open_source
from kifu_core.record import rates
from kifu_core.reporting import Attempts, print_issue
from kifu_core.shogi.binary import is_packed
from kifu_core.shogi.books import Book, MoveCounts
from kifu_core.shogi.formats import SHOGI
from kifu_core.shogi.formats.book_files import BOOK_FILES, book_losses
from kifu_core.shogi.training import POSITION_OPTIONS, TrainingFilter, TrainingWriter

_SHOWN: Final = "-"


Take = Callable[[Source, Notes], Iterable[Issue]]
"""Reads a file; returns the issues of reading."""


def _read(attempts: Attempts, take: Take, file: SourceFile) -> None:
    for issue in take(*open_source(file.read(), file.path, is_packed=is_packed)):
        if issue.severity == "error":
            attempts.fail(file.path, issue)


def _summarize(arguments: argparse.Namespace, written: Issue, left_out: Iterable[Issue]) -> None:
    """Print what was written and what was left out."""
    if not arguments.quiet:
        print(message(written, language=arguments.language), file=sys.stderr)
        for issue in left_out:
            print_issue(_SHOWN, issue, arguments.language)


@contextmanager
def _output(arguments: argparse.Namespace) -> Iterator[BinaryIO]:
    """Open the file to write, or standard output. Raises KifuError `file-exists`."""
    if arguments.output is None:
        yield sys.stdout.buffer
        return
    try:
        with Path(arguments.output).open("wb" if arguments.force else "xb") as file:
            yield file
    except FileExistsError as error:
        raise KifuError("file-exists", params={"path": arguments.output}) from error


def train(arguments: argparse.Namespace) -> int:
    """Write the positions of games as training data."""
    attempts = Attempts(arguments.language)
    options = {name: getattr(arguments, name) for name in (*POSITION_OPTIONS, "min_rating")}
    writer = TrainingWriter(arguments.to, TrainingFilter(results=frozenset(arguments.results), **options))

    def take(source: Source, notes: Notes) -> Iterator[Issue]:
        result = SHOGI.load_source(source, notes)
        yield from result.issues
        for game in result.games:
            output.write(writer.entries(game.record, game.record_kind, game.ending, rates(game.remarks)))

    try:
        with _output(arguments) as output:
            attempts.read(arguments.files, partial(_read, attempts, take))
    except KifuError as error:
        attempts.fail(_SHOWN, error)
        return 1
    skipped = (Issue(code, "info", params={"count": count}) for code, count in writer.skipped.items())
    params: Params = {"games": writer.games, "positions": writer.positions}
    _summarize(arguments, Issue("written-positions", "info", params=params), skipped)
    return int(attempts.failed)


def book(arguments: argparse.Namespace) -> int:
    """Write books, or the moves of games, as one book."""
    attempts, counts = Attempts(arguments.language), MoveCounts(arguments.plies)
    merged = Book(Notes(Source("", "")))

    def take(source: Source, notes: Notes) -> Iterable[Issue]:
        name, _ = SHOGI.detect(source.text, source.name)
        if name in BOOK_FILES:
            merged.merge(BOOK_FILES[name].read(source, notes))
            return notes.all()
        result = SHOGI.load_source(source, notes)
        for game in result.games:
            if game.record_kind == "game":
                counts.add(game.record)
        return result.issues

    attempts.read(arguments.files, partial(_read, attempts, take))
    counts.add_to(merged, arguments.min_games)
    entries = [*merged.entries()]
    try:
        with _output(arguments) as output:
            output.writelines(BOOK_FILES[arguments.to].write(entries))
    except KifuError as error:
        attempts.fail(_SHOWN, error)
        return 1
    moves = sum(len(entry.moves) for entry in entries)
    written = Issue("written-moves", "info", params={"positions": len(entries), "moves": moves})
    _summarize(arguments, written, book_losses(entries, arguments.to))
    return int(attempts.failed)
