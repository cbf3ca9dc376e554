"""Searches that may take long: a visitor has one at a time in each process, others keep its threads."""

from __future__ import annotations

from threading import Condition
from typing import Final

PATIENCE_SECONDS: Final = 0.25
"""So long one more search waits for the one before it; each that waits has a thread."""
COME_AGAIN_SECONDS: Final = 2


class Places:
    """Which visitors search at present, and which wait to."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.waiting: set[str] = set()
        self.changed = Condition()

    def take(self, visitor: str) -> bool:
        """Take a visitor's place; return False where another search of theirs keeps it."""
        with self.changed:
            if visitor in self.taken and not self._wait(visitor):
                return False
            self.taken.add(visitor)
            return True

    def _wait(self, visitor: str) -> bool:
        if visitor in self.waiting:
            return False
        self.waiting.add(visitor)
        try:
            return self.changed.wait_for(lambda: visitor not in self.taken, PATIENCE_SECONDS)
        finally:
            self.waiting.discard(visitor)

    def leave(self, visitor: str) -> None:
        """Give a place back."""
        with self.changed:
            self.taken.discard(visitor)
            self.changed.notify_all()


places: Final = Places()
