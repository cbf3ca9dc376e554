"""The soundness of mate problems, which the mate search examines once in the background."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from archive import store
from archive.models import Problem
from archive.problems.finding import TURN_SECONDS
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.pieces import LETTERS
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import USI
from kifu_core.shogi.tsume import idle_pieces, soundness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kifu_core.shogi.tsume import Idle, Soundness

NODES: Final = 20_000
"""Nodes of the search on one problem: some ten seconds."""
MOST_NODES: Final = 20_000
"""Nodes of the search on a problem in a request."""
_IDLE_NODES: Final = 1_000
"""Nodes for each piece that may be idle."""


def examine_waiting(seconds: float = TURN_SECONDS) -> bool:
    """Examine mate problems that were not examined yet for about `seconds`; return whether others remain."""
    until = time.monotonic() + seconds
    waiting = Problem.objects.filter(kind=Problem.Kind.MATE, soundness__isnull=True).order_by("pk")
    while (problem := waiting.first()) is not None:
        found = examined(problem.sfen, problem.moves.split(), NODES)
        store.write_soundness(problem.pk, problem.moves, found)
        if time.monotonic() >= until:
            return waiting.exists()
    return False


def examined(sfen: str, moves: Sequence[str], nodes: int) -> dict[str, Any]:
    """Return the soundness of a problem as JSON, with the pieces that are idle in a sound one."""
    position, solution = Position.from_sfen(sfen), [from_usi(move) for move in moves]
    found = soundness(position, solution, nodes=nodes)
    idle: list[str] = []
    if found.verdict == "sound":
        idle = [_place_text(one) for one in idle_pieces(position, solution, nodes=min(nodes, _IDLE_NODES))]
    return _as_json(found) | {"idle": idle}


def _as_json(found: Soundness) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "defence": found.defence,
        "cooks": [{"ply": one.ply, "move": to_usi(one.move), "kind": one.kind} for one in found.cooks],
        "unused": [LETTERS[kind] for kind in found.unused],
        "undecided": [*found.undecided],
        "nodes": found.nodes,
    }


def _place_text(idle: Idle) -> str:
    """Return a place as USI has it: a square, or a piece in hand as `G*`."""
    return USI[idle.square] if idle.square is not None else f"{LETTERS[abs(idle.piece)]}*"
