"""The JSON kifu format (JKF 1.0) as types, and the check that a JSON value has its shape.

The format is published by na2hiro at https://github.com/na2hiro/json-kifu-format (README, "JSONの形式").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict, cast, get_args

from kifu_core import shape
from kifu_core.deadline import watched
from kifu_core.pieces import MOST_IN_HAND

Kind = Literal["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"]
Preset = Literal[
    "HIRATE", "KY", "KY_R", "KA", "HI", "HIKY",
    "2", "3", "4", "5", "5_L", "6", "7_L", "7_R", "8", "10", "OTHER",
]  # fmt: skip
Special = Literal[
    "TORYO", "CHUDAN", "SENNICHITE", "TIME_UP", "ILLEGAL_MOVE", "+ILLEGAL_ACTION", "-ILLEGAL_ACTION",
    "JISHOGI", "KACHI", "HIKIWAKE", "MATTA", "TSUMI", "FUZUMI", "ERROR",
]  # fmt: skip

KINDS: tuple[str, ...] = get_args(Kind)
PRESETS: frozenset[str] = frozenset(get_args(Preset))
SPECIALS: frozenset[str] = frozenset(get_args(Special))
RELATIVES: frozenset[str] = frozenset(
    ["L", "C", "R", "U", "M", "D", "LU", "LD", "CU", "CD", "RU", "RD", "LM", "RM", "H"]
)


class Place(TypedDict):
    """A square: file `x` 1-9 from the right, rank `y` 1-9 from the top."""

    x: int
    y: int


class Time(TypedDict):
    """A span of time; `h` is always there in totals."""

    h: NotRequired[int]
    m: int
    s: int


class Consumption(TypedDict):
    """Time of one move and of its side so far. Raw records of some formats know only `now`."""

    now: Time
    total: NotRequired[Time]


# `from` is a Python keyword, so this type needs the call form.
Move = TypedDict(
    "Move",
    {
        "color": int,
        "from": NotRequired[Place | None],  # null only where a JKF file says so for a drop
        "to": Place,
        "piece": str,
        "same": NotRequired[bool],
        "promote": NotRequired[bool],
        "capture": NotRequired[str],
        "relative": NotRequired[str],
    },
)


class MoveEntry(TypedDict, total=False):
    """One element of `moves`: a move or an ending, with what belongs to it."""

    comments: list[str]
    move: Move
    time: Consumption
    special: str
    forks: list[list[MoveEntry]]


class Square(TypedDict, total=False):
    """A square of a drawn board; empty squares are empty objects."""

    color: int
    kind: str


class InitialData(TypedDict):
    """A drawn start: side to move, `board[x-1][y-1]`, and the hands of colours 0 and 1."""

    color: int
    board: list[list[Square]]
    hands: list[dict[str, int]]


class Initial(TypedDict):
    """The start: a named handicap, or `OTHER` with its data."""

    preset: str
    data: NotRequired[InitialData]


class Record(TypedDict):
    """A whole record. `moves[0]` is the start and holds no move."""

    header: dict[str, str]
    initial: NotRequired[Initial]
    moves: list[MoveEntry]


FORK_LEVELS = 100
"""Forks inside forks are kept to this depth; a JSON reader's own limits are not much farther."""


def check(value: object) -> Record:
    """A JSON value as a raw `Record`: a new tree in which nulls are left out and integers are integers.

    Looser than the published schema where real files are: a move may be only `{from, to}`, `special` any
    word, nulls stand for absent fields, and `comment` for `comments` in an entry. Unknown fields are left
    out. Raises ParseError (codes `jkf-type`, `jkf-missing`, `jkf-value`, `jkf-depth`) whose params hold the
    JSON `path`. Linear in the size of the value; nesting is refused beyond `FORK_LEVELS`.
    """
    record = shape.object_(value, "$")
    result: Record = {"header": header(record.get("header"), "$.header"), "moves": []}
    if record.get("initial") is not None:
        result["initial"] = _initial(record["initial"], "$.initial")
    if "moves" not in record:
        raise shape.error("jkf-missing", "$.moves")
    result["moves"] = entries(record["moves"], "$.moves", _move)
    return result


def _color(value: object, path: str) -> int:
    """0 or 1; the format's first drafts wrote true for Black."""
    if isinstance(value, bool):
        return int(not value)
    color = shape.integer(value, path)
    if color > 1:
        raise shape.error("jkf-value", path, str(color))
    return color


def _kind(value: object, path: str) -> str:
    kind = shape.string(value, path)
    if kind not in KINDS:
        raise shape.error("jkf-value", path, kind)
    return kind


def _relative(value: object, path: str) -> str:
    relative = shape.string(value, path)
    if relative and relative not in RELATIVES:
        raise shape.error("jkf-value", path, relative)
    return relative


def _place(value: object, path: str) -> Place:
    place = shape.object_(value, path)
    result: Place = {"x": 0, "y": 0}
    for axis in ("x", "y"):
        if axis not in place:
            raise shape.error("jkf-missing", f"{path}.{axis}")
        number = shape.integer(place[axis], f"{path}.{axis}")
        if not 1 <= number <= 9:
            raise shape.error("jkf-value", f"{path}.{axis}", str(number))
        result[axis] = number
    return result


def _time(value: object, path: str) -> Time:
    time = shape.object_(value, path)
    result = {
        unit: shape.integer(time[unit], f"{path}.{unit}") for unit in "hms" if time.get(unit) is not None
    }
    for unit in ("m", "s"):
        if unit not in result:
            raise shape.error("jkf-missing", f"{path}.{unit}")
    return cast(Time, result)


def _consumption(value: object, path: str) -> Consumption:
    time = shape.object_(value, path)
    if time.get("now") is None:
        raise shape.error("jkf-missing", f"{path}.now")
    result: Consumption = {"now": _time(time["now"], f"{path}.now")}
    if time.get("total") is not None:
        result["total"] = _time(time["total"], f"{path}.total")
    return result


_MOVE_FIELDS: dict[str, Callable[[object, str], object]] = {
    "color": _color, "from": _place, "to": _place, "piece": _kind, "same": shape.boolean,
    "promote": shape.boolean, "capture": _kind, "relative": _relative,
}  # fmt: skip


def _move(value: object, path: str) -> Move:
    move = shape.object_(value, path)
    result = {
        name: read(move[name], f"{path}.{name}")
        for name, read in _MOVE_FIELDS.items()
        if move.get(name) is not None
    }
    if "from" in move and move["from"] is None:
        result["from"] = None
    if "to" not in result and not result.get("same"):
        raise shape.error("jkf-missing", f"{path}.to")
    if result.get("from") is None and "piece" not in result:
        raise shape.error("jkf-missing", f"{path}.piece")
    return cast(Move, result)


def _comments(entry: dict[str, Any], path: str) -> list[str]:
    found: object = entry.get("comments")
    if found is None:
        found = entry.get("comment")
    lines = [found] if isinstance(found, str) else shape.array(found, f"{path}.comments")
    return [shape.string(line, f"{path}.comments[{i}]") for i, line in enumerate(lines)]


ReadMove = Callable[[object, str], Any]
"""Reads a JSON value as a move; the path is for what is wrong with it."""


def _entry(value: object, path: str, read_move: ReadMove, level: int) -> MoveEntry:
    entry = shape.object_(value, path)
    result: MoveEntry = {}
    if entry.get("comments") is not None or entry.get("comment") is not None:
        result["comments"] = _comments(entry, path)
    if entry.get("move") is not None:
        result["move"] = read_move(entry["move"], f"{path}.move")
    if entry.get("time") is not None:
        result["time"] = _consumption(entry["time"], f"{path}.time")
    if entry.get("special") is not None:
        result["special"] = shape.string(entry["special"], f"{path}.special")
    if entry.get("forks") is not None:
        forks = shape.array(entry["forks"], f"{path}.forks")
        result["forks"] = [
            entries(fork, f"{path}.forks[{i}]", read_move, level + 1) for i, fork in enumerate(forks)
        ]
    return result


def entries(value: object, path: str, read_move: ReadMove, level: int = 0) -> list[MoveEntry]:
    """The entries of a line of moves, forks included; `read_move` reads what stands in an entry as its move.

    Raises ParseError as `check` does. Other kinds of games have the same entries with moves of their own.
    """
    if level > FORK_LEVELS:
        raise shape.error("jkf-depth", path)
    found = enumerate(watched(shape.array(value, path)))
    return [_entry(entry, f"{path}[{i}]", read_move, level) for i, entry in found]


def header(value: object, path: str) -> dict[str, str]:
    """The headers; none for null. Raises ParseError `jkf-type`."""
    if value is None:
        return {}
    return {name: shape.string(text, f"{path}.{name}") for name, text in shape.object_(value, path).items()}


def _initial(value: object, path: str) -> Initial:
    initial = shape.object_(value, path)
    if initial.get("preset") is None:
        raise shape.error("jkf-missing", f"{path}.preset")
    preset = shape.string(initial["preset"], f"{path}.preset")
    if preset not in PRESETS:
        raise shape.error("jkf-value", f"{path}.preset", preset)
    result: Initial = {"preset": preset}
    if initial.get("data") is not None:
        result["data"] = _initial_data(initial["data"], f"{path}.data")
    return result


def _initial_data(value: object, path: str) -> InitialData:
    data = shape.object_(value, path)
    for name in ("color", "board", "hands"):
        if data.get(name) is None:
            raise shape.error("jkf-missing", f"{path}.{name}")
    hands = shape.array(data["hands"], f"{path}.hands")
    if len(hands) != 2:
        raise shape.error("jkf-value", f"{path}.hands", str(len(hands)))
    return {
        "color": _color(data["color"], f"{path}.color"),
        "board": _board(data["board"], f"{path}.board"),
        "hands": [_hand(hand, f"{path}.hands[{i}]") for i, hand in enumerate(hands)],
    }


def _board(value: object, path: str) -> list[list[Square]]:
    if value == {}:
        value = [[]] * 9
    columns = shape.array(value, path)
    if len(columns) > 9:
        raise shape.error("jkf-value", path, str(len(columns)))
    board = [_column(column, f"{path}[{x}]") for x, column in enumerate(columns)]
    return board + [[{} for _ in range(9)] for _ in range(9 - len(board))]


def _column(value: object, path: str) -> list[Square]:
    squares = shape.array(value, path)
    if len(squares) > 9:
        raise shape.error("jkf-value", path, str(len(squares)))
    column = [_square(square, f"{path}[{y}]") for y, square in enumerate(squares)]
    return column + [{} for _ in range(9 - len(column))]


def _square(value: object, path: str) -> Square:
    square = shape.object_(value, path)
    if square.get("kind") is None:
        return {}
    if square.get("color") is None:
        raise shape.error("jkf-missing", f"{path}.color")
    return {"color": _color(square["color"], f"{path}.color"), "kind": _kind(square["kind"], f"{path}.kind")}


def _hand(value: object, path: str) -> dict[str, int]:
    hand = shape.object_(value, path)
    for kind in hand:
        _kind(kind, f"{path}.{kind}")
    counts = {
        kind: shape.integer(count, f"{path}.{kind}") for kind, count in hand.items() if count is not None
    }
    for kind, count in counts.items():
        if count > MOST_IN_HAND:
            raise shape.error("jkf-value", f"{path}.{kind}", str(count))
    return counts
