"""Castles (囲い) and openings (戦型): what they are called, and where in a game a side has them."""

from kifu_core.shogi.formations.finding import Arisen, arisen
from kifu_core.shogi.formations.formation import Formation
from kifu_core.shogi.formations.register import (
    BY_NAME,
    CASTLES,
    FORMATIONS,
    OPENINGS,
    VERSION,
    with_parents,
)

__all__ = [
    "BY_NAME",
    "CASTLES",
    "FORMATIONS",
    "OPENINGS",
    "VERSION",
    "Arisen",
    "Formation",
    "arisen",
    "with_parents",
]
