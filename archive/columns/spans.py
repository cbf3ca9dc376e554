"""Spans of rows, and what is asked of them: the arithmetic behind patterns.

A square keeps its piece for many plies, so a column is written as its runs, and the rows that have what is
asked for are spans. All spans here are ascending and do not overlap. Numbers of rows have four bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Wanted = NDArray[np.bool_]

_PROBED = 4
"""Looking up a span among runs costs about as much as reading so many runs."""


_NO_ROW = np.int32(np.iinfo(np.int32).max)
"""Comes after all rows."""


class Spans(NamedTuple):
    """Spans by their first rows and the rows after their last."""

    first: Rows
    end: Rows

    def among(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Spans:
        """Return some of them, chosen as numpy chooses elements."""
        return Spans(self.first[chosen], self.end[chosen])


def where(starts: Rows, wanted: Wanted) -> Spans:
    """Return the longest spans of runs that are wanted. Run n goes from `starts[n]` to `starts[n + 1]`: there
    is one start more than there are runs. Time: linear in the runs."""
    edges = np.flatnonzero(wanted[1:] != wanted[:-1]) + 1
    if wanted[0]:
        edges = np.concatenate(([0], edges))
    if wanted[-1]:
        edges = np.append(edges, len(wanted))
    rows = starts[edges]
    return Spans(rows[::2], rows[1::2])


def meeting(spans: Spans, others: Spans) -> tuple[Spans, NDArray[np.intp]]:
    """Return what spans and others have in common, with the number of the other span that each part is in.

    Time: linear in the spans and in what is returned, times the logarithm of the others.
    """
    low = np.searchsorted(others.end, spans.first, "right")
    first, end = (np.append(each_of, _NO_ROW) for each_of in others)
    # Most spans end where the first other one does, or before: only the rest are looked up once more.
    high = low + (first[low] < spans.end)
    longer = np.flatnonzero(end[low] < spans.end)
    high[longer] = np.searchsorted(others.first, spans.end[longer], "left")
    which, other = each(low, high)
    first = np.maximum(spans.first[which], others.first[other])
    return Spans(first, np.minimum(spans.end[which], others.end[other])), other


def each(low: NDArray[np.intp], high: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all numbers from each low to before its high, after the place of that pair."""
    counts = high - low
    which = np.repeat(np.arange(len(low)), counts)
    return which, np.arange(len(which)) + np.repeat(low - (np.cumsum(counts) - counts), counts)


def narrowed(spans: Spans, starts: Rows, wanted: Wanted) -> Spans:
    """Return the parts of spans that lie in runs which are wanted; runs are as in `where`.

    Few spans are looked up among the runs, of many the spans of the runs are made first.
    """
    if len(spans.first) * _PROBED > len(wanted):
        return meeting(spans, where(starts, wanted))[0]
    low = np.searchsorted(starts, spans.first, "right") - 1
    which, run = each(low, np.searchsorted(starts[:-1], spans.end, "left"))
    inside = wanted[run]
    which, run = which[inside], run[inside]
    first = np.maximum(spans.first[which], starts[run])
    parts = Spans(first, np.minimum(spans.end[which], starts[run + 1]))
    return _joined(parts, parts.first[1:] > parts.end[:-1])


def _joined(spans: Spans, apart: NDArray[np.bool_]) -> Spans:
    """Return spans, ascending by both their ends, with those put together that are not apart from the one
    before them."""
    if not len(spans.first):
        return spans
    begins = np.flatnonzero(apart) + 1
    return Spans(spans.first[np.append(0, begins)], spans.end[np.append(begins - 1, len(spans.end) - 1)])


def before(spans: Spans, begin: Rows, gap: int | None) -> Spans:
    """Return the rows from which a row of the spans can be reached by going on, by at most `gap` rows, None
    for any number. Nothing is reached from before `begin`, which each span has of its own: spans with another
    one share no row with it."""
    first = begin if gap is None else np.maximum(begin, spans.first - gap)
    reaching = Spans(first, spans.end - 1)
    reaching = reaching.among(reaching.first < reaching.end)
    return _joined(reaching, reaching.first[1:] >= reaching.end[:-1])
