"""The moves played from a position and from its successors, as an opening book."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from archive.queries.positions.explorer import BATCH, explore_queries
from archive.queries.positions.position_query import position_query
from archive.queries.scope import Scope
from kifu_core.games import SHOGI

MOST_POSITIONS: Final = 20_000
"""Positions of a book at most."""


@dataclass(frozen=True, slots=True)
class BookPosition:
    """A position of the book: its code, its ply, the number of games that played each of its moves, by USI,
    and the codes of the positions after them."""

    code: str
    ply: int
    moves: dict[str, int]
    after: dict[str, str] = field(default_factory=dict)


def book_positions(scope: Scope, code: str, plies: int, min_games: int) -> Iterator[BookPosition]:
    """Yield the positions of shogi that games reached from one, each once and with its lowest ply.

    The book follows the moves that at least `min_games` games played, `plies` deep and up to
    `MOST_POSITIONS`, by ply; on each ply, positions that more games reached come first. Raises DecodeError
    for an invalid code.
    """
    seen = {SHOGI.codec.identity(code)}
    level = [code]
    for ply in range(plies):
        reached: dict[str, tuple[int, str]] = {}
        for start in range(0, len(level), BATCH):
            for book_position in _book_positions_of(scope, level[start : start + BATCH], ply, min_games):
                for usi, after in book_position.after.items():
                    name = SHOGI.codec.identity(after)
                    times = reached.get(name, (0, ""))[0] + book_position.moves[usi]
                    reached[name] = (times, after)
                if book_position.moves:
                    yield book_position
        new = sorted((counted for name, counted in reached.items() if name not in seen), reverse=True)
        level = [after for _times, after in new[: MOST_POSITIONS - len(seen)]]
        seen.update(map(SHOGI.codec.identity, level))


def _book_positions_of(scope: Scope, codes: list[str], ply: int, min_games: int) -> Iterator[BookPosition]:
    queries = [position_query(scope, SHOGI.name, code) for code in codes]
    for code, explorer in zip(codes, explore_queries(queries, SHOGI.name, codes, "exact"), strict=True):
        moves = [stats for stats in explorer.moves if stats.total >= min_games]
        yield BookPosition(
            code,
            ply,
            {stats.name: stats.total for stats in moves},
            {stats.name: stats.code for stats in moves},
        )
