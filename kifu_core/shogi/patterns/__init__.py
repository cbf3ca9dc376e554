"""Patterns: parts of positions, written as text and found in lines of a game."""

from kifu_core.shogi.patterns.following import followed_by
from kifu_core.shogi.patterns.impossible import impossible
from kifu_core.shogi.patterns.matching import OrientedPattern, PatternMatch, find, orientations
from kifu_core.shogi.patterns.pattern import Pattern, PatternStep, PieceCount
from kifu_core.shogi.patterns.text import parse, text_of

__all__ = [
    "OrientedPattern",
    "Pattern",
    "PatternMatch",
    "PatternStep",
    "PieceCount",
    "find",
    "followed_by",
    "impossible",
    "orientations",
    "parse",
    "text_of",
]
