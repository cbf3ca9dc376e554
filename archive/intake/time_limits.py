"""Limits on time: on what one record may take, where work is done in the main thread, and on a whole task."""

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

    It uses SIGALRM, which only a main thread can receive: a worker's (solo pool, or a child of prefork) and a
    command's are. In other threads what is read ends itself, see `kifu_core.deadline`.
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
    """End this process where the body is still at work after so many seconds, whatever it is doing.

    Needs neither the main thread nor Python's lock: it also ends what never comes back from a call into C.
    """
    # Celery puts something without a file in the place of sys.stderr.
    faulthandler.dump_traceback_later(seconds, file=sys.__stderr__ or 2, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
