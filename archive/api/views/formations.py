"""Castles and openings: all of them, one of them, and the opening that a position belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import Http404
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.formations import formation_names, work_info
from archive.api.operations import POSITIONS, Example, Operation
from archive.api.positions import PictureQuery
from archive.api.shapes.common import extend
from archive.api.shapes.formations import (
    FormationInfo,
    FormationListed,
    FormationSide,
    FormationsInfo,
    NextMove,
    OpeningInfo,
    OpposingFormation,
    PlyGames,
    PositionOpening,
)
from archive.api.shapes.games import CountedGames, YearGames
from archive.api.views.names import player_tally, tally_info
from archive.api.views.positions import drawn
from archive.queries.names.people import ResultCounts
from archive.queries.patterns import formation_counts as queries
from archive.queries.scope import scope_of
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.formations import BY_NAME, FORMATIONS, VERSION, Formation, diagram

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from archive.queries.patterns.formation_counts import FormationCount


_START = {"kind": SHOGI.name, "code": SHOGI.codec.encode(SHOGI.rules.initial())}


@endpoint("GET", cached=True, operation=Operation({200: FormationsInfo}, examples=(Example("All"),)))
def formations(request: Request) -> Response:
    """List all castles and openings, with how games with them ended; at most ten minutes old."""
    found = queries.formation_counts(scope_of(request))
    results = [_listed(one, found.get(one.name), request) for one in FORMATIONS]
    return Response(FormationsInfo(VERSION, results))


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: FormationInfo},
        examples=(
            Example("A castle", {"formation": "anaguma"}),
            Example("No castle", {"formation": "sandcastle"}, status=404),
        ),
    ),
)
def detail(request: Request, formation: str) -> Response:
    """Describe a castle or an opening: when it arises, against what, who plays it, and which moves follow."""
    if formation not in BY_NAME:
        raise Http404
    scope, one = scope_of(request), BY_NAME[formation]
    found = queries.formation_details(scope, one)
    return Response(
        extend(
            FormationInfo,
            _listed(one, queries.formation_counts(scope).get(formation), request),
            counted=CountedGames(found.looked_at, queries.LOOKED_AT if found.more else None),
            by_side=[
                extend(FormationSide, tally_info(tally), side=side)
                for side, tally in zip(SHOGI.rules.sides, found.colours, strict=True)
            ],
            years=[YearGames(*one) for one in found.years],
            plies=[PlyGames(first, first + queries.PLY_STEP - 1, n) for first, n in found.plies],
            against=[
                extend(OpposingFormation, formation_names(other), tally=tally_info(tally))
                for other, tally in found.against
            ],
            players=[player_tally(player, tally, request) for player, tally in found.players],
            moves=[
                NextMove(
                    text=SHOGI.text.record_move_label(move, None, "ja"),
                    english=SHOGI.text.record_move_label(move, None, "en"),
                    games=n,
                )
                for move, n in found.moves
            ],
        )
    )


@endpoint(
    "GET",
    query=PictureQuery,
    types=["image/svg+xml"],
    operation=Operation({200: None}, examples=(Example("A castle", {"formation": "anaguma"}),)),
)
def picture(request: Request, formation: str, query: dict[str, Any]) -> HttpResponse:
    """Draw what has to stand on the board as SVG; `flip=1` turns the board."""
    if formation not in BY_NAME:
        raise Http404
    return drawn(SHOGI, diagram(BY_NAME[formation]), flip=query["flip"])


def _listed(one: Formation, found: FormationCount | None, request: Request) -> FormationListed:
    games = reverse("api:games", request=request)
    return extend(
        FormationListed,
        formation_names(one),
        parents=list(one.parents),
        patterns=list(one.patterns),
        until=one.until,
        sources=[work_info(work) for work in one.sources],
        games=found.games if found else 0,
        sides=tally_info(found.tally if found else ResultCounts()),
        url=reverse("api:formation", [one.name], request=request),
        games_url=f"{games}?{urlencode({'formation': one.name})}",
    )


@endpoint(
    "GET",
    cached=True,
    operation=Operation({200: OpeningInfo}, POSITIONS, examples=(Example("Of the start", _START),)),
)
def opening(request: Request, kind: str, code: str) -> Response:
    """Return the opening that most of the newest games through a position have."""
    if kind not in GAMES:
        raise Http404
    found = queries.opening_of(scope_of(request), kind, GAMES[kind].codec.code_of_path(code))
    if found is None:
        return Response(OpeningInfo(None))
    names = formation_names(found.formation)
    return Response(OpeningInfo(extend(PositionOpening, names, games=found.games, counted=found.looked_at)))
