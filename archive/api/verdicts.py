"""Verdicts of engines as JSON, and the parameters of requests for them."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from archive.api.fields import (
    ChoiceField,
    CursorField,
    LimitedListField,
    LimitField,
    TextField,
    WholeNumberField,
)
from archive.api.pagination import MOST_PLIES, PLIES
from archive.api.shapes import verdicts as shapes
from archive.api.shapes.games import MateInfo
from archive.derive.calibration import Band
from archive.derive.chances import PHASES, Cost, chance
from archive.derive.verdicts import Line
from archive.models import LARGEST_ID
from archive.queries.games.analyses import GameReport
from archive.queries.games.game_json import moment_text
from archive.queries.games.mistakes import Mistake
from archive.queries.positions.explorer import BATCH
from archive.queries.positions.verdicts import EngineInfo, StoredVerdict
from kifu_core.game import Evaluation
from kifu_core.games import SHOGI


class EngineQuery(serializers.Serializer[Any]):
    """The parameter that chooses an engine."""

    engine = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="The `id` of an engine."
    )


class VerdictsQuery(EngineQuery):
    """Parameters of `GET games/{id}/verdicts`."""

    cursor = CursorField()
    limit = LimitField(MOST_PLIES, PLIES)


class MistakesQuery(EngineQuery):
    """Parameters of `GET games/{id}/mistakes`."""

    side = ChoiceField(
        required=False, choices=[*SHOGI.rules.sides], help_text="The side whose moves are listed."
    )


class VerdictsBody(EngineQuery):
    """Fields of `POST positions/{game}/verdicts`."""

    positions = LimitedListField(
        child=TextField(allow_blank=True, max_length=1000),
        min_length=1,
        max_length=BATCH,
        help_text="Codes of positions; of shogi also SFENs.",
    )


def engine_info(engine: EngineInfo) -> shapes.VerdictEngine:
    """Return an engine."""
    return shapes.VerdictEngine(
        id=engine.pk,
        source=engine.source,
        name=engine.name,
        version=engine.version,
        network=engine.network,
        options=dict(engine.options),
        scale=round(engine.winning_scale, 2),
        log_loss=None if engine.log_loss is None else round(engine.log_loss, 4),
        fitted_positions=engine.fitted_positions,
        fitted_games=engine.fitted_games,
    )


def engine_infos(verdicts: Iterable[StoredVerdict]) -> list[shapes.VerdictEngine]:
    """Return the engines of verdicts, each once."""
    return [engine_info(one) for one in {one.engine.pk: one.engine for one in verdicts}.values()]


def line_info(line: Line, scale: float) -> shapes.VerdictLine:
    """Return a line with its winning chance."""
    return shapes.VerdictLine(
        score=line.score,
        mate=_mate(line.winner, line.mate),
        chance=round(chance(line.score, line.winner, scale), 4) if line.is_scored else None,
        policy=None if line.policy is None else line.policy / 1000,
        usi=list(line.moves),
    )


def _mate(winner: int | None, plies: int | None) -> MateInfo | None:
    return None if winner is None else MateInfo(SHOGI.rules.sides[winner], plies)


def verdict_info(one: StoredVerdict) -> shapes.VerdictInfo:
    """Return a verdict; its engine is named by id."""
    return shapes.VerdictInfo(
        engine=one.engine.pk,
        lines=[line_info(line, one.engine.winning_scale) for line in one.lines],
        nodes=one.nodes or None,
        depth=one.depth or None,
        history=one.history,
        game_id=one.game or None,
        made=moment_text(one.made),
    )


def analysis_info(report: GameReport, calibration: Iterable[Band]) -> shapes.AnalysisInfo:
    """Return an engine's analysis of a game, with the calibration of the engine."""
    return shapes.AnalysisInfo(
        engine=engine_info(report.engine),
        calibration=[_band(one) for one in calibration],
        made=moment_text(report.made) if report.made else "",
        accuracies=[shapes.AccuracyInfo(**_accuracy(report, color)) for color in (0, 1)],
        **_judgements(report),
    )


def _band(one: Band) -> shapes.CalibrationBand:
    return shapes.CalibrationBand(
        least=one.least,
        positions=one.positions,
        games=one.games,
        predicted=round(one.predicted, 4),
        won=round(one.won, 4),
    )


def comment_report(report: GameReport) -> shapes.CommentReport:
    """Return the report of a game by the evaluations in its comments."""
    return shapes.CommentReport(
        accuracies=[
            shapes.CommentAccuracyInfo(**_accuracy(report, color), played=report.analysis.played(color))
            for color in (0, 1)
        ],
        **_judgements(report),
    )


def _judgements(report: GameReport) -> dict[str, Any]:
    scale = report.engine.winning_scale
    return {
        "scores": [_score(one, scale) for one in report.evaluations],
        "moves": [_cost(one) for one in report.analysis.costs],
    }


def _accuracy(report: GameReport, color: int) -> dict[str, Any]:
    analysis = report.analysis
    phases = {name: _rounded(analysis.accuracy(color, phase)) for phase, name in enumerate(PHASES)}
    return {
        "side": SHOGI.rules.sides[color],
        "accuracy": _rounded(analysis.accuracy(color)),
        "moves": analysis.moves(color),
        **phases,
    }


def _rounded(accuracy: float | None) -> float | None:
    return None if accuracy is None else round(accuracy, 1)


def _score(one: Evaluation, scale: float) -> shapes.PlyScore:
    return shapes.PlyScore(
        ply=one.ply,
        score=one.score,
        mate=_mate(one.winner, one.mate),
        chance=round(chance(one.score, one.winner, scale), 4),
        best=one.moves[0] if one.moves else None,
    )


def _cost(one: Cost) -> shapes.MoveCost:
    return shapes.MoveCost(
        ply=one.ply,
        side=SHOGI.rules.sides[one.color],
        phase=PHASES[one.phase],
        loss=one.loss,
        accuracy=one.accuracy,
        weight=one.weight,
        mark=one.mark or None,
        turning=one.turning,
        likelihood=one.likelihood,
        surprising=one.surprising,
        hard=one.hard,
    )


def mistake_info(one: Mistake, scale: float) -> shapes.MistakeInfo:
    """Return a mistake."""
    return shapes.MistakeInfo(
        ply=one.cost.ply,
        side=SHOGI.rules.sides[one.cost.color],
        mark=one.cost.mark or None,
        loss=one.cost.loss,
        code=one.code,
        sfen=one.position.sfen(one.cost.ply),
        played=one.played,
        best=line_info(one.best, scale),
        accepted=list(one.accepted),
        usual=list(one.usual),
    )
