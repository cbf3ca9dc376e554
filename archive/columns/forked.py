"""Find the first match of a pattern in games with variations, row by row.

The rows of a game are its positions, each followed by all positions after it. So all successors of a
position, in any line, have the numbers after it up to its `last`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from archive.columns.first_matches import NO_MATCH, FirstMatches, contents, matches_at, ranks_of, unpack_ranks
from archive.columns.runs import Runs
from archive.columns.spans import Mask, ranges
from kifu_core.shogi.patterns import OrientedPattern, Pattern, orientations
from kifu_core.shogi.patterns.matching import OrientedStep

_FAR: Final = np.iinfo(np.int32).max
"""More than any number and any ply."""


class ForkedGames:
    """The rows of some games of a file, numbered from 0. By number: the row in the file, the number of the
    game, its ply and the side to move, the row before it (-1 for none), and its last successor."""

    def __init__(self, runs: Runs, slots: NDArray[np.int32]) -> None:
        """Read the rows. Time: linear in the rows, and in the lines of the file."""
        games = np.searchsorted(runs.games["slot"], slots)
        first = runs.games["first"]
        begin, end = first[games], np.append(first[1:], np.int32(len(runs)))[games]
        self.runs, self.slots = runs, slots
        self.game, row = ranges(begin.astype(np.intp), end.astype(np.intp))
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
        """Set parents and last successors of a game's rows, from number `at` on. The successors of a position
        are deeper than it, up to the first line that does not begin deeper."""
        self.last[at : at + high - low] = at + high - low - 1
        begin, end = np.searchsorted(self.runs.lines["first"], [low, high]).tolist()
        starts, plies = (self.runs.lines[name][begin:end].tolist() for name in ("first", "ply"))
        # Lines that can still be followed: their first numbers and plies, and the ply after their last.
        open_lines: list[tuple[int, int, int]] = []
        for start, ply, stop in zip(starts, plies, [*starts[1:], high], strict=True):
            number, parent = at + start - low, -1
            while open_lines:
                first, from_ply, until = open_lines.pop()
                closed = max(from_ply, ply)
                self.last[first + closed - from_ply : first + until - from_ply] = number - 1
                if closed > from_ply:
                    open_lines.append((first, from_ply, closed))
                    parent = first + closed - from_ply - 1
                    break
            self.parent[number] = parent
            open_lines.append((number, ply, ply + stop - start))

    def column(self, name: str) -> NDArray[np.int8]:
        """Return the values of a column in these rows."""
        if name not in self._columns:
            starts, values = self.runs.column(name)
            self._columns[name] = values[np.searchsorted(starts, self.row, "right") - 1]
        return self._columns[name]

    def levels(self) -> Iterator[NDArray[np.intp]]:
        """Yield the rows of each ply, ascending."""
        order = np.argsort(self.ply, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(self.ply[order])) + 1)


def find_in_forked(
    rows: ForkedGames, pattern: Pattern, rows_of: Callable[[OrientedPattern], NDArray[np.intp]]
) -> FirstMatches:
    """Return the first match of a pattern in each game; `rows_of` returns the rows that match in one
    orientation."""
    best = np.full(len(rows.slots), NO_MATCH)
    for oriented in orientations(pattern):
        matching = rows_of(oriented)
        np.minimum.at(best, rows.game[matching], ranks_of(oriented, rows.ply[matching], matching))
    own, mirrored, matching = unpack_ranks(best[best != NO_MATCH])
    return matches_at(rows.runs, rows.row[matching], own, mirrored)


def rows_in_any_line(
    rows: ForkedGames, pattern: Pattern, oriented: OrientedPattern, check: Callable[[], None]
) -> NDArray[np.intp]:
    """Return the rows that match the first step and from which the others follow; no step but the last may
    have to last. `check` is called before each step and may raise an error. Time: linear in the rows, for
    each step and for each ply that the last step has to last."""
    matching: Mask | None = None
    for step, gap in zip(reversed(oriented.steps), (None, *reversed(pattern.gaps)), strict=True):
        check()
        step_rows = np.zeros(len(rows), np.bool_)
        step_rows[_rows_of_step(rows, step)[0]] = True
        matching = step_rows if matching is None else step_rows & _precede(rows, matching, gap)
    assert matching is not None
    return np.flatnonzero(matching)


def stretches(rows: ForkedGames, step: OrientedStep) -> dict[str, NDArray[Any]]:
    """Return the stretches of rows in which a step lasts long enough, as a table: the game, the `first` row
    with its ply and its last successor, and the row at which the stretch may `stop`, with its last
    successor."""
    first, stop = _rows_of_step(rows, step)
    return {
        "game": rows.game[first],
        "first": first,
        "ply": rows.ply[first],
        "last": rows.last[first],
        "stop": stop,
        "stop_last": rows.last[stop],
    }


def _rows_of_step(rows: ForkedGames, step: OrientedStep) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first rows of stretches in which a step lasts long enough, each with the row that ends the
    stretch; once for each such end."""
    condition = step.step
    holds = np.ones(len(rows), np.bool_)
    if condition.own_turn is not None:
        holds &= rows.turn == (step.own if condition.own_turn else 1 - step.own)
    for name, allowed in contents(step):
        holds &= allowed[rows.column(name).view(np.uint8)]
    first, stop = _lasting(rows, holds, condition.kept)
    in_range = np.ones(len(first), np.bool_)
    if condition.first is not None:
        in_range &= rows.ply[first] >= condition.first
    if condition.last is not None:
        in_range &= rows.ply[first] <= condition.last
    return first[in_range], stop[in_range]


def _lasting(rows: ForkedGames, holds: Mask, plies: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows that hold, with so many plies after them in one line, each with the last of these."""
    if not plies:
        stop = np.flatnonzero(holds)
        return stop, stop
    lasting = np.zeros(len(rows) + 1, np.int32)
    """For how many rows up to each it holds; the last element is for the parent of the first row."""
    for level in rows.levels():
        lasting[level] = np.where(holds[level], lasting[rows.parent[level]] + 1, 0)
    stop = np.flatnonzero(lasting > plies)
    first = stop
    for _ in range(plies):
        first = rows.parent[first]
    return first, stop


def _precede(rows: ForkedGames, following_rows: Mask, gap: int | None) -> Mask:
    """Return for each row whether one of the other rows follows it in a line, at most `gap` plies later."""
    if gap is None:
        numbers = np.where(following_rows, np.arange(len(rows)), _FAR)
        following = np.append(np.minimum.accumulate(numbers[::-1])[::-1][1:], _FAR)
        later: Mask = following <= rows.last
        return later
    nearest = np.full(len(rows) + 1, _FAR)
    """The lowest ply of the following rows, for each row."""
    for level in reversed([*rows.levels()]):
        own = np.where(following_rows[level], rows.ply[level], _FAR)
        np.minimum.at(nearest, rows.parent[level], np.minimum(own, nearest[level]))
    near: Mask = nearest[:-1] <= rows.ply + gap
    return near
