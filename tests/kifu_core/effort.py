"""What a reading takes: in lines of code that are run, and in processor time."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from functools import _lru_cache_wrapper
from types import FrameType
from typing import Any

from kifu_core.memo import Memo


def empty_caches() -> None:
    """Empty the caches of results for texts and positions, which have a limit; tables stay."""
    modules = [module for name, module in sys.modules.items() if name.startswith("kifu_core")]
    for cache in [value for module in modules for value in vars(module).values()]:
        if isinstance(cache, Memo):
            cache.clear()
        elif isinstance(cache, _lru_cache_wrapper) and cache.cache_parameters()["maxsize"]:
            cache.cache_clear()


def lines_run(action: Callable[[], object]) -> int:
    """How many lines of code an action runs, including each turn of comprehensions.

    The number does not depend on what ran before: a first run builds tables, and then caches are emptied.
    """
    action()
    empty_caches()
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
