"""A position of Quoridor: two pawns, the walls of both colours, the side to move.

Inside, squares and walls are bits of integers with ten columns a row: the tenth stands between the end of a
row and the begin of the next, so that shifts never wrap. A wall has the bit of the square in its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kifu_core.quoridor.board import GOALS, PAWN, PLACES, STARTS, VERTICAL, WALL, WALLS_EACH, orient

WALL_BITS: Final = tuple(1 << (10 * (place // 8) + place % 8) for place in PLACES)
"""The bit of a wall place."""

_ROW_PLACES: Final = tuple(tuple(place for place in range(8) if bits >> place & 1) for bits in range(256))


def places(walls: int) -> list[int]:
    """Return the wall places of a set of bits, ascending."""
    return [8 * row + place for row in range(8) for place in _ROW_PLACES[walls >> 10 * row & 255]]


class QuoridorPosition:
    """The squares of the pawns, the walls of both colours, and the side to move; it need not be legal.

    `pawns` are the squares of White's and Black's pawns; `horizontal` and `vertical` the walls of either
    colour as bits (see `places`); `turn` is the colour to move. Two positions are equal if all of this is.
    """

    __slots__ = ("horizontal", "pawns", "turn", "vertical")

    def __init__(self, pawns: list[int], horizontal: list[int], vertical: list[int], turn: int) -> None:
        self.pawns = pawns
        self.horizontal = horizontal
        self.vertical = vertical
        self.turn = turn

    @classmethod
    def initial(cls) -> QuoridorPosition:
        """Return the start of a game: White to move, no walls."""
        return cls(list(STARTS), [0, 0], [0, 0], 0)

    @classmethod
    def of(cls, pawns: Iterable[int], walls: Iterable[Iterable[int]], turn: int) -> QuoridorPosition:
        """Return the position of pawns and, of either colour, walls as the moves that place them."""
        position = cls(list(pawns), [0, 0], [0, 0], turn)
        for color, moves in enumerate(walls):
            for move in moves:
                position.side(move)[color] |= WALL_BITS[move & 63]
        return position

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuoridorPosition) and self._fields() == other._fields()

    def __repr__(self) -> str:
        return f"Position{self._fields()!r}"

    def _fields(self) -> tuple[list[int], list[int], list[int], int]:
        return self.pawns, self.horizontal, self.vertical, self.turn

    def copy(self) -> QuoridorPosition:
        """Return an independent copy."""
        return QuoridorPosition(self.pawns[:], self.horizontal[:], self.vertical[:], self.turn)

    def mirrored(self) -> QuoridorPosition:
        """Return the position with left and right exchanged."""
        return QuoridorPosition.of(*self._transformed(1), self.turn)

    def turned(self) -> QuoridorPosition:
        """Return the position with the colours exchanged and the board turned by 180 degrees."""
        pawns, walls = self._transformed(2)
        return QuoridorPosition.of(pawns[::-1], walls[::-1], self.turn ^ 1)

    def _transformed(self, orientation: int) -> tuple[list[int], list[list[int]]]:
        pawns = [orient(PAWN + square, orientation) - PAWN for square in self.pawns]
        return pawns, [[orient(wall, orientation) for wall in self.walls(color)] for color in (0, 1)]

    def side(self, move: int) -> list[int]:
        """Return the walls of both colours with the orientation of a wall move."""
        return self.vertical if move & VERTICAL else self.horizontal

    def walls(self, color: int) -> list[int]:
        """Return a colour's walls as the moves that place them: horizontal first, each kind ascending."""
        across = [WALL + place for place in places(self.horizontal[color])]
        return across + [WALL + VERTICAL + place for place in places(self.vertical[color])]

    def walls_left(self, color: int) -> int:
        """Return the number of walls that a colour has in hand; negative if too many are placed."""
        return WALLS_EACH - self.horizontal[color].bit_count() - self.vertical[color].bit_count()

    def winner(self) -> int | None:
        """Return the colour whose pawn has reached its goal; if both have, the one that moved last."""
        first, second = self.pawns
        white, black = GOALS[0][first], GOALS[1][second]
        if white and black:
            return self.turn ^ 1
        return 0 if white else 1 if black else None

    def do_move(self, move: int) -> int:
        """Play a move and return the value that `undo_move` needs. Legality is not checked."""
        color = self.turn
        self.turn = color ^ 1
        if move & PAWN:
            before = self.pawns[color]
            self.pawns[color] = move - PAWN
            return before
        self.side(move)[color] |= WALL_BITS[move & 63]
        return 0

    def undo_move(self, move: int, before: int) -> None:
        """Take back the last move; `before` is the value of `do_move`."""
        color = self.turn = self.turn ^ 1
        if move & PAWN:
            self.pawns[color] = before
        else:
            self.side(move)[color] &= ~WALL_BITS[move & 63]
