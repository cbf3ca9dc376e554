"""Collections as a scope reads them: games that it may not read count nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from django.db.models import Q
from django.http import Http404

from archive.caching.values import cached_until_commit
from archive.models import Collection, CollectionGame
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.list_query import games_in_order
from archive.queries.games.listing import GameRow, games_in
from archive.queries.names.ids_of_names import ids_of_collection, readable_collections
from archive.queries.scope import Scope, read_private, readable_scope
from archive.queries.sql import Sql, one_of
from archive.tournaments.standings import TournamentGame
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from django.http import HttpRequest

MOST_STANDINGS: Final = 5_000
"""Games of one table of standings."""


@dataclass(frozen=True, slots=True)
class CollectedGame:
    """A game of a collection, with its position there, its note and the ply that is shown first."""

    row: GameRow
    position: int
    note: str
    ply: int


class CollectedPlace(NamedTuple):
    """A place of a game in a collection: the title of its part, empty outside of parts, its note and the ply
    that is shown first."""

    part: str
    note: str
    ply: int


class Neighbours(NamedTuple):
    """The games before and after one in a collection, its number there from 1, and how many there are."""

    before: CollectedGame | None
    after: CollectedGame | None
    number: int
    total: int


def collection_shown(request: HttpRequest, pk: int) -> Collection:
    """Return the collection of an address. Raises Http404."""
    scope = readable_scope(request)
    collection = readable_collections(scope).filter(pk=pk).select_related("parent", "space").first()
    if collection is None:
        raise Http404
    if collection.visibility != Collection.Visibility.PUBLIC:
        read_private(request)
    return collection


def find_collections(
    scope: Scope, after: tuple[datetime, int] | None, limit: int
) -> tuple[list[Collection], bool]:
    """Return collections of the spaces of a scope, without parts, the last changed first, and whether there
    are more. Public ones are in the public space. `after` is the change and the id of the last one of the
    page before."""
    listed = Q(space__in=scope.spaces)
    if PUBLIC in scope.spaces:
        listed |= Q(visibility=Collection.Visibility.PUBLIC)
    if after is not None:
        changed, pk = after
        listed &= Q(changed__lt=changed) | Q(changed=changed, pk__lt=pk)
    found = Collection.objects.filter(listed, parent=None).order_by("-changed", "-pk")
    collections = list(found[: limit + 1])
    return collections[:limit], len(collections) > limit


def games_of(
    scope: Scope, collection: int, after: int, limit: int, *, skip: int = 0, backwards: bool = False
) -> tuple[list[CollectedGame], bool]:
    """Return the games of a collection after a position, in its order, and whether there are more of them.
    With `backwards`, return those before the position, the nearest first. Reads as many rows as it skips and
    returns."""
    readable = scope.condition("g")
    sign, way = ("<", " DESC") if backwards else (">", "")
    text = _GAMES.format(readable=readable.text, sign=sign, way=way)
    rows = Sql(text, (collection, after, *readable.values, limit + 1, skip)).rows()
    games = games_in(scope, [slot for slot, *_rest in rows[:limit]])
    collected = [CollectedGame(games[slot], *rest) for slot, *rest in rows[:limit] if slot in games]
    return collected, len(rows) > limit


def tournament_of(scope: Scope, collection: int) -> tuple[list[TournamentGame], dict[str, str], bool]:
    """Return the games of two players in a collection and its parts, up to `MOST_STANDINGS`, the names of the
    players by keys, and whether there are more games."""
    ids = ids_of_collection(scope, collection)
    if not ids:
        return [], {}, False
    readable = scope.condition("g")
    text = _TOURNAMENT.format(one_of=one_of(ids), readable=readable.text)
    rows = Sql(text, (*ids, *readable.values, MOST_STANDINGS + 1)).rows()
    games = [
        TournamentGame(pk, (str(first), str(second)), result, f"{event} {round_}".strip(), played)
        for pk, first, second, _names, _also, result, event, round_, played in rows[:MOST_STANDINGS]
    ]
    names = {str(row[at]): str(row[at + 2]) for row in rows for at in (1, 2)}
    return games, names, len(rows) > MOST_STANDINGS


def count_of(scope: Scope, collection: int, *, parts: bool = True) -> int:
    """Return the number of games in a collection, each once; with those of its parts, or without them."""
    name = f"collection {scope} {collection} {parts}"
    return cached_until_commit(name, lambda: _count(scope, collection, parts=parts))


def neighbours(scope: Scope, collection: int, game: int) -> Neighbours | None:
    """Return the neighbours of a game in a collection, without those of its parts; None if the collection
    does not have the game."""
    readable = scope.condition("g")
    place = Sql(_PLACE.format(readable=readable.text), (collection, game, *readable.values)).rows()
    if not place:
        return None
    ((position,),) = place
    before, _more = games_of(scope, collection, position, 1, backwards=True)
    after, _more = games_of(scope, collection, position, 1)
    counting = Sql(_NUMBERS.format(readable=readable.text), (position, collection, *readable.values))
    ((number, total),) = counting.rows()
    return Neighbours(before[0] if before else None, after[0] if after else None, int(number), int(total))


def number_of(scope: Scope, collection: int, game: int) -> tuple[int, int]:
    """Return the number of a game in the order of a collection and its parts, from 1, and its position in
    lists of that order. Raises InvalidCursorError if the collection does not have it."""
    in_order = games_in_order(scope, ids_of_collection(scope, collection) or (0,))
    found = in_order.embed(
        "SELECT d.position FROM {sql} JOIN archive_game g ON g.slot = d.slot WHERE g.id = %s", game
    ).rows()
    if not found:
        raise InvalidCursorError(f"the collection does not have game {game}")
    ((position,),) = found
    ((number,),) = in_order.embed("SELECT count(*) FROM {sql} WHERE d.position <= %s", position).rows()
    return int(number), int(position)


def places_of(scope: Scope, collection: Collection, games: Iterable[int]) -> dict[int, list[CollectedPlace]]:
    """Return the places of some games in a collection and its parts, by id, in its order."""
    rows = CollectionGame.objects.filter(
        game__in=list(games), collection__in=ids_of_collection(scope, collection.pk) or ()
    )
    places: dict[int, list[CollectedPlace]] = {}
    for row in rows.select_related("collection").order_by("collection__place", "position"):
        part = row.collection.title if row.collection_id != collection.pk else ""
        places.setdefault(row.game_id, []).append(CollectedPlace(part, row.note, row.ply))
    return places


def collections_with(scope: Scope, game: int, limit: int) -> Sequence[Collection]:
    """Return collections of a scope that have a game."""
    having = readable_collections(scope).filter(collected__game=game).select_related("parent")
    return list(having.order_by("title", "pk")[:limit])


# SQLite never reorders a CROSS JOIN.
_OF: Final = """FROM archive_collectiongame c CROSS JOIN archive_game g
    WHERE c.collection_id = %s AND {{condition}} g.id = c.game_id AND {readable}"""
_GAMES: Final = (
    "SELECT g.slot, c.position, c.note, c.ply "
    + _OF.replace("{{condition}}", "c.position {sign} %s AND")
    + " ORDER BY c.position{way} LIMIT %s OFFSET %s"
)
_PLACE: Final = "SELECT c.position " + _OF.replace("{{condition}}", "c.game_id = %s AND")
_NUMBERS: Final = "SELECT sum(CASE WHEN c.position <= %s THEN 1 ELSE 0 END), count(*) " + _OF.replace(
    "{{condition}}", ""
)


_TOURNAMENT: Final = """
    SELECT DISTINCT g.id, coalesce(p.home_id, p.id), coalesce(q.home_id, q.id), p.name, q.name, g.result,
        coalesce((SELECT n.name FROM archive_event n WHERE n.id = g.event_id), ''), g.round, g.played
    FROM archive_collectiongame c CROSS JOIN archive_game g
    JOIN archive_player p ON p.id = g.player0_id JOIN archive_player q ON q.id = g.player1_id
    WHERE c.collection_id {one_of} AND g.id = c.game_id AND g.record_kind = 'game'
        AND coalesce(p.home_id, p.id) <> coalesce(q.home_id, q.id) AND {readable}
    ORDER BY g.played, g.id LIMIT %s"""


def _count(scope: Scope, collection: int, *, parts: bool) -> int:
    ids = ids_of_collection(scope, collection) if parts else (collection,)
    if not ids:
        return 0
    readable = scope.condition("g")
    text = _COUNT.format(one_of=one_of(ids), readable=readable.text)
    ((number,),) = Sql(text, (*ids, *readable.values)).rows()
    return int(number)


_COUNT: Final = """SELECT count(DISTINCT c.game_id) FROM archive_collectiongame c CROSS JOIN archive_game g
    WHERE c.collection_id {one_of} AND g.id = c.game_id AND {readable}"""
