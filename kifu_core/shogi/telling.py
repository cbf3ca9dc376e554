"""What an archive tells and reads of shogi's positions and moves beside records and codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from kifu_core.errors import KifuError
from kifu_core.shogi import moves, rules
from kifu_core.shogi.pieces import BLACK, CAN_PROMOTE, CODES, HAND_KINDS, NAMES, RY, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import JAPANESE, RANKS

_RELATIVE: Final = {"L": "左", "C": "直", "R": "右", "U": "上", "M": "寄", "D": "引", "H": "打"}
_CELLS: Final = 81
_MOST_IN_HAND: Final = 18
_SIDES: Final = ("black", "white")
# Read by itself, so that what is wrong with it is told.
_SFEN: Final = re.compile(r"\s*\S+/\S+\s+[bw](?:\s+\S+){0,2}\s*")

# --- moves -----------------------------------------------------------------------------------------------


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


def move_facts(position: Position, move: int) -> dict[str, Any]:
    """Of a move about to be played: the `piece` before it promotes and the one `captured`, as CSA names them,
    and whether it `promotes`."""
    captured = position.board[moves.target(move)]
    return {
        "piece": CODES[moved_piece(position, move)],
        "captured": CODES[abs(captured)] if captured else None,
        "promotes": moves.promotes(move),
    }


# --- positions -------------------------------------------------------------------------------------------


def named(text: str) -> Position | None:
    """The position of an SFEN with or without move number; None for other texts.

    Raises KifuError for an SFEN that is wrong.
    """
    return Position.from_sfen(text) if _SFEN.fullmatch(text) else None


def texts(position: Position, ply: int = 0) -> dict[str, str]:
    """A position after so many half-moves as SFEN."""
    return {"sfen": position.sfen(ply + 1)}


def of_object(value: Mapping[str, Any]) -> Position:
    """The position of a Position object (`keys.shogi64.as_object`). Hands and kinds left out are empty.

    Raises KifuError `bad-position-object` and says what is wrong with it.
    """
    turn, board, hands = value.get("turn"), value.get("board"), value.get("hands", {})
    _require(isinstance(turn, bool), "turn is true where Black is to move, else false")
    _require(isinstance(board, list) and len(board) == _CELLS, f"board is a list of {_CELLS} cells")
    _require(all(_whole(cell, -RY, RY) for cell in board or ()), f"cells are numbers from -{RY} to {RY}")
    _require(isinstance(hands, dict) and hands.keys() <= {*_SIDES}, "hands has black and white")
    held = [_hand(hands.get(side, {}), side) for side in _SIDES]
    return Position(list(board or ()), held, BLACK if turn else WHITE)


def _hand(value: Any, side: str) -> list[int]:
    kinds = {CODES[piece]: piece for piece in HAND_KINDS}
    _require(isinstance(value, dict) and value.keys() <= kinds.keys(), f"{side} holds {', '.join(kinds)}")
    hand = [0] * (max(HAND_KINDS) + 1)
    for name, number in value.items():
        _require(_whole(number, 0, _MOST_IN_HAND), f"{side} holds a whole number of {name}")
        hand[kinds[name]] = number
    return hand


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise KifuError("bad-position-object", what)
