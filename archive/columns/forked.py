"""The rows of games with variations, made of runs, for questions about several positions of one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from archive.columns.runs import Runs
from archive.columns.spans import each

Table = dict[str, NDArray[Any]]


def table_of_games(runs: Runs, slots: NDArray[np.int32], names: Iterable[str]) -> Table:
    """Return the rows of some games of a file, in their order: where each stands in its game, as the columns
    have it, and the contents that are named. Time: linear in the rows, and in the lines of the file."""
    games = np.searchsorted(runs.games["slot"], slots)
    first = runs.games["first"]
    begin, end = first[games], np.append(first[1:], np.int32(len(runs)))[games]
    which, row = each(begin.astype(np.intp), end.astype(np.intp))
    line = np.searchsorted(runs.lines["first"], row, "right") - 1
    along = row - runs.lines["first"][line]
    spans = zip(begin.tolist(), end.tolist(), strict=True)
    table: Table = {
        "slot": slots[which],
        "node": (row - begin[which]).astype(np.int16),
        "last": np.concatenate([_lasts(runs, *span) for span in spans]),
        "ply": (runs.lines["ply"][line] + along).astype(np.int16),
        "fork": runs.lines["fork"][line],
        "turn": runs.lines["turn"][line] ^ (along & 1).astype(np.int8),
    }
    for name in names:
        starts, values = runs.column(name)
        table[name] = values[np.searchsorted(starts, row, "right") - 1]
    return table


def _lasts(runs: Runs, begin: int, end: int) -> NDArray[np.int16]:
    """Return the last number below each position of the game that has these rows.

    What follows a position is deeper than it, up to the first line that begins no deeper.
    """
    found = np.full(end - begin, end - begin - 1, np.int16)
    low, high = np.searchsorted(runs.lines["first"], [begin, end]).tolist()
    starts, plies = (runs.lines[name][low:high].tolist() for name in ("first", "ply"))
    waiting: list[tuple[int, int, int]] = []
    """Lines of which positions may still be followed: their first numbers, first plies, and one ply more than
    the last of these."""
    for number, (start, ply) in enumerate(zip(starts, plies, strict=True)):
        node = start - begin
        while waiting:
            at, from_ply, until = waiting.pop()
            closed = max(from_ply, ply)
            found[at + closed - from_ply : at + until - from_ply] = node - 1
            if closed > from_ply:
                waiting.append((at, from_ply, closed))
                break
        size = (starts[number + 1] if number + 1 < len(starts) else end) - start
        waiting.append((node, ply, ply + size))
    return found
