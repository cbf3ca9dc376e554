"""Patterns in games with variations, where a step has to stay before another follows: asked of DuckDB.

A step may stay in one line while the next one stands in another, and all positions have to lie on one line.
That is more than `forked` tells of rows one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from archive.columns.duck import DuckQuery
from archive.columns.forked import Forked, stretches
from kifu_core.shogi.patterns import OrientedPattern, Pattern


def stays_before_others(pattern: Pattern) -> bool:
    """Tell whether a step of a pattern has to stay for some plies before another follows."""
    return any(step.kept for step in pattern.steps[:-1])


def on_one_line(query: DuckQuery, rows: Forked, pattern: Pattern, look: OrientedPattern) -> NDArray[np.intp]:
    """Return the rows where the first step of a look stands so that the others follow it on one line, on
    which all of them stay as long as they have to. Raises TimeoutError."""
    for number, step in enumerate(look.steps):
        query.table(f"step_{number}", stretches(rows, step))
    found = query.rows(_chained(pattern.gaps))
    return np.array([row for (row,) in found], np.intp)


def _chained(gaps: Sequence[int | None]) -> str:
    """Return the statement for the first of several steps, of which each is a table of stretches: each
    position goes through the one that is deepest so far (`deep`), or that through it."""
    found = (
        "SELECT game, first AS chosen, stop AS deep, stop_last AS deep_last, first AS at, last AS at_last, "
        "ply AS at_ply FROM step_0"
    )
    for number, gap in enumerate(gaps, 1):
        within = "" if gap is None else f" AND b.ply <= c.at_ply + {gap}"
        found = (
            "SELECT DISTINCT c.game, c.chosen, greatest(c.deep, b.stop) AS deep, "
            "CASE WHEN b.stop > c.deep THEN b.stop_last ELSE c.deep_last END AS deep_last, "
            "b.first AS at, b.last AS at_last, b.ply AS at_ply "
            f"FROM ({found}) c JOIN step_{number} b ON b.game = c.game "
            f"AND b.first > c.at AND b.first <= c.at_last{within} "
            "AND (b.stop BETWEEN c.deep AND c.deep_last OR c.deep BETWEEN b.stop AND b.stop_last)"
        )
    return f"SELECT DISTINCT chosen FROM ({found})"
