"""A position as a picture (SVG) and as text.

The picture is our own drawing: paper, a wooden board with ruled lines, wedges with a character, promoted
pieces in vermilion. Presentation attributes only, so it works as a file, in a page with a strict content
security policy, and on paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from kifu_core.picture import (
    BOARD,
    INK,
    LAST_MOVE,
    LINES,
    MUTED,
    VERMILION,
    WOOD,
    Language,
    document,
    one_line,
)
from kifu_core.shogi import moves
from kifu_core.shogi.formats.bod import diagram
from kifu_core.shogi.pieces import BLACK, HAND_KINDS, KANJI, OU, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import RANK_KANJI

CELL: Final = 40
_SIDE: Final = 64
_TOP: Final = 44
_LEFT: Final = _SIDE + 16
_EDGE: Final = 9 * CELL
WIDTH: Final = 2 * _LEFT + _EDGE + 8
HEIGHT: Final = 2 * _TOP + _EDGE - 16

_WEDGE: Final = "M0,-17 L11.5,-12.5 L15.5,16 L-15.5,16 L-11.5,-12.5 Z"
"""A piece that points up, around its middle, in a cell of 40."""

_MARKS: Final = ("☗", "☖")
_TITLES: Final = {
    "ja": ("将棋の局面、先手番", "将棋の局面、後手番"),
    "en": ("Shogi position, Black to move", "Shogi position, White to move"),
}
_RANK_NAMES: Final = {"ja": RANK_KANJI, "en": "abcdefghi"}


def svg(
    position: Position,
    *,
    last: int | None = None,
    flip: bool = False,
    language: Language = "ja",
    names: tuple[str, str] = ("", ""),
) -> str:
    """The position as an SVG document of `WIDTH` by `HEIGHT` units.

    `last` is the packed move that led here: its squares are marked. `flip` puts White below. `names` are
    Black's and White's; they are escaped, and drawn on one line each.

    >>> svg(Position.initial()).startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox=')
    True
    """
    parts = [
        f'<g transform="translate({_LEFT},{_TOP - 8})">',
        f'<rect width="{_EDGE}" height="{_EDGE}" fill="{BOARD}"/>',
        *_marked_squares(last, flip),
        _grid(),
        *_coordinates(flip, language),
        *_board_pieces(position, flip),
        "</g>",
    ]
    for color in (BLACK, WHITE):
        parts.append(_player(position, color, names[color], below=(color == WHITE) == flip))
    title = _TITLES[language][position.turn]
    return document(WIDTH, HEIGHT, title, position.sfen(None), "".join(parts), anchor="middle")


def _place(square: int, flip: bool) -> tuple[int, int]:
    """Column and row of a square as drawn, from the top left."""
    shown = 80 - square if flip else square
    return shown % 9, shown // 9


def _marked_squares(last: int | None, flip: bool) -> Iterator[str]:
    """The squares of the last move: where it went, and where it came from unless it was a drop."""
    if not last:
        return
    squares = [moves.target(last)] if moves.dropped(last) else [moves.source(last), moves.target(last)]
    for square in squares:
        column, row = _place(square, flip)
        yield (
            f'<rect x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}" '
            f'fill="{LAST_MOVE}" fill-opacity=".6"/>'
        )


def _grid() -> str:
    """Lines, frame and the four dots."""
    inner = range(CELL, _EDGE, CELL)
    path = "".join([*(f"M{at},0V{_EDGE}" for at in inner), *(f"M0,{at}H{_EDGE}" for at in inner)])
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="2.6" fill="{LINES}"/>'
        for x in (3 * CELL, 6 * CELL)
        for y in (3 * CELL, 6 * CELL)
    )
    frame = f'<rect width="{_EDGE}" height="{_EDGE}" fill="none" stroke="{LINES}" stroke-width="2"/>'
    return f'<path d="{path}" stroke="{LINES}" fill="none"/>{dots}{frame}'


def _coordinates(flip: bool, language: Language) -> Iterator[str]:
    """Files above the board, ranks to its right."""
    for number in range(9):
        at = (number if flip else 8 - number) * CELL + CELL // 2
        yield _label(at, -6, str(number + 1))
        down = (8 - number if flip else number) * CELL + CELL // 2
        yield _label(_EDGE + 10, down + 4, _RANK_NAMES[language][number])


def _label(x: int, y: int, text: str, size: int = 12, fill: str = MUTED) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}">{escape(text)}</text>'


def _board_pieces(position: Position, flip: bool) -> Iterator[str]:
    for square, piece in enumerate(position.board):
        if piece:
            column, row = _place(square, flip)
            x, y = column * CELL + CELL // 2, row * CELL + CELL // 2
            yield _piece(abs(piece), x, y, turned=(piece < 0) != flip)


def _piece(kind: int, x: int, y: int, *, turned: bool) -> str:
    """A piece around its middle; `turned` ones point down."""
    fill = VERMILION if kind > OU else INK
    return (
        f'<g transform="translate({x},{y}){" rotate(180)" if turned else ""}">'
        f'<path d="{_WEDGE}" fill="{WOOD}" stroke="{LINES}"/>'
        f'<text y="10" font-size="23" fill="{fill}">{KANJI[kind]}</text></g>'
    )


def _player(position: Position, color: int, name: str, *, below: bool) -> str:
    """A side's mark, name and hand: at the lower right for the player below, else at the upper left."""
    x = _LEFT + _EDGE + 18 + _SIDE // 2 if below else _SIDE // 2 + 4
    to_move = position.turn == color
    mark = _label(x, HEIGHT - 12 if below else 24, _MARKS[color], 20, VERMILION if to_move else INK)
    return mark + _name(name, below) + "".join(_hand_pieces(position.hands[color], x, below))


def _name(name: str, below: bool) -> str:
    """A player's name on the side of the board where there is room for a line."""
    shown = one_line(name, 30)
    if not shown:
        return ""
    return _label(_LEFT + _EDGE // 2, HEIGHT - 12 if below else 18, shown, 14, INK)


def _hand_pieces(hand: list[int], x: int, below: bool) -> Iterator[str]:
    """The hand as a column of pieces with their counts, the strongest nearest to the mark."""
    held = [kind for kind in reversed(HAND_KINDS) if hand[kind]]
    for place, kind in enumerate(held):
        y = HEIGHT - 54 - place * 44 if below else 58 + place * 44
        yield _piece(kind, x - 10, y, turned=not below)
        if hand[kind] > 1:
            yield _label(x + 20, y + 6, str(hand[kind]), 16, INK)


# --- text ------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """The position as the text diagram that Japanese programs exchange, for a terminal; lines end in LF.

    >>> print(text(Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1")).splitlines()[-2])
    先手の持駒：なし
    """
    return "\n".join([*diagram(position), *([] if position.turn else ["先手番"]), ""])
