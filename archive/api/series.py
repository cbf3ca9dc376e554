"""The shapes of a game's series."""

from typing import Final

from msgspec import UNSET, UnsetType

from archive.api.shapes.common import extend
from archive.api.shapes.games import ClockInfo, EvaluationInfo, MateInfo, ScoreInfo
from kifu_core.game import Evaluation
from kifu_core.shogi.clock import Tick

PV: Final = 10_000
PV_MOVES: Final = 1_000
"""Characters and moves of a line in an answer: no engine searches so deep."""

Sides = tuple[str, str]
"""The names of colours 0 and 1."""


def evaluation_info(one: Evaluation, sides: Sides) -> EvaluationInfo:
    """Return an evaluation, without members that it lacks."""
    return extend(
        EvaluationInfo,
        score_info(one, sides),
        source=one.source,
        role=one.role,
        depth=_or_unset(one.depth),
        nodes=_or_unset(one.nodes),
        time=_or_unset(one.time),
        candidate=one.candidate or UNSET,
        engine=one.engine or UNSET,
        pv=one.pv[:PV] or UNSET,
        usi=list(one.moves[:PV_MOVES]) or UNSET,
    )


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


def score_info(one: Evaluation, sides: Sides) -> ScoreInfo:
    """Return what a chart shows of an evaluation; `mate` names the side that mates and in how many plies."""
    mate = None if one.winner is None else MateInfo(sides[one.winner], one.mate)
    return ScoreInfo(one.ply, one.score, mate)
