"""Where a pattern stands first in games with variations: asked row by row, by what leads to what.

The rows of a game are its positions, each followed by all that come after it. So whatever follows a position,
in any line, has the numbers after it up to its `last`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from archive.columns.first_matches import NO_PLACE, FirstMatches, contents, number_of, told, unpacked
from archive.columns.runs import Runs
from archive.columns.spans import Wanted, each
from kifu_core.shogi.patterns import OrientedPattern, Pattern, orientations
from kifu_core.shogi.patterns.matching import OrientedStep

_FAR: Final = np.iinfo(np.int32).max
"""More than any number and any ply."""


class Forked:
    """The rows of some games of a file, by numbers of their own: the row in the file, the game by its place
    among these, its ply and who is to move, the row before it (-1 for none), and the last of those that
    come after it."""

    def __init__(self, runs: Runs, slots: NDArray[np.int32]) -> None:
        """Take them from runs. Time: linear in the rows, and in the lines of the file."""
        games = np.searchsorted(runs.games["slot"], slots)
        first = runs.games["first"]
        begin, end = first[games], np.append(first[1:], np.int32(len(runs)))[games]
        self.runs, self.slots = runs, slots
        self.game, row = each(begin.astype(np.intp), end.astype(np.intp))
        self.row = row.astype(np.int32)
        line = np.searchsorted(runs.lines["first"], self.row, "right") - 1
        along = self.row - runs.lines["first"][line]
        self.ply = runs.lines["ply"][line] + along
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

    def levels(self) -> Iterator[NDArray[np.intp]]:
        """Yield the rows by ply, from the first ply on."""
        order = np.argsort(self.ply, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(self.ply[order])) + 1)


def first_in_forked(
    rows: Forked, pattern: Pattern, standing: Callable[[OrientedPattern], NDArray[np.intp]]
) -> FirstMatches:
    """Return the first place of a pattern in each game, where `standing` gives the rows in which it stands as
    one look finds it."""
    best = np.full(len(rows.slots), NO_PLACE)
    for look in orientations(pattern):
        found = standing(look)
        np.minimum.at(best, rows.game[found], number_of(look, rows.ply[found], found))
    own, mirrored, found = unpacked(best[best != NO_PLACE])
    return told(rows.runs, rows.row[found], own, mirrored)


def in_any_line(
    rows: Forked, pattern: Pattern, look: OrientedPattern, check: Callable[[], None]
) -> NDArray[np.intp]:
    """Return the rows where the first step of a look stands so that the others follow it; no step but the
    last has to stay. `check` is called before each step, to raise where that takes too long. Time: linear in
    the rows, for each step, and for the plies that the last one has to stay."""
    stands: Wanted | None = None
    for step, gap in zip(reversed(look.steps), (None, *reversed(pattern.gaps)), strict=True):
        check()
        here = np.zeros(len(rows), np.bool_)
        here[_stands(rows, step)[0]] = True
        stands = here if stands is None else here & _leads_to(rows, stands, gap)
    assert stands is not None
    return np.flatnonzero(stands)


def stretches(rows: Forked, step: OrientedStep) -> dict[str, NDArray[Any]]:
    """Return where a step stands as long as it has to, as a table: the game, the `first` row with its ply and
    the last that comes after it, and the row at which the stretch may `stop`, with the last after that."""
    first, stop = _stands(rows, step)
    return {
        "game": rows.game[first],
        "first": first,
        "ply": rows.ply[first],
        "last": rows.last[first],
        "stop": stop,
        "stop_last": rows.last[stop],
    }


def _stands(rows: Forked, step: OrientedStep) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows from which on a step stands as long as it has to, each with the row at which that is
    over, once for each such row."""
    asked = step.step
    found = np.ones(len(rows), np.bool_)
    if asked.own_turn is not None:
        found &= rows.turn == (step.own if asked.own_turn else 1 - step.own)
    for name, allowed in contents(step):
        found &= allowed[rows.column(name).view(np.uint8)]
    first, stop = _kept(rows, found, asked.kept)
    begins = np.ones(len(first), np.bool_)
    if asked.first is not None:
        begins &= rows.ply[first] >= asked.first
    if asked.last is not None:
        begins &= rows.ply[first] <= asked.last
    return first[begins], stop[begins]


def _kept(rows: Forked, holds: Wanted, plies: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows that hold so long, with so many plies after them in one line, each with the last."""
    if not plies:
        stop = np.flatnonzero(holds)
        return stop, stop
    lasting = np.zeros(len(rows) + 1, np.int32)
    """For how many rows up to each; what comes before the first is the last element."""
    for level in rows.levels():
        lasting[level] = np.where(holds[level], lasting[rows.parent[level]] + 1, 0)
    stop = np.flatnonzero(lasting > plies)
    first = stop
    for _ in range(plies):
        first = rows.parent[first]
    return first, stop


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
