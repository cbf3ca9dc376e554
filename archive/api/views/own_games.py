"""Statistics of the account's own games."""

from typing import Any, Final
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import owner_of
from archive.api.endpoints import endpoint
from archive.api.operations import QUERIES, Example, Operation
from archive.api.positions import position_url
from archive.api.serializers import FacetsQuery
from archive.api.shapes import own_games as shapes
from archive.api.shapes.games import KindGames
from archive.queries.games.color_names import own_sides
from archive.queries.games.filters import game_filters, stored_parameters
from archive.queries.games.own_games import OwnGroup, list_parameters, own_statistics
from archive.queries.positions.explorer import Explorer
from archive.queries.positions.own_positions import OwnPosition, own_positions
from archive.queries.scope import read_private, scope_of
from kifu_core.games import GAMES

MOVES: Final = 5
"""Moves of a position."""


@endpoint(
    "GET",
    query=FacetsQuery,
    operation=Operation(
        {200: shapes.OwnStatisticsInfo}, QUERIES, examples=(Example("Of a stranger", status=401),)
    ),
)
def statistics(request: Request, query: dict[str, Any]) -> Response:
    """Return statistics of the account's own games that match the filters."""
    owner_of(request)
    read_private(request._request)
    scope, filters = scope_of(request), game_filters(query)
    found = own_statistics(scope, filters)
    given, games = stored_parameters(query), reverse("api:games", request=request)

    def groups(listed: tuple[OwnGroup, ...]) -> list[shapes.OwnGroupInfo]:
        return [_group_info(one, found.kind, given, games) for one in listed]

    by = found.groups
    sides = (0, 1) if filters.me not in (0, 1) else (filters.me,)
    positions = [one for side in sides for one in own_positions(scope, found.kind, filters, side)]
    return Response(
        shapes.OwnStatisticsInfo(
            game=found.kind,
            kinds=[KindGames(*one) for one in found.kinds],
            games=found.games,
            more=found.more,
            sides=groups(by["side"]),
            openings=groups(by["opening"]),
            formations=groups(by["formation"]),
            opponents=groups(by["opponent"]),
            months=groups(by["month"]),
            ratings=groups(by["rating"]),
            clocks=groups(by["clock"]),
            worst=groups(found.worst),
            positions=[_position_info(one, found.kind, request) for one in positions],
        )
    )


def _group_info(one: OwnGroup, kind: str, given: dict[str, Any], games: str) -> shapes.OwnGroupInfo:
    return shapes.OwnGroupInfo(
        games=one.tally.games,
        won=one.tally.wins,
        lost=one.tally.losses,
        drawn=one.tally.draws,
        unknown=one.tally.unknown,
        value=one.value,
        side=own_sides(GAMES[kind])[one.colour],
        points_share=one.score,
        interval=[*one.interval] if one.interval else None,
        games_url=f"{games}?{urlencode(list_parameters(one, kind, given, 'all'))}",
    )


def _position_info(one: OwnPosition, kind: str, request: Request) -> shapes.OwnPositionInfo:
    side = own_sides(GAMES[kind])[one.colour]
    return shapes.OwnPositionInfo(
        code=one.code,
        side=side,
        ply=one.ply,
        games=one.own.total,
        own_moves=_moves(one.own),
        all_games=one.all.total,
        all_moves=_moves(one.all),
        position_url=f"{position_url(GAMES[kind], one.code, request)}?{urlencode({'me': side})}",
    )


def _moves(explorer: Explorer) -> list[shapes.OwnMove]:
    return [
        shapes.OwnMove(one.name, one.text, one.total, one.score)
        for one in explorer.moves[:MOVES]
        if one.total
    ]
