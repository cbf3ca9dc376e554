"""Players, events and places: lists by name, and totals of the games of one of them."""

from typing import Any, TypeVar
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.errors import ApiError
from archive.api.names import player_tally, tally_info
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import NAMES, limit_of, next_url, sign_cursor, signed_cursor, total_info
from archive.api.serializers import OTHERS, EventsQuery, PlayersQuery
from archive.api.shapes import names as shapes
from archive.api.shapes.games import CountedGames, OpeningGames, YearGames
from archive.models import AnyName, Label, NameKind, Player
from archive.names.kana_readings import UNKNOWN
from archive.queries.games.totals import Total, names_total
from archive.queries.names import directory, people
from archive.queries.names.directory import ListedName
from archive.queries.names.ids_of_names import namesakes, unique_name
from archive.queries.names.latin_names import latin_names
from archive.queries.names.people import Summary
from archive.queries.names.similar_names import similar_spellings
from archive.queries.scope import scope_of
from kifu_core.games import GAMES

Listed = TypeVar("Listed", bound=shapes.NameListed)
Named = TypeVar("Named", bound=shapes.NameInfo)


@endpoint(
    "GET",
    query=PlayersQuery,
    cached=True,
    operation=Operation(
        {200: shapes.PlayersPage},
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
    """List the players whose names contain all words of `name`, page by page."""
    return _page("player", request, query)


@endpoint(
    "GET",
    query=EventsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.NamesPage},
        {400: CURSORS},
        examples=(Example("Those with the most games", query={"order": "games", "limit": 2}),),
    ),
)
def events(request: Request, query: dict[str, Any]) -> Response:
    """List the events whose names contain all words of `name`, page by page."""
    return _page("event", request, query)


@endpoint(
    "GET",
    query=EventsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.NamesPage},
        {400: CURSORS},
        examples=(Example("Those with the most games", query={"order": "games", "limit": 2}),),
    ),
)
def places(request: Request, query: dict[str, Any]) -> Response:
    """List the places whose names contain all words of `name`, page by page."""
    return _page("place", request, query)


def _page(kind: NameKind, request: Request, query: dict[str, Any]) -> Response:
    scope, order, words, row = scope_of(request), query["order"], query.get("name", ""), query.get("row")
    if row is not None and order != "reading":
        raise ApiError("invalid", "a row is one of the list by reading", field="row")
    page = directory.list_names(
        scope,
        kind,
        order,
        words,
        signed_cursor(query, f"names {kind}", order=order),
        UNKNOWN if row == OTHERS else row,
        limit_of(query, NAMES, NAMES),
    )
    total = total_info(names_total(scope, kind, words))
    cut = page.cut and not page.next
    following = next_url(request, sign_cursor(page.next, f"names {kind}", order=order) if page.next else None)
    similar = similar_spellings(scope, kind, words) if words and not page.items else []
    latin = latin_names(kind, [one.id for one in page.items])
    if kind != "player":
        labels = [
            _listed(shapes.NameListed, kind, one, order, request, latin=latin.get(one.id, ""))
            for one in page.items
        ]
        return Response(shapes.NamesPage(total, labels, cut, following, similar))
    players = [
        _listed(
            shapes.PlayerListed,
            kind,
            player,
            order,
            request,
            latin=latin.get(player.id, ""),
            row=OTHERS if player.row == UNKNOWN else player.row,
        )
        for player in page.items
    ]
    return Response(shapes.PlayersPage(total, players, cut, following, similar))


def _listed(
    shape: type[Listed], kind: NameKind, name: ListedName, order: str, request: Request, **members: Any
) -> Listed:
    exact = order == "games" or name.games < people.COUNT_LIMIT
    return shape(
        id=name.id,
        url=reverse(f"api:{kind}", [name.id], request=request),
        name=name.name,
        total=total_info(Total(name.games, exact)),
        **members,
    )


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: shapes.PlayerInfo, 301: None},
        examples=(
            Example("A player", {"player_id": 1}),
            Example("One that is not there", {"player_id": 99999}, status=404),
        ),
    ),
)
def player(request: Request, player_id: int) -> Response | HttpResponse:
    """Describe a player by totals of the player's games. The id of a merged player answers 301."""
    summary = people.player_summary(scope_of(request), player_id)
    if summary is None:
        return _moved("player", player_id, request)
    return Response(
        _summary_info(
            shapes.PlayerInfo,
            "player",
            summary,
            request,
            **_life(summary.entity),
            opponents=_people(summary, request),
        )
    )


def _life(row: AnyName) -> dict[str, Any]:
    if not isinstance(row, Player):
        return {}
    titles = [
        shapes.TitleInfo(one.get("title"), one.get("grade"), one.get("from", ""), one.get("to", ""))
        for one in row.titles
    ]
    return {"titles": titles, "born": row.born, "died": row.died, "namesakes": namesakes(row)}


@endpoint(
    "GET",
    cached=True,
    operation=Operation({200: shapes.EventInfo, 301: None}, examples=(Example("An event", {"event_id": 1}),)),
)
def event(request: Request, event_id: int) -> Response | HttpResponse:
    """Describe an event by totals of its games. The id of a merged event answers 301."""
    return _label("event", shapes.EventInfo, event_id, request, "place", "parent_id")


@endpoint(
    "GET",
    cached=True,
    operation=Operation({200: shapes.PlaceInfo, 301: None}, examples=(Example("A place", {"place_id": 1}),)),
)
def place(request: Request, place_id: int) -> Response | HttpResponse:
    """Describe a place by totals of its games. The id of a merged place answers 301."""
    return _label("place", shapes.PlaceInfo, place_id, request)


def _label(
    kind: Label, shape: type[shapes.PlaceInfo], pk: int, request: Request, *columns: str
) -> Response | HttpResponse:
    summary = people.label_summary(scope_of(request), kind, pk)
    if summary is None:
        return _moved(kind, pk, request)
    members = {name.removesuffix("_id"): getattr(summary.entity, name) for name in columns}
    players = _people(summary, request)
    return Response(_summary_info(shape, kind, summary, request, **members, players=players))


def shown_or_moved(request: Request, player_id: int) -> Player | HttpResponse:
    """Return a player that the request may read, or the redirect of a merged one. Raises Http404."""
    rows = people.shown_rows(scope_of(request), "player", [player_id])
    player = rows[0] if rows else None
    if not isinstance(player, Player) or player.home_id is not None:
        return _moved("player", player_id, request)
    return player


def _moved(kind: NameKind, pk: int, request: Request) -> HttpResponse:
    """Redirect from a merged row to the one that it was merged into. Raises Http404 for other ids."""
    now = people.merged_into(scope_of(request), kind, pk)
    if now is None:
        raise Http404
    return HttpResponse(status=301, headers={"Location": reverse(f"api:{kind}", [now], request=request)})


def _summary_info(
    shape: type[Named], kind: NameKind, summary: Summary, request: Request, **members: Any
) -> Named:
    games = reverse("api:games", request=request)
    unique = unique_name(summary.entity)
    return shape(
        id=summary.id,
        url=reverse(f"api:{kind}", [summary.id], request=request),
        name=summary.name,
        names=list(summary.aliases),
        spellings=[shapes.SpellingInfo(*one) for one in people.merged_rows(summary.entity)],
        kana=summary.entity.kana,
        latin=summary.entity.latin,
        note=summary.entity.note,
        source=summary.entity.source,
        set_by=summary.entity.set_by,
        game_filter=unique,
        counted=CountedGames(summary.counted, people.MOST_COUNTED if summary.more else None),
        sides=[
            tally_info(shapes.SideTally, counts, game=game, side=side)
            for game, both in summary.sides.items()
            for side, counts in zip(GAMES[game].rules.sides, both, strict=True)
        ],
        years=[YearGames(*year) for year in summary.years],
        openings=[OpeningGames(*opening) for opening in summary.openings],
        games_url=f"{games}?{urlencode([(kind, unique)])}",
        **members,
    )


def _people(summary: Summary, request: Request) -> list[shapes.PlayerTally]:
    return [player_tally(player, counts, request) for player, counts in summary.people]
