"""Positions as SFEN and as JSON objects."""

import re
from collections.abc import Mapping
from typing import Any, Final

from kifu_core.errors import KifuError
from kifu_core.shogi.pieces import BLACK, CODES, FULL_SET, HAND_KINDS, RY, WHITE
from kifu_core.shogi.position import Position

_CELLS: Final = 81
_MOST_CODED: Final = max(FULL_SET)
"""The largest count of a kind in one hand that codes can hold."""
_SIDES: Final = ("black", "white")
# Read separately, to report what is wrong with it.
_SFEN: Final = re.compile(r"\s*\S+/\S+\s+[bw](?:\s+\S+){0,2}\s*")


def parse_position(text: str) -> Position | None:
    """Return the position of an SFEN with or without move number; None for other texts.

    Raises KifuError for an invalid SFEN.
    """
    return Position.from_sfen(text) if _SFEN.fullmatch(text) else None


def notations(position: Position, ply: int = 0) -> dict[str, str]:
    """Return the notations of a position after `ply` half-moves: its SFEN."""
    return {"sfen": position.sfen(ply + 1)}


def from_object(value: Mapping[str, Any]) -> Position:
    """Return the position of a JSON object (`keys.shogi64.as_object`).

    Missing hands and kinds are empty. Raises KifuError `bad-position-object`, whose message names the fault.
    """
    turn, board, hands = value.get("turn"), value.get("board"), value.get("hands", {})
    _require(isinstance(turn, bool), "turn is true where Black is to move, else false")
    _require(isinstance(board, list) and len(board) == _CELLS, f"board is a list of {_CELLS} cells")
    _require(all(_is_integer(cell, -RY, RY) for cell in board or ()), f"cells are numbers from -{RY} to {RY}")
    _require(isinstance(hands, dict) and hands.keys() <= {*_SIDES}, "hands has black and white")
    counts = [_hand(hands.get(side, {}), side) for side in _SIDES]
    return Position(list(board or ()), counts, BLACK if turn else WHITE)


def _hand(value: Any, side: str) -> list[int]:
    kinds = {CODES[piece]: piece for piece in HAND_KINDS}
    _require(isinstance(value, dict) and value.keys() <= kinds.keys(), f"{side} holds {', '.join(kinds)}")
    hand = [0] * (max(HAND_KINDS) + 1)
    for name, number in value.items():
        _require(_is_integer(number, 0, _MOST_CODED), f"{side} holds a whole number of {name}")
        hand[kinds[name]] = number
    return hand


def _is_integer(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise KifuError("bad-position-object", what)
