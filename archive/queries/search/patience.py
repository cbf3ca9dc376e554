"""How long a question of the search language may take: nobody knows beforehand what somebody asks in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from archive.index.engine import engine
from archive.queries.games.filters import GameFilters
from archive.queries.search.errors import TOO_SLOW, QueryError


@contextmanager
def time_limited(filters: GameFilters) -> Iterator[None]:
    """End what the body asks the database after ARCHIVE_SEARCH_SECONDS where there is a query, and raise
    QueryError `query-too-slow`. Without one there is no limit: lists by filters alone are fast."""
    if filters.q is None:
        yield
        return
    seconds = settings.ARCHIVE_SEARCH_SECONDS
    try:
        with engine().time_limit(seconds):
            yield
    except TimeoutError as error:
        raise QueryError(TOO_SLOW, expected=("narrower",), limit=seconds) from error
