"""Draw a position as SVG, for pages and for files, and describe it in words and as a text diagram.

The board of a page has classes, which style sheets colour; its measures and structure are those of
static/shogi/board.js, which takes it over without a jump. The picture for files has presentation attributes
only, so it works under a strict content security policy and on paper: a wooden board with ruled lines, wedges
with a character, promoted pieces in vermilion.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from typing import Final

from kifu_core.messages import Language
from kifu_core.picture import BOARD, INK, LAST_MOVE, LINES, MUTED, VERMILION, WOOD, document, one_line
from kifu_core.shogi import moves
from kifu_core.shogi.formats.bod import diagram
from kifu_core.shogi.patterns.pattern import PatternStep
from kifu_core.shogi.patterns.text import PIECES as PATTERN_PIECES
from kifu_core.shogi.patterns.text import contents
from kifu_core.shogi.pieces import BLACK, BY_CODE, HAND_KINDS, KANJI, LETTERS, NAMES, OU, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import JAPANESE, RANK_KANJI, SQUARES, USI

RANK_NAMES: Final[dict[Language, str]] = {"ja": RANK_KANJI, "en": "abcdefghi"}
"""The nine ranks from the top, as each language writes them."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The geometry of a board: its upper left corner, and the width and height of a square."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + 9 * self.width

    @property
    def bottom(self) -> int:
        return self.top + 9 * self.height

    def corner(self, square: int, flip: bool) -> tuple[int, int]:
        """Return the upper left corner of a square as it is drawn."""
        row, column = divmod(80 - square if flip else square, 9)
        return self.left + column * self.width, self.top + row * self.height

    def middle(self, square: int, flip: bool) -> tuple[int, int]:
        """Return the middle of a square as it is drawn."""
        x, y = self.corner(square, flip)
        return x + self.width // 2, y + self.height // 2

    def stars(self) -> Iterator[tuple[int, int]]:
        """Yield the centres of the four dots."""
        return ((self.left + x * self.width, self.top + y * self.height) for x in (3, 6) for y in (3, 6))

    def files(self, flip: bool) -> Iterator[tuple[int, str]]:
        """Yield the middle of each column, and the number of its file."""
        for at in range(9):
            yield self.left + at * self.width + self.width // 2, str(at + 1 if flip else 9 - at)

    def ranks(self, flip: bool, language: Language) -> Iterator[tuple[int, str]]:
        """Yield the middle of each row, and the name of its rank."""
        names = RANK_NAMES[language]
        for at, name in enumerate(reversed(names) if flip else names):
            yield self.top + at * self.height + self.height // 2, name


def _last_move_squares(last: int | None) -> list[tuple[str, int]]:
    if not last:
        return []
    to = [("last-to", moves.target(last))]
    return to if moves.dropped(last) else [("last-from", moves.source(last)), *to]


def _held_kinds(hand: list[int]) -> list[int]:
    return [kind for kind in reversed(HAND_KINDS) if hand[kind]]


# --- boards of pages -------------------------------------------------------------------------------------

PAGE: Final = Grid(8, 26, 60, 66)
PAGE_WIDTH: Final = PAGE.right + 30
PAGE_HEIGHT: Final = PAGE.bottom + 8
_SIZES: Final = (0, 0.86, 0.88, 0.9, 0.94, 0.94, 0.98, 0.98, 1, 0.86, 0.88, 0.9, 0.94, 0.98, 0.98)
_MIDDLE: Final = PAGE.middle(40, False)
_SLOT: Final = 66
_INSET: Final = 3
"""Distance of a marked square's frame from its edge."""

_RULED: Final = "".join(
    f"M{PAGE.left} {PAGE.top + i * PAGE.height}H{PAGE.right}"
    f"M{PAGE.left + i * PAGE.width} {PAGE.top}V{PAGE.bottom}"
    for i in range(10)
)
_STARS: Final = "".join(f'<circle class="star" cx="{x}" cy="{y}" r="4"/>' for x, y in PAGE.stars())


def board(
    position: Position,
    last: int | None = None,
    *,
    flip: bool = False,
    label: str = "",
    letters: bool = False,
    language: Language = "ja",
    marked: Iterable[int] = (),
) -> str:
    """Draw the board with coordinates and pieces as an SVG element for a page.

    `last` is the packed move whose squares are marked, `marked` are squares that get a frame; `label` is the
    text for readers who cannot see the board. `letters` writes pieces as Western players do, upright even on
    pieces that point down.
    """
    return (
        f'<svg viewBox="0 0 {PAGE_WIDTH} {PAGE_HEIGHT}" class="board" role="img"'
        f' aria-label="{escape(label)}">'
        f'<rect class="wood" width="{PAGE_WIDTH}" height="{PAGE_HEIGHT}" rx="6"/>{_page_marks(last, flip)}'
        f'<path class="lines" d="{_RULED}"/>{_STARS}{_page_labels(language, flip)}'
        f'<g class="marked">{"".join(_frame(square, flip) for square in marked)}</g>'
        f"{_side(position, WHITE, letters, not flip)}{_side(position, BLACK, letters, flip)}</svg>"
    )


def _page_marks(last: int | None, flip: bool) -> str:
    corners = ((name, *PAGE.corner(square, flip)) for name, square in _last_move_squares(last))
    return "".join(
        f'<rect class="{name}" x="{x}" y="{y}" width="{PAGE.width}" height="{PAGE.height}"/>'
        for name, x, y in corners
    )


def _frame(square: int, flip: bool) -> str:
    x, y = PAGE.corner(square, flip)
    width, height = PAGE.width - 2 * _INSET, PAGE.height - 2 * _INSET
    return f'<rect x="{x + _INSET}" y="{y + _INSET}" width="{width}" height="{height}" rx="5"/>'


def pattern(step: PatternStep, *, label: str = "", letters: bool = False, language: Language = "ja") -> str:
    """Draw the squares of a pattern's step as a board for a page, with the own side below.

    Alternatives share their square. A piece without a sign is any piece of its side, a cross is an empty
    square, a crossed-out piece is excluded.
    """
    squares = "".join(
        _draw_allowed(square, allowed, letters) for square, allowed in sorted(step.squares.items())
    )
    drawn = board(Position.from_sfen(_BARE), label=label, language=language, marked=step.squares)
    return f'{drawn.removesuffix("</svg>")}<g class="asked">{squares}</g></svg>'


_BARE: Final = "9/9/9/9/9/9/9/9/9 b -"
_MOST_IN_A_SQUARE: Final = 4
_SHARED: Final = 0.52
_BLANK: Final = {"X": 1, "x": -1}


def _draw_allowed(square: int, allowed: int, letters: bool) -> str:
    negated, names = contents(allowed)
    if not names:
        return ""
    x, y = PAGE.middle(square, False)
    shown, several = names[:_MOST_IN_A_SQUARE], len(names) > 1
    drawn = [
        _draw_allowed_piece(name, *_slot_center(at, len(shown), x, y), several, letters)
        for at, name in enumerate(shown)
    ]
    more = f'<text class="more" x="{x}" y="{y + 8}">…</text>' if len(names) > len(shown) else ""
    crossed = f'<path class="not" d="M{x - 24} {y + 26}l48 -52"/>' if negated else ""
    return "".join(drawn) + more + crossed


def _slot_center(number: int, count: int, x: int, y: int) -> tuple[int, int]:
    """Return the centre of one of several pieces in a square: side by side, in two rows."""
    if count == 1:
        return x, y
    return x + (15 if number % 2 else -15), y if count == 2 else y + (16 if number > 1 else -16)


def _draw_allowed_piece(name: str, x: int, y: int, small: bool, letters: bool) -> str:
    piece = _BLANK.get(name) or PATTERN_PIECES.get(name, 0)
    moved = f"translate({x} {y})" + (f" scale({_SHARED})" if small else "")
    if not piece:
        return f'<path class="empty" transform="{moved}" d="M-11 -11l22 22M11 -11l-22 22"/>'
    turned = piece < 0
    attribute = f' transform="{moved}{" rotate(180)" if turned else ""}"'
    if name in _BLANK:
        return f'<g class="piece any"{attribute}><path d="M0 0{_OUTLINES[OU]}"/></g>'
    return _piece(abs(piece), 0, 0, int(turned), letters, turned, attribute)


@cache
def _page_labels(language: Language, flip: bool) -> str:
    places = [
        *((x, PAGE.top - 7, file) for x, file in PAGE.files(flip)),
        *((PAGE.right + 15, y + 6, rank) for y, rank in PAGE.ranks(flip, language)),
    ]
    return "".join(f'<text class="label" x="{x}" y="{y}">{text}</text>' for x, y, text in places)


def _side(position: Position, color: int, letters: bool, turned: bool) -> str:
    """Draw a side's pieces as that side sees the board; those of the upper side are rotated."""
    pieces = (
        _piece(abs(position.board[square]), *PAGE.middle(square, color == WHITE), color, letters, turned)
        for square in SQUARES
        if position.board[square] and (position.board[square] < 0) == (color == WHITE)
    )
    return f'<g class="side"{_turn(*_MIDDLE) if turned else ""}>{"".join(pieces)}</g>'


def _turn(x: int, y: int) -> str:
    return f' transform="rotate(180 {x} {y})"'


# Of each kind, square and way there is one: all boards together are made of some four thousand.
@lru_cache(maxsize=8192)
def _piece(kind: int, x: int, y: int, color: int, letters: bool, turned: bool, own_turn: str = "") -> str:
    """Draw a piece around a point; letters stay upright on pieces that point down."""
    return (
        f'<g class="{"piece promoted" if kind > OU else "piece"}"{own_turn}>'
        f'<path d="M{x} {y}{_OUTLINES[kind]}"/>'
        f"{_letter(kind, x, y, turned) if letters else _kanji(kind, x, y, color)}</g>"
    )


def _kanji(kind: int, x: int, y: int, color: int) -> str:
    kanji = "王" if kind == OU and color else KANJI[kind]
    return f'<text x="{x}" y="{y + 13}" font-size="{34 * _SIZES[kind]:g}">{kanji}</text>'


def _letter(kind: int, x: int, y: int, turned: bool) -> str:
    size, down = (30 if kind <= OU else 24) * _SIZES[kind], 6 if turned else 14
    return (
        f'<text class="letter" x="{x}" y="{y + down}" font-size="{size:g}"{_turn(x, y) if turned else ""}>'
        f"{LETTERS[kind]}</text>"
    )


def _outline(size: float) -> str:
    def at(number: int) -> str:
        return f"{round(number * size, 1):g}"

    return f"m0 {at(-30)}l{at(17)} {at(8)}l{at(7)} {at(50)}h{at(-48)}l{at(7)} {at(-50)}z"


_OUTLINES: Final = tuple(map(_outline, _SIZES))


def hand(position: Position, color: int, *, flip: bool = False, letters: bool = False) -> str:
    """Draw a side's pieces in hand with their counts: one picture for each kind, for a row or a column."""
    counts = position.hands[color]
    turned = (color == WHITE) != flip
    pictures = (_in_hand(kind, counts[kind], letters, turned) for kind in _held_kinds(counts))
    return f'<span class="hand" aria-hidden="true">{"".join(pictures)}</span>'


def _in_hand(kind: int, number: int, letters: bool, turned: bool) -> str:
    width = _SLOT + (36 if number > 9 else 18 if number > 1 else 0)
    middle = _SLOT // 2
    piece = _piece(kind, 30, middle, 0, letters, turned, _turn(30, middle) if turned else "")
    return f'<svg viewBox="0 0 {width} {_SLOT}">{piece}{_count(number)}</svg>'


def _count(number: int) -> str:
    return "" if number == 1 else f'<text class="count" x="58" y="{_SLOT // 2 + 12}">{number}</text>'


# --- pictures for files ----------------------------------------------------------------------------------

FILE: Final = Grid(0, 0, 40, 40)
_SIDE: Final = 64
_TOP: Final = 44
_LEFT: Final = _SIDE + 16
_EDGE: Final = FILE.right
WIDTH: Final = 2 * _LEFT + _EDGE + 8
HEIGHT: Final = 2 * _TOP + _EDGE - 16

_WEDGE: Final = "M0,-17 L11.5,-12.5 L15.5,16 L-15.5,16 L-11.5,-12.5 Z"
"""A piece that points up, around its middle."""

_MARKS: Final = ("☗", "☖")
_TITLES: Final = {
    "ja": ("将棋の局面、先手番", "将棋の局面、後手番"),
    "en": ("Shogi position, Black to move", "Shogi position, White to move"),
}


def svg(
    position: Position,
    *,
    last: int | None = None,
    flip: bool = False,
    language: Language = "ja",
    names: tuple[str, str] = ("", ""),
) -> str:
    """Draw the position as an SVG document of `WIDTH` by `HEIGHT` units.

    `last` is the packed move that led here: its squares are marked. `flip` puts White below. `names` are
    Black's and White's; they are escaped, and drawn on one line each.

    >>> svg(Position.initial()).startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox=')
    True
    """
    parts = [
        f'<g transform="translate({_LEFT},{_TOP - 8})">',
        f'<rect width="{_EDGE}" height="{_EDGE}" fill="{BOARD}"/>',
        *_file_marks(last, flip),
        _grid(),
        *(_label(x, -6, file) for x, file in FILE.files(flip)),
        *(_label(_EDGE + 10, y + 4, rank) for y, rank in FILE.ranks(flip, language)),
        *_board_wedges(position, flip),
        "</g>",
    ]
    for color in (BLACK, WHITE):
        parts.append(_player(position, color, names[color], below=(color == WHITE) == flip))
    title = _TITLES[language][position.turn]
    return document(WIDTH, HEIGHT, title, position.sfen(None), "".join(parts), anchor="middle")


def _file_marks(last: int | None, flip: bool) -> Iterator[str]:
    for _name, square in _last_move_squares(last):
        x, y = FILE.corner(square, flip)
        yield (
            f'<rect x="{x}" y="{y}" width="{FILE.width}" height="{FILE.height}" '
            f'fill="{LAST_MOVE}" fill-opacity=".6"/>'
        )


def _grid() -> str:
    inner = range(FILE.width, _EDGE, FILE.width)
    path = "".join([*(f"M{at},0V{_EDGE}" for at in inner), *(f"M0,{at}H{_EDGE}" for at in inner)])
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.6" fill="{LINES}"/>' for x, y in FILE.stars())
    frame = f'<rect width="{_EDGE}" height="{_EDGE}" fill="none" stroke="{LINES}" stroke-width="2"/>'
    return f'<path d="{path}" stroke="{LINES}" fill="none"/>{dots}{frame}'


def _label(x: int, y: int, text: str, size: int = 12, fill: str = MUTED) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}">{escape(text)}</text>'


def _board_wedges(position: Position, flip: bool) -> Iterator[str]:
    for square, piece in enumerate(position.board):
        if piece:
            yield _wedge(abs(piece), *FILE.middle(square, flip), turned=(piece < 0) != flip)


def _wedge(kind: int, x: int, y: int, *, turned: bool) -> str:
    fill = VERMILION if kind > OU else INK
    return (
        f'<g transform="translate({x},{y}){" rotate(180)" if turned else ""}">'
        f'<path d="{_WEDGE}" fill="{WOOD}" stroke="{LINES}"/>'
        f'<text y="10" font-size="23" fill="{fill}">{KANJI[kind]}</text></g>'
    )


def _player(position: Position, color: int, name: str, *, below: bool) -> str:
    """Draw a side's mark, name and hand, at the lower right for the player below, else at the upper left."""
    x = _LEFT + _EDGE + 18 + _SIDE // 2 if below else _SIDE // 2 + 4
    to_move = position.turn == color
    mark = _label(x, HEIGHT - 12 if below else 24, _MARKS[color], 20, VERMILION if to_move else INK)
    return mark + _name(name, below) + "".join(_hand_wedges(position.hands[color], x, below))


def _name(name: str, below: bool) -> str:
    shown = one_line(name, 30)
    if not shown:
        return ""
    return _label(_LEFT + _EDGE // 2, HEIGHT - 12 if below else 18, shown, 14, INK)


def _hand_wedges(hand: list[int], x: int, below: bool) -> Iterator[str]:
    """Draw a hand as a column of pieces with counts, the strongest nearest to the mark."""
    for place, kind in enumerate(_held_kinds(hand)):
        y = HEIGHT - 54 - place * 44 if below else 58 + place * 44
        yield _wedge(kind, x - 10, y, turned=not below)
        if hand[kind] > 1:
            yield _label(x + 20, y + 6, str(hand[kind]), 16, INK)


# --- words -----------------------------------------------------------------------------------------------

SIDES: Final[dict[Language, tuple[str, str]]] = {"ja": ("先手", "後手"), "en": ("Black", "White")}
PIECES: Final[dict[Language, tuple[str, ...]]] = {
    "ja": NAMES,
    "en": ("", "pawn", "lance", "knight", "silver", "gold", "bishop", "rook", "king", "tokin",
           "promoted lance", "promoted knight", "promoted silver", "horse", "dragon"),
}  # fmt: skip
"""Words for pieces by their kind."""

PHRASES: Final[dict[Language, dict[str, str]]] = {
    "ja": {
        "to_move": "{side}番",
        "board": "{side}：{pieces}",
        "hand": "{side}の持駒：{pieces}",
        "placed": "{piece}{square}",
        "several": "{piece}{count}",
        "comma": "、",
        "none": "なし",
    },
    "en": {
        "to_move": "{side} to move",
        "board": "{side}: {pieces}",
        "hand": "{side} in hand: {pieces}",
        "placed": "{piece} {square}",
        "several": "{count} {piece}s",
        "comma": ", ",
        "none": "nothing",
    },
}
"""Phrases for positions, here and in the browser."""

_ORDER: Final = ("OU", "HI", "RY", "KA", "UM", "KI", "GI", "NG", "KE", "NK", "KY", "NY", "FU", "TO")
_FROM_THE_KING: Final = [BY_CODE[code] for code in _ORDER]


def words(position: Position, language: Language) -> str:
    """Describe the whole position in lines, for readers who cannot see it.

    `positionWords` in static/shogi/wording.js is the counterpart.

    >>> print(words(Position.from_sfen("4k4/9/9/9/9/9/9/9/4K3R w 2P 2"), "en"))
    White to move
    Black: king 5i, rook 1i
    Black in hand: 2 pawns
    White: king 5a
    White in hand: nothing
    """
    phrases, names, squares = PHRASES[language], PIECES[language], JAPANESE if language == "ja" else USI
    lines = [phrases["to_move"].format(side=SIDES[language][position.turn])]
    for color, side in enumerate(SIDES[language]):
        sign, hand = 1 if color == BLACK else -1, position.hands[color]
        placed = [
            phrases["placed"].format(piece=names[kind], square=squares[at])
            for kind in _FROM_THE_KING
            for at in SQUARES
            if position.board[at] == sign * kind
        ]
        in_hand = [
            phrases["several"].format(piece=names[kind], count=hand[kind]) if hand[kind] > 1 else names[kind]
            for kind in _held_kinds(hand)
        ]
        for line, pieces in (("board", placed), ("hand", in_hand)):
            names_text = phrases["comma"].join(pieces) or phrases["none"]
            lines.append(phrases[line].format(side=side, pieces=names_text))
    return "\n".join(lines)


# --- text ------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """Return the position as the text diagram that Japanese programs exchange, for a terminal.

    Lines end in LF.

    >>> print(text(Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1")).splitlines()[-2])
    先手の持駒：なし
    """
    return "\n".join([*diagram(position), *([] if position.turn else ["先手番"]), ""])
