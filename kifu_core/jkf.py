"""The JSON kifu format (JKF 1.0) as types, and the checks that all games share.

The format is published by na2hiro at https://github.com/na2hiro/json-kifu-format (README, "JSONの形式").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict, cast, get_args

from kifu_core import validation
from kifu_core.deadline import watched

PieceCode = Literal["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"]
Preset = Literal[
    "HIRATE", "KY", "KY_R", "KA", "HI", "HIKY",
    "2", "3", "4", "5", "5_L", "6", "7_L", "7_R", "8", "10", "OTHER",
]  # fmt: skip
SpecialCode = Literal[
    "TORYO", "CHUDAN", "SENNICHITE", "TIME_UP", "ILLEGAL_MOVE", "+ILLEGAL_ACTION", "-ILLEGAL_ACTION",
    "JISHOGI", "KACHI", "HIKIWAKE", "MATTA", "TSUMI", "FUZUMI", "ERROR",
]  # fmt: skip

KINDS: tuple[str, ...] = get_args(PieceCode)
PRESETS: frozenset[str] = frozenset(get_args(Preset))
SPECIALS: frozenset[str] = frozenset(get_args(SpecialCode))
RELATIVES: frozenset[str] = frozenset(
    ["L", "C", "R", "U", "M", "D", "LU", "LD", "CU", "CD", "RU", "RD", "LM", "RM", "H"]
)


class Coordinates(TypedDict):
    """A square by its coordinates: file `x` 1-9 from the right, rank `y` 1-9 from the top."""

    x: int
    y: int


class Time(TypedDict):
    """A duration; totals always have `h`."""

    h: NotRequired[int]
    m: int
    s: int


class Consumption(TypedDict):
    """Time of one move and of its side so far; raw records of some formats have no total."""

    now: Time
    total: NotRequired[Time]


# `from` is a Python keyword, so this type needs the call form.
Move = TypedDict(
    "Move",
    {
        "color": int,
        "from": NotRequired[Coordinates | None],  # null only where a JKF file says so for a drop
        "to": Coordinates,
        "piece": str,
        "same": NotRequired[bool],
        "promote": NotRequired[bool],
        "capture": NotRequired[str],
        "relative": NotRequired[str],
    },
)


class MoveEntry(TypedDict, total=False):
    """One element of `moves`: a move or an ending, with its comments, time and forks."""

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
"""The deepest nesting of forks; JSON readers have limits not much higher."""


def _time(value: object, path: str) -> Time:
    time = validation.object_(value, path)
    result = {
        unit: validation.integer(time[unit], f"{path}.{unit}") for unit in "hms" if time.get(unit) is not None
    }
    for unit in ("m", "s"):
        if unit not in result:
            raise validation.error("jkf-missing", f"{path}.{unit}")
    return cast(Time, result)


def _consumption(value: object, path: str) -> Consumption:
    time = validation.object_(value, path)
    if time.get("now") is None:
        raise validation.error("jkf-missing", f"{path}.now")
    result: Consumption = {"now": _time(time["now"], f"{path}.now")}
    if time.get("total") is not None:
        result["total"] = _time(time["total"], f"{path}.total")
    return result


def _comments(entry: dict[str, Any], path: str) -> list[str]:
    comments: object = entry.get("comments")
    if comments is None:
        comments = entry.get("comment")
    lines = [comments] if isinstance(comments, str) else validation.array(comments, f"{path}.comments")
    return [validation.string(line, f"{path}.comments[{i}]") for i, line in enumerate(lines)]


ReadMove = Callable[[object, str], Any]
"""Reads a JSON value as a move; the path is for errors."""


def _entry(value: object, path: str, read_move: ReadMove, level: int) -> MoveEntry:
    entry = validation.object_(value, path)
    result: MoveEntry = {}
    if entry.get("comments") is not None or entry.get("comment") is not None:
        result["comments"] = _comments(entry, path)
    if entry.get("move") is not None:
        result["move"] = read_move(entry["move"], f"{path}.move")
    if entry.get("time") is not None:
        result["time"] = _consumption(entry["time"], f"{path}.time")
    if entry.get("special") is not None:
        result["special"] = validation.string(entry["special"], f"{path}.special")
    if entry.get("forks") is not None:
        forks = validation.array(entry["forks"], f"{path}.forks")
        result["forks"] = [
            entries(fork, f"{path}.forks[{i}]", read_move, level + 1) for i, fork in enumerate(forks)
        ]
    return result


def entries(value: object, path: str, read_move: ReadMove, level: int = 0) -> list[MoveEntry]:
    """Return the entries of a line of moves, forks included; `read_move` reads the move of an entry.

    Raises ParseError as `check` does. Every game has the same entries, with moves of its own.
    """
    if level > FORK_LEVELS:
        raise validation.error("jkf-depth", path)
    numbered = enumerate(watched(validation.array(value, path)))
    return [_entry(entry, f"{path}[{i}]", read_move, level) for i, entry in numbered]


def header(value: object, path: str) -> dict[str, str]:
    """Return the headers, none for null. Raises ParseError `jkf-type`."""
    if value is None:
        return {}
    return {
        name: validation.string(text, f"{path}.{name}")
        for name, text in validation.object_(value, path).items()
    }
