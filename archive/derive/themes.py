"""Themes of problems, as numbers, names and words. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kifu_core.shogi import formations, rules
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.pieces import FU, HI, KA, KE, KY, OU, RY, UM, UNPROMOTED
from kifu_core.shogi.position import Position

DROP_FIRST, SACRIFICE, QUIET, PROMOTION, NO_PROMOTION, CAPTURE = range(1, 7)
PAWN, LANCE, KNIGHT, SILVER, GOLD, BISHOP, ROOK, KING = range(11, 19)
ENTERED_KING: Final = 21

NAMES: Final = {
    DROP_FIRST: "drop", SACRIFICE: "sacrifice", QUIET: "quiet", PROMOTION: "promotion",
    NO_PROMOTION: "no-promotion", CAPTURE: "capture",
    PAWN: "pawn", LANCE: "lance", KNIGHT: "knight", SILVER: "silver", GOLD: "gold", BISHOP: "bishop",
    ROOK: "rook", KING: "king", ENTERED_KING: "entered-king",
}  # fmt: skip
"""The own themes by number: those of the first move, the kind of piece that makes it, and where kings are."""
NUMBERS: Final = {name: number for number, name in NAMES.items()}
SOLVERS, OTHERS = 1_000, 2_000
"""A formation of the side that solves, and of the other side, has its number plus one of these."""

_SOURCES: Final = {"solver": SOLVERS, "other": OTHERS}


def theme_name(number: int) -> str:
    """Return the name of a theme in addresses.

    >>> theme_name(SACRIFICE), theme_name(SOLVERS + formations.BY_NAME["yagura"].number)
    ('sacrifice', 'solver-yagura')
    """
    if number in NAMES:
        return NAMES[number]
    side, base = ("other", OTHERS) if number >= OTHERS else ("solver", SOLVERS)
    return f"{side}-{formations.BY_NUMBER[number - base].name}"


def theme_number(name: str) -> int | None:
    """Return the number of a theme by its name; None for no theme."""
    if name in NUMBERS:
        return NUMBERS[name]
    side, _dash, formation = name.partition("-")
    if side in _SOURCES and formation in formations.BY_NAME:
        return _SOURCES[side] + formations.BY_NAME[formation].number
    return None


def themes_of(position: Position, moves: Sequence[int]) -> set[int]:
    """Return the own themes of a problem by its position and its solution, packed moves."""
    first, after = moves[0], position.copy()
    piece = UNPROMOTED[_mover(position, first)]
    captured = after.do_move(first)
    themes = {PAWN + abs(piece) - FU}
    if first >> 8 > DROP:
        themes.add(DROP_FIRST)
    elif first & 1:
        themes.add(PROMOTION)
    elif _could_promote(position, first):
        themes.add(NO_PROMOTION)
    if captured:
        themes.add(CAPTURE)
    checks = rules.in_check(after, after.turn)
    if not (captured or checks or first & 1):
        themes.add(QUIET)
    if _is_sacrifice(position, first, captured, moves):
        themes.add(SACRIFICE)
    if any(_has_entered(position, color) for color in (0, 1)):
        themes.add(ENTERED_KING)
    return themes


def _mover(position: Position, move: int) -> int:
    origin = move >> 8
    return origin - DROP if origin > DROP else abs(position.board[origin])


_PROMOTE_OFTEN: Final = frozenset({FU, KA, HI, KY, KE})


def _could_promote(position: Position, move: int) -> bool:
    if _mover(position, move) not in _PROMOTE_OFTEN:
        return False
    return move | 1 in rules.legal_moves(position)


_VALUES: Final = {FU: 1, KY: 3, KE: 4, 4: 5, 5: 6, KA: 8, HI: 10, UM: 10, RY: 12}


def _value(piece: int) -> int:
    return _VALUES.get(abs(piece), 6 if abs(piece) != OU else 0)


def _is_sacrifice(position: Position, move: int, captured: int, moves: Sequence[int]) -> bool:
    """Return whether the solution lets the piece that moves first be taken at once, for less than its
    worth."""
    if len(moves) < 2 or moves[1] >> 1 & 127 != move >> 1 & 127:
        return False
    return _value(_mover(position, move)) > _value(captured)


def _has_entered(position: Position, color: int) -> bool:
    king = -OU if color else OU
    if king not in position.board:
        return False
    rank = position.board.index(king) // 9
    return rank > 5 if color else rank < 3


def formation_themes(rows: Iterable[tuple[int, int, int]], turn: int, ply: int) -> set[int]:
    """Return the themes of formations of a game, rows of number, color and first ply, that both sides have at
    a ply; `turn` is the side that solves."""
    return {number + (SOLVERS if color == turn else OTHERS) for number, color, first in rows if first <= ply}
