"""The table of a dump, as Parquet. DuckDB writes it and reads it, within bounds of memory, on one thread.

It is asked for when a dump is made and not before: it takes 40 MiB of a process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from django.conf import settings

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
    "arrived": "TIMESTAMP",
}
"""The columns of the table with their types, in their order (docs/dumps.md says what they mean)."""

_MEMORY: Final = "128MB"
_FETCHED: Final = 1_000


@contextmanager
def _database() -> Iterator[DuckDBPyConnection]:
    """Give a database in memory that keeps what does not fit there on disk, and loads nothing from
    elsewhere."""
    import duckdb

    bounds: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": _MEMORY,
        "threads": 1,
        "temp_directory": str(settings.DATA_DIR / "tmp"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=bounds) as database:
        yield database


def _literal(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def write_table(rows: Iterable[Path], path: Path) -> None:
    """Write a table of the rows in files of lines of JSON, in their order."""
    files = ", ".join(map(_literal, rows))
    types = ", ".join(f"{name}: {_literal(kind)}" for name, kind in COLUMNS.items())
    read = f"read_json([{files}], format = 'newline_delimited', columns = {{{types}}})"
    with _database() as database:
        database.execute(
            f"COPY (SELECT * FROM {read}) TO {_literal(path)} (FORMAT parquet, COMPRESSION zstd)"
        )


def ids_of(path: Path) -> Iterator[list[int]]:
    """Yield the ids in a table, some at a time. Raises UnreadableTableError."""
    with _reading() as database:
        found = database.execute(f"SELECT id FROM read_parquet({_literal(path)})")
        while some := found.fetchmany(_FETCHED):
            yield [pk for (pk,) in some]


def ids_without(path: Path, other: Path) -> list[int]:
    """Return the ids in a table that another one has not, ascending. Raises UnreadableTableError."""
    with _reading() as database:
        found = database.execute(
            f"SELECT o.id FROM read_parquet({_literal(path)}) o "
            f"ANTI JOIN read_parquet({_literal(other)}) n USING (id) ORDER BY 1"
        )
        return [pk for (pk,) in found.fetchall()]


class UnreadableTableError(ValueError):
    """A table that is not there, or is damaged."""


@contextmanager
def _reading() -> Iterator[DuckDBPyConnection]:
    import duckdb

    try:
        with _database() as database:
            yield database
    except duckdb.Error as error:
        raise UnreadableTableError(str(error)) from error
