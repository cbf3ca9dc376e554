"""Repetition of positions (千日手), and perpetual check."""

from collections.abc import Iterable
from typing import Final

from kifu_core.deadline import watched
from kifu_core.shogi import rules
from kifu_core.shogi.pieces import BLACK, WHITE
from kifu_core.shogi.position import Position

FOURFOLD: Final = 4
"""Occurrences of a position that end the game (JSA tournament rules, article 8)."""

PositionKey = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def position_key(position: Position) -> PositionKey:
    """Return a hashable value, equal for positions with the same board, hands and side to move."""
    black, white = position.hands
    return position.turn, tuple(position.board), tuple(black), tuple(white)


def checking_sides(position: Position, moves: Iterable[int]) -> list[int]:
    """Return the colours whose moves, from this position on, all give check. `position` changes."""
    quiet = set[int]()
    for move in watched(moves):
        position.do_move(move)
        if not rules.in_check(position, position.turn):
            quiet.add(position.turn ^ 1)
    return [color for color in (BLACK, WHITE) if color not in quiet]
