"""Numbers that are counted now and then and reused for a while, by each process on its own.

They are dropped as soon as games are taken down or restored, because they count those games too.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from hashlib import blake2b
from typing import Final, TypeVar

from django.core.cache import cache

from archive.index.engine import engine
from archive.reading import connection

LONGEST: Final = 600.0
"""Seconds after which everything is counted anew."""

_until: ContextVar[float] = ContextVar("until", default=0.0)

T = TypeVar("T")


def kept(name: str, make: Callable[[], T], seconds: Callable[[T], float]) -> T:
    """Return what `make` returns, or what it returned before.

    `seconds` says how long a value is kept, 0 for not at all.
    """
    key = _key(last_gone(), name)
    found: tuple[float, T] | None = cache.get(key)
    if found is None:
        value = make()
        if not (lasts := seconds(value)):
            return value
        found = (time.monotonic() + lasts, value)
        cache.set(key, found, lasts)
    _until.set(min(_until.get(), found[0]))
    return found[1]


def unchanged(name: str, make: Callable[[], T]) -> T:
    """Return what `make` returns, or what it returned before, if nothing has been committed since."""
    # Read before anything else: a commit in the meantime makes another revision.
    revision = engine().revision()
    if revision is None:
        return make()
    found: tuple[T] | None = cache.get(_key(revision, name))
    if found is None:
        found = (make(),)
        cache.set(_key(revision, name), found, LONGEST)
    return found[0]


def _key(state: object, name: str) -> str:
    return blake2b(f"{state} {name}".encode(), digest_size=16).hexdigest()


def begin() -> None:
    """Begin to note until when all values returned from now on hold."""
    _until.set(time.monotonic() + LONGEST)


def until() -> float:
    """Return when the first value returned since `begin` has to be counted again, on the monotonic clock."""
    return _until.get()


def last_gone() -> tuple[int, int]:
    """Return two numbers: one changes whenever an upload leaves the lists, one whenever a game leaves a
    space.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT max(id) FROM archive_goneupload), (SELECT sum(times) FROM archive_leftspace)"
        )
        uploads, games = cursor.fetchone()
        return int(uploads or 0), int(games or 0)
