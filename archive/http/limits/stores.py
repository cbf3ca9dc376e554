"""The interface of a store of counters, whichever database it is kept in."""

from dataclasses import dataclass
from typing import Final, Protocol

PATIENCE: Final = 1.0
"""Seconds that a store may take to answer."""

SWEEP_SECONDS: Final = 60.0
"""How often windows that have ended are deleted, in stores that do not do it by themselves."""


@dataclass(frozen=True, slots=True)
class Count:
    """The count of a window, this time included, and the seconds until it ends."""

    total: int
    seconds: float


class StoreAwayError(Exception):
    """The store did not answer, or with an error."""


class Store(Protocol):
    """Counts atomically: of any number of processes that add at once, none is lost.

    All methods raise StoreAwayError.
    """

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        """Add to a counter. The first that is counted begins a window of so many seconds."""

    def take_back(self, key: bytes, amount: int) -> None:
        """Subtract from a counter whose window has not ended what was added in it and shall not count."""

    def close(self) -> None:
        """Give the connection back; the next call opens another."""
