"""Rounds of work by several contestants in turn, and the shortest time of each part of the work.

On a machine that does other things, times go up and down by half within a minute. So every contestant has a
round before anybody has the next one, and of each part (a game, which takes less than the system lets a
process run at a stretch) the shortest time of all rounds counts, in processor time where there is one: all
that disturbs only adds. Ratios of such figures hold while the figures themselves wander.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Part = TypeVar("Part")
Round = Callable[[], list[float]]
"""One round of work; the seconds of each part, the parts always the same."""


def own(work: Callable[[Part], object], parts: Iterable[Part]) -> Round:
    """Rounds in this process, measured in its processor time."""
    fixed = list(parts)

    def timed() -> list[float]:
        times = []
        for part in fixed:
            began = time.process_time()
            work(part)
            times.append(time.process_time() - began)
        return times

    return timed


def shortest(contestants: Mapping[Key, Round], rounds: int) -> dict[Key, float]:
    """The seconds that each contestant needs for all its parts; the contestants take turns."""
    found = {name: timed() for name, timed in contestants.items()}
    for _ in range(rounds - 1):
        for name, timed in contestants.items():
            found[name] = list(map(min, found[name], timed()))
    return {name: sum(times) for name, times in found.items()}
