"""The moves of a position: which are legal, how they are written, where they lead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kifu_core import moves, rules
from kifu_core.keys import shogi64
from kifu_core.pieces import CAN_PROMOTE, CODES, NAMES
from kifu_core.position import Position
from kifu_core.squares import JAPANESE, RANKS

_RELATIVE: Final = {"L": "左", "C": "直", "R": "右", "U": "上", "M": "寄", "D": "引", "H": "打"}


@dataclass(frozen=True, slots=True)
class LegalMove:
    """A legal move: packed, as USI, as KI2 writes it without the side, and the code of what it leads to.

    `piece` is the moving piece before it promotes, `captured` the piece it takes or empty, both as CSA names
    them. Whether there is a choice of promotion shows in the other legal moves.
    """

    move: int
    usi: str
    text: str
    piece: str
    captured: str
    promotes: bool
    code: str


def legal(code: str) -> list[LegalMove]:
    """All legal moves of a position: those on the board by the square they start from, then drops.

    Raises DecodeError for a code that is not strictly valid. About 50 us a move.
    """
    position = shogi64.decode(code)
    return [_legal_move(position, move) for move in rules.legal_moves(position)]


def _legal_move(position: Position, move: int) -> LegalMove:
    text, piece, captured = move_text(position, move), moved_piece(position, move), position.do_move(move)
    after = shogi64.encode(position)
    position.undo_move(move, captured)
    return LegalMove(
        move, moves.to_usi(move), text, CODES[piece], CODES[abs(captured)] if captured else "",
        moves.promotes(move), after,
    )  # fmt: skip


def moved_piece(position: Position, move: int) -> int:
    """The kind of the piece that a move about to be played moves or drops."""
    return moves.dropped(move) or abs(position.board[moves.source(move)])


def move_text(position: Position, move: int) -> str:
    """A move about to be played as KI2 writes it, without the side: `７六歩`, `５八金右`, `２二角成`."""
    piece = moved_piece(position, move)
    words = "".join(_RELATIVE[word] for word in rules.relative(position, move))
    return JAPANESE[moves.target(move)] + NAMES[piece] + words + _promotion(position, move, piece)


def _promotion(position: Position, move: int, piece: int) -> str:
    if moves.promotes(move):
        return "成"
    if moves.dropped(move) or not CAN_PROMOTE[piece]:
        return ""
    ranks = RANKS[moves.source(move)], RANKS[moves.target(move)]
    zone = min(ranks) <= 3 if position.turn == 0 else max(ranks) >= 7
    return "不成" if zone else ""
