"""Collections that are kept up to date from a search.

Games that come to match are added to the end. Games are never removed, and one that was removed by hand
returns only if it changes, or if the search is repeated as a whole.
"""

import logging
from typing import Any, Final

from django.db import transaction

from archive.collections.editing import locked
from archive.collections.errors import MOST_GAMES, CollectionError
from archive.collections.games import add_search, append, lock_games
from archive.collections.rights import check_editor
from archive.models import Collection, User
from archive.queries.games.changes import changes_after, last_change
from archive.queries.games.filters import stored_filters
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.listing import games_among, ids_matching
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError
from kifu_core.classes import PUBLIC

CHANGES: Final = 500
"""Changes of the archive that are examined at once."""
MOST_AT_ONCE: Final = 200
"""Collections that one task keeps up to date."""

log = logging.getLogger(__name__)


def keep_up(user: User, collection: Collection, search: dict[str, Any] | None) -> int:
    """Add the games of a search, now and as they come; with None, stop doing so. `search` are parameters by
    `stored_parameters`. Return how many games were added. Raises CollectionError, QueryError."""
    check_editor(user, collection)
    with transaction.atomic():
        collection = locked(collection.pk)
        collection.search, collection.searched = search, last_change()
        collection.save(update_fields=["search", "searched", "changed"])
    return (
        0 if search is None else add_search(user, _scope_of(collection), collection, stored_filters(search))
    )


def repeat(user: User, collection: Collection) -> int:
    """Add all games of a collection's search that it lacks; return how many. Raises CollectionError,
    QueryError."""
    if collection.search is None:
        raise CollectionError("no-search")
    return add_search(user, _scope_of(collection), collection, stored_filters(collection.search))


def behind() -> list[int]:
    """Return collections whose searches have not examined the latest changes of the archive."""
    searching = Collection.objects.filter(search__isnull=False).exclude(searched=last_change())
    return list(searching.order_by("searched", "pk").values_list("pk", flat=True)[:MOST_AT_ONCE])


def catch_up(pk: int) -> int:
    """Add the games of a collection's search among the next changes of the archive; return how many."""
    collection = Collection.objects.filter(pk=pk, search__isnull=False).first()
    if collection is None:
        return 0
    scope, filters = _scope_of(collection), stored_filters(collection.search or {})
    try:
        changes = changes_after(scope, collection.searched, CHANGES)
        last, ids = changes.last, sorted(game.id for game in changes.games)
        games = [row.id for row in games_among(scope, filters, ids)]
    except InvalidCursorError:  # the archive was restored, and numbers its changes anew
        last, games = last_change(), ids_matching(scope, filters, MOST_GAMES)
    except QueryError as error:
        log.warning("the search of collection %d is skipped: %s", pk, error)
        last, games = last_change(), []
    with transaction.atomic():
        try:
            collection = locked(pk)
        except CollectionError:
            return 0
        collection.searched = last
        collection.save(update_fields=["searched"])
        readable = lock_games(scope, games)
        return _append(collection, [game for game in games if game in readable])


def _append(collection: Collection, games: list[int]) -> int:
    try:
        return append(collection, games)
    except CollectionError as error:
        log.warning("collection %d gets no new games: %s", collection.pk, error)
        return 0


def _scope_of(collection: Collection) -> Scope:
    """Return the spaces that all members of a collection's library read."""
    return Scope((PUBLIC, collection.space_id))
