"""Resolve ambiguities of a written line by the reading that lets play go on.

A move without the words that tell its pieces apart, and a variation whose parent in a flat list is not clear,
have several readings; often only one of them lets the written moves be played. A trial costs as many steps as
it plays; both functions play a bounded number of steps for each step of the game.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from kifu_core.deadline import watched
from kifu_core.errors import AmbiguousMoveError, IllegalMoveError
from kifu_core.shogi import rules
from kifu_core.shogi.move_resolution import SAME, EndOfPlay, MovePlan, Search, Step, plan
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine

STEPS_PER_STEP: Final = 16
"""Steps to play in trials, for each step of a game."""

_MOST_PIECES: Final = 4
MOST_STEPS: Final = 300
_LOOKS: Final = (30, MOST_STEPS)
"""Steps to play with each piece; the second number applies if the first does not decide."""


class Lookahead:
    """Decides between the pieces that could make a move; `budget` is the number of steps left to play."""

    def __init__(self, steps: int) -> None:
        self.budget = STEPS_PER_STEP * steps

    def only_way(
        self, step: Search, following: Sequence[Step], position: Position, last: int
    ) -> MovePlan | None:
        """Return the plan after which more of the following steps can be played than after any other.

        None if the steps do not decide, or if the budget is used up.
        """
        plans = _possible(step, position, last)
        for most in _LOOKS:
            steps = following[:most]
            self.budget -= len(plans) * len(steps)
            if len(plans) < 2 or self.budget < 0:
                return None
            reached = [count_playable(steps, _after(position, chosen), chosen.to) for chosen in plans]
            furthest = max(reached)
            plans = [chosen for chosen, count in zip(plans, reached, strict=True) if count == furthest]
            if len(plans) == 1:
                return plans[0]
            if furthest < len(steps):
                return None
        return None


def _possible(step: Search, position: Position, last: int) -> list[MovePlan]:
    """Return a plan for each piece that could make the move; none if there are too many."""
    to, same = (last, True) if step.to == SAME else (step.to, False)
    origins = rules.resolve(position, step.kind, to, step.words)
    if len(origins) > _MOST_PIECES or any(origin > DROP for origin in origins):
        return []
    return [plan(origin, to, step.kind, step.promote, position.turn, None, same) for origin in origins]


def _after(position: Position, chosen: MovePlan) -> Position:
    after = position.copy()
    after.do_move(chosen.packed)
    return after


def count_playable(steps: Sequence[Step], position: Position, last: int) -> int:
    """Return the number of steps in a row that the rules allow; the position is changed."""
    for count, step in enumerate(watched(steps)):
        try:
            chosen = _plan(step, position, last)
        except EndOfPlay:
            continue
        except (IllegalMoveError, AmbiguousMoveError):
            return count
        if rules.fault(position, chosen.packed) is not None:
            return count
        position.do_move(chosen.packed)
        last = chosen.to
    return len(steps)


def _plan(step: Step, position: Position, last: int) -> MovePlan:
    """Return the plan of a step; the rules decide where the board alone does not."""
    if isinstance(step, Search) and (chosen := step.search(position.board, position.turn, last)) is not None:
        return chosen
    return step.plan(position, last)


def reattach_forks(main: RawLine, start: Position) -> bool:
    """Move forks that cannot be played from their parent to the nearest line above in which they can.

    Some programs list the variations of one line in ascending order: then each seems to branch off the one
    before. Return whether any was moved.
    """
    return _ForkPlacement(main, start).reattach_forks()


class _ForkPlacement:
    """The parents of the forks of a flat list: by line, its parent and the index of the step there.

    `above` are the parents by the list alone, `plies` those of the lines' first steps.
    """

    def __init__(self, main: RawLine, start: Position) -> None:
        self.main = main
        self.start = start
        self.plies = {id(main): 1} | {id(fork): ply for fork, ply, _ in main.flat}
        self.above = {id(fork): parent for fork, _, parent in main.flat}
        self.attachments = {
            id(fork): (line, index)
            for line in (main, *(fork for fork, _, _ in main.flat))
            for index, forks in line.forks.items()
            for fork in forks
        }
        self.budget = STEPS_PER_STEP * (len(main.steps) + sum(len(fork.steps) for fork, _, _ in main.flat))

    def reattach_forks(self) -> bool:
        moved = False
        for fork, ply, _ in watched(self.main.flat):
            attached = self.attachments.get(id(fork))
            if attached is None or attached[0] is self.main:
                continue
            place = next((one for one in self._candidates(fork, ply) if self._is_playable(fork, *one)), None)
            if place is not None and place[0] is not attached[0]:
                self._move(fork, attached, place)
                moved = True
        return moved

    def _candidates(self, fork: RawLine, ply: int) -> Iterator[tuple[RawLine, int]]:
        """Yield the lines above a fork that have a step at its ply, nearest first, with that step's index."""
        line: RawLine | None = self.above[id(fork)]
        while line is not None and self.budget > 0:
            if 0 <= (index := ply - self.plies[id(line)]) < len(line.steps):
                yield line, index
            line = self.above.get(id(line))
            self.budget -= 1

    def _is_playable(self, fork: RawLine, line: RawLine, index: int) -> bool:
        """Return whether a fork can be played in place of a line's step."""
        path: list[Step] = []
        parts = [line.steps[:index]]
        while line is not self.main:
            if (attached := self.attachments.get(id(line))) is None:
                return False
            line, index = attached
            parts.append(line.steps[:index])
        for part in reversed(parts):
            path += part
        path += fork.steps
        self.budget -= len(path)
        return self.budget > 0 and count_playable(path, self.start.copy(), -1) == len(path)

    def _move(self, fork: RawLine, old: tuple[RawLine, int], new: tuple[RawLine, int]) -> None:
        line, index = old
        self.budget -= len(line.forks[index])
        line.forks[index] = [one for one in line.forks[index] if one is not fork]
        if not line.forks[index]:
            del line.forks[index]
        line, index = self.attachments[id(fork)] = new
        line.forks.setdefault(index, []).append(fork)
        fork.level = line.level + 1
