"""Opening books of YaneuraOu, made of the games of a list or of what was played from a position."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from django.conf import settings

from archive.models import Game
from archive.queries.games.bulk import BulkReader
from archive.queries.positions.opening_book import MOST_POSITIONS, BookPosition, book_positions
from archive.queries.scope import Scope
from kifu_core.games import SHOGI
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.formats.db import HEADER, BookMove, position_lines
from kifu_core.shogi.moves import to_usi

PLIES: Final = 40
MOST_PLIES: Final = 100
MIN_GAMES: Final = 2

COUNTED_BYTES: Final = 256 * 1024 * 1024
"""What the counts of a book may take on disk. Beyond it the book becomes less deep, for all games alike."""

_HELD: Final = 20_000
"""Counts that are held in memory before they are written down together."""

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
_USED: Final = """
    SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""
_SORTED: Final = """
    SELECT sfen, move, reply, min(ply), sum(n) FROM counts
    GROUP BY sfen, move, reply ORDER BY sfen, move, reply
"""

Played = tuple[str, str, str, int]
"""A position's SFEN without number, a move played there and the reply in USI, and the half-moves before."""


class Counts:
    """How often each move was played, in a file without a name, which disappears with the process however
    that ends. Sorted by SFEN, in the order of bytes, it is a book."""

    def __init__(self, plies: int, most: int = COUNTED_BYTES) -> None:
        self.plies = plies
        self.most = most
        self.held: Counter[Played] = Counter()
        folder = settings.DATA_DIR / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = mkstemp(dir=folder, suffix=".book")
        os.close(handle)
        # One thread at a time, and any of them: pieces of an answer are made where there is one free.
        self.file = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
        try:
            for word in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-16384", "temp_store=MEMORY"):
                self.file.execute(f"PRAGMA {word}")
            self.file.execute(_TABLE)
        finally:
            Path(name).unlink()

    def add(self, game: Game) -> None:
        """Count the moves of a game's main line, each position's once."""
        for played in _played(game, self.plies):
            self.held[played] += 1
        if len(self.held) >= _HELD:
            self._write()

    def _write(self) -> None:
        self.file.execute("BEGIN")
        self.file.executemany(_COUNT, sorted((*played, n) for played, n in self.held.items()))
        self.file.execute("COMMIT")
        self.held.clear()
        while self._used() > self.most and self.plies > _SHALLOWER:
            self.plies -= _SHALLOWER
            self.file.execute("DELETE FROM counts WHERE ply >= ?", [self.plies])

    def _used(self) -> int:
        ((used,),) = self.file.execute(_USED)
        return int(used)

    def book(self, min_games: int) -> Iterator[str]:
        """Yield the lines of the positions in which a move was played in so many games."""
        self._write()
        rows: Iterable[tuple[str, str, str, int, int]] = self.file.execute(_SORTED)
        for sfen, of_position in groupby(rows, itemgetter(0)):
            found = [*of_position]
            moves = [_move(move, [*rest]) for move, rest in groupby(found, itemgetter(1))]
            chosen = [move for move in moves if move.times >= min_games]
            if chosen:
                yield position_lines(sfen, min(row[3] for row in found), chosen)

    def close(self) -> None:
        """Give the file back."""
        self.file.close()


def _move(move: str, rows: list[tuple[str, str, str, int, int]]) -> BookMove:
    """Return a move with the reply that most games have."""
    replies = sorted((-n, reply) for _sfen, _move, reply, _ply, n in rows if reply)
    return BookMove(move, replies[0][1] if replies else "", sum(row[4] for row in rows))


def _played(game: Game, plies: int) -> set[Played]:
    """Return what a game played in its first half-moves, a move in a position once, however often it came."""
    line = [
        (position.sfen(None), to_usi(move))
        for _ply, position, move, _entry in islice(SHOGI.replay.main_line(game.jkf), plies + 1)
        if move != NO_MOVE
    ]
    replies = [*(usi for _sfen, usi in line[1:]), ""]
    found: dict[tuple[str, str], Played] = {}
    for ply, (place, reply) in enumerate(zip(line[:plies], replies, strict=False)):
        found.setdefault(place, (*place, reply, ply))
    return set(found.values())


def book_of_games(games: BulkReader, plies: int = PLIES, min_games: int = MIN_GAMES) -> Iterator[bytes]:
    """Yield a book of the main lines of the shogi games of a list, so many half-moves deep.

    A move counts once for each game that played it in a position, by whatever moves it came there. Moves with
    fewer than `min_games` are left out. Where there is more than can be counted, the book is less deep and
    says so in a remark.
    """
    counts = Counts(plies)
    try:
        for found in games.found():
            if found is None:
                yield b""
            elif found.game.kind == SHOGI.name and found.game.record_kind == Game.RecordKind.GAME:
                counts.add(found.game)
        if games.error is not None:
            raise games.error
        yield HEADER.encode()
        if counts.plies < plies:
            yield f"# {counts.plies} plies of {plies}\n".encode()
        if not games.complete:
            yield f"# {games.games} games, up to number {games.after}\n".encode()
        yield from _in_lines(counts.book(min_games))
    finally:
        counts.close()


def book_of_position(scope: Scope, code: str, plies: int, min_games: int) -> Iterator[bytes]:
    """Yield a book of what was played from a position, as the explorer counts it."""
    places: list[BookPosition] = []
    for place in book_positions(scope, code, plies, min_games):
        places.append(place)
        if not len(places) % _LINES:
            yield b""
    by_name = {SHOGI.codec.identity(place.code): place for place in places}
    yield HEADER.encode()
    if len(places) >= MOST_POSITIONS:
        yield f"# the nearest {MOST_POSITIONS} positions\n".encode()
    sorted_places = sorted((SHOGI.codec.decode(place.code).sfen(None), place) for place in places)
    yield from _in_lines(
        position_lines(sfen, place.ply, _moves(place, by_name)) for sfen, place in sorted_places
    )


def _moves(place: BookPosition, by_name: dict[str, BookPosition]) -> Iterator[BookMove]:
    """Yield the moves of a position, each with the move that most games played after it."""
    for usi, times in place.moves.items():
        after = by_name.get(SHOGI.codec.identity(place.after[usi]))
        reply = min(after.moves, key=lambda one: (-after.moves[one], one)) if after else ""
        yield BookMove(usi, reply, times)


def _in_lines(texts: Iterator[str]) -> Iterator[bytes]:
    held: list[str] = []
    for text in texts:
        held.append(text)
        if len(held) == _LINES:
            yield "".join(held).encode()
            held = []
    yield "".join(held).encode()
