"""Times used along a record, and remaining times."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from kifu_core.jkf import Record
from kifu_core.shogi.move_times import seconds
from kifu_core.shogi.start import start_position

PERIOD: Final = 60
"""Seconds of one period of consideration (考慮時間 is counted by the minute)."""


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """A time limit: `main` seconds, then `byoyomi` seconds a move and `periods` minutes beyond these; every
    move adds `increment` seconds. Without byoyomi the game is lost when the main time is used up."""

    main: int
    byoyomi: int = 0
    increment: int = 0
    periods: int = 0


class Tick(NamedTuple):
    """The time of one move.

    `ply` is the move's number from 1, `color` its side; `used` and `total` are seconds, the total being that
    side's so far. `remaining` is that side's main time after the move in seconds, with increments, None
    without a limit; `periods` are the remaining minutes of consideration. An `ending` is no move, but has a
    time.
    """

    ply: int
    color: int
    used: float
    total: float
    remaining: float | None = None
    periods: int | None = None
    ending: bool = False


def _first_turn(record: Record) -> int:
    return start_position(record.get("initial")).turn


def ticks(
    record: Record,
    limits: tuple[TimeLimit | None, TimeLimit | None],
    fractions: Mapping[int, str] | None = None,
    first_turn: Callable[[Record], int] = _first_turn,
) -> list[Tick]:
    """Return the times of a normalized record's main line; moves without a time are left out.

    `limits` are those of colours 0 and 1, `fractions` the decimals after a ply's whole seconds; `first_turn`
    returns the side that begins. A record in which nobody used any time gives an empty list: its writer had
    no clock.
    """
    clocks = (_Clock(limits[0]), _Clock(limits[1]))
    if not _has_times(record):
        return []
    moves = record["moves"]
    # Only needed for a record that ends before its first move.
    turn = 0 if len(moves) < 2 or "move" in moves[1] else first_turn(record)
    result: list[Tick] = []
    for ply, entry in enumerate(moves[1:], start=1):
        move = entry.get("move")
        color = turn if move is None else move["color"]
        if "time" in entry:
            used: float = seconds(entry["time"]["now"])
            if fractions and ply in fractions:
                used += _fraction(fractions[ply])
            result.append(clocks[color].tick(ply, color, used, ending=move is None))
        elif move is not None:
            clocks[color].move_without_time()
        if move is None:
            break
        turn = color ^ 1
    return result


def _has_times(record: Record) -> bool:
    for entry in record["moves"]:
        if "time" in entry:
            now = entry["time"]["now"]
            if now["s"] or now["m"] or now.get("h"):
                return True
    return False


def _fraction(digits: str) -> float:
    return float(f"0.{digits}") if digits.isdecimal() else 0.0


class _Clock:
    """One side's clock."""

    def __init__(self, limit: TimeLimit | None) -> None:
        self.limit = limit
        self.total: float = 0
        self.remaining: float | None = limit.main if limit else None
        self.periods = limit.periods if limit and limit.periods else None

    def tick(self, ply: int, color: int, used: float, *, ending: bool) -> Tick:
        self.total = _rounded(self.total + used)
        if self.limit is not None and self.remaining is not None:
            self._run(self.limit, _rounded(self.remaining - used), ending)
        return Tick(ply, color, _rounded(used), self.total, self.remaining, self.periods, ending)

    def _run(self, limit: TimeLimit, left: float, ending: bool) -> None:
        if left < 0 and self.periods:
            beyond = -left - limit.byoyomi
            self.periods = max(0, self.periods - max(0, int(-(-beyond // PERIOD))))
        self.remaining = max(0, left) + (0 if ending else limit.increment)

    def move_without_time(self) -> None:
        """Forget the remaining time: after a move without a time it is unknown."""
        self.remaining = None


def _rounded(value: float) -> float:
    """Round to milliseconds; whole seconds become integers."""
    if isinstance(value, int):
        return value
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded
