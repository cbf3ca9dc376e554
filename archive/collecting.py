"""Answers that need many objects at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the garbage collector rest: around views that open a whole record.

    A long one is half a million objects, all of them alive; looking through them again and again would take
    several times as long as the answer. They have no cycles and go when the answer is made.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
