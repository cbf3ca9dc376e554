"""Numbers that are counted now and then and told for a while, each process its own.

None outlives an upload that was taken down: what was counted before counts its games too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from hashlib import blake2b
from typing import Final, TypeVar

from django.core.cache import cache
from django.db import connection

LONGEST: Final = 600.0
"""Seconds after which everything is counted anew."""

_until: ContextVar[float] = ContextVar("until", default=0.0)

T = TypeVar("T")


def kept(name: str, make: Callable[[], T], seconds: Callable[[T], float]) -> T:
    """Return what `make` gives or gave before. `seconds` tells how long a value is kept, 0 for not at all."""
    key = f"{last_gone()}-{blake2b(name.encode(), digest_size=16).hexdigest()}"
    found: tuple[float, T] | None = cache.get(key)
    if found is None:
        value = make()
        if not (lasts := seconds(value)):
            return value
        found = (time.monotonic() + lasts, value)
        cache.set(key, found, lasts)
    _until.set(min(_until.get(), found[0]))
    return found[1]


def begin() -> None:
    """Begin to note until when all holds that is told from now on."""
    _until.set(time.monotonic() + LONGEST)


def until() -> float:
    """Return when the first of what was told since `begin` has to be counted anew, on the monotonic clock."""
    return _until.get()


def last_gone() -> int:
    """Return a number that changes when an upload has left the lists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM archive_goneupload")
        return cursor.fetchone()[0] or 0
