"""Texts that one person writes and others read on pages: nothing in them hides, or turns what is around."""

from typing import Final
from unicodedata import category

JOINERS: Final = "\u200c\u200d"
"""Characters without a width that scripts and emoji need inside of words."""
_HIDING: Final = ("Cc", "Cf", "Cs")
"""Control characters, those of format (bidirectional overrides are), halves of pairs (Unicode 15, 4.5)."""


def plain(text: str) -> str:
    """Return a text without characters that hide something; its spaces and lines stay."""
    return "".join(c for c in text if c.isspace() or c in JOINERS or category(c) not in _HIDING)
