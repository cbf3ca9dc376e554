"""Castles and openings: all of them, one of them, and the opening that a position belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import Http404
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.formations import named_json, work_json
from archive.api.positions import PictureQuery
from archive.api.shapes.formations import FormationsTold, FormationTold, OpeningTold
from archive.api.telling import POSITIONS, Example, Told
from archive.api.views.names import fared_json, player_json
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


@endpoint("GET", cached=True, told=Told({200: FormationsTold}, examples=(Example("All"),)))
def formations(request: Request) -> Response:
    """List all castles and openings, with how games with them ended; at most ten minutes old."""
    found = queries.formation_counts(scope_of(request))
    results = [_listed(one, found.get(one.name), request) for one in FORMATIONS]
    return Response({"version": VERSION, "results": results})


@endpoint(
    "GET",
    cached=True,
    told=Told(
        {200: FormationTold},
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
        _listed(one, queries.formation_counts(scope).get(formation), request)
        | {
            "counted": {"games": found.looked_at, "newest": queries.LOOKED_AT if found.more else None},
            "by_side": [
                {"side": side, **fared_json(tally)}
                for side, tally in zip(SHOGI.rules.sides, found.colours, strict=True)
            ],
            "years": [{"year": year, "games": n} for year, n in found.years],
            "plies": [
                {"first": first, "last": first + queries.PLY_STEP - 1, "games": n} for first, n in found.plies
            ],
            "against": [named_json(other) | {"fared": fared_json(tally)} for other, tally in found.against],
            "players": [player_json(player, tally, request) for player, tally in found.players],
            "moves": [
                {
                    "text": SHOGI.text.record_move_label(move, None, "ja"),
                    "english": SHOGI.text.record_move_label(move, None, "en"),
                    "games": n,
                }
                for move, n in found.moves
            ],
        }
    )


@endpoint(
    "GET",
    query=PictureQuery,
    types=["image/svg+xml"],
    told=Told({200: None}, examples=(Example("A castle", {"formation": "anaguma"}),)),
)
def picture(request: Request, formation: str, query: dict[str, Any]) -> HttpResponse:
    """Draw what has to stand on the board as SVG; `flip=1` turns the board."""
    if formation not in BY_NAME:
        raise Http404
    return drawn(SHOGI, diagram(BY_NAME[formation]), flip=query["flip"])


def _listed(one: Formation, found: FormationCount | None, request: Request) -> dict[str, Any]:
    games = reverse("api:games", request=request)
    return named_json(one) | {
        "parents": list(one.parents),
        "patterns": list(one.patterns),
        "until": one.until,
        "sources": [work_json(work) for work in one.sources],
        "games": found.games if found else 0,
        "sides": fared_json(found.tally if found else ResultCounts()),
        "url": reverse("api:formation", [one.name], request=request),
        "games_url": f"{games}?{urlencode({'formation': one.name})}",
    }


@endpoint(
    "GET",
    cached=True,
    told=Told({200: OpeningTold}, POSITIONS, examples=(Example("Of the start", _START),)),
)
def opening(request: Request, kind: str, code: str) -> Response:
    """Return the opening that most of the newest games through a position have."""
    if kind not in GAMES:
        raise Http404
    found = queries.opening_of(scope_of(request), kind, GAMES[kind].codec.code_of_path(code))
    told = found and named_json(found.formation) | {"games": found.games, "counted": found.looked_at}
    return Response({"opening": told})
