"""Games: lists, one game, its downloads and its positions."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive import issues
from archive.api.errors import ApiError
from archive.api.pagination import address_with, limit_of
from archive.api.serializers import GamesQuery, asked, filters_of, game_json
from archive.api.series import evaluation_json, score_json, tick_json
from archive.downloads import DOWNLOADS, UnencodableError, extensions, write
from archive.ingest.series import unpack
from archive.models import Entry, Game, GameAlias, GameSeries
from archive.queries.games import find_games, game_by_id
from archive.queries.pages import InvalidCursorError
from archive.queries.twins import Twin, twins
from kifu_core.evaluations import best
from kifu_core.games import GAMES


@api_view(["GET"])
def games(request: Request) -> Response:
    """A page of games that have all that is asked for."""
    query = asked(GamesQuery, request)
    try:
        page = find_games(
            filters_of(query), query["order"], cursor=query.get("cursor"), limit=limit_of(request, 50)
        )
    except InvalidCursorError as error:
        raise ApiError("invalid-cursor", str(error)) from error
    results = [game_json(row, request) for row in page.items]
    return Response({"results": results, "next": address_with(request, page.next)})


@api_view(["GET"])
def detail(request: Request, pk: int) -> Response | HttpResponse:
    """One game: what is known of it, its downloads, its sources. A former id answers 301."""
    row = game_by_id(pk)
    if row is None:
        return _former(request, pk)
    details = Game.objects.values_list("details", flat=True).get(pk=pk)
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
            "sources": [_source(entry, request) for entry in Entry.objects.filter(game_id=pk).order_by("pk")],
        }
    )


def _former(request: Request, pk: int) -> HttpResponse:
    alias = get_object_or_404(GameAlias, pk=pk)
    address = reverse("api:game", [alias.game_id], request=request)
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


@api_view(["GET"])
def record(request: Request, pk: int, name: str) -> HttpResponse:
    """The record in a format, as a download; `ply` for formats of one position. 404 for other formats."""
    game = get_object_or_404(Game.objects.select_related("stored"), pk=pk)
    formats = extensions(game.kind)
    if name not in formats:
        raise ApiError("unknown-format", f"records are written as {', '.join(formats)}, not {name!r}", 404)
    try:
        content = write(game, name, _ply(request, game))
    except UnencodableError as error:
        missing = [issues.told(issues.as_stored(issue)) for issue in error.issues]
        raise ApiError("unencodable", f"{error}; {name}u is the same in UTF-8", 409, missing) from error
    disposition = f'attachment; filename="kifu-{pk}.{name}"'
    return HttpResponse(
        content,
        content_type=DOWNLOADS[name],
        headers={"Content-Disposition": disposition},
    )


def _ply(request: Request, game: Game) -> int | None:
    text = request.query_params.get("ply")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > game.plies:
        raise ApiError("invalid-ply", f"ply={text!r} is not a number from 0 to {game.plies}")
    return int(text)


@api_view(["GET"])
def series(request: Request, pk: int) -> Response:
    """What engines wrote and clocks showed, ply by ply."""
    sides = GAMES[get_object_or_404(Game, pk=pk).kind].sides
    stored = GameSeries.objects.filter(pk=pk).values_list("series", flat=True).first()
    found = unpack(stored or b"")
    return Response(
        {
            "scores": [score_json(one, sides) for one in best(found.evaluations)],
            "evaluations": [evaluation_json(one, sides) for one in found.evaluations],
            "clock": [tick_json(tick, sides) for tick in found.clock],
        }
    )


@api_view(["GET"])
def positions(request: Request, pk: int) -> Response:
    """The code of every ply of the main line, and its other names (shogi: SFEN)."""
    game = get_object_or_404(Game.objects.select_related("stored"), pk=pk)
    kind = GAMES[game.kind]
    return Response(
        {
            "results": [
                {"ply": ply, "code": kind.encode(position)} | kind.texts(position, ply)
                for ply, position, _, _ in kind.main_line(game.jkf)
            ]
        }
    )
