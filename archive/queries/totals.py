"""How many there are in a list: exactly where that is cheap to know, otherwise "more than".

A list is read no further than its newest `COUNTED_TO` games (or names), so that no total costs more however
large the archive is; one that had to be cut is kept for a while.
"""

from dataclasses import dataclass
from typing import Final

from archive.queries import people
from archive.queries.facets import KEPT_SECONDS, Facets
from archive.queries.filters import GameFilters
from archive.queries.games import Query, query_of
from archive.queries.kept import kept
from archive.queries.scope import Scope
from archive.queries.search.patience import patient
from archive.queries.statistics import counts
from archive.reading import connection

COUNTED_TO: Final = 10_000
"""Games of a list that are looked at."""

NAMES_COUNTED_TO: Final = 5_000
"""Players or events that are counted."""


@dataclass(frozen=True, slots=True)
class Total:
    """How many there are; where it is not `exact`, there are more than that `number`."""

    number: int
    exact: bool = True


def total(scope: Scope, filters: GameFilters, found: Facets, shown: int, following: bool) -> Total:
    """Return how many games have all that is asked for. `found` is what the list is made of, `shown` how many
    games its first page has, `following` whether there is a page after it."""
    if not following:
        return Total(shown)
    if not found.sampled and not found.kept:
        return Total(found.games)
    if (known := _of_kind(scope, filters)) is not None:
        return Total(known)
    if not found.sampled:
        return Total(found.games)
    counted = _looked_through(scope, filters)
    return counted if counted.exact else more_than(max(counted.number, shown + 1))


def more_than(least: int) -> Total:
    """Return a round number below what there is at least.

    >>> more_than(51), more_than(4327), more_than(10_001)
    (Total(number=50, exact=False), Total(number=4300, exact=False), Total(number=10000, exact=False))
    """
    below = max(0, least - 1)
    step = 10 ** max(0, len(str(below)) - 2)
    return Total(below // step * step, exact=False)


def names_total(scope: Scope, kind: people.Kind, words: str) -> Total:
    """Return how many players or events have names that hold the words."""
    number = people.count_names(scope, kind, words, NAMES_COUNTED_TO + 1)
    return Total(number) if number <= NAMES_COUNTED_TO else Total(NAMES_COUNTED_TO, exact=False)


def _of_kind(scope: Scope, filters: GameFilters) -> int | None:
    """Return what the home page tells: the number of all records, or of those of one kind; None where
    anything else is asked for."""
    if filters == GameFilters():
        return counts(scope).games
    if filters == GameFilters(record_kind=filters.record_kind):
        return dict(counts(scope).kinds).get(str(filters.record_kind), 0)
    return None


_LENGTH: Final = "SELECT count(*) FROM ({read}) x"
_COUNT: Final = "SELECT count(*) FROM {found}"


def _looked_through(scope: Scope, filters: GameFilters) -> Total:
    """Count what is asked for among the newest games of the list that drives the search. Where that is not
    exact, there are at least so many."""
    with patient(filters):
        query = query_of(scope, filters)
        if query is None:
            return Total(0)
        return kept(f"total {scope} {filters}", lambda: _count(query), lambda _found: KEPT_SECONDS)


def _count(query: Query) -> Total:
    read, found = query.newest(COUNTED_TO + 1), query.among_newest(COUNTED_TO)
    with connection.cursor() as cursor:
        cursor.execute(_LENGTH.format(read=read.text), read.values)
        whole = cursor.fetchone()[0] <= COUNTED_TO
        cursor.execute(_COUNT.format(found=found.text), found.values)
        number = int(cursor.fetchone()[0])
    # Where nothing is asked of games themselves, one that was not looked at is of the list too.
    return Total(number if whole or query.conditions else number + 1, whole)
