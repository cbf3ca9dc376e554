"""Files of positions: written a column at a time, put together, read by whoever asks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.columns.duck import memory_database, sql_literal
from archive.columns.folder import atomic_file, is_complete
from archive.columns.positions import UNKNOWN, Positions
from archive.columns.schema import OF_GAME, TYPES

if TYPE_CHECKING:
    import numpy as np
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

ROW_GROUP: Final = 122_880
"""Rows that are packed together: a thousand games."""

_MEMORY: Final = "512MB"
_MOST_VALUES: Final = 64
"""A column of a file with more has no dictionary: squares, hands and counts have fewer, and for numbers of
games and nodes it takes longer to make than it saves."""
_AS_FILE: Final = (
    f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}, DICTIONARY_SIZE_LIMIT {_MOST_VALUES})"
)


class SegmentGames(NamedTuple):
    """What is in a file: its lowest and its highest slot, its games and its rows."""

    first: int
    last: int
    games: int
    rows: int


def write_segment(positions: Positions, path: Path) -> int:
    """Write the positions of games, at least of one, which were added in order of slots, as a file with its
    runs; return the bytes of the file.

    A file of that name is whole: what is being written has another one.
    """
    from archive.columns.runs import write_runs

    known = {name: f"nullif({name}, {UNKNOWN})" for name in OF_GAME}
    columns = ", ".join(f"{known.get(name, name)}::{kind} AS {name}" for name, kind in TYPES.items())
    gathered = positions.columns()
    with memory_database(_MEMORY) as database:
        database.register("gathered", gathered)
        _write(database, f"SELECT {columns} FROM gathered", path)
    write_runs(gathered, path)
    return path.stat().st_size


def merge_segments(
    paths: Sequence[Path], gone: Collection[int], path: Path
) -> tuple[SegmentGames | None, list[int]]:
    """Write the games of files into one with its runs, in order of slots, but for those that are `gone`.

    Return what is in it, None where nothing was left to write, and the slots that were left out.
    """
    from archive.columns.runs import join_runs, make_runs

    with memory_database(_MEMORY) as database:
        spans = _spans(database, paths)
        source = reading([path for path, _, _ in spans])
        database.register("gone", table_of(gone))
        found = database.execute(f"SELECT DISTINCT slot FROM {source} SEMI JOIN gone USING (slot)")
        left_out = sorted(slot for (slot,) in found.fetchall())
        rows = f"FROM {source} WHERE slot NOT IN (SELECT slot FROM gone)" if left_out else f"FROM {source}"
        held = _held(database, rows)
        apart = all(one[2] < other[1] for one, other in pairwise(spans))
        if held is not None:
            # Sorting takes as long as writing; what is read as it lies keeps its order.
            order = "" if apart and not left_out else "ORDER BY slot, node"
            _write(database, f"SELECT * {rows} {order}", path)
    if held is not None:
        parts = [one for one, _, _ in spans]
        if apart and not left_out and all(map(is_complete, parts)):
            join_runs(parts, path)
        else:
            make_runs(path)
    return held, left_out


def _spans(database: DuckDBPyConnection, paths: Iterable[Path]) -> list[tuple[Path, int, int]]:
    """Return files with their lowest and their highest slot, ascending."""
    found = []
    for path in paths:
        ((first, last),) = database.execute(f"SELECT min(slot), max(slot) FROM {reading([path])}").fetchall()
        found.append((path, first, last))
    return sorted(found, key=lambda span: span[1:])


def segment_games(path: Path) -> SegmentGames | None:
    """Return what is in a file, None for no row."""
    with memory_database() as database:
        return _held(database, f"FROM {reading([path])}")


def slots_in(path: Path) -> list[int]:
    """Return the slots that a file has, ascending."""
    with memory_database() as database:
        found = database.execute(f"SELECT DISTINCT slot FROM {reading([path])} ORDER BY slot")
        return [slot for (slot,) in found.fetchall()]


def table_of(slots: Collection[int]) -> dict[str, NDArray[np.int32]]:
    """Return slots as a table for DuckDB, with the one column `slot`."""
    import numpy as np

    return {"slot": np.fromiter(slots, np.int32, len(slots))}


def _held(database: DuckDBPyConnection, rows: str) -> SegmentGames | None:
    counted = f"SELECT min(slot), max(slot), count(DISTINCT slot), count(*) {rows}"
    ((first, last, games, number),) = database.execute(counted).fetchall()
    return SegmentGames(first, last, games, number) if number else None


def _write(database: DuckDBPyConnection, rows: str, path: Path) -> None:
    with atomic_file(path) as made:
        database.execute(f"COPY ({rows}) TO {sql_literal(made)} {_AS_FILE}")


def reading(paths: Iterable[Path]) -> str:
    """Return what the rows of these files are read from, in SQL."""
    return f"read_parquet([{', '.join(map(sql_literal, paths))}])"
