"""Patterns asked of the columns: what DuckDB is told to look for, and the games that it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.columns.schema import COUNTS, HANDS, SQUARES
from kifu_core.shogi.patterns import Count, Look, Pattern, looks
from kifu_core.shogi.patterns.matching import Seen
from kifu_core.shogi.patterns.pattern import ANYTHING
from kifu_core.shogi.patterns.pattern import CONTENTS as PIECES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SIGNED: Final = tuple(range(-(PIECES // 2), PIECES // 2 + 1))
"""What a square can hold, as it stands in its column."""


class GameWith(NamedTuple):
    """A game with a pattern: where it stands first, for whom, whether mirrored, and what is played there."""

    slot: int
    ply: int
    own: int
    mirrored: bool
    move: int


def games_with(database: DuckDBPyConnection, pattern: Pattern, source: str) -> list[GameWith]:
    """Return the games with a pattern, in order of slots. `source` is what the rows are read from, in SQL."""
    found = database.execute(first_places(pattern, source))
    return [GameWith(*row) for row in found.fetchall()]


def first_places(pattern: Pattern, source: str) -> str:
    """Return the statement that finds, of each game, the first place where a pattern stands.

    Each look at the board is a question of its own: for one with OR all columns of all would be read for
    every row.
    """
    every = " UNION ALL ".join(_places(pattern, look, source) for look in looks(pattern))
    return (
        "SELECT DISTINCT ON (slot) slot, ply, own, mirrored, move "
        f"FROM ({every}) ORDER BY slot, ply, own, mirrored, node"
    )


def _places(pattern: Pattern, look: Look, source: str) -> str:
    """Return the question for the places of a first step which the others can follow."""
    steps = [_stands(step, pattern, source) for step in look.steps]
    following = ""
    for number in range(len(steps) - 1, 0, -1):
        gap = pattern.gaps[number - 1]
        within = "" if gap is None else f" AND b{number}.ply <= b{number - 1}.ply + {gap}"
        following = (
            f" WHERE EXISTS (SELECT 1 FROM ({steps[number]}) b{number}{following}"
            f"{' AND' if following else ' WHERE'} b{number}.slot = b{number - 1}.slot"
            f" AND b{number}.node > b{number - 1}.node AND b{number}.node <= b{number - 1}.last{within})"
        )
    return (
        f"SELECT b0.slot, b0.node, b0.ply, b0.move, {look.own} AS own, {look.mirrored} AS mirrored "
        f"FROM ({steps[0]}) b0{following}"
    )


def _stands(step: Seen, pattern: Pattern, source: str) -> str:
    """Return the question for the positions from which on a step stands as long as it has to."""
    conditions = " AND ".join(_conditions(step, pattern)) or "true"
    columns = "slot, node, last, ply, move"
    place = " AND ".join(_place(step)) or "true"
    if not step.step.kept:
        return f"SELECT {columns} FROM {source} WHERE {conditions} AND {place}"
    standing = f"(SELECT {columns} FROM {source} WHERE {conditions})"
    # A position stands so long where one that many plies later has it and all between on the way to it.
    return (
        f"SELECT DISTINCT {columns} FROM {standing} f SEMI JOIN ("
        f"SELECT e.slot, min(a.node) AS node FROM {standing} e JOIN {standing} a ON a.slot = e.slot "
        f"AND a.node <= e.node AND e.node <= a.last AND a.ply >= e.ply - {step.step.kept} "
        f"GROUP BY e.slot, e.node HAVING count(*) = {step.step.kept + 1}"
        f") k ON k.slot = f.slot AND k.node = f.node WHERE {place}"
    )


def _place(step: Seen) -> Iterator[str]:
    if step.step.first is not None:
        yield f"ply >= {step.step.first}"
    if step.step.last is not None:
        yield f"ply <= {step.step.last}"


def _conditions(step: Seen, pattern: Pattern) -> Iterator[str]:
    if pattern.main:
        yield "NOT fork"
    if step.step.own_turn is not None:
        yield f"turn = {step.own if step.step.own_turn else 1 - step.own}"
    for square, allowed in step.squares:
        if allowed != ANYTHING:
            yield _holds(SQUARES[square], allowed)
    for count in step.step.hands:
        yield _counted(HANDS[_owner(step, count), abs(count.piece)], count)
    for count in step.step.board:
        yield _counted(COUNTS[_owner(step, count), abs(count.piece)], count)


def _owner(step: Seen, count: Count) -> int:
    return step.own if count.piece > 0 else 1 - step.own


def _holds(column: str, allowed: int) -> str:
    inside = [piece for piece in _SIGNED if allowed >> piece % PIECES & 1]
    outside = [piece for piece in _SIGNED if piece not in inside]
    if len(inside) <= len(outside):
        return f"{column} {_among(inside)}"
    return f"NOT {column} {_among(outside)}"


def _among(pieces: Sequence[int]) -> str:
    if len(pieces) == 1:
        return f"= {pieces[0]}"
    if pieces[-1] - pieces[0] == len(pieces) - 1:
        return f"BETWEEN {pieces[0]} AND {pieces[-1]}"
    return f"IN ({', '.join(map(str, pieces))})"


def _counted(column: str, count: Count) -> str:
    if count.most is None:
        return f"{column} >= {count.least}"
    return f"{column} BETWEEN {count.least} AND {count.most}"
