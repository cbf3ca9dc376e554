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
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import NAMES, address_with, limit_of, total_info
from archive.api.serializers import OTHERS, EventsQuery, PlayersQuery
from archive.api.shapes.common import extend
from archive.api.shapes.games import CountedGames, OpeningGames, YearGames
from archive.api.shapes.names import (
    EventInfo,
    EventsPage,
    NameInfo,
    NameListed,
    PlayerInfo,
    PlayerListed,
    PlayersPage,
    PlayerTally,
    SideTally,
    TallyInfo,
)
from archive.queries.games.totals import Total, names_total
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
    operation=Operation(
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
    operation=Operation(
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
    total = total_info(names_total(scope, kind, words))
    cut = found.cut and not found.next
    next_url = address_with(request, signer.sign(found.next) if found.next else None)
    similar = similar_spellings(scope, kind, words) if words and not found.items else []
    names = [_listed(kind, one, order, request) for one in found.items]
    if kind == "event":
        return Response(EventsPage(total, names, cut, next_url, similar))
    rows = [OTHERS if one.row == UNKNOWN else one.row for one in found.items]
    players = [extend(PlayerListed, one, row=row) for one, row in zip(names, rows, strict=True)]
    return Response(PlayersPage(total, players, cut, next_url, similar))


def _after(signer: Signer, query: dict[str, Any]) -> str:
    """Return the place after which a list is to continue; empty for its beginning. Raises ApiError."""
    try:
        return signer.unsign(query["cursor"]) if "cursor" in query else ""
    except BadSignature:
        text = f"this cursor was not made here, or not for order={query['order']}"
        raise ApiError("invalid-cursor", text, field="cursor") from None


def _listed(kind: Kind, one: ListedName, order: str, request: Request) -> NameListed:
    exact = order == "games" or one.games < people.COUNTED_TO
    return NameListed(one.id, _url(kind, one, request), one.name, total_info(Total(one.games, exact)))


def _url(kind: Kind, one: NamedCount | Summary, request: Request) -> str:
    return reverse(f"api:{kind}", [one.id], request=request)


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: PlayerInfo, 301: None},
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
    return Response(extend(PlayerInfo, _summary("player", found, request), opponents=_people(found, request)))


@endpoint(
    "GET",
    cached=True,
    operation=Operation({200: EventInfo}, examples=(Example("An event", {"event_id": 1}),)),
)
def event(request: Request, event_id: int) -> Response:
    """Describe an event by totals over its games."""
    found = people.event_summary(scope_of(request), event_id)
    if found is None:
        raise Http404
    return Response(extend(EventInfo, _summary("event", found, request), players=_people(found, request)))


def _summary(kind: Kind, found: Summary, request: Request) -> NameInfo:
    games = reverse("api:games", request=request)
    return NameInfo(
        id=found.id,
        url=_url(kind, found, request),
        name=found.name,
        names=list(found.aliases),
        counted=CountedGames(found.looked_at, people.LOOKED_AT if found.more else None),
        sides=[
            extend(SideTally, tally_info(tally), game=game, side=side)
            for game, both in found.sides.items()
            for side, tally in zip(GAMES[game].rules.sides, both, strict=True)
        ],
        years=[YearGames(*one) for one in found.years],
        openings=[OpeningGames(*one) for one in found.openings],
        games_url=f"{games}?{urlencode([(kind, found.name)])}",
    )


def _people(found: Summary, request: Request) -> list[PlayerTally]:
    return [player_tally(one, tally, request) for one, tally in found.people]


def player_tally(one: NamedCount, tally: ResultCounts, request: Request) -> PlayerTally:
    """Return a player, and how games ended for one side."""
    url = _url("player", one, request)
    return extend(PlayerTally, tally_info(tally), id=one.id, url=url, name=one.name)


def tally_info(tally: ResultCounts) -> TallyInfo:
    """Return games by how they ended for one side."""
    return TallyInfo(tally.games, tally.wins, tally.losses, tally.draws, tally.unknown)
