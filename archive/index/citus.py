"""The index on PostgreSQL with Citus, an extension that spreads tables over servers.

Index and counters lie in shards by key, records and series by game, the bytes of uploads by upload; all else
is the coordinator's, to which every process speaks. A key has all its rows and counters in one shard, and a
statement about one key goes there. What it finds is carried to the coordinator's tables, and their lists to
it, as arrays.

Shards have no common state: an answer holds for each key by itself. What is not said here is as on
PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from itertools import groupby
from typing import Any, Final, cast

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from archive.index import postgresql
from archive.index.postgresql import (
    EACH,
    GAMES,
    JOIN,
    KEPT_PLANS,
    KEYS,
    TABLES,
    crowded,
    delete,
    delete_slot,
    fetch_prepared,
    hot,
    insert,
    lasting_revision,
    listed,
    lock_exclusive,
    lock_games,
    lock_shared,
    may_retry,
    revision,
    segments,
    select,
    take_slots,
    time_limit,
)
from archive.index.schema import Asking, GameAtKey, IndexRow, Value
from archive.reading import connection

__all__ = [
    "APART", "EACH", "GAMES", "JOIN", "KEYS", "KEYS_ASKED", "TABLES", "carried", "crowded", "delete",
    "delete_slot", "fetch_all", "fetch_prepared", "hot", "insert", "key_lists", "lasting_revision", "listed",
    "lock_exclusive", "lock_games", "lock_shared", "make_room", "may_retry", "revision", "segments", "select",
    "take_out", "take_slots", "time_limit",
]  # fmt: skip

APART: Final = True
KEYS_ASKED: Final = "(SELECT %s::bigint AS key) k"
"""One key: so a statement goes to one shard, and its plan can be kept."""

SPREAD: Final = (
    ("archive_occurrence", "key", None),
    ("archive_hotposition", "key", "archive_occurrence"),
    ("archive_hotmove", "key", "archive_occurrence"),
    ("archive_gamerecord", "game_id", None),
    ("archive_gameseries", "game_id", "archive_gamerecord"),
    ("archive_uploadchunk", "upload_id", None),
)
"""Tables that lie in shards: by which column, and beside the shards of which table."""

_KNOWN: Final = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
_SHARDS: Final = "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = %s::regclass"
# One shard after the other: a transaction that writes rows and counters has to find both on one connection.
_SETTINGS: Final = "SET plan_cache_mode = auto", "SET citus.multi_shard_modify_mode = 'sequential'"


def shards(cursor: CursorWrapper, table: str = "archive_occurrence") -> int:
    """Return in how many shards a table lies; none where it lies on one server, or there is no Citus."""
    cursor.execute(_KNOWN)
    if not cursor.fetchone()[0]:
        return 0
    cursor.execute(_SHARDS, [table])
    return int(cursor.fetchone()[0])


def greet(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """See on a new connection whether the archive lies in shards, and tell the server how to work then: a
    plan is kept without its values only where it goes to one shard."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('archive_occurrence') IS NOT NULL")
        found = shards(cursor) if cursor.fetchone()[0] else 0
        connection.settings_dict["SHARDS"] = found
        for setting in _SETTINGS if found else ():
            cursor.execute(setting)


def is_distributed() -> bool:
    """Tell whether the archive of this connection lies in shards, as it was when the connection was made."""
    if connection.connection is None:
        connection.ensure_connection()
    return bool(connection.settings_dict.get("SHARDS"))


class NoCitusError(Exception):
    """The database is no coordinator of Citus, or has no nodes for shards."""


def distribute(number: int) -> list[str]:
    """Put the tables into so many shards that are not yet; return which these were.

    Each is one transaction that copies its rows, so that what was interrupted goes on with the next table.
    Raises NoCitusError.
    """
    done = []
    with connection.cursor() as cursor:
        _need_nodes(cursor)
        cursor.execute("SET citus.multi_shard_modify_mode = 'sequential'")
        for table, column, beside in SPREAD:
            if shards(cursor, table):
                continue
            if beside is None:
                cursor.execute(
                    "SELECT create_distributed_table(%s, %s, colocate_with := 'none', shard_count := %s)",
                    [table, column, number],
                )
            else:
                cursor.execute(
                    "SELECT create_distributed_table(%s, %s, colocate_with := %s)", [table, column, beside]
                )
            cursor.execute("SELECT truncate_local_data_after_distributing_table(%s)", [table])
            done.append(table)
    greet(connection)
    return done


def undo() -> list[str]:
    """Bring the tables that lie in shards back to the coordinator; return which these were. Raises
    NoCitusError."""
    done = []
    with connection.cursor() as cursor:
        _need_citus(cursor)
        for table, _, _ in reversed(SPREAD):
            if shards(cursor, table):
                cursor.execute("SELECT undistribute_table(%s)", [table])
                done.append(table)
    greet(connection)
    return done


def _need_citus(cursor: CursorWrapper) -> None:
    found = False
    if connection.vendor == "postgresql":
        cursor.execute(_KNOWN)
        (found,) = cursor.fetchone()
    if not found:
        raise NoCitusError("this database has no extension citus: CREATE EXTENSION citus, and add its nodes")


def _need_nodes(cursor: CursorWrapper) -> None:
    _need_citus(cursor)
    cursor.execute("SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards")
    if not cursor.fetchone()[0]:
        raise NoCitusError("no node takes shards: SELECT citus_add_node(...) on the coordinator")


def fetch_all(statements: Sequence[Asking]) -> list[tuple[Any, ...]]:
    """Send all statements before the first answer is waited for. Behind a pooler one follows the other."""
    pooled = connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    if len(statements) < 2 or pooled:
        return [row for sql, values in statements for row in fetch_prepared(sql, values)]
    driver: psycopg.Connection[Any] = connection.connection
    driver.prepare_threshold, driver.prepared_max = 0, KEPT_PLANS
    try:
        with connection.wrap_database_errors, driver.pipeline(), ExitStack() as stack:
            cursors = []
            for sql, values in statements:
                cursor = stack.enter_context(connection.make_cursor(cast(Any, psycopg.Cursor(driver))))
                cursor.execute(sql, postgresql.typed(values))
                cursors.append(cursor)
            return [row for cursor in cursors for row in cursor.fetchall()]
    finally:
        driver.prepare_threshold = None


def key_lists(keys: Collection[int]) -> Sequence[Value]:
    return [*keys]


def carried(pieces: Sequence[Asking], columns: Sequence[str]) -> tuple[str, tuple[Value, ...]]:
    """Carry rows as one array a column, as texts that nobody reads on the way."""
    arrays = ", ".join(f"coalesce(array_agg(x.{column}), '{{}}')::text" for column in columns)
    found = fetch_all([(f"SELECT {arrays} FROM ({text}) x", values) for text, values in pieces])
    whole = (_one_array(texts) for texts in zip(*found, strict=True)) if found else ["{}"] * len(columns)
    places = ", ".join(["%s::bigint[]"] * len(columns))
    return f"SELECT * FROM unnest({places}) AS u({', '.join(columns)})", (*whole,)


def _one_array(texts: Sequence[str]) -> str:
    return f"{{{','.join(text[1:-1] for text in texts if text != '{}')}}}"


def make_room() -> None:
    """Attach segments until there is room after the next slot. Since a shard has a part of each, it takes as
    many times more games; how full it is, the coordinator's statistics do not tell."""
    postgresql.attach_segments(postgresql.SEGMENT_GAMES * int(connection.settings_dict["SHARDS"]))


def take_out(cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
    """Take games out one by one: a list of places in many shards cannot be joined with the rows there."""
    by_game = sorted(places, key=lambda place: place[1:])
    removed: list[IndexRow] = []
    for (played, slot), mine in groupby(by_game, key=lambda place: place[1:]):
        removed += delete(cursor, [key for key, _, _ in mine], played, slot)
    warm = hot(cursor, {row.key for row in removed}) if removed else set()
    return len(removed), [row for row in removed if row.key in warm]
