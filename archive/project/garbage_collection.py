"""Python's search for garbage: rare in processes that read many records, none while one answer is made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import django


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the garbage collector rest: around views that open a whole record, and while a process starts.

    A long record is half a million objects, all of them alive; looking through them again and again would
    take several times as long as the answer. They have no cycles and go when the answer is made. What a start
    loads stays, and looking through it is a fifth of the time of a start.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def look_rarely() -> None:
    """Let this process look for garbage rarely, and never at what is loaded by now.

    A parsed file is many objects and no cycles: looking through all of them again and again, as Python does
    by default, costs a quarter of an import, and up to a third of a second within one of its transactions.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def prepare_process() -> None:
    """Set up a process that was started for reading."""
    with uncollected():
        django.setup()
    look_rarely()
