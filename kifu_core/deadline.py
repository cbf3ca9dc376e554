"""A time limit that works in any thread: loops over a whole text check the clock now and then.

Nothing can stop a thread from outside. So every loop that is as long as a text goes through `watched`, or
calls `check_time`; without a limit the cost of either is too small to measure.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice
from typing import Final, NamedTuple, TypeVar

Item = TypeVar("Item")

PIECE: Final = 256
"""Iterations between two checks: some tenths of a millisecond."""


class TooSlowError(BaseException):
    """The time is over. It is not an `Exception`, so that no code on the way takes it for an error of its
    own.
    """


class _Limit(NamedTuple):
    clock: Callable[[], float]
    end: float


_LIMIT: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def time_limit(seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Raise TooSlowError in any reading or writing of the body after so many seconds by the clock.

    The limit applies to the thread (or asynchronous task) that enters it. Of nested limits, the inner one
    applies.
    """
    token = _LIMIT.set(_Limit(clock, clock() + seconds))
    try:
        yield
    finally:
        _LIMIT.reset(token)


def check_time() -> None:
    """Raise TooSlowError if there is a limit and the time is over."""
    limit = _LIMIT.get()
    if limit is not None and limit.clock() > limit.end:
        raise TooSlowError


def watched(items: Iterable[Item]) -> Iterable[Item]:
    """Return the items; if there is a limit, check the clock after every `PIECE` of them.

    The items are then taken in pieces, ahead of the loop.
    """
    return items if _LIMIT.get() is None else chain.from_iterable(_pieces(iter(items)))


def _pieces(items: Iterator[Item]) -> Iterator[list[Item]]:
    while piece := list(islice(items, PIECE)):
        check_time()
        yield piece
