"""Patterns: parts of positions, written as text and found in lines of a game."""

from kifu_core.shogi.patterns.following import followed_by
from kifu_core.shogi.patterns.impossible import impossible
from kifu_core.shogi.patterns.matching import Found, Look, find, looks
from kifu_core.shogi.patterns.pattern import Count, Pattern, Step
from kifu_core.shogi.patterns.text import parse, text_of

__all__ = [
    "Count",
    "Found",
    "Look",
    "Pattern",
    "Step",
    "find",
    "followed_by",
    "impossible",
    "looks",
    "parse",
    "text_of",
]
