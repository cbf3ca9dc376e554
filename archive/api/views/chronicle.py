"""The history of a position's moves, and players' innovations."""

from typing import Any, Final

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from archive.api.endpoints import endpoint
from archive.api.fields import WholeNumberField
from archive.api.games import game_info
from archive.api.operations import POSITIONS, Example, Operation
from archive.api.positions import TrendQuery, kind_named
from archive.api.shapes import chronicle as shapes
from archive.api.shapes.games import YearGames
from archive.api.verdicts import line_info
from archive.api.views.names import shown_or_moved
from archive.queries.games.game_json import GameInfo
from archive.queries.positions.chronicle import MoveHistory, Verdicts
from archive.queries.positions.chronicle import chronicle as history_of_moves
from archive.queries.positions.innovations import FOLLOWERS, Innovation
from archive.queries.positions.innovations import innovations as innovations_of
from archive.queries.scope import scope_of
from kifu_core.games import SHOGI

MOST_LEAST: Final = 10_000


class InnovationsQuery(serializers.Serializer[Any]):
    """Parameters of `GET players/{id}/innovations`."""

    min_followers = WholeNumberField(
        required=False,
        min_value=1,
        max_value=MOST_LEAST,
        default=FOLLOWERS,
        help_text="The fewest games of others that reached the position.",
    )


@endpoint(
    "GET",
    query=TrendQuery,
    cached=True,
    operation=Operation(
        {200: shapes.ChronicleInfo},
        POSITIONS,
        examples=(
            Example(
                "The start",
                {
                    "kind": SHOGI.name,
                    "code": SHOGI.codec.path_code(SHOGI.codec.encode(SHOGI.rules.initial())),
                },
            ),
        ),
    ),
)
def chronicle(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """Return who played each move of a position first, how many followed and when, and what is out of use."""
    code = kind_named(kind).codec.code_of_path(code)
    found = history_of_moves(scope_of(request), kind, code, query["match"])
    return Response(
        shapes.ChronicleInfo(
            game=kind,
            match=found.match,
            code=code,
            games=found.games,
            undated=found.undated,
            complete=found.complete,
            moves=[_history(one, request) for one in found.moves],
        )
    )


def _history(one: MoveHistory, request: Request) -> shapes.MoveHistoryInfo:
    return shapes.MoveHistoryInfo(
        move=one.name,
        text=one.text,
        code=one.code,
        games=one.games,
        followers=one.games - 1,
        years=[YearGames(*year) for year in one.years],
        first=game_info(GameInfo, one.first, request) if one.first else None,
        last=one.last,
        out_of_use=one.out_of_use,
        before=one.before,
        since=one.since,
        points_share=one.score,
        verdicts=_verdicts(one.verdicts) if one.verdicts else None,
    )


def _verdicts(one: Verdicts) -> shapes.JudgedMove:
    scale = one.engine.winning_scale
    return shapes.JudgedMove(one.engine.title, line_info(one.before, scale), line_info(one.after, scale))


@endpoint(
    "GET",
    query=InnovationsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.InnovationsInfo, 301: None}, examples=(Example("Of a player", {"player_id": 1}),)
    ),
)
def innovations(request: Request, player_id: int, query: dict[str, Any]) -> Response | HttpResponse:
    """List a player's moves to positions that no earlier game reached and that others reached later."""
    player = shown_or_moved(request, player_id)
    if isinstance(player, HttpResponse):
        return player
    found = innovations_of(scope_of(request), player, query["min_followers"])
    return Response(
        shapes.InnovationsInfo(
            player_id=player.pk,
            games=found.games,
            more=found.more,
            undated=found.undated,
            plies=found.plies,
            results=[_innovation(one, request) for one in found.items],
        )
    )


def _innovation(one: Innovation, request: Request) -> shapes.InnovationInfo:
    return shapes.InnovationInfo(
        game=game_info(GameInfo, one.game, request),
        ply=one.ply,
        move=one.name,
        text=one.text,
        before=one.before,
        code=one.code,
        followers=one.followers,
    )
