"""Players and events: lists by name, and totals over the games of one of them."""

from typing import Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.errors import ApiError
from archive.api.pagination import NAMES, address_with, length_json, limit_of
from archive.api.serializers import OTHERS, EventsQuery, PlayersQuery
from archive.api.shapes.names import EventsPage, EventTold, PlayersPage, PlayerTold
from archive.api.telling import CURSORS, Example, Told
from archive.queries.games.totals import names_total
from archive.queries.names import directory, people
from archive.queries.names.directory import UNKNOWN, ListedName
from archive.queries.names.people import Kind, NamedCount, ResultCounts, Summary
from archive.queries.names.similar_names import similar_spellings
from archive.queries.scope import scope_of
from kifu_core.games import GAMES


@endpoint(
    "GET",
    query=PlayersQuery,
    cached=True,
    told=Told(
        {200: PlayersPage},
        {400: CURSORS},
        examples=(
            Example("The first by reading", query={"limit": 2}),
            Example("With a part of their name", query={"name": "大橋", "order": "games", "limit": 2}),
            Example("Whose names nobody knows how to read", query={"row": "others", "limit": 1}),
            Example("Mistyped", query={"name": "伊東印達"}),
            Example("No such order", query={"order": "name"}, status=400),
        ),
    ),
)
def players(request: Request, query: dict[str, Any]) -> Response:
    """List the players whose names contain everything asked for, page by page."""
    return _page("player", request, query)


@endpoint(
    "GET",
    query=EventsQuery,
    cached=True,
    told=Told(
        {200: EventsPage},
        {400: CURSORS},
        examples=(Example("Those with the most games", query={"order": "games", "limit": 2}),),
    ),
)
def events(request: Request, query: dict[str, Any]) -> Response:
    """List the events whose names contain everything asked for, page by page."""
    return _page("event", request, query)


def _page(kind: Kind, request: Request, query: dict[str, Any]) -> Response:
    scope, order, words, row = scope_of(request), query["order"], query.get("name", ""), query.get("row")
    if row is not None and order != "reading":
        raise ApiError("invalid", "a row is one of the list by reading", field="row")
    signer = Signer(salt=f"names {kind} {order}")
    found = directory.list_names(
        scope,
        kind,
        order,
        words,
        _after(signer, query),
        UNKNOWN if row == OTHERS else row,
        limit_of(query, NAMES, NAMES),
    )
    return Response(
        {
            "total": length_json(names_total(scope, kind, words)),
            "results": [_listed(kind, one, order, request) for one in found.items],
            "cut": found.cut and not found.next,
            "next": address_with(request, signer.sign(found.next) if found.next else None),
            "likely": similar_spellings(scope, kind, words) if words and not found.items else [],
        }
    )


def _after(signer: Signer, query: dict[str, Any]) -> str:
    """Return the place after which a list is to continue; empty for its beginning. Raises ApiError."""
    try:
        return signer.unsign(query["cursor"]) if "cursor" in query else ""
    except BadSignature:
        text = f"this cursor was not made here, or not for order={query['order']}"
        raise ApiError("invalid-cursor", text, field="cursor") from None


def _listed(kind: Kind, one: ListedName, order: str, request: Request) -> dict[str, Any]:
    row = {"row": OTHERS if one.row == UNKNOWN else one.row} if kind == "player" else {}
    exact = order == "games" or one.games < people.COUNTED_TO
    return _named(kind, one, request) | {"games": one.games, "exact": exact} | row


def _named(kind: Kind, one: NamedCount | Summary, request: Request) -> dict[str, Any]:
    return {"id": one.id, "url": reverse(f"api:{kind}", [one.id], request=request), "name": one.name}


@endpoint(
    "GET",
    cached=True,
    told=Told(
        {200: PlayerTold, 301: None},
        examples=(
            Example("A player", {"player_id": 1}),
            Example("One that is not there", {"player_id": 99999}, status=404),
        ),
    ),
)
def player(request: Request, player_id: int) -> Response | HttpResponse:
    """Describe a player by totals over the player's games. The former id of a player who was merged answers
    301.
    """
    found = people.player_summary(scope_of(request), player_id)
    if found is None and (now := people.merged_names(scope_of(request), player_id)) is not None:
        return HttpResponse(status=301, headers={"Location": reverse("api:player", [now], request=request)})
    if found is None:
        raise Http404
    return Response(_summary("player", found, request) | {"opponents": _people(found, request)})


@endpoint(
    "GET",
    cached=True,
    told=Told({200: EventTold}, examples=(Example("An event", {"event_id": 1}),)),
)
def event(request: Request, event_id: int) -> Response:
    """Describe an event by totals over its games."""
    found = people.event_summary(scope_of(request), event_id)
    if found is None:
        raise Http404
    return Response(_summary("event", found, request) | {"players": _people(found, request)})


def _summary(kind: Kind, found: Summary, request: Request) -> dict[str, Any]:
    games = reverse("api:games", request=request)
    return _named(kind, found, request) | {
        "names": found.aliases,
        "counted": {"games": found.looked_at, "newest": people.LOOKED_AT if found.more else None},
        "sides": [
            {"game": game, "side": side, **fared_json(tally)}
            for game, both in found.sides.items()
            for side, tally in zip(GAMES[game].rules.sides, both, strict=True)
        ],
        "years": [{"year": year, "games": n} for year, n in found.years],
        "openings": [{"opening": opening, "games": n} for opening, n in found.openings],
        "games_url": f"{games}?{urlencode([(kind, found.name)])}",
    }


def _people(found: Summary, request: Request) -> list[dict[str, Any]]:
    return [player_json(one, tally, request) for one, tally in found.people]


def player_json(one: NamedCount, tally: ResultCounts, request: Request) -> dict[str, Any]:
    """Return the JSON of a player and of how games ended for one side."""
    return _named("player", one, request) | fared_json(tally)


def fared_json(tally: ResultCounts) -> dict[str, int]:
    """Return the JSON of games by how they ended for one side."""
    return {
        "games": tally.games,
        "won": tally.wins,
        "lost": tally.losses,
        "drawn": tally.draws,
        "unknown": tally.unknown,
    }
