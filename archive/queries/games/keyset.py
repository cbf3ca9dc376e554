"""Keyset pages of games, in one of the orders `ORDERS`; games without a day are the last of the newest and of
the oldest.

A page costs the same however deep it lies. Ties of a day or of a length are in the order of the slots.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from time import monotonic
from typing import Final, Generic, Literal, NamedTuple, TypeVar

from django.core.signing import BadSignature, Signer

T = TypeVar("T")
Order = Literal["newest", "oldest"]
"""By the day."""
Sorting = Literal["newest", "oldest", "added", "longest", "shortest"]
"""Every order of a list of games: by the day, by when games came here, by the plies of the main line."""
Column = Literal["played", "id", "plies"]
Days = Literal["all", "known", "unknown"]
"""Which games a part of a listing has: unknown days are 0, and so the last of the newest by themselves."""

SCAN_SECONDS: Final = 0.5
"""How long a page looks for its first item."""

MAX_PAGE: Final = 500
"""Items a page has at most."""

ORDERS: Final[dict[Sorting, tuple[Column, bool]]] = {
    "newest": ("played", True),
    "oldest": ("played", False),
    "added": ("id", True),
    "longest": ("plies", True),
    "shortest": ("plies", False),
}
"""What each order goes by, and whether the largest come first. An id is permanent, so it tells which game
came later; a slot does not, after the game was read again."""

_DAYS: Final[dict[Days, str]] = {"all": "", "known": "{}.played > 0 AND ", "unknown": "{}.played = 0 AND "}
_END: Final = 2**31 - 1
"""Above every day, slot and number of plies."""
_LAST_ID: Final = 2**63 - 1


class InvalidCursorError(ValueError):
    """The cursor was not made here, or for another order."""


class PageEnd(NamedTuple):
    """Where a page ended: at which day, or what else its order goes by, and at which slot. `way` tells apart
    a game's rows under several keys."""

    played: int
    slot: int
    way: int = 0


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[T]):
    """Some items, and the cursor of those after them; None on the last page. `searching` tells that the page
    is short, or even empty, because its time was over: the search goes on from `next`."""

    items: tuple[T, ...]
    next: str | None
    searching: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """One part of a listing that goes by a column.

    `keyset(way)` is the condition on the column and the slot that continues after the place, with its
    parameters; `order` the ORDER BY of the two. No two games have the same id, which needs no slot beside it.
    """

    after: PageEnd
    days: Days
    descending: bool
    column: Column = "played"

    def keyset(self, way: int = 0, alias: str = "d") -> tuple[str, list[int]]:
        """Return the condition for what comes after the place, with its parameters."""
        sign = "<" if self.descending else ">"
        if way > self.after.way:
            sign += "="
        text, values = self._beside(alias, sign, self.after)
        return f"{_DAYS[self.days].format(alias)}{text}", values

    def within(self, days: tuple[int, int] | None) -> "Phase":
        """Return the same part of a listing, begun at the first of these known days that it comes to.

        PostgreSQL starts to read an index at the first of several lower bounds, not at the narrowest.
        """
        if days is None or self.days == "unknown" or self.column != "played":
            return self
        edge = PageEnd(days[1], _END, _END) if self.descending else PageEnd(days[0], -1, _END)
        return replace(self, after=max(self.after, edge, key=self.rank), days="all")

    def until(self, end: PageEnd, alias: str = "d") -> tuple[str, list[int]]:
        """Return the condition for what comes up to a place, itself included, with its parameters."""
        return self._beside(alias, ">=" if self.descending else "<=", end)

    def _beside(self, alias: str, sign: str, place: PageEnd) -> tuple[str, list[int]]:
        if self.column == "id":
            return f"{alias}.id {sign} %s", [place.played]
        return f"({alias}.{self.column}, {alias}.slot) {sign} (%s, %s)", [place.played, place.slot]

    def rank(self, place: PageEnd) -> tuple[int, int, int]:
        """Return a key that sorts places as the listing does."""
        sign = -1 if self.descending else 1
        return sign * place.played, sign * place.slot, place.way

    @property
    def order(self) -> str:
        return ", ".join(f"{column} DESC" if self.descending else column for column in self._columns)

    def by(self, alias: str) -> str:
        """Return `order` with the columns of the table of this alias."""
        return ", ".join(f"{alias}.{column}" for column in self.order.split(", "))

    @property
    def _columns(self) -> tuple[str, ...]:
        return ("id",) if self.column == "id" else (self.column, "slot")


def phases(order: Sorting, cursor: str | None) -> Iterator[Phase]:
    """Yield the parts of a listing from the cursor on: all of it, or games with a day and then those without.

    Raises InvalidCursorError, ValueError for another order.
    """
    if order not in ORDERS:
        raise ValueError(f"order is one of {', '.join(ORDERS)}, not {order!r}")
    after = None if cursor is None else read_cursor(cursor, order)
    column, descending = ORDERS[order]
    if order != "oldest":
        yield Phase(after or _beginning(column, descending), "all", descending, column)
        return
    # No row has the way of a beginning, so a beginning excludes nothing.
    if after is None or after.played:
        yield Phase(after or PageEnd(0, 0, _END), "known", False)
        after = None
    yield Phase(after or PageEnd(0, 0, _END), "unknown", False)


def _beginning(column: Column, descending: bool) -> PageEnd:
    """Return a place before all games."""
    if not descending:
        return PageEnd(-1, 0, _END)
    return PageEnd(_LAST_ID if column == "id" else _END, _END, _END)


def write_cursor(place: PageEnd, order: Sorting) -> str:
    """Return a page's end as text that cannot be made up."""
    text = urlsafe_b64encode(json.dumps([*place]).encode()).decode()
    return Signer(salt=f"games {order}").sign(text)


def read_cursor(cursor: str, order: Sorting) -> PageEnd:
    """Return the place that `write_cursor` wrote. Raises InvalidCursorError."""
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
    """Return a page made out of `fetch(phase, how many)`. It gives items and, if it stopped looking before it
    had enough, the place up to which it looked: from there it is called again until there is an item or
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
    """Return the page that calling `fetch` once for each phase gives."""
    items: list[T] = []
    stop: PageEnd | None = None
    for phase in phases(order, cursor):
        if len(items) <= limit and stop is None:
            found, stop = fetch(phase, limit + 1 - len(items))
            items += found
    searching = len(items) <= limit and stop is not None
    end = place(items[limit - 1]) if len(items) > limit else stop
    return KeysetPage(tuple(items[:limit]), None if end is None else write_cursor(end, order), searching)


def as_date(value: date | str | None) -> date | None:
    """Return the date in a column of a raw query, which SQLite gives as text."""
    return date.fromisoformat(value) if isinstance(value, str) else value


def as_moment(value: datetime | str | None) -> datetime | None:
    """Return the moment in a column of a raw query, which SQLite gives as text in UTC."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value
