"""One slow search at a time for each visitor and process, so that nobody takes all threads."""

from __future__ import annotations

from threading import Condition
from typing import Final

PATIENCE_SECONDS: Final = 0.25
"""How long a second search waits for the first one, in a thread of its own."""
RETRY_SECONDS: Final = 2


class Places:
    """The visitors whose slow searches run, and those whose next one waits."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.waiting: set[str] = set()
        self.changed = Condition()

    def take(self, visitor: str) -> bool:
        """Take a visitor's place; return False if another search of the visitor has it."""
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
        """Free a visitor's place."""
        with self.changed:
            self.taken.discard(visitor)
            self.changed.notify_all()


places: Final = Places()
