"""The index on SQLite: two tables WITHOUT ROWID behind a view, one writer at a time.

Keys are spread evenly, so the rows of a few hundred games touch most pages of a large table. So rows go into
a small table first, `recent`, and are moved from there to the large one, `settled`, a range of keys at a
time: each transaction touches only a small part of that. The view `archive_occurrence` is the union of both.

Transactions are IMMEDIATE (settings), so a writing transaction holds the only write lock from its start,
which serves as both locks of `engine.Engine`.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, cast

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError, OperationalError

from archive.index.schema import GameAtKey, IndexRow, Segment, Statement, Value, union_all

EACH: Final = "{list} CROSS JOIN {table} d ON {on}"
"""SQLite never reorders a CROSS JOIN."""

JOIN: Final = "CROSS JOIN"
GAMES: Final = "CROSS JOIN archive_game g ON g.slot = d.slot"

KEYS: Final = "(SELECT value AS key FROM json_each(%s)) k"
INDEX_KEYS: Final = KEYS
REMOTE_INDEX: Final = False

RECENT_ROWS: Final = 500_000
"""Rows of the small table, those of about 4,500 games: 16 MB. A batch of 300 games touches all of it, and a
fifteenth of the large one."""

RECENT: Final = "archive_occurrence_recent"
SETTLED: Final = "archive_occurrence_settled"
TABLES: Final = (RECENT, SETTLED)

_COLUMNS: Final = "key, played, slot, ply, move, flags, result"
_INSERT: Final = f"INSERT INTO {RECENT} ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s)"
_NOTE: Final = "UPDATE archive_occurrence_settling SET recent = recent + %s"
_STATE: Final = "SELECT recent, next FROM archive_occurrence_settling"
_UP_TO: Final = f"SELECT key FROM {RECENT} WHERE key > %s ORDER BY key LIMIT 1 OFFSET %s"
_STRETCH: Final = f"FROM {RECENT} WHERE key BETWEEN %s AND %s"
_SETTLE: Final = (
    f"INSERT INTO {SETTLED} ({_COLUMNS}) SELECT {_COLUMNS} {_STRETCH} ORDER BY key, played, slot, ply, move"
)
_SETTLED: Final = f"DELETE {_STRETCH}"
_GO_ON: Final = "UPDATE archive_occurrence_settling SET recent = recent - %s, next = %s"
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1

_IN_KEYS: Final = "key IN (SELECT value FROM json_each(%s))"
_OF_GAME: Final = f"{_IN_KEYS} AND played = %s AND slot = %s"
_DELETE: Final = f"DELETE FROM {{table}} WHERE {_OF_GAME} RETURNING {_COLUMNS}"
_DELETE_SLOT: Final = f"DELETE FROM {{table}} WHERE slot = %s RETURNING {_COLUMNS}"
_SELECT: Final = f"SELECT {_COLUMNS} FROM archive_occurrence WHERE {_OF_GAME}"
_DOOMED: Final = """
    CREATE TEMP TABLE IF NOT EXISTS doomed (
        key bigint, played integer, slot integer, PRIMARY KEY (key, played, slot)
    ) WITHOUT ROWID
"""
_NONE_DOOMED: Final = "DELETE FROM temp.doomed"
_DOOM: Final = "INSERT INTO temp.doomed (key, played, slot) VALUES (%s, %s, %s)"
_DOOMED_HOT: Final = """
    SELECT o.key, o.played, o.slot, o.ply, o.move, o.flags, o.result
    FROM temp.doomed d
    CROSS JOIN archive_hotposition h ON h.key = d.key
    CROSS JOIN {table} o ON o.key = d.key AND o.played = d.played AND o.slot = d.slot
"""
_DELETE_PLACE: Final = "DELETE FROM {table} WHERE key = %s AND played = %s AND slot = %s"
_KEYED: Final = " UNION ALL ".join(
    f"SELECT d.key FROM {EACH.format(list=KEYS, table=table, on='d.key = k.key')}" for table in TABLES
)
_CROWDED: Final = f"""
    SELECT key FROM ({_KEYED})
    GROUP BY key HAVING count(*) >= %s
"""
_HOT: Final = f"SELECT key FROM archive_hotposition WHERE {_IN_KEYS}"
_LAST_IDS: Final = "SELECT name, seq FROM sqlite_sequence"
_NO_LAST_ID: Final = "DELETE FROM sqlite_sequence WHERE name = %s"
_KEEP_LAST_ID: Final = "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)"
_NEXT_SLOT: Final = """
    SELECT max(
        (SELECT coalesce(max(slot), 0) FROM archive_game),
        (SELECT coalesce(max(slot), 0) FROM archive_columngone),
        (SELECT coalesce(max(last), 0) FROM archive_columnsegment)
    ) + 1
"""


def listed(numbers: Sequence[int]) -> str:
    return json.dumps([*numbers])


def fetch_prepared(sql: str, values: Sequence[Value], *, keep: bool = True) -> list[tuple[Any, ...]]:
    """Leave caching to the driver, which keeps the latest statements of a connection."""
    with connection.cursor() as cursor:
        cursor.execute(sql, [value if isinstance(value, int | str) else listed(value) for value in values])
        return list(cursor.fetchall())


def fetch_all(statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    return fetch_prepared(*union_all(statements))


def key_lists(keys: Collection[int]) -> Sequence[Value]:
    return [[*keys]]


def materialized(
    pieces: Sequence[Statement], columns: Sequence[str], *, few: bool = False
) -> tuple[str, tuple[Value, ...]]:
    """Return the rows of the pieces themselves: index and catalogue are in one database."""
    return union_all(pieces, ", ".join(columns))


_OPCODES: Final = 20_000
"""Steps of SQLite's virtual machine between two checks of the time: about a millisecond."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Check the time in SQLite's progress handler, and before each statement."""
    deadline = time.monotonic() + seconds
    connection.ensure_connection()
    driver: sqlite3.Connection = connection.connection
    driver.set_progress_handler(lambda: time.monotonic() > deadline, _OPCODES)

    def check_time(execute: Callable[..., Any], *statement: Any) -> Any:
        if time.monotonic() > deadline:
            raise TimeoutError
        return execute(*statement)

    try:
        with connection.execute_wrapper(check_time):
            yield
    except OperationalError as error:
        if time.monotonic() > deadline:
            raise TimeoutError from error
        raise
    finally:
        driver.set_progress_handler(None, 0)


def make_room() -> None:
    """Do nothing: SQLite has no segments."""


def segments() -> Sequence[Segment]:
    return ()


def lock_shared(cursor: CursorWrapper) -> None:
    """Do nothing: the transaction is the lock, and committed rows are visible at once."""


lock_exclusive = lock_decided = wait_decided = lock_shared


def lock_marks(cursor: CursorWrapper, marks: Sequence[int]) -> None:
    """Do nothing: the transaction is the lock."""


def take_slots(cursor: CursorWrapper, count: int) -> list[int]:
    """Return the slots after the highest of games and column files. Nobody else can take them before the
    commit."""
    cursor.execute(_NEXT_SLOT)
    first: int = cursor.fetchone()[0]
    return list(range(first, first + count))


def insert(cursor: CursorWrapper, rows: Sequence[IndexRow]) -> None:
    cursor.executemany(_INSERT, rows)
    cursor.execute(_NOTE, [len(rows)])
    _settle(cursor)


def _settle(cursor: CursorWrapper) -> None:
    """Move surplus rows from the small table to the large one: those of the next keys, in turn."""
    cursor.execute(_STATE)
    recent, first = cursor.fetchone()
    if recent <= RECENT_ROWS:
        return
    cursor.execute(_UP_TO, [first, recent - RECENT_ROWS])
    row = cursor.fetchone()
    last = row[0] if row else _HIGHEST
    cursor.execute(_SETTLE, [first, last])
    cursor.execute(_SETTLED, [first, last])
    cursor.execute(_GO_ON, [cursor.rowcount, last + 1 if last < _HIGHEST else _LOWEST])


def delete(cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
    return _delete(cursor, _DELETE, [listed([*keys]), played, slot])


def delete_slot(cursor: CursorWrapper, slot: int) -> list[IndexRow]:
    return _delete(cursor, _DELETE_SLOT, [slot])


def _delete(cursor: CursorWrapper, statement: str, values: Sequence[int | str]) -> list[IndexRow]:
    cursor.execute(statement.format(table=RECENT), values)
    recent = cursor.fetchall()
    cursor.execute(_NOTE, [-len(recent)])
    cursor.execute(statement.format(table=SETTLED), values)
    return [IndexRow(*row) for row in (*recent, *cursor.fetchall())]


def delete_places(cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
    """Delete place by place. For a list of places SQLite would use only the key, and read all of its
    games."""
    cursor.execute(_DOOMED)
    cursor.execute(_NONE_DOOMED)
    hot = hot_keys(cursor, {key for key, _, _ in places})
    cursor.executemany(_DOOM, [place for place in places if place[0] in hot])
    removed, removed_hot = [], list[IndexRow]()
    for table in TABLES:
        if hot:
            cursor.execute(_DOOMED_HOT.format(table=table))
            removed_hot += [IndexRow(*row) for row in cursor.fetchall()]
        cursor.executemany(_DELETE_PLACE.format(table=table), places)
        removed.append(max(0, cursor.rowcount))
    cursor.execute(_NOTE, [-removed[TABLES.index(RECENT)]])
    cursor.execute(_NONE_DOOMED)
    return sum(removed), removed_hot


def select(cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
    cursor.execute(_SELECT, [listed([*keys]), played, slot])
    return [IndexRow(*row) for row in cursor.fetchall()]


def hot_keys(cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
    cursor.execute(_HOT, [listed([*keys])])
    return {key for (key,) in cursor.fetchall()}


def keys_with_rows(cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
    cursor.execute(_CROWDED, [*[listed([*keys])] * len(TABLES), rows])
    return {key for (key,) in cursor.fetchall()}


def revision() -> object:
    """Return the triggers' count of changes of visible data, read on a connection of its own, outside of any
    transaction."""
    if connection.in_atomic_block:
        return None
    key = (os.getpid(), str(connection.settings_dict["NAME"]))
    with _connections_lock:
        if key not in _connections:
            _connections[key] = sqlite3.connect(key[1], check_same_thread=False)
        return key, _connections[key].execute("SELECT times FROM archive_changes").fetchone()


def lasting_revision() -> object:
    """Return the count and the file of the database: a restored file may repeat a count."""
    if connection.in_atomic_block:
        return None
    _key, times = cast(tuple[object, object], revision())
    return Path(str(connection.settings_dict["NAME"])).stat().st_ino, times


_connections: Final[dict[tuple[int, str], sqlite3.Connection]] = {}
_connections_lock: Final = Lock()


@contextmanager
def snapshot() -> Iterator[None]:
    """Read in a transaction that takes no lock: Django's would block all writers. Until its end the
    write-ahead log grows by what they write."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def load_alone(cursor: CursorWrapper, tables: Sequence[str]) -> None:
    """Do nothing: the transaction is the lock, and pending foreign keys are only counted."""


def last_ids(tables: Collection[str]) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(_LAST_IDS)
        assigned = dict(cursor.fetchall())
    return {table: assigned.get(table, 0) for table in tables}


def advance_ids(cursor: CursorWrapper, last: Mapping[str, int]) -> None:
    cursor.executemany(_NO_LAST_ID, [(table,) for table in last])
    cursor.executemany(_KEEP_LAST_ID, [*last.items()])


def reserve_slots(cursor: CursorWrapper) -> None:
    """Do nothing: the next slot follows from the highest in use."""


def may_retry(error: DatabaseError) -> bool:
    """Return False: writers wait for each other and never conflict."""
    return False
