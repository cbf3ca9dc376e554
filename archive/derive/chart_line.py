"""The line of winning chances in a chart, which is stored as the chart draws it. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from archive.derive.chances import chance

if TYPE_CHECKING:
    from archive.derive.game_analysis import Score
    from kifu_core.game import Evaluation

N = TypeVar("N")

HEIGHT: Final = 40
"""Half of a chart's height."""
BARS: Final = 1_000
"""The most numbers in a chart: with more, bars would be too thin to see."""
NONE: Final = "-"
"""Stands for the height at a ply without a score."""


class ChartLine(NamedTuple):
    """`heights` has the y of each ply up to the last score, with spaces between them; `points` has the points
    of a line as in a path of SVG."""

    heights: str
    points: str

    def height(self, ply: int) -> str:
        """Return the y at a ply; empty without a score. Linear in the line."""
        heights = self.heights.split(" ")
        return heights[ply] if ply < len(heights) and heights[ply] != NONE else ""


def chart_line(evaluations: Iterable[Evaluation | Score], scale: float) -> ChartLine:
    """Return the line of evaluations in the order of plies: from 0, Black wins, to twice `HEIGHT`."""
    heights = {one.ply: height_of(chance(one.score, one.winner, scale)) for one in evaluations}
    points = thinned([*heights.items()], lambda one: abs(HEIGHT - one[1]))
    by_ply = (f"{heights[ply]:g}" if ply in heights else NONE for ply in range(max(heights, default=-1) + 1))
    return ChartLine(" ".join(by_ply), "L".join([f"{ply} {height:g}" for ply, height in points]))


def height_of(chance_: float) -> float:
    """Return the y of a winning chance."""
    return round(HEIGHT - HEIGHT * chance_, 1)


def thinned(numbers: Sequence[N], size: Callable[[N], float]) -> list[N]:
    """Return at most `BARS` numbers: the largest of each group of neighbours."""
    width = -(-len(numbers) // BARS)
    if width <= 1:
        return [*numbers]
    return [max(numbers[at : at + width], key=size) for at in range(0, len(numbers), width)]
