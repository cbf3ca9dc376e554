"""Python's search for garbage, for processes that read many records."""

from __future__ import annotations

import gc

import django


def look_rarely() -> None:
    """Let this process look for garbage rarely, and never at what is loaded by now.

    A parsed file is many objects and no cycles: looking through all of them again and again, as Python does
    by default, costs a quarter of an import, and up to a third of a second within one of its transactions.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def prepare_process() -> None:
    """What a process that was started for reading needs first."""
    django.setup()
    look_rarely()
