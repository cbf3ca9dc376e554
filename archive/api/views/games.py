"""Games: lists, one game, its downloads and its positions."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive import issues
from archive.api.endpoints import endpoint
from archive.api.errors import ApiError
from archive.api.negotiation import JSON
from archive.api.pagination import address_with, fitting, limit_of, number_of
from archive.api.serializers import GamesQuery, PageQuery, RecordQuery, filters_of, game_json
from archive.api.series import evaluation_json, score_json, tick_json
from archive.collecting import uncollected
from archive.downloads import DOWNLOADS, UnencodableError, extensions, write
from archive.ingest.series import unpack
from archive.models import Entry, Game, GameSeries
from archive.queries.games import find_games, game_by_id
from archive.queries.pages import InvalidCursorError
from archive.queries.twins import Twin, twins
from archive.taken_down import editions_shown, game_called, game_shown
from kifu_core.evaluations import best
from kifu_core.games import GAMES

SOURCES: Final = 100
"""Editions that an answer names; the same game may come a thousand times."""
FRACTIONS: Final = 10_000
SERIES: Final = 1_000
POSITIONS: Final = 1_000
LARGEST: Final = 2_000
EVALUATIONS: Final = 300_000
"""Bytes that evaluations may take in one answer, about."""


@endpoint("GET", query=GamesQuery)
def games(request: Request, query: dict[str, Any]) -> Response:
    """A page of games that have all that is asked for."""
    try:
        page = find_games(
            filters_of(query), query["order"], cursor=query.get("cursor"), limit=limit_of(query, 50)
        )
    except InvalidCursorError as error:
        raise ApiError("invalid-cursor", str(error), field="cursor") from error
    results = [game_json(row, request) for row in page.items]
    return Response({"results": results, "next": address_with(request, page.next)})


@endpoint("GET")
@uncollected()
def detail(request: Request, pk: int) -> Response | HttpResponse:
    """One game: what is known of it, its downloads, its sources. A former id answers 301."""
    game = game_shown(request, pk)
    row = game_by_id(pk) if game else None
    if game is None or row is None:
        return _former(request, pk)
    details = game.details
    if "fractions" in details:
        details["fractions"] = dict(islice(details["fractions"].items(), FRACTIONS))
    formats = extensions(row.kind)
    downloads = {name: reverse("api:game-record", [pk, name], request=request) for name in formats}
    return Response(
        game_json(row, request)
        | {
            "details": details,
            "record": downloads,
            "positions": reverse("api:game-positions", [pk], request=request),
            "series": reverse("api:game-series", [pk], request=request),
            "twins": [_twin(twin, request) for twin in twins(pk)],
            **_sources(pk, request),
        }
    )


def _sources(pk: int, request: Request) -> dict[str, Any]:
    """The first editions of a game, and how many more there are."""
    editions = editions_shown(request, pk).select_related(None)
    shown = list(editions.only("upload_id", "seq", "state", "format", "encoding", "program")[: SOURCES + 1])
    more = editions.count() - SOURCES if len(shown) > SOURCES else 0
    return {"sources": [_source(entry, request) for entry in shown[:SOURCES]], "more_sources": more}


def _former(request: Request, pk: int) -> HttpResponse:
    address = reverse("api:game", [game_called(request, pk)], request=request)
    return HttpResponse(status=301, headers={"Location": address})


def _twin(twin: Twin, request: Request) -> dict[str, Any]:
    return {"id": twin.id, "reason": twin.reason, "url": reverse("api:game", [twin.id], request=request)}


def _source(entry: Entry, request: Request) -> dict[str, Any]:
    return {
        "upload": reverse("api:upload", [entry.upload_id], request=request),
        "seq": entry.seq,
        "state": entry.state,
        "format": entry.format,
        "encoding": entry.encoding,
        "program": entry.program,
    }


def _types(name: str, **_parts: Any) -> list[str]:
    """The type of the files of that extension; of an unknown one any, so that the view can name it."""
    return [DOWNLOADS[name].partition(";")[0]] if name in DOWNLOADS else [JSON, "text/plain"]


@endpoint("GET", query=RecordQuery, types=_types)
@uncollected()
def record(request: Request, pk: int, name: str, query: dict[str, Any]) -> HttpResponse:
    """The record in a format, as a download; `ply` for formats of one position. 404 for other formats."""
    game = _game(request, pk)
    formats = extensions(game.kind)
    if name not in formats:
        raise ApiError("unknown-format", f"records are written as {', '.join(formats)}, not {name!r}", 404)
    try:
        content = write(game, name, _ply(query.get("ply"), game))
    except UnencodableError as error:
        missing = [issues.told(issues.as_stored(issue)) for issue in error.issues]
        raise ApiError("unencodable", f"{error}; {name}u is the same in UTF-8", 409, missing) from error
    disposition = f'attachment; filename="kifu-{pk}.{name}"'
    return HttpResponse(
        content,
        content_type=DOWNLOADS[name],
        headers={"Content-Disposition": disposition},
    )


def _game(request: Request, pk: int) -> Game:
    """Raises Http404 also for a former id, of which there is no file."""
    game = game_shown(request, pk)
    if game is None:
        game_called(request, pk)
        raise Http404
    return game


def _ply(text: str | None, game: Game) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 6 or int(text) > game.plies:
        raise ApiError("invalid-ply", f"ply={text!r} is not a number from 0 to {game.plies}", field="ply")
    return int(text)


@endpoint("GET", query=PageQuery)
def series(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """What engines wrote and clocks showed, ply by ply; of each list `limit` members from the cursor on."""
    sides = GAMES[_game(request, pk).kind].sides
    stored = GameSeries.objects.filter(pk=pk).values_list("series", flat=True).first()
    found, first = unpack(stored or b""), number_of(query) or 0
    most = limit_of(query, SERIES, LARGEST)
    evaluations = [evaluation_json(one, sides) for one in found.evaluations[first : first + most]]
    last = first + (fitting(evaluations, EVALUATIONS) if evaluations else most)
    scores = best(found.evaluations)
    longest = max(len(scores), len(found.evaluations), len(found.clock))
    return Response(
        {
            "scores": [score_json(one, sides) for one in scores[first:last]],
            "evaluations": evaluations[: last - first],
            "clock": [tick_json(tick, sides) for tick in found.clock[first:last]],
            "next": address_with(request, str(last) if last < longest else None),
        }
    )


@endpoint("GET", query=PageQuery)
@uncollected()
def positions(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """The code of every ply of the main line from the cursor on, and its other names (shogi: SFEN)."""
    game = _game(request, pk)
    kind, first, most = GAMES[game.kind], number_of(query) or 0, limit_of(query, POSITIONS, LARGEST)
    line = islice(kind.main_line(game.jkf), first, first + most + 1)
    results = [
        {"ply": ply, "code": kind.encode(position)} | kind.texts(position, ply)
        for ply, position, _, _ in islice(line, most)
    ]
    more = next(line, None) is not None
    return Response({"results": results, "next": address_with(request, str(first + most) if more else None)})
