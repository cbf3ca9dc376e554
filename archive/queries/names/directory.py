"""The lists of all players and of all events: page by page, by reading, by name, or by number of games."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from archive.caching.values import COUNTED, cached
from archive.names.kana_readings import LATIN, ROWS, UNKNOWN, reading, row_of
from archive.project.reading import connection
from archive.queries.names import people
from archive.queries.names.ids_of_names import NameKind
from archive.queries.names.people import NamedCount
from archive.queries.scope import Scope
from archive.queries.sql import Sql

Listing = Literal["reading", "name", "games"]

ORDERS: Final[dict[NameKind, tuple[Listing, ...]]] = {
    "player": ("reading", "games"),
    "event": ("name", "games"),
}
"""The orders of each list, first that in which it comes. Of events no reading is known."""

BEGINNINGS: Final = (*ROWS, LATIN, UNKNOWN)
"""Where a list by reading can begin."""

RANKED: Final = 5_000
"""Names that a list by number of games has, those with the most."""

FEW: Final = 2 * COUNTED
"""Seats at games that are always counted anew after a change; of more the numbers are used for
`CACHE_SECONDS`."""
CACHE_SECONDS: Final = 600

_PARTS: Final = {
    "kana": "n.reading >= 'あ'",
    "latin": "n.reading > '' AND n.reading < 'あ'",
    "unknown": "n.reading = ''",
}
"""The order of the readings: kana, Latin letters, none. Each is one stretch of the index."""

_READING: Final = ("reading", "name")
_AFTER: Final = "{part} AND (n.reading, n.name) > (%s, %s)"
_RANKED: Final = """
    SELECT min(n.id), sum(c.number) FROM (
        SELECT d.{kind}_id AS id, count(*) AS number FROM {games} d GROUP BY d.{kind}_id
    ) c JOIN {table} n ON n.id = c.id WHERE {readable} AND {holding}
    GROUP BY n.{by} ORDER BY sum(c.number) DESC, min(n.name) LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class ListedName(NamedCount):
    """A name in a list. `row` is that of the kana under which it stands, `LATIN`, or `UNKNOWN`; None where
    the list is in another order."""

    row: str | None = None


@dataclass(frozen=True, slots=True)
class NamePage:
    """A page of names. `next` is what `after` has to be for the page after it, empty on the last; `cut` tells
    that the list ends where others have fewer games."""

    items: tuple[ListedName, ...]
    next: str = ""
    cut: bool = False


def list_names(
    scope: Scope,
    kind: NameKind,
    order: Listing,
    words: str = "",
    after: str = "",
    row: str | None = None,
    limit: int = 100,
) -> NamePage:
    """Return a page of the names that hold the words, as `people.names` finds them.

    `after` is what the page before gave, `row` where a list by reading begins. Raises ValueError for an order
    that the list does not have, and for an `after` of another order.
    """
    if order not in ORDERS[kind]:
        raise ValueError(f"order is one of {', '.join(ORDERS[kind])}, not {order!r}")
    if row is not None and (order != "reading" or row not in BEGINNINGS):
        raise ValueError(f"there is no row {row!r} in this list")
    if order == "games":
        return _by_games(scope, kind, words, after, limit)
    if order == "reading":
        found = _by_reading(scope, kind, words, after, row, limit + 1)
    else:
        found = [
            ListedName(one.id, one.name, one.games)
            for one in people.names(scope, kind, words, after, limit + 1)
        ]
    return NamePage(tuple(found[:limit]), found[limit - 1].name if len(found) > limit else "")


def _by_reading(
    scope: Scope, kind: NameKind, words: str, after: str, row: str | None, limit: int
) -> list[ListedName]:
    found: list[ListedName] = []
    for part, place in _parts(after.replace("\0", ""), row):
        after_place = Sql(_AFTER.format(part=part), place)
        rows = people.names_from(scope, kind, _READING, after_place, words, limit - len(found))
        found += [ListedName(pk, name, n, row_of(key)) for pk, name, n, key, _name in rows]
        if len(found) >= limit:
            break
    return found


def _parts(after: str, row: str | None) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the stretches of the list from a name or a row on, each with the reading and name before it."""
    key = reading(after) if after else (row or UNKNOWN)
    first = "kana" if not after and row is None else _part_of(key)
    # Latin letters begin with figures.
    begins = (key, after) if after else (key if key in ROWS else "", "")
    parts = list(_PARTS)
    for part in parts[parts.index(first) :]:
        yield _PARTS[part], begins if part == first else ("", "")


def _part_of(key: str) -> str:
    return {LATIN: "latin", UNKNOWN: "unknown"}.get(row_of(key), "kana")


def _by_games(scope: Scope, kind: NameKind, words: str, after: str, limit: int) -> NamePage:
    """Return a page of the list by number of games; `after` is how many names come before it."""
    if after and not (after.isascii() and after.isdigit() and int(after[:9]) <= RANKED):
        raise ValueError("after is none of a list by number of games")
    first = int(after or 0)
    ranked = _ranked(scope, kind, words)
    page = ranked[first : first + limit]
    names = _names_of(kind, [pk for pk, _n in page])
    items = tuple(ListedName(pk, names[pk], n) for pk, n in page if pk in names)
    following = str(first + limit) if len(ranked) > first + limit else ""
    return NamePage(items, following, cut=len(ranked) == RANKED)


def _ranked(scope: Scope, kind: NameKind, words: str) -> list[tuple[int, int]]:
    """Return ids with their exact numbers of games, those with the most first."""

    def ranked() -> list[tuple[int, int]]:
        readable, holding = scope.condition("n"), people.name_condition(scope, kind, words)
        sql = _RANKED.format(readable=readable.text, holding=holding.text, **people.TABLES[kind])
        with connection.cursor() as cursor:
            cursor.execute(sql, [*readable.values, *holding.values, RANKED])
            return [(int(pk), int(n)) for pk, n in cursor.fetchall()]

    return cached(
        f"ranked {scope} {kind} {words}",
        ranked,
        lambda found: CACHE_SECONDS if sum(n for _pk, n in found) > FEW else 0,
    ).value


def _names_of(kind: NameKind, ids: list[int]) -> dict[int, str]:
    if not ids:
        return {}
    places = ", ".join(["%s"] * len(ids))
    asked = Sql(f"SELECT n.id, n.name FROM archive_{kind} n WHERE n.id IN ({places})", tuple(ids))
    with connection.cursor() as cursor:
        cursor.execute(asked.text, asked.values)
        return dict(cursor.fetchall())


__all__ = [
    "BEGINNINGS",
    "LATIN",
    "ORDERS",
    "RANKED",
    "UNKNOWN",
    "ListedName",
    "Listing",
    "NamePage",
    "list_names",
]
