"""Positions and moves as typed texts, labels and JSON objects."""

from collections.abc import Mapping
from typing import Any, Final

from kifu_core.errors import KifuError
from kifu_core.messages import Language, message
from kifu_core.quoridor import qf_code
from kifu_core.quoridor.board import SQUARE_NAMES, name
from kifu_core.quoridor.formats import detect, load
from kifu_core.quoridor.formats.qf import looks_coded
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.record import KIND, VERSION, QuoridorMove, check, from_jkf, start
from kifu_core.quoridor.replay import main_line


def move_text(position: QuoridorPosition, move: int) -> str:
    """Return a move about to be played, as move lists write it."""
    return name(move)


MARKS: Final = ("♙", "♟\ufe0e")
"""Stand before the moves of White and Black."""


def record_move_label(move: QuoridorMove, before: QuoridorMove | None, language: Language) -> str:
    """Return a move of a record with its side's mark, the same in any language.

    A pawn's move is its target square, a wall's is its name.
    """
    return MARKS[move["color"]] + (move.get("wall") or move["to"])


def next_move_label(
    position: QuoridorPosition, move: int, text: str, language: Language, last: int | None = None
) -> str:
    """Return a move about to be played with its side's mark, the same in any language."""
    return MARKS[position.turn] + text


def parse_position(text: str) -> QuoridorPosition | None:
    """Return the position of a single qf_code that is a snapshot; None for a record or a list of moves.

    Raises DecodeError for a single word that is neither.
    """
    if len(text.split()) != 1 or detect(text)[0] not in (None, "qf"):
        return None
    code = qf_code.normalized(qf_code.decode(text))
    return code.start().position if code.moves is None else None


def parse_typed(text: str) -> QuoridorPosition | None:
    """Return the position of a code, or the end of a list of at least two moves; None for other words."""
    if detect(text)[0] != ("alg" if len(text.split()) > 1 else "qf" if looks_coded(text) else ""):
        return None
    try:
        if (position := parse_position(text)) is not None:
            return position
        games = load(text).games
    except KifuError:
        return None
    *_, (_ply, end, _move, _entry) = main_line(from_jkf(games[0].record)) if games else [(0, None, 0, None)]
    return end


_SIDE: Final = {"type": "array", "items": {"type": "string", "pattern": "^[a-h][1-8][hv]$"}}
SCHEMA: Final[dict[str, Any]] = {
    "title": "QuoridorPosition",
    "description": "The side to move, the squares of the pawns and the walls of both colours.",
    "type": "object",
    "properties": {
        "color": {"type": "integer", "minimum": 0, "maximum": 1},
        "pawns": {
            "type": "array",
            "items": {"type": "string", "pattern": "^[a-i][1-9]$"},
            "minItems": 2,
            "maxItems": 2,
        },
        "walls": {"type": "array", "items": _SIDE, "minItems": 2, "maxItems": 2},
    },
    "required": ["color", "pawns", "walls"],
}
"""The JSON schema of the objects of `as_object`."""


def as_object(position: QuoridorPosition) -> dict[str, Any]:
    """Return the JSON object of a position."""
    return {
        "color": position.turn,
        "pawns": [SQUARE_NAMES[square] for square in position.pawns],
        "walls": [[name(wall) for wall in position.walls(color)] for color in (0, 1)],
    }


def from_object(value: Mapping[str, Any]) -> QuoridorPosition:
    """Return the position of an object like those of `as_object`.

    Raises KifuError `bad-position-object`, whose message names the fault.
    """
    initial = {"preset": "OTHER", "data": {**value, "turn": 1, "last": None}}
    try:
        record = check({"game": KIND, "version": VERSION, "initial": initial, "moves": []})
    except KifuError as error:
        raise KifuError("bad-position-object", message(error, language="en")) from error
    return start(record).position
