"""Castles and openings: all of them, one of them, and the opening that a position belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from django.http import Http404
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.formations import with_names, work_info
from archive.api.names import player_tally, tally_info
from archive.api.operations import POSITIONS, Example, Operation
from archive.api.positions import PictureQuery
from archive.api.shapes import formations as shapes
from archive.api.shapes.games import CountedGames, YearGames
from archive.api.shapes.names import TallyInfo
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

Listed = TypeVar("Listed", bound=shapes.FormationListed)

_START = {"kind": SHOGI.name, "code": SHOGI.codec.encode(SHOGI.rules.initial())}


@endpoint("GET", cached=True, operation=Operation({200: shapes.FormationsInfo}, examples=(Example("All"),)))
def formations(request: Request) -> Response:
    """List all castles and openings with the results of their games, at most ten minutes old."""
    counts = queries.formation_counts(scope_of(request))
    results = [_listed(shapes.FormationListed, one, counts.get(one.name), request) for one in FORMATIONS]
    return Response(shapes.FormationsInfo(VERSION, results))


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: shapes.FormationInfo},
        examples=(
            Example("A castle", {"formation": "anaguma"}),
            Example("No castle", {"formation": "sandcastle"}, status=404),
        ),
    ),
)
def detail(request: Request, formation: str) -> Response:
    """Describe a castle or an opening: when it arises, what the opponents have, its players, and the next
    moves."""
    if formation not in BY_NAME:
        raise Http404
    scope, entry = scope_of(request), BY_NAME[formation]
    details = queries.formation_details(scope, entry)
    return Response(
        _listed(
            shapes.FormationInfo,
            entry,
            queries.formation_counts(scope).get(formation),
            request,
            counted=CountedGames(details.counted, queries.MOST_COUNTED if details.more else None),
            by_side=[
                tally_info(shapes.FormationSide, counts, side=side)
                for side, counts in zip(SHOGI.rules.sides, details.colours, strict=True)
            ],
            years=[YearGames(*year) for year in details.years],
            plies=[shapes.PlyGames(first, first + queries.PLY_STEP - 1, n) for first, n in details.plies],
            against=[
                with_names(shapes.OpposingFormation, other, tally=tally_info(TallyInfo, counts))
                for other, counts in details.against
            ],
            players=[player_tally(player, counts, request) for player, counts in details.players],
            moves=[
                shapes.FormationMove(
                    text=SHOGI.text.record_move_label(move, None, "ja"),
                    english=SHOGI.text.record_move_label(move, None, "en"),
                    games=n,
                )
                for move, n in details.moves
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
    """Draw its pieces on the board as SVG; `flip=1` turns the board."""
    if formation not in BY_NAME:
        raise Http404
    return drawn(SHOGI, diagram(BY_NAME[formation]), flip=query["flip"])


def _listed(
    kind: type[Listed],
    formation: Formation,
    count: FormationCount | None,
    request: Request,
    **members: Any,
) -> Listed:
    games = reverse("api:games", request=request)
    return with_names(
        kind,
        formation,
        parents=list(formation.parents),
        patterns=list(formation.patterns),
        until=formation.until,
        sources=[work_info(work) for work in formation.sources],
        games=count.games if count else 0,
        sides=tally_info(TallyInfo, count.tally if count else ResultCounts()),
        url=reverse("api:formation", [formation.name], request=request),
        games_url=f"{games}?{urlencode({'formation': formation.name})}",
        **members,
    )


@endpoint(
    "GET",
    cached=True,
    operation=Operation({200: shapes.OpeningInfo}, POSITIONS, examples=(Example("Of the start", _START),)),
)
def opening(request: Request, kind: str, code: str) -> Response:
    """Return the opening that most of the newest games through a position have."""
    if kind not in GAMES:
        raise Http404
    most = queries.opening_of(scope_of(request), kind, GAMES[kind].codec.code_of_path(code))
    if most is None:
        return Response(shapes.OpeningInfo(None))
    info = with_names(shapes.OpeningAtPosition, most.formation, games=most.games, counted=most.counted)
    return Response(shapes.OpeningInfo(info))
