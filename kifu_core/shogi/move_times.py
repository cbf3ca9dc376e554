"""The times of moves and their totals in JKF."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from kifu_core.deadline import watched
from kifu_core.jkf import Consumption, MoveEntry, Time
from kifu_core.memo import Memo


def complete_times(entries: list[MoveEntry], turn: int) -> None:
    """Add the side's total to every time, forks included; totals of the source are kept."""
    jobs = deque([(entries, turn, [0, 0])])
    while jobs:
        line, side, clocks = jobs.popleft()
        for entry in watched(line):
            if "forks" in entry:
                jobs.extend((fork, side, clocks[:]) for fork in entry["forks"])
            if "time" in entry:
                time = entry["time"]
                if "total" in time:
                    clocks[side] = seconds(time["total"])
                else:
                    now = time["now"]
                    clocks[side] += now["m"] * 60 + now["s"] + now.get("h", 0) * 3600
                    entry["time"] = {"now": now, "total": TOTALS[clocks[side]]}
            if "move" in entry:
                side ^= 1


def wrong_totals(entries: Sequence[MoveEntry], turn: int) -> list[int]:
    """Return the plies of a line whose written total is not the side's previous total plus the move's time.

    After a move without a time, each side's next total is accepted; a difference is reported once.
    """
    plies: list[int] = []
    clocks: list[int | None] = [0, 0]
    for ply, entry in enumerate(watched(entries), start=1):
        time, before = entry.get("time"), clocks[turn]
        if time is None or "total" not in time:
            clocks = [None, None]
        else:
            now, total = time["now"], time["total"]
            clocks[turn] = after = total["s"] + total["m"] * 60 + total.get("h", 0) * 3600
            if before is not None and before + now["s"] + now["m"] * 60 + now.get("h", 0) * 3600 != after:
                plies.append(ply)
        if "move" in entry:
            turn ^= 1
    return plies


def seconds(time: Time) -> int:
    """Return a JKF time in seconds."""
    return time.get("h", 0) * 3600 + time["m"] * 60 + time["s"]


def total_time(count: int) -> Time:
    """Return a number of seconds in the form of JKF's totals."""
    return {"h": count // 3600, "m": count // 60 % 60, "s": count % 60}


TOTALS: Final = Memo(total_time)
"""The JKF objects of totals; records share them."""


def kif_time(time: Consumption | None) -> str:
    """Return a time as KIF writes it after a row; an empty text for None."""
    if time is None:
        return ""
    now, total = time["now"], time.get("total")
    text = f" ({now.get('h', 0) * 60 + now['m']}:{now['s']:02d}"
    return text + (f"/{total.get('h', 0):02d}:{total['m']:02d}:{total['s']:02d})" if total else ")")
