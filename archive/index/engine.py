"""One interface for what the database engines do differently; all other SQL runs on all of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, cast

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.index import citus, postgresql, sqlite
from archive.index.schema import Asking, GameAtKey, IndexRow, Segment, Value
from archive.project.reading import connection


class Engine(Protocol):
    """Implemented by the modules `sqlite`, `postgresql` and `citus`. What takes a cursor runs inside a
    transaction."""

    EACH: str
    """FROM clause, with places for `list` and `table` and for the condition `on` that ties rows d of the
    table to the list's: one lookup for each item in the order of the list, never a join of two scans."""

    GAMES: str
    """What follows a list under the alias d in a FROM clause to look up the game g of each of its rows, in
    the order of the list: never all games to find those of the list among them."""

    JOIN: str
    """The word between a few rows and the large table in which each of them is looked up."""

    TABLES: Sequence[str]
    """What holds the rows of the index. A join that begins with a list has to ask each by itself: in front of
    a view of several, SQLite forgets which side to read first."""

    KEYS: str
    """What a statement of `fetch_prepared` reads a list of keys from, as k(key); one value, the list."""

    def listed(self, numbers: Sequence[int]) -> Value:
        """Return numbers as the value of `KEYS`, in any statement."""

    def fetch_prepared(
        self, sql: str, values: Sequence[Value], *, keep: bool = True
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a statement that is the same for all questions of its kind: its plan is kept,
        unless hardly anybody asks the same again: those that are kept are few.

        The plan is made without the values. So the order of its loops must not depend on them: it is fixed by
        `EACH`, by scalar subqueries in place of joins, and by limits, which have to be values: PostgreSQL
        then reads in the order of the index. With a limit in the text it would count on few rows and sort.
        """

    def fetch_all(self, statements: Sequence[Asking]) -> list[tuple[Any, ...]]:
        """Return the rows of several such statements with the same columns, one after the other: of one
        state of the database, where it has one for all keys."""

    KEYS_ASKED: str
    """What a statement about the index reads the keys of one of `key_lists` from, as k(key)."""

    APART: bool
    """Whether the index lies on other servers than the catalogue."""

    def key_lists(self, keys: Collection[int]) -> Sequence[Value]:
        """Return keys in parts, of each of which one statement about the index can ask."""

    def carried(
        self, pieces: Sequence[Asking], columns: Sequence[str], *, few: bool = False
    ) -> tuple[str, tuple[Value, ...]]:
        """Return rows of one side, the index or the catalogue of games and lists, as SELECT of a question to
        the other, with its values. `pieces` are SELECTs of numbers in these columns, all of them together the
        rows, in the order of these columns; `few` where these are a page at most. Nothing else brings the two
        sides together: they may lie on different servers."""

    def time_limit(self, seconds: float) -> AbstractContextManager[None]:
        """End what the body asks after so long, also many short statements; raise TimeoutError then."""

    def make_room(self) -> None:
        """See to it, before a transaction that inserts, that its slots have a place."""

    def segments(self) -> Sequence[Segment]:
        """Return the parts of the index by slots; none where any slot has its place."""

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
        """Keep these marks, 32-bit numbers, ascending, from everybody else until the transaction ends."""

    def take_slots(self, cursor: CursorWrapper, count: int) -> list[int]:
        """Return slots that no other game has or gets, ascending."""

    def insert(self, cursor: CursorWrapper, rows: Sequence[IndexRow]) -> None:
        """Add rows that are sorted."""

    def delete(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
        """Remove a game's rows under these keys and return them."""

    def take_out(self, cursor: CursorWrapper, places: Sequence[GameAtKey]) -> tuple[int, list[IndexRow]]:
        """Remove the rows at these places, which are sorted; return how many they were, and those of hot
        keys."""

    def delete_slot(self, cursor: CursorWrapper, slot: int) -> list[IndexRow]:
        """Remove a game's rows whatever their keys and return them; reads a whole segment."""

    def select(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[IndexRow]:
        """Return a game's rows under these keys. A lookup for each: without the day all rows under frequent
        keys would be read."""

    def hot(self, cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
        """Return those of the keys that have counters."""

    def crowded(self, cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
        """Return those of the keys that have at least so many rows."""

    def revision(self) -> object:
        """Return what is another one as soon as anybody has committed a change of what is shown, as long as
        this process lives; None inside a transaction, whose own changes are nobody else's yet."""

    def lasting_revision(self) -> object:
        """Return what is another one as soon as anybody has committed a change, in all processes alike and
        beyond their lives; it may also be another one without a change. None inside a transaction."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Have all that the body reads be of one moment, whoever writes meanwhile. Nobody waits for it; the
        body may not write. Not within a transaction."""

    def load_alone(self, cursor: CursorWrapper, tables: Sequence[str]) -> None:
        """Keep everybody else from writing to tables until the transaction ends, and see to it that checking
        what rows refer to takes no memory."""

    def last_ids(self, tables: Collection[str]) -> dict[str, int]:
        """Return the largest ids that were ever given in tables that give them; 0 where none was."""

    def give_ids_after(self, cursor: CursorWrapper, last: Mapping[str, int]) -> None:
        """See to it that tables give no id up to these again."""

    def keep_slots(self, cursor: CursorWrapper) -> None:
        """See to it, within a transaction, that the slots of stored games have a place, and that no other
        game gets them."""

    def may_retry(self, error: DatabaseError) -> bool:
        """Return whether the same transaction can succeed when it is run again."""


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
