"""A game's series: the engines' evaluations and the clocks by ply. They follow from the record and
`header_data`."""

import zlib
from collections.abc import Mapping
from itertools import repeat
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from kifu_core.game import Evaluation
from kifu_core.games import of_record
from kifu_core.jkf import Record
from kifu_core.shogi.clock import Tick, TimeLimit, ticks

_LEVEL: Final = 3
R = TypeVar("R")


class Series(NamedTuple):
    """The evaluations and clocks of a game by ply; either may be empty."""

    evaluations: tuple[Evaluation, ...] = ()
    clock: tuple[Tick, ...] = ()


def series_of(record: Record, header_data: Mapping[str, Any]) -> Series:
    """Return the series of a normalized record; `header_data` has its time limits and fractions of seconds.
    Linear in the main line and its comments."""
    fractions = {int(ply): digits for ply, digits in header_data.get("fractions", {}).items()}
    game = of_record(record)
    clock = ticks(record, limits_of(header_data), fractions, game.replay.first_turn)
    return Series(tuple(game.replay.evaluations(record)), tuple(clock))


def limits_of(header_data: Mapping[str, Any]) -> tuple[TimeLimit | None, TimeLimit | None]:
    """Return the time limits of colours 0 and 1 in a game's header_data."""
    both = header_data.get("time_limit")
    black, white = (both, both) if both else header_data.get("time_limits", (None, None))
    return TimeLimit(**black) if black else None, TimeLimit(**white) if white else None


def pack(series: Series) -> bytes:
    """Pack a series as zlib-compressed JSON of two tables; an empty one as no bytes."""
    if not any(series):
        return b""
    tables = {name: table_of(rows) for name, rows in zip(Series._fields, series, strict=True)}
    return zlib.compress(orjson.dumps(tables), _LEVEL)


def unpack(stored: bytes | memoryview) -> Series:
    """Unpack the series that `pack` stored."""
    if not stored:
        return Series()
    tables = orjson.loads(zlib.decompress(stored))
    return Series(evaluations_of(tables["evaluations"]), rows_of(Tick, tables["clock"]))


def seconds_of(stored: bytes | memoryview) -> tuple[list[int], list[float]]:
    """Return the numbers of the moves in a packed series, from 1, and the seconds of each."""
    clock = orjson.loads(zlib.decompress(stored))["clock"]
    return (clock["ply"], clock["used"]) if clock else ([], [])


def evaluations_of(table: Mapping[str, list[Any]]) -> tuple[Evaluation, ...]:
    """Return the evaluations of a table."""
    moves = {"moves": [tuple(line) for line in table["moves"]]} if "moves" in table else {}
    return rows_of(Evaluation, {**table, **moves})


def table_of(rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    """Return the columns that have other values than their defaults."""
    if not rows:
        return {}
    defaults = rows[0]._field_defaults
    columns = zip(rows[0]._fields, zip(*rows, strict=True), strict=True)
    return {
        name: list(column)
        for name, column in columns
        if name not in defaults or any(one != defaults[name] for one in column)
    }


def rows_of(kind: type[R], table: Mapping[str, list[Any]]) -> tuple[R, ...]:
    """Return the rows of a table as named tuples of this kind."""
    if not table:
        return ()
    about: Any = kind
    count = len(next(iter(table.values())))
    missing = {name: repeat(value, count) for name, value in about._field_defaults.items()}
    columns = (table.get(name, missing.get(name)) for name in about._fields)
    return tuple(map(about._make, zip(*columns, strict=True)))
