"""Back-propagated values of the positions of a book: the value of a move if both sides go on with the best
moves of the book and the engine.

Pure functions. A value is in hundredths of a pawn for the side to move; a mate in n plies is `MATE - n`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from archive.derive.verdicts import MOST_MATE

if TYPE_CHECKING:
    from archive.derive.verdicts import Line

MATE: Final = 30_000
HIGHEST: Final = MATE - MOST_MATE - 1
"""The highest value that is no mate."""

K = TypeVar("K", bound=Hashable)


class Opinion(NamedTuple):
    """The value of a position by an engine, and the engine's best move, an empty text if it names none."""

    value: int
    best: str = ""


class Place(NamedTuple, Generic[K]):
    """A position of a book: its lowest ply, and its moves with the keys of the positions after them."""

    ply: int
    moves: Mapping[str, K]


def value_of(line: Line, turn: int) -> int | None:
    """Return the value of an engine's best line for the side to move, `turn`; None for a line without
    score.

    >>> from archive.derive.verdicts import Line
    >>> value_of(Line(35), 1), value_of(Line(None, winner=1, mate=3), 1)
    (-35, 29997)
    """
    if line.winner is not None:
        mate = MATE - min(line.mate or 0, MOST_MATE)
        return mate if line.winner == turn else -mate
    if line.score is None:
        return None
    return max(-HIGHEST, min(HIGHEST, -line.score if turn else line.score))


def before(value: int) -> int:
    """Return the value of a position for the side to move by that of the position after its move.

    >>> before(40), before(-29997), before(29998)
    (-40, 29996, -29997)
    """
    if abs(value) <= HIGHEST:
        return -value
    return -value - 1 if value < 0 else -value + 1


def back_propagate(places: Mapping[K, Place[K]], opinions: Mapping[K, Opinion]) -> dict[K, int]:
    """Return the values of positions by those of the positions after their moves.

    A position is worth the best of its moves. A move that the book lacks counts if the engine prefers it: by
    the engine's value of the position. A move back to a position of a lower ply, a repetition, counts by the
    engine's value of that position, so that no value depends on itself. Positions without a value are left
    out. Linear in the moves, apart from sorting.
    """
    engine = {key: opinion.value for key, opinion in opinions.items()}
    values = dict(engine)
    for key in sorted(places, key=lambda key: -places[key].ply):
        ply, moves = places[key]
        options, counted = list[int](), set[str]()
        for move, after in moves.items():
            later = after not in places or places[after].ply > ply
            value = (values if later else engine).get(after)
            if value is not None:
                options.append(before(value))
                counted.add(move)
        opinion = opinions.get(key)
        if opinion is not None and opinion.best not in counted:
            options.append(opinion.value)
        if options:
            values[key] = max(options)
    return values
