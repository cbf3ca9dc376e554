"""Questions about positions: what other parts of the archive use of them."""

from __future__ import annotations

from archive.queries.asking import KINDS, MATCHES, Lines
from archive.queries.counting import Sample
from archive.queries.explorer import (
    BATCH,
    CONFIDENCE,
    Explorer,
    Interval,
    MoveStats,
    Results,
    Unplayed,
    explore,
    explore_many,
    reaching,
)
from archive.queries.filters import PositionFilters
from archive.queries.legal import LegalMove, legal
from archive.queries.through import GameThrough, games_through

__all__ = [
    "BATCH",
    "CONFIDENCE",
    "KINDS",
    "MATCHES",
    "Explorer",
    "GameThrough",
    "Interval",
    "LegalMove",
    "Lines",
    "MoveStats",
    "PositionFilters",
    "Results",
    "Sample",
    "Unplayed",
    "explore",
    "explore_many",
    "games_through",
    "legal",
    "reaching",
]
