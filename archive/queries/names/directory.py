"""Pages of the lists of all players, events and places, by reading, by name, or by number of games."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from archive.caching.values import RECOUNT_LIMIT, cached
from archive.models import NAMED, NameKind
from archive.names.character_forms import folded
from archive.names.kana_readings import LATIN, ROWS, UNKNOWN, reading, row_of
from archive.queries.names import people
from archive.queries.names.people import NamedCount
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction

Listing = Literal["reading", "name", "games"]

ORDERS: Final[dict[NameKind, tuple[Listing, ...]]] = {
    "player": ("reading", "games"),
    "event": ("name", "games"),
    "place": ("name", "games"),
}
"""The orders of each list, the default first. Only players have readings."""

BEGINNINGS: Final = (*ROWS, LATIN, UNKNOWN)
"""The rows at which a list by reading can begin."""

MOST_RANKED: Final = 5_000
"""Names in a list by number of games, those with the most."""

FEW: Final = 2 * RECOUNT_LIMIT
"""Up to so many seats are counted again after each commit; larger counts are cached for `CACHE_SECONDS`."""
CACHE_SECONDS: Final = 600

_PARTS: Final = {
    "kana": "n.reading >= 'あ'",
    "latin": "n.reading > '' AND n.reading < 'あ'",
    "unknown": "n.reading = ''",
}
"""The order of the readings: kana, Latin letters, none. Each part is one range of the index."""

_READING: Final = ("reading", "name", "key")
_AFTER: Final = "{part} AND (n.reading, n.name, n.key) > (%s, %s, %s)"
_NAME: Final = ("name", "key")
_PLACE: Final = "\t"
"""Separates name, reading and key of a place in a list; names have no such character."""
_RANKED: Final = """
    SELECT min(n.id), sum(c.number) FROM (
        SELECT d.{kind}_id AS id, count(*) AS number FROM {games} d GROUP BY d.{kind}_id
    ) c JOIN {table} n ON n.id = c.id WHERE {sql}
    GROUP BY n.key ORDER BY sum(c.number) DESC, min(n.name) LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class ListedName(NamedCount):
    """A name in a list. `row` is the row of its kana, `LATIN`, or `UNKNOWN`; None unless the list is in order
    of readings. `place` is the `after` of the next name."""

    row: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class NamePage:
    """A page of names. `next` is the `after` of the next page, empty on the last; `cut` says that the list
    ends though there are names with fewer games."""

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
    """Return a page of the names that contain the words, as `people.names`.

    `after` is the previous page's `next`, `row` the first row of a list by reading. Raises ValueError for an
    order that the list does not have, and for an `after` of another order.
    """
    if order not in ORDERS[kind]:
        raise ValueError(f"order is one of {', '.join(ORDERS[kind])}, not {order!r}")
    if row is not None and (order != "reading" or row not in BEGINNINGS):
        raise ValueError(f"there is no row {row!r} in this list")
    if order == "games":
        return _by_games(scope, kind, words, after, limit)
    if order == "reading":
        names = _by_reading(scope, kind, words, after, row, limit + 1)
    else:
        after_place = Sql("(n.name, n.key) > (%s, %s)", _place_of(after)[::2])
        rows = people.names_from(scope, kind, _NAME, after_place, words, limit + 1)
        names = [ListedName(pk, name, n, place=_place(name, "", key)) for pk, name, n, _name, key in rows]
    return NamePage(tuple(names[:limit]), names[limit - 1].place if len(names) > limit else "")


def _place(name: str, read: str, key: str) -> str:
    """Return the place of a name in a list: only the name, if its key and reading follow from it."""
    usual = read in ("", reading(name)) and key in (name, folded(name))
    return name if usual else _PLACE.join((name, read, key))


def _place_of(after: str) -> tuple[str, str, str]:
    """Return the name, the reading and the key of a place."""
    name, *rest = after.replace("\0", "").split(_PLACE)
    if len(rest) == 2:
        return name, rest[0], rest[1]
    return name, reading(name), folded(name)


def _by_reading(
    scope: Scope, kind: NameKind, words: str, after: str, row: str | None, limit: int
) -> list[ListedName]:
    names: list[ListedName] = []
    for part, place in _parts(after, row):
        after_place = Sql(_AFTER.format(part=part), place)
        rows = people.names_from(scope, kind, _READING, after_place, words, limit - len(names))
        names += [
            ListedName(pk, name, n, row_of(read), _place(name, read, key))
            for pk, name, n, read, _name, key in rows
        ]
        if len(names) >= limit:
            break
    return names


def _parts(after: str, row: str | None) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield the parts of the list from a place or a row on, each with the reading, name and key before it."""
    name, read, name_key = _place_of(after)
    key = read if after else (row or UNKNOWN)
    first = "kana"
    if after or row is not None:
        first = {LATIN: "latin", UNKNOWN: "unknown"}.get(row_of(key), "kana")
    # The part of Latin letters begins with digits.
    place = (key, name, name_key) if after else (key if key in ROWS else "", "", "")
    parts = list(_PARTS)
    for part in parts[parts.index(first) :]:
        yield _PARTS[part], place if part == first else ("", "", "")


def _by_games(scope: Scope, kind: NameKind, words: str, after: str, limit: int) -> NamePage:
    """Return a page of the list by number of games; `after` is the number of names before it."""
    if after and not (after.isascii() and after.isdigit() and int(after[:9]) <= MOST_RANKED):
        raise ValueError("after is none of a list by number of games")
    first = int(after or 0)
    ranked = _ranked(scope, kind, words)
    page = ranked[first : first + limit]
    names = _names_of(kind, [pk for pk, _n in page])
    items = tuple(ListedName(pk, names[pk], n) for pk, n in page if pk in names)
    following = str(first + limit) if len(ranked) > first + limit else ""
    return NamePage(items, following, cut=len(ranked) == MOST_RANKED)


def _ranked(scope: Scope, kind: NameKind, words: str) -> list[tuple[int, int]]:
    def rank() -> list[tuple[int, int]]:
        where = conjunction([scope.condition("n"), people.name_condition(scope, kind, words)])
        rows = where.embed(_RANKED, MOST_RANKED, **people.TABLES[kind]).rows()
        return [(int(pk), int(n)) for pk, n in rows]

    return cached(
        f"ranked {scope} {kind} {words}",
        rank,
        lambda ranked: CACHE_SECONDS if sum(n for _pk, n in ranked) > FEW else 0,
    ).value


def _names_of(kind: NameKind, ids: list[int]) -> dict[int, str]:
    return dict(NAMED[kind]._default_manager.filter(pk__in=ids).values_list("pk", "name"))
