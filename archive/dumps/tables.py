"""The table of a dump (Parquet). DuckDB writes and reads it, in bounded memory, on one thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_type_hints

from archive.columns.duck import memory_database, sql_literal
from archive.dumps.main_lines import FormationInTable
from archive.queries.games.game_json import COLUMNS as GAME_COLUMNS
from archive.queries.games.game_json import GameInfo

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class GameInTable(GameInfo):
    """A game in the table: `GameInfo` with days that can be compared, and its main line.

    Item 0 of a list belongs to the first move and to the position after it; a list without any value is
    empty. `moves` are as programs write them (USI), `seconds` are whole, `evals` are in hundredths of a pawn
    from Black's side. `mates` are plies to a mate, negative where White mates, 0 where the record does not
    say in how many.
    """

    played_from: date | None
    played_to: date | None
    precision: str
    start: str
    moves: list[str]
    seconds: list[int | None]
    evals: list[int | None]
    mates: list[int | None]
    formations: list[FormationInTable]


_LEFT_OUT: Final = ("url", "date", "end_date", "space")
_DAYS: Final = ("played_from", "played_to", "precision")
_SQL_TYPES: Final[Mapping[object, str]] = {
    int: "INTEGER",
    str: "VARCHAR",
    list[str]: "VARCHAR[]",
    date | None: "DATE",
    datetime | None: "TIMESTAMP",
    list[int | None]: "INTEGER[]",
    list[FormationInTable]: "STRUCT(formation VARCHAR, side VARCHAR, ply SMALLINT)[]",
}
_OTHER_SQL_TYPES: Final = {"id": "BIGINT", "black_rating": "SMALLINT", "white_rating": "SMALLINT"}


def _columns() -> Iterator[tuple[str, str]]:
    types = get_type_hints(GameInTable)
    before_calendar = GAME_COLUMNS.index("calendar")
    names = (*GAME_COLUMNS[:before_calendar], *_DAYS, *GAME_COLUMNS[before_calendar:])
    for name in dict.fromkeys((*names, *GameInTable.__struct_fields__)):
        if name not in _LEFT_OUT:
            yield name, _OTHER_SQL_TYPES.get(name) or _SQL_TYPES[types[name]]


COLUMNS: Final = dict(_columns())
"""The SQL types of the columns, in order (docs/dumps.md describes them)."""

_BATCH_ROWS: Final = 1_000


def write_table(rows: Iterable[Path], path: Path, about: Mapping[str, str]) -> None:
    """Write a table of the rows in NDJSON files, in their order; `about` is the metadata of the file."""
    files = ", ".join(map(sql_literal, rows))
    types = ", ".join(f"{name}: {sql_literal(sql_type)}" for name, sql_type in COLUMNS.items())
    source = f"read_json([{files}], format = 'newline_delimited', columns = {{{types}}})"
    metadata = ", ".join(f"{sql_literal(name)}: {sql_literal(text)}" for name, text in about.items())
    options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{metadata}}}"
    with memory_database() as database:
        database.execute(f"COPY (SELECT * FROM {source}) TO {sql_literal(path)} ({options})")


def ids_of(path: Path) -> Iterator[list[int]]:
    """Yield the ids in a table, 1,000 at a time. Raises UnreadableTableError."""
    with _reading() as database:
        rows = database.execute(f"SELECT id FROM read_parquet({sql_literal(path)})")
        while batch := rows.fetchmany(_BATCH_ROWS):
            yield [pk for (pk,) in batch]


def missing_ids(path: Path, other: Path) -> list[int]:
    """Return the ids in a table that another table lacks, ascending. Raises UnreadableTableError."""
    with _reading() as database:
        rows = database.execute(
            f"SELECT o.id FROM read_parquet({sql_literal(path)}) o "
            f"ANTI JOIN read_parquet({sql_literal(other)}) n USING (id) ORDER BY 1"
        )
        return [pk for (pk,) in rows.fetchall()]


class UnreadableTableError(ValueError):
    """A table is missing or damaged."""


@contextmanager
def _reading() -> Iterator[DuckDBPyConnection]:
    import duckdb

    try:
        with memory_database() as database:
            yield database
    except duckdb.Error as error:
        raise UnreadableTableError(str(error)) from error
