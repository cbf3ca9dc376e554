"""Castles (囲い) and openings (戦型): what they are called, and where in a game a side has them."""

from kifu_core.shogi.formations.diagram import diagram
from kifu_core.shogi.formations.finding import arisen, in_line, in_record
from kifu_core.shogi.formations.formation import Arisen, Formation, Work
from kifu_core.shogi.formations.register import (
    BY_NAME,
    BY_NUMBER,
    CASTLES,
    FORMATIONS,
    OPENINGS,
    VERSION,
    WORKS,
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
    "WORKS",
    "Arisen",
    "Formation",
    "Work",
    "arisen",
    "called",
    "diagram",
    "in_line",
    "in_record",
    "with_forms",
    "with_parents",
]
