"""A position: 81 cells, both hands, the side to move. Positions are mutable, unlike most of the library."""

from __future__ import annotations

import re
from typing import Final

from kifu_core.errors import DecodeError
from kifu_core.shogi.handicaps import INITIAL_SFEN
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.pieces import (
    BLACK,
    BY_LETTER,
    HAND_KINDS,
    IN_HAND,
    MOST_IN_HAND,
    PROMOTED,
    UNPROMOTED,
    WHITE,
)

_HAND_ITEM: Final = re.compile(r"([1-9][0-9]?)?([PLNSGBRplnsgbr])")
_MOVE_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_SFEN_HAND_ORDER: Final = tuple(reversed(HAND_KINDS))

_CELL_PIECES: Final = {
    text: sign * value
    for letter, value in BY_LETTER.items()
    for text, sign in ((letter, 1), (letter.lower(), -1))
}
_CELL_TEXTS: Final = {value: text for text, value in _CELL_PIECES.items()}


class Position:
    """A position of shogi, which need not be legal.

    `board` has 81 signed pieces (see `pieces`), in SFEN's reading order; `hands[color][kind]` counts the
    pieces in hand, index 0 unused; `turn` is the colour to move.
    """

    __slots__ = ("board", "hands", "turn")

    def __init__(self, board: list[int], hands: list[list[int]], turn: int) -> None:
        self.board = board
        self.hands = hands
        self.turn = turn

    @classmethod
    def initial(cls) -> Position:
        """Return the start of an even game."""
        return cls.from_sfen(INITIAL_SFEN)

    @classmethod
    def from_sfen(cls, text: str) -> Position:
        """Read board, side to move, hands and an optional move number, which is dropped.

        Raises DecodeError: `sfen-fields`, `sfen-board`, `sfen-turn`, `sfen-hands`, `sfen-number`.

        >>> Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 w 2Pr 7").sfen()
        '4k4/9/9/9/9/9/9/9/4K4 w 2Pr 1'
        """
        fields = text.split()
        if not 3 <= len(fields) <= 4:
            raise DecodeError("sfen-fields", "an SFEN has 3 or 4 fields", params={"count": len(fields)})
        if fields[1] not in ("b", "w"):
            raise DecodeError("sfen-turn", "the side to move is b or w", params={"text": fields[1][:20]})
        if len(fields) == 4 and not _MOVE_NUMBER.fullmatch(fields[3]):
            raise DecodeError("sfen-number", "not a move number", params={"text": fields[3][:20]})
        turn = WHITE if fields[1] == "w" else BLACK
        return cls(_read_board(fields[0]), _read_hands(fields[2]), turn)

    def sfen(self, move_number: int | None = 1) -> str:
        """Return the position as SFEN, hands in the order rook to pawn, Black's first; no number for None.

        >>> Position.initial().sfen(None)
        'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -'
        """
        board = "/".join(_rank_text(self.board[start : start + 9]) for start in range(0, 81, 9))
        text = f"{board} {'w' if self.turn else 'b'} {_hands_text(self.hands)}"
        return text if move_number is None else f"{text} {move_number}"

    def copy(self) -> Position:
        """Return an independent copy."""
        return Position(self.board[:], [self.hands[0][:], self.hands[1][:]], self.turn)

    def do_move(self, move: int) -> int:
        """Play a packed move and return the captured signed piece (0: none), which `undo_move` needs.

        Legality is not checked. The source must hold a piece, which can promote if the move promotes; a
        dropped piece must be in hand. A captured king goes to no hand.
        """
        board = self.board
        turn = self.turn
        origin = move >> 8
        to = move >> 1 & 127
        captured = board[to]
        if origin > DROP:
            kind = origin - DROP
            self.hands[turn][kind] -= 1
            board[to] = -kind if turn else kind
        else:
            piece = board[origin]
            board[origin] = 0
            board[to] = PROMOTED[piece] if move & 1 else piece
            if captured and (kind := IN_HAND[captured]):
                self.hands[turn][kind] += 1
        self.turn = turn ^ 1
        return captured

    def undo_move(self, move: int, captured: int) -> None:
        """Take back the last move; `captured` is the value of `do_move`."""
        board = self.board
        turn = self.turn = self.turn ^ 1
        origin = move >> 8
        to = move >> 1 & 127
        piece = board[to]
        board[to] = captured
        if origin > DROP:
            self.hands[turn][origin - DROP] += 1
            return
        board[origin] = UNPROMOTED[piece] if move & 1 else piece
        if captured and (kind := IN_HAND[captured]):
            self.hands[turn][kind] -= 1

    def mirrored(self) -> Position:
        """Return the position mirrored left to right."""
        board = [piece for start in range(0, 81, 9) for piece in reversed(self.board[start : start + 9])]
        return Position(board, [self.hands[0][:], self.hands[1][:]], self.turn)

    def turned(self) -> Position:
        """Return the position with colours exchanged: turned by 180 degrees, other side to move."""
        board = [-piece for piece in reversed(self.board)]
        return Position(board, [self.hands[1][:], self.hands[0][:]], self.turn ^ 1)

    def oriented(self, orientation: int) -> Position:
        """Return a new position, mirrored (bit 0) and turned (bit 1): an involution."""
        position = self.mirrored() if orientation & 1 else self.copy()
        return position.turned() if orientation & 2 else position

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.turn == other.turn and self.board == other.board and self.hands == other.hands

    def __repr__(self) -> str:
        return f"Position.from_sfen({self.sfen()!r})"


def _read_board(text: str) -> list[int]:
    board: list[int] = []
    ranks = text.split("/")
    for number, rank in enumerate(ranks, start=1):
        board += _read_rank(rank)
        if len(board) != 9 * number:
            raise _bad_board(rank, number)
    if len(ranks) != 9:
        raise DecodeError(
            "sfen-board", "a board has 9 ranks", params={"rank": len(ranks), "text": text[:100]}
        )
    return board


def _read_rank(text: str) -> list[int]:
    """Read the cells of one rank, however many; return none for an unknown character."""
    cells: list[int] = []
    for cell in re.findall(r"\+?.", text):
        if cell in "123456789":
            cells += [0] * int(cell)
        elif cell in _CELL_PIECES:
            cells.append(_CELL_PIECES[cell])
        else:
            return []
    return cells


def _bad_board(rank: str, number: int) -> DecodeError:
    message = f"rank {number} is not nine cells: {rank[:40]!r}"
    return DecodeError("sfen-board", message, params={"rank": number, "text": rank[:40]})


def _read_hands(text: str) -> list[list[int]]:
    """Read both hands of SFEN's third field; kinds may come in any order and more than once."""
    hands = [[0] * 8, [0] * 8]
    if text == "-":
        return hands
    place = 0
    while place < len(text):
        item = _HAND_ITEM.match(text, place)
        if item is None:
            raise DecodeError("sfen-hands", f"cannot read hands {text[:40]!r}", params={"text": text[:40]})
        piece = _CELL_PIECES[item[2]]
        hands[piece < 0][abs(piece)] += int(item[1] or 1)
        if hands[piece < 0][abs(piece)] > MOST_IN_HAND:
            raise DecodeError("sfen-hands", f"too many in hand: {text[:40]!r}", params={"text": text[:40]})
        place = item.end()
    return hands


def _rank_text(cells: list[int]) -> str:
    parts: list[str] = []
    empty = 0
    for piece in cells:
        if piece == 0:
            empty += 1
            continue
        if empty:
            parts.append(str(empty))
            empty = 0
        parts.append(_CELL_TEXTS[piece])
    if empty:
        parts.append(str(empty))
    return "".join(parts)


def _hands_text(hands: list[list[int]]) -> str:
    parts = [
        (str(count) if count > 1 else "") + _CELL_TEXTS[-kind if color else kind]
        for color in (BLACK, WHITE)
        for kind in _SFEN_HAND_ORDER
        if (count := hands[color][kind])
    ]
    return "".join(parts) or "-"
