"""Opening books, from the games of a list or from the moves played from a position."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from django.conf import settings

from archive.models import Game
from archive.queries.games.bulk import BulkReader
from archive.queries.positions.book_values import MoveValue, book_values
from archive.queries.positions.opening_book import MOST_POSITIONS, BookPosition, book_positions
from archive.queries.scope import Scope
from kifu_core.games import SHOGI
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.books import BookEntry, BookMove
from kifu_core.shogi.formats.db import HEADER, position_lines
from kifu_core.shogi.moves import from_usi, to_usi

PLIES: Final = 40
MOST_PLIES: Final = 100
MIN_GAMES: Final = 2

COUNTED_BYTES: Final = 256 * 1024 * 1024
"""Size limit of a book's counts on disk. A larger book becomes less deep, for all games equally."""

BOOK_BYTES: Final = 16 * 1024 * 1024
"""Size limit of the counts of a book that is in memory before it is written."""

_BATCH: Final = 20_000
"""Counts in memory before they are written to disk."""

_SHALLOWER: Final = 4
_LINES: Final = 200

_TABLE: Final = """
    CREATE TABLE counts (
        sfen TEXT, move TEXT, reply TEXT, ply INTEGER, n INTEGER, PRIMARY KEY (sfen, move, reply, ply)
    ) WITHOUT ROWID
"""
_COUNT: Final = """
    INSERT INTO counts (sfen, move, reply, ply, n) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (sfen, move, reply, ply) DO UPDATE SET n = n + excluded.n
"""
_USED_BYTES: Final = """
    SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""
_SORTED: Final = """
    SELECT sfen, move, reply, min(ply), sum(n) FROM counts
    GROUP BY sfen, move, reply ORDER BY sfen, move, reply
"""

PlayedMove = tuple[str, str, str, int]
"""A position's SFEN without number, a move from it and the reply in USI, and the plies before the move."""


class Counts:
    """Numbers of games by move, in an unlinked file, which disappears with the process.

    Sorted by SFEN in the order of bytes, they are a book.
    """

    def __init__(self, plies: int, most: int = COUNTED_BYTES) -> None:
        self.plies = plies
        self.most = most
        self.pending: Counter[PlayedMove] = Counter()
        folder = settings.DATA_DIR / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = mkstemp(dir=folder, suffix=".book")
        os.close(handle)
        # Different threads use it, one at a time: each piece of an answer is made by a thread that is free.
        self.file = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
        try:
            for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-16384", "temp_store=MEMORY"):
                self.file.execute(f"PRAGMA {pragma}")
            self.file.execute(_TABLE)
        finally:
            Path(name).unlink()

    def add(self, game: Game) -> None:
        """Count the moves of a game's main line, each move of a position once."""
        self.pending.update(_played_moves(game, self.plies))
        if len(self.pending) >= _BATCH:
            self._write()

    def _write(self) -> None:
        self.file.execute("BEGIN")
        self.file.executemany(_COUNT, sorted((*move, n) for move, n in self.pending.items()))
        self.file.execute("COMMIT")
        self.pending.clear()
        while self._used_bytes() > self.most and self.plies > _SHALLOWER:
            self.plies -= _SHALLOWER
            self.file.execute("DELETE FROM counts WHERE ply >= ?", [self.plies])

    def _used_bytes(self) -> int:
        ((used,),) = self.file.execute(_USED_BYTES)
        return int(used)

    def book(self, min_games: int) -> Iterator[BookEntry]:
        """Yield the positions with moves that at least `min_games` games played, sorted by SFEN."""
        self._write()
        rows: Iterable[tuple[str, str, str, int, int]] = self.file.execute(_SORTED)
        for sfen, group in groupby(rows, itemgetter(0)):
            of_position = [*group]
            moves = [_played_times(move, [*rows]) for move, rows in groupby(of_position, itemgetter(1))]
            frequent = [move for move in moves if move[2] >= min_games]
            if frequent:
                yield _entry(sfen, min(row[3] for row in of_position), frequent)

    def close(self) -> None:
        self.file.close()


_MoveTimes = tuple[str, str, int]
"""A move and its most frequent reply (or an empty text) in USI, and the number of games."""


def _played_times(move: str, rows: list[tuple[str, str, str, int, int]]) -> _MoveTimes:
    replies = sorted((-n, reply) for _sfen, _move, reply, _ply, n in rows if reply)
    return move, replies[0][1] if replies else "", sum(row[4] for row in rows)


def _entry(sfen: str, ply: int, moves: Iterable[_MoveTimes]) -> BookEntry:
    """Return a position of a book, its most frequent moves first."""
    chosen = sorted(moves, key=lambda one: (-one[2], one[0]))
    return BookEntry(
        sfen,
        ply,
        [BookMove(from_usi(move), from_usi(reply) if reply else 0, times) for move, reply, times in chosen],
    )


def _played_moves(game: Game, plies: int) -> Iterable[PlayedMove]:
    """Return the first moves of a game; a move that was repeated in the same position is there once."""
    line = [
        (position.sfen(None), to_usi(move))
        for _ply, position, move, _entry in islice(SHOGI.replay.main_line(game.jkf), plies + 1)
        if move != NO_MOVE
    ]
    replies = [*(usi for _sfen, usi in line[1:]), ""]
    moves: dict[tuple[str, str], PlayedMove] = {}
    for ply, (place, reply) in enumerate(zip(line[:plies], replies, strict=False)):
        moves.setdefault(place, (*place, reply, ply))
    return moves.values()


def count_games(games: BulkReader, counts: Counts) -> Iterator[bytes]:
    """Count the main lines of the shogi games of a list; yield empty pieces. Raises the reader's error."""
    for item in games.with_records():
        if item is None:
            yield b""
        elif item.game.kind == SHOGI.name and item.game.record_kind == Game.RecordKind.GAME:
            counts.add(item.game)
    if games.error is not None:
        raise games.error


def book_of_games(
    games: BulkReader, plies: int = PLIES, min_games: int = MIN_GAMES, *, scores: bool = False
) -> Iterator[bytes]:
    """Yield a book of YaneuraOu of the main lines of the shogi games of a list, `plies` deep.

    A move counts once for each game that played it from a position, whatever moves led there. Moves with
    fewer than `min_games` are left out. If the counts exceed `COUNTED_BYTES`, the book is less deep, and a
    remark says so. With `scores` its moves have back-propagated scores (`scored`); such a book is in memory.
    """
    counts = Counts(plies, BOOK_BYTES if scores else COUNTED_BYTES)
    try:
        yield from count_games(games, counts)
        yield HEADER.encode()
        if counts.plies < plies:
            yield f"# {counts.plies} plies of {plies}\n".encode()
        if not games.complete:
            yield f"# {games.games} games, up to number {games.after}\n".encode()
        yield from _pieces(games.scope, counts.book(min_games), scores=scores)
    finally:
        counts.close()


def book_of_position(
    scope: Scope, code: str, plies: int, min_games: int, *, scores: bool = False
) -> Iterator[bytes]:
    """Yield a book of YaneuraOu of the moves played from a position, as the explorer counts them. `scores` as
    in `book_of_games`."""
    entries: list[BookEntry] = []
    yield from collect_position(scope, code, plies, min_games, entries)
    yield HEADER.encode()
    if len(entries) >= MOST_POSITIONS:
        yield f"# the nearest {MOST_POSITIONS} positions\n".encode()
    yield from _pieces(scope, entries, scores=scores)


def _pieces(scope: Scope, entries: Iterable[BookEntry], *, scores: bool) -> Iterator[bytes]:
    """Yield the text of positions, with scores after a remark that names their engine."""
    if scores:
        engine, entries = scored(scope, [*entries])
        yield f"# scores: {engine or 'none'}\n".encode()
    yield from _in_pieces(entries)


def scored(scope: Scope, entries: Sequence[BookEntry]) -> tuple[str, list[BookEntry]]:
    """Return the name of an engine, and the positions of a book with back-propagated scores by its verdicts
    (`archive.derive.negamax`) and the depths of these. In a text the raw score is a remark after the move.
    Without any verdict the name is empty and the book as it was. Linear in the moves."""
    engine, values = book_values(scope, entries)
    if engine is None:
        return "", [*entries]
    result = [
        entry._replace(moves=[_scored(one, values[entry.sfen, one.move]) for one in entry.moves])
        for entry in entries
    ]
    return engine.title, result


def _scored(one: BookMove, value: MoveValue) -> BookMove:
    remarks = one.remarks if value.raw in (None, value.backed) else (*one.remarks, f"raw {value.raw}")
    return one._replace(score=value.backed, depth=value.depth or None, remarks=remarks)


def collect_position(
    scope: Scope, code: str, plies: int, min_games: int, entries: list[BookEntry]
) -> Iterator[bytes]:
    """Append the positions of a book that grows from one, sorted by SFEN; yield empty pieces."""
    positions: list[BookPosition] = []
    for position in book_positions(scope, code, plies, min_games):
        positions.append(position)
        if not len(positions) % _LINES:
            yield b""
    by_identity = {SHOGI.codec.identity(position.code): position for position in positions}
    entries += sorted(
        _entry(SHOGI.codec.decode(position.code).sfen(None), position.ply, _move_times(position, by_identity))
        for position in positions
    )


def _move_times(position: BookPosition, by_identity: dict[str, BookPosition]) -> Iterator[_MoveTimes]:
    for usi, times in position.moves.items():
        after = by_identity.get(SHOGI.codec.identity(position.after[usi]))
        reply = min(after.moves, key=lambda move: (-after.moves[move], move)) if after else ""
        yield usi, reply, times


def _in_pieces(entries: Iterable[BookEntry]) -> Iterator[bytes]:
    remaining = iter(entries)
    while batch := [*islice(remaining, _LINES)]:
        yield "".join(map(position_lines, batch)).encode()
