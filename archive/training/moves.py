"""Moves by the class of their position: the same move on the mirrored board, or of the other side, is one
move."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kifu_core import classes
from kifu_core.deadline import watched
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.keys.canonical import canonical_of
from kifu_core.shogi.keys.shogi64 import Encoder
from kifu_core.shogi.moves import orient
from kifu_core.shogi.replay import can_play, packed_move, start
from kifu_core.shogi.rules import is_legal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.shogi.position import Position


class Spot(NamedTuple):
    """The class of a position by its key, and the orientation of the position in it."""

    key: int
    orientation: int
    symmetric: bool

    def of_class(self, move: int) -> int:
        """Return a move of the position as on the board of the class. On a symmetric board, return the
        smaller of the two mirrored moves."""
        turned = orient(move, self.orientation)
        return min(turned, orient(turned, 1)) if self.symmetric else turned

    def of_position(self, move: int) -> int:
        """Return a move of the class as on the position's board."""
        return orient(move, self.orientation)


def spot_of(position: Position) -> Spot:
    """Return the class of a position. Raises KifuError `unencodable`."""
    return _spot(Encoder(position))


def _spot(encoder: Encoder) -> Spot:
    code, orientation, symmetric = canonical_of(encoder)
    return Spot(classes.key(code, 0, SHOGI.name), orientation, symmetric)


class Played(NamedTuple):
    """A move of a line: the position before it by code, class and the side to move, the move as on the board
    of the class, and the class after it."""

    code: str
    key: int
    color: int
    move: int
    after: int


def moves_of(record: Record, plies: int, *, forks: bool = True) -> Iterator[Played]:
    """Yield the moves of the first plies of a record, with those of its variations. A line ends before a move
    against the rules. About 0.2 ms a move."""
    branches: list[tuple[Sequence[MoveEntry], Position, int]] = [(record["moves"][1:], start(record), 0)]
    while branches:
        entries, position, ply = branches.pop()
        line = _Line(position)
        for entry in watched(entries):
            if ply >= plies:
                break
            if forks:
                branches += [(fork, position.copy(), ply) for fork in entry.get("forks", ())]
            if "move" not in entry:
                continue
            played = line.play(packed_move(entry["move"]))
            if played is None:
                break
            yield played
            ply += 1


def moves_from(position: Position, moves: Iterable[int]) -> Iterator[Played]:
    """Yield moves that are played from a position, up to the first one against the rules."""
    line = _Line(position.copy())
    for move in moves:
        played = line.play(move)
        if played is None:
            return
        yield played


class _Line:
    """A position that moves are played on."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.encoder = Encoder(position)
        self.spot: Spot | None = None

    def play(self, move: int) -> Played | None:
        """Play a move; return None for one against the rules, and if a position has no code."""
        position = self.position
        if move == NO_MOVE or not (can_play(position, move) and is_legal(position, move)):
            return None
        try:
            before = self.spot or _spot(self.encoder)
            code, color = self.encoder.code(), position.turn
            self.encoder.follow(move, position.do_move(move))
            self.spot = _spot(self.encoder)
        except KifuError:  # hands that no code can hold
            return None
        return Played(code, before.key, color, before.of_class(move), self.spot.key)
