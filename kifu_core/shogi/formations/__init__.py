"""Castles (囲い) and openings (戦型): what they are called, and where in a game a side has them."""

from kifu_core.shogi.formations.diagram import diagram
from kifu_core.shogi.formations.finding import Arisen, arisen, in_record
from kifu_core.shogi.formations.formation import Formation
from kifu_core.shogi.formations.register import (
    BY_NAME,
    BY_NUMBER,
    CASTLES,
    FORMATIONS,
    OPENINGS,
    VERSION,
    called,
    with_forms,
    with_parents,
)

__all__ = [
    "BY_NAME",
    "BY_NUMBER",
    "CASTLES",
    "FORMATIONS",
    "OPENINGS",
    "VERSION",
    "Arisen",
    "Formation",
    "arisen",
    "called",
    "diagram",
    "in_record",
    "with_forms",
    "with_parents",
]
