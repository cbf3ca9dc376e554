"""User texts for pages, without characters that hide or reverse text."""

from typing import Final
from unicodedata import category

JOINERS: Final = "\u200c\u200d"
"""Zero-width characters that scripts and emoji need inside words."""
_HIDING: Final = ("Cc", "Cf", "Cs")
"""Controls, format characters such as bidirectional overrides, and surrogates (Unicode 15, 4.5)."""


def plain(text: str) -> str:
    """Return a text without hiding characters; spaces and line ends stay."""
    return "".join(c for c in text if c.isspace() or c in JOINERS or category(c) not in _HIDING)
