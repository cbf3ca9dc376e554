"""Where a pattern stands first in games with variations: asked row by row, by what leads to what.

The rows of a game are its positions, each followed by all that come after it. So whatever follows a position,
in any line, has the numbers after it up to its `last`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from archive.columns.places import Places, contents, number_of, told, unpacked
from archive.columns.runs import Runs
from archive.columns.spans import each
from kifu_core.shogi.patterns import Look, Pattern, looks
from kifu_core.shogi.patterns.matching import Seen

_FAR: Final = np.iinfo(np.int32).max
"""More than any number and any ply."""

Wanted = NDArray[np.bool_]


class Forked:
    """The rows of some games of a file, by numbers of their own: the row in the file, the game by its place
    among these, `node`, `ply` and who is to move, the row before it (-1 for none), and the last of those that
    come after it."""

    def __init__(self, runs: Runs, slots: NDArray[np.int32]) -> None:
        """Take them from runs. Time: linear in the rows, and in the lines of the file."""
        games = np.searchsorted(runs.games["slot"], slots)
        first = runs.games["first"]
        begin, end = first[games], np.append(first[1:], np.int32(len(runs)))[games]
        self.runs, self.slots = runs, slots
        self.game, row = each(begin.astype(np.intp), end.astype(np.intp))
        self.row = row.astype(np.int32)
        self.node = self.row - begin[self.game]
        line = np.searchsorted(runs.lines["first"], self.row, "right") - 1
        along = self.row - runs.lines["first"][line]
        self.ply = runs.lines["ply"][line] + along
        self.fork = runs.lines["fork"][line]
        self.turn = runs.lines["turn"][line] ^ along & 1
        self.parent = np.arange(-1, len(row) - 1)
        self.last = np.empty(len(row), np.intp)
        start = 0
        for low, high in zip(begin.tolist(), end.tolist(), strict=True):
            self._connect(start, low, high)
            start += high - low
        self._columns: dict[str, NDArray[np.int8]] = {}

    def __len__(self) -> int:
        return len(self.row)

    def _connect(self, at: int, low: int, high: int) -> None:
        """Say of the rows of a game, from number `at` on, what leads to them and what comes after them: what
        follows a position is deeper than it, up to the first line that begins no deeper."""
        self.last[at : at + high - low] = at + high - low - 1
        begin, end = np.searchsorted(self.runs.lines["first"], [low, high]).tolist()
        starts, plies = (self.runs.lines[name][begin:end].tolist() for name in ("first", "ply"))
        # Lines that can still be followed: their first numbers and plies, and the ply after their last.
        waiting: list[tuple[int, int, int]] = []
        for start, ply, stop in zip(starts, plies, [*starts[1:], high], strict=True):
            number, leading = at + start - low, -1
            while waiting:
                first, from_ply, until = waiting.pop()
                closed = max(from_ply, ply)
                self.last[first + closed - from_ply : first + until - from_ply] = number - 1
                if closed > from_ply:
                    waiting.append((first, from_ply, closed))
                    leading = first + closed - from_ply - 1
                    break
            self.parent[number] = leading
            waiting.append((number, ply, ply + stop - start))

    def column(self, name: str) -> NDArray[np.int8]:
        """Return what a column has in these rows."""
        if name not in self._columns:
            starts, values = self.runs.column(name)
            self._columns[name] = values[np.searchsorted(starts, self.row, "right") - 1]
        return self._columns[name]

    def table(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the rows with some columns, as DuckDB takes them."""
        rows = {"slot": self.slots[self.game], "node": self.node, "ply": self.ply, "turn": self.turn}
        return {
            **rows,
            "last": self.last - np.arange(len(self)) + self.node,
            "fork": self.fork,
            **{name: self.column(name) for name in names},
        }

    def levels(self) -> Iterator[NDArray[np.intp]]:
        """Yield the rows by ply, from the first ply on."""
        order = np.argsort(self.ply, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(self.ply[order])) + 1)


def first_in_forked(rows: Forked, pattern: Pattern, check: Callable[[], None]) -> Places:
    """Return the first place of a pattern of which no step but the last has to stay. `check` is called before
    each step of each look. Time: linear in the rows, for each step of each look, and for the plies that the
    last one has to stay."""
    best = np.full(len(rows.slots), np.iinfo(np.int64).max)
    for look in looks(pattern):
        found = _standing(rows, pattern, look, check)
        np.minimum.at(best, rows.game[found], number_of(look, rows.ply[found], found))
    own, mirrored, found = unpacked(best[best < np.iinfo(np.int64).max])
    return told(rows.runs, rows.row[found], own, mirrored)


def _standing(rows: Forked, pattern: Pattern, look: Look, check: Callable[[], None]) -> NDArray[np.intp]:
    """Return the rows where the first step of a look stands so that the others follow it."""
    stands: Wanted | None = None
    for step, gap in zip(reversed(look.steps), (None, *reversed(pattern.gaps)), strict=True):
        check()
        here = _stands(rows, step)
        stands = here if stands is None else here & _leads_to(rows, stands, gap)
    assert stands is not None
    return np.flatnonzero(stands)


def _stands(rows: Forked, step: Seen) -> Wanted:
    """Tell for each row whether a step stands from there on as long as it has to."""
    asked = step.step
    found = np.ones(len(rows), np.bool_)
    if asked.own_turn is not None:
        found &= rows.turn == (step.own if asked.own_turn else 1 - step.own)
    for name, allowed in contents(step):
        found &= allowed[rows.column(name).view(np.uint8)]
    if asked.kept:
        found = _kept(rows, found, asked.kept)
    if asked.first is not None:
        found &= rows.ply >= asked.first
    if asked.last is not None:
        found &= rows.ply <= asked.last
    return found


def _kept(rows: Forked, holds: Wanted, plies: int) -> Wanted:
    """Tell for each row whether it holds, and so many plies after it in one line."""
    lasting = np.zeros(len(rows) + 1, np.int32)
    """For how many rows up to each; what comes before the first is the last element."""
    for level in rows.levels():
        lasting[level] = np.where(holds[level], lasting[rows.parent[level]] + 1, 0)
    ends = np.flatnonzero(lasting > plies)
    for _ in range(plies):
        ends = rows.parent[ends]
    found = np.zeros(len(rows), np.bool_)
    found[ends] = True
    return found


def _leads_to(rows: Forked, wanted: Wanted, gap: int | None) -> Wanted:
    """Tell for each row whether one that is wanted comes after it in a line, at most `gap` plies later."""
    if gap is None:
        numbers = np.where(wanted, np.arange(len(rows)), _FAR)
        following = np.append(np.minimum.accumulate(numbers[::-1])[::-1][1:], _FAR)
        later: Wanted = following <= rows.last
        return later
    nearest = np.full(len(rows) + 1, _FAR)
    """The lowest ply of those that come after each row."""
    for level in reversed([*rows.levels()]):
        own = np.where(wanted[level], rows.ply[level], _FAR)
        np.minimum.at(nearest, rows.parent[level], np.minimum(own, nearest[level]))
    near: Wanted = nearest[:-1] <= rows.ply + gap
    return near
