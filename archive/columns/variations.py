"""Search patterns in games with variations by DuckDB, if a step has to last before another one follows.

A step may last in one line while the next step occurs in another, but all positions of a match must be on one
line. The row-wise search of `forked` cannot check that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from archive.columns.duck import DuckQuery
from archive.columns.forked import ForkedGames, stretches
from kifu_core.shogi.patterns import OrientedPattern, Pattern


def stays_before_others(pattern: Pattern) -> bool:
    """Return whether a step of a pattern has to last for some plies before another one follows."""
    return any(step.kept for step in pattern.steps[:-1])


def rows_on_one_line(
    query: DuckQuery, rows: ForkedGames, pattern: Pattern, oriented: OrientedPattern
) -> NDArray[np.intp]:
    """Return the rows that match the first step and from which the others follow on one line, on which each
    step lasts long enough. Raises TimeoutError."""
    for number, step in enumerate(oriented.steps):
        query.table(f"step_{number}", stretches(rows, step))
    matching = query.rows(_chained(pattern.gaps))
    return np.array([row for (row,) in matching], np.intp)


def _chained(gaps: Sequence[int | None]) -> str:
    """Return the statement for the first of several steps, each of which is a table of stretches. All
    positions are on one line: `deep` is the deepest so far, and each next one precedes or follows it."""
    sql = (
        "SELECT game, first AS chosen, stop AS deep, stop_last AS deep_last, first AS at, last AS at_last, "
        "ply AS at_ply FROM step_0"
    )
    for number, gap in enumerate(gaps, 1):
        within = "" if gap is None else f" AND b.ply <= c.at_ply + {gap}"
        sql = (
            "SELECT DISTINCT c.game, c.chosen, greatest(c.deep, b.stop) AS deep, "
            "CASE WHEN b.stop > c.deep THEN b.stop_last ELSE c.deep_last END AS deep_last, "
            "b.first AS at, b.last AS at_last, b.ply AS at_ply "
            f"FROM ({sql}) c JOIN step_{number} b ON b.game = c.game "
            f"AND b.first > c.at AND b.first <= c.at_last{within} "
            "AND (b.stop BETWEEN c.deep AND c.deep_last OR c.deep BETWEEN b.stop AND b.stop_last)"
        )
    return f"SELECT DISTINCT chosen FROM ({sql})"
