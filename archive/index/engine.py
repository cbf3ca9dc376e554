"""What the database engines do differently, behind one interface; all other SQL runs on both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, cast

from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.index import postgresql, sqlite
from archive.index.schema import Row


class Engine(Protocol):
    """Implemented by the modules `sqlite` and `postgresql`. All but `make_room` run inside a transaction."""

    PROBED: str
    """FROM clause, with places for `list` (its alias being l) and `key`: the rows d of each game of a list
    under a key, one lookup each in the order of the list, never a join of two scans."""

    def make_room(self) -> None:
        """Before a transaction that inserts: see to it that its slots have a place."""

    def lock_shared(self, cursor: CursorWrapper) -> None:
        """Until the end of the transaction no key is promoted; other writers go on."""

    def lock_exclusive(self, cursor: CursorWrapper) -> None:
        """Until the end of the transaction nobody else writes to the index."""

    def lock_games(self, cursor: CursorWrapper, marks: Sequence[int]) -> None:
        """Until the end of the transaction nobody else has any of these marks, 32-bit numbers, ascending."""

    def take_slots(self, cursor: CursorWrapper, count: int) -> list[int]:
        """Slots that no other game has or gets, ascending."""

    def insert(self, cursor: CursorWrapper, rows: Sequence[Row]) -> None:
        """Add rows that are sorted."""

    def delete(self, cursor: CursorWrapper, keys: Collection[int], played: int, slot: int) -> list[Row]:
        """Remove a game's rows under these keys and return them."""

    def delete_slot(self, cursor: CursorWrapper, slot: int) -> list[Row]:
        """Remove a game's rows whatever their keys and return them; reads a whole segment."""

    def select(self, cursor: CursorWrapper, keys: Collection[int], slot: int) -> list[Row]:
        """A game's rows under these keys."""

    def hot(self, cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
        """Those of the keys that have counters."""

    def crowded(self, cursor: CursorWrapper, keys: Collection[int], rows: int) -> set[int]:
        """Those of the keys that have at least so many rows."""

    def may_retry(self, error: DatabaseError) -> bool:
        """Whether the same transaction can succeed when it is run again."""


_ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def engine() -> Engine:
    """The module for the configured database; raises ImproperlyConfigured for any other engine."""
    try:
        return cast(Engine, _ENGINES[connection.vendor])
    except KeyError:
        raise ImproperlyConfigured(
            f"the archive runs on SQLite and PostgreSQL, not {connection.vendor}"
        ) from None
