"""A limit on the time that one record may take, for processes that work in their main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(BaseException):
    """The time is over. No `Exception`, so that nothing on the way takes it for a fault of its own."""


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlowError


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TooSlowError in the body after so many seconds.

    It uses SIGALRM, which only a main thread can receive: a worker's (solo pool, or a child of prefork) and a
    command's are. In other threads the size of what is read is the only limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _too_slow)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
