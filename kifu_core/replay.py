"""Positions along a record: where it starts, its main line, and every position it visits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from kifu_core.deadline import watched
from kifu_core.errors import KifuError
from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.keys.canonical import canonical_of
from kifu_core.keys.shogi64 import Encoder
from kifu_core.moves import DROP, NO_MOVE, orient
from kifu_core.pieces import BY_CODE
from kifu_core.position import Position
from kifu_core.start import start_position


class Visit(NamedTuple):
    """A node of a record: a position, and the move that the record plays there.

    `ply` counts from 0, `fork` tells a variation from the main line. `code`, `orientation` and `symmetric`
    are the position's class (see `keys.canonical`); `move` is packed and turned as the class's code lies,
    `NO_MOVE` where the line ends.
    """

    ply: int
    fork: bool
    code: str
    orientation: int
    symmetric: bool
    move: int


class Playable(Protocol):
    """A position that moves are played in."""

    def do_move(self, move: int) -> int: ...


P = TypeVar("P")
Q = TypeVar("Q", bound=Playable)


class Branch(NamedTuple, Generic[P]):
    """A line of a record: its entries, where it begins, and whether it is a variation."""

    entries: list[Any]
    position: P
    ply: int
    fork: bool


Walk = Callable[[Branch[P], list[Visit], list[Branch[P]]], None]
"""Adds the nodes of one line to the visits, and the lines that branch off it to the branches."""


def start(record: Record) -> Position:
    """A new position where the record starts; raises ParseError if the record does not say."""
    return start_position(record.get("initial"))


def packed_move(move: Move) -> int:
    """The move of a normalized record as an integer (see `moves`)."""
    # As `pack` and `square` have it: this is done several times for every move that comes in.
    to, source = move["to"], move.get("from")
    origin = source["y"] * 9 - source["x"] if source else DROP + BY_CODE[move["piece"]]
    return origin << 8 | (to["y"] * 9 - to["x"]) << 1 | (move.get("promote") is True)


def main_line(record: Record) -> Iterator[tuple[int, Position, int, MoveEntry]]:
    """Every position of the main line: ply, position, the move played next or `NO_MOVE`, the ply's entry.

    The position is one and the same object, changed between the steps: look at it, do not keep it. A move
    that the board does not allow ends the line.
    """
    return main_line_from(start(record), record["moves"], packed_move, _can_play)


def main_line_from(
    position: Q, moves: list[Any], packed_move: Callable[[Any], int], can_play: Callable[[Q, int], bool]
) -> Iterator[tuple[int, Q, int, Any]]:
    """The main line of a record of any kind of game that starts in a position."""
    entry: Any = moves[0] if moves else {}
    ply = 0
    for following in watched(moves[1:]):
        if "move" not in following:
            continue
        move = packed_move(following["move"])
        if not can_play(position, move):
            break
        yield ply, position, move, entry
        position.do_move(move)
        entry = following
        ply += 1
    yield ply, position, NO_MOVE, entry


def main_moves(record: Record) -> list[int]:
    """The packed moves of the main line."""
    return [packed_move(entry["move"]) for entry in record["moves"] if "move" in entry]


def visits(record: Record) -> list[Visit]:
    """Every node of the record: the main line from ply 0 to its end, then the forks in reading order.

    A fork begins with the position it branches from and its own first move; its own forks come before its
    siblings'. A move that the board does not allow ends its line, and so does a position without a code
    (more pieces than a set has). Linear in the number of moves, forks included; no recursion.
    """
    return visit_all(record["moves"], start(record), _walk)


def visit_all(moves: list[Any], position: P, walk: Walk[P]) -> list[Visit]:
    """The nodes of a record of any kind of game that starts in a position, in the order of `visits`."""
    found: list[Visit] = []
    branches = [Branch(moves[1:], position, 0, False)]
    while branches:
        forks: list[Branch[P]] = []
        walk(branches.pop(), found, forks)
        branches += reversed(forks)
    return found


def _walk(branch: Branch[Position], found: list[Visit], forks: list[Branch[Position]]) -> None:
    try:
        _walk_line(branch, found, forks)
    except KifuError as error:
        if error.code != "unencodable":
            raise


def _walk_line(branch: Branch[Position], found: list[Visit], forks: list[Branch[Position]]) -> None:
    entries, position, ply, fork = branch
    encoder = Encoder(position)
    for entry in entries:
        if "forks" in entry:
            forks += [Branch(line, position.copy(), ply, True) for line in entry["forks"]]
        if "move" not in entry:
            continue
        move = packed_move(entry["move"])
        if not _can_play(position, move):
            break
        code, orientation, symmetric = canonical_of(encoder)
        found.append(Visit(ply, fork, code, orientation, symmetric, orient(move, orientation)))
        encoder.follow(move, position.do_move(move))
        ply += 1
    if ply > branch.ply or not fork:
        found.append(Visit(ply, fork, *canonical_of(encoder), NO_MOVE))


def _can_play(position: Position, move: int) -> bool:
    """Whether `do_move` makes sense: an own piece to move, or one in hand, and no own piece on the target."""
    board, turn = position.board, position.turn
    origin, to = move >> 8, move >> 1 & 127
    if origin > DROP:
        kind = origin - DROP
        return kind < 8 and not board[to] and position.hands[turn][kind] > 0
    sign = -1 if turn else 1
    return board[origin] * sign > 0 and board[to] * sign <= 0
