"""Positions: which one is meant, how often it was reached, what was played, which games did it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.errors import ApiError
from archive.api.pagination import address_with, limit_of
from archive.api.positions import (
    BatchBody,
    FindBody,
    PositionQuery,
    WalkQuery,
    counts_json,
    explorer_json,
    found_json,
    legal_json,
    position_filters,
    through_json,
    walk_json,
)
from archive.api.serializers import asked
from archive.issues import language
from archive.queries import finding
from archive.queries.legal import legal
from archive.queries.pages import InvalidCursorError
from archive.queries.positions import KINDS, explore, explore_many, games_through
from archive.queries.walk import walk
from kifu_core import draw
from kifu_core.errors import DecodeError
from kifu_core.keys import shogi64
from kifu_core.position import Position


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise ApiError("unknown-kind", f"there are positions of {', '.join(KINDS)}, not of {kind!r}", 404)


@api_view(["GET"])
def by_sfen(request: Request) -> HttpResponse:
    """303 to the position that an SFEN names; raises DecodeError for a text that is none."""
    position = Position.from_sfen(request.query_params.get("sfen", ""))
    address = reverse("api:position", ["shogi", shogi64.encode(position)], request=request)
    return HttpResponse(status=303, headers={"Location": address})


@api_view(["GET"])
def detail(request: Request, kind: str, code: str) -> Response:
    """The explorer's answer; a position that nobody reached has zero games."""
    _check_kind(kind)
    query = asked(PositionQuery, request)
    position = shogi64.decode(code)
    found = explore(
        kind,
        code,
        query["match"],
        query["lines"],
        filters=position_filters(query),
        transpositions=query["transpositions"],
    )
    return Response(
        explorer_json(found, request)
        | {"sfen": position.sfen(), "position": shogi64.as_object(position)}
        | {"games_url": reverse("api:position-games", [kind, code], request=request)}
    )


@api_view(["GET"])
def games(request: Request, kind: str, code: str) -> Response:
    """A page of the games through a position."""
    _check_kind(kind)
    query = asked(PositionQuery, request)
    shogi64.decode(code)
    try:
        page = games_through(
            kind,
            code,
            query["match"],
            query["order"],
            cursor=query.get("cursor"),
            limit=limit_of(request, 25),
            lines=query["lines"],
            filters=position_filters(query),
        )
    except InvalidCursorError as error:
        raise ApiError("invalid-cursor", str(error)) from error
    results = [through_json(row, request) for row in page.items]
    return Response({"results": results, "next": address_with(request, page.next)})


@api_view(["GET"])
def legal_moves(request: Request, kind: str, code: str) -> Response:
    """All legal moves with their texts and the codes of what they lead to, played by anybody or not."""
    _check_kind(kind)
    return Response({"kind": kind, "code": code, "moves": [legal_json(move) for move in legal(code)]})


@api_view(["GET"])
def tree(request: Request, kind: str, code: str) -> Response:
    """The moves played from a position, and from those after it, to a depth; bounded, and it says so."""
    _check_kind(kind)
    query = asked(WalkQuery, request)
    found = walk(kind, code, query["depth"], query["min_games"], query["match"], query["lines"])
    told = {"kind": kind, "match": query["match"], "lines": query["lines"]}
    return Response(told | {"depth": query["depth"], "min_games": query["min_games"]} | walk_json(found))


@api_view(["POST"])
def batch(request: Request, kind: str) -> Response:
    """The numbers of many positions, in the order asked; an invalid code has an error in its place."""
    _check_kind(kind)
    body = _body(BatchBody, request)
    errors = {code: error for code in body["codes"] if (error := _error_of(code))}
    valid = list(dict.fromkeys(code for code in body["codes"] if code not in errors))
    answers = explore_many(kind, valid, body["match"], body["lines"])
    told = errors | {answer.code: counts_json(answer) for answer in answers}
    return Response(
        {"kind": kind, "match": body["match"], "lines": body["lines"]}
        | {"results": [told[code] for code in body["codes"]]}
    )


def _error_of(code: str) -> dict[str, Any] | None:
    try:
        shogi64.decode(code)
    except DecodeError as error:
        return {"code": code, "error": {"code": error.code, "detail": str(error)}}
    return None


@api_view(["POST"])
def find(request: Request, kind: str) -> Response:
    """303 to the position that is meant, also told in the body; whether games reach it is not asked."""
    _check_kind(kind)
    position = _meant(request)
    told = found_json(kind, shogi64.encode(position), request)
    return Response(told | {"sfen": position.sfen()}, status=303, headers={"Location": told["url"]})


def _meant(request: Request) -> Position:
    if isinstance(request.data, dict) and "board" in request.data:
        return finding.of_object(request.data)
    body = _body(FindBody, request)
    ply = body.get("ply")
    doors = [door for door in ("text", "game", "position") if door in body]
    if len(doors) != 1:
        raise ApiError("no-position", "send one of text, game and position, or a Position object")
    if "text" in body:
        return finding.of_text(body["text"], ply)
    if "position" in body:
        return finding.of_object(body["position"])
    try:
        return finding.of_game(body["game"], ply)
    except finding.GameNotFoundError as error:
        raise ApiError("game-not-found", str(error), 404) from error


def _body(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    found = serializer(data=request.data)
    found.is_valid(raise_exception=True)
    return dict(found.validated_data)


@api_view(["GET"])
def picture(request: Request, kind: str, code: str) -> HttpResponse:
    """The position as SVG; `flip=1` turns the board."""
    _check_kind(kind)
    flip = request.query_params.get("flip") == "1"
    svg = draw.svg(shogi64.decode(code), flip=flip, language=language())
    headers = {"Cache-Control": "public, max-age=86400", "Vary": "Accept-Language"}
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
