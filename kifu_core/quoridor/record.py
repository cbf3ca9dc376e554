"""Records of Quoridor: shaped like JKF, with moves and starts of their own.

`schema/quoridor-record.schema.json` is their JSON schema, `docs/quoridor.md` describes them.
`ParsedGame.record` holds them like JKF: header, entries, comments, times, specials and forks are the same.
"""

from __future__ import annotations

from typing import Any, Final, NotRequired, TypedDict, cast

from kifu_core import jkf, validation
from kifu_core.errors import DecodeError
from kifu_core.jkf import Consumption
from kifu_core.memo import Memo
from kifu_core.quoridor.board import BY_NAME, IS_NAME, PAWN, SQUARE_NAMES, is_wall, name, read_name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfState, add_wall, check_pawns, check_state

KIND: Final = "quoridor"
VERSION: Final = 1

# `from` is a Python keyword, so this type needs the call form.
QuoridorMove = TypedDict(
    "QuoridorMove",
    {"color": NotRequired[int], "from": NotRequired[str], "to": NotRequired[str], "wall": NotRequired[str]},
)
"""A pawn goes `from` a square `to` another, or a `wall` is placed; squares and walls by their names."""


class QuoridorEntry(TypedDict, total=False):
    """One element of `moves`: a move or an ending, with its comments, time and forks."""

    comments: list[str]
    move: QuoridorMove
    time: Consumption
    special: str
    forks: list[list[QuoridorEntry]]


class QuoridorInitialData(TypedDict):
    """A start of its own: side to move, squares of the pawns and walls of both colours, the turn number.

    `last` is the wall that the side not to move placed last, absent if it moved its pawn.
    """

    color: int
    pawns: list[str]
    walls: list[list[str]]
    turn: int
    last: NotRequired[str]


class QuoridorInitial(TypedDict):
    """The start: `START`, or `OTHER` with its data."""

    preset: str
    data: NotRequired[QuoridorInitialData]


class QuoridorRecord(TypedDict):
    """A whole record. `moves[0]` is the start and holds no move."""

    game: str
    version: int
    header: dict[str, str]
    initial: QuoridorInitial
    moves: list[QuoridorEntry]


def new_record(header: dict[str, str], state: QfState, moves: list[QuoridorEntry]) -> QuoridorRecord:
    """Return a record that starts at a state; `moves` begin with the entry of the start."""
    return {"game": KIND, "version": VERSION, "header": header, "initial": initial_of(state), "moves": moves}


def as_jkf(record: QuoridorRecord) -> jkf.Record:
    """Return the record as the type of `ParsedGame.record`: the same object."""
    return cast(jkf.Record, record)


def from_jkf(record: jkf.Record) -> QuoridorRecord:
    """Return the record of Quoridor that a `ParsedGame` carries."""
    return cast(QuoridorRecord, record)


def initial_of(state: QfState) -> QuoridorInitial:
    """Return the start of a record that begins at a state."""
    position = state.position
    if state == QfState(QuoridorPosition.initial()):
        return {"preset": "START"}
    data: QuoridorInitialData = {
        "color": position.turn,
        "pawns": [SQUARE_NAMES[square] for square in position.pawns],
        "walls": [[name(wall) for wall in position.walls(color)] for color in (0, 1)],
        "turn": state.turn_number,
    }
    if state.last_wall is not None:
        lying = next(wall for wall in position.walls(position.turn ^ 1) if wall & 63 == state.last_wall)
        data["last"] = name(lying)
    return {"preset": "OTHER", "data": data}


def start(record: QuoridorRecord) -> QfState:
    """Return the state where a record begins, as a new object.

    Raises DecodeError for an impossible start, with the codes of `qf_code.decode`.
    """
    data = record["initial"].get("data")
    if data is None:
        return QfState(QuoridorPosition.initial())
    pawns = [_square(text) for text in data["pawns"]]
    check_pawns(pawns)
    position = QuoridorPosition(pawns, [0, 0], [0, 0], data["color"])
    for color in (0, 1):
        for text in data["walls"][color]:
            add_wall(position, color, _wall(text))
    last = _wall(data["last"]) if "last" in data else None
    if last is not None and last not in position.walls(position.turn ^ 1):
        raise DecodeError("last-move-wall", params={"place": name(last)})
    state = QfState(position, None if last is None else last & 63, data["turn"])
    check_state(state)
    return state


def _square(text: str) -> int:
    move = read_name(text)
    if is_wall(move):
        raise DecodeError("bad-quoridor-move", params={"text": text})
    return move - PAWN


def _wall(text: str) -> int:
    move = read_name(text)
    if not is_wall(move):
        raise DecodeError("bad-quoridor-move", params={"text": text})
    return move


def packed_move(move: QuoridorMove) -> int:
    """Return the move of a record as an integer (see `board`); raises DecodeError `bad-quoridor-move`."""
    text = move["wall"] if "wall" in move else move["to"]
    return BY_NAME.get(text) or read_name(text)


def move_object(position: QuoridorPosition, move: int) -> QuoridorMove:
    """Return the object of a packed move that is about to be played; records share them."""
    color = position.turn
    return _OBJECTS[color, position.pawns[color] if move & PAWN else 0, move]


def _object(key: tuple[int, int, int]) -> QuoridorMove:
    color, square, move = key
    if is_wall(move):
        return {"color": color, "wall": name(move)}
    return {"color": color, "from": SQUARE_NAMES[square], "to": name(move)}


_OBJECTS: Final = Memo(_object)


def check(value: object) -> QuoridorRecord:
    """Return a JSON value as a raw record: a new tree in which nulls and unknown fields are left out.

    A move may lack `color` and `from`, which replaying fills in; `initial` may be missing. Raises ParseError
    (`jkf-type`, `jkf-missing`, `jkf-value`, `jkf-depth`) with the JSON `path`, DecodeError for an impossible
    start. Linear in the size of the value.
    """
    members = validation.object_(value, "$")
    # Records that our archive wrote before its first release have `kind` for `game`.
    field = "kind" if "kind" in members and "game" not in members else "game"
    game = validation.string(validation.required(members, field, "$"), f"$.{field}")
    if game != KIND:
        raise validation.error("jkf-value", f"$.{field}", game)
    version = validation.integer(validation.required(members, "version", "$"), "$.version")
    if version != VERSION:
        raise validation.error("jkf-value", "$.version", str(version))
    moves = jkf.entries(validation.required(members, "moves", "$"), "$.moves", _read_move)
    record: QuoridorRecord = {
        "game": KIND,
        "version": VERSION,
        "header": jkf.header(members.get("header"), "$.header"),
        "initial": _read_initial(members.get("initial"), "$.initial"),
        "moves": cast(list[QuoridorEntry], moves),
    }
    start(record)
    return record


def _read_move(value: object, path: str) -> QuoridorMove:
    members = validation.object_(value, path)
    fields: dict[str, Any] = {
        field: _read_name(members[field], f"{path}.{field}")
        for field in ("from", "to", "wall")
        if members.get(field) is not None
    }
    if ("to" in fields) == ("wall" in fields):
        raise validation.error("jkf-missing", f"{path}.to")
    if members.get("color") is not None:
        fields["color"] = _read_color(members["color"], f"{path}.color")
    return cast(QuoridorMove, fields)


def _read_name(value: object, path: str) -> str:
    text = validation.string(value, path)
    if not IS_NAME.fullmatch(text) or (len(text) == 3) != path.endswith(".wall"):
        raise validation.error("jkf-value", path, text)
    return text


def _read_color(value: object, path: str) -> int:
    color = validation.integer(value, path)
    if color > 1:
        raise validation.error("jkf-value", path, str(color))
    return color


def _read_initial(value: object, path: str) -> QuoridorInitial:
    if value is None:
        return {"preset": "START"}
    members = validation.object_(value, path)
    preset = validation.string(validation.required(members, "preset", path), f"{path}.preset")
    if preset == "START":
        return {"preset": preset}
    if preset != "OTHER":
        raise validation.error("jkf-value", f"{path}.preset", preset)
    return {"preset": preset, "data": _read_data(validation.required(members, "data", path), f"{path}.data")}


def _read_data(value: object, path: str) -> QuoridorInitialData:
    members = validation.object_(value, path)
    pawns, walls = (
        _pair(validation.required(members, field, path), f"{path}.{field}") for field in ("pawns", "walls")
    )
    data: QuoridorInitialData = {
        "color": _read_color(validation.required(members, "color", path), f"{path}.color"),
        "pawns": [validation.string(text, f"{path}.pawns") for text in pawns],
        "walls": [
            [
                validation.string(text, f"{path}.walls[{i}]")
                for text in validation.array(side, f"{path}.walls[{i}]")
            ]
            for i, side in enumerate(walls)
        ],
        "turn": validation.integer(validation.required(members, "turn", path), f"{path}.turn"),
    }
    if members.get("last") is not None:
        data["last"] = validation.string(members["last"], f"{path}.last")
    return data


def _pair(value: object, path: str) -> list[Any]:
    pair = validation.array(value, path)
    if len(pair) != 2:
        raise validation.error("jkf-value", path, str(len(pair)))
    return pair
