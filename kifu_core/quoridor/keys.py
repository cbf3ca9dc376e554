"""Codes, classes and keys of positions. Last move and turn number are not part of a position.

Every position has two codes, both qf_codes of a state with turn number 0 and a pawn as the last move: the
*display key* keeps the owner of each wall; the *rule key* gives the walls to owners in a fixed order, as the
rules only depend on the places of walls and the number that each side has left. Equal rule keys are equal
positions.

The members of a class are a position, its mirror image, and both with the colours swapped, as in shogi
(`kifu_core.classes`). The representative has White to move; of two such, the one with the smaller rule key,
compared as ASCII.
"""

from collections.abc import Sequence
from typing import Final

from kifu_core.classes import KEY_VERSION, Canonical, Match, class_keys
from kifu_core.errors import DecodeError
from kifu_core.quoridor import qf_code
from kifu_core.quoridor.board import ORIENTED, PAWN, SQUARES, VERTICAL, WALL, WALLS_EACH
from kifu_core.quoridor.position import QuoridorPosition, places

KIND: Final = "quoridor"

_PAWNS: Final = tuple(tuple(turned[PAWN + square] - PAWN for square in SQUARES) for turned in ORIENTED)
_PLACES: Final = tuple(tuple(turned[WALL + place] - WALL for place in range(VERTICAL)) for turned in ORIENTED)
"""By orientation, the images of squares and wall places."""


def display_key(position: QuoridorPosition) -> str:
    """Return the code of a position that keeps the owner of each wall.

    Raises DecodeError `pawn-range`, `pawn-overlap`, `wall-count`. Conflicts between walls are not checked.
    """
    _check(position)
    return _code(position.pawns, _lists(position), position.turn)


def rule_key(position: QuoridorPosition) -> str:
    """Return the code of a position under the rules. Its owners of walls are arbitrary: never show them.

    >>> rule_key(qf_code.decode("j7oklAHMe1ICg").start().position)
    'j7oklAHMewAA'
    """
    _check(position)
    return _oriented(position, _all_walls(position), 0)


def _check(position: QuoridorPosition) -> None:
    qf_code.check_pawns(position.pawns)
    for color in (0, 1):
        if position.walls_left(color) < 0:
            raise DecodeError("wall-count", params={"count": WALLS_EACH - position.walls_left(color)})


def _lists(position: QuoridorPosition) -> list[list[int]]:
    horizontal, vertical = position.horizontal, position.vertical
    return [places(walls[color]) for color in (0, 1) for walls in (horizontal, vertical)]


def _all_walls(position: QuoridorPosition) -> tuple[list[int], list[int]]:
    horizontal, vertical = position.horizontal, position.vertical
    return places(horizontal[0] | horizontal[1]), places(vertical[0] | vertical[1])


def _code(pawns: Sequence[int], lists: Sequence[Sequence[int]], turn: int) -> str:
    return qf_code.characters("10" + qf_code.state_digits(pawns, lists, turn, None, 0))


def _oriented(position: QuoridorPosition, walls: tuple[list[int], list[int]], orientation: int) -> str:
    """Return the rule key in an orientation; `walls` are all horizontal and all vertical ones."""
    across, upright = walls
    pawns, turn, swapped = position.pawns, position.turn, orientation >> 1
    placed = WALLS_EACH - position.walls_left(swapped)
    if orientation:
        squares, turned = _PAWNS[orientation], _PLACES[orientation]
        across, upright = (
            sorted([turned[place] for place in across]),
            sorted([turned[place] for place in upright]),
        )
        pawns = [squares[pawns[swapped]], squares[pawns[swapped ^ 1]]]
        turn ^= swapped
    rest = max(0, placed - len(across))
    lists = (across[:placed], upright[:rest], across[placed:], upright[rest:])
    return _code(pawns, lists, turn)


def canonical(position: QuoridorPosition) -> Canonical:
    """Return the class of a position: the rule key of its representative, and the position's orientation.

    Raises DecodeError as `display_key` does.
    """
    _check(position)
    walls, upright = _all_walls(position), position.turn << 1
    straight, mirrored = (_oriented(position, walls, upright | mirror) for mirror in (0, 1))
    if straight <= mirrored:
        return Canonical(straight, upright, straight == mirrored)
    return Canonical(mirrored, upright | 1, False)


NOT_A_POSITION: Final = "not-a-position"


def decode(code: str) -> QuoridorPosition:
    """Return the position of a code, with the owners of walls that the code has.

    Last move and turn number are dropped. Raises DecodeError as `qf_code.decode` does for a code that is not
    strictly valid, here also for white space and `=`; `not-a-position` for one with a record.
    """
    decoded = qf_code.decode(code, pasted=False)
    if decoded.state is None or decoded.moves is not None:
        raise DecodeError(NOT_A_POSITION)
    return decoded.state.position


encode = display_key


def same_class_keys(
    position: QuoridorPosition | str,
    match: Match = "exact",
    kind: str = KIND,
    space: int = 0,
    version: int = KEY_VERSION,
) -> tuple[int, ...]:
    """Return the keys of the positions that match a position or its code, the exact one first.

    As `keys.canonical.same_class_keys`; raises DecodeError for a code that is not strictly valid.
    """
    if isinstance(position, str):
        position = decode(position)
    return class_keys(canonical(position), match, kind, space, version)


_TO_PATH: Final = str.maketrans("+/", "-_")
# A blank is what a `+` in the query of an address becomes.
_OF_PATH: Final = str.maketrans("-_ ", "+/+")


def path_code(code: str) -> str:
    """Return a code for URLs, with `-` and `_` for `+` and `/`.

    >>> path_code("gk+/")
    'gk-_'
    """
    return code.translate(_TO_PATH)


def code_of_path(path: str) -> str:
    """Return the code of a URL, which may also have the code unchanged.

    >>> code_of_path("gk-_"), code_of_path("gk+/")
    ('gk+/', 'gk+/')
    """
    return path.translate(_OF_PATH)
