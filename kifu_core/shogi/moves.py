"""Moves packed into one integer that fits a positive 16-bit column.

`source << 8 | to << 1 | promote`: `source` is a square 0..80, or `DROP` + the kind dropped (81..87). 0 would
be a move from 9a to 9a, so it stands for "nothing played".
"""

import re
from typing import Final

from kifu_core.errors import DecodeError
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.pieces import BY_LETTER, HAND_KINDS, LETTERS
from kifu_core.shogi.squares import BY_USI, MIRRORED, SQUARES, TURNED, USI

DROP: Final = 80

USI_MOVE: Final = r"(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?"
"""A move as engines write it, for expressions."""

_PARTS: Final = re.compile(r"(?:([1-9][a-i])|([PLNSGBR])\*)([1-9][a-i])(\+?)")

_DROPS: Final = tuple(DROP + kind for kind in HAND_KINDS)
_ORIENTED: Final = (
    (*SQUARES, *_DROPS),
    (*MIRRORED, *_DROPS),
    (*TURNED, *_DROPS),
    (*(MIRRORED[TURNED[square]] for square in SQUARES), *_DROPS),
)
"""By orientation, the image of each source (square or drop)."""


def pack(source: int, to: int, promote: bool | int = False) -> int:
    """Return the packed move; `source` is a square or `DROP` + kind, `to` a square.

    >>> pack(54, 45), pack(DROP + 1, 40)
    (13914, 20816)
    """
    return source << 8 | to << 1 | promote


def source(move: int) -> int:
    """Return the square moved from, or `DROP` + the kind dropped."""
    return move >> 8


def target(move: int) -> int:
    """Return the square moved to."""
    return move >> 1 & 127


def promotes(move: int) -> bool:
    """Return whether the piece promotes with this move."""
    return bool(move & 1)


def dropped(move: int) -> int:
    """Return the kind of the piece dropped, 0 for a move on the board."""
    origin = move >> 8
    return origin - DROP if origin > DROP else 0


def to_usi(move: int) -> str:
    """Return the move as USI writes it.

    >>> to_usi(pack(60, 51)), to_usi(pack(70, 16, True)), to_usi(pack(DROP + 1, 40))
    ('3g3f', '2h2b+', 'P*5e')
    """
    origin = move >> 8
    to = USI[move >> 1 & 127]
    if origin > DROP:
        return f"{LETTERS[origin - DROP]}*{to}"
    return f"{USI[origin]}{to}+" if move & 1 else USI[origin] + to


def from_usi(text: str) -> int:
    """Return the packed move of a USI move; raise DecodeError `bad-usi-move` for anything else.

    The position is not known here. Drops with a `+` and moves that stay where they are count as wrong.

    >>> from_usi("2h2b+") == pack(70, 16, True)
    True
    """
    match = _PARTS.fullmatch(text)
    if match is None or match[1] == match[3] or (match[2] and match[4]):
        raise DecodeError("bad-usi-move", f"not a USI move: {text[:20]!r}", params={"text": text[:20]})
    origin = DROP + BY_LETTER[match[2]] if match[2] else BY_USI[match[1]]
    return pack(origin, BY_USI[match[3]], match[4] == "+")


def orient(move: int, orientation: int) -> int:
    """Return the image of a move on the board mirrored (bit 0) and turned to the other colour (bit 1).

    This is an involution; `NO_MOVE` is its own image.

    >>> to_usi(orient(from_usi("7g7f"), 1)), to_usi(orient(from_usi("7g7f"), 2))
    ('3g3f', '3c3d')
    """
    if not move:
        return NO_MOVE
    place = _ORIENTED[orientation]
    return place[move >> 8] << 8 | place[move >> 1 & 127] << 1 | move & 1
