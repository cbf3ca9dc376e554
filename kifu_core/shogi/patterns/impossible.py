"""Reasons why no game can have a pattern: its pieces, the rules, or plies that do not fit each other.

A pattern without such reasons may be impossible all the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from kifu_core.shogi.attacks import KING_LINES, is_dead
from kifu_core.shogi.patterns.pattern import ANYTHING, Pattern, PatternStep, content
from kifu_core.shogi.pieces import FU, FULL_SET, HAND_KINDS, KINDS, OU, UNPROMOTED
from kifu_core.shogi.squares import FILES

Reason = Literal[
    "kings", "kings-meet", "too-many", "two-pawns", "ten-pawns", "dead", "too-few", "turn-stays", "plies"
]

_FILES_OF_BOARD: Final = 9
_FOREVER: Final = 1_000_000
"""More plies than any game has."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """An impossible condition of a step, which counts from 0.

    `why` is one of `kings` (a side has more than one), `kings-meet` (on adjacent squares), `too-many` (of a
    kind, both sides together), `two-pawns` (of a side on a `file`), `ten-pawns` (of a side, so that two are
    on a file), `dead` (`square` allows only pieces that could never move), `too-few` (more of a piece on
    squares than the board may have), `turn-stays` (a side to move that has to stay), `plies` (too early or
    too late for the steps around it). `piece` is signed, `number` the least count, `most` the largest
    possible one.
    """

    why: Reason
    step: int
    piece: int = 0
    number: int = 0
    most: int = 0
    file: int = 0
    square: int = 0
    allowed: int = ANYTHING


def impossible(pattern: Pattern) -> Iterator[Impossible]:
    """Yield the reasons why no game can have a pattern; no reasons for most possible patterns."""
    for number, step in enumerate(pattern.steps):
        yield from _StepCheck(number, step).reasons()
    yield from _plies(pattern)


class _StepCheck:
    """A step, and the least number of its pieces on the board."""

    def __init__(self, number: int, step: PatternStep) -> None:
        self.number, self.step = number, step
        pieces = (sign * kind.value for kind in KINDS for sign in (1, -1))
        self.squares = {piece: self._squares_of(piece) for piece in pieces}
        self.board_counts = {count.piece: count for count in step.board}

    def _squares_of(self, piece: int) -> list[int]:
        """Return the squares that allow nothing but this piece."""
        return [square for square, allowed in self.step.squares.items() if allowed == 1 << content(piece)]

    def _least(self, piece: int) -> int:
        """Return the least number of a piece on the board."""
        count = self.board_counts.get(piece)
        return max(len(self.squares[piece]), count.least if count else 0)

    def reasons(self) -> Iterator[Impossible]:
        kings = [piece for piece in (OU, -OU) if self._least(piece) > 1]
        yield from (self._impossible("kings", piece, self._least(piece), 1) for piece in kings)
        yield from self._too_many(HAND_KINDS if kings else (*HAND_KINDS, OU))
        yield from self._pawns()
        yield from self._dead()
        yield from self._too_few()
        adjacent = {to for at in self.squares[OU] for line in KING_LINES[at] for to in line[:1]}
        if adjacent & {*self.squares[-OU]}:
            yield Impossible("kings-meet", self.number)
        if self.step.kept and self.step.own_turn is not None:
            yield Impossible("turn-stays", self.number)

    def _impossible(self, why: Reason, piece: int, number: int, most: int) -> Impossible:
        return Impossible(why, self.number, piece, number, most)

    def _too_many(self, kinds: tuple[int, ...]) -> Iterator[Impossible]:
        for kind in kinds:
            pieces = [piece for piece in self.squares if UNPROMOTED[abs(piece)] == kind]
            any_of = sum(1 << content(piece) for piece in pieces)
            on_squares = sum(not allowed & ~any_of for allowed in self.step.squares.values())
            number = max(on_squares, sum(map(self._least, pieces)))
            number += sum(count.least for count in self.step.hands if abs(count.piece) == kind)
            if number > FULL_SET[kind]:
                yield self._impossible("too-many", kind, number, FULL_SET[kind])

    def _pawns(self) -> Iterator[Impossible]:
        for piece in (FU, -FU):
            files = [FILES[square] for square in self.squares[piece]]
            doubled = sorted({file for file in files if files.count(file) > 1})
            yield from (Impossible("two-pawns", self.number, piece, file=file) for file in doubled)
            if not doubled and self._least(piece) > _FILES_OF_BOARD:
                yield self._impossible("ten-pawns", piece, self._least(piece), _FILES_OF_BOARD)

    def _dead(self) -> Iterator[Impossible]:
        for square, allowed in sorted(self.step.squares.items()):
            dead = sum(1 << content(piece) for piece in self.squares if is_dead(piece, square))
            if not allowed & ~dead:
                yield Impossible("dead", self.number, square=square, allowed=allowed)

    def _too_few(self) -> Iterator[Impossible]:
        for piece, count in self.board_counts.items():
            number = len(self.squares[piece])
            if count.most is not None and number > count.most:
                yield self._impossible("too-few", piece, number, count.most)


def _plies(pattern: Pattern) -> Iterator[Impossible]:
    """Yield the first step that no ply allows after the step before."""
    earliest, latest = -1, _FOREVER
    for number, (step, gap) in enumerate(zip(pattern.steps, (None, *pattern.gaps), strict=True)):
        earliest = max(earliest + 1, step.first or 0)
        latest = min(_FOREVER if gap is None else latest + gap, _FOREVER if step.last is None else step.last)
        if latest < earliest:
            yield Impossible("plies", number)
            return
