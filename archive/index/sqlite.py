"""The index on SQLite: one table WITHOUT ROWID, one writer at a time.

Transactions are IMMEDIATE (settings), so each one that writes holds the only write lock from its start:
that is both of the locks of `engine.Engine`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.index.schema import Row, Value

EACH: Final = "{list} CROSS JOIN {table} d ON {on}"
"""To SQLite a CROSS JOIN says which table to read first."""

KEYS: Final = "(SELECT value AS key FROM json_each(%s)) k"

_COLUMNS: Final = "key, played, slot, ply, move, flags, result"
_INSERT: Final = f"INSERT INTO archive_occurrence ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s)"
_AMONG: Final = "key IN (SELECT value FROM json_each(%s))"
_OF_GAME: Final = f"{_AMONG} AND played = %s AND slot = %s"
_DELETE: Final = f"DELETE FROM archive_occurrence WHERE {_OF_GAME} RETURNING {_COLUMNS}"
_DELETE_SLOT: Final = f"DELETE FROM archive_occurrence WHERE slot = %s RETURNING {_COLUMNS}"
_SELECT: Final = f"SELECT {_COLUMNS} FROM archive_occurrence WHERE {_AMONG} AND slot = %s"
_HOT: Final = f"SELECT key FROM archive_hotposition WHERE {_AMONG}"
_CROWDED: Final = f"SELECT key FROM archive_occurrence WHERE {_AMONG} GROUP BY key HAVING count(*) >= %s"
_NEXT_SLOT: Final = "SELECT coalesce(max(slot), 0) + 1 FROM archive_game"


def fetch_prepared(sql: str, values: Sequence[Value]) -> list[tuple[Any, ...]]:
    """The driver keeps the latest statements of a connection."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql, [value if isinstance(value, int | str) else json.dumps([*value]) for value in values]
        )
        return list(cursor.fetchall())


def make_room() -> None:
    """One table takes all slots."""


def lock_shared(cursor: CursorWrapper) -> None:
    """The transaction is the lock."""


def lock_exclusive(cursor: CursorWrapper) -> None:
    """The transaction is the lock."""


def lock_games(cursor: CursorWrapper, marks: Sequence[int]) -> None:
    """The transaction is the lock."""


def take_slots(cursor: CursorWrapper, count: int) -> list[int]:
    """The slots after the highest in use: nobody else can take them before the commit."""
    cursor.execute(_NEXT_SLOT)
    first: int = cursor.fetchone()[0]
    return list(range(first, first + count))


def insert(cursor: CursorWrapper, rows: Sequence[Row]) -> None:
    cursor.executemany(_INSERT, rows)


def delete(cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[Row]:
    cursor.execute(_DELETE, [json.dumps(list(keys)), played, slot])
    return [Row(*row) for row in cursor.fetchall()]


def delete_slot(cursor: CursorWrapper, slot: int) -> list[Row]:
    cursor.execute(_DELETE_SLOT, [slot])
    return [Row(*row) for row in cursor.fetchall()]


def select(cursor: CursorWrapper, keys: Collection[int], slot: int) -> list[Row]:
    cursor.execute(_SELECT, [json.dumps(list(keys)), slot])
    return [Row(*row) for row in cursor.fetchall()]


def hot(cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
    cursor.execute(_HOT, [json.dumps(list(keys))])
    return {key for (key,) in cursor.fetchall()}


def crowded(cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
    cursor.execute(_CROWDED, [json.dumps(list(keys)), rows])
    return {key for (key,) in cursor.fetchall()}


def may_retry(error: DatabaseError) -> bool:
    """Writers wait for each other, they cannot collide."""
    return False
