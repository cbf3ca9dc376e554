"""Shogi64: a position as a short text of base64url characters, one text per position.

The format is that of the shogi64 library, version 0.0.3, with strict decoding and without the faults of its
encoder: every position has one code, and every accepted code is the code of its position.
`docs/position-keys.md` describes the bits.

The encoder stores the bits of every cell in all four orientations, so that a canonical form needs no second
position and a move only changes the squares it touches; it looks up files and hands in bounded caches.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from kifu_core.errors import DecodeError, KifuError
from kifu_core.memo import Memo
from kifu_core.shogi import pieces
from kifu_core.shogi.moves import DROP
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
    RY,
    TO,
    UM,
)
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import MIRRORED, SQUARES, TURNED, USI

# --- the tables of the format ----------------------------------------------------------------------------

ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

LONGEST: Final = 160
"""The length of the longest code."""

PAWN_CODES: Final = {
    7: "0",
    6: "10",
    0: "110",
    5: "1110",
    4: "11110",
    8: "111110",
    3: "1111110",
    9: "11111110",
    2: "11111111",
}
"""Rank of a side's only pawn on a file, counted from its own side of the board; 0: none."""

_NORMAL: Final = {
    KY: "100",
    KI: "101",
    KE: "1100",
    GI: "1101",
    HI: "1110",
    KA: "11110",
    UM: "1111100",
    RY: "1111101",
    TO: "1111110",
    NK: "11111110",
    NG: "111111110",
    NY: "111111111",
}
_MIXED: Final = {
    FU: "10",
    KY: "1100",
    KI: "1101",
    KE: "11100",
    GI: "11110",
    OU: "111010",
    HI: "111011",
    KA: "111110",
    UM: "11111100",
    RY: "11111101",
    TO: "11111110",
    NK: "111111110",
    NG: "1111111110",
    NY: "1111111111",
}


def _unary(limit: int) -> tuple[str, ...]:
    """Return codes for the counts 0..limit: as many ones, ended by a zero except for the largest."""
    return (*("1" * count + "0" for count in range(limit)), "1" * limit)


COUNT_CODES: Final = {
    kind: ("00", "01", *("1" * (count - 1) + "0" for count in range(2, 18)), "1" * 17)
    if kind == FU
    else _unary(FULL_SET[kind])
    for kind in HAND_KINDS
}


def _cell_codes(prefixes: dict[int, str]) -> dict[int, str]:
    """Return the codes of all cells of a mode: a prefix and a bit for the side, 1 for Black."""
    codes = {0: "0"}
    for kind, prefix in prefixes.items():
        codes[kind], codes[-kind] = prefix + "1", prefix + "0"
    return codes


NORMAL_CELLS: Final = _cell_codes(_NORMAL)
_MIXED_CELLS: Final = _cell_codes(_MIXED)

# --- encoding --------------------------------------------------------------------------------------------

Cells = tuple[int, ...]

_IRREGULAR: Final = ("", "")
_PAIRS: Final[dict[tuple[str, str], tuple[str, str]]] = {}
"""Equal pairs are one object, so that an identity check shows whether a file's pawns have changed."""


def _pawns_of_file(cells: Cells) -> tuple[str, str]:
    """Return the codes of Black's and White's pawn on a file; `_IRREGULAR` for doubled and dead pawns."""
    black = cells.index(FU) + 1 if FU in cells else 0
    white = 9 - cells.index(-FU) if -FU in cells else 0
    if cells.count(FU) > 1 or cells.count(-FU) > 1 or black == 1 or white == 1:
        return _IRREGULAR
    codes = PAWN_CODES[black], PAWN_CODES[white]
    return _PAIRS.setdefault(codes, codes)


def _hand_bits(counts: Cells) -> str:
    """Return the bits of a hand's seven counts; raises IndexError for a count without a code."""
    if min(counts) < 0:
        raise IndexError
    return "".join(COUNT_CODES[kind][counts[kind]] for kind in HAND_KINDS)


_PIECES: Final = (*range(15), *range(-14, 0))
"""The signed pieces in the order of tables by signed piece."""

_EXISTING: Final = frozenset(_PIECES)

_PAWNS: Final = 1
_KINGS: Final = 2
_CONCERNS: Final = tuple({FU: _PAWNS, TO: _PAWNS, OU: _KINGS}.get(abs(piece), 0) for piece in _PIECES)
"""By signed piece, the parts to read again after a move has put or taken it; a new と was a pawn before."""

_CODES: Final = tuple("" if abs(piece) in (FU, OU) else NORMAL_CELLS[piece] for piece in _PIECES)
"""By signed piece: the bits of its cell in Normal mode; kings and pawns are coded before the cells."""
_TURNED_CODES: Final = tuple(_CODES[-piece] for piece in _PIECES)

_FILES: Final = Memo(_pawns_of_file)
_HANDS: Final = Memo(_hand_bits)
_FILE_SLICES: Final = [slice(column, 81, 9) for column in range(9)]
_FILES_OF: Final = itemgetter(*_FILE_SLICES)


def forget() -> None:
    """Empty the caches, as in a new process; for measurements."""
    for memo in (_FILES, _HANDS):
        memo.clear()


_TURNED_MIRRORED: Final = tuple(MIRRORED[square] for square in TURNED)
_MIRROR: Final = itemgetter(*MIRRORED)

_KING_SQUARES: Final = (SQUARES, MIRRORED, TURNED, _TURNED_MIRRORED)
KINGS: Final = tuple(("0000000", *(f"{square + 1:07b}" for square in squares)) for squares in _KING_SQUARES)
"""`KINGS[orientation][square + 1]`: a king's coordinate; index 0 stands for a king not on the board."""


class Encoder:
    """The code of a live position in any orientation, updated move by move.

    `black` and `white` are the squares of the kings, counted from 1; 0 is a missing king. `mixed` is set if
    the position needs Mixed mode. Raises KifuError `unencodable` if the position changes to one without a
    code.
    """

    __slots__ = (
        "_blacks",
        "_cells",
        "_doubled",
        "_files",
        "_hands",
        "_heads",
        "_irregular",
        "_whites",
        "black",
        "mixed",
        "position",
        "white",
    )

    def __init__(self, position: Position) -> None:
        board = position.board
        self.position = position
        if len(board) != 81:
            raise KifuError("unencodable", "a board has 81 squares")
        if not _EXISTING.issuperset(board):
            raise KifuError("unencodable", "a piece that does not exist")
        cells = [*map(_CODES.__getitem__, board)]
        turned = [*map(_TURNED_CODES.__getitem__, reversed(board))]
        self._cells = cells, [*_MIRROR(cells)], turned, [*_MIRROR(turned)]
        self._files = [*map(_FILES.__getitem__, map(tuple, _FILES_OF(board)))]
        self._blacks, self._whites = map(list, zip(*self._files, strict=True))
        self._irregular = self._files.count(_IRREGULAR)
        self._read_hands()
        self._read_kings()

    def follow(self, move: int, captured: int) -> None:
        """Update the code for a packed move that the position has just made or taken back."""
        board = self.position.board
        cells, mirrored, turned, turned_mirrored = self._cells
        origin, to = move >> 8, move >> 1 & 127
        piece = board[to]
        cells[to] = mirrored[MIRRORED[to]] = _CODES[piece]
        turned[TURNED[to]] = turned_mirrored[_TURNED_MIRRORED[to]] = _TURNED_CODES[piece]
        concerns = _CONCERNS[piece] | _CONCERNS[captured]
        if origin <= DROP:
            piece = board[origin]
            cells[origin] = mirrored[MIRRORED[origin]] = _CODES[piece]
            turned[TURNED[origin]] = turned_mirrored[_TURNED_MIRRORED[origin]] = _TURNED_CODES[piece]
            concerns |= _CONCERNS[piece]
            if captured:
                self._read_hands()
        else:
            if origin == DROP + FU:
                concerns = _PAWNS
            self._read_hands()
        if concerns:
            self._read_concerned(concerns, origin, to, captured)

    def _read_concerned(self, concerns: int, origin: int, to: int, captured: int) -> None:
        board = self.position.board
        if concerns & _PAWNS:
            self._read_file(board, to % 9)
            if origin <= DROP and origin % 9 != to % 9:
                self._read_file(board, origin % 9)
        if concerns & _KINGS:
            if self._doubled or abs(captured) == OU:
                self._read_kings()
            else:
                self._move_king(to if abs(board[to]) == OU else origin)

    def _read_file(self, board: list[int], column: int) -> None:
        pawns, old = _FILES[tuple(board[_FILE_SLICES[column]])], self._files[column]
        if pawns != old:
            self._files[column] = pawns
            self._blacks[column], self._whites[column] = pawns
            self._irregular += (pawns == _IRREGULAR) - (old == _IRREGULAR)
            self._forget_heads()

    def _read_hands(self) -> None:
        black, white = self.position.hands
        try:
            first, second = _HANDS[tuple(black)], _HANDS[tuple(white)]
        except LookupError as error:
            raise KifuError("unencodable", "a count in hand that has no code") from error
        self._hands = first + second, second + first

    def _read_kings(self) -> None:
        board = self.position.board
        self.black = board.index(OU) + 1 if OU in board else 0
        self.white = board.index(-OU) + 1 if -OU in board else 0
        self._doubled = board.count(OU) > 1 or board.count(-OU) > 1
        self._forget_heads()

    def _move_king(self, square: int) -> None:
        if self.position.board[square] > 0:
            self.black = square + 1
        else:
            self.white = square + 1
        self._forget_heads()

    def _forget_heads(self) -> None:
        """Reset the cached bits of kings and pawns, and choose the mode."""
        self.mixed = self._doubled or self._irregular > 0
        self._heads = ["", "", "", ""]

    def code(self, orientation: int = 0) -> str:
        """Return the code of the position mirrored (bit 0) and turned to the other colour (bit 1)."""
        mover = "01"[self.position.turn == orientation >> 1]
        hands = self._hands[orientation >> 1]
        if self.mixed:
            return characters(f"{mover}1{self._mixed_cells(orientation)}{hands}")
        head = self._heads[orientation] or self._head(orientation)
        return characters(f"{mover}{head}{''.join(self._cells[orientation])}{hands}")

    def _head(self, orientation: int) -> str:
        """Return the bits of mode, kings and pawns in Normal mode.

        A pawn's rank counts from its own side of the board, so turning the board exchanges whole codes.
        """
        black, white, blacks, whites = self.black, self.white, self._blacks, self._whites
        if orientation & 2:
            black, white, blacks, whites = white, black, whites, blacks
        if orientation in (1, 2):
            blacks, whites = blacks[::-1], whites[::-1]
        kings = KINGS[orientation]
        head = self._heads[orientation] = "".join(("0", kings[black], kings[white], *blacks, *whites))
        return head

    def _mixed_cells(self, orientation: int) -> str:
        return "".join(_MIXED_CELLS[piece] for piece in self.position.oriented(orientation).board)


def encode(position: Position) -> str:
    """Return the code of a position, 17 to 160 characters.

    Raises KifuError `unencodable` for a position without a code: with pieces that do not exist, or counts in
    hand beyond 18 pawns, 4 of lance to gold, 2 of bishop and rook.

    >>> encode(Position.initial())
    'poUAACMaqtYhwHgAAAAPQdTnd3vMgAA'
    """
    return Encoder(position).code()


ERRORS: Final = (
    "empty", "too-long", "bad-char", "truncated", "king-range", "overlap", "trailing-chars",
    "nonzero-padding", "noncanonical-mode", "unencodable",
)  # fmt: skip
"""Codes of the errors of `decode`."""

_LARGEST: Final = len(pieces.CODES) - 1
_HAND: Final = {
    "type": "object",
    "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 18},
    "propertyNames": {"enum": [pieces.CODES[kind] for kind in HAND_KINDS]},
}
SCHEMA: Final[dict[str, object]] = {
    "title": "ShogiPosition",
    "description": "`turn` is true for Black; `board` has the cells from 9a to 1i, Black's pieces positive; "
    "`hands` has both hands by CSA's names, what is left out is empty.",
    "type": "object",
    "properties": {
        "turn": {"type": "boolean"},
        "board": {
            "type": "array",
            "items": {"type": "integer", "minimum": -_LARGEST, "maximum": _LARGEST},
            "minItems": 81,
            "maxItems": 81,
        },
        "hands": {"type": "object", "properties": {"black": _HAND, "white": _HAND}},
    },
    "required": ["turn", "board"],
}
"""The JSON schema of the objects of `as_object`."""


def as_object(position: Position) -> dict[str, object]:
    """Return the Position object of the format's description, for JSON.

    `turn` is true for Black, `board` the 81 cells from 9a to 1i with Black's pieces positive, `hands` both
    hands by CSA's names of the pieces.
    """
    black, white = ({pieces.CODES[kind]: hand[kind] for kind in HAND_KINDS} for hand in position.hands)
    turn = position.turn == pieces.BLACK
    return {"turn": turn, "board": position.board, "hands": {"black": black, "white": white}}


def characters(bits: str) -> str:
    """Return bits, padded with zeros on the right, as characters of six bits each."""
    padding, size, count = _WIDTHS[len(bits)]
    data = (int(bits, 2) << padding).to_bytes(size)
    return b2a_base64(data, newline=False)[:count].translate(_URL_SAFE).decode("ascii")


_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")
_WIDTHS: Final = tuple(
    (-length % 8, (length + 7) // 8, (length + 5) // 6) for length in range(6 * LONGEST + 100)
)
"""By the number of bits: zeros that complete the last byte, the number of bytes, and of characters."""

# --- decoding --------------------------------------------------------------------------------------------

_SIXES: Final = {character: f"{value:06b}" for value, character in enumerate(ALPHABET)}


class _BitReader:
    """The bits of a code, read from the front."""

    def __init__(self, bits: str) -> None:
        self.bits = bits
        self.place = 0

    def number(self, width: int, field: str) -> int:
        digits = self.bits[self.place : self.place + width]
        if len(digits) < width:
            raise DecodeError("truncated", f"the code ends inside {field}", params={"field": field})
        self.place += width
        return int(digits, 2)

    def symbol(self, codes: _PrefixCode, field: str) -> int:
        match = codes.pattern.match(self.bits, self.place)
        if match is None:
            raise DecodeError("truncated", f"the code ends inside {field}", params={"field": field})
        self.place = match.end()
        return codes.values[match[0]]


class _PrefixCode:
    """A prefix code: its values, and the expression that matches a code."""

    def __init__(self, codes: Iterable[tuple[int, str]]) -> None:
        self.values = {code: value for value, code in codes}
        self.pattern = re.compile("|".join(self.values))


_PAWN_READER: Final = _PrefixCode(PAWN_CODES.items())
_NORMAL_READER: Final = _PrefixCode(NORMAL_CELLS.items())
_MIXED_READER: Final = _PrefixCode(_MIXED_CELLS.items())
_COUNT_READERS: Final = {kind: _PrefixCode(enumerate(codes)) for kind, codes in COUNT_CODES.items()}


def decode(code: str | None) -> Position:
    """Return the position of a code, and of no other: `encode(decode(code)) == code`.

    Raises DecodeError, the first of: `empty`, `too-long`, `bad-char` (column), then in the order of the bits
    `truncated`, `king-range`, `overlap`, and at their end `trailing-chars`, `nonzero-padding`,
    `noncanonical-mode`.

    >>> decode("gADbbbbbbbbYAAAAAAAAAAAAAAAA").sfen()
    '9/9/9/9/9/9/9/9/9 b - 1'
    """
    reader = _BitReader(_bits_of(code))
    turn = 1 - reader.number(1, "turn")
    mixed = reader.number(1, "mode")
    board = _read_mixed(reader) if mixed else _read_normal(reader)
    hands = [_read_hand(reader, name) for name in ("the hand of Black", "the hand of White")]
    rest = reader.bits[reader.place :]
    if len(rest) >= 6:
        raise DecodeError("trailing-chars", "characters after the end", params={"count": len(rest) // 6})
    if "1" in rest:
        raise DecodeError("nonzero-padding", "the bits after the end are not all zero")
    position = Position(board, hands, turn)
    if mixed and encode(position) != code:
        raise DecodeError("noncanonical-mode", "Mixed mode for a position that has a Normal code")
    return position


def _bits_of(code: str | None) -> str:
    if not code:
        raise DecodeError("empty", "a code has at least one character")
    if len(code) > LONGEST:
        raise DecodeError("too-long", f"no code is longer than {LONGEST}", params={"length": len(code)})
    for column, character in enumerate(code, start=1):
        if character not in _SIXES:
            message = f"character {column} is none of base64url: {character!r}"
            raise DecodeError("bad-char", message, column=column, params={"char": character})
    return "".join([_SIXES[character] for character in code])


def _read_mixed(reader: _BitReader) -> list[int]:
    return [reader.symbol(_MIXED_READER, USI[square]) for square in SQUARES]


def _read_normal(reader: _BitReader) -> list[int]:
    """Read the board in Normal mode: kings, pawns, then the remaining cells."""
    board = [0] * 81
    for king, name in ((OU, "the king of Black"), (-OU, "the king of White")):
        coordinate = reader.number(7, name)
        if coordinate > 81:
            raise DecodeError("king-range", f"{name} stands nowhere", params={"coordinate": coordinate})
        if coordinate:
            _place(board, coordinate - 1, king)
    for pawn, name in ((FU, "the pawns of Black"), (-FU, "the pawns of White")):
        for column in range(9):
            rank = reader.symbol(_PAWN_READER, name)
            if rank:
                _place(board, (9 - rank if pawn < 0 else rank - 1) * 9 + column, pawn)
    for square in SQUARES:
        if not board[square]:
            board[square] = reader.symbol(_NORMAL_READER, USI[square])
    return board


def _place(board: list[int], square: int, piece: int) -> None:
    if board[square]:
        raise DecodeError("overlap", f"two pieces on {USI[square]}", params={"square": USI[square]})
    board[square] = piece


def _read_hand(reader: _BitReader, name: str) -> list[int]:
    return [0, *(reader.symbol(_COUNT_READERS[kind], name) for kind in HAND_KINDS)]
