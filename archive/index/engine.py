"""One interface for what the database engines do differently; all other SQL runs on all of them."""

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
    """Implemented by the modules `sqlite`, `postgresql` and `citus`. What takes a cursor runs inside a
    transaction."""

    EACH: str
    """FROM clause, with places for `list` and `table` and for the condition `on` that ties rows d of the
    table to the list's: one lookup for each item in the order of the list, never a join of two scans."""

    GAMES: str
    """What follows a list d in a FROM clause to look up the game g of each of its rows, in the order of the
    list; never a scan of all games."""

    JOIN: str
    """The join of a few rows with a large table, as lookups in the large one."""

    TABLES: Sequence[str]
    """The tables of the index. A join that begins with a list has to name each of them: with a view of
    several tables, SQLite does not keep the order of the join."""

    KEYS: str
    """A FROM item for a list of keys, as k(key), in a statement of `fetch_prepared`; its value is the
    list."""

    def listed(self, numbers: Sequence[int]) -> Value:
        """Return numbers as the value of `KEYS`, in any statement."""

    def fetch_prepared(
        self, sql: str, values: Sequence[Value], *, keep: bool = True
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a prepared statement. With `keep` the connection keeps its plan; it keeps few,
        so statements that are seldom repeated should not.

        The plan is made without the values. So the order of its loops must not depend on them: it is fixed by
        `EACH`, by scalar subqueries in place of joins, and by limits, which have to be values: PostgreSQL
        then reads in the order of the index. With a limit in the text it would count on few rows and sort.
        """

    def fetch_all(self, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
        """Return the rows of several such statements with the same columns, one after the other; in one
        snapshot, where the database has one for all keys."""

    INDEX_KEYS: str
    """A FROM item for the keys of one of `key_lists`, as k(key), in a statement about the index."""

    REMOTE_INDEX: bool
    """Whether the index is on other servers than the catalogue."""

    def key_lists(self, keys: Collection[int]) -> Sequence[Value]:
        """Return keys in groups, each small enough for one statement about the index."""

    def materialized(
        self, pieces: Sequence[Statement], columns: Sequence[str], *, few: bool = False
    ) -> tuple[str, tuple[Value, ...]]:
        """Return rows of the index as a SELECT for a statement about the catalogue, or the other way round,
        with its values. `pieces` are SELECTs of integers with these columns in this order; the rows are their
        union. `few`: the rows are a page at most. Statements join the two sides in no other way, since they
        may be on different servers."""

    def unnest(self, columns: Sequence[str], alias: str) -> str:
        """Return a FROM item whose rows are arrays as text, one a column. Only where `REMOTE_INDEX`."""

    def time_limit(self, seconds: float) -> AbstractContextManager[None]:
        """Limit the time of all statements of the body together; raise TimeoutError beyond it."""

    def make_room(self) -> None:
        """Attach segments for new slots, before a transaction that inserts."""

    def segments(self) -> Sequence[Segment]:
        """Return the segments of the index; none if the engine has no segments."""

    def lock_shared(self, cursor: CursorWrapper) -> None:
        """Keep keys from being promoted until the transaction ends; other writers go on."""

    def lock_exclusive(self, cursor: CursorWrapper) -> None:
        """Keep everybody else from writing to the index until the transaction ends. Raises UndecidedError."""

    def lock_decided(self, cursor: CursorWrapper) -> None:
        """Keep keys from being promoted until the transaction ends, and see to it that all that was committed
        is seen: where nothing else can be, other writers go on. Raises UndecidedError."""

    def wait_decided(self, cursor: CursorWrapper) -> None:
        """Wait until the rows of all whose counters are seen are seen, too. Raises UndecidedError."""

    def lock_games(self, cursor: CursorWrapper, marks: Sequence[int]) -> None:
        """Lock these marks, ascending 32-bit numbers, until the transaction ends."""

    def take_slots(self, cursor: CursorWrapper, count: int) -> list[int]:
        """Return new unique slots, ascending."""

    def insert(self, cursor: CursorWrapper, rows: Sequence[IndexRow]) -> None:
        """Add rows that are sorted."""

    def delete(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
        """Remove a game's rows under these keys and return them."""

    def delete_places(self, cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
        """Remove the rows at these places, which are sorted; return how many they were, and those of hot
        keys."""

    def delete_slot(self, cursor: CursorWrapper, slot: int) -> list[IndexRow]:
        """Remove a game's rows whatever their keys and return them; reads a whole segment."""

    def select(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
        """Return a game's rows under these keys. A lookup for each: without the day all rows under frequent
        keys would be read."""

    def hot_keys(self, cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
        """Return those of the keys that have counters."""

    def keys_with_rows(self, cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
        """Return those of the keys that have at least so many rows."""

    def revision(self) -> object:
        """Return a value that changes with every committed change of visible data, within the life of this
        process; None inside a transaction."""

    def lasting_revision(self) -> object:
        """Return a value that changes with every committed change, the same in all processes and after
        restarts; it may also change without one. None inside a transaction."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Let the body read one snapshot, without blocking writers. The body may not write. Not within a
        transaction."""

    def load_alone(self, cursor: CursorWrapper, tables: Sequence[str]) -> None:
        """Lock tables against writers until the transaction ends, and check foreign keys without using
        memory for each row."""

    def last_ids(self, tables: Collection[str]) -> dict[str, int]:
        """Return the largest id that each table has ever assigned; 0 if none."""

    def advance_ids(self, cursor: CursorWrapper, last: Mapping[str, int]) -> None:
        """Let tables assign ids above these only."""

    def reserve_slots(self, cursor: CursorWrapper) -> None:
        """Attach segments for the slots of stored games, and reserve these slots, within a transaction."""

    def may_retry(self, error: DatabaseError) -> bool:
        """Return whether the transaction may succeed if it is retried."""


_ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def engine() -> Engine:
    """Return the module for the configured database. Raise ImproperlyConfigured for any other engine."""
    try:
        if connection.vendor == "postgresql" and citus.is_distributed():
            return cast(Engine, citus)
        return cast(Engine, _ENGINES[connection.vendor])
    except KeyError:
        raise ImproperlyConfigured(
            f"the archive runs on SQLite and PostgreSQL, not {connection.vendor}"
        ) from None
