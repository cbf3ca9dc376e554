"""qf_codes as JSON values, and back: the output and the input of the `kifu qf` command.

The shape is that of the format's published test vectors: numbers for squares and places, moves with their
direction and kind of jump. `state`, `moves` and their flags say everything; the other fields follow from them
and are compared when an object is read.
"""

from collections.abc import Sequence
from typing import Any, Final

from kifu_core import validation
from kifu_core.errors import KifuError, ParseError
from kifu_core.quoridor.board import PAWN, VERTICAL, WALL
from kifu_core.quoridor.position import QuoridorPosition, places
from kifu_core.quoridor.qf_code import LISTS, MOST_PLIES, QfCode, QfState, add_wall, check_state, direction

COLORS: Final = ("white", "black")


def as_object(code: QfCode) -> dict[str, Any]:
    """Return the object of a code: `has_state`, `has_record`, `state` and `moves`.

    Without a state, `state` is the start; without a record, `moves` is null.
    """
    position = code.start().position.copy()
    state = _state(code.start(), implied=code.state is None)
    moves = None if code.moves is None else _moves(position, code.moves)
    return {
        "has_state": code.state is not None,
        "has_record": code.moves is not None,
        "state": state,
        "moves": moves,
    }


def _state(state: QfState, *, implied: bool) -> dict[str, Any]:
    position, by = state.position, COLORS[state.position.turn ^ 1]
    kind = "pawn" if state.last_wall is None else "wall"
    result: dict[str, Any] = {"white": position.pawns[0], "black": position.pawns[1]}
    for field, color, lying in LISTS:
        result[field] = places((position.vertical if lying else position.horizontal)[color])
    result["last_move"] = None if implied else {"by": by, "kind": kind, "place": state.last_wall}
    result["turn_number"] = state.turn_number
    result["to_move"] = COLORS[position.turn]
    return result


def _moves(position: QuoridorPosition, moves: Sequence[int]) -> list[dict[str, Any]]:
    """Return the moves as objects; they are played on `position`."""
    objects: list[dict[str, Any]] = []
    for move in moves:
        by = COLORS[position.turn]
        if move & PAWN:
            objects.append({"by": by, "kind": "pawn", **_pawn_move(position, move)})
        else:
            orient = "v" if move & VERTICAL else "h"
            objects.append({"by": by, "kind": "wall", "orient": orient, "place": move & 63})
        position.do_move(move)
    return objects


def _pawn_move(position: QuoridorPosition, move: int) -> dict[str, Any]:
    square, to = position.pawns[position.turn], move - PAWN
    number = direction(position, move)
    jump = "diagonal" if number % 2 else "none" if abs(to - square) in (1, 9) else "straight"
    return {"from": square, "to": to, "dir": number, "jump": jump}


def from_object(value: object) -> QfCode:
    """Return the code of an object. Fields that follow from others may be missing, see `check_object`.

    Raises ParseError with the JSON `path` of the fault, and KifuError as `qf_code.encode` does for states
    without a code. The legality of moves is left to `encode`.
    """
    members = validation.object_(value, "$")
    state = _read_state(members.get("state"), "$.state") if _has(members, "has_state", "state") else None
    moves = _read_moves(members.get("moves"), "$.moves") if _has(members, "has_record", "moves") else None
    return QfCode(state, moves)


def check_object(code: QfCode, value: object) -> None:
    """Raise ParseError `jkf-value` for a field of an object that contradicts its code."""
    _compare(as_object(code), value, "$")


def _has(members: dict[str, Any], flag: str, member: str) -> bool:
    """Return whether a part is present: by its flag, if there is one."""
    if members.get(flag) is not None:
        return validation.boolean(members[flag], f"$.{flag}")
    return members.get(member) is not None


def _read_state(value: object, path: str) -> QfState:
    members = validation.object_(value, path)
    pawns = [
        validation.integer(validation.required(members, color, path), f"{path}.{color}") for color in COLORS
    ]
    turn = _color(validation.required(members, "to_move", path), f"{path}.to_move")
    position = QuoridorPosition(pawns, [0, 0], [0, 0], turn)
    for field, color, lying in LISTS:
        for index, place in enumerate(validation.array(members.get(field) or [], f"{path}.{field}")):
            add_wall(position, color, WALL + lying + _place(place, f"{path}.{field}[{index}]"))
    last_wall: int | None = None
    if members.get("last_move") is not None:
        last = validation.object_(members["last_move"], f"{path}.last_move")
        if last.get("kind") == "wall":
            place = validation.required(last, "place", f"{path}.last_move")
            last_wall = _place(place, f"{path}.last_move.place")
    number = validation.integer(validation.required(members, "turn_number", path), f"{path}.turn_number")
    state = QfState(position, last_wall, number)
    check_state(state)
    return state


def _read_moves(value: object, path: str) -> tuple[int, ...]:
    entries = validation.array(value, path)
    if len(entries) > MOST_PLIES:
        raise KifuError("too-many-plies", params={"count": len(entries), "limit": MOST_PLIES})
    return tuple(_read_move(entry, f"{path}[{index}]") for index, entry in enumerate(entries))


def _read_move(value: object, path: str) -> int:
    members = validation.object_(value, path)
    kind = validation.string(validation.required(members, "kind", path), f"{path}.kind")
    if kind == "pawn":
        square = validation.integer(validation.required(members, "to", path), f"{path}.to")
        if square > 80:
            raise validation.error("jkf-value", f"{path}.to", str(square))
        return PAWN + square
    orient = validation.string(validation.required(members, "orient", path), f"{path}.orient")
    if kind != "wall" or orient not in ("h", "v"):
        raise validation.error("jkf-value", path, f"{kind} {orient}")
    place = _place(validation.required(members, "place", path), f"{path}.place")
    return WALL + (VERTICAL if orient == "v" else 0) + place


def _color(value: object, path: str) -> int:
    text = validation.string(value, path)
    if text not in COLORS:
        raise validation.error("jkf-value", path, text)
    return COLORS.index(text)


def _place(value: object, path: str) -> int:
    place = validation.integer(value, path)
    if place > 63:
        raise validation.error("jkf-value", path, str(place))
    return place


def _compare(expected: Any, actual: Any, path: str) -> None:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for field in expected.keys() & actual.keys():
            _compare(expected[field], actual[field], f"{path}.{field}")
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, pair in enumerate(zip(expected, actual, strict=True)):
            _compare(*pair, f"{path}[{index}]")
    elif actual is not None and expected != (sorted(actual) if _is_numbers(actual) else actual):
        raise ParseError("jkf-value", params={"path": path, "value": str(actual)[:40]})


def _is_numbers(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, int) for item in value)
