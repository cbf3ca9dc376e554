"""The main line of a game in the table of a dump: moves, times, evaluations, formations."""

from collections.abc import Sequence
from typing import Any

from archive.shapes.common import JSONObject, Number
from kifu_core.game import Evaluation, GameKind
from kifu_core.games import GAMES
from kifu_core.jkf import MoveEntry, Record
from kifu_core.shogi.evaluations import best
from kifu_core.shogi.move_times import seconds


class FormationInTable(JSONObject):
    """A castle or an opening of a side, and the ply at which it first arises."""

    formation: str
    side: str
    ply: Number


def main_line(kind: str, record: Record) -> dict[str, Any]:
    """Return the columns of a record of this kind of game. Linear in its moves and comments."""
    game: GameKind[Any] = GAMES[kind]
    entries = [entry for entry in record["moves"] if "move" in entry]
    packed = game.replay.main_moves(record)
    scores = {one.ply: one for one in best(game.replay.evaluations(record))}
    after = [scores.get(ply) for ply in range(1, len(packed) + 1)]
    return {
        "start": game.replay.start_text(record),
        "moves": [game.text.move_name(move) for move in packed],
        "seconds": _unless_empty([_seconds(entry) for entry in entries]),
        "evals": _unless_empty([one.score if one and one.winner is None else None for one in after]),
        "mates": _unless_empty([_mate(one) for one in after]),
        "formations": [
            FormationInTable(formation=one.name, side=game.rules.sides[one.color], ply=one.ply)
            for one in game.replay.formations(record, packed)
        ],
    }


def _unless_empty(values: Sequence[int | None]) -> list[int | None]:
    return [*values] if any(value is not None for value in values) else []


def _seconds(entry: MoveEntry) -> int | None:
    return seconds(entry["time"]["now"]) if "time" in entry else None


def _mate(one: Evaluation | None) -> int | None:
    if one is None or one.winner is None:
        return None
    return -(one.mate or 0) if one.winner else one.mate or 0
