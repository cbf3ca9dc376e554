"""Verdicts of engines on positions, analyses of games, and the mistakes that they find."""

from itertools import islice
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from archive.api.endpoints import body, endpoint
from archive.api.games import existing_game
from archive.api.operations import CURSORS, POSITIONS, Example, Operation
from archive.api.pagination import MOST_PLIES, PLIES, cursor_number, limit_of, next_url
from archive.api.positions import kind_named, shogi_position
from archive.api.shapes import verdicts as shapes
from archive.api.shapes.positions import InvalidCode, InvalidPosition
from archive.api.verdicts import (
    EngineQuery,
    MistakesQuery,
    VerdictsBody,
    VerdictsQuery,
    analysis_info,
    comment_report,
    engine_info,
    engine_infos,
    mistake_info,
    verdict_info,
)
from archive.derive.issues import detail_of
from archive.models import Game
from archive.queries.games.analyses import (
    GameReport,
    analyses_of_game,
    calibrations,
    evaluations_of_game,
    report_of_comments,
)
from archive.queries.games.mistakes import mistakes_of
from archive.queries.positions.verdicts import StoredVerdict, verdicts_at
from archive.queries.scope import Scope, scope_of
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI, GameKind

_START = {"kind": "shogi", "code": SHOGI.codec.path_code(SHOGI.codec.encode(SHOGI.rules.initial()))}


def _of_engine(verdicts: list[StoredVerdict], query: dict[str, Any]) -> list[StoredVerdict]:
    engine = query.get("engine")
    return [one for one in verdicts if engine in (None, one.engine.pk)]


@endpoint(
    "GET",
    query=VerdictsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.GameVerdicts},
        {400: CURSORS},
        examples=(Example("Of a game", {"pk": 20}, {"cursor": "40", "limit": 2}),),
    ),
)
def of_game(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """List the verdicts on the positions of a game's main line by ply, `limit` plies from the cursor on."""
    game, first = existing_game(request, pk), cursor_number(query) or 0
    limit = limit_of(query, PLIES, MOST_PLIES)
    line = GAMES[game.kind].replay.main_line(game.jkf)
    positions = [position.copy() for _ply, position, _move, _entry in islice(line, first, first + limit + 1)]
    found = verdicts_at(_scope(request, game), game.kind, positions[:limit])
    readable = game.space in scope_of(request).spaces
    results = [
        (ply, [one for one in _of_engine(at, query) if readable or one.game in (0, pk)])
        for ply, at in enumerate(found, start=first)
    ]
    return Response(
        shapes.GameVerdicts(
            engines=engine_infos(one for _ply, at in results for one in at),
            results=[
                shapes.VerdictsAtPly(ply, [verdict_info(one) for one in at]) for ply, at in results if at
            ],
            next_url=next_url(request, str(first + limit) if len(positions) > limit else None),
        )
    )


def _scope(request: Request, game: Game) -> Scope:
    """Return the scope of a request with the space of a game, which may be shared by a link."""
    return Scope(tuple(dict.fromkeys((*scope_of(request).spaces, game.space))))


@endpoint(
    "GET",
    query=EngineQuery,
    cached=True,
    operation=Operation({200: shapes.PositionVerdicts}, POSITIONS, examples=(Example("The start", _START),)),
)
def of_position(request: Request, kind: str, code: str, query: dict[str, Any]) -> Response:
    """List the verdicts on a position, whether games reach it or not."""
    game = kind_named(kind)
    code = game.codec.code_of_path(code)
    (found,) = verdicts_at(scope_of(request), kind, [game.codec.decode(code)])
    verdicts = _of_engine(found, query)
    return Response(
        shapes.PositionVerdicts(kind, code, engine_infos(verdicts), [verdict_info(one) for one in verdicts])
    )


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.VerdictBatch},
        {404: ("unknown-game",)},
        VerdictsBody,
        examples=(
            Example("A position, and none", {"kind": "shogi"}, body={"positions": [_START["code"], "x"]}),
        ),
    ),
)
def batch(request: Request, kind: str) -> Response:
    """List the verdicts on up to 100 positions, in the order of the request; an invalid one has an error."""
    game, sent = kind_named(kind), body(VerdictsBody, request)
    read = [_position(game, text) for text in sent["positions"]]
    valid = [one for one in read if not isinstance(one, InvalidCode)]
    found = [_of_engine(at, sent) for at in verdicts_at(scope_of(request), kind, valid)]
    verdicts = iter(found)
    results = [
        InvalidPosition(text, one)
        if isinstance(one, InvalidCode)
        else shapes.VerdictsOfPosition(text, [verdict_info(verdict) for verdict in next(verdicts)])
        for text, one in zip(sent["positions"], read, strict=True)
    ]
    return Response(shapes.VerdictBatch(kind, engine_infos(one for at in found for one in at), results))


def _position(game: GameKind[Any], text: str) -> Any:
    """Return the position of a code, or of an SFEN, or why there is none."""
    try:
        if game is SHOGI:
            return shogi_position(text)
        return game.codec.decode(game.codec.code_of_path(text))
    except KifuError as error:
        return InvalidCode(error.code, detail_of(error, "en"))


@endpoint(
    "GET",
    query=EngineQuery,
    cached=True,
    operation=Operation({200: shapes.AnalysesInfo}, examples=(Example("Of a game", {"pk": 1}),)),
)
def analyses(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """List engines' analyses of a game: scores by ply, what each move cost, accuracies."""
    game = existing_game(request, pk)
    reports = _reports(game, query)
    calibration = calibrations(reports)
    own = None if "engine" in query else report_of_comments(game, evaluations_of_game(game))
    infos = [analysis_info(one, calibration.get(one.engine.pk, ())) for one in reports]
    return Response(shapes.AnalysesInfo(infos, comment_report(own) if own else None))


def _reports(game: Game, query: dict[str, Any]) -> list[GameReport]:
    engine = query.get("engine")
    return [one for one in analyses_of_game(game.pk) if engine in (None, one.engine.pk)]


@endpoint(
    "GET",
    query=MistakesQuery,
    cached=True,
    operation=Operation({200: shapes.MistakesInfo}, examples=(Example("Of a game", {"pk": 1}),)),
)
def mistakes(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """List the marked moves of a game, by one engine, with the moves that are accepted in their place."""
    game = existing_game(request, pk)
    reports = _reports(game, query)
    if not reports:
        return Response(shapes.MistakesInfo(None, []))
    side = query.get("side")
    color = None if side is None else SHOGI.rules.sides.index(side)
    found = mistakes_of(_scope(request, game), game.jkf, reports[0], color)
    scale = reports[0].engine.winning_scale
    return Response(
        shapes.MistakesInfo(engine_info(reports[0].engine), [mistake_info(one, scale) for one in found])
    )
