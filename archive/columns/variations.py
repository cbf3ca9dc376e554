"""Patterns in games with variations: what DuckDB is told to look for in the columns.

It is asked only where a step has to stay for some plies before another follows: all of them have to lie on
one line, which is more than what `forked` knows of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from archive.columns.schema import COUNTS, HANDS, SQUARES
from kifu_core.shogi.patterns import Count, Look, Pattern, looks
from kifu_core.shogi.patterns.matching import Seen
from kifu_core.shogi.patterns.pattern import ANYTHING
from kifu_core.shogi.patterns.pattern import CONTENTS as PIECES

_SIGNED: Final = tuple(range(-(PIECES // 2), PIECES // 2 + 1))
"""What a square can hold, as it stands in its column."""


_TOLD: Final = ("ply", "fork")
"""What a row tells beside its slot and its node."""

_PLY: Final = 17
_OWN: Final = 16
_MIRRORED: Final = 15
"""A place in its game as a number, the first to be compared first: ply, whose side is own, whether mirrored,
and the node, which has 15 bits."""


class Place(NamedTuple):
    """A place in a game: its node, whose pieces are own, and whether the pattern is mirrored."""

    node: int
    own: int
    mirrored: bool


def place_of(number: int) -> Place:
    """Return the place that `first_places` tells as a number."""
    return Place(number & (1 << _MIRRORED) - 1, number >> _OWN & 1, bool(number >> _MIRRORED & 1))


def first_places(pattern: Pattern, source: str) -> str:
    """Return the statement that finds the `slot` of each game with a pattern, and the first `place` there.
    `source` is what the rows of the games are read from, in SQL.

    Each look at the board is a question of its own: for one with OR all columns of all would be read for
    every row.
    """
    places = " UNION ALL ".join(
        f"SELECT slot, ply::BIGINT << {_PLY} | {_bits(look)} | node AS place "
        f"FROM ({_places(pattern, look, source)})"
        for look in looks(pattern)
    )
    return f"SELECT slot, min(place) AS place FROM ({places}) GROUP BY slot"


def _bits(look: Look) -> int:
    return look.own << _OWN | look.mirrored << _MIRRORED


def _places(pattern: Pattern, look: Look, source: str) -> str:
    """Return the question for the places of a first step which the others can follow.

    A step may stay in one line while the next one stands in another. All positions have to lie on one line:
    each goes through the one that is deepest so far (`deep`), or that through it.
    """
    told = ", ".join(_TOLD)
    found = (
        f"SELECT slot, node, {told}, stop AS deep, stop_last AS deep_last, node AS at, last AS at_last, "
        f"ply AS at_ply FROM ({_stands(look.steps[0], source, stops=True)})"
    )
    for step, gap in zip(look.steps[1:], pattern.gaps, strict=True):
        within = "" if gap is None else f" AND b.ply <= c.at_ply + {gap}"
        found = (
            f"SELECT DISTINCT c.slot, c.node, {', '.join(f'c.{name}' for name in _TOLD)}, "
            "greatest(c.deep, b.stop) AS deep, "
            "CASE WHEN b.stop > c.deep THEN b.stop_last ELSE c.deep_last END AS deep_last, "
            "b.node AS at, b.last AS at_last, b.ply AS at_ply "
            f"FROM ({found}) c JOIN ({_stands(step, source, stops=True)}) b ON b.slot = c.slot "
            f"AND b.node > c.at AND b.node <= c.at_last{within} "
            "AND (b.stop BETWEEN c.deep AND c.deep_last OR c.deep BETWEEN b.stop AND b.stop_last)"
        )
    return f"SELECT DISTINCT slot, node, {told} FROM ({found})"


def _stands(step: Seen, source: str, *, stops: bool = False) -> str:
    """Return the question for the positions from which on a step stands as long as it has to; with `stops`
    once for each position where that is over, by its `stop` and `stop_last`, the numbers of its subtree."""
    conditions = " AND ".join(_conditions(step)) or "true"
    columns = f"slot, node, last, {', '.join(_TOLD)}"
    place = " AND ".join(_place(step)) or "true"
    if not step.step.kept:
        own = ", node AS stop, last AS stop_last" if stops else ""
        return f"SELECT {columns}{own} FROM {source} WHERE {conditions} AND {place}"
    standing = f"(SELECT {columns} FROM {source} WHERE {conditions})"
    # A position stands so long where one that many plies later has it and all between on the way to it.
    columns = ", ".join(f"f.{name.strip()}" for name in columns.split(","))
    kept, join = (", k.stop, k.stop_last", "JOIN") if stops else ("", "SEMI JOIN")
    return (
        f"SELECT DISTINCT {columns}{kept} FROM {standing} f {join} ("
        f"SELECT e.slot, e.node AS stop, min(e.last) AS stop_last, min(a.node) AS node "
        f"FROM {standing} e JOIN {standing} a ON a.slot = e.slot "
        f"AND a.node <= e.node AND e.node <= a.last AND a.ply >= e.ply - {step.step.kept} "
        f"GROUP BY e.slot, e.node HAVING count(*) = {step.step.kept + 1}"
        f") k ON k.slot = f.slot AND k.node = f.node WHERE {place}"
    )


def _place(step: Seen) -> Iterator[str]:
    if step.step.first is not None:
        yield f"ply >= {step.step.first}"
    if step.step.last is not None:
        yield f"ply <= {step.step.last}"


def _conditions(step: Seen) -> Iterator[str]:
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
