"""Parquet files of positions: write them column by column, merge and read them."""

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
"""Rows of a row group: a thousand games."""

_MEMORY: Final = "512MB"
_MOST_VALUES: Final = 64
"""A column with more values has no dictionary: squares, hands and counts have fewer, and for numbers of games
and nodes a dictionary costs more time than it saves."""
_AS_FILE: Final = (
    f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}, DICTIONARY_SIZE_LIMIT {_MOST_VALUES})"
)


class SegmentGames(NamedTuple):
    """The lowest and the highest slot of a file, and its numbers of games and rows."""

    first: int
    last: int
    games: int
    rows: int


def write_segment(positions: Positions, path: Path) -> int:
    """Write the positions of at least one game, which were added in order of slots, as a file with its runs;
    return the bytes of the file. It gets its name when it is complete."""
    from archive.columns.runs import write_runs

    nullable = {name: f"nullif({name}, {UNKNOWN})" for name in OF_GAME}
    columns = ", ".join(f"{nullable.get(name, name)}::{kind} AS {name}" for name, kind in TYPES.items())
    columns_of_positions = positions.columns()
    with memory_database(_MEMORY) as database:
        database.register("gathered", columns_of_positions)
        _write(database, f"SELECT {columns} FROM gathered", path)
    write_runs(columns_of_positions, path)
    return path.stat().st_size


def merge_segments(
    paths: Sequence[Path], deleted: Collection[int], path: Path
) -> tuple[SegmentGames | None, list[int]]:
    """Write the games of files into one with its runs, in order of slots, without those that are `deleted`.
    Return its games, None if there are none, and the slots that were left out."""
    from archive.columns.runs import join_runs, make_runs

    with memory_database(_MEMORY) as database:
        spans = _spans(database, paths)
        source = parquet_source([path for path, _, _ in spans])
        database.register("deleted", slot_table(deleted))
        dropped = database.execute(f"SELECT DISTINCT slot FROM {source} SEMI JOIN deleted USING (slot)")
        left_out = sorted(slot for (slot,) in dropped.fetchall())
        rows = f"FROM {source} WHERE slot NOT IN (SELECT slot FROM deleted)" if left_out else f"FROM {source}"
        games = _games_in(database, rows)
        apart = all(span[2] < other[1] for span, other in pairwise(spans))
        if games is not None:
            # Sorting takes as long as writing; unsorted reading keeps the order of the files.
            order = "" if apart and not left_out else "ORDER BY slot, node"
            _write(database, f"SELECT * {rows} {order}", path)
    if games is not None:
        parts = [span for span, _, _ in spans]
        if apart and not left_out and all(map(is_complete, parts)):
            join_runs(parts, path)
        else:
            make_runs(path)
    return games, left_out


def _spans(database: DuckDBPyConnection, paths: Iterable[Path]) -> list[tuple[Path, int, int]]:
    spans = []
    for path in paths:
        ((first, last),) = database.execute(
            f"SELECT min(slot), max(slot) FROM {parquet_source([path])}"
        ).fetchall()
        spans.append((path, first, last))
    return sorted(spans, key=lambda span: span[1:])


def segment_games(path: Path) -> SegmentGames | None:
    """Return the games of a file; None if it has no rows."""
    with memory_database() as database:
        return _games_in(database, f"FROM {parquet_source([path])}")


def slots_in(path: Path) -> list[int]:
    """Return the slots of a file, ascending."""
    with memory_database() as database:
        rows = database.execute(f"SELECT DISTINCT slot FROM {parquet_source([path])} ORDER BY slot")
        return [slot for (slot,) in rows.fetchall()]


def slot_table(slots: Collection[int]) -> dict[str, NDArray[np.int32]]:
    """Return slots as a table for DuckDB, with the one column `slot`."""
    import numpy as np

    return {"slot": np.fromiter(slots, np.int32, len(slots))}


def _games_in(database: DuckDBPyConnection, rows: str) -> SegmentGames | None:
    counted = f"SELECT min(slot), max(slot), count(DISTINCT slot), count(*) {rows}"
    ((first, last, games, number),) = database.execute(counted).fetchall()
    return SegmentGames(first, last, games, number) if number else None


def _write(database: DuckDBPyConnection, rows: str, path: Path) -> None:
    with atomic_file(path) as made:
        database.execute(f"COPY ({rows}) TO {sql_literal(made)} {_AS_FILE}")


def parquet_source(paths: Iterable[Path]) -> str:
    """Return the FROM item with the rows of these files."""
    return f"read_parquet([{', '.join(map(sql_literal, paths))}])"
