"""The interface of a store of counters."""

from dataclasses import dataclass
from typing import Final, Protocol

PATIENCE: Final = 1.0
"""Seconds that a store may take to answer."""

SWEEP_SECONDS: Final = 60.0
"""How often expired windows are deleted, in stores that do not expire them."""


@dataclass(frozen=True, slots=True)
class Count:
    """The new count of a window, and the seconds until it ends."""

    total: int
    seconds: float


class StoreAwayError(Exception):
    """The store does not answer, or answers with an error."""


class Store(Protocol):
    """Counters that many processes change atomically. All methods raise StoreAwayError."""

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        """Add to a counter. The first addition begins a window of so many seconds."""

    def take_back(self, key: bytes, amount: int) -> None:
        """Subtract from a counter whose window has not ended, down to 0."""

    def close(self) -> None:
        """Close the connection; the next call opens another."""
