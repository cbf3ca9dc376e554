"""What an archive tells and reads of Quoridor's positions and moves beside records and codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kifu_core.errors import KifuError
from kifu_core.messages import message
from kifu_core.quoridor import qf_code
from kifu_core.quoridor.board import SQUARE_NAMES, name
from kifu_core.quoridor.formats import detect
from kifu_core.quoridor.position import Position
from kifu_core.quoridor.record import KIND, VERSION, check, start

_PATH: Final = str.maketrans("+/-_", "-_+/")


def path_code(code: str) -> str:
    """A code as addresses have it, with `-` and `_` for `+` and `/`; and the other way round.

    >>> path_code("gk+/"), path_code(path_code("gk+/"))
    ('gk-_', 'gk+/')
    """
    return code.translate(_PATH)


def move_text(position: Position, move: int) -> str:
    """A move about to be played, as lists write it."""
    return name(move)


def named(text: str) -> Position | None:
    """The position of a single qf_code that is a snapshot; None for a record, and for lists of moves.

    Raises DecodeError for a single word that is neither.
    """
    if len(text.split()) != 1 or detect(text)[0] not in (None, "qf"):
        return None
    found = qf_code.normalized(qf_code.decode(text))
    return found.start().position if found.moves is None else None


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
