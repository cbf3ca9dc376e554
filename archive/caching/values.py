"""Counted values that all processes share, and pages that read one snapshot of the archive.

A value is cached with the archive's revision and is exact until the next commit. A value that is expensive
to count stays in use for some minutes after a commit, marked as inexact. Taking down or restoring games
drops all values.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from typing import Any, Final, Generic, NamedTuple, TypeVar

from django.core.cache import cache, caches

from archive.caching.entity_tags import program
from archive.index.engine import engine
from archive.project.reading import connection

log: Final = logging.getLogger(__name__)

LONGEST: Final = 600.0
"""Seconds after which every cached value expires."""

RECOUNT_LIMIT: Final = 25_000
"""Up to so many games are counted again after each commit, which takes tens of milliseconds. Counts of more
games stay in use for some minutes."""

SHARED: Final = "counted"
"""Django's cache of shared values: a table of PostgreSQL, or a folder beside a database of SQLite."""

_DAY: Final = 24 * 60 * 60

_until: ContextVar[float] = ContextVar("until", default=0.0)

T = TypeVar("T")


class Cached(NamedTuple, Generic[T]):
    """A value; `exact` if nothing has been committed since it was counted."""

    value: T
    exact: bool


class _Snapshot(NamedTuple):
    """The revisions of the snapshot that is being read, and the values to share after reading."""

    revision: object
    lasting: object
    pending: list[tuple[str, Any]]


_snapshot: ContextVar[_Snapshot | None] = ContextVar("snapshot", default=None)


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Let a block, or a decorated function, read one snapshot of the database, so that no number contradicts
    another. It must not write. Inside a transaction, and with a remote index, it reads as usual."""
    if connection.in_atomic_block or _snapshot.get() is not None or engine().REMOTE_INDEX:
        yield
        return
    snapshot = _Snapshot(engine().revision(), engine().lasting_revision(), [])
    token = _snapshot.set(snapshot)
    try:
        with engine().snapshot():
            yield
    finally:
        _snapshot.reset(token)
    for key, value in snapshot.pending:
        _share(key, value)


def cached(name: str, make: Callable[[], T], seconds: Callable[[T], float]) -> Cached[T]:
    """Return the value of `make`, from the cache if possible.

    `seconds` gives the time for which a value stays in use after a commit; 0 for none.
    """
    # Read before anything else: a commit in the meantime makes another revision.
    snapshot = _snapshot.get()
    revision = snapshot.lasting if snapshot else engine().lasting_revision()
    key = _key(program(), last_gone(), name)
    entry: tuple[object, float, T] | None = caches[SHARED].get(key)
    if entry is not None:
        counted_in, expires, value = entry
        if revision is not None and counted_in == revision:
            return Cached(value, exact=True)
        if expires > time.time():
            _until.set(min(_until.get(), expires))
            return Cached(value, exact=False)
    value = cached_until_commit(name, make)
    if lasts := seconds(value):
        entry = (revision, time.time() + lasts, value)
        if snapshot:
            snapshot.pending.append((key, entry))
        else:
            _share(key, entry)
    return Cached(value, exact=True)


def _share(key: str, entry: object) -> None:
    """Store an entry for all processes; on a full disk each process counts for itself."""
    try:
        caches[SHARED].set(key, entry, _DAY)
    except OSError as error:
        log.warning("numbers are not shared: %s", error)


def cached_until_commit(name: str, make: Callable[[], T]) -> T:
    """Return the value of `make`, from this process's cache if nothing has been committed since."""
    # Read before anything else: a commit in the meantime makes another revision.
    snapshot = _snapshot.get()
    revision = snapshot.revision if snapshot else engine().revision()
    if revision is None:
        return make()
    entry: tuple[T] | None = cache.get(_key(revision, name))
    if entry is None:
        entry = (make(),)
        cache.set(_key(revision, name), entry, LONGEST)
    return entry[0]


def _key(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def begin() -> None:
    """Start to watch when cached values expire."""
    _until.set(time.time() + LONGEST)


def seconds_left() -> float:
    """Return the seconds until the first value that was returned since `begin` expires."""
    return _until.get() - time.time()


def last_gone() -> tuple[int, int]:
    """Return two numbers, which change when an upload is deleted and when a game leaves a space."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT max(id) FROM archive_goneupload), (SELECT sum(times) FROM archive_leftspace)"
        )
        uploads, games = cursor.fetchone()
        return int(uploads or 0), int(games or 0)
