"""Boards and hands as inline SVG, coloured by the site's style sheets.

Measures and structure are those of static/archive/js/board.js, which takes a board over without a jump.
Pictures that stand alone, with their own colours and hands, are drawn by `kifu_core.shogi.draw`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from archive.issues import language
from kifu_core.shogi.moves import DROP, source, target
from kifu_core.shogi.pieces import HAND_KINDS, KANJI, LETTERS, OU
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import RANK_KANJI, SQUARES

CELL_WIDTH: Final = 60
CELL_HEIGHT: Final = 66
LEFT: Final = 8
TOP: Final = 26
WIDTH: Final = LEFT + 9 * CELL_WIDTH + 30
HEIGHT: Final = TOP + 9 * CELL_HEIGHT + 8
_RIGHT: Final = LEFT + 9 * CELL_WIDTH
_BOTTOM: Final = TOP + 9 * CELL_HEIGHT
_SIZES: Final = (0, 0.86, 0.88, 0.9, 0.94, 0.94, 0.98, 0.98, 1, 0.86, 0.88, 0.9, 0.94, 0.98, 0.98)
_MIDDLE: Final = (LEFT + 9 * CELL_WIDTH // 2, TOP + 9 * CELL_HEIGHT // 2)
_SLOT: Final = 66

_LINES: Final = "".join(
    f"M{LEFT} {TOP + i * CELL_HEIGHT}H{_RIGHT}M{LEFT + i * CELL_WIDTH} {TOP}V{_BOTTOM}" for i in range(10)
)
_STARS: Final = format_html_join(
    "",
    '<circle class="star" cx="{}" cy="{}" r="4"/>',
    ((LEFT + x * CELL_WIDTH, TOP + y * CELL_HEIGHT) for x in (3, 6) for y in (3, 6)),
)


def board_svg(
    position: Position,
    last: int | None = None,
    *,
    flip: bool = False,
    label: str = "",
    letters: bool = False,
) -> SafeString:
    """The board with coordinates and pieces; `last` is the packed move whose squares are marked.

    `letters` writes pieces as Western players do, upright whichever way a piece points.
    """
    return format_html(
        '<svg viewBox="0 0 {0} {1}" class="board" role="img" aria-label="{2}">'
        '<rect class="wood" width="{0}" height="{1}" rx="6"/>{3}<path class="lines" d="{4}"/>{5}{6}{7}</svg>',
        WIDTH,
        HEIGHT,
        label,
        _marks(last, flip),
        _LINES,
        _STARS,
        _labels(rank_names(), flip),
        _pieces(position.board, flip, letters),
    )


def rank_names() -> str:
    """The nine ranks from the top, as the active language writes them."""
    return RANK_KANJI if language() == "ja" else "abcdefghi"


def _marks(last: int | None, flip: bool) -> SafeString:
    if last is None:
        return SafeString("")
    squares = [("last-to", target(last))]
    if source(last) <= DROP:
        squares.insert(0, ("last-from", source(last)))
    return format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>',
        ((name, *_corner(square, flip), CELL_WIDTH, CELL_HEIGHT) for name, square in squares),
    )


def _corner(square: int, flip: bool) -> tuple[int, int]:
    row, column = divmod(80 - square if flip else square, 9)
    return LEFT + column * CELL_WIDTH, TOP + row * CELL_HEIGHT


def _middle(square: int, flip: bool) -> tuple[int, int]:
    x, y = _corner(square, flip)
    return x + CELL_WIDTH // 2, y + CELL_HEIGHT // 2


@cache
def _labels(names: str, flip: bool) -> SafeString:
    files = range(1, 10) if flip else range(9, 0, -1)
    ranks = names[::-1] if flip else names
    places: list[tuple[float, float, int | str]] = [
        (LEFT + (i + 0.5) * CELL_WIDTH, TOP - 7, file) for i, file in enumerate(files)
    ]
    places += [(_RIGHT + 15, TOP + (i + 0.5) * CELL_HEIGHT + 6, rank) for i, rank in enumerate(ranks)]
    return format_html_join("", '<text class="label" x="{}" y="{}">{}</text>', places)


def _pieces(board: Sequence[int], flip: bool, letters: bool) -> SafeString:
    """White's pieces and Black's: each side drawn as it sees the board itself, the one above turned."""
    return _side(board, 1, letters, not flip) + _side(board, 0, letters, flip)


def _side(board: Sequence[int], color: int, letters: bool, turned: bool) -> SafeString:
    drawn = (
        _piece(abs(board[square]), *_middle(square, color == 1), color, letters, turned)
        for square in SQUARES
        if board[square] and (board[square] < 0) == (color == 1)
    )
    return format_html(
        '<g class="side"{}>{}</g>', _transform(_turn(*_MIDDLE) if turned else ""), SafeString("".join(drawn))
    )


def _transform(transform: str) -> SafeString:
    return format_html(' transform="{}"', transform) if transform else SafeString("")


def _turn(x: int, y: int) -> str:
    """Half a turn around a point."""
    return f"rotate(180 {x} {y})"


# Of each kind, square and way there is one: all boards together are made of some four thousand.
@lru_cache(maxsize=8192)
def _piece(
    kind: int, x: int, y: int, color: int, letters: bool, turned: bool, own_turn: str = ""
) -> SafeString:
    """A piece around a point; letters stand upright on pieces that point down."""
    return format_html(
        '<g class="{}"{}><path d="M{} {}{}"/>{}</g>',
        "piece promoted" if kind > OU else "piece",
        _transform(own_turn),
        x,
        y,
        _OUTLINES[kind],
        _letter(kind, x, y, turned) if letters else _kanji(kind, x, y, color),
    )


def _kanji(kind: int, x: int, y: int, color: int) -> SafeString:
    kanji = "王" if kind == OU and color else KANJI[kind]
    size = f"{34 * _SIZES[kind]:g}"
    return format_html('<text x="{}" y="{}" font-size="{}">{}</text>', x, y + 13, size, kanji)


def _letter(kind: int, x: int, y: int, turned: bool) -> SafeString:
    size = f"{(30 if kind <= OU else 24) * _SIZES[kind]:g}"
    return format_html(
        '<text class="letter" x="{}" y="{}" font-size="{}"{}>{}</text>',
        x,
        y + (6 if turned else 14),
        size,
        _transform(_turn(x, y) if turned else ""),
        LETTERS[kind],
    )


def _outline(size: float) -> str:
    """A piece's outline, from its middle."""

    def at(number: int) -> str:
        return f"{round(number * size, 1):g}"

    return f"m0 {at(-30)}l{at(17)} {at(8)}l{at(7)} {at(50)}h{at(-48)}l{at(7)} {at(-50)}z"


_OUTLINES: Final = tuple(map(_outline, _SIZES))


def hand_svg(position: Position, color: int, *, flip: bool = False, letters: bool = False) -> SafeString:
    """A side's pieces in hand, the strongest first, with their numbers; an empty picture without any."""
    hand = position.hands[color]
    kinds = [kind for kind in reversed(HAND_KINDS) if hand[kind]]
    starts, width = _slots(hand[kind] for kind in kinds)
    turned, y = (color == 1) != flip, _SLOT // 2
    parts = [
        _piece(kind, x + 30, y, 0, letters, turned, _turn(x + 30, y) if turned else "")
        + _count(hand[kind], x)
        for kind, x in zip(kinds, starts, strict=True)
    ]
    return format_html(
        '<svg viewBox="0 0 {} {}" class="hand" aria-hidden="true">{}</svg>',
        max(width, 1),
        _SLOT,
        SafeString("".join(parts)),
    )


def _slots(counts: Iterable[int]) -> tuple[list[int], int]:
    """Where each kind's slot begins, and the width of all."""
    starts, width = [], 0
    for count in counts:
        starts.append(width)
        width += _SLOT + (36 if count > 9 else 18 if count > 1 else 0)
    return starts, width


def _count(number: int, x: int) -> SafeString:
    if number == 1:
        return SafeString("")
    return format_html('<text class="count" x="{}" y="{}">{}</text>', x + 58, _SLOT // 2 + 12, number)
