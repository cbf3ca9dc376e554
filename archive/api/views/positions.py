"""Positions: finding them, the moves played from them, and the games through them."""

from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponse
from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response

from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.findings import issue_list
from archive.api.operations import CURSORS, POSITIONS, READING, Example, Operation, merge_problems
from archive.api.pagination import THROUGH, limit_of, next_url
from archive.api.positions import (
    BatchBody,
    FindBody,
    PictureQuery,
    PositionQuery,
    SfenQuery,
    ThroughQuery,
    TrendQuery,
    WalkQuery,
    encodable,
    explored,
    game_through,
    kind_named,
    oddity_info,
    outcomes,
    position_counts,
    position_url,
    sfen_of,
    tree_moves,
)
from archive.api.shapes import positions as shapes
from archive.api.shapes.games import YearGames
from archive.derive.issues import detail_of, language
from archive.http.limits.text_limits import check_body, check_search_text, limited_reading
from archive.queries.games.filters import position_filters
from archive.queries.positions import position_lookup
from archive.queries.positions.book_values import tree_values
from archive.queries.positions.explorer import CONFIDENCE, explore, explore_many
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


def _decoded(kind: str, path: str) -> tuple[GameKind[Any], str, Any]:
    """Return a kind of game, and the code and the position of an address. Raises ApiError, DecodeError."""
    game = kind_named(kind)
    code = game.codec.code_of_path(path)
    return game, code, game.codec.decode(code)


@endpoint(
    "GET",
    query=SfenQuery,
    operation=Operation(
        {200: shapes.Explored, 303: None},
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
    operation=Operation(
        {200: shapes.Explored},
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
    """Return the numbers of a position and its moves; a position that nobody reached has zero games."""
    _, code, position = _decoded(kind, code)
    explorer = explore(
        scope_of(request),
        kind,
        code,
        query["match"],
        query["lines"],
        filters=position_filters(kind, query),
        transpositions=query["transpositions"],
    )
    return Response(explored(explorer, position, request))


@endpoint(
    "GET",
    operation=Operation({200: shapes.BoardInfo}, POSITIONS, examples=(Example("The start", _START),)),
)
def board(request: Request, kind: str, code: str) -> Response:
    """Describe a position without games: as an object, in words, mirrored and with colours exchanged."""
    game, code, position = _decoded(kind, code)
    return Response(
        shapes.BoardInfo(
            game=kind,
            code=code,
            sfen=sfen_of(game, position),
            position=game.codec.as_object(position),
            words=game.picture.words(position, language()),
            images=[shapes.PositionImage(*one) for one in _images(game, position)],
        )
    )


def _images(game: GameKind[Any], position: Any) -> Iterator[tuple[str, str]]:
    turned = position.turned()
    every = {"mirrored": position.mirrored(), "turned": turned, "both": turned.mirrored()}
    codes = {game.codec.encode(position)}
    for name, image in every.items():
        if (code := game.codec.encode(image)) not in codes:
            codes.add(code)
            yield name, code


@endpoint(
    "GET",
    query=SfenQuery,
    operation=Operation(
        {200: shapes.OddPosition},
        {400: _OF_SFEN},
        examples=(
            Example("The start", query={"sfen": _SFEN}),
            Example("Two kings", query={"sfen": "4k4/9/9/9/9/9/9/4K4/4K4 b - 1"}),
        ),
    ),
)
def oddities(request: Request, query: dict[str, Any]) -> Response:
    """List the oddities of a position of shogi, the impossible ones first."""
    position = Position.from_sfen(query["sfen"])
    infos = [oddity_info(oddity) for oddity in oddities_of(position)]
    return Response(shapes.OddPosition(position.sfen(), encodable(SHOGI, position), infos))


@endpoint(
    "GET",
    query=ThroughQuery,
    cached=True,
    operation=Operation(
        {200: shapes.GamesThroughPage},
        merge_problems(POSITIONS, {400: CURSORS}),
        examples=(Example("The oldest", _START, {"order": "oldest", "limit": 1}),),
    ),
)
def games(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """List the games through a position, page by page."""
    _, code, _ = _decoded(kind, code)
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
    results = [game_through(row, request) for row in page.items]
    return Response(shapes.GamesThroughPage(results, next_url(request, page.next), page.searching))


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: shapes.LegalMoves},
        POSITIONS,
        examples=tuple(Example(f"The start of {name}", start) for name, start in _STARTS.items()),
    ),
)
def legal_moves(request: Request, kind: str, code: str) -> Response:
    """List all legal moves, played or not, with their texts and the codes of the positions they lead to."""
    game = kind_named(kind)
    code = game.codec.code_of_path(code)
    moves = [
        shapes.LegalMoveInfo(
            move=move.name,
            text=move.text,
            english=move.english,
            code=move.code,
            piece=move.facts.get("piece", UNSET),
            captured=move.facts.get("captured", UNSET),
            promotes=move.facts.get("promotes", UNSET),
        )
        for move in list_legal_moves(kind, code)
    ]
    return Response(shapes.LegalMoves(kind, code, moves))


@endpoint(
    "GET",
    query=TrendQuery,
    cached=True,
    operation=Operation(
        {200: shapes.TrendInfo},
        POSITIONS,
        examples=(Example("After a first move", {"kind": SHOGI.name, "code": _SWINGING}),),
    ),
)
def trend(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """Count by year the dated games that reach a position on their main line, also years without games."""
    game = kind_named(kind)
    code = game.codec.code_of_path(code)
    by_year = games_by_year(scope_of(request), kind, code, query["match"])
    years = [YearGames(*year) for year in by_year.years]
    return Response(shapes.TrendInfo(kind, query["match"], code, years, by_year.complete))


@endpoint(
    "GET",
    query=WalkQuery,
    operation=Operation(
        {200: shapes.OpeningTree},
        POSITIONS,
        examples=(Example("Two half-moves", _START, {"depth": 2, "min_games": 10}),),
    ),
)
def tree(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """Return the tree of moves played from a position, and from the positions after it, to a depth.

    The size of the tree is limited; `cut` names the limit that ended it early.
    """
    game = kind_named(kind)
    code = game.codec.code_of_path(code)
    scope = scope_of(request)
    opening_tree = build_tree(
        scope, kind, code, query["depth"], query["min_games"], query["match"], query["lines"]
    )
    engine, values = tree_values(scope, opening_tree) if game is SHOGI else (None, {})
    answer = opening_tree.root.explorer
    return Response(
        shapes.OpeningTree(
            game=kind,
            match=query["match"],
            lines=query["lines"],
            depth=query["depth"],
            min_games=query["min_games"],
            code=opening_tree.root.code,
            games=answer.total if answer else None,
            outcomes=outcomes(game, answer.results) if answer else None,
            confidence=CONFIDENCE,
            nodes=opening_tree.nodes,
            cut=opening_tree.cut,
            engine=engine.title if engine else "",
            moves=tree_moves(game, opening_tree.root.children, values),
        )
    )


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.PositionBatch},
        {404: ("unknown-game",)},
        BatchBody,
        examples=(Example("A position, and none", {"kind": "shogi"}, body={"codes": [_START["code"], "x"]}),),
    ),
)
def batch(request: Request, kind: str) -> Response:
    """Return the numbers of many positions, in the order of the codes; an invalid code has an error."""
    game, sent = kind_named(kind), body(BatchBody, request)
    codes = {path: game.codec.code_of_path(path) for path in sent["codes"]}
    errors = {path: error for path, code in codes.items() if (error := _error_of(game, path, code))}
    valid = list(dict.fromkeys(code for path, code in codes.items() if path not in errors))
    answers = explore_many(scope_of(request), kind, valid, sent["match"], sent["lines"])
    counts = {answer.code: position_counts(shapes.PositionCounts, game, answer) for answer in answers}
    results = [errors.get(path) or counts[codes[path]] for path in sent["codes"]]
    return Response(shapes.PositionBatch(kind, sent["match"], sent["lines"], results))


def _error_of(game: GameKind[Any], path: str, code: str) -> shapes.InvalidPosition | None:
    try:
        game.codec.decode(code)
    except DecodeError as error:
        return shapes.InvalidPosition(path, shapes.InvalidCode(error.code, detail_of(error, "en")))
    return None


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.Explored, 303: shapes.PositionAddress},
        merge_problems(READING, POSITIONS, {400: ("no-position",), 404: ("game-not-found",)}),
        FindBody,
        or_body=shapes.POSITIONS,
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
    """Redirect (303) to a position, whether games reach it or not. The body has the address, too."""
    game = kind_named(kind)
    check_body(request, settings.ARCHIVE_MAX_FIND_BYTES)
    with limited_reading():
        position, faults = _position_of(game, request)
    code = game.codec.encode(position)
    url = position_url(game, code, request)
    answer = shapes.PositionAddress(
        game=kind, code=code, sfen=sfen_of(game, position), url=url, issues=issue_list(faults)
    )
    return Response(answer, status=303, headers={"Location": url})


_SOURCES: Final = ("text", "game_id", "position")


def _position_of(game: GameKind[Any], request: Request) -> tuple[Any, list[Issue]]:
    """Return the position of a request, and issues for the part of the text that was ignored."""
    if isinstance(request.data, dict) and request.data and not {*_SOURCES, "ply"} & request.data.keys():
        return game.codec.from_object(request.data), []
    sent = body(FindBody, request)
    ply = sent.get("ply")
    sources = [source for source in _SOURCES if source in sent]
    if len(sources) != 1:
        raise ApiError("no-position", "send one of text, game_id and position, or a Position object")
    if "text" in sent:
        text = sent["text"]
        check_search_text(text)
        position = position_lookup.position_of_text(game, text, ply)
        return position, position_lookup.reading_errors(game, text, position if ply is None else None)
    if "position" in sent:
        return game.codec.from_object(sent["position"]), []
    try:
        return position_lookup.position_of_game(scope_of(request), game, sent["game_id"], ply), []
    except position_lookup.GameNotFoundError as error:
        raise ApiError("game-not-found", str(error), 404) from error


@endpoint(
    "GET",
    query=PictureQuery,
    types=["image/svg+xml"],
    operation=Operation({200: None}, POSITIONS, examples=(Example("The start", _START, {"flip": "1"}),)),
)
def picture(request: Request, kind: str, code: str, query: dict[str, Any]) -> HttpResponse:
    """Draw the position as SVG; `flip=1` turns the board."""
    game, _code, position = _decoded(kind, code)
    return drawn(game, position, flip=query["flip"])


def drawn(game: GameKind[Any], position: Any, *, flip: bool) -> HttpResponse:
    """Return a picture of a position, in the reader's language."""
    svg = game.picture.svg(position, flip=flip, language=language())
    headers = {"Cache-Control": "public, max-age=86400", "Vary": "Accept-Language"}
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
