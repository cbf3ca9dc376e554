"""Oddities of a position that a user has set up."""

from collections.abc import Iterator
from dataclasses import dataclass

from kifu_core.shogi import rules
from kifu_core.shogi.attacks import is_dead
from kifu_core.shogi.pieces import BLACK, FU, FULL_SET, HAND_KINDS, OU, UNPROMOTED, WHITE, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, SQUARES


@dataclass(frozen=True, slots=True)
class Oddity:
    """An oddity; `impossible` is one that no game can have.

    `code` is one of `too-many-kings`, `too-many` (of a `kind`, their `number`), `two-pawns` (on a `file`),
    `dead` (a piece of a `kind` on a `square`), `in-check` (and not to move), `no-king`, `no-move`; all but
    `too-many` have the `color`.
    """

    code: str
    impossible: bool
    color: int = BLACK
    kind: int = 0
    number: int = 0
    file: int = 0
    square: int = 0


def oddities(position: Position) -> Iterator[Oddity]:
    """Yield the oddities of a position, impossible ones first."""
    board, sides = position.board, (BLACK, WHITE)
    kings = [board.count(signed(color, OU)) for color in sides]
    yield from (Oddity("too-many-kings", True, color) for color in sides if kings[color] > 1)
    yield from _too_many(position)
    for color in sides:
        files = [FILES[square] for square in SQUARES if board[square] == signed(color, FU)]
        doubled = sorted({file for file in files if files.count(file) > 1})
        yield from (Oddity("two-pawns", True, color, file=file) for file in doubled)
    for square in SQUARES:
        if board[square] and is_dead(board[square], square):
            yield Oddity("dead", True, int(board[square] < 0), kind=abs(board[square]), square=square)
    if rules.in_check(position, 1 - position.turn):
        yield Oddity("in-check", True, 1 - position.turn)
    yield from (Oddity("no-king", False, color) for color in sides if not kings[color])
    if all(kings) and not rules.legal_moves(position):
        yield Oddity("no-move", False, position.turn)


def _too_many(position: Position) -> Iterator[Oddity]:
    """Yield the kinds that have more pieces than a full set."""
    kinds = [UNPROMOTED[abs(piece)] for piece in position.board]
    for kind in (*HAND_KINDS, OU):
        number = kinds.count(kind) + sum(hand[kind] for hand in position.hands if kind != OU)
        if number > FULL_SET[kind]:
            yield Oddity("too-many", True, kind=kind, number=number)
