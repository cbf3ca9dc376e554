"""The endings of records: one table of names, winners, and the words of move lists.

Reaching the goal needs no word, as the board shows it; `GOAL` is its name where an ending is queried.
"""

from dataclasses import dataclass
from typing import Final, Literal

from kifu_core.quoridor.board import BLACK, WHITE
from kifu_core.record import Ending

GOAL: Final = "GOAL"

QuoridorEndingRule = Literal["mover-loses", "draw", "none", "white-wins", "black-wins"]
"""The meaning of an ending; `none` decides nothing."""


@dataclass(frozen=True, slots=True)
class QuoridorEnding:
    """A kind of ending: its name in records, its meaning, its words in lists, the written one first."""

    special: str
    rule: QuoridorEndingRule
    words: tuple[str, ...]


ENDINGS: Final = (
    QuoridorEnding("TORYO", "mover-loses", ("X", "resigns", "resign", "resigned")),
    QuoridorEnding("TIME_UP", "mover-loses", ("timeout",)),
    QuoridorEnding("ILLEGAL_MOVE", "mover-loses", ("illegal",)),
    QuoridorEnding("HIKIWAKE", "draw", ("1/2-1/2", "½-½", "draw")),
    QuoridorEnding("SENNICHITE", "draw", ("repetition",)),
    QuoridorEnding("CHUDAN", "none", ("*", "unfinished")),
    QuoridorEnding("WHITE_WINS", "white-wins", ("1-0",)),
    QuoridorEnding("BLACK_WINS", "black-wins", ("0-1",)),
)

BY_SPECIAL: Final = {kind.special: kind for kind in ENDINGS}
NAMES: Final = frozenset([*BY_SPECIAL, GOAL])
"""The names of endings."""
BY_WORD: Final = {word.lower(): kind for kind in ENDINGS for word in kind.words}
WON: Final = (BY_SPECIAL["WHITE_WINS"], BY_SPECIAL["BLACK_WINS"])
"""The results without a reason, by the winner."""


def winner(kind: QuoridorEnding, turn: int) -> int | None:
    """Return the colour that wins when a record ends so with `turn` to move, None if nobody does."""
    if kind.rule == "mover-loses":
        return turn ^ 1
    return {"white-wins": WHITE, "black-wins": BLACK}.get(kind.rule)


def ending(special: str, ply: int, turn: int) -> Ending:
    """Return the ending of a record after `ply` half-moves with `turn` to move.

    An unknown one decides nothing.
    """
    kind = BY_SPECIAL.get(special)
    if kind is None:
        return Ending(special, None, ply, None)
    return Ending(kind.words[0], special, ply, winner(kind, turn), kind.rule == "draw")


def goal(ply: int, color: int) -> Ending:
    """Return the ending of a game that a pawn has won by reaching its goal."""
    return Ending(GOAL, GOAL, ply, color)
