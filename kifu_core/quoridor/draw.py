"""Draw a position of Quoridor as SVG, and describe it in words.

The board is of wood, its grooves hold the walls, pawns are round. Every shape has a class, by which pages
colour it, and presentation attributes, so that the drawing works as a file and on paper too. Measures are
those of static/quoridor/board.js: 50 units a square with its groove.
"""

from collections.abc import Iterator
from html import escape
from typing import Final

from kifu_core.messages import Language
from kifu_core.picture import INK, LAST_MOVE, LINES, VERMILION, document, one_line
from kifu_core.quoridor.board import BLACK, PAWN, SQUARE_NAMES, VERTICAL, WALLS_EACH, WHITE, name
from kifu_core.quoridor.position import QuoridorPosition

PITCH: Final = 50
CELL: Final = 40
FIELD: Final = 9 * PITCH - 10
EDGE: Final = 20
LEFT: Final = 36
"""The coordinates are drawn to the left of the squares and below them."""
SIZE: Final = LEFT + FIELD + EDGE
"""Width and height of a board."""

_ROW: Final = 44
WIDTH: Final = SIZE + 16
HEIGHT: Final = SIZE + 2 * _ROW

WOOD: Final = "#c79a55"
SQUARE: Final = "#ecd09a"
LABELS: Final = "#3d2b10"
NEUTRAL: Final = "#7a1f10"
_FILLS: Final = ("#fffaf0", "#23201c")
_STROKES: Final = (LINES, "#f3ead9")
_CLASSES: Final = ("qf-white", "qf-black")

SIDES: Final[dict[Language, tuple[str, str]]] = {"ja": ("白", "黒"), "en": ("White", "Black")}

_SQUARES: Final = "".join(
    f"M{PITCH * column} {PITCH * row}h{CELL}v{CELL}h-{CELL}z" for row in range(9) for column in range(9)
)


def board(
    position: QuoridorPosition,
    *,
    last: int | None = None,
    flip: bool = False,
    neutral: bool = False,
    label: str = "",
) -> str:
    """Return the board as an SVG element of `SIZE` by `SIZE` units for a page.

    `last` is the packed move to mark, the one that led here. `flip` puts Black below. `neutral` draws all
    walls in one colour. `label` is the text for readers who cannot see the board.
    """
    return (
        f'<svg viewBox="0 0 {SIZE} {SIZE}" class="qf-board" role="img" aria-label="{escape(label)}">'
        f"{_drawn(position, last, flip, neutral)}</svg>"
    )


def svg(
    position: QuoridorPosition,
    *,
    last: int | None = None,
    flip: bool = False,
    language: Language = "ja",
    names: tuple[str, str] = ("", ""),
) -> str:
    """Return the position as an SVG document of `WIDTH` by `HEIGHT` units, with each side's remaining walls.

    `names` are White's and Black's; they are escaped, and drawn on one line each.

    >>> svg(QuoridorPosition.initial()).startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox=')
    True
    """
    title = _TITLES[language].format(state=state_words(position, language))
    rows = [_player(position, color, names[color], language, (color == WHITE) != flip) for color in (0, 1)]
    drawing = f'<g transform="translate(8 {_ROW})">{_drawn(position, last, flip, False)}</g>{"".join(rows)}'
    return document(WIDTH, HEIGHT, title, words(position, language), drawing)


def walls(position: QuoridorPosition, color: int) -> str:
    """Return a side's walls as bars in an SVG element for a page; placed walls are pale."""
    left = position.walls_left(color)
    bars = "".join(
        f'<rect x="{9 * n}" width="5" height="20" rx="1"{"" if n < left else _GONE}/>'
        for n in range(WALLS_EACH)
    )
    return f'<svg viewBox="0 0 {9 * WALLS_EACH} 20" class="qf-walls" aria-hidden="true">{bars}</svg>'


_GONE: Final = ' class="qf-gone"'
_TITLES: Final = {"ja": "コリドールの局面、{state}", "en": "Quoridor position, {state}"}


def _drawn(position: QuoridorPosition, last: int | None, flip: bool, neutral: bool) -> str:
    return "".join(
        [
            f'<rect class="qf-wood" width="{SIZE}" height="{SIZE}" rx="8" fill="{WOOD}"/>',
            f'<g transform="translate({LEFT} {EDGE})">',
            f'<path class="qf-square" d="{_SQUARES}" fill="{SQUARE}"/>',
            f'<g class="qf-labels" fill="{LABELS}" font-family="sans-serif" font-size="18" font-weight="600" '
            f'text-anchor="middle">{"".join(_coordinates(flip))}</g>',
            _mark(last, flip) if last else "",
            *_walls(position, flip, neutral),
            *(_pawn(position.pawns[color], color, flip) for color in (WHITE, BLACK)),
            "</g>",
        ]
    )


def _coordinates(flip: bool) -> Iterator[str]:
    for index in range(9):
        at = PITCH * index + CELL // 2
        yield f'<text x="{at}" y="{FIELD + 25}">{"abcdefghi"[8 - index if flip else index]}</text>'
        yield f'<text x="-18" y="{at + 6}">{index + 1 if flip else 9 - index}</text>'


def _corner(x: int, y: int, width: int, height: int, flip: bool) -> tuple[int, int]:
    """Convert the lower left corner of a rectangle, y upward, to its upper left corner, y downward."""
    return (FIELD - x - width, y) if flip else (x, FIELD - y - height)


def _box(move: int) -> tuple[int, int, int, int]:
    """Return x and y of the lower left corner, y upward, and width and height of a move's square or wall."""
    if move & PAWN:
        square = move - PAWN
        return PITCH * (square % 9), PITCH * (square // 9), CELL, CELL
    x, y = PITCH * (move & 7), PITCH * ((move & 63) >> 3)
    return (x + CELL, y, 10, 90) if move & VERTICAL else (x, y + CELL, 90, 10)


def _rect(move: int, flip: bool, wider: int, attributes: str) -> str:
    x, y, width, height = _box(move)
    left, top = _corner(x, y, width, height, flip)
    return (
        f'<rect x="{left - wider}" y="{top - wider}" width="{width + 2 * wider}" '
        f'height="{height + 2 * wider}" rx="3" {attributes}/>'
    )


def _mark(last: int, flip: bool) -> str:
    return _rect(last, flip, 0 if last & PAWN else 4, f'class="qf-last" fill="{LAST_MOVE}"')


def _walls(position: QuoridorPosition, flip: bool, neutral: bool) -> Iterator[str]:
    for color in (WHITE, BLACK):
        kind, fill, stroke = _CLASSES[color], _FILLS[color], _STROKES[color]
        if neutral:
            kind, fill, stroke = "qf-neutral", NEUTRAL, LINES
        paint = f'class="qf-wall {kind}" fill="{fill}" stroke="{stroke}" stroke-width="1.2"'
        for wall in position.walls(color):
            yield _rect(wall, flip, 0, paint)


def _pawn(square: int, color: int, flip: bool) -> str:
    x, y = _corner(*_box(PAWN + square), flip)
    return (
        f'<circle class="qf-pawn {_CLASSES[color]}" cx="{x + CELL // 2}" cy="{y + CELL // 2}" r="16" '
        f'fill="{_FILLS[color]}" stroke="{_STROKES[color]}" stroke-width="2.5"/>'
    )


def _player(position: QuoridorPosition, color: int, player: str, language: Language, below: bool) -> str:
    """Draw a side's pawn, name and walls left; the name of the side to move is underlined."""
    y = HEIGHT - 15 if below else 30
    shown = one_line(player, 24) or SIDES[language][color]
    line = ' text-decoration="underline"' if position.turn == color and position.winner() is None else ""
    bars = "".join(
        f'<rect x="{WIDTH - 44 - 9 * bar}" y="{y - 16}" width="5" height="20" rx="1" fill="{LINES}"/>'
        for bar in range(max(0, min(WALLS_EACH, position.walls_left(color))))
    )
    return (
        f'<circle cx="24" cy="{y - 6}" r="10" fill="{_FILLS[color]}" stroke="{INK}" stroke-width="1.5"/>'
        f'<text x="44" y="{y}" font-size="18" fill="{VERMILION if line else INK}"{line}>'
        f"{escape(shown)}</text>"
        f'<text x="{WIDTH - 12}" y="{y}" font-size="18" text-anchor="end" fill="{INK}">'
        f"{position.walls_left(color)}</text>{bars}"
    )


PHRASES: Final[dict[Language, dict[str, str]]] = {
    "ja": {
        "to_move": "{side}番",
        "won": "{side}の勝ち",
        "side": "{side}：駒{square}、残りの板{left}枚、置いた板：{walls}",
        "comma": "、",
        "none": "なし",
    },
    "en": {
        "to_move": "{side} to move",
        "won": "{side} has won",
        "side": "{side}: pawn {square}, walls left: {left}, walls placed: {walls}",
        "comma": ", ",
        "none": "none",
    },
}
"""Phrases for positions, here and in the browser."""


def state_words(position: QuoridorPosition, language: Language) -> str:
    """Return who is to move, or who has won.

    >>> state_words(QuoridorPosition.initial(), "en"), state_words(QuoridorPosition.initial(), "ja")
    ('White to move', '白番')
    """
    won = position.winner()
    side = SIDES[language][position.turn if won is None else won]
    return PHRASES[language]["to_move" if won is None else "won"].format(side=side)


def words(position: QuoridorPosition, language: Language) -> str:
    """Describe the whole position in lines, for readers who cannot see it.

    `positionWords` in static/quoridor/words.js is the counterpart.

    >>> print(words(QuoridorPosition.initial(), "en"))
    White to move
    White: pawn e1, walls left: 10, walls placed: none
    Black: pawn e9, walls left: 10, walls placed: none
    """
    phrases = PHRASES[language]
    lines = [state_words(position, language)]
    for color, side in enumerate(SIDES[language]):
        square, left = SQUARE_NAMES[position.pawns[color]], position.walls_left(color)
        walls = phrases["comma"].join(map(name, position.walls(color))) or phrases["none"]
        lines.append(phrases["side"].format(side=side, square=square, left=left, walls=walls))
    return "\n".join(lines)
