"""Patterns of positions, as their owner sees them: the side with own pieces sits at rank i.

A square allows a set of contents, stored as the bits of an integer: bit `content(piece)` for a signed piece
of `pieces`, positive for own ones and negative for enemy ones, 0 for an empty square.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kifu_core.shogi.pieces import KINDS

CONTENTS: Final = 2 * len(KINDS) + 1
"""The number of contents of a square: empty, or a piece of a kind and side."""

OWN: Final = sum(1 << kind.value for kind in KINDS)
"""Any own piece."""
ENEMY: Final = sum(1 << CONTENTS - kind.value for kind in KINDS)
"""Any enemy piece."""
EMPTY: Final = 1
ANYTHING: Final = (1 << CONTENTS) - 1


def content(piece: int) -> int:
    """Return the number of the bit that stands for a signed piece, 0 to 28.

    >>> content(0), content(1), content(-1)
    (0, 1, 28)
    """
    return piece % CONTENTS


def colors_exchanged(allowed: int) -> int:
    """Return contents with own and enemy pieces exchanged."""
    return allowed & EMPTY | sum(1 << CONTENTS - bit for bit in range(1, CONTENTS) if allowed >> bit & 1)


@dataclass(frozen=True, slots=True, order=True)
class PieceCount:
    """The allowed count of a signed piece, own or enemy: `least` to `most`, None for no limit."""

    piece: int
    least: int = 0
    most: int | None = None

    def allows(self, count: int) -> bool:
        """Return whether a count is allowed."""
        return self.least <= count and (self.most is None or count <= self.most)


@dataclass(frozen=True, slots=True)
class PatternStep:
    """The conditions of one position; all else is free.

    `squares` maps squares (0 to 80) to allowed contents; `hands` counts unpromoted kinds in hand, `board` any
    pieces on the board; `own_turn` is whether the own side is to move; `first` and `last` limit the ply;
    `kept` is the number of further plies for which the step must stay.
    """

    squares: Mapping[int, int] = field(default_factory=dict)
    hands: tuple[PieceCount, ...] = ()
    board: tuple[PieceCount, ...] = ()
    own_turn: bool | None = None
    first: int | None = None
    last: int | None = None
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Pattern:
    """Steps that follow each other in one line of a game.

    `gaps[n]` is the largest number of plies from step n to the next one, None for any. `own` is the colour of
    the own side, None for either; with `mirrored` the mirror image counts too; with `main` only the main line
    of a game counts.
    """

    steps: tuple[PatternStep, ...]
    gaps: tuple[int | None, ...] = ()
    own: int | None = None
    mirrored: bool = False
    main: bool = False

    def __post_init__(self) -> None:
        if len(self.gaps) != len(self.steps) - 1:
            raise ValueError("between two steps is one gap")
