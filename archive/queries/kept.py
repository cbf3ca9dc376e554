"""Numbers that are counted once and reused, by all processes together.

Each is kept with the revision of the archive in which it was counted. Until something is committed it is
exact; what takes long to count is used for a while longer, and then says that it may be behind. Numbers are
dropped as soon as games are taken down or restored, because they count those games too.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from hashlib import blake2b
from typing import Any, Final, Generic, NamedTuple, ParamSpec, TypeVar

from django.core.cache import cache, caches

from archive.entity_tags import program
from archive.index.engine import engine
from archive.reading import connection

log: Final = logging.getLogger(__name__)

LONGEST: Final = 600.0
"""Seconds after which an answer is made anew, whatever it is made of."""

COUNTED: Final = 25_000
"""Games that are always counted anew after a change: tens of milliseconds. Of more, numbers are kept for a
while."""

SHARED: Final = "counted"
"""Where processes share numbers: a table of PostgreSQL, or a folder beside a database of SQLite."""

_DAY: Final = 24 * 60 * 60

_until: ContextVar[float] = ContextVar("until", default=0.0)

T = TypeVar("T")
P = ParamSpec("P")


class Kept(NamedTuple, Generic[T]):
    """A value; `exact` tells that nothing was committed since it was counted."""

    value: T
    exact: bool


class _Moment(NamedTuple):
    """The archive as it was at one moment: its revisions, and what is to be kept when reading is over."""

    revision: object
    lasting: object
    pending: list[tuple[str, Any]]


_moment: ContextVar[_Moment | None] = ContextVar("moment", default=None)


@contextmanager
def one_moment() -> Iterator[None]:
    """Have all that the body reads be of one moment, so that no number contradicts another. The body may not
    write. Within a transaction, and where rows lie on other servers, it reads as always."""
    if connection.in_atomic_block or _moment.get() is not None or engine().APART:
        yield
        return
    moment = _Moment(engine().revision(), engine().lasting_revision(), [])
    token = _moment.set(moment)
    try:
        with engine().snapshot():
            yield
    finally:
        _moment.reset(token)
    for key, value in moment.pending:
        _share(key, value)


def of_one_moment(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function so that all that it reads is of one moment."""

    @wraps(function)
    def read(*args: P.args, **parts: P.kwargs) -> T:
        with one_moment():
            return function(*args, **parts)

    return read


def kept(name: str, make: Callable[[], T], seconds: Callable[[T], float]) -> Kept[T]:
    """Return what `make` returns, or what it returned before.

    `seconds` says how long a value is used after something was committed, 0 for not at all.
    """
    # Read before anything else: a commit in the meantime makes another revision.
    moment = _moment.get()
    revision = moment.lasting if moment else engine().lasting_revision()
    key = _key(program(), last_gone(), name)
    found: tuple[object, float, T] | None = caches[SHARED].get(key)
    if found is not None:
        counted_in, until, value = found
        if revision is not None and counted_in == revision:
            return Kept(value, exact=True)
        if (left := until - time.time()) > 0:
            _until.set(min(_until.get(), time.monotonic() + left))
            return Kept(value, exact=False)
    value = unchanged(name, make)
    if lasts := seconds(value):
        kept_now = (revision, time.time() + lasts, value)
        if moment:
            moment.pending.append((key, kept_now))
        else:
            _share(key, kept_now)
    return Kept(value, exact=True)


def _share(key: str, value: object) -> None:
    """Tell the other processes; where there is no room for that, each counts for itself."""
    try:
        caches[SHARED].set(key, value, _DAY)
    except OSError as error:
        log.warning("numbers are not shared: %s", error)


def unchanged(name: str, make: Callable[[], T]) -> T:
    """Return what `make` returns, or what it returned before in this process, if nothing has been committed
    since."""
    # Read before anything else: a commit in the meantime makes another revision.
    moment = _moment.get()
    revision = moment.revision if moment else engine().revision()
    if revision is None:
        return make()
    found: tuple[T] | None = cache.get(_key(revision, name))
    if found is None:
        found = (make(),)
        cache.set(_key(revision, name), found, LONGEST)
    return found[0]


def _key(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


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
