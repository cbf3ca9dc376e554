"""The table of pieces: one row a kind, from which all other tables are derived.

A piece on the board is a small signed integer: Black's are positive, White's negative, 0 is an empty square.
The values are those of Shogi64, so a board can be encoded without translation. Tables by signed piece are
lists of 29 entries: 0 to 14 as they are, negative indexes from the end.
"""

from dataclasses import dataclass
from typing import Final

BLACK: Final = 0
WHITE: Final = 1

FU: Final = 1
KY: Final = 2
KE: Final = 3
GI: Final = 4
KI: Final = 5
KA: Final = 6
HI: Final = 7
OU: Final = 8
TO: Final = 9
NY: Final = 10
NK: Final = 11
NG: Final = 12
UM: Final = 13
RY: Final = 14


@dataclass(frozen=True, slots=True)
class PieceKind:
    """A kind of piece with its names in all record formats.

    `code` is the name in CSA and JKF, `letter` the one in SFEN (upper case, with `+` when promoted), `kanji`
    the character on boards, `name` the word in moves; `aliases` are further spellings. `promoted` is the
    value after promotion (0: cannot promote), `base` the value before it.
    """

    value: int
    code: str
    letter: str
    kanji: str
    name: str
    aliases: tuple[str, ...]
    promoted: int
    base: int


KINDS: Final = (
    PieceKind(FU, "FU", "P", "歩", "歩", (), TO, FU),
    PieceKind(KY, "KY", "L", "香", "香", (), NY, KY),
    PieceKind(KE, "KE", "N", "桂", "桂", (), NK, KE),
    PieceKind(GI, "GI", "S", "銀", "銀", (), NG, GI),
    PieceKind(KI, "KI", "G", "金", "金", (), 0, KI),
    PieceKind(KA, "KA", "B", "角", "角", (), UM, KA),
    PieceKind(HI, "HI", "R", "飛", "飛", (), RY, HI),
    PieceKind(OU, "OU", "K", "玉", "玉", ("王",), 0, OU),
    PieceKind(TO, "TO", "+P", "と", "と", ("成歩",), 0, FU),
    PieceKind(NY, "NY", "+L", "杏", "成香", (), 0, KY),
    PieceKind(NK, "NK", "+N", "圭", "成桂", (), 0, KE),
    PieceKind(NG, "NG", "+S", "全", "成銀", (), 0, GI),
    PieceKind(UM, "UM", "+B", "馬", "馬", ("成角",), 0, KA),
    PieceKind(RY, "RY", "+R", "龍", "龍", ("竜", "成飛"), 0, HI),
)

CODES: Final = ("", *(kind.code for kind in KINDS))
LETTERS: Final = ("", *(kind.letter for kind in KINDS))
KANJI: Final = ("", *(kind.kanji for kind in KINDS))
NAMES: Final = ("", *(kind.name for kind in KINDS))

BY_CODE: Final = {kind.code: kind.value for kind in KINDS}
BY_LETTER: Final = {kind.letter: kind.value for kind in KINDS}
BY_NAME: Final = {name: kind.value for kind in KINDS for name in (kind.kanji, kind.name, *kind.aliases)}
"""Every Japanese spelling, of one or two characters, to the unsigned value."""

HAND_KINDS: Final = (FU, KY, KE, GI, KI, KA, HI)
"""The kinds in hand, in the order of Shogi64's counts; record formats write them the other way round."""

MOST_IN_HAND: Final = 99
"""The most pieces of a kind in the hand of a start: two digits."""

FULL_SET: Final = (0, 18, 4, 4, 4, 4, 2, 2, 2)
"""How many of each unpromoted kind a full set of 40 pieces has, by value."""


def signed(color: int, kind: int) -> int:
    """Return the signed piece of a kind for Black (0) or White (1).

    >>> signed(BLACK, GI), signed(WHITE, GI)
    (4, -4)
    """
    return -kind if color else kind


def _by_signed(values: list[int], sign: int) -> list[int]:
    """Return a table for signed pieces from one for kinds 0..14; White's entries are multiplied by `sign`."""
    return values + [sign * value for value in reversed(values[1:])]


PROMOTED: Final = _by_signed([0, *(kind.promoted or kind.value for kind in KINDS)], -1)
"""The signed piece after promotion; pieces that cannot promote are unchanged."""

UNPROMOTED: Final = _by_signed([0, *(kind.base for kind in KINDS)], -1)
"""The signed piece with its promotion undone."""

CAN_PROMOTE: Final = _by_signed([0, *(int(kind.promoted > 0) for kind in KINDS)], 1)
"""1 for pieces that have a promoted form, by signed piece."""

IN_HAND: Final = _by_signed([0, *(0 if kind.value == OU else kind.base for kind in KINDS)], 1)
"""The kind of a captured piece in the hand, by signed piece; 0 for kings."""
