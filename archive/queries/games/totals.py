"""How many there are in a list: exactly where that can be counted in tens of milliseconds, otherwise the
least number that there can be, which is never below one shown beside it."""

from dataclasses import dataclass
from typing import Final

from archive.queries.games.facets import Facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.statistics import counts
from archive.queries.names import people
from archive.queries.scope import Scope

NAMES_COUNTED_TO: Final = 5_000
"""Players or events that are counted."""


@dataclass(frozen=True, slots=True)
class Total:
    """How many there are; where it is not `exact`, there are at least that `number`."""

    number: int
    exact: bool = True


def total(scope: Scope, filters: GameFilters, found: Facets, least: int) -> Total:
    """Return how many games have all that is asked for. `found` is what the list is made of, `least` how many
    games there are at least, as what is shown of the list tells."""
    if found.exact:
        return Total(found.games)
    least = max(least, found.games)
    if filters == GameFilters(record_kind=filters.record_kind):
        known = counts(scope)
        number = dict(known.kinds).get(filters.record_kind, 0) if filters.record_kind else known.games
        return Total(number) if known.exact else Total(max(number, least), exact=False)
    return Total(least, exact=False)


def names_total(scope: Scope, kind: people.Kind, words: str) -> Total:
    """Return how many players or events have names that hold the words."""
    number = people.count_names(scope, kind, words, NAMES_COUNTED_TO + 1)
    return Total(number) if number <= NAMES_COUNTED_TO else Total(NAMES_COUNTED_TO, exact=False)
