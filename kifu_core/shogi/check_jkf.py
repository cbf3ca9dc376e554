"""The check that a JSON value has the shape of a record of shogi (`kifu_core.jkf`)."""

from collections.abc import Callable
from typing import cast

from kifu_core import jkf, validation
from kifu_core.jkf import KINDS, PRESETS, RELATIVES, Record, entries, header
from kifu_core.shogi.pieces import MOST_IN_HAND


def check(value: object) -> Record:
    """Return a JSON value as a raw `Record`: a new tree without nulls, with integers as int.

    The check is looser than the published schema, as real files are: a move may be only `{from, to}`,
    `special` any word, nulls stand for absent fields, and an entry may have `comment` for `comments`. Unknown
    fields are dropped. Raises ParseError (codes `jkf-type`, `jkf-missing`, `jkf-value`, `jkf-depth`) whose
    params have the JSON `path`. Linear in the size of the value; the nesting limit is `FORK_LEVELS`.
    """
    record = validation.object_(value, "$")
    result: Record = {"header": header(record.get("header"), "$.header"), "moves": []}
    if record.get("initial") is not None:
        result["initial"] = _initial(record["initial"], "$.initial")
    if "moves" not in record:
        raise validation.error("jkf-missing", "$.moves")
    result["moves"] = entries(record["moves"], "$.moves", _move)
    return result


def _color(value: object, path: str) -> int:
    """Return 0 or 1; the first drafts of JKF wrote true for Black."""
    if isinstance(value, bool):
        return int(not value)
    color = validation.integer(value, path)
    if color > 1:
        raise validation.error("jkf-value", path, str(color))
    return color


def _kind(value: object, path: str) -> str:
    kind = validation.string(value, path)
    if kind not in KINDS:
        raise validation.error("jkf-value", path, kind)
    return kind


def _relative(value: object, path: str) -> str:
    relative = validation.string(value, path)
    if relative and relative not in RELATIVES:
        raise validation.error("jkf-value", path, relative)
    return relative


def _place(value: object, path: str) -> jkf.Coordinates:
    place = validation.object_(value, path)
    result: jkf.Coordinates = {"x": 0, "y": 0}
    for axis in ("x", "y"):
        if axis not in place:
            raise validation.error("jkf-missing", f"{path}.{axis}")
        number = validation.integer(place[axis], f"{path}.{axis}")
        if not 1 <= number <= 9:
            raise validation.error("jkf-value", f"{path}.{axis}", str(number))
        result[axis] = number
    return result


_MOVE_FIELDS: dict[str, Callable[[object, str], object]] = {
    "color": _color, "from": _place, "to": _place, "piece": _kind, "same": validation.boolean,
    "promote": validation.boolean, "capture": _kind, "relative": _relative,
}  # fmt: skip


def _move(value: object, path: str) -> jkf.Move:
    move = validation.object_(value, path)
    result = {
        name: read(move[name], f"{path}.{name}")
        for name, read in _MOVE_FIELDS.items()
        if move.get(name) is not None
    }
    if "from" in move and move["from"] is None:
        result["from"] = None
    if "to" not in result and not result.get("same"):
        raise validation.error("jkf-missing", f"{path}.to")
    if result.get("from") is None and "piece" not in result:
        raise validation.error("jkf-missing", f"{path}.piece")
    return cast(jkf.Move, result)


def _initial(value: object, path: str) -> jkf.Initial:
    initial = validation.object_(value, path)
    if initial.get("preset") is None:
        raise validation.error("jkf-missing", f"{path}.preset")
    preset = validation.string(initial["preset"], f"{path}.preset")
    if preset not in PRESETS:
        raise validation.error("jkf-value", f"{path}.preset", preset)
    result: jkf.Initial = {"preset": preset}
    if initial.get("data") is not None:
        result["data"] = _initial_data(initial["data"], f"{path}.data")
    return result


def _initial_data(value: object, path: str) -> jkf.InitialData:
    data = validation.object_(value, path)
    for name in ("color", "board", "hands"):
        if data.get(name) is None:
            raise validation.error("jkf-missing", f"{path}.{name}")
    hands = validation.array(data["hands"], f"{path}.hands")
    if len(hands) != 2:
        raise validation.error("jkf-value", f"{path}.hands", str(len(hands)))
    return {
        "color": _color(data["color"], f"{path}.color"),
        "board": _board(data["board"], f"{path}.board"),
        "hands": [_hand(hand, f"{path}.hands[{i}]") for i, hand in enumerate(hands)],
    }


def _board(value: object, path: str) -> list[list[jkf.Square]]:
    if value == {}:
        value = [[]] * 9
    columns = validation.array(value, path)
    if len(columns) > 9:
        raise validation.error("jkf-value", path, str(len(columns)))
    board = [_column(column, f"{path}[{x}]") for x, column in enumerate(columns)]
    return board + [[{} for _ in range(9)] for _ in range(9 - len(board))]


def _column(value: object, path: str) -> list[jkf.Square]:
    squares = validation.array(value, path)
    if len(squares) > 9:
        raise validation.error("jkf-value", path, str(len(squares)))
    column = [_square(square, f"{path}[{y}]") for y, square in enumerate(squares)]
    return column + [{} for _ in range(9 - len(column))]


def _square(value: object, path: str) -> jkf.Square:
    square = validation.object_(value, path)
    if square.get("kind") is None:
        return {}
    if square.get("color") is None:
        raise validation.error("jkf-missing", f"{path}.color")
    return {"color": _color(square["color"], f"{path}.color"), "kind": _kind(square["kind"], f"{path}.kind")}


def _hand(value: object, path: str) -> dict[str, int]:
    hand = validation.object_(value, path)
    for kind in hand:
        _kind(kind, f"{path}.{kind}")
    counts = {
        kind: validation.integer(count, f"{path}.{kind}") for kind, count in hand.items() if count is not None
    }
    for kind, count in counts.items():
        if count > MOST_IN_HAND:
            raise validation.error("jkf-value", f"{path}.{kind}", str(count))
    return counts
