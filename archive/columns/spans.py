"""Set operations on spans of rows, for searching patterns.

A square keeps its piece for many plies, so a column is stored as runs, and the rows with certain contents are
spans. All spans are ascending and disjoint. Row numbers have four bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Mask = NDArray[np.bool_]

_PROBED = 4
"""Looking up a span among runs costs about as much as reading so many runs."""

_NO_ROW = np.int32(np.iinfo(np.int32).max)
"""A number after all rows."""


class Spans(NamedTuple):
    """Spans by their first rows and the rows after their last."""

    first: Rows
    end: Rows

    def among(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Spans:
        """Return the spans of a numpy mask or of indices."""
        return Spans(self.first[chosen], self.end[chosen])


def spans_of_runs(starts: Rows, mask: Mask) -> Spans:
    """Return the spans of the runs in a mask, adjacent runs as one span. Run n is from `starts[n]` to before
    `starts[n + 1]`: there is one more start than runs. Time: linear in the runs."""
    edges = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    if mask[0]:
        edges = np.concatenate(([0], edges))
    if mask[-1]:
        edges = np.append(edges, len(mask))
    rows = starts[edges]
    return Spans(rows[::2], rows[1::2])


def intersection(spans: Spans, others: Spans) -> tuple[Spans, NDArray[np.intp]]:
    """Return the intersection of spans with others, with the number of the other span of each part.

    Time: linear in the spans and in the result, times the logarithm of the others.
    """
    low = np.searchsorted(others.end, spans.first, "right")
    first, end = (np.append(each_of, _NO_ROW) for each_of in others)
    # Most spans end not after the first other one: only the rest are looked up once more.
    high = low + (first[low] < spans.end)
    longer = np.flatnonzero(end[low] < spans.end)
    high[longer] = np.searchsorted(others.first, spans.end[longer], "left")
    number, other = ranges(low, high)
    first = np.maximum(spans.first[number], others.first[other])
    return Spans(first, np.minimum(spans.end[number], others.end[other])), other


def ranges(low: NDArray[np.intp], high: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers from each low to before its high, preceded by the index of the pair for each."""
    counts = high - low
    number = np.repeat(np.arange(len(low)), counts)
    return number, np.arange(len(number)) + np.repeat(low - (np.cumsum(counts) - counts), counts)


def restricted(spans: Spans, starts: Rows, mask: Mask) -> Spans:
    """Return the parts of spans in the runs of a mask, as in `spans_of_runs`. Few spans are looked up among
    the runs; for many, the spans of the runs are computed first."""
    if len(spans.first) * _PROBED > len(mask):
        return intersection(spans, spans_of_runs(starts, mask))[0]
    low = np.searchsorted(starts, spans.first, "right") - 1
    number, run = ranges(low, np.searchsorted(starts[:-1], spans.end, "left"))
    inside = mask[run]
    number, run = number[inside], run[inside]
    first = np.maximum(spans.first[number], starts[run])
    parts = Spans(first, np.minimum(spans.end[number], starts[run + 1]))
    return _merged(parts, parts.first[1:] > parts.end[:-1])


def _merged(spans: Spans, apart: NDArray[np.bool_]) -> Spans:
    """Return spans, which are ascending by both ends, after merging each with its predecessor unless they are
    apart."""
    if not len(spans.first):
        return spans
    begins = np.flatnonzero(apart) + 1
    return Spans(spans.first[np.append(0, begins)], spans.end[np.append(begins - 1, len(spans.end) - 1)])


def reaching(spans: Spans, begin: Rows, gap: int | None) -> Spans:
    """Return the rows before a row of the spans, by at most `gap` rows (None: any number), from the `begin`
    of each span on. Spans with different begins are of different lines and share no rows."""
    first = begin if gap is None else np.maximum(begin, spans.first - gap)
    result = Spans(first, spans.end - 1)
    result = result.among(result.first < result.end)
    return _merged(result, result.first[1:] >= result.end[:-1])
