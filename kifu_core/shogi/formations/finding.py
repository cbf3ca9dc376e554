"""Formations in a line of a game: which a side has, and from which ply on.

A pattern can only begin to stand where one of its squares, or a hand, has changed. So patterns are kept by
what a move can do for them: by the square and the piece that is now there, by a square that was left, and by
hands that took something. A game of 110 plies costs some hundred short looks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from kifu_core.shogi.formations.formation import Formation
from kifu_core.shogi.formations.register import FORMATIONS
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.matching import Seen, looks
from kifu_core.shogi.patterns.pattern import CONTENTS
from kifu_core.shogi.position import Position


@dataclass(frozen=True, slots=True)
class Arisen:
    """A formation that a side (0 Black, 1 White) has, and the first ply at which it stands on the board."""

    name: str
    color: int
    ply: int


class _Watched:
    """A pattern of a formation as one colour has it on the board; `key` is what it stands for."""

    __slots__ = ("kept", "key", "more", "seen", "squares", "until")

    def __init__(self, formation: Formation, seen: Seen) -> None:
        self.key = formation.name, seen.own
        self.until = formation.until
        self.seen = seen
        self.squares = seen.squares
        self.kept = seen.step.kept
        self.more = bool(seen.step.hands)


class _Watch:
    """The patterns by what a move can do for them; a key of `squares` is a square and its content."""

    def __init__(self) -> None:
        self.squares: defaultdict[tuple[int, int], list[_Watched]] = defaultdict(list)
        self.hands: list[_Watched] = []
        self.all: list[_Watched] = []

    def add(self, watched: _Watched) -> None:
        """Keep a pattern under everything that can make it stand."""
        self.all.append(watched)
        if watched.seen.step.hands:
            self.hands.append(watched)
        for square, allowed in watched.seen.squares:
            for piece in range(-CONTENTS // 2 + 1, CONTENTS // 2 + 1):
                if allowed >> piece % CONTENTS & 1:
                    self.squares[square, piece].append(watched)


@cache
def _watch() -> _Watch:
    """Return the patterns of all formations. Raises ValueError for one that is looked for in another way."""
    found = _Watch()
    for formation in FORMATIONS:
        for text in formation.patterns:
            for look in looks(parse(text)):
                step = look.steps[0].step
                plies = step.first is not None or step.last is not None
                if len(look.steps) != 1 or step.own_turn is not None or step.board or plies:
                    raise ValueError(f"{formation.name}: squares, hands and kept can be asked for")
                found.add(_Watched(formation, look.steps[0]))
    return found


_LAST: Final = max(one.until for one in FORMATIONS)


def arisen(start: Position, moves: Iterable[int]) -> list[Arisen]:
    """Return the formations of a line of packed moves from a start, each of a side once, in order of plies.

    Parents are not added (`with_parents` does). The moves must be playable. Time: linear in the moves, of
    which those long after the last ply at which anything begins are not read.
    """
    watch, game = _watch(), _Game(start.copy())
    game.look(watch.all)
    for ply, move in enumerate(moves, 1):
        if ply > _LAST and not game.waiting:
            break
        game.ply = ply
        taken = game.position.do_move(move)
        to, origin = move >> 1 & 127, move >> 8
        game.wait()
        game.look(watch.squares.get((to, game.position.board[to]), ()))
        if origin < DROP:
            game.look(watch.squares.get((origin, 0), ()))
        if taken or origin > DROP:
            game.look(watch.hands)
    return sorted(game.found.values(), key=lambda one: one.ply)


class _Game:
    """A game that is gone through: what was found, and since when what has to stay has stood."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.ply = 0
        self.found: dict[tuple[str, int], Arisen] = {}
        self.waiting: dict[_Watched, int] = {}

    def look(self, watched: Iterable[_Watched]) -> None:
        """Look whether patterns stand now."""
        found, ply, board = self.found, self.ply, self.position.board
        for one in watched:
            if ply > one.until or one.key in found:
                continue
            # As `Seen.stands` does it, without a call: nearly all end at the first square.
            for square, allowed in one.squares:
                if not allowed >> board[square] % CONTENTS & 1:
                    break
            else:
                if one.more and not one.seen.stands(self.position):
                    continue
                if one.kept:
                    self.waiting.setdefault(one, ply)
                else:
                    found[one.key] = Arisen(*one.key, ply)

    def wait(self) -> None:
        """Look whether what has to stay is still there."""
        for one, since in [*self.waiting.items()]:
            if not one.seen.stands(self.position):
                del self.waiting[one]
            elif self.ply - since >= one.kept:
                del self.waiting[one]
                self.found.setdefault(one.key, Arisen(*one.key, since))
