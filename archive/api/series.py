"""The shapes of a game's series."""

from typing import Any, Final

from kifu_core.game import Evaluation
from kifu_core.shogi.clock import Tick

PV: Final = 10_000
PV_MOVES: Final = 1_000
"""Characters and moves of a line that are told: no engine looks so far."""

Sides = tuple[str, str]
"""The names of colours 0 and 1."""


def evaluation_json(one: Evaluation, sides: Sides) -> dict[str, Any]:
    """Return the JSON of an evaluation; `mate` names the side that mates and in how many plies."""
    mate = None if one.winner is None else {"winner": sides[one.winner], "plies": one.mate}
    said = {
        "depth": one.depth,
        "nodes": one.nodes,
        "time": one.time,
        "candidate": one.candidate or None,
        "engine": one.engine or None,
        "pv": one.pv[:PV] or None,
        "usi": list(one.moves[:PV_MOVES]) or None,
    }
    known = {name: value for name, value in said.items() if value is not None}
    return {"ply": one.ply, "source": one.source, "role": one.role, "score": one.score, "mate": mate} | known


def tick_json(tick: Tick, sides: Sides) -> dict[str, Any]:
    """Return the JSON of a move's time."""
    return {
        "ply": tick.ply,
        "side": sides[tick.color],
        "used": tick.used,
        "total": tick.total,
        "remaining": tick.remaining,
        "periods": tick.periods,
        "ending": tick.ending,
    }


def score_json(one: Evaluation, sides: Sides) -> dict[str, Any]:
    """Return the JSON of what a chart shows of an evaluation."""
    return {
        name: value for name, value in evaluation_json(one, sides).items() if name in ("ply", "score", "mate")
    }
