"""One interface to the SQL that differs between database engines; all other SQL runs on all of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, cast

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.index import citus, postgresql, sqlite
from archive.index.schema import GameAtKey, IndexRow, Segment, Statement, Value
from archive.project.reading import connection


class Engine(Protocol):
    """Implemented by the modules `sqlite`, `postgresql` and `citus`. Functions with a cursor run inside a
    transaction."""

    EACH: str
    """A FROM clause with the fields `list`, `table` and `on`, the condition that joins rows d of the table to
    the list: one lookup for each item in the order of the list, never a join of two scans."""

    GAMES: str
    """Continues a FROM clause with a list d: looks up the game g of each row, in the order of the list; never
    scans all games."""

    JOIN: str
    """Joins a few rows with a large table, by lookups in the large one."""

    TABLES: Sequence[str]
    """The tables of the index. A join that begins with a list names each of them: with a view of several
    tables, SQLite changes the order of the join."""

    KEYS: str
    """A FROM item k(key) with a list of keys, which is one value of a statement of `fetch_prepared`."""

    def listed(self, numbers: Sequence[int]) -> Value:
        """Return numbers as the value of `KEYS` for a cursor's own `execute`."""

    def fetch_prepared(
        self, sql: str, values: Sequence[Value], *, keep: bool = True
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a prepared statement. With `keep` the connection keeps its plan. A connection
        has room for few plans, so pass False for a statement that is seldom repeated.

        The plan is made without the values. So the order of its loops must not depend on them: it is fixed by
        `EACH`, by scalar subqueries in place of joins, and by limits, which must be values: PostgreSQL then
        reads in the order of the index. With a limit in the text it would expect few rows and sort.
        """

    def fetch_all(self, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
        """Return the rows of several such statements with the same columns, one after the other; in one
        snapshot, unless the index is remote."""

    INDEX_KEYS: str
    """A FROM item k(key) with the keys of one of `key_lists`, for a statement about the index."""

    REMOTE_INDEX: bool
    """Whether the index is on other servers than the catalogue."""

    def key_lists(self, keys: Collection[int]) -> Sequence[Value]:
        """Return keys in groups, one for each statement about the index."""

    def materialized(
        self, pieces: Sequence[Statement], columns: Sequence[str], *, few: bool = False
    ) -> tuple[str, tuple[Value, ...]]:
        """Return rows of the index as a SELECT for a statement about the catalogue, or the other way round,
        with its values. Statements join the two in no other way, since they may be on different servers.

        `pieces` are SELECTs of integers with these columns in this order; the rows are their union. `few`
        says that they are one page at most.
        """

    def time_limit(self, seconds: float) -> AbstractContextManager[None]:
        """Limit the total time of the body's statements. Raises TimeoutError."""

    def make_room(self) -> None:
        """Attach segments for new slots, before a transaction that inserts."""

    def segments(self) -> Sequence[Segment]:
        """Return the segments of the index; none if the engine has no segments."""

    def lock_shared(self, cursor: CursorWrapper) -> None:
        """Keep keys from being promoted until the transaction ends, without blocking other writers."""

    def lock_exclusive(self, cursor: CursorWrapper) -> None:
        """Block all other writers to the index until the transaction ends, and see all committed rows. Raises
        UndecidedError."""

    def lock_decided(self, cursor: CursorWrapper) -> None:
        """Keep keys from being promoted until the transaction ends, and see all committed rows. Blocks other
        writers only with a remote index. Raises UndecidedError."""

    def wait_decided(self, cursor: CursorWrapper) -> None:
        """Wait until all rows are visible that visible counters count. Raises UndecidedError."""

    def lock_marks(self, cursor: CursorWrapper, marks: Sequence[int]) -> None:
        """Lock these marks, ascending 32-bit numbers, until the transaction ends."""

    def take_slots(self, cursor: CursorWrapper, count: int) -> list[int]:
        """Return new unique slots, ascending."""

    def insert(self, cursor: CursorWrapper, rows: Sequence[IndexRow]) -> None:
        """Add rows that are sorted."""

    def delete(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
        """Remove a game's rows under these keys and return them."""

    def delete_places(self, cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
        """Remove the rows at these places, which are sorted; return their number, and the removed rows of hot
        keys."""

    def delete_slot(self, cursor: CursorWrapper, slot: int) -> list[IndexRow]:
        """Remove a game's rows under all keys and return them; scans a segment."""

    def select(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
        """Return a game's rows under these keys, by one lookup for each key. The lookup needs the day:
        without it all rows of a frequent key would be read."""

    def hot_keys(self, cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
        """Return the keys that have counters."""

    def keys_with_rows(self, cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
        """Return the keys that have at least `rows` rows."""

    def revision(self) -> object:
        """Return a value that changes with every commit of visible data while this process runs; None inside
        a transaction."""

    def lasting_revision(self) -> object:
        """Return such a value that is the same in all processes and after restarts; it may also change
        without a commit. None inside a transaction."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Let the body read one snapshot, without blocking writers. The body must not write, and there must
        be no transaction."""

    def load_alone(self, cursor: CursorWrapper, tables: Sequence[str]) -> None:
        """Lock tables against writers until the transaction ends, and check foreign keys without using
        memory for each row."""

    def last_ids(self, tables: Collection[str]) -> dict[str, int]:
        """Return the largest id that each table has ever assigned; 0 if none."""

    def advance_ids(self, cursor: CursorWrapper, last: Mapping[str, int]) -> None:
        """Make tables assign only ids above these."""

    def reserve_slots(self, cursor: CursorWrapper) -> None:
        """Reserve the slots of stored games, and attach segments for them."""

    def may_retry(self, error: DatabaseError) -> bool:
        """Return whether the transaction may succeed if it is retried."""


class RemoteEngine(Engine, Protocol):
    """An engine whose index is on other servers than the catalogue. Implemented by `citus`."""

    def unnest(self, columns: Sequence[str], alias: str) -> str:
        """Return a FROM item whose values are one array for each column, as text: `{1,2}`."""


def engine() -> Engine:
    """Return the module for the configured database. Raise ImproperlyConfigured for any other engine."""
    if connection.vendor == "sqlite":
        return cast(Engine, sqlite)
    if connection.vendor != "postgresql":
        raise ImproperlyConfigured(f"the archive runs on SQLite and PostgreSQL, not {connection.vendor}")
    return remote_engine() or cast(Engine, postgresql)


def remote_engine() -> RemoteEngine | None:
    """Return the module for the configured database if its index is on other servers."""
    return cast(RemoteEngine, citus) if connection.vendor == "postgresql" and citus.is_distributed() else None
