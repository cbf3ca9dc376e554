"""Positions of Quoridor as JSON objects, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kifu_core.errors import KifuError
from kifu_core.messages import message
from kifu_core.quoridor.board import SQUARE_NAMES, name
from kifu_core.quoridor.position import Position
from kifu_core.quoridor.record import KIND, VERSION, check, start


def as_object(position: Position) -> dict[str, Any]:
    """A position as JSON: the side to move, the squares of the pawns and the walls of both colours."""
    return {
        "color": position.turn,
        "pawns": [SQUARE_NAMES[square] for square in position.pawns],
        "walls": [[name(wall) for wall in position.walls(color)] for color in (0, 1)],
    }


def of_object(value: Mapping[str, Any]) -> Position:
    """The position of such an object; raises KifuError `bad-position-object` and says what is wrong."""
    initial = {"preset": "OTHER", "data": {**value, "turn": 1, "last": None}}
    try:
        record = check({"game": KIND, "version": VERSION, "initial": initial, "moves": []})
    except KifuError as error:
        raise KifuError("bad-position-object", message(error, language="en")) from error
    return start(record).position
