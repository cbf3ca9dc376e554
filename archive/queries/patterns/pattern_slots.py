"""The slots of games with a pattern, for conditions of the search language.

They are cached until the column files or their deleted games change, because one page of a list runs several
statements.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from django.conf import settings

from archive.columns.duck import BusyError, DuckQuery
from archive.columns.state import ColumnState, MissingFilesError, with_columns
from archive.models import ColumnWaiting, Game
from archive.queries.scope import Scope
from archive.queries.search.errors import BUSY, NOT_HERE, TOO_SLOW, TOO_WIDE, QueryError
from archive.queries.search.parsing import parse as parse_query
from archive.queries.search.terms import HasPattern, leaves
from kifu_core.shogi.patterns import parse

MAX_GAMES: Final = 200_000
"""The maximum number of games with a pattern in a query."""

CACHED_PATTERNS: Final = 16
"""The maximum number of patterns whose slots are cached, at most `MAX_GAMES` numbers of four bytes each."""

_NARROWER: Final = ("more of a board", "narrower")


@contextmanager
def query_errors() -> Iterator[None]:
    """Raise QueryError for errors of columns: too slow, too many queries at once, missing files."""
    try:
        yield
    except TimeoutError as error:
        limit = settings.ARCHIVE_SEARCH_SECONDS
        raise QueryError(TOO_SLOW, expected=_NARROWER, limit=limit) from error
    except BusyError as error:
        raise QueryError(BUSY) from error
    except MissingFilesError as error:
        raise QueryError(NOT_HERE) from error


def slots_with_pattern(scope: Scope, text: str) -> array[int]:
    """Return the slots of the games of a scope with a pattern, ascending.

    Raises ParseError for an invalid pattern, and QueryError `query-too-slow`, `query-too-wide`, `query-busy`
    or `query-not-here`.
    """
    # This imports numpy, which only processes that search for patterns should load.
    from archive.columns.finding import find_first_matches

    pattern = parse(text)

    def search(query: DuckQuery, state: ColumnState) -> array[int]:
        key = (text, state.files, state.deleted)
        if (cached := _cache.get(key)) is not None:
            return cached
        slots = find_first_matches(query, state, pattern).slot
        if len(slots) > MAX_GAMES:
            raise QueryError(TOO_WIDE, expected=_NARROWER[:1], limit=MAX_GAMES)
        slots.sort()
        return _cache.put(key, array("i", slots.tobytes()))

    with query_errors():
        return with_columns(scope.spaces, search)


def is_waiting_for_columns(scope: Scope, query: str, games: Collection[int]) -> bool:
    """Return whether a query has a pattern, but some of the games are not in the column files yet.

    `games` are ids; games outside the scope are ignored. Raises QueryError for an invalid query.
    """
    if not any(isinstance(term, HasPattern) for term in leaves(parse_query(query))):
        return False
    slots = Game.objects.filter(pk__in=games, space__in=scope.spaces).values("slot")
    return ColumnWaiting.objects.filter(slot__in=slots).exists()


class _SlotCache:
    """The slots of the most recently used patterns."""

    def __init__(self) -> None:
        self.slots: OrderedDict[object, array[int]] = OrderedDict()
        self.lock = Lock()

    def get(self, key: object) -> array[int] | None:
        with self.lock:
            if key in self.slots:
                self.slots.move_to_end(key)
            return self.slots.get(key)

    def put(self, key: object, slots: array[int]) -> array[int]:
        with self.lock:
            self.slots[key] = slots
            while len(self.slots) > CACHED_PATTERNS:
                self.slots.popitem(last=False)
        return slots


_cache: Final = _SlotCache()
