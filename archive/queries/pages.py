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
Days = Literal["all", "known", "unknown"]
"""Which games a part of a listing has: unknown days are 0, and so the last of the newest by themselves."""

LARGEST: Final = 500
"""Items a page has at most."""

_DAYS: Final[dict[Days, str]] = {"all": "", "known": "{}.played > 0 AND ", "unknown": "{}.played = 0 AND "}
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
    """One part of a listing.

    `keyset(way)` is the condition on played and slot that continues after the place, with its parameters;
    `order` the ORDER BY of the two columns.
    """

    after: Place
    days: Days
    descending: bool

    def keyset(self, way: int = 0, alias: str = "d") -> tuple[str, list[int]]:
        sign = "<" if self.descending else ">"
        if way > self.after.way:
            sign += "="
        place = f"({alias}.played, {alias}.slot) {sign} (%s, %s)"
        return f"{_DAYS[self.days].format(alias)}{place}", [self.after.played, self.after.slot]

    @property
    def order(self) -> str:
        return "played DESC, slot DESC" if self.descending else "played, slot"

    def by(self, alias: str) -> str:
        """The same of a table's columns."""
        return ", ".join(f"{alias}.{column}" for column in self.order.split(", "))


def phases(order: Order, cursor: str | None) -> Iterator[Phase]:
    """The parts of a listing from the cursor on: all of it, or games with a day and those without.

    Raises InvalidCursorError, ValueError for another order.
    """
    if order not in ("newest", "oldest"):
        raise ValueError(f"order is newest or oldest, not {order!r}")
    after = None if cursor is None else read_cursor(cursor, order)
    if order == "newest":
        yield Phase(after or Place(_END, _END, _END), "all", True)
        return
    # No row has the way of a beginning, so a beginning excludes nothing.
    if after is None or after.played:
        yield Phase(after or Place(0, 0, _END), "known", False)
        after = None
    yield Phase(after or Place(0, 0, _END), "unknown", False)


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
