"""Questions about positions: what other parts of the archive use of them."""

from __future__ import annotations

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
from archive.queries.legal import LegalMove, legal
from archive.queries.position_games import GameThrough, games_through
from archive.queries.position_query import KINDS, MATCHES, Lines

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
    "Results",
    "Sample",
    "Unplayed",
    "explore",
    "explore_many",
    "games_through",
    "legal",
    "reaching",
]
