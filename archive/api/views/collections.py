"""Collections of games: lists, one with its games, and changes."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from django.db import transaction
from django.http import QueryDict
from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import owner_of
from archive.api.bodies.collections import (
    CollectedBody,
    CollectedGameBody,
    CollectionBody,
    CollectionChangeBody,
    CollectionSearchBody,
    PartBody,
)
from archive.api.endpoints import body, endpoint, validated
from archive.api.errors import ApiError, query_error
from archive.api.games import game_info
from archive.api.operations import CURSORS, QUERIES, Example, Operation, merge_problems
from archive.api.pagination import DEFAULT_GAMES, PAGE, limit_of, next_url, sign_cursor, signed_cursor
from archive.api.refusals import Refusals
from archive.api.searches import search_of
from archive.api.serializers import CollectedQuery, CollectionsQuery, FacetsQuery
from archive.api.shapes import collections as shapes
from archive.api.views.libraries import target_of
from archive.collections import editing, rights, searching
from archive.collections import games as collecting
from archive.collections.errors import CollectionError
from archive.models import Collection, User
from archive.project.site_address import public_address
from archive.queries.collections import collection_shown, count_of, find_collections, games_of, tournament_of
from archive.queries.games.filters import game_filters
from archive.queries.scope import Scope, readable_scope, scope_of, space_name
from archive.queries.search.errors import QueryError
from archive.tournaments.standings import Player, standings_of

T = TypeVar("T")

_REFUSALS: Final = Refusals(
    CollectionError,
    {
        "collection-title": 400,
        "collection-text": 400,
        "unknown-game": 400,
        "not-collected": 404,
        "no-collection": 404,
        "no-search": 409,
        "too-many-collections": 409,
        "too-many-collected": 409,
        "part-of-part": 409,
        "of-the-whole": 409,
        "not-an-editor": 403,
        "not-an-owner": 403,
        "no-publishing": 403,
    },
    {"collection-title": "title", "unknown-game": "add"},
)


def _done(change: Callable[[], T]) -> T:
    """Return the result of a change. Raises ApiError if it is refused."""
    try:
        return _REFUSALS.run(change)
    except QueryError as error:
        raise query_error(error, "search") from error


def _stranger(**more: Any) -> tuple[Example, ...]:
    return (Example("Of a stranger", {"collection": 1}, status=401, **more),)


@endpoint(
    "GET",
    "POST",
    query={"GET": CollectionsQuery},
    operation={
        "GET": Operation(
            {200: shapes.CollectionsPage},
            {400: CURSORS},
            text="List the collections of the chosen spaces, the last changed first.",
            examples=(Example("The public ones", query={"limit": 1}),),
        ),
        "POST": Operation(
            {201: shapes.CollectionDetail},
            merge_problems(
                {400: ("unknown-space",)},
                _REFUSALS.problems(
                    "collection-title", "collection-text", "too-many-collections", "not-an-editor"
                ),
            ),
            CollectionBody,
            text="Create a collection in a library.",
            examples=(Example("Of a stranger", body={"title": "名局集"}, status=401),),
        ),
    },
)
def collections(request: Request, query: dict[str, Any] | None = None) -> Response:
    """List collections; POST creates one."""
    if request.method == "POST":
        fields, user = body(CollectionBody, request), owner_of(request)
        space = target_of(user, fields["space"])
        made = _done(lambda: editing.create(user, space, fields["title"], fields["description"]))
        return Response(_detail(request, made), status=201)
    query, scope = query or {}, scope_of(request)
    limit, after = limit_of(query, DEFAULT_GAMES, PAGE), signed_cursor(query, "collections", scope=str(scope))
    found, more = find_collections(scope, _place(after) if after else None, limit)
    last = f"{found[-1].changed.isoformat()} {found[-1].pk}" if more else ""
    cursor = sign_cursor(last, "collections", scope=str(scope)) if more else None
    readable = readable_scope(request)
    return Response(
        shapes.CollectionsPage(
            [shapes.CollectionInfo(**_members(request, readable, one)) for one in found],
            next_url(request, cursor),
        )
    )


def _place(text: str) -> tuple[datetime, int]:
    changed, _blank, pk = text.partition(" ")
    return datetime.fromisoformat(changed), int(pk)


@endpoint(
    "GET",
    "POST",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.CollectionDetail},
            text="Return a collection with its parts.",
            examples=(Example("No such collection", {"collection": 1}, status=404),),
        ),
        "POST": Operation(
            {200: shapes.CollectionDetail},
            _REFUSALS.problems(
                "collection-title", "collection-text", "not-an-editor", "not-an-owner", "no-publishing",
                "of-the-whole", "no-collection",
            ),
            CollectionChangeBody,
            text="Change the title, the description, the readers or the place of a collection.",
            examples=_stranger(body={"title": "名局集"}),
        ),
        "DELETE": Operation(
            {204: None},
            _REFUSALS.problems("not-an-owner", "no-collection"),
            text="Delete a collection with its parts; the games stay.",
            examples=_stranger(),
        ),
    },
)  # fmt: skip
def detail(request: Request, collection: int) -> Response:
    """Return a collection with its parts; POST changes it, DELETE deletes it."""
    if request.method in ("GET", "HEAD"):
        return Response(_detail(request, collection_shown(request._request, collection)))
    user = owner_of(request)
    shown = collection_shown(request._request, collection)
    if request.method == "DELETE":
        _done(lambda: editing.delete(user, shown))
        return Response(status=204)
    fields = body(CollectionChangeBody, request)
    key = _done(lambda: _change(user, shown, fields))
    # Not as the visitor reads it now: a curator who has hidden it reads it no more.
    return Response(_detail(request, Collection.objects.get(pk=collection), key))


@transaction.atomic
def _change(user: User, collection: Collection, fields: dict[str, Any]) -> str:
    """Change all that a body has, or nothing; return the key of a new link."""
    if "title" in fields or "description" in fields:
        title, text = (fields.get(name, getattr(collection, name)) for name in ("title", "description"))
        editing.describe(user, collection, title, text)
    if "place" in fields:
        editing.place_part(user, collection, fields["place"])
    return editing.show(user, collection, fields["visibility"]) if "visibility" in fields else ""


@endpoint(
    "POST",
    operation=Operation(
        {201: shapes.CollectionDetail},
        _REFUSALS.problems(
            "collection-title", "collection-text", "too-many-collections", "not-an-editor", "part-of-part",
            "no-collection",
        ),
        PartBody,
        examples=_stranger(body={"title": "第一章"}),
    ),
)  # fmt: skip
def parts(request: Request, collection: int) -> Response:
    """Create a part of a collection."""
    fields, user = body(PartBody, request), owner_of(request)
    shown = collection_shown(request._request, collection)
    made = _done(lambda: editing.create_part(user, shown, fields["title"], fields["description"]))
    return Response(_detail(request, made), status=201)


@endpoint(
    "GET",
    "POST",
    query={"GET": CollectedQuery},
    operation={
        "GET": Operation(
            {200: shapes.CollectedPage},
            {400: CURSORS},
            text="List the games of a collection in its order, without those of its parts.",
            examples=(Example("No such collection", {"collection": 1}, status=404),),
        ),
        "POST": Operation(
            {200: shapes.CollectedChange},
            merge_problems(
                _REFUSALS.problems("unknown-game", "too-many-collected", "not-an-editor", "no-collection"),
                QUERIES,
            ),
            CollectedBody,
            text="Add games or those of a search, remove games, or sort all of them.",
            examples=_stranger(body={"add": [1, 2]}),
        ),
    },
)
def games(request: Request, collection: int, query: dict[str, Any] | None = None) -> Response:
    """List the games of a collection; POST adds, removes or sorts them."""
    if request.method == "POST":
        user, fields = owner_of(request), body(CollectedBody, request)
        shown = collection_shown(request._request, collection)
        return Response(shapes.CollectedChange(_done(lambda: _collect(request, user, shown, fields))))
    shown, query = collection_shown(request._request, collection), query or {}
    scope, limit = readable_scope(request), limit_of(query)
    after = signed_cursor(query, "collection", collection=str(shown.pk))
    rows, more = games_of(scope, shown.pk, int(after or 0), limit)
    cursor = sign_cursor(str(rows[-1].position), "collection", collection=str(shown.pk)) if more else None
    results = [game_info(shapes.CollectedGame, one.row, request, note=one.note, ply=one.ply) for one in rows]
    return Response(shapes.CollectedPage(results, next_url(request, cursor)))


def _collect(request: Request, user: User, collection: Collection, fields: dict[str, Any]) -> int:
    if "order" in fields:
        collecting.sort(user, collection, fields["order"])
        return 0
    if "remove" in fields:
        return collecting.remove(user, collection, fields["remove"])
    if "add" in fields:
        return collecting.add(user, readable_scope(request), collection, fields["add"])
    filters = game_filters(validated(FacetsQuery, QueryDict(fields["search"])))
    return collecting.add_search(user, readable_scope(request), collection, filters)


@endpoint(
    "POST",
    "DELETE",
    operation={
        "POST": Operation(
            {200: shapes.CollectedChange},
            merge_problems(
                _REFUSALS.problems("no-search", "too-many-collected", "not-an-editor", "no-collection"),
                QUERIES,
            ),
            CollectionSearchBody,
            text="Add the games of a search, now and as they come, or repeat the search.",
            examples=_stranger(body={"search": "player=大橋宗銀"}),
        ),
        "DELETE": Operation(
            {204: None},
            _REFUSALS.problems("not-an-editor", "no-collection"),
            text="Add no more games of the search; those that were added stay.",
            examples=_stranger(),
        ),
    },
)
def search(request: Request, collection: int) -> Response:
    """Keep a collection up to date from a search; DELETE ends this."""
    user, shown = owner_of(request), collection_shown(request._request, collection)
    if request.method == "DELETE":
        _done(lambda: searching.keep_up(user, shown, None))
        return Response(status=204)
    fields = body(CollectionSearchBody, request)
    if "search" not in fields:
        return Response(shapes.CollectedChange(_done(lambda: searching.repeat(user, shown))))
    stored = search_of(fields["search"])
    return Response(shapes.CollectedChange(_done(lambda: searching.keep_up(user, shown, stored))))


@endpoint(
    "GET",
    operation=Operation(
        {200: shapes.StandingsInfo},
        examples=(Example("No such collection", {"collection": 1}, status=404),),
    ),
)
def standings(request: Request, collection: int) -> Response:
    """Return the standings of a tournament: players, ties, rounds, matches."""
    shown = collection_shown(request._request, collection)
    games, names, more = tournament_of(readable_scope(request), shown.pk)
    table = standings_of(games)
    return Response(
        shapes.StandingsInfo(
            kind=table.kind,
            players=[_row_of_player(player, names) for player in table.players],
            rounds=[
                shapes.RoundInfo(
                    name,
                    [
                        shapes.MatchInfo([*one.players], [*one.wins], one.winner, [*one.games])
                        for one in matches
                    ],
                )
                for name, matches in table.rounds
            ],
            complete=not more,
        )
    )


def _row_of_player(player: Player, names: dict[str, str]) -> shapes.StandingInfo:
    return shapes.StandingInfo(
        rank=player.rank,
        name=names[player.name],
        points=player.points,
        wins=player.wins,
        draws=player.draws,
        losses=player.losses,
        sos=player.sos,
        sodos=player.sodos,
        scores=[
            shapes.PlayedInfo(one.round, one.opponent, one.points, one.colour, one.game)
            for one in player.scores
        ],
    )


@endpoint(
    "POST",
    "DELETE",
    operation={
        "POST": Operation(
            {204: None},
            _REFUSALS.problems("collection-text", "not-an-editor", "not-collected", "no-collection"),
            CollectedGameBody,
            text="Change the note on a game, the ply that is shown first, or its place.",
            examples=(
                Example("Of a stranger", {"collection": 1, "game_id": 1}, body={"note": "x"}, status=401),
            ),
        ),
        "DELETE": Operation(
            {204: None},
            _REFUSALS.problems("not-an-editor", "not-collected", "no-collection"),
            text="Remove a game from a collection.",
            examples=(Example("Of a stranger", {"collection": 1, "game_id": 1}, status=401),),
        ),
    },
)
def game(request: Request, collection: int, game_id: int) -> Response:
    """Change the note, the first ply or the place of a game; DELETE removes it."""
    user, shown = owner_of(request), collection_shown(request._request, collection)
    if request.method == "DELETE":
        if not _done(lambda: collecting.remove(user, shown, [game_id])):
            raise ApiError("not-collected", f"game {game_id} is not in this collection", 404)
        return Response(status=204)
    fields = body(CollectedGameBody, request)
    _done(lambda: _change_game(user, shown, game_id, fields))
    return Response(status=204)


@transaction.atomic
def _change_game(user: User, collection: Collection, game: int, fields: dict[str, Any]) -> None:
    if "note" in fields or "ply" in fields:
        collecting.annotate(user, collection, game, fields.get("note"), fields.get("ply"))
    if "after" in fields:
        collecting.move(user, collection, game, fields["after"] or None)


# --- answers -----------------------------------------------------------------------------------------------


def _members(request: Request, scope: Scope, collection: Collection) -> dict[str, Any]:
    page = reverse("collection", [collection.pk], request=request)
    return {
        "id": collection.pk,
        "url": reverse("api:collection", [collection.pk], request=request),
        "page_url": public_address(page),
        "games_url": reverse("api:collection-games", [collection.pk], request=request),
        "title": collection.title,
        "description": collection.description,
        "visibility": str(collection.visibility),
        "space": space_name(request, collection.space_id),
        "games": count_of(scope, collection.pk),
        "created": collection.created,
        "changed": collection.changed,
    }


def _detail(request: Request, collection: Collection, key: str = "") -> shapes.CollectionDetail:
    scope, edits = readable_scope(request), rights.may_edit(request.user, collection)
    address = reverse("shared", [key], request=request) if key else ""
    return shapes.CollectionDetail(
        **_members(request, scope, collection),
        parent_id=collection.parent_id,
        parts=[
            shapes.PartInfo(
                part.pk,
                reverse("api:collection", [part.pk], request=request),
                part.title,
                count_of(scope, part.pk),
            )
            for part in collection.parts.order_by("place", "pk")
        ],
        may=_may(request.user, collection, edits=edits),
        search=urlencode(collection.search) if edits and collection.search is not None else None,
        link_url=public_address(address) if address else UNSET,
    )


def _may(user: Any, collection: Collection, *, edits: bool) -> list[str]:
    public, private = Collection.Visibility.PUBLIC, Collection.Visibility.PRIVATE
    may = {
        "edit": edits,
        "own": rights.may_own(user, collection),
        "publish": rights.may_show(user, collection, public),
        "hide": collection.visibility == public and rights.may_show(user, collection, private),
    }
    return [name for name, allowed in may.items() if allowed]
