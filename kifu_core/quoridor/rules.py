"""The rules: steps and jumps of pawns, free places of walls, paths to the goals, the win.

Paths are found by flooding the board, all squares of a step at a time, as bits of one integer. Of the free
walls, only those are tried that can cut a path: they touch the border or other walls at two of their three
points, and cross the shortest path that exists without them.
"""

from typing import Final, NamedTuple

from kifu_core.quoridor.board import PAWN, SQUARES, VERTICAL, WALL
from kifu_core.quoridor.position import WALL_BITS, QuoridorPosition

_ROW: Final = 0b1_1111_1111
_COLUMN: Final = sum(1 << 10 * row for row in range(9))
_NORTHWARD: Final = sum(_ROW << 10 * row for row in range(8))
"""The squares that have one above them."""
_EASTWARD: Final = sum(_COLUMN << column for column in range(8))
"""The squares that have one at their right."""
_INNER: Final = sum(255 << 10 * row for row in range(8))
"""The wall places."""
_LEFT: Final = _COLUMN
_RIGHT: Final = _COLUMN << 7
_BOTTOM: Final = _ROW
_TOP: Final = _ROW << 70
_GOALS: Final = (_ROW << 80, _ROW)

_CELLS: Final = tuple(10 * (square // 9) + square % 9 for square in SQUARES)
"""The bit of each square."""
_SQUARE_OF: Final = {cell: square for square, cell in enumerate(_CELLS)}
_DELTAS: Final = (10, 1, -10, -1)


def _step_walls() -> dict[tuple[int, int], tuple[bool, int]]:
    """Map each step between squares to the orientation and the bits of the walls that stop it."""
    walls: dict[tuple[int, int], tuple[bool, int]] = {}
    for low, cell in enumerate(_CELLS):
        for vertical, delta, back in ((False, 10, 1), (True, 1, 10)):
            high = _SQUARE_OF.get(cell + delta)
            if high is not None:
                stopping = (1 << cell | 1 << cell >> back) & _INNER
                walls[low, high] = walls[high, low] = vertical, stopping
    return walls


_STEP_WALLS: Final = _step_walls()


class Passages(NamedTuple):
    """The squares from which a pawn can step up (`north`) and right (`east`), as bits."""

    north: int
    east: int


def passages(horizontal: int, vertical: int) -> Passages:
    """Return the passages that walls leave open."""
    return Passages(_NORTHWARD & ~(horizontal | horizontal << 1), _EASTWARD & ~(vertical | vertical << 10))


def passages_of(position: QuoridorPosition) -> Passages:
    """Return the passages of a position; the owners of walls make no difference."""
    horizontal, vertical = position.horizontal, position.vertical
    return passages(horizontal[0] | horizontal[1], vertical[0] | vertical[1])


def pawn_moves(position: QuoridorPosition) -> list[int]:
    """Return the legal moves of the pawn to move: steps, straight jumps, diagonal jumps.

    A pawn jumps straight over the other one; only if a wall or the edge is behind that one, to its sides.
    """
    return _pawn_moves(position, passages_of(position))


def _pawn_moves(position: QuoridorPosition, open_: Passages) -> list[int]:
    north, east = open_
    exits = (north, east, north << 10, east << 1)
    at, other = _CELLS[position.pawns[position.turn]], _CELLS[position.pawns[position.turn ^ 1]]
    cells: list[int] = []
    for direction, delta in enumerate(_DELTAS):
        if not exits[direction] >> at & 1:
            continue
        if at + delta != other:
            cells.append(at + delta)
        elif exits[direction] >> other & 1:
            cells.append(other + delta)
        else:
            sideways = ((direction + 1) & 3, (direction + 3) & 3)
            cells += [other + _DELTAS[side] for side in sideways if exits[side] >> other & 1]
    return [PAWN + _SQUARE_OF[cell] for cell in cells]


def has_paths(position: QuoridorPosition) -> bool:
    """Return whether both pawns can still reach their goals."""
    open_ = passages_of(position)
    return all(_reaches(1 << _CELLS[position.pawns[color]], _GOALS[color], *open_) for color in (0, 1))


def _reaches(begin: int, goal: int, north: int, east: int) -> bool:
    reached = edge = begin
    while edge:
        if edge & goal:
            return True
        edge = ((edge & north) << 10 | (edge & east) << 1 | edge >> 10 & north | edge >> 1 & east) & ~reached
        reached |= edge
    return False


def distance(position: QuoridorPosition, color: int) -> int | None:
    """Return the length of a colour's shortest path to its goal, in steps; None without a path.

    Pawns are no obstacles.
    """
    layers = _layers(position, color, passages_of(position))
    return len(layers) - 1 if layers else None


def _layers(position: QuoridorPosition, color: int, open_: Passages) -> list[int]:
    """Return the squares at distance 0, 1, 2 ... of a pawn up to its goal, as bits; empty without path."""
    north, east = open_
    goal = _GOALS[color]
    reached = edge = 1 << _CELLS[position.pawns[color]]
    layers = [edge]
    while edge:
        if edge & goal:
            return layers
        edge = ((edge & north) << 10 | (edge & east) << 1 | edge >> 10 & north | edge >> 1 & east) & ~reached
        reached |= edge
        layers.append(edge)
    return []


def _crossing(position: QuoridorPosition, color: int, open_: Passages) -> tuple[int, int] | None:
    """Return the horizontal and vertical walls that cross one shortest path; None without a path."""
    north, east = open_
    layers = _layers(position, color, open_)
    if not layers:
        return None
    at = layers[-1] & _GOALS[color]
    at &= -at
    upward = rightward = 0
    for layer in reversed(layers[:-1]):
        if below := at >> 10 & north & layer:
            upward, at = upward | below, below
        elif above := (at & north) << 10 & layer:
            upward, at = upward | at, above
        elif left := at >> 1 & east & layer:
            rightward, at = rightward | left, left
        else:
            rightward, at = rightward | at, at << 1
    return upward | upward >> 1, rightward | rightward >> 10


def _wall_moves() -> tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]:
    """Return the wall moves of a row by its bits, for both orientations."""
    return tuple(
        tuple(
            tuple(tuple(base + 8 * row + x for x in range(8) if bits >> x & 1) for bits in range(256))
            for row in range(8)
        )
        for base in (WALL, WALL + VERTICAL)
    )


_WALL_MOVES: Final = _wall_moves()


def _walls(position: QuoridorPosition, open_: Passages) -> list[int]:
    """Return the legal walls of the side to move: horizontal ones first, each kind ascending by place."""
    if position.walls_left(position.turn) <= 0:
        return []
    horizontal = position.horizontal[0] | position.horizontal[1]
    vertical = position.vertical[0] | position.vertical[1]
    across, upright = _free(horizontal, vertical)
    suspects = _touching(horizontal, vertical)
    for color in (0, 1):
        crossing = _crossing(position, color, open_)
        if crossing is None:
            return []
        begin, goal = 1 << _CELLS[position.pawns[color]], _GOALS[color]
        doubtful = across & suspects[0] & crossing[0]
        while doubtful:
            wall = doubtful & -doubtful
            doubtful ^= wall
            if not _reaches(begin, goal, open_.north & ~(wall | wall << 1), open_.east):
                across ^= wall
        doubtful = upright & suspects[1] & crossing[1]
        while doubtful:
            wall = doubtful & -doubtful
            doubtful ^= wall
            if not _reaches(begin, goal, open_.north, open_.east & ~(wall | wall << 10)):
                upright ^= wall
    moves: list[int] = []
    for row in range(8):
        moves += _WALL_MOVES[0][row][across >> 10 * row & 255]
    for row in range(8):
        moves += _WALL_MOVES[1][row][upright >> 10 * row & 255]
    return moves


def _free(horizontal: int, vertical: int) -> tuple[int, int]:
    """Return the places where horizontal and vertical walls neither cross nor overlap others."""
    free = _INNER & ~(horizontal | vertical)
    return (free & ~(horizontal << 1 | horizontal >> 1), free & ~(vertical << 10 | vertical >> 10))


def _touching(horizontal: int, vertical: int) -> tuple[int, int]:
    """Return the places where horizontal and vertical walls touch others or the border at two points."""
    touched = horizontal << 1 | horizontal >> 1 | vertical << 10 | vertical >> 10 | horizontal | vertical
    left, right = touched << 1 | _LEFT, touched >> 1 | _RIGHT
    below, above = touched << 10 | _BOTTOM, touched >> 10 | _TOP
    return (
        left & touched | right & touched | left & right,
        below & touched | above & touched | below & above,
    )


def legal_moves(position: QuoridorPosition) -> list[int]:
    """Return all legal moves: those of the pawn, then horizontal and vertical walls; none after a win."""
    if position.winner() is not None:
        return []
    open_ = passages_of(position)
    return _pawn_moves(position, open_) + _walls(position, open_)


def fault(position: QuoridorPosition, move: int) -> str | None:
    """Return the code of a move's fault, None for a legal move; the qf_code specification names the codes.

    `illegal-move`: not a pawn's move; `wall-conflict`: it crosses or overlaps a wall; `wall-count`: no walls
    left; `no-path`: it closes a pawn's last path; `after-win`: the game is over. Impossible moves are
    reported before `after-win` and `no-path`, which records of other programs may contain.
    """
    if move & PAWN:
        if not _can_go(position, move - PAWN):
            return "illegal-move"
    elif not wall_fits(position, move):
        return "wall-conflict"
    elif position.walls_left(position.turn) <= 0:
        return "wall-count"
    if position.winner() is not None:
        return "after-win"
    if not move & PAWN and cuts_path(position, move):
        return "no-path"
    return None


def _can_go(position: QuoridorPosition, square: int) -> bool:
    """Return whether the pawn to move may go to a square; steps are looked up in a table."""
    color = position.turn
    step = _STEP_WALLS.get((position.pawns[color], square))
    if step is None:
        return PAWN + square in pawn_moves(position)
    vertical, stopping = step
    walls = position.vertical if vertical else position.horizontal
    return not (walls[0] | walls[1]) & stopping and square != position.pawns[color ^ 1]


def wall_fits(position: QuoridorPosition, move: int) -> bool:
    """Return whether a wall neither crosses nor overlaps another; touching is allowed."""
    horizontal, vertical = position.horizontal, position.vertical
    free = _free(horizontal[0] | horizontal[1], vertical[0] | vertical[1])
    return bool(free[bool(move & VERTICAL)] & WALL_BITS[move & 63])


def cuts_path(position: QuoridorPosition, move: int) -> bool:
    """Return whether a wall in a free place leaves a pawn without a path to its goal."""
    horizontal = position.horizontal[0] | position.horizontal[1]
    vertical = position.vertical[0] | position.vertical[1]
    wall = WALL_BITS[move & 63]
    lying = bool(move & VERTICAL)
    if not _touching(horizontal, vertical)[lying] & wall:
        return not has_paths(position)
    open_ = passages(horizontal | (0 if lying else wall), vertical | (wall if lying else 0))
    return not all(_reaches(1 << _CELLS[position.pawns[color]], _GOALS[color], *open_) for color in (0, 1))
