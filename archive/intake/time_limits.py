"""Time limits: for one record in the main thread, and for a complete task."""

import faulthandler
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kifu_core import deadline
from kifu_core.deadline import TooSlowError


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlowError


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in the body after so many seconds.

    Uses SIGALRM, which only main threads receive: a worker's (solo pool, or a child of prefork) and a
    command's. In other threads reading stops itself, see `kifu_core.deadline`.
    """
    if threading.current_thread() is not threading.main_thread():
        with deadline.time_limit(seconds):
            yield
        return
    before = signal.signal(signal.SIGALRM, _too_slow)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def deadly_limit(seconds: float) -> Iterator[None]:
    """End this process if the body still runs after so many seconds.

    Needs neither the main thread nor Python's lock, so it also ends calls into C that never return.
    """
    # Celery puts something without a file in the place of sys.stderr.
    faulthandler.dump_traceback_later(seconds, file=sys.__stderr__ or 2, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
