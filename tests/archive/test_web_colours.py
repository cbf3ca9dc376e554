"""Colours of the site that no rule of accessibility checks, because they are drawn over others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[2] / "archive" / "static" / "archive" / "css" / "tokens.css"
WEAKEST, STRONGEST = 0.5, 0.9
"""How opaque arrows are (static/shogi/board.js): those of rare moves, and of the most frequent one."""

Colour = tuple[float, float, float]


def token(name: str, theme: int) -> Colour:
    match = re.search(rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)", TOKENS.read_text())
    assert match
    text = match[1 + theme]
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def over(colour: Colour, opacity: float, ground: Colour) -> Colour:
    red, green, blue = (a * opacity + b * (1 - opacity) for a, b in zip(colour, ground, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours as WCAG 2 has it."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: Colour) -> float:
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_arrows_are_seen_on_the_board_of_both_themes(theme):
    board = token("board", theme)

    def seen(opacity: float) -> float:
        """The contrast with the board of an arrow or of its edge."""
        drawn = (over(token(name, theme), opacity, board) for name in ("arrow", "arrow-edge"))
        return max(contrast(one, board) for one in drawn)

    assert seen(STRONGEST) >= 2.9
    assert seen(WEAKEST) >= 1.6
