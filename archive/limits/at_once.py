"""Answers that take long: how many of them a process makes at a time."""

import weakref
from collections import Counter
from collections.abc import Iterator
from threading import Lock
from typing import Final

from archive.limits.throttling import LimitReachedError

COME_AGAIN_SECONDS: Final = 15


class AtOnce:
    """Long answers of this process: at most so many, and at most half of them for one visitor."""

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()
        self.lock = Lock()

    def enter(self, visitor: str, most: int) -> None:
        """Count an answer that begins. Raises LimitReachedError where there are too many."""
        with self.lock:
            of_one = max(1, most // 2)
            if self.running.total() >= most or self.running[visitor] >= of_one:
                raise LimitReachedError(COME_AGAIN_SECONDS)
            self.running[visitor] += 1

    def leave(self, visitor: str) -> None:
        """Count an answer that has ended."""
        with self.lock:
            self.running[visitor] -= 1
            if self.running[visitor] <= 0:
                del self.running[visitor]


class Counted(Iterator[bytes]):
    """An answer that counts as long as it is made: to its end, or until nobody wants it any more."""

    def __init__(self, chunks: Iterator[bytes], at_once: AtOnce, visitor: str, most: int) -> None:
        at_once.enter(visitor, most)
        self.chunks = chunks
        # Also where the answer is thrown away without having been begun.
        self.ended = weakref.finalize(self, at_once.leave, visitor)

    def __next__(self) -> bytes:
        try:
            return next(self.chunks)
        except BaseException:
            self.ended()
            raise

    def close(self) -> None:
        """End what makes the answer."""
        self.ended()
        if hasattr(self.chunks, "close"):
            self.chunks.close()
