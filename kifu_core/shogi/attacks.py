"""Tables of attacks, computed once at import from one row of directions per kind.

All tables are indexed by the signed piece (see `pieces`), then by square. Directions are Black's; White's are
the same turned by 180 degrees. So the squares from which a piece reaches a square are the squares that the
other colour's piece reaches from there. Pieces with the same directions share a table.
"""

from functools import cache
from typing import Final

from kifu_core.shogi.moves import pack
from kifu_core.shogi.pieces import CAN_PROMOTE, FU, GI, HI, KA, KE, KI, KY, NG, NK, NY, OU, RY, TO, UM

Direction = tuple[int, int]
"""Columns to the right and ranks down, seen from Black."""

_STRAIGHT: Final[tuple[Direction, ...]] = ((0, -1), (-1, 0), (1, 0), (0, 1))
_DIAGONAL: Final[tuple[Direction, ...]] = ((-1, -1), (1, -1), (-1, 1), (1, 1))
_GOLD: Final[tuple[Direction, ...]] = ((0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1))

DIRECTIONS: Final[tuple[Direction, ...]] = _STRAIGHT + _DIAGONAL

_STEP_DIRECTIONS: Final[dict[int, tuple[Direction, ...]]] = {
    FU: ((0, -1),),
    KE: ((-1, -2), (1, -2)),
    GI: ((0, -1), *_DIAGONAL),
    OU: DIRECTIONS,
    UM: _STRAIGHT,
    RY: _DIAGONAL,
    **dict.fromkeys((KI, TO, NY, NK, NG), _GOLD),
}
_RAY_DIRECTIONS: Final[dict[int, tuple[Direction, ...]]] = {
    KY: ((0, -1),),
    KA: _DIAGONAL,
    UM: _DIAGONAL,
    HI: _STRAIGHT,
    RY: _STRAIGHT,
}

Ray = tuple[int, ...]
"""Squares in a row, the nearest first."""


def _turned(direction: Direction) -> Direction:
    return -direction[0], -direction[1]


@cache
def _line(square: int, direction: Direction) -> Ray:
    column, rank = square % 9 + direction[0], square // 9 + direction[1]
    squares = []
    while 0 <= column < 9 and 0 <= rank < 9:
        squares.append(rank * 9 + column)
        column, rank = column + direction[0], rank + direction[1]
    return tuple(squares)


def _directions(table: dict[int, tuple[Direction, ...]], piece: int) -> tuple[Direction, ...]:
    directions = table.get(abs(piece), ())
    return directions if piece >= 0 else tuple(map(_turned, directions))


_PIECES: Final = (*range(15), *range(-14, 0))
"""The signed pieces in the order of their tables."""


@cache
def _steps(ways: tuple[Direction, ...]) -> tuple[Ray, ...]:
    """Return, by square, the next squares in these directions."""
    return tuple(tuple(line[0] for way in ways if (line := _line(square, way))) for square in range(81))


@cache
def _rays(ways: tuple[Direction, ...]) -> tuple[tuple[Ray, ...], ...]:
    """Return, by square, the rays in these directions that are not empty."""
    return tuple(tuple(line for way in ways if (line := _line(square, way))) for square in range(81))


STEPS: Final = tuple(_steps(_directions(_STEP_DIRECTIONS, piece)) for piece in _PIECES)
"""`STEPS[piece][square]`: the squares that the piece reaches in one step."""

RAYS: Final = tuple(_rays(_directions(_RAY_DIRECTIONS, piece)) for piece in _PIECES)
"""`RAYS[piece][square]`: the squares along which the piece slides until another piece blocks it."""

KING_LINES: Final = tuple(tuple(_line(square, way) for way in DIRECTIONS) for square in range(81))
"""`KING_LINES[square][direction]`: the squares from a square in each of the eight directions."""


def _comers(table: dict[int, tuple[Direction, ...]], way: Direction) -> frozenset[int]:
    """Return the signed pieces that can move against a direction."""
    return frozenset(piece for piece in _PIECES if piece and _turned(way) in _directions(table, piece))


SLIDERS: Final = tuple(_comers(_RAY_DIRECTIONS, way) for way in DIRECTIONS)
"""`SLIDERS[direction]`: the pieces of both colours that slide along that line towards its origin."""

TOUCHERS: Final = tuple(_comers(_STEP_DIRECTIONS, way) | _comers(_RAY_DIRECTIONS, way) for way in DIRECTIONS)
"""`TOUCHERS[direction]`: the pieces that reach the origin of that line from its first square."""


@cache
def _between(one_step: tuple[Direction, ...], sliding: tuple[Direction, ...]) -> tuple[Ray | None, ...]:
    """Return, by source * 81 + target, the squares that must be empty; None where the piece never goes."""
    steps, rays = _steps(one_step), _rays(sliding)
    table: list[Ray | None] = [None] * 6561
    for square in range(81):
        for to in steps[square]:
            table[square * 81 + to] = ()
        for line in rays[square]:
            for distance, to in enumerate(line):
                table[square * 81 + to] = line[:distance]
    return tuple(table)


BETWEEN: Final = tuple(
    _between(_directions(_STEP_DIRECTIONS, piece), _directions(_RAY_DIRECTIONS, piece)) for piece in _PIECES
)
"""`BETWEEN[piece][source * 81 + to]`: the squares that must be empty, None where the piece never goes."""


def in_zone(piece: int, square: int) -> bool:
    """Return whether a square lies in the promotion zone of the piece's colour."""
    return square < 27 if piece > 0 else square >= 54


_DEAD_RANKS: Final = {FU: 1, KY: 1, KE: 2}


def is_dead(piece: int, square: int) -> bool:
    """Return whether an unpromoted piece could never move again from a square."""
    ranks = _DEAD_RANKS.get(abs(piece), 0)
    return square < 9 * ranks if piece > 0 else square >= 81 - 9 * ranks


_ZONE: Final = tuple(
    frozenset(square for square in range(81) if in_zone(colour, square)) for colour in (-1, 1)
)
_DEAD: Final = tuple(frozenset(square for square in range(81) if is_dead(piece, square)) for piece in _PIECES)

MoveChoice = tuple[int, tuple[int, ...]]
"""A target square and the packed moves to it: with promotion, without, or both."""


def _choices(piece: int, square: int, line: Ray) -> tuple[MoveChoice, ...]:
    first = pack(square, 0)
    if not CAN_PROMOTE[piece]:
        return tuple([(to, (first + 2 * to,)) for to in line])
    dead, zone = _DEAD[piece], _ZONE[piece > 0]
    leaves = square in zone
    return tuple(
        [
            (to, (first + 2 * to + 1,))
            if to in dead
            else (to, (first + 2 * to + 1, first + 2 * to))
            if leaves or to in zone
            else (to, (first + 2 * to,))
            for to in line
        ]
    )


STEP_MOVES: Final = tuple(
    tuple(_choices(piece, square, STEPS[piece][square]) for square in range(81)) for piece in _PIECES
)
"""`STEPS` with the packed moves, promotion included."""

RAY_MOVES: Final = tuple(
    tuple(tuple(_choices(piece, square, line) for line in RAYS[piece][square]) for square in range(81))
    for piece in _PIECES
)
"""`RAYS` with the packed moves, promotion included."""
