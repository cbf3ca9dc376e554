"""Files of positions: written a column at a time, read by whoever asks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from archive.columns.positions import UNKNOWN, Positions
from archive.columns.schema import OF_GAME, TYPES
from archive.duck import bounded, literal

ROW_GROUP: Final = 122_880
"""Rows that are packed together: a thousand games."""

_MEMORY: Final = "512MB"


def write_segment(positions: Positions, path: Path) -> int:
    """Write the positions of games, which were added in order of slots, as a file; return its bytes.

    A file of that name is whole: what is being written has another one.
    """
    made = path.with_suffix(".new")
    known = {name: f"nullif({name}, {UNKNOWN})" for name in OF_GAME}
    columns = ", ".join(f"{known.get(name, name)}::{kind} AS {name}" for name, kind in TYPES.items())
    try:
        with bounded(_MEMORY) as database:
            database.register("gathered", positions.columns())
            database.execute(
                f"COPY (SELECT {columns} FROM gathered) TO {literal(made)} "
                f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
            )
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    return path.stat().st_size


def reading(paths: Iterable[Path]) -> str:
    """Return what the rows of these files are read from, in SQL."""
    return f"read_parquet([{', '.join(map(literal, paths))}])"
