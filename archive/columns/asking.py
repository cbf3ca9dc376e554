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
    columns = ", ".join(GameWith._fields)
    found = database.execute(f"SELECT {columns} FROM ({first_places(pattern, source)}) ORDER BY slot")
    return [GameWith(*row) for row in found.fetchall()]


_TOLD: Final = ("ply", "move", "fork", "turn", "result", "played")
"""What the first places tell beside their slot and how the pattern stands there."""


_PACKED: Final = {
    "ply": (16, "SMALLINT"),
    "own": (1, "TINYINT"),
    "mirrored": (1, "BOOLEAN"),
    "node": (15, "SMALLINT"),
    "fork": (1, "BOOLEAN"),
    "turn": (1, "TINYINT"),
    "move": (16, "INTEGER"),
}
"""What tells a place in its game, the first to be compared first, with its bits: all in one number, for the
least number of each game is found several times as fast as the first row."""

_SHORT: Final = 31
"""Bits that a number of half the length has: what fits is put together in it, which takes half the time."""


def first_places(pattern: Pattern, source: str) -> str:
    """Return the statement that finds, of each game, the first place where a pattern stands: its `slot`,
    `node`, `own` and `mirrored`, and what its row has of `_TOLD`.

    Each look at the board is a question of its own: for one with OR all columns of all would be read for
    every row.
    """
    places = " UNION ALL ".join(
        f"SELECT slot, {_packed(look)} AS place, result, played FROM ({_places(pattern, look, source)})"
        for look in looks(pattern)
    )
    unpacked = ", ".join(
        f"((place >> {shift}) & {(1 << bits) - 1})::{kind} AS {name}"
        for name, (shift, bits, kind) in _shifts().items()
    )
    return (
        f"SELECT slot, {unpacked}, result, played FROM ("
        "SELECT slot, min(place) AS place, any_value(result) AS result, any_value(played) AS played "
        f"FROM ({places}) GROUP BY slot)"
    )


def _shifts() -> dict[str, tuple[int, int, str]]:
    """Return what `_PACKED` says, each with the bits that come after it first."""
    found, shift = dict[str, tuple[int, int, str]](), sum(bits for bits, _ in _PACKED.values())
    for name, (bits, kind) in _PACKED.items():
        shift -= bits
        found[name] = shift, bits, kind
    return found


def _packed(look: Look) -> str:
    """Return the number of a row's place, in SQL; what all rows of a look have alike is one constant."""
    alike = {"own": look.own, "mirrored": int(look.mirrored)}
    constant, short, long = 0, list[str](), list[str]()
    for name, (shift, bits, _) in _shifts().items():
        if name in alike:
            constant |= alike[name] << shift
        elif shift + bits <= _SHORT:
            short.append(f"({name}::INTEGER << {shift})")
        else:
            long.append(f"({name}::BIGINT << {shift})")
    return f"{' | '.join(long)} | {constant}::BIGINT | ({' | '.join(short)})"


def slots_with(pattern: Pattern, source: str) -> str:
    """Return the statement that finds the slots of the games with a pattern."""
    return f"SELECT DISTINCT slot FROM ({_every(pattern, source)})"


def _every(pattern: Pattern, source: str) -> str:
    """Return the statement that finds all places where a pattern stands, whoever is own."""
    return " UNION ALL ".join(_places(pattern, look, source) for look in looks(pattern))


def _places(pattern: Pattern, look: Look, source: str) -> str:
    """Return the question for the places of a first step which the others can follow.

    From the last step to the first, what a step needs of the next one is put into tables: so each is read
    twice, however many there are.
    """
    if any(step.step.kept for step in look.steps[:-1]):
        return _places_of_kept(pattern, look, source)
    rows, tables = "", list[str]()
    for number in reversed(range(len(look.steps))):
        rows = _stands(look.steps[number], pattern, source)
        if tables:
            rows = _followed(rows, number + 1, pattern.gaps[number], main=pattern.main)
        if number:
            tables += _next_places(rows, number, pattern.gaps[number - 1], main=pattern.main)
    before = f"WITH {', '.join(tables)} " if tables else ""
    return f"SELECT slot, node, {', '.join(_TOLD)} FROM ({before}{rows})"


def _next_places(rows: str, number: int, gap: int | None, *, main: bool) -> list[str]:
    """Return the tables that tell where a step by its number stands, for the one before it: `main_N` of the
    main line, where positions are numbered by ply, and `forks_N` of variations, which are few.

    Without a gap the `last` place of each game is enough. With one, a line is cut into parts of that length:
    a place within reach lies behind in the same part (`last`) or in the next one, which is entered under the
    part before it (`first`).
    """
    if gap is None:
        places = f"SELECT slot, max(node) AS last FROM ({rows}) WHERE NOT fork GROUP BY slot"
    else:
        places = (
            "SELECT slot, part, min(first) AS first, max(last) AS last FROM ("
            "SELECT slot, unnest([part, part - 1]) AS part, unnest([NULL, first]) AS first, "
            f"unnest([last, NULL]) AS last FROM (SELECT slot, node // {gap} AS part, min(node) AS first, "
            f"max(node) AS last FROM ({rows}) WHERE NOT fork GROUP BY ALL)) GROUP BY ALL"
        )
    tables = [f"main_{number} AS MATERIALIZED ({places})"]
    if not main:
        forks = f"SELECT slot, node, ply FROM ({rows}) WHERE fork"
        tables.append(f"forks_{number} AS MATERIALIZED ({forks})")
    return tables


def _followed(rows: str, number: int, gap: int | None, *, main: bool) -> str:
    """Return those rows which the step of that number can follow; a row that it follows both on the main line
    and in a variation comes twice."""
    columns = ", ".join(f"a.{name}" for name in ("slot", "node", "last", *_TOLD))
    if gap is None:
        reach, within = "m.last > a.node", ""
    else:
        reach = f"m.part = a.node // {gap} AND (m.last > a.node OR m.first <= a.node + {gap})"
        within = f" AND b.ply <= a.ply + {gap}"
    found = (
        f"SELECT {columns} FROM ({rows}) a JOIN main_{number} m ON m.slot = a.slot AND NOT a.fork AND {reach}"
    )
    if main:
        return found
    return (
        f"{found} UNION ALL SELECT {columns} FROM ({rows}) a SEMI JOIN forks_{number} b ON b.slot = a.slot "
        f"AND b.node > a.node AND b.node <= a.last{within}"
    )


def _places_of_kept(pattern: Pattern, look: Look, source: str) -> str:
    """Return the same where a step before the last has to stay, which it may do in one line while the next
    one stands in another. All positions have to lie on one line: each goes through the one that is deepest so
    far (`deep`), or that through it."""
    told = ", ".join(_TOLD)
    found = (
        f"SELECT slot, node, {told}, stop AS deep, stop_last AS deep_last, node AS at, last AS at_last, "
        f"ply AS at_ply FROM ({_stands(look.steps[0], pattern, source, stops=True)})"
    )
    for step, gap in zip(look.steps[1:], pattern.gaps, strict=True):
        within = "" if gap is None else f" AND b.ply <= c.at_ply + {gap}"
        found = (
            f"SELECT DISTINCT c.slot, c.node, {', '.join(f'c.{name}' for name in _TOLD)}, "
            "greatest(c.deep, b.stop) AS deep, "
            "CASE WHEN b.stop > c.deep THEN b.stop_last ELSE c.deep_last END AS deep_last, "
            "b.node AS at, b.last AS at_last, b.ply AS at_ply "
            f"FROM ({found}) c JOIN ({_stands(step, pattern, source, stops=True)}) b ON b.slot = c.slot "
            f"AND b.node > c.at AND b.node <= c.at_last{within} "
            "AND (b.stop BETWEEN c.deep AND c.deep_last OR c.deep BETWEEN b.stop AND b.stop_last)"
        )
    return f"SELECT DISTINCT slot, node, {told} FROM ({found})"


def _stands(step: Seen, pattern: Pattern, source: str, *, stops: bool = False) -> str:
    """Return the question for the positions from which on a step stands as long as it has to; with `stops`
    once for each position where that is over, by its `stop` and `stop_last`, the numbers of its subtree."""
    conditions = " AND ".join(_conditions(step, pattern)) or "true"
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
