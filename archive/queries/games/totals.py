"""Totals of lists: exact if counting takes only tens of milliseconds, else a lower bound, which is never
below another number on the same page."""

from dataclasses import dataclass
from typing import Final

from archive.models import NameKind
from archive.queries.games.facets import Facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.statistics import counts
from archive.queries.names import people
from archive.queries.scope import Scope

NAME_COUNT_LIMIT: Final = 5_000
"""Players or events that are counted."""


@dataclass(frozen=True, slots=True)
class Total:
    """A number; a lower bound unless `exact`."""

    number: int
    exact: bool = True


def total(scope: Scope, filters: GameFilters, facets: Facets, least: int) -> Total:
    """Return the number of games that match the filters. `facets` are those of the list, `least` is a lower
    bound from the page that is shown."""
    if facets.exact:
        return Total(facets.games)
    least = max(least, facets.games)
    if filters == GameFilters(record_kind=filters.record_kind):
        archive = counts(scope)
        number = dict(archive.kinds).get(filters.record_kind, 0) if filters.record_kind else archive.games
        return Total(number) if archive.exact else Total(max(number, least), exact=False)
    return Total(least, exact=False)


def names_total(scope: Scope, kind: NameKind, words: str) -> Total:
    """Return the number of players or events whose names contain the words."""
    number = people.count_names(scope, kind, words, NAME_COUNT_LIMIT + 1)
    return Total(number) if number <= NAME_COUNT_LIMIT else Total(NAME_COUNT_LIMIT, exact=False)
