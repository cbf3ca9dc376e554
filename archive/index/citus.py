"""The index on PostgreSQL with Citus, an extension that spreads tables over servers.

The index is spread over shards by key, records and series by game, the bytes of uploads by upload. Everything
else is on the coordinator, to which every process connects. All rows of a key are in one shard, so a
statement about one key goes to one shard. Its rows are carried to the coordinator's tables, and lists of the
coordinator to the shards, as arrays. A statement that goes to shards costs more than the lookup itself, and
more with each shard. So counters, which nearly every query reads, are on the coordinator.

Shards have no common snapshot: counts are consistent for each key by itself. A transaction that wrote to
several servers commits in two phases: once all are prepared, the coordinator commits, then each of them. If a
server fails in between, its prepared rows stay invisible until they are recovered, which Citus does every
minute. So functions that count, compare or delete rows recover them first.
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
from archive.index.schema import GameAtKey, IndexRow, Statement, Value
from archive.project.reading import connection

if TYPE_CHECKING:
    from psycopg import Connection


def __getattr__(name: str) -> Any:
    """Take everything that this module does not define from `postgresql`."""
    return getattr(postgresql, name)


REMOTE_INDEX: Final = True
KEYS: Final = f"unnest({postgresql.ARRAY}) AS k(key)"
INDEX_KEYS: Final = "(SELECT %s::bigint AS key) k"
"""One key, so that a statement goes to one shard and its plan can be kept."""

SPREAD: Final = (
    ("archive_occurrence", "key", None),
    ("archive_gamerecord", "game_id", None),
    ("archive_gameseries", "game_id", "archive_gamerecord"),
    ("archive_uploadchunk", "upload_id", None),
)
"""The spread tables, each with its column and the table it is colocated with."""

_SHARDS: Final = "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = %s::regclass"
DECIDED_SECONDS: Final = 2.0
"""A transaction that is being committed has ended after so long."""
_POLL_SECONDS: Final = 0.05
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
    """Return over how many shards a table is spread; 0 if it is on one server, or if there is no Citus."""
    if not _has_citus(cursor):
        return 0
    cursor.execute(_SHARDS, [table])
    return int(cursor.fetchone()[0])


def set_up_session(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Note on a new connection over how many shards the archive is spread, and set up its session: a plan
    without values is usable only if it goes to one shard."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('archive_occurrence') IS NOT NULL")
        number = connection.settings_dict["SHARDS"] = shards(cursor) if cursor.fetchone()[0] else 0
        if number and _pooled(connection):
            _check_setting(cursor)
            return
        for setting in _SETTINGS if number else ():
            cursor.execute(setting)


def _pooled(connection: BaseDatabaseWrapper) -> bool:
    return bool(connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"))


def _check_setting(cursor: CursorWrapper) -> None:
    """Raise ImproperlyConfigured unless the database has the setting: a pooler gives sessions to others, so
    `set_up_session` cannot set it."""
    cursor.execute("SELECT current_setting('citus.multi_shard_modify_mode', true)")
    if cursor.fetchone()[0] != "sequential":
        raise ImproperlyConfigured(
            "behind a pooler of transactions an archive in shards needs ALTER DATABASE ... SET "
            "citus.multi_shard_modify_mode = 'sequential' on the coordinator, and the pooler started anew"
        )


def is_distributed() -> bool:
    """Return whether the archive was spread over shards when this process last connected; connect first if
    necessary."""
    if connection.connection is None:
        connection.ensure_connection()
    return was_distributed()


def was_distributed() -> bool:
    """Return what `is_distributed` would, without connecting; False before the first connection."""
    return bool(connection.settings_dict.get("SHARDS"))


class NoCitusError(Exception):
    """The archive cannot be spread over shards: its database is not a coordinator of Citus, has no nodes for
    shards, is behind a pooler, or does not let us recover prepared transactions."""


def distribute(number: int) -> list[str]:
    """Spread the tables that are not spread yet over that many shards; return their names.

    Each table is copied in a transaction of its own, so an interrupted command can be repeated. Raises
    NoCitusError.
    """
    done = []
    with connection.cursor() as cursor:
        _check_nodes(cursor)
        cursor.execute("SET citus.multi_shard_modify_mode = 'sequential'")
        for table, column, colocated in SPREAD:
            if shards(cursor, table):
                continue
            options = "colocate_with := %s" if colocated else "colocate_with := 'none', shard_count := %s"
            cursor.execute(
                f"SELECT create_distributed_table(%s, %s, {options})", [table, column, colocated or number]
            )
            cursor.execute("SELECT truncate_local_data_after_distributing_table(%s)", [table])
            done.append(table)
    set_up_session(connection)
    return done


def undo() -> list[str]:
    """Bring the tables that are spread over shards back to the coordinator; return their names. Raises
    NoCitusError."""
    done = []
    with connection.cursor() as cursor:
        _check_citus(cursor)
        for table, _, _ in reversed(SPREAD):
            if shards(cursor, table):
                cursor.execute("SELECT undistribute_table(%s)", [table])
                done.append(table)
    set_up_session(connection)
    return done


def _check_citus(cursor: CursorWrapper) -> None:
    if _pooled(connection):
        raise NoCitusError("DATABASE_URL leads to a pooler: this needs the coordinator itself")
    if connection.vendor != "postgresql" or not _has_citus(cursor):
        raise NoCitusError("this database has no extension citus: CREATE EXTENSION citus, and add its nodes")


def _has_citus(cursor: CursorWrapper) -> bool:
    cursor.execute("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
    return bool(cursor.fetchone()[0])


def _check_nodes(cursor: CursorWrapper) -> None:
    _check_citus(cursor)
    cursor.execute("SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards")
    if not cursor.fetchone()[0]:
        raise NoCitusError("no node takes shards: SELECT citus_add_node(...) on the coordinator")
    if not may_recover(cursor):
        raise NoCitusError(f"{connection.settings_dict['USER']} may not recover transactions: {GRANT}")


def may_recover(cursor: CursorWrapper) -> bool:
    """Return whether we are allowed to recover prepared transactions."""
    cursor.execute(_MAY_RECOVER)
    return bool(cursor.fetchone()[0])


def fetch_all(statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    """Send all statements before waiting for the first answer. Behind a pooler, send one after the other."""
    from psycopg import Cursor

    if len(statements) < 2 or _pooled(connection):
        return [row for sql, values in statements for row in postgresql.fetch_prepared(sql, values)]
    driver: Connection[Any] = connection.connection
    driver.prepare_threshold, driver.prepared_max = 0, postgresql.CACHED_PLANS
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
    """Lock as PostgreSQL does, and make everything committed visible on all servers."""
    postgresql.lock_exclusive(cursor)
    try:
        cursor.execute("SELECT recover_prepared_transactions()")
    except DatabaseError as error:
        # The pooled connection leads to a server that is unreachable now.
        if is_unreachable(error) or _without_code(error):
            raise UndecidedError(str(error).strip()) from error
        raise
    wait_decided(cursor)


def wait_decided(cursor: CursorWrapper) -> None:
    """Wait until the transactions that are prepared now have ended. Raises UndecidedError."""
    pending, deadline = _undecided(cursor), time.monotonic() + DECIDED_SECONDS
    while pending and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        pending &= _undecided(cursor)
    if pending:
        raise UndecidedError(f"not known to have ended: transactions {', '.join(sorted(pending))}")


lock_decided = lock_exclusive


def _undecided(cursor: CursorWrapper) -> set[str]:
    """Return the prepared transactions of all servers. Raises UndecidedError if one does not answer."""
    cursor.execute(_PREPARED)
    transactions = set()
    for node, succeeded, result in cursor.fetchall():
        if not succeeded:
            raise UndecidedError(f"no answer from {node}: {result}")
        transactions |= {f"{name} on {node}" for name in result.split()}
    return transactions


def key_lists(keys: Collection[int]) -> Sequence[Value]:
    return [*keys]


def materialized(
    pieces: Sequence[Statement], columns: Sequence[str], *, few: bool = False
) -> tuple[str, tuple[Value, ...]]:
    """Carry rows as one array per column, as text that is never parsed here. `few` rows are fetched
    themselves: a statement without aggregates is planned faster."""
    carries = f"SELECT * FROM {unnest(columns, 'u')}"
    if few:
        rows = fetch_all(pieces)
        numbers = zip(*rows, strict=True) if rows else ((),) * len(columns)
        return carries, tuple(f"{{{','.join(map(str, column))}}}" for column in numbers)
    arrays = ", ".join(f"coalesce(array_agg(x.{column}), '{{}}')::text" for column in columns)
    parts = fetch_all([(f"SELECT {arrays} FROM ({text}) x", values) for text, values in pieces])
    return carries, tuple(map(_joined_arrays, zip(*parts, strict=True))) or ("{}",) * len(columns)


def unnest(columns: Sequence[str], alias: str) -> str:
    return f"unnest({', '.join([postgresql.ARRAY] * len(columns))}) AS {alias}({', '.join(columns)})"


def may_retry(error: DatabaseError) -> bool:
    """Also retry if a node refused rows copied to it: Citus passes the node's error on without its code, so
    it may be a deadlock or a missing segment."""
    return postgresql.may_retry(error) or _without_code(error)


def _without_code(error: DatabaseError) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == _WITHOUT_CODE


def _joined_arrays(texts: Sequence[str]) -> str:
    return f"{{{','.join(text[1:-1] for text in texts if text != '{}')}}}"


def reserve_slots(cursor: CursorWrapper) -> None:
    postgresql.reserve_slots_with(cursor, make_room)


def make_room() -> None:
    """Attach larger segments than PostgreSQL: each shard has a part of every segment. The coordinator's
    statistics do not show how full a segment is."""
    postgresql.attach_segments(postgresql.SEGMENT_GAMES * int(connection.settings_dict["SHARDS"]))


def delete_places(cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
    """Delete game by game: a list of places in many shards cannot be joined with the rows there."""
    by_game = sorted(places, key=lambda place: place[1:])
    removed: list[IndexRow] = []
    for (played, slot), group in groupby(by_game, key=lambda place: place[1:]):
        removed += postgresql.delete(cursor, [key for key, _, _ in group], played, slot)
    hot = postgresql.hot_keys(cursor, {row.key for row in removed}) if removed else set()
    return len(removed), [row for row in removed if row.key in hot]
