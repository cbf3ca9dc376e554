"""Colours, document and names that the pictures of all games share."""

from html import escape
from typing import Final

PAPER: Final = "#faf7f0"
INK: Final = "#1f1b16"
MUTED: Final = "#6f675a"
BOARD: Final = "#e9c98a"
LINES: Final = "#5b4320"
LAST_MOVE: Final = "#f0a95b"
VERMILION: Final = "#b5371f"
WOOD: Final = "#f7e3b5"
FACE: Final = "Hiragino Mincho ProN, Noto Serif JP, Noto Serif CJK JP, Yu Mincho, serif"


def document(
    width: int, height: int, title: str, description: str, drawing: str, *, anchor: str = "start"
) -> str:
    """Return a drawing on paper as an SVG document. Title and description are escaped, and read out.

    `anchor` is where its texts have their places: at their `start` or `middle`.
    """
    name = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{name}" font-family="{FACE}" text-anchor="{anchor}"><title>{name}</title>'
        f"<desc>{escape(description)}</desc>"
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>{drawing}</svg>'
    )


def one_line(name: str, most: int) -> str:
    """Return a name as it is drawn: cut to so many characters, and without control characters.

    XML cannot hold those even as escapes.
    """
    shown = "".join(filter(str.isprintable, name))
    return shown if len(shown) <= most else shown[: most - 1] + "…"
