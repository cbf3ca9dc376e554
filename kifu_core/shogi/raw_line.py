"""A line of play as a format's reader collects it, before the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kifu_core.jkf import Consumption, MoveEntry
from kifu_core.shogi.move_resolution import EndingStep, Step, pauses
from kifu_core.shogi.move_times import kif_time


@dataclass(slots=True)
class RawLine:
    """A line of play as written: the main line or a fork.

    `times` has one item for each of `steps`. `comments` maps the index of a step to its comments, -1 to those
    before the first step. `forks` maps the index of a step to its alternatives. `spots` locates the steps in
    the text: for each block, in order, the index of its first step, its offset and its end offset. A block
    may also be a comment or the mark of a variation, without a step. `source_entries` are the raw JKF entries
    of a line that was not read from text. `restore_same` marks a format without 同. In formats that list
    variations, `flat` has all variations of a main line in the order of the text, each with the ply of its
    first step and its parent.
    """

    steps: list[Step] = field(default_factory=list)
    times: list[Consumption | None] = field(default_factory=list)
    comments: dict[int, list[str]] = field(default_factory=dict)
    forks: dict[int, list[RawLine]] = field(default_factory=dict)
    spots: list[tuple[int, int, int]] = field(default_factory=list)
    source_entries: Sequence[MoveEntry] = ()
    restore_same: bool = False
    level: int = 0
    flat: list[tuple[RawLine, int, RawLine]] = field(default_factory=list)

    def add_text(self, begin: int, end: int) -> None:
        """Add text without a step, from offset to offset, after the last block."""
        if self.spots and self.spots[-1][2] == begin:
            first, begin, _ = self.spots.pop()
            self.spots.append((first, begin, end))
        else:
            self.spots.append((len(self.steps), begin, end))

    def resume(self) -> bool:
        """Turn an adjournment before further moves into a comment; return whether there was one."""
        if not self.steps or not isinstance(ending := self.steps[-1], EndingStep) or not pauses(ending):
            return False
        index = len(self.steps) - 1
        self.steps.pop()
        before = self.comments.get(index - 1, ())
        word = ending.word + kif_time(self.times.pop())
        self.comments[index - 1] = [*before, word, *self.comments.pop(index, ())]
        return True

    def forks_from(self, index: int) -> Iterator[RawLine]:
        """Yield all forks from the step with this index on, and their own forks."""
        waiting = [fork for mark, forks in self.forks.items() if mark >= index for fork in forks]
        while waiting:
            fork = waiting.pop()
            yield fork
            waiting += [inner for forks in fork.forks.values() for inner in forks]
