"""Positions packed into 32 bytes, as in the training data of engines, and the fields after them.

`hcpe` is Apery's and dlshogi's HuffmanCodedPosAndEval: 38 bytes, the position, the score (16 bits), the best
move (16), the result (8: 0 drawn, 1 Black won, 2 White), a byte unused
(https://github.com/HiraokaTakuya/apery, position.hpp). `psv` is YaneuraOu's PackedSfenValue: 40 bytes, the
position, the score (16), the move (16), the ply (16), the result from the mover's side (8), a byte unused
(https://github.com/yaneurao/YaneuraOu, extra/sfen_packer.cpp). Scores are the mover's, numbers are
little-endian.
"""

from typing import Final, Literal

from kifu_core.errors import DecodeError
from kifu_core.shogi.moves import DROP, pack
from kifu_core.shogi.pieces import FU, FULL_SET, GI, HI, KA, KE, KI, KY, OU, PROMOTED, UNPROMOTED, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import violation

Packing = Literal["hcpe", "psv"]

SIZES: Final[dict[Packing, int]] = {"hcpe": 38, "psv": 40}
"""Bytes of an entry."""

BITS: Final = 256
_CHECKED_ENTRIES: Final = 4
HEAD_BYTES: Final = 160
"""Bytes at the beginning of a file that are checked."""
_SUFFIXES: Final[dict[str, tuple[Packing, ...]]] = {
    "hcpe": ("hcpe",), "psv": ("psv",), "bin": ("psv", "hcpe"),
}  # fmt: skip
"""The packings of a file by its extension."""

_CODES: Final[dict[Packing, dict[str, int]]] = {
    "hcpe": {"10": FU, "1100": KY, "1110": KE, "1101": GI, "11110": KI, "111110": KA, "111111": HI},
    "psv": {"10": FU, "1100": KY, "1101": KE, "1110": GI, "11110": KI, "111110": KA, "111111": HI},
}
"""Huffman codes of pieces on the board, the first bit first; an empty square is 0."""

_HAND_CODES: Final[dict[Packing, dict[str, int]]] = {
    "hcpe": {"00": FU, "1000": KY, "1100": KE, "1010": GI, "1110": KI, "111110": KA, "111111": HI},
    "psv": {code[1:]: kind for code, kind in _CODES["psv"].items()},
}
"""Huffman codes of pieces in hand. In YaneuraOu's, all but golds are followed by a bit for pieces not in the
game."""

_DROPPED: Final = (0, FU, KY, KE, GI, KA, HI, KI)
"""The kinds by the engines' numbers, which drops have."""

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

    def kind(self, codes: dict[str, int], code: str = "") -> int:
        """Read a kind of piece; `code` are its first bits."""
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
            position.board[square] = _board_piece(bits, packing)
    while bits.at < BITS:
        kind = bits.kind(_HAND_CODES[packing])
        boxed = packing == "psv" and kind != KI and bits.take()
        hand = position.hands[bits.take()]
        if boxed:
            continue  # a piece that is not in the game
        hand[kind] += 1
    if not _is_full_set(position):
        raise DecodeError("packed-position", params={"number": 1, "bit": BITS})
    return position


def _is_full_set(position: Position) -> bool:
    """Return whether no kind has too many pieces: nearly any 32 bytes are some position."""
    counts = [black + white for black, white in zip(*position.hands, strict=True)] + [0]
    for piece in position.board:
        counts[UNPROMOTED[abs(piece)]] += 1
    return all(count <= most for count, most in zip(counts[1:], FULL_SET[1:], strict=True))


def _board_piece(bits: _PackedBits, packing: Packing) -> int:
    """Read a piece on the board.

    Apery writes the colour, then the promotion, YaneuraOu the reverse; a gold has the colour alone.
    """
    kind = bits.kind(_CODES[packing], "1")
    if kind == KI:
        return signed(bits.take(), kind)
    first, second = bits.take(), bits.take()
    color, grown = (first, second) if packing == "hcpe" else (second, first)
    return signed(color, PROMOTED[kind] if grown else kind)


def move_of(data: bytes, packing: Packing) -> int:
    """Return the packed move of two bytes, 0 for none."""
    number = int.from_bytes(data, "little")
    to, origin = number & 127, number >> 7 & 127
    if packing == "hcpe":
        dropped, promotes = (origin - 80 if origin > 80 else 0), number >> 14 & 1
    else:
        dropped, promotes = (origin if number >> 14 & 1 else 0), number >> 15 & 1
    if to > 80 or (dropped and dropped >= len(_DROPPED)) or (not dropped and origin > 80):
        return 0
    if dropped:
        return pack(DROP + _DROPPED[dropped], SQUARES[to], promotes)
    return pack(SQUARES[origin], SQUARES[to], promotes) if origin != to else 0


def packing_of(head: bytes, name: str) -> Packing | None:
    """Return the packing of a file by its name and first bytes; None for other files.

    The extension has to match, as any bytes might be positions; the first entries have to be positions.
    """
    packings = _SUFFIXES.get(name.rpartition(".")[2].lower(), ())
    for packing in packings:
        entries = [head[at : at + SIZES[packing]] for at in range(0, len(head), SIZES[packing])]
        complete = [entry for entry in entries[:_CHECKED_ENTRIES] if len(entry) == SIZES[packing]]
        if complete and all(_is_entry(entry, packing, strict=len(packings) > 1) for entry in complete):
            return packing
    return None


def is_packed(data: bytes, name: str) -> bool:
    """Return whether a file holds packed positions."""
    return packing_of(data[:HEAD_BYTES], name) is not None


def _is_entry(entry: bytes, packing: Packing, *, strict: bool) -> bool:
    """Return whether an entry begins with a position and, if `strict`, has a legal move and a result.

    Near the start of a game few pieces have moved, and one packing may look like the other.
    """
    try:
        position = decode(entry[:32], packing)
    except DecodeError:
        return False
    move, result = move_of(entry[34:36], packing), int.from_bytes(entry[-2:-1], "little", signed=True)
    results = range(16) if packing == "hcpe" else range(-1, 2)
    return not strict or (result in results and violation(position, move) is None)
