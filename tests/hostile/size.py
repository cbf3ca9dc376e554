"""How large an attack is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Size:
    """The first five can be chosen for each attack."""

    requests: int
    files: int
    slow: int
    """Connections that are slow or never end."""
    lanes: int
    """Requests at a time."""
    heavy: int
    """1 to send the largest bodies too."""
    quiet_seconds: float
    """How long visitors are watched by themselves."""
    patience: float
    """Seconds after which there is no answer."""
    visitor_seconds: float
    """What no visitor may wait, but for a processor."""
    again: bool
    """Whether an answer counts as slow only if the same request is slow again when it is alone."""


CHOSEN: Final = ("requests", "files", "slow", "lanes", "heavy")
LONG: Final = Size(25_000, 1000, 50, 4, 1, quiet_seconds=15, patience=30, visitor_seconds=2, again=False)
# The short form runs beside other tests, and no test may depend on how fast the machine is.
SHORT: Final = Size(200, 14, 12, 2, 1, quiet_seconds=3, patience=45, visitor_seconds=30, again=True)
