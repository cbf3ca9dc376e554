"""Squares, wall places and moves: numbers, names, and their mirror images and colour swaps.

Squares 0..80 are `9 * y + x`, x from left to right and y away from White, both from 0: 4 is e1, 76 is e9.
Wall places 0..63 are `8 * y + x`: the middle of the block of four squares whose lower left one is (x, y). A
wall has the name of that square with `h` or `v`: e3h lies between the rows 3 and 4 over the columns e and f,
e3v between the columns e and f over the rows 3 and 4.

A move is an integer that fits a positive 16-bit column: `PAWN` + the target square, or `WALL` + the place of
a wall, with `VERTICAL` added for a vertical one. 0 stands for "nothing played", as in shogi.
"""

import re
from typing import Final

from kifu_core.errors import DecodeError

WHITE: Final = 0
BLACK: Final = 1

SQUARES: Final = range(81)
PLACES: Final = range(64)
WALLS_EACH: Final = 10
STARTS: Final = (4, 76)
"""The start squares of the pawns of White and Black."""

VERTICAL: Final = 64
WALL: Final = 128
PAWN: Final = 256

_LETTERS: Final = "abcdefghi"
SQUARE_NAMES: Final = tuple(f"{_LETTERS[square % 9]}{square // 9 + 1}" for square in SQUARES)
_WALL_NAMES: Final = tuple(
    f"{_LETTERS[place % 8]}{place // 8 + 1}{orientation}" for orientation in "hv" for place in PLACES
)

BY_NAME: Final = {name: PAWN + square for square, name in enumerate(SQUARE_NAMES)} | {
    name: WALL + number for number, name in enumerate(_WALL_NAMES)
}
"""The moves by the names of their squares and walls."""
_NAMES: Final = {move: name for name, move in BY_NAME.items()}

_MIRRORED: Final = {
    **{PAWN + square: PAWN + square // 9 * 9 + 8 - square % 9 for square in SQUARES},
    **{WALL + place: WALL + (place & ~7) + 7 - place % 8 for place in range(2 * len(PLACES))},
}
_SWAPPED: Final = {
    **{PAWN + square: PAWN + 80 - square for square in SQUARES},
    **{WALL + place: WALL + (place & VERTICAL) + 63 - place % 64 for place in range(2 * len(PLACES))},
}
ORIENTED: Final = (
    {move: move for move in _NAMES},
    _MIRRORED,
    _SWAPPED,
    {move: _MIRRORED[_SWAPPED[move]] for move in _NAMES},
)
"""By orientation, the image of each move: bit 0 mirrors left to right, bit 1 swaps the colours."""

GOALS: Final = tuple(tuple(square in row for square in SQUARES) for row in (range(72, 81), range(9)))
"""By colour and square, whether the square is on the goal row."""


def is_wall(move: int) -> bool:
    """Return whether a move places a wall."""
    return not move & PAWN


def name(move: int) -> str:
    """Return the name of a move: the square of a pawn, the block and orientation of a wall.

    >>> name(PAWN + 13), name(WALL + 20), name(WALL + VERTICAL + 20)
    ('e2', 'e3h', 'e3v')
    """
    return _NAMES[move]


def read_name(text: str) -> int:
    """Return the move that a name stands for; raises DecodeError `bad-quoridor-move`.

    >>> read_name("e3v") == WALL + VERTICAL + 20
    True
    """
    move = BY_NAME.get(text)
    if move is None:
        raise DecodeError("bad-quoridor-move", params={"text": text[:20]})
    return move


def orient(move: int, orientation: int) -> int:
    """Return the move on the board mirrored (bit 0) and with the colours swapped (bit 1); an involution.

    >>> name(orient(read_name("d3h"), 1)), name(orient(read_name("d3h"), 2)), orient(0, 3)
    ('e3h', 'e6h', 0)
    """
    return ORIENTED[orientation][move] if move else 0


IS_NAME: Final = re.compile(r"[a-i][1-9]|[a-h][1-8][hv]")
