"""What a reading takes: in lines of code that are run, and in processor time."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(action: Callable[[], object]) -> int:
    """How many lines of code an action runs, comprehensions' turns included: always the same number."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def seconds(action: Callable[[], object], rounds: int) -> float:
    """The least processor time of some rounds, which other processes on the machine hardly lengthen.

    Nor does the garbage of the tests before: its collection would be counted here.
    """
    found = []
    gc.disable()
    try:
        for _ in range(rounds):
            began = time.process_time()
            action()
            found.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(found)
