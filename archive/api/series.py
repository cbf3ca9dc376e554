"""Evaluations and clock times of a game as JSON."""

from typing import Any, Final, TypeVar

from msgspec import UNSET, UnsetType

from archive.api.shapes.games import ClockInfo, EvaluationInfo, MateInfo, ScoreInfo
from kifu_core.game import Evaluation
from kifu_core.shogi.clock import Tick

PV: Final = 10_000
PV_MOVES: Final = 1_000
"""Characters and moves of a line in an answer: no engine searches so deep."""

Sides = tuple[str, str]
"""The names of colours 0 and 1."""
Score = TypeVar("Score", bound=ScoreInfo)


def evaluation_info(evaluation: Evaluation, sides: Sides) -> EvaluationInfo:
    """Return an evaluation, without members that it lacks."""
    return _score(
        EvaluationInfo,
        evaluation,
        sides,
        source=evaluation.source,
        role=evaluation.role,
        depth=_or_unset(evaluation.depth),
        nodes=_or_unset(evaluation.nodes),
        time=_or_unset(evaluation.time),
        candidate=evaluation.candidate or UNSET,
        engine=evaluation.engine or UNSET,
        pv=evaluation.pv[:PV] or UNSET,
        usi=list(evaluation.moves[:PV_MOVES]) or UNSET,
    )


def score_info(evaluation: Evaluation, sides: Sides) -> ScoreInfo:
    """Return the value of an evaluation in a chart."""
    return _score(ScoreInfo, evaluation, sides)


def _score(kind: type[Score], evaluation: Evaluation, sides: Sides, **members: Any) -> Score:
    """Return an evaluation; `mate` names the side that mates, and the number of plies."""
    winner = evaluation.winner
    mate = None if winner is None else MateInfo(sides[winner], evaluation.mate)
    return kind(ply=evaluation.ply, score=evaluation.score, mate=mate, **members)


def _or_unset(value: float | None) -> float | UnsetType:
    return UNSET if value is None else value


def clock_info(tick: Tick, sides: Sides) -> ClockInfo:
    """Return a move's time."""
    return ClockInfo(
        ply=tick.ply,
        side=sides[tick.color],
        used=tick.used,
        elapsed=tick.total,
        remaining=tick.remaining,
        periods=tick.periods,
        ending=tick.ending,
    )
