"""Answers that take long: how many of them a process makes at a time."""

import time
import weakref
from collections.abc import Iterator
from threading import RLock
from typing import Final

from archive.http.limits.throttling import LimitReachedError

COME_AGAIN_SECONDS: Final = 15

BYTES_A_SECOND: Final = 32 * 1024
"""So fast who wants to keep a place has to take an answer, where others want one."""

PATIENCE_SECONDS: Final = 60
"""So far a visitor may be behind that speed."""


class Place:
    """One of the answers that are made at a time, and how far behind who takes it is."""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.lost = False
        self._behind = 0.0
        self._since: float | None = None

    def given(self, size: int) -> None:
        """Note that so many bytes were given. Each earns time, but none is saved up."""
        if size:
            self._behind = max(0.0, self._behind - size / BYTES_A_SECOND)
            self._since = time.monotonic()

    def wanted(self) -> None:
        """Note that more is wanted: what it takes to make it is nobody's slowness."""
        self._behind, self._since = self.behind(), None

    def behind(self) -> float:
        """Return how many seconds a visitor is behind."""
        return self._behind + (0.0 if self._since is None else time.monotonic() - self._since)


class AtOnce:
    """Long answers of this process: at most so many, and at most half of them for one visitor.

    Who takes an answer slowly keeps it only as long as nobody else wants the place.
    """

    def __init__(self) -> None:
        self.running: list[Place] = []
        # An answer may be thrown away, and leave, whenever memory is tidied up: also in here.
        self.lock = RLock()

    def enter(self, visitor: str, most: int) -> Place:
        """Count an answer that begins. Raises LimitReachedError where there are too many."""
        with self.lock:
            own = [place for place in self.running if place.visitor == visitor]
            if len(own) >= max(1, most // 2):
                self._free_one_of(own)
            elif len(self.running) >= most:
                self._free_one_of(self.running)
            place = Place(visitor)
            self.running.append(place)
            return place

    def _free_one_of(self, places: list[Place]) -> None:
        slowest = max(places, key=Place.behind)
        if slowest.behind() <= PATIENCE_SECONDS:
            raise LimitReachedError(COME_AGAIN_SECONDS)
        slowest.lost = True
        self.leave(slowest)

    def leave(self, place: Place) -> None:
        """Count an answer that has ended."""
        with self.lock:
            if place in self.running:
                self.running.remove(place)


class Counted(Iterator[bytes]):
    """An answer that counts as long as it is made: to its end, or until nobody wants it any more.

    One whose place was given to another visitor breaks off, as if the network had: it is no whole answer.
    """

    def __init__(self, chunks: Iterator[bytes], at_once: AtOnce, visitor: str, most: int) -> None:
        self.place = at_once.enter(visitor, most)
        self.chunks = chunks
        # Also where the answer is thrown away without having been begun.
        self.ended = weakref.finalize(self, at_once.leave, self.place)

    def __next__(self) -> bytes:
        self.place.wanted()
        try:
            if self.place.lost:
                raise LimitReachedError(COME_AGAIN_SECONDS)
            chunk = next(self.chunks)
        except BaseException:
            self.ended()
            raise
        self.place.given(len(chunk))
        return chunk

    def close(self) -> None:
        """End what makes the answer."""
        self.ended()
        if hasattr(self.chunks, "close"):
            self.chunks.close()
