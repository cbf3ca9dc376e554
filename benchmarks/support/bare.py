"""The limit of writing: rows of the index written with nothing else to do, by COPY or `executemany`."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from archive.index.schema import IndexRow

MOST_ROWS: Final = 500_000
ROWS_A_GAME: Final = 50
"""Games have about twice as many."""

_COLUMNS: Final = "key, played, slot, ply, move, flags, result"
_TABLE: Final = """
    CREATE TABLE {name} (key bigint NOT NULL, played integer NOT NULL, slot integer NOT NULL,
    ply smallint NOT NULL, move smallint NOT NULL, flags smallint NOT NULL, result smallint NOT NULL)
"""
_INDEX: Final = "CREATE UNIQUE INDEX {name}_key ON {name} (key, played, slot, ply, move)"


def seconds_of(rows: Sequence[IndexRow], *, indexed: bool = False) -> float:
    """How long it takes to write these rows, in their order, into an empty table and to commit that."""
    from django.db import connection, transaction

    from archive.index import postgresql

    name = f"bench_bare_{os.getpid()}"
    with connection.cursor() as cursor:
        for statement in (_TABLE, _INDEX) if indexed else (_TABLE,):
            cursor.execute(statement.format(name=name))
        begun = time.perf_counter()
        with transaction.atomic():
            if connection.vendor == "postgresql":
                postgresql.insert(cursor, rows, name)
            else:
                places = ", ".join(["%s"] * 7)
                cursor.executemany(f"INSERT INTO {name} ({_COLUMNS}) VALUES ({places})", rows)
        seconds = time.perf_counter() - begun
        cursor.execute(f"DROP TABLE {name}")
    return seconds


def rates() -> dict[str, float]:
    """Rows a second of up to `MOST_ROWS` rows of the archive, without and with the index."""
    from django.db import connection

    from archive.index.schema import IndexRow

    with connection.cursor() as cursor:
        # In the order of games, as a bare writer would get them; those of a large archive are not all sorted.
        cursor.execute(
            f"SELECT {_COLUMNS} FROM archive_occurrence WHERE slot < {MOST_ROWS // ROWS_A_GAME} "
            f"ORDER BY slot, ply LIMIT {MOST_ROWS}"
        )
        rows = [IndexRow(*row) for row in cursor.fetchall()]
    return {
        "bare, no index": len(rows) / seconds_of(rows),
        "bare, with the index": len(rows) / seconds_of(rows, indexed=True),
    }
