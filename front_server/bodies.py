"""Request bodies: received in memory or on disk, within a budget of bytes and a time limit."""

from collections import Counter
from tempfile import SpooledTemporaryFile
from typing import IO, Final

from front_server.interfaces import MIB, Refusal, Scope, ServerLimits

IN_MEMORY_BYTES: Final = MIB
"""Larger bodies go to disk."""

ALL_IN_MEMORY_BYTES: Final = 64 * MIB
"""Memory for all bodies of a process; beyond it every body goes to disk."""

SMALL_BYTES: Final = 64 * 1024
"""Bodies up to this size are accepted without budget, so that large uploads keep nobody from signing in."""

BYTES_A_SECOND: Final = 8 * 1024
"""The rate at which a body must arrive after its first seconds."""


class BodyBudget:
    """The bytes of all request bodies in this process.

    One address may use half of the budget, or as much as one body if that is more.
    """

    def __init__(self, limits: ServerLimits) -> None:
        self.limit = limits.waiting_bytes
        self.limit_of_address = max(limits.waiting_bytes // 2, limits.request_bytes)
        self.used = 0
        self.in_memory = 0
        self._used_by: Counter[str] = Counter()

    def spend(self, address: str, size: int, before: int) -> None:
        """Add `size` bytes to a body that has `before` bytes. Raises Refusal beyond the budget."""
        full = self.used + size > self.limit or self._used_by[address] + size > self.limit_of_address
        if full and before + size > SMALL_BYTES:
            raise Refusal(503, "busy", "too much is being sent here at once: try again later")
        self.used += size
        self._used_by[address] += size

    def give_back(self, address: str, size: int) -> None:
        """Return the bytes of a body."""
        self.used -= size
        self._used_by[address] -= size
        if not self._used_by[address]:
            del self._used_by[address]


class RequestBody:
    """The body of one request, in a file that goes to disk when it grows."""

    def __init__(self, budget: BodyBudget, address: str, folder: str | None) -> None:
        self.budget = budget
        self.address = address
        self.size = 0
        self.in_memory = 0
        # The file lives as long as the request, which is no block of code.
        self.file: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=folder)  # noqa: SIM115

    def add(self, data: bytes) -> None:
        """Append bytes. Raises Refusal beyond the budget, OSError if the disk does not take them."""
        self.budget.spend(self.address, len(data), self.size)
        self.size += len(data)
        self.file.write(data)
        self._count_in_memory(self.size if self.size <= IN_MEMORY_BYTES else 0)
        if self.in_memory and self.budget.in_memory > ALL_IN_MEMORY_BYTES:
            self.file.rollover()  # type: ignore[attr-defined]
            self._count_in_memory(0)

    def _count_in_memory(self, size: int) -> None:
        self.budget.in_memory += size - self.in_memory
        self.in_memory = size

    def close(self) -> None:
        """Close the file and return its bytes to the budget."""
        self.budget.give_back(self.address, self.size)
        self._count_in_memory(0)
        self.file.close()


def next_deadline(deadline: float, size: int, now: float, seconds: float) -> float:
    """Return the time by which the next bytes must arrive, after `size` bytes arrived at `now`.

    Every byte extends the deadline (`BYTES_A_SECOND`), but never beyond `seconds` from now: a client that
    sends much and then stops gets no more time than others.
    """
    return min(deadline + size / BYTES_A_SECOND, now + seconds)


def content_length(scope: Scope) -> int | None:
    """Return the announced length of a body: 0 without a body, None for one in chunks."""
    length = 0
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return None
        if name == b"content-length" and value.isdigit() and len(value) < 19:
            length = int(value)
    return length
