"""Limits on the number of long streamed answers that one process sends at a time."""

import time
import weakref
from collections.abc import Iterator
from threading import RLock
from typing import Final

from archive.http.limits.throttling import LimitReachedError

RETRY_SECONDS: Final = 15

BYTES_A_SECOND: Final = 32 * 1024
"""The rate at which a client must take an answer while others wait for its slot."""

PATIENCE_SECONDS: Final = 60
"""How far a client may fall behind that rate."""


class StreamSlot:
    """The slot of one answer, and the lag of the client that takes it."""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.revoked = False
        self._lag = 0.0
        self._sent_at: float | None = None

    def sent(self, size: int) -> None:
        """Record sent bytes. Each reduces the lag, but not below zero."""
        if size:
            self._lag = max(0.0, self._lag - size / BYTES_A_SECOND)
            self._sent_at = time.monotonic()

    def requested(self) -> None:
        """Stop the clock while the next chunk is computed, which is not the client's fault."""
        self._lag, self._sent_at = self.lag(), None

    def lag(self) -> float:
        """Return the seconds by which the client is behind."""
        return self._lag + (0.0 if self._sent_at is None else time.monotonic() - self._sent_at)


class StreamLimiter:
    """The long answers of this process. One visitor may have half of the slots.

    A slow client loses its slot when another request needs it.
    """

    def __init__(self) -> None:
        self.slots: list[StreamSlot] = []
        # Reentrant: garbage collection inside a locked block may finalize an answer, which calls `leave`.
        self.lock = RLock()

    def enter(self, visitor: str, limit: int) -> StreamSlot:
        """Return a slot for an answer that begins. Raises LimitReachedError if none is free."""
        with self.lock:
            own = [slot for slot in self.slots if slot.visitor == visitor]
            if len(own) >= max(1, limit // 2):
                self._revoke_slowest(own)
            elif len(self.slots) >= limit:
                self._revoke_slowest(self.slots)
            slot = StreamSlot(visitor)
            self.slots.append(slot)
            return slot

    def _revoke_slowest(self, slots: list[StreamSlot]) -> None:
        slowest = max(slots, key=StreamSlot.lag)
        if slowest.lag() <= PATIENCE_SECONDS:
            raise LimitReachedError(RETRY_SECONDS)
        slowest.revoked = True
        self.leave(slowest)

    def leave(self, slot: StreamSlot) -> None:
        """Free the slot of an answer that has ended."""
        with self.lock:
            if slot in self.slots:
                self.slots.remove(slot)


class LimitedStream(Iterator[bytes]):
    """The chunks of an answer that holds a slot until it ends, is closed or is garbage-collected.

    An answer whose slot was revoked breaks off with an error, so that the client does not take it for
    complete.
    """

    def __init__(self, chunks: Iterator[bytes], limiter: StreamLimiter, visitor: str, limit: int) -> None:
        self.slot = limiter.enter(visitor, limit)
        self.chunks = chunks
        self.release = weakref.finalize(self, limiter.leave, self.slot)

    def __next__(self) -> bytes:
        self.slot.requested()
        try:
            if self.slot.revoked:
                raise LimitReachedError(RETRY_SECONDS)
            chunk = next(self.chunks)
        except BaseException:
            self.release()
            raise
        self.slot.sent(len(chunk))
        return chunk

    def close(self) -> None:
        """Free the slot, and close the source of the chunks."""
        self.release()
        if hasattr(self.chunks, "close"):
            self.chunks.close()
