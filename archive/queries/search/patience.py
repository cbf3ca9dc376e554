"""A time limit for queries of the search language, whose cost cannot be predicted."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from archive.index.engine import engine
from archive.queries.games.filters import GameFilters
from archive.queries.search.errors import TOO_SLOW, QueryError


@contextmanager
def time_limited(filters: GameFilters) -> Iterator[None]:
    """If the filters have a query, limit the body's statements to ARCHIVE_SEARCH_SECONDS; raise QueryError
    `query-too-slow` beyond it. Lists by filters alone are fast and have no limit."""
    if filters.q is None:
        yield
        return
    seconds = settings.ARCHIVE_SEARCH_SECONDS
    try:
        with engine().time_limit(seconds):
            yield
    except TimeoutError as error:
        raise QueryError(TOO_SLOW, expected=("narrower",), limit=seconds) from error
