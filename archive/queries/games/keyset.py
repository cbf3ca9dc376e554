"""Keyset pages of games, in one of the orders `ORDERS`. Games without a day come last by day, in either
order.

A page costs the same at any depth. Games with the same day or length are in the order of their slots.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from time import monotonic
from typing import Final, Generic, Literal, NamedTuple, Protocol, TypeVar

from django.core.signing import BadSignature, Signer

from archive.queries.sql import Sql

T = TypeVar("T")
Order = Literal["newest", "oldest"]
"""By the day."""
Sorting = Literal["newest", "oldest", "added", "longest", "shortest", "collection"]
"""Every order of a list of games: by the day, by the time of arrival, by the plies of the main line, and that
of the collection by which the list is filtered."""
Column = Literal["played", "id", "plies", "position"]
Days = Literal["all", "known", "unknown"]
"""The games of a phase, by whether their day is known. An unknown day is 0, so it sorts last in newest."""

SCAN_SECONDS: Final = 0.5
"""How long a page scans for its first item."""

MAX_PAGE: Final = 500
"""Items of a page at most."""

ORDERS: Final[dict[Sorting, tuple[Column, bool]]] = {
    "newest": ("played", True),
    "oldest": ("played", False),
    "added": ("id", True),
    "longest": ("plies", True),
    "shortest": ("plies", False),
}
"""The column of each order of any list, and whether it is descending. An id is permanent, so ids are in the
order of arrival; a game that is read again gets a new slot."""

ALL_ORDERS: Final[dict[Sorting, tuple[Column, bool]]] = {**ORDERS, "collection": ("position", False)}
"""Also the order of the collection whose games are listed."""

_DAYS: Final[dict[Days, str]] = {"all": "", "known": "{}.played > 0 AND ", "unknown": "{}.played = 0 AND "}
LAST: Final = 2**31 - 1
"""Above every day, slot and number of plies."""
_LAST_ID: Final = 2**63 - 1


class InvalidCursorError(ValueError):
    """The cursor is forged or of another order."""


class PageEnd(NamedTuple):
    """The place where a page ended: the value of the order's column, and the slot. `way` distinguishes a
    game's rows under several keys."""

    played: int
    slot: int
    way: int = 0


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[T]):
    """Some items, and the cursor of the next page; None on the last page. `searching` says that the page is
    short, or even empty, because its time was over: the scan continues from `next`."""

    items: tuple[T, ...]
    next: str | None
    searching: bool = False


class Placed(Protocol):
    """A row of a listing."""

    @property
    def place(self) -> PageEnd:
        """Return the place of the row in the listing."""


@dataclass(frozen=True, slots=True)
class Phase:
    """One part of a listing in the order of a column: the rows after a place."""

    after: PageEnd
    days: Days
    descending: bool
    column: Column = "played"

    def keyset(self, way: int = 0, alias: str = "d") -> Sql:
        """Return the condition on the rows after the place."""
        sign = "<" if self.descending else ">"
        if way > self.after.way:
            sign += "="
        days = _DAYS[self.days].format(alias)
        return self._compared(alias, sign, self.after).embed(f"{days}{{sql}}")

    def within(self, days: tuple[int, int] | None) -> "Phase":
        """Return the same phase, begun at the first of these known days. PostgreSQL begins to read an index
        at the first of several lower bounds, not at the narrowest."""
        if days is None or self.days == "unknown" or self.column != "played":
            return self
        edge = PageEnd(days[1], LAST, LAST) if self.descending else PageEnd(days[0], -1, LAST)
        return replace(self, after=max(self.after, edge, key=self.rank), days="all")

    def until(self, end: PageEnd, alias: str = "d") -> Sql:
        """Return the condition on the rows up to a place, including it."""
        return self._compared(alias, ">=" if self.descending else "<=", end)

    def _compared(self, alias: str, sign: str, place: PageEnd) -> Sql:
        if self.column == "id":
            return Sql(f"{alias}.id {sign} %s", (place.played,))
        return Sql(f"({alias}.{self.column}, {alias}.slot) {sign} (%s, %s)", (place.played, place.slot))

    def rank(self, place: PageEnd) -> tuple[int, int, int]:
        """Return the sort key of a place in the listing."""
        sign = -1 if self.descending else 1
        return sign * place.played, sign * place.slot, place.way

    def rank_of(self, row: Placed) -> tuple[int, int, int]:
        """Return the sort key of a row of the listing."""
        return self.rank(row.place)

    @property
    def order(self) -> str:
        """Return the ORDER BY of the column and the slot. An id is unique and needs no slot."""
        return self._order("")

    def by(self, alias: str) -> str:
        """Return `order` with the columns of the table of this alias."""
        return self._order(f"{alias}.")

    def _order(self, table: str) -> str:
        columns = ("id",) if self.column == "id" else (self.column, "slot")
        return ", ".join(f"{table}{column}{' DESC' if self.descending else ''}" for column in columns)


def phases(order: Sorting, cursor: str | None) -> Iterator[Phase]:
    """Yield the phases of a listing from the cursor on: only one, or games with a day and then those without.
    Raises InvalidCursorError, ValueError for an unknown order."""
    if order not in ALL_ORDERS:
        raise ValueError(f"order is one of {', '.join(ALL_ORDERS)}, not {order!r}")
    after = None if cursor is None else read_cursor(cursor, order)
    column, descending = ALL_ORDERS[order]
    if order != "oldest":
        yield Phase(after or _beginning(column, descending), "all", descending, column)
        return
    # The way of a beginning is above those of all rows, so a beginning excludes no row.
    if after is None or after.played:
        yield Phase(after or PageEnd(0, 0, LAST), "known", False)
        after = None
    yield Phase(after or PageEnd(0, 0, LAST), "unknown", False)


def _beginning(column: Column, descending: bool) -> PageEnd:
    if not descending:
        return PageEnd(-1, 0, LAST)
    return PageEnd(_LAST_ID if column == "id" else LAST, LAST, LAST)


def write_cursor(place: PageEnd, order: Sorting) -> str:
    """Return a page's end as signed text."""
    text = urlsafe_b64encode(json.dumps([*place]).encode()).decode()
    return Signer(salt=f"games {order}").sign(text)


def read_cursor(cursor: str, order: Sorting) -> PageEnd:
    """Return the place of a cursor by `write_cursor`. Raises InvalidCursorError."""
    try:
        text = Signer(salt=f"games {order}").unsign(cursor)
    except BadSignature:
        raise InvalidCursorError(f"this cursor was not made here, or not for order={order}") from None
    return PageEnd(*json.loads(urlsafe_b64decode(text)))


def paged(
    order: Sorting,
    cursor: str | None,
    limit: int,
    fetch: Callable[[Phase, int], tuple[Sequence[T], PageEnd | None]],
    place: Callable[[T], PageEnd],
) -> KeysetPage[T]:
    """Return a page of the items of `fetch(phase, count)`. If `fetch` stops before it has so many items, it
    also returns the place up to which it scanned: it is called again from there until the page has an item or
    `SCAN_SECONDS` are over."""
    if not 1 <= limit <= MAX_PAGE:
        raise ValueError(f"a page has 1 to {MAX_PAGE} items, not {limit}")
    deadline = monotonic() + SCAN_SECONDS
    page = _scan(order, cursor, limit, fetch, place)
    while page.searching and not page.items and monotonic() < deadline:
        page = _scan(order, page.next, limit, fetch, place)
    return page


def _scan(
    order: Sorting,
    cursor: str | None,
    limit: int,
    fetch: Callable[[Phase, int], tuple[Sequence[T], PageEnd | None]],
    place: Callable[[T], PageEnd],
) -> KeysetPage[T]:
    """Return the page after calling `fetch` once for each phase."""
    items: list[T] = []
    stop: PageEnd | None = None
    for phase in phases(order, cursor):
        if len(items) <= limit and stop is None:
            fetched, stop = fetch(phase, limit + 1 - len(items))
            items += fetched
    searching = len(items) <= limit and stop is not None
    end = place(items[limit - 1]) if len(items) > limit else stop
    return KeysetPage(tuple(items[:limit]), None if end is None else write_cursor(end, order), searching)


def as_date(value: date | str | None) -> date | None:
    """Return the date in a column of a raw query, which is text on SQLite."""
    return date.fromisoformat(value) if isinstance(value, str) else value


def as_moment(value: datetime | str | None) -> datetime | None:
    """Return the moment in a column of a raw query, which is text in UTC on SQLite."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value
