"""The main line of a game in the tables of a dump: positions, moves, times, evaluations, formations."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from archive.shapes.common import JSONObject, Number
from kifu_core.game import Evaluation, GameKind
from kifu_core.games import GAMES
from kifu_core.jkf import MoveEntry, Record
from kifu_core.shogi.evaluations import best
from kifu_core.shogi.move_times import seconds

V = TypeVar("V")


class FormationInTable(JSONObject):
    """A castle or an opening of a side, and the ply at which it first arises."""

    formation: str
    side: str
    ply: Number


def main_line(kind: str, record: Record, analysed: Sequence[Evaluation] = ()) -> dict[str, Any]:
    """Return the members of a `StoredRow` that a record of this kind of game has, with its positions.
    `analysed` are evaluations for a record without any.

    Linear in its moves and comments.
    """
    game: GameKind[Any] = GAMES[kind]
    entries = [entry for entry in record["moves"] if "move" in entry]
    packed = game.replay.main_moves(record)
    scores = {one.ply: one for one in best(game.replay.evaluations(record)) or analysed}
    evaluations = [scores.get(ply) for ply in range(len(packed) + 1)]
    evals = [one.score if one and one.winner is None else None for one in evaluations]
    mates = [_mate(one) for one in evaluations]
    codes: list[str | None] = [*game.replay.codes(record)]
    return {
        "start": game.replay.start_text(record),
        "moves": [game.text.move_name(move) for move in packed],
        "seconds": _unless_empty([_seconds(entry) for entry in entries]),
        "evals": _unless_empty(evals[1:]),
        "mates": _unless_empty(mates[1:]),
        "formations": [
            FormationInTable(formation=one.name, side=game.rules.sides[one.color], ply=one.ply)
            for one in game.replay.formations(record, packed)
        ],
        "codes": codes + [None] * (len(evaluations) - len(codes)),
        "position_evals": _unless_empty(evals),
        "position_mates": _unless_empty(mates),
    }


def by_side(
    kind: str, name: str, values: Sequence[V], of: Callable[[V], Any] = lambda value: value
) -> dict[str, Any]:
    """Return the values of colours 0 and 1 as the members `black_…` and `white_…` of that name."""
    sides = GAMES[kind].rules.sides
    return {f"{side}_{name}": of(value) for side, value in zip(sides, values, strict=True)}


def _unless_empty(values: Sequence[int | None]) -> list[int | None]:
    return [*values] if any(value is not None for value in values) else []


def _seconds(entry: MoveEntry) -> int | None:
    return seconds(entry["time"]["now"]) if "time" in entry else None


def _mate(one: Evaluation | None) -> int | None:
    if one is None or one.winner is None:
        return None
    return -(one.mate or 0) if one.winner else one.mate or 0
