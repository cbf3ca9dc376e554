"""Training data and binary opening books for engines: a ZIP of one file and a summary.

The file has no room for what was left out and where to continue: the summary, the last file of the ZIP, says
it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from archive.export.lists import in_pieces
from archive.export.opening_books import BOOK_BYTES, Counts, collect_position, count_games, scored
from archive.export.record_files import ending_of
from archive.export.zips import LEVEL, PIECE, Pipe, zip_member
from archive.queries.games.bulk import BulkReader
from archive.queries.scope import Scope
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi import training
from kifu_core.shogi.books import BookEntry
from kifu_core.shogi.formats.book_files import BOOK_FILES, book_losses
from kifu_core.shogi.training import PositionSet, TrainingFilter, TrainingForm, TrainingWriter

TRAINING: Final = training.FORMS
BOOKS: Final = tuple(name for name in BOOK_FILES if name != "db")
"""The formats of books that are not text."""

SUMMARY: Final = "SUMMARY.json"

MOST_UNIQUE: Final = 2_000_000
"""Different positions of an answer that has each position once: 32 MB of memory."""


def training_data(games: BulkReader, form: TrainingForm, chosen: TrainingFilter) -> Iterator[bytes]:
    """Yield a ZIP of training data from the games of a list."""
    summary: dict[str, Any] = {"format": form}
    writer = TrainingWriter(form, chosen, PositionSet(MOST_UNIQUE))
    return _zipped(f"games.{form}", _positions(games, writer, summary), summary)


def _positions(games: BulkReader, writer: TrainingWriter, summary: dict[str, Any]) -> Iterator[bytes]:
    after, complete = games.after, False
    for item in games.with_records():
        if item is None:
            yield b""
            continue
        game = item.game
        kind = game.record_kind if game.kind == SHOGI.name else game.kind
        try:
            data = writer.entries(game.jkf, kind, ending_of(game))
        except KifuError as error:
            summary["error"] = error.code
            break
        after = item.row.id
        if data:
            yield data
    else:
        after, complete = games.after, games.complete
    if games.error is not None:
        summary["error"] = games.error.code
    summary |= {
        "complete": complete,
        "cursor": str(after),
        "games": writer.games,
        "positions": writer.positions,
    }
    summary["skipped"] = dict(writer.skipped)


def book_file_of_games(
    games: BulkReader, form: str, plies: int, min_games: int, *, scores: bool = False
) -> Iterator[bytes]:
    """Yield a ZIP of a book of the games of a list, made as `opening_books.book_of_games` makes it."""
    summary: dict[str, Any] = {"format": form}
    pieces = _book_of_games(games, form, plies, min_games, summary, scores=scores)
    return _zipped(_book_name(form), pieces, summary)


def _book_of_games(
    games: BulkReader, form: str, plies: int, min_games: int, summary: dict[str, Any], *, scores: bool
) -> Iterator[bytes]:
    counts = Counts(plies, BOOK_BYTES)
    try:
        yield from count_games(games, counts)
        entries = [*counts.book(min_games)]
        summary |= {"complete": games.complete, "games": games.games, "plies": counts.plies}
    finally:
        counts.close()
    yield from _written(games.scope, entries, form, summary, scores=scores)


def book_file_of_position(
    scope: Scope, code: str, form: str, plies: int, min_games: int, *, scores: bool = False
) -> Iterator[bytes]:
    """Yield a ZIP of a book that grows from a position, as `opening_books.book_of_position`."""
    summary: dict[str, Any] = {"format": form, "plies": plies}
    entries: list[BookEntry] = []

    def pieces() -> Iterator[bytes]:
        yield from collect_position(scope, code, plies, min_games, entries)
        yield from _written(scope, entries, form, summary, scores=scores)

    return _zipped(_book_name(form), pieces(), summary)


def _book_name(form: str) -> str:
    return f"book.{BOOK_FILES[form].extension}"


def _written(
    scope: Scope, entries: list[BookEntry], form: str, summary: dict[str, Any], *, scores: bool
) -> Iterator[bytes]:
    if scores:
        summary["scores"], entries = scored(scope, entries)
    yield from in_pieces(BOOK_FILES[form].write(entries))
    summary |= {"positions": len(entries), "moves": sum(len(entry.moves) for entry in entries)}
    summary["lost"] = {issue.code: issue.params["count"] for issue in book_losses(entries, form)}


def _zipped(name: str, pieces: Iterable[bytes], summary: dict[str, Any]) -> Iterator[bytes]:
    """Yield a ZIP of a file and its summary, which is complete after the last piece."""
    pipe = Pipe()
    with ZipFile(pipe, "w", ZIP_DEFLATED, compresslevel=LEVEL) as files:
        with files.open(zip_member(name), "w", force_zip64=True) as data:
            for piece in pieces:
                data.write(piece)
                if not piece or pipe.size >= PIECE:
                    yield pipe.take()
        files.writestr(zip_member(SUMMARY), json.dumps(summary, indent=1) + "\n")
    yield pipe.take()
