"""A formation as a diagram of its pieces."""

from kifu_core.shogi.formations.formation import Formation
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.pattern import CONTENTS, EMPTY
from kifu_core.shogi.pieces import KINDS
from kifu_core.shogi.position import Position


def diagram(formation: Formation) -> Position:
    """Return a position with the pieces of a formation's first pattern, owned by Black.

    Of several allowed pieces, the first one stands on the square; a square that may be empty is empty.
    """
    step = parse(formation.patterns[0]).steps[0]
    position = Position.from_sfen("9/9/9/9/9/9/9/9/9 b -")
    for square, allowed in step.squares.items():
        position.board[square] = _first(allowed)
    for count in step.hands:
        position.hands[count.piece < 0][abs(count.piece)] = count.least
    return position


def _first(allowed: int) -> int:
    if allowed & EMPTY:
        return 0
    pieces = [kind.value for kind in KINDS] + [-kind.value for kind in KINDS]
    return next(piece for piece in pieces if allowed >> piece % CONTENTS & 1)
