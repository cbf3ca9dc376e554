"""The index on PostgreSQL: a table partitioned by ranges of slots, written by COPY.

A partition is a segment. Inserts go into the index of the newest segment, whose size is bounded. There is no
default partition; the next segment is attached before it is needed, in a transaction of its own.

All locks are advisory and held to the end of the transaction: writers of rows take COUNTERS shared, promoting
a key takes it exclusively, attaching a segment takes SEGMENTS.

psycopg is imported on use, because archives on SQLite import this module too.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from django.db import transaction
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.index.schema import GameAtKey, IndexRow, Segment, Statement, Value, union_all
from archive.project.reading import connection

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.types.numeric import Int8

SEGMENT_GAMES = 500_000
"""Slots in a new segment; existing segments keep their bounds. Every query opens all segments, and inserts
touch the complete index of the newest one, about 6 kB a game: it should fit into shared_buffers."""

ROOM_GAMES: Final = 100_000
"""The next segment is attached when so many slots or fewer are free."""

EACH: Final = "{list} CROSS JOIN LATERAL (SELECT d.* FROM {table} d WHERE {on} OFFSET 0) d"
"""OFFSET 0 keeps the planner from making a join of it, which takes a hundred times as long for a hot
position. If `on` names a slot, each lookup reads one segment."""

CACHED_PLANS: Final = 40
"""Plans that a connection keeps, the latest used. A plan takes about 40 kB for each segment."""

JOIN: Final = "JOIN"
GAMES: Final = "CROSS JOIN LATERAL (SELECT g.* FROM archive_game g WHERE g.slot = d.slot OFFSET 0) g"
TABLES: Final = ("archive_occurrence",)

ARRAY: Final = "(SELECT %s::bigint[])"
"""The planner does not see the length of an array from a sub-SELECT. Otherwise plans made with the values
would seem cheaper each time, and no generic plan would be used."""

KEYS: Final = "unnest(%s::bigint[]) AS k(key)"
INDEX_KEYS: Final = KEYS
REMOTE_INDEX: Final = False

_COUNTERS_LOCK: Final = 0x6B696675_01
_SEGMENTS_LOCK: Final = 0x6B696675_02
_MARKS_LOCK: Final = 0x6B696675
"""Used with a mark: locks of two numbers never conflict with locks of one."""
_LOCK_MARKS: Final = "SELECT pg_advisory_xact_lock(%s, mark) FROM unnest(%s::int[]) AS marks(mark)"

_COLUMNS: Final = "key, played, slot, ply, move, flags, result"
_COPY: Final = f"COPY {{table}} ({_COLUMNS}) FROM STDIN (FORMAT BINARY)"
_COPY_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_COPY_TAIL: Final = struct.pack(">h", -1)
_COPY_ROW: Final = struct.Struct(">hiqiiiiihihihih")
"""The number of fields, then each one's length and value: int8, int4, int4, and four of int2."""
_COPY_BLOCK: Final = 4096

_OF_GAME: Final = "key = ANY(%s::bigint[]) AND played = %s AND slot = %s"
_DELETE: Final = f"DELETE FROM archive_occurrence WHERE {_OF_GAME} RETURNING {_COLUMNS}"
_DELETE_SLOT: Final = f"DELETE FROM archive_occurrence WHERE slot = %s RETURNING {_COLUMNS}"
_LOOK_UP: Final = """
    SELECT set_config('enable_mergejoin', %s, true), set_config('enable_hashjoin', %s, true),
        set_config('enable_seqscan', %s, true)
"""
_TAKE_OUT: Final = """
    WITH doomed AS (
        SELECT * FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS d(key, played, slot)
    ), gone AS (
        DELETE FROM archive_occurrence o USING doomed d
        WHERE o.key = d.key AND o.played = d.played AND o.slot = d.slot
        RETURNING o.*
    )
    SELECT count(*), NULL, NULL, NULL, NULL, NULL, NULL FROM gone
    UNION ALL
    SELECT o.key, o.played, o.slot, o.ply, o.move, o.flags, o.result
    FROM gone o JOIN archive_hotposition h ON h.key = o.key
"""
_SELECT: Final = f"SELECT {_COLUMNS} FROM archive_occurrence WHERE {_OF_GAME}"
_HOT: Final = "SELECT key FROM archive_hotposition WHERE key = ANY(%s::bigint[])"
_CROWDED: Final = """
    SELECT key FROM archive_occurrence WHERE key = ANY(%s::bigint[]) GROUP BY key HAVING count(*) >= %s
"""
_TAKE_SLOTS: Final = "SELECT nextval('archive_slot') FROM generate_series(1, %s)"
_NEXT_SLOT: Final = "SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM archive_slot"
_KEEP_SLOTS: Final = "SELECT setval('archive_slot', max(slot)) FROM archive_game HAVING max(slot) > 0"
_LAST_IDS: Final = """
    SELECT name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(name, 'id')::regclass), 0)
    FROM unnest(%s::text[]) AS tables(name)
"""
_KEEP_LAST_ID: Final = "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)"
_BOUND: Final = r"substring(pg_get_expr(c.relpartbound, c.oid) FROM '{word} \(''?(\d+)')::int"
_SEGMENTS: Final = """
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'archive_occurrence'::regclass
"""
_SEGMENTS_END: Final = f"SELECT coalesce(max({_BOUND.format(word='TO')}), 0) {_SEGMENTS}"
_ALL_SEGMENTS: Final = f"""
    SELECT c.relname, {_BOUND.format(word="FROM")} AS first, {_BOUND.format(word="TO")} {_SEGMENTS}
    ORDER BY first
"""
_BEGUN: Final = f"""
    SELECT c.relname {_SEGMENTS} AND c.reltuples < %s
    AND {_BOUND.format(word="FROM")} + %s <= %s AND {_BOUND.format(word="TO")} > %s
"""
_BEGUN_GAMES: Final = 64
"""A segment with so many games, and so at least as many rows, is in use."""
_ANALYZE: Final = """
    ANALYZE {segment}, archive_game, archive_gameplayer, archive_gameevent, archive_gameformation,
        archive_player, archive_event, archive_hotposition, archive_hotmove
"""

_SEGMENT_OPTIONS: Final = "autovacuum_vacuum_insert_scale_factor = 0.02"
"""Vacuum soon after inserts, so that queries use index-only scans."""

_DEADLOCK: Final = "40P01"
_SERIALIZATION: Final = "40001"
_NO_SEGMENT: Final = "23514"
"""Raised if no partition takes a row: many writers used up the free slots at once."""
_FOREIGN_KEY: Final = "23503"
"""The game of an entry was deleted before the commit."""
_UNIQUE: Final = "23505"
"""A replaced game got an identity that another writer was just inserting."""
_RETRIES: Final = {_DEADLOCK, _SERIALIZATION, _NO_SEGMENT, _FOREIGN_KEY, _UNIQUE}


def listed(numbers: Sequence[int]) -> list[int]:
    return [*numbers]


def fetch_prepared(sql: str, values: Sequence[Value], *, keep: bool = True) -> list[tuple[Any, ...]]:
    """Prepare the statement on its first use by this connection: planning takes longer than execution, and
    longer with each segment. The server plans it again if necessary, as after attaching a segment.

    Behind a pooler of transactions (settings) it is planned each time.
    """
    from psycopg import Cursor

    with connection.cursor() as cursor:
        if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            return _fetch(cursor, sql, [_plain(value) for value in values])
        driver: Connection[Any] = cursor.connection
        wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        # Django's own cursors put values into the text; the driver's cursors can prepare statements.
        driver.prepare_threshold, driver.prepared_max = 0 if keep else None, CACHED_PLANS
        try:
            with wrap(cast(Any, Cursor(driver))) as preparing:
                return _fetch(preparing, sql, typed(values))
        finally:
            driver.prepare_threshold = None


def fetch_all(statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    return fetch_prepared(*union_all(statements))


def key_lists(keys: Collection[int]) -> Sequence[Value]:
    return [[*keys]]


def materialized(
    pieces: Sequence[Statement], columns: Sequence[str], *, few: bool = False
) -> tuple[str, tuple[Value, ...]]:
    """Return the rows of the pieces themselves: index and catalogue are in one database."""
    return union_all(pieces, ", ".join(columns))


def _fetch(cursor: CursorWrapper, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    cursor.execute(sql, values)
    return list(cursor.fetchall())


def _plain(value: Value) -> int | str | list[int]:
    return value if isinstance(value, int | str) else [*value]


def typed(values: Sequence[Value]) -> list[Int8 | str | list[Int8]]:
    """Return all numbers as int8, since a statement is prepared for the types of its values."""
    from psycopg.types.numeric import Int8

    return [
        value if isinstance(value, str) else Int8(value) if isinstance(value, int) else [*map(Int8, value)]
        for value in values
    ]


_CANCELLED: Final = "57014"
_LIMIT_NOW: Final = "SELECT current_setting('statement_timeout')"
_SET_LIMIT: Final = "SELECT set_config('statement_timeout', %s, true)"


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Set the server's limit for each statement, in a transaction, since behind a pooler no setting may
    outlive one. After the time no further statement begins."""
    deadline = time.monotonic() + seconds

    def check_time(execute: Callable[..., Any], *statement: Any) -> Any:
        if time.monotonic() > deadline:
            raise TimeoutError
        return execute(*statement)

    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            before = _scalar_text(cursor, _LIMIT_NOW)
            cursor.execute(_SET_LIMIT, [str(max(1, int(seconds * 1000)))])
            with connection.execute_wrapper(check_time):
                yield
            cursor.execute(_SET_LIMIT, [before])
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None) == _CANCELLED:
            raise TimeoutError from error
        raise


def _scalar_text(cursor: CursorWrapper, sql: str) -> str:
    cursor.execute(sql)
    return str(cursor.fetchone()[0])


def make_room() -> None:
    """Attach segments until there is room after the next slot: three queries if there is room already.

    The server scans an empty segment sequentially, and cached plans would do so while the segment fills. So
    a segment that has got its first games is analyzed, after which plans are made anew.
    """
    with connection.cursor() as cursor:
        slot = _scalar(cursor, _NEXT_SLOT)
        cursor.execute(_BEGUN, [_BEGUN_GAMES, _BEGUN_GAMES, slot, slot])
        for (segment,) in cursor.fetchall():
            cursor.execute(_ANALYZE.format(segment=segment))
        if _has_room(cursor, slot):
            return
    attach_segments()


def attach_segments(games: int | None = None) -> None:
    """Attach segments of so many games until there is room after the next slot."""
    with connection.cursor() as cursor:
        if _has_room(cursor, _scalar(cursor, _NEXT_SLOT)):
            return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_SEGMENTS_LOCK])
        while not _has_room(cursor, _scalar(cursor, _NEXT_SLOT)):
            attach_segment(cursor, games)


def segments() -> Sequence[Segment]:
    with connection.cursor() as cursor:
        slot = _scalar(cursor, _NEXT_SLOT)
        cursor.execute(_ALL_SEGMENTS)
        return [
            Segment(name, start, end, min(max(0, slot - start), end - start))
            for name, start, end in cursor.fetchall()
        ]


def _scalar(cursor: CursorWrapper, sql: str) -> int:
    cursor.execute(sql)
    number: int = cursor.fetchone()[0]
    return number


def _has_room(cursor: CursorWrapper, slot: int) -> bool:
    return _scalar(cursor, _SEGMENTS_END) > slot + min(SEGMENT_GAMES, ROOM_GAMES)


def attach_segment(cursor: CursorWrapper, games: int | None = None) -> None:
    """Add a segment of so many games (None: `SEGMENT_GAMES`) after the last one, inside a transaction. With
    the CHECK, ATTACH does not scan the table."""
    start = _scalar(cursor, _SEGMENTS_END)
    end = start + (games or SEGMENT_GAMES)
    name = f"archive_occurrence_{start:010d}"
    cursor.execute(
        f"CREATE TABLE {name} (LIKE archive_occurrence INCLUDING ALL, "
        f"CONSTRAINT segment CHECK (slot >= {start} AND slot < {end})) WITH ({_SEGMENT_OPTIONS})"
    )
    cursor.execute(
        f"ALTER TABLE archive_occurrence ATTACH PARTITION {name} FOR VALUES FROM ({start}) TO ({end})"
    )
    cursor.execute(f"ALTER TABLE {name} DROP CONSTRAINT segment")


def lock_shared(cursor: CursorWrapper) -> None:
    cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [_COUNTERS_LOCK])


def lock_exclusive(cursor: CursorWrapper) -> None:
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_COUNTERS_LOCK])


lock_decided = lock_shared


def wait_decided(cursor: CursorWrapper) -> None:
    """Do nothing: committed rows are visible at once."""


def lock_marks(cursor: CursorWrapper, marks: Sequence[int]) -> None:
    cursor.execute(_LOCK_MARKS, [_MARKS_LOCK, list(marks)])


def take_slots(cursor: CursorWrapper, count: int) -> list[int]:
    """Take slots from a sequence. A failed transaction leaves a gap, which is harmless."""
    cursor.execute(_TAKE_SLOTS, [count])
    return sorted(slot for (slot,) in cursor.fetchall())


def insert(cursor: CursorWrapper, rows: Sequence[IndexRow], table: str = "archive_occurrence") -> None:
    """Insert rows by COPY; benchmarks use another `table`."""
    pack = _COPY_ROW.pack
    # Django does not convert the driver's errors of a COPY by itself.
    with connection.wrap_database_errors, cursor.copy(_COPY.format(table=table)) as copy:
        copy.write(_COPY_HEAD)
        for start in range(0, len(rows), _COPY_BLOCK):
            copy.write(
                b"".join(
                    pack(7, 8, key, 4, played, 4, slot, 2, ply, 2, move, 2, flags, 2, result)
                    for key, played, slot, ply, move, flags, result in rows[start : start + _COPY_BLOCK]
                )
            )
        copy.write(_COPY_TAIL)


def delete(cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
    cursor.execute(_DELETE, [list(keys), played, slot])
    return [IndexRow(*row) for row in cursor.fetchall()]


def delete_slot(cursor: CursorWrapper, slot: int) -> list[IndexRow]:
    cursor.execute(_DELETE_SLOT, [slot])
    return [IndexRow(*row) for row in cursor.fetchall()]


def delete_places(cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
    """Force lookups: for thousands of places the planner would scan the index of a segment. Arrays are
    formatted here, which is faster than the driver's check of every number."""
    columns = [f"{{{','.join(map(str, column))}}}" for column in zip(*places, strict=True)] or ["{}"] * 3
    cursor.execute(_LOOK_UP, ["off"] * 3)
    cursor.execute(_TAKE_OUT, columns)
    ((total, *_), *warm) = cursor.fetchall()
    cursor.execute(_LOOK_UP, ["on"] * 3)
    return total, [IndexRow(*row) for row in warm]


def select(cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
    cursor.execute(_SELECT, [list(keys), played, slot])
    return [IndexRow(*row) for row in cursor.fetchall()]


def hot_keys(cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
    cursor.execute(_HOT, [list(keys)])
    return {key for (key,) in cursor.fetchall()}


def keys_with_rows(cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
    cursor.execute(_CROWDED, [list(keys), rows])
    return {key for (key,) in cursor.fetchall()}


def revision() -> object:
    """Return the number of transactions that changed visible data. Triggers count them, each transaction in a
    row of its own, so that none waits for another."""
    if connection.in_atomic_block:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(times) FROM archive_changes")
        return cursor.fetchone()


def lasting_revision() -> object:
    """Return the same: the counting rows are part of the database."""
    return revision()


@contextmanager
def snapshot() -> Iterator[None]:
    """Read in a transaction that sees only what was committed before its first query."""
    with transaction.atomic(using=connection.alias, durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def load_alone(cursor: CursorWrapper, tables: Sequence[str]) -> None:
    """Lock tables against writers, and check foreign keys at once: deferred checks take memory for each
    row."""
    cursor.execute(f"LOCK TABLE {', '.join(tables)} IN EXCLUSIVE MODE")
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def last_ids(tables: Collection[str]) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(_LAST_IDS, [list(tables)])
        return dict(cursor.fetchall())


def advance_ids(cursor: CursorWrapper, last: Mapping[str, int]) -> None:
    cursor.executemany(_KEEP_LAST_ID, [(table, pk) for table, pk in last.items() if pk])


def reserve_slots(cursor: CursorWrapper) -> None:
    """Continue the sequence after the highest slot, even if the transaction fails, and attach the segments up
    to there."""
    reserve_slots_with(cursor, make_room)


def reserve_slots_with(cursor: CursorWrapper, attach: Callable[[], None]) -> None:
    """Do the same, with segments that `attach` attaches."""
    cursor.execute(_KEEP_SLOTS)
    attach()


def may_retry(error: DatabaseError) -> bool:
    """Return whether it is a deadlock, or an error that is due to the order of transactions."""
    return getattr(error.__cause__, "sqlstate", None) in _RETRIES
