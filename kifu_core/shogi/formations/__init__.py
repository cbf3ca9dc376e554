"""Castles (囲い) and openings (戦型): their names, and their occurrences in games."""

from kifu_core.shogi.formations.diagram import diagram
from kifu_core.shogi.formations.finding import find_in_line, find_in_record, occurrences
from kifu_core.shogi.formations.formation import Formation, Publication
from kifu_core.shogi.formations.register import (
    BY_NAME,
    BY_NUMBER,
    CASTLES,
    FORMATIONS,
    OPENINGS,
    VERSION,
    WORKS,
    by_any_name,
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
    "Formation",
    "Publication",
    "by_any_name",
    "diagram",
    "find_in_line",
    "find_in_record",
    "occurrences",
    "with_forms",
    "with_parents",
]
