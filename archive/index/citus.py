"""The index on PostgreSQL with Citus, an extension that spreads tables over servers.

The index is spread over shards by key, records and series by game, the bytes of uploads by upload. Everything
else is on the coordinator, to which every process connects. All rows of a key are in one shard, and a
statement about one key goes there. What it finds is carried to the coordinator's tables, and lists of the
coordinator to the shards, as arrays. A statement that goes to shards costs more than the lookup itself, and
more with each shard that it goes to. So counters, which nearly every question asks for, are on the
coordinator.

Shards have no common state: an answer is right for each key by itself. A transaction that wrote to several
servers commits in two phases: once all are prepared, the coordinator commits, then each of them. A server
that goes away in between does not know of the commit when it comes back: what is prepared there stays
invisible until it is recovered, which Citus itself does every minute. So functions that count, compare or
take out what others wrote have it recovered first.

Everything that this module does not define is as on PostgreSQL.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, cast

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.index import postgresql
from archive.index.availability import UndecidedError, is_unreachable
from archive.index.postgresql import (
    ARRAY,
    EACH,
    GAMES,
    JOIN,
    KEPT_PLANS,
    TABLES,
    advance_ids,
    delete,
    delete_slot,
    fetch_prepared,
    hot_keys,
    insert,
    keys_with_rows,
    last_ids,
    lasting_revision,
    listed,
    load_alone,
    lock_games,
    lock_shared,
    revision,
    segments,
    select,
    snapshot,
    take_slots,
    time_limit,
    unnest,
)
from archive.index.schema import GameAtKey, IndexRow, Statement, Value
from archive.project.reading import connection

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = [
    "EACH",
    "GAMES",
    "INDEX_KEYS",
    "JOIN",
    "KEYS",
    "REMOTE_INDEX",
    "TABLES",
    "advance_ids",
    "delete",
    "delete_places",
    "delete_slot",
    "fetch_all",
    "fetch_prepared",
    "hot_keys",
    "insert",
    "key_lists",
    "keys_with_rows",
    "last_ids",
    "lasting_revision",
    "listed",
    "load_alone",
    "lock_decided",
    "lock_exclusive",
    "lock_games",
    "lock_shared",
    "make_room",
    "materialized",
    "may_retry",
    "reserve_slots",
    "revision",
    "segments",
    "select",
    "snapshot",
    "take_slots",
    "time_limit",
    "unnest",
    "wait_decided",
]  # fmt: skip

REMOTE_INDEX: Final = True
KEYS: Final = f"unnest({ARRAY}) AS k(key)"
INDEX_KEYS: Final = "(SELECT %s::bigint AS key) k"
"""One key, so that a statement goes to one shard and its plan can be kept."""

SPREAD: Final = (
    ("archive_occurrence", "key", None),
    ("archive_gamerecord", "game_id", None),
    ("archive_gameseries", "game_id", "archive_gamerecord"),
    ("archive_uploadchunk", "upload_id", None),
)
"""Tables that are spread: by which column, and colocated with which table."""

_KNOWN: Final = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
_SHARDS: Final = "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = %s::regclass"
DECIDED_SECONDS: Final = 2.0
"""Transactions that others are just committing have ended after so long."""
_LOOK_SECONDS: Final = 0.05
_PREPARED: Final = """
    SELECT nodename || ':' || nodeport, success, result FROM run_command_on_workers($$
        SELECT coalesce(string_agg(gid, ' '), '') FROM pg_prepared_xacts
        WHERE database = current_database() AND starts_with(gid, 'citus_')
    $$)
"""
_MAY_RECOVER: Final = "SELECT has_function_privilege('recover_prepared_transactions()', 'EXECUTE')"
GRANT: Final = (
    "GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO that role, as the coordinator's superuser"
)
_WITHOUT_CODE: Final = "XX000"
# One shard after the other: a transaction that writes rows has to find them again on one connection.
_SETTINGS: Final = "SET plan_cache_mode = auto", "SET citus.multi_shard_modify_mode = 'sequential'"


def shards(cursor: CursorWrapper, table: str = "archive_occurrence") -> int:
    """Return over how many shards a table is spread; 0 if it lies on one server, or if there is no Citus."""
    cursor.execute(_KNOWN)
    if not cursor.fetchone()[0]:
        return 0
    cursor.execute(_SHARDS, [table])
    return int(cursor.fetchone()[0])


def set_up_session(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Find out on a new connection whether the archive is spread over shards, and set the session up for
    that.

    A plan is kept without its values only if it goes to one shard.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('archive_occurrence') IS NOT NULL")
        found = shards(cursor) if cursor.fetchone()[0] else 0
        connection.settings_dict["SHARDS"] = found
        if found and _pooled(connection):
            _need_setting(cursor)
            return
        for setting in _SETTINGS if found else ():
            cursor.execute(setting)


def _pooled(connection: BaseDatabaseWrapper) -> bool:
    return bool(connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"))


def _need_setting(cursor: CursorWrapper) -> None:
    """Check that the server itself has a setting that sessions are otherwise given by `set_up_session`.

    Behind a pooler that would set it for somebody else's session. Raises ImproperlyConfigured.
    """
    cursor.execute("SELECT current_setting('citus.multi_shard_modify_mode', true)")
    if cursor.fetchone()[0] != "sequential":
        raise ImproperlyConfigured(
            "behind a pooler of transactions an archive in shards needs ALTER DATABASE ... SET "
            "citus.multi_shard_modify_mode = 'sequential' on the coordinator, and the pooler started anew"
        )


def is_distributed() -> bool:
    """Tell whether the archive of this connection was spread over shards when the connection was made."""
    if connection.connection is None:
        connection.ensure_connection()
    return is_known_distributed()


def is_known_distributed() -> bool:
    """Tell the same for the latest connection of this process, without making a new one."""
    return bool(connection.settings_dict.get("SHARDS"))


class NoCitusError(Exception):
    """The archive cannot be spread over shards.

    The database is not a coordinator of Citus, has no nodes for shards, is behind a pooler, or does not allow
    us to recover prepared transactions.
    """


def distribute(number: int) -> list[str]:
    """Spread the tables over that many shards, unless they are already; return the names of those that were
    not.

    Each table is one transaction, which copies its rows, so after an interruption it goes on with the next
    table. Raises NoCitusError.
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
    set_up_session(connection)
    return done


def undo() -> list[str]:
    """Bring the tables that are spread over shards back to the coordinator; return their names.

    Raises NoCitusError.
    """
    done = []
    with connection.cursor() as cursor:
        _need_citus(cursor)
        for table, _, _ in reversed(SPREAD):
            if shards(cursor, table):
                cursor.execute("SELECT undistribute_table(%s)", [table])
                done.append(table)
    set_up_session(connection)
    return done


def _need_citus(cursor: CursorWrapper) -> None:
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        raise NoCitusError("DATABASE_URL leads to a pooler: this needs the coordinator itself")
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
    if not may_recover(cursor):
        raise NoCitusError(f"{connection.settings_dict['USER']} may not recover transactions: {GRANT}")


def may_recover(cursor: CursorWrapper) -> bool:
    """Tell whether we are allowed to recover prepared transactions."""
    cursor.execute(_MAY_RECOVER)
    return bool(cursor.fetchone()[0])


def fetch_all(statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    """Send all statements before waiting for the first answer. Behind a pooler, send one after the other."""
    from psycopg import Cursor

    if len(statements) < 2 or _pooled(connection):
        return [row for sql, values in statements for row in fetch_prepared(sql, values)]
    driver: Connection[Any] = connection.connection
    driver.prepare_threshold, driver.prepared_max = 0, KEPT_PLANS
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    try:
        with connection.wrap_database_errors, driver.pipeline(), ExitStack() as stack:
            cursors = []
            for sql, values in statements:
                cursor = stack.enter_context(wrap(cast(Any, Cursor(driver))))
                cursor.execute(sql, postgresql.typed(values))
                cursors.append(cursor)
            return [row for cursor in cursors for row in cursor.fetchall()]
    finally:
        driver.prepare_threshold = None


def lock_exclusive(cursor: CursorWrapper) -> None:
    """Do as on PostgreSQL, and make sure that everything committed is visible on all servers.

    Raises UndecidedError.
    """
    postgresql.lock_exclusive(cursor)
    try:
        cursor.execute("SELECT recover_prepared_transactions()")
    except DatabaseError as error:
        # A kept connection leads to a server that is gone.
        if is_unreachable(error) or _without_code(error):
            raise UndecidedError(str(error).strip()) from error
        raise
    wait_decided(cursor)


def wait_decided(cursor: CursorWrapper) -> None:
    """Wait until the transactions that are prepared now have ended.

    Those that the coordinator has committed end as soon as it has told the nodes. Raises UndecidedError.
    """
    left, until = _undecided(cursor), time.monotonic() + DECIDED_SECONDS
    while left and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)
        left &= _undecided(cursor)
    if left:
        raise UndecidedError(f"not known to have ended: transactions {', '.join(sorted(left))}")


lock_decided = lock_exclusive


def _undecided(cursor: CursorWrapper) -> set[str]:
    """Return the prepared transactions of all servers.

    Raises UndecidedError if one of them does not answer.
    """
    cursor.execute(_PREPARED)
    found = set()
    for node, answered, told in cursor.fetchall():
        if not answered:
            raise UndecidedError(f"no answer from {node}: {told}")
        found |= {f"{name} on {node}" for name in told.split()}
    return found


def key_lists(keys: Collection[int]) -> Sequence[Value]:
    return [*keys]


def materialized(
    pieces: Sequence[Statement], columns: Sequence[str], *, few: bool = False
) -> tuple[str, tuple[Value, ...]]:
    """Carry rows as one array per column, in text form that is passed on unread.

    A few rows are carried as they are, since a statement that does nothing else is planned faster.
    """
    carries = f"SELECT * FROM {unnest(columns, 'u')}"
    if few:
        rows = fetch_all(pieces)
        numbers = zip(*rows, strict=True) if rows else ((),) * len(columns)
        return carries, tuple(f"{{{','.join(map(str, column))}}}" for column in numbers)
    arrays = ", ".join(f"coalesce(array_agg(x.{column}), '{{}}')::text" for column in columns)
    found = fetch_all([(f"SELECT {arrays} FROM ({text}) x", values) for text, values in pieces])
    whole = (_one_array(texts) for texts in zip(*found, strict=True)) if found else ["{}"] * len(columns)
    return carries, (*whole,)


def may_retry(error: DatabaseError) -> bool:
    """Return whether an error may be retried: as on PostgreSQL, or if a node refused rows copied to it.

    Citus passes the node's error on without its code, so it may be a missing segment as well as a deadlock.
    """
    return postgresql.may_retry(error) or _without_code(error)


def _without_code(error: DatabaseError) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == _WITHOUT_CODE


def _one_array(texts: Sequence[str]) -> str:
    return f"{{{','.join(text[1:-1] for text in texts if text != '{}')}}}"


def reserve_slots(cursor: CursorWrapper) -> None:
    postgresql.reserve_slots_with(cursor, make_room)


def make_room() -> None:
    """Attach segments until there is room after the next slot.

    Each shard has a part of every segment, so a segment holds that many times more games. The coordinator's
    statistics do not show how full it is.
    """
    postgresql.attach_segments(postgresql.SEGMENT_GAMES * int(connection.settings_dict["SHARDS"]))


def delete_places(cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
    """Take games out one by one: a list of places in many shards cannot be joined with the rows there."""
    by_game = sorted(places, key=lambda place: place[1:])
    removed: list[IndexRow] = []
    for (played, slot), mine in groupby(by_game, key=lambda place: place[1:]):
        removed += delete(cursor, [key for key, _, _ in mine], played, slot)
    warm = hot_keys(cursor, {row.key for row in removed}) if removed else set()
    return len(removed), [row for row in removed if row.key in warm]
