"""Keyset pages of games: newest or oldest first, games without a day last in both.

A page costs the same however deep it lies. Ties of a day are in the order of the slots.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Generic, Literal, NamedTuple, TypeVar

from django.core.signing import BadSignature, Signer

T = TypeVar("T")
Order = Literal["newest", "oldest"]

LARGEST: Final = 500
"""Items a page has at most."""

_END: Final = 2**31 - 1
"""Above every day and slot."""


class InvalidCursorError(ValueError):
    """The cursor was not made here, or for another order."""


class Place(NamedTuple):
    """Where a page ended. `way` tells apart a game's rows under several keys."""

    played: int
    slot: int
    way: int = 0


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items, and the cursor of those after them; None on the last page."""

    items: tuple[T, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Phase:
    """One part of a listing: games with a day, or those without.

    `keyset(way)` is the condition on played and slot that continues after the place, with its parameters;
    `order` the ORDER BY of the two columns.
    """

    after: Place
    known: bool
    descending: bool

    def keyset(self, way: int = 0, alias: str = "d") -> tuple[str, list[int]]:
        sign = "<" if self.descending else ">"
        if way > self.after.way:
            sign += "="
        day = f"{alias}.played {'>' if self.known else '='} 0"
        place = f"({alias}.played, {alias}.slot)"
        return f"{day} AND {place} {sign} (%s, %s)", [self.after.played, self.after.slot]

    @property
    def order(self) -> str:
        return "played DESC, slot DESC" if self.descending else "played, slot"

    def by(self, alias: str) -> str:
        """The same of a table's columns."""
        return ", ".join(f"{alias}.{column}" for column in self.order.split(", "))


def phases(order: Order, cursor: str | None) -> Iterator[Phase]:
    """The parts of a listing from the cursor on. Raises InvalidCursorError, ValueError for another order."""
    if order not in ("newest", "oldest"):
        raise ValueError(f"order is newest or oldest, not {order!r}")
    descending = order == "newest"
    after = None if cursor is None else read_cursor(cursor, order)
    # No row has the way of a beginning, so a beginning excludes nothing.
    beginning = Place(_END, _END, _END) if descending else Place(0, 0, _END)
    if after is None or after.played:
        yield Phase(after or beginning, True, descending)
        yield Phase(Place(0, _END, _END) if descending else Place(0, 0, _END), False, descending)
    else:
        yield Phase(after, False, descending)


def write_cursor(place: Place, order: Order) -> str:
    """A page's end as text that cannot be made up."""
    text = urlsafe_b64encode(json.dumps([*place]).encode()).decode()
    return Signer(salt=f"games {order}").sign(text)


def read_cursor(cursor: str, order: Order) -> Place:
    """The place that `write_cursor` wrote; raises InvalidCursorError."""
    try:
        text = Signer(salt=f"games {order}").unsign(cursor)
    except BadSignature:
        raise InvalidCursorError(f"this cursor was not made here, or not for {order} first") from None
    return Place(*json.loads(urlsafe_b64decode(text)))


def paged(
    order: Order,
    cursor: str | None,
    limit: int,
    fetch: Callable[[Phase, int], tuple[Sequence[T], Place | None]],
    place: Callable[[T], Place],
) -> Page[T]:
    """A page out of `fetch(phase, how many)`, called once or twice, which gives items and, if it stopped
    looking before it had enough, the place up to which it looked."""
    if not 1 <= limit <= LARGEST:
        raise ValueError(f"a page has 1 to {LARGEST} items, not {limit}")
    items: list[T] = []
    stop: Place | None = None
    for phase in phases(order, cursor):
        if len(items) <= limit and stop is None:
            found, stop = fetch(phase, limit + 1 - len(items))
            items += found
    end = place(items[limit - 1]) if len(items) > limit else stop
    return Page(tuple(items[:limit]), None if end is None else write_cursor(end, order))


def as_date(value: date | str | None) -> date | None:
    """A date column out of a raw query: SQLite gives text."""
    return date.fromisoformat(value) if isinstance(value, str) else value
