"""Positions: finding them, how often they were reached, what was played from them, and by which games."""

from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.pagination import THROUGH, address_with, limit_of
from archive.api.positions import (
    BatchBody,
    FindBody,
    PictureQuery,
    PositionQuery,
    SfenQuery,
    ThroughQuery,
    TrendQuery,
    WalkQuery,
    counts_json,
    encodable,
    explorer_json,
    found_json,
    legal_json,
    oddity_json,
    position_url,
    through_json,
    trend_json,
    walk_json,
)
from archive.api.shapes.positions import POSITIONS as POSITION_SCHEMAS
from archive.api.shapes.positions import (
    Batch,
    Board,
    Explored,
    FoundPosition,
    GamesThroughPage,
    LegalMoves,
    OddPosition,
    Tree,
    TrendTold,
)
from archive.api.telling import CURSORS, POSITIONS, READING, Example, Told, together
from archive.derive.issues import all_as_json, detail_of, language
from archive.http.limits.text_limits import check_body, check_text, limited_reading
from archive.queries.games.filters import position_filters
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.positions import position_lookup
from archive.queries.positions.explorer import explore, explore_many
from archive.queries.positions.legal_moves import list_legal_moves
from archive.queries.positions.opening_tree import build_tree
from archive.queries.positions.position_games import games_through
from archive.queries.positions.trend import trend as games_by_year
from archive.queries.scope import scope_of
from kifu_core.errors import DecodeError, Issue
from kifu_core.games import GAMES, SHOGI, GameKind
from kifu_core.shogi.oddities import oddities as oddities_of
from kifu_core.shogi.position import Position

_STARTS: Final = {
    name: {"kind": name, "code": game.codec.path_code(game.codec.encode(game.rules.initial()))}
    for name, game in GAMES.items()
}
_START: Final = _STARTS[SHOGI.name]
_SWINGING: Final = "JoUAACMaqtYhwHgAAAAPegTnd3vMgAA"
"""After ７八飛 from the start."""
_SFEN: Final = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


_OF_SFEN: Final = ("sfen-fields", "sfen-board", "sfen-turn", "sfen-hands", "sfen-number")


def _game(kind: str) -> GameKind[Any]:
    if kind not in GAMES:
        raise ApiError("unknown-game", f"there are positions of {', '.join(GAMES)}, not of {kind!r}", 404)
    return GAMES[kind]


@endpoint(
    "GET",
    query=SfenQuery,
    told=Told(
        {200: Explored, 303: None},
        {400: (*_OF_SFEN, "unencodable", "king-range")},
        examples=(
            Example("The start", query={"sfen": _SFEN}, status=303),
            Example("No SFEN", query={"sfen": "startpos"}, status=400),
        ),
    ),
)
def by_sfen(request: Request, query: dict[str, Any]) -> HttpResponse:
    """Redirect (303) to the position that an SFEN names. Raises DecodeError for any other text."""
    position = Position.from_sfen(query["sfen"])
    address = position_url(SHOGI, SHOGI.codec.encode(position), request)
    return HttpResponse(status=303, headers={"Location": address})


@endpoint(
    "GET",
    query=PositionQuery,
    cached=True,
    told=Told(
        {200: Explored},
        POSITIONS,
        examples=(
            *(Example(f"The start of {name}", start) for name, start in _STARTS.items()),
            Example("In games of a player", _START, {"player": "大橋宗銀"}),
            Example("No code", {"kind": "shogi", "code": "x"}, status=400),
            Example("No game", {"kind": "chess", "code": "x"}, status=404),
        ),
    ),
)
def detail(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """Return what the explorer shows for a position; a position that nobody reached has zero games."""
    game = _game(kind)
    code = game.codec.code_of_path(code)
    position = game.codec.decode(code)
    found = explore(
        scope_of(request),
        kind,
        code,
        query["match"],
        query["lines"],
        filters=position_filters(kind, query),
        transpositions=query["transpositions"],
    )
    return Response(
        explorer_json(found, request)
        | game.text.notations(position, 0)
        | {"position": game.codec.as_object(position)}
        | {"games_url": reverse("api:position-games", [kind, game.codec.path_code(code)], request=request)}
    )


@endpoint(
    "GET",
    told=Told({200: Board}, POSITIONS, examples=(Example("The start", _START),)),
)
def board(request: Request, kind: str, code: str) -> Response:
    """Describe a position by itself: as an object, in words, mirrored and with colours exchanged."""
    game = _game(kind)
    code = game.codec.code_of_path(code)
    position = game.codec.decode(code)
    return Response(
        {
            "game": kind,
            "code": code,
            **game.text.notations(position, 0),
            "position": game.codec.as_object(position),
            "words": game.picture.words(position, language()),
            "images": [{"image": name, "code": one} for name, one in _images(game, position)],
        }
    )


def _images(game: GameKind[Any], position: Any) -> Iterator[tuple[str, str]]:
    """Yield the other positions that a `match` can count as this one: what each is, and its code."""
    turned = position.turned()
    every = {"mirrored": position.mirrored(), "turned": turned, "both": turned.mirrored()}
    known = {game.codec.encode(position)}
    for name, image in every.items():
        if (code := game.codec.encode(image)) not in known:
            known.add(code)
            yield name, code


@endpoint(
    "GET",
    query=SfenQuery,
    told=Told(
        {200: OddPosition},
        {400: _OF_SFEN},
        examples=(
            Example("The start", query={"sfen": _SFEN}),
            Example("Two kings", query={"sfen": "4k4/9/9/9/9/9/9/4K4/4K4 b - 1"}),
        ),
    ),
)
def oddities(request: Request, query: dict[str, Any]) -> Response:
    """List what is odd about a position of shogi that somebody has set up, beginning with what no game can
    have.
    """
    position = Position.from_sfen(query["sfen"])
    return Response(
        {
            "sfen": position.sfen(),
            "code": encodable(SHOGI, position),
            "oddities": [oddity_json(one) for one in oddities_of(position)],
        }
    )


@endpoint(
    "GET",
    query=ThroughQuery,
    cached=True,
    told=Told(
        {200: GamesThroughPage},
        together(POSITIONS, {400: CURSORS}),
        examples=(Example("The oldest", _START, {"order": "oldest", "limit": 1}),),
    ),
)
def games(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """List the games through a position, page by page."""
    game = _game(kind)
    code = game.codec.code_of_path(code)
    game.codec.decode(code)
    try:
        page = games_through(
            scope_of(request),
            kind,
            code,
            query["match"],
            query["order"],
            cursor=query.get("cursor"),
            limit=limit_of(query, THROUGH),
            lines=query["lines"],
            filters=position_filters(kind, query),
        )
    except InvalidCursorError as error:
        raise ApiError("invalid-cursor", str(error), field="cursor") from error
    results = [through_json(row, request) for row in page.items]
    return Response(
        {"results": results, "next": address_with(request, page.next), "searching": page.searching}
    )


@endpoint(
    "GET",
    cached=True,
    told=Told(
        {200: LegalMoves},
        POSITIONS,
        examples=tuple(Example(f"The start of {name}", start) for name, start in _STARTS.items()),
    ),
)
def legal_moves(request: Request, kind: str, code: str) -> Response:
    """List all legal moves, played or not, with their texts and the codes of the positions they lead to."""
    game = _game(kind)
    code = game.codec.code_of_path(code)
    moves = [legal_json(move) for move in list_legal_moves(kind, code)]
    return Response({"game": kind, "code": code, "moves": moves})


@endpoint(
    "GET",
    query=TrendQuery,
    cached=True,
    told=Told(
        {200: TrendTold},
        POSITIONS,
        examples=(Example("After a first move", {"kind": SHOGI.name, "code": _SWINGING}),),
    ),
)
def trend(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """Count by year the dated games that reach a position on their main line, also years without games."""
    game = _game(kind)
    code = game.codec.code_of_path(code)
    found = games_by_year(scope_of(request), kind, code, query["match"])
    return Response({"game": kind, "match": query["match"], "code": code} | trend_json(found))


@endpoint(
    "GET",
    query=WalkQuery,
    told=Told(
        {200: Tree}, POSITIONS, examples=(Example("Two half-moves", _START, {"depth": 2, "min_games": 10}),)
    ),
)
def tree(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """Return the tree of moves played from a position, and from the positions after it, to a depth.

    The size of the tree is limited; it says what cut it short.
    """
    game = _game(kind)
    code = game.codec.code_of_path(code)
    found = build_tree(
        scope_of(request), kind, code, query["depth"], query["min_games"], query["match"], query["lines"]
    )
    told = {"game": kind} | {name: query[name] for name in ("match", "lines", "depth", "min_games")}
    return Response(told | walk_json(game, found))


@endpoint(
    "POST",
    told=Told(
        {200: Batch},
        {404: ("unknown-game",)},
        BatchBody,
        examples=(Example("A position, and none", {"kind": "shogi"}, body={"codes": [_START["code"], "x"]}),),
    ),
)
def batch(request: Request, kind: str) -> Response:
    """Return the numbers of many positions, in the order asked; an invalid code has an error in its place."""
    game, sent = _game(kind), body(BatchBody, request)
    codes = {path: game.codec.code_of_path(path) for path in sent["codes"]}
    errors = {path: error for path, code in codes.items() if (error := _error_of(game, path, code))}
    valid = list(dict.fromkeys(code for path, code in codes.items() if path not in errors))
    answers = explore_many(scope_of(request), kind, valid, sent["match"], sent["lines"])
    found = {answer.code: counts_json(game, answer) for answer in answers}
    told = {path: errors.get(path) or found[code] for path, code in codes.items()}
    return Response(
        {"game": kind, "match": sent["match"], "lines": sent["lines"]}
        | {"results": [told[path] for path in sent["codes"]]}
    )


def _error_of(game: GameKind[Any], path: str, code: str) -> dict[str, Any] | None:
    try:
        game.codec.decode(code)
    except DecodeError as error:
        return {"code": path, "error": {"code": error.code, "detail": detail_of(error, "en")}}
    return None


@endpoint(
    "POST",
    told=Told(
        {200: Explored, 303: FoundPosition},
        together(READING, POSITIONS, {400: ("no-position",), 404: ("game-not-found",)}),
        FindBody,
        or_body=POSITION_SCHEMAS,
        examples=(
            Example("An SFEN", {"kind": "shogi"}, body={"text": _SFEN}, status=303),
            Example("Of a game", {"kind": "shogi"}, body={"game_id": 1, "ply": 20}, status=303),
            *(
                Example(f"A code of {name}", {"kind": name}, body={"text": start["code"]}, status=303)
                for name, start in _STARTS.items()
            ),
            Example("Of no game", {"kind": "shogi"}, body={"game_id": 99999}, status=404),
        ),
    ),
)
def find(request: Request, kind: str) -> Response:
    """Redirect (303) to the position that is meant, also named in the body, whether games reach it or not."""
    game = _game(kind)
    check_body(request, settings.ARCHIVE_MAX_FIND_BYTES)
    with limited_reading():
        position, faults = _meant(game, request)
    told = found_json(game, game.codec.encode(position), request)
    found = told | game.text.notations(position, 0) | {"issues": all_as_json(faults)}
    return Response(found, status=303, headers={"Location": told["url"]})


_DOORS: Final = ("text", "game_id", "position")


def _meant(game: GameKind[Any], request: Request) -> tuple[Any, list[Issue]]:
    """Return the position that is meant, and issues for what of its text it does not include."""
    if isinstance(request.data, dict) and request.data and not {*_DOORS, "ply"} & request.data.keys():
        return game.codec.from_object(request.data), []
    sent = body(FindBody, request)
    ply = sent.get("ply")
    doors = [door for door in _DOORS if door in sent]
    if len(doors) != 1:
        raise ApiError("no-position", "send one of text, game_id and position, or a Position object")
    if "text" in sent:
        text = sent["text"]
        check_text(text, settings.ARCHIVE_MAX_FIND_BYTES)
        position = position_lookup.of_text(game, text, ply)
        return position, position_lookup.faults(game, text, position if ply is None else None)
    if "position" in sent:
        return game.codec.from_object(sent["position"]), []
    try:
        return position_lookup.of_game(scope_of(request), game, sent["game_id"], ply), []
    except position_lookup.GameNotFoundError as error:
        raise ApiError("game-not-found", str(error), 404) from error


@endpoint(
    "GET",
    query=PictureQuery,
    types=["image/svg+xml"],
    told=Told({200: None}, POSITIONS, examples=(Example("The start", _START, {"flip": "1"}),)),
)
def picture(request: Request, kind: str, code: str, query: dict[str, Any]) -> HttpResponse:
    """Draw the position as SVG; `flip=1` turns the board."""
    game = _game(kind)
    return drawn(game, game.codec.decode(game.codec.code_of_path(code)), flip=query["flip"])


def drawn(game: GameKind[Any], position: Any, *, flip: bool) -> HttpResponse:
    """Return a picture of a position, in the reader's language."""
    svg = game.picture.svg(position, flip=flip, language=language())
    headers = {"Cache-Control": "public, max-age=86400", "Vary": "Accept-Language"}
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
