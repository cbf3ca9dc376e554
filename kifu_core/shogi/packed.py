"""Positions packed into 32 bytes, as in the training data of engines, and the fields after them.

`hcpe` is Apery's and dlshogi's HuffmanCodedPosAndEval: 38 bytes, the position, the score (16 bits), the best
move (16), the result (8: 0 drawn, 1 Black won, 2 White), a byte unused
(https://github.com/HiraokaTakuya/apery, position.hpp). `psv` is YaneuraOu's PackedSfenValue: 40 bytes, the
position, the score (16), the move (16), the ply (16), the result from the mover's side (8), a byte unused
(https://github.com/yaneurao/YaneuraOu, extra/sfen_packer.cpp). Scores are the mover's, numbers are
little-endian.
"""

import struct
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Final, Literal, TypeVar

from kifu_core.errors import DecodeError, KifuError
from kifu_core.shogi.moves import DROP, pack, promotes, source, target
from kifu_core.shogi.pieces import (
    FU,
    FULL_SET,
    GI,
    HAND_KINDS,
    HI,
    KA,
    KE,
    KI,
    KY,
    NG,
    NK,
    NY,
    OU,
    PROMOTED,
    RY,
    TO,
    UM,
    UNPROMOTED,
    signed,
)
from kifu_core.shogi.position import Position

Packing = Literal["hcpe", "psv"]
_Coded = TypeVar("_Coded")

ENTRIES: Final = {"hcpe": struct.Struct("<32shHbB"), "psv": struct.Struct("<32shHHbB")}
"""The layouts of an entry: position, score, move, in `psv` the ply, then result and unused byte."""

BITS: Final = 256

_CODES: Final[dict[Packing, dict[int, str]]] = {
    "hcpe": {FU: "10", KY: "1100", KE: "1110", GI: "1101", KI: "11110", KA: "111110", HI: "111111"},
    "psv": {FU: "10", KY: "1100", KE: "1101", GI: "1110", KI: "11110", KA: "111110", HI: "111111"},
}
"""Huffman codes of pieces on the board, the first bit first."""


def _board_codes(packing: Packing) -> Iterator[tuple[str, int]]:
    """Yield the complete codes of pieces on the board, with the signed pieces.

    After the code Apery writes the colour, then the promotion, YaneuraOu the reverse; a gold has the colour
    alone.
    """
    for kind, code in _CODES[packing].items():
        for color in (0, 1):
            for grown, piece in enumerate((kind,) if kind == KI else (kind, PROMOTED[kind])):
                ends = {"hcpe": f"{color}{grown}", "psv": f"{grown}{color}"}
                yield code + (str(color) if kind == KI else ends[packing]), signed(color, piece)


_ON_BOARD: Final[dict[Packing, dict[str, int]]] = {
    "hcpe": dict(_board_codes("hcpe")),
    "psv": dict(_board_codes("psv")),
}

_BOARD_CODES: Final[dict[Packing, dict[int, str]]] = {
    packing: {0: "0", OU: "", -OU: ""} | {piece: code for code, piece in codes.items()}
    for packing, codes in _ON_BOARD.items()
}
"""The bits of each signed piece, of an empty square, and of kings, which are written by their squares."""

_IN_HAND: Final[dict[Packing, dict[int, str]]] = {
    "hcpe": {FU: "00", KY: "1000", KE: "1100", GI: "1010", KI: "1110", KA: "111110", HI: "111111"},
    "psv": {FU: "00", KY: "1000", KE: "1010", GI: "1100", KI: "1110", KA: "111100", HI: "111110"},
}
"""Huffman codes of pieces in hand, before the bit of the colour."""

_IN_BOX: Final[dict[Packing, dict[int, tuple[str, ...]]]] = {
    "hcpe": {FU: ("010",), KY: ("10010",), KE: ("11010",), GI: ("10110",), KI: ("10111",), KA: ("1111000",),
             HI: ("1111010",)},
    "psv": {FU: ("010", "011"), KY: ("10010", "10011"), KE: ("10110", "10111"), GI: ("11010",),
            KI: ("11011",), KA: ("1111010", "1111011"), HI: ("1111110", "1111111")},
}  # fmt: skip
"""Codes of pieces that are not in the game, as in handicap games; the first is written. All positions have
256 bits because these pieces have as many as in a hand."""

_BOX: Final = 2

_HAND_CODES: Final[dict[Packing, dict[str, tuple[int, int]]]] = {
    packing: {f"{code}{color}": (kind, color) for kind, code in codes.items() for color in (0, 1)}
    | {code: (kind, _BOX) for kind, in_box in _IN_BOX[packing].items() for code in in_box}
    for packing, codes in _IN_HAND.items()
}
"""Complete codes of pieces that are not on the board, with the kind and the colour, or `_BOX`."""

KINDS: Final = (0, FU, KY, KE, GI, KA, HI, KI, OU, TO, NY, NK, NG, UM, RY)
"""The kinds by the engines' numbers."""

KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
"""The engines' number of each kind."""

SQUARES: Final = tuple(rank * 9 + 8 - file for file in range(9) for rank in range(9))
"""The engines' squares, 1a, 1b, ... 9i, as ours."""


class _PackedBits:
    """The bits of a packed position, the lowest of each byte first."""

    def __init__(self, data: bytes) -> None:
        self.value = int.from_bytes(data, "little")
        self.at = 0

    def take(self, count: int = 1) -> int:
        """Return the next bits as a number; raises DecodeError at the end."""
        if self.at + count > BITS:
            raise DecodeError("packed-position", params={"number": 1, "bit": self.at})
        number = self.value >> self.at & ((1 << count) - 1)
        self.at += count
        return number

    def piece(self, codes: Mapping[str, _Coded], code: str = "") -> _Coded:
        """Read a piece by its code; `code` are its first bits."""
        while code not in codes:
            code += str(self.take())
        return codes[code]


def decode(data: bytes, packing: Packing) -> Position:
    """Return the position of 32 bytes.

    Raises DecodeError `packed-position` with the bit of the fault.
    """
    bits = _PackedBits(data)
    position = Position([0] * 81, [[0] * 8, [0] * 8], bits.take())
    for color in (0, 1):
        place = bits.take(7)
        if place > 80 or position.board[SQUARES[place]]:
            raise DecodeError("packed-position", params={"number": 1, "bit": bits.at})
        position.board[SQUARES[place]] = signed(color, OU)
    for square in SQUARES:
        if not position.board[square] and bits.take():
            position.board[square] = bits.piece(_ON_BOARD[packing], "1")
    while bits.at < BITS:
        kind, color = bits.piece(_HAND_CODES[packing])
        if color != _BOX:
            position.hands[color][kind] += 1
    if not _is_full_set(_counts(position)):
        raise DecodeError("packed-position", params={"number": 1, "bit": BITS})
    return position


def _is_full_set(counts: list[int]) -> bool:
    """Return whether no kind has too many pieces: nearly any 32 bytes are some position."""
    return all(count <= most for count, most in zip(counts[1:], FULL_SET[1:], strict=True))


def _counts(position: Position) -> list[int]:
    """Return the number of pieces of each unpromoted kind, by value; item 0 means nothing."""
    counts = [black + white for black, white in zip(*position.hands, strict=True)] + [0]
    for piece in position.board:
        counts[UNPROMOTED[abs(piece)]] += 1
    return counts


def is_encodable(position: Position) -> bool:
    """Return whether a position can be packed: it has a king of each side and no more pieces than a set."""
    board = position.board
    return board.count(OU) == 1 == board.count(-OU) and _is_full_set(_counts(position))


def encode(position: Position, packing: Packing) -> bytes:
    """Return a position as 32 bytes; pieces that it lacks are in the box.

    About 40 microseconds. Raises KifuError `unencodable`, see `is_encodable`.
    """
    if not is_encodable(position):
        raise KifuError("unencodable")
    board, counts = position.board, _counts(position)
    codes, in_hand = _BOARD_CODES[packing], _IN_HAND[packing]
    parts = [str(position.turn), _NUMBERS[board.index(OU)], _NUMBERS[board.index(-OU)]]
    parts += map(codes.__getitem__, _in_engines_order(board))
    for color, hand in enumerate(position.hands):
        parts += [f"{in_hand[kind]}{color}" * hand[kind] for kind in HAND_KINDS if hand[kind]]
    parts += [_IN_BOX[packing][kind][0] * (FULL_SET[kind] - counts[kind]) for kind in HAND_KINDS]
    return int("".join(parts)[::-1], 2).to_bytes(32, "little")


_in_engines_order: Final = itemgetter(*SQUARES)

_PLACES: Final = {square: number for number, square in enumerate(SQUARES)}
"""The engines' number of each of our squares."""

_NUMBERS: Final = {square: f"{number:07b}"[::-1] for square, number in _PLACES.items()}


def encoded_move(move: int, packing: Packing) -> int:
    """Return a packed move as the engines' number of 16 bits; the inverse of `move_of`."""
    origin, to = source(move), _PLACES[target(move)]
    dropped = KIND_NUMBERS[origin - DROP] if origin > DROP else 0
    if packing == "hcpe":
        return (80 + dropped if dropped else _PLACES[origin]) << 7 | to | promotes(move) << 14
    return (dropped or _PLACES[origin]) << 7 | to | bool(dropped) << 14 | promotes(move) << 15


def move_of(number: int, packing: Packing) -> int:
    """Return the packed move of the engines' number of 16 bits, 0 for none."""
    to, origin = number & 127, number >> 7 & 127
    if packing == "hcpe":
        dropped, promotes = (origin - 80 if origin > 80 else 0), number >> 14 & 1
    else:
        dropped, promotes = (origin if number >> 14 & 1 else 0), number >> 15 & 1
    if to > 80 or dropped > KIND_NUMBERS[KI] or (not dropped and origin > 80):
        return 0
    if dropped:
        return pack(DROP + KINDS[dropped], SQUARES[to], promotes)
    return pack(SQUARES[origin], SQUARES[to], promotes) if origin != to else 0
