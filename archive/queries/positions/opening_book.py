"""The moves played from a position and from those after it, as an opening book has them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from archive.queries.positions.explorer import BATCH, explore_queries
from archive.queries.positions.position_query import position_query
from archive.queries.scope import Scope
from kifu_core.games import SHOGI

MOST_POSITIONS: Final = 20_000
"""Positions of a book that grows from one."""


@dataclass(frozen=True, slots=True)
class BookPosition:
    """A position of the book: its code, how many half-moves lie before it, and how many games played each of
    its moves, by USI. `after` has the codes that the moves lead to."""

    code: str
    ply: int
    moves: dict[str, int]
    after: dict[str, str] = field(default_factory=dict)


def book_positions(scope: Scope, code: str, plies: int, min_games: int) -> Iterator[BookPosition]:
    """Yield the positions of shogi that games reached from one, each once and with its fewest half-moves.

    A position is followed by the moves that at least `min_games` games played there, so many half-moves deep,
    and as far as `MOST_POSITIONS`: nearer ones first, of the same depth those that more games came to. Raises
    DecodeError for a code that is none.
    """
    known = {SHOGI.codec.identity(code)}
    level = [code]
    for ply in range(plies):
        reached: dict[str, tuple[int, str]] = {}
        for start in range(0, len(level), BATCH):
            for place in _book_positions_of(scope, level[start : start + BATCH], ply, min_games):
                for usi, after in place.after.items():
                    name = SHOGI.codec.identity(after)
                    times = reached.get(name, (0, ""))[0] + place.moves[usi]
                    reached[name] = (times, after)
                if place.moves:
                    yield place
        new = sorted((found for name, found in reached.items() if name not in known), reverse=True)
        level = [after for _times, after in new[: MOST_POSITIONS - len(known)]]
        known.update(map(SHOGI.codec.identity, level))


def _book_positions_of(scope: Scope, codes: list[str], ply: int, min_games: int) -> Iterator[BookPosition]:
    questions = [position_query(scope, SHOGI.name, code) for code in codes]
    for code, found in zip(codes, explore_queries(questions, SHOGI.name, codes, "exact"), strict=True):
        moves = [stats for stats in found.moves if stats.total >= min_games]
        yield BookPosition(
            code,
            ply,
            {stats.name: stats.total for stats in moves},
            {stats.name: stats.code for stats in moves},
        )
