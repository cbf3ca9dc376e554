"""The table of a dump, as Parquet. DuckDB writes it and reads it, within bounds of memory, on one thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from archive.columns.duck import memory_database, sql_literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS: Final = {
    "id": "BIGINT",
    "game": "VARCHAR",
    "record_kind": "VARCHAR",
    "black": "VARCHAR",
    "white": "VARCHAR",
    "event": "VARCHAR",
    "round": "VARCHAR",
    "site": "VARCHAR",
    "handicap": "VARCHAR",
    "opening": "VARCHAR",
    "result": "VARCHAR",
    "special": "VARCHAR",
    "plies": "INTEGER",
    "played_from": "DATE",
    "played_to": "DATE",
    "precision": "VARCHAR",
    "calendar": "VARCHAR",
    "black_rating": "SMALLINT",
    "white_rating": "SMALLINT",
    "time_control": "VARCHAR",
    "has": "VARCHAR[]",
    "arrived": "TIMESTAMP",
    "changed": "TIMESTAMP",
}
"""The columns of the table with their types, in their order (docs/dumps.md says what they mean)."""

_FETCHED: Final = 1_000


def write_table(rows: Iterable[Path], path: Path) -> None:
    """Write a table of the rows in files of lines of JSON, in their order."""
    files = ", ".join(map(sql_literal, rows))
    types = ", ".join(f"{name}: {sql_literal(kind)}" for name, kind in COLUMNS.items())
    read = f"read_json([{files}], format = 'newline_delimited', columns = {{{types}}})"
    with memory_database() as database:
        database.execute(
            f"COPY (SELECT * FROM {read}) TO {sql_literal(path)} (FORMAT parquet, COMPRESSION zstd)"
        )


def ids_of(path: Path) -> Iterator[list[int]]:
    """Yield the ids in a table, some at a time. Raises UnreadableTableError."""
    with _reading() as database:
        found = database.execute(f"SELECT id FROM read_parquet({sql_literal(path)})")
        while some := found.fetchmany(_FETCHED):
            yield [pk for (pk,) in some]


def ids_without(path: Path, other: Path) -> list[int]:
    """Return the ids in a table that another one has not, ascending. Raises UnreadableTableError."""
    with _reading() as database:
        found = database.execute(
            f"SELECT o.id FROM read_parquet({sql_literal(path)}) o "
            f"ANTI JOIN read_parquet({sql_literal(other)}) n USING (id) ORDER BY 1"
        )
        return [pk for (pk,) in found.fetchall()]


class UnreadableTableError(ValueError):
    """A table that is not there, or is damaged."""


@contextmanager
def _reading() -> Iterator[DuckDBPyConnection]:
    import duckdb

    try:
        with memory_database() as database:
            yield database
    except duckdb.Error as error:
        raise UnreadableTableError(str(error)) from error
