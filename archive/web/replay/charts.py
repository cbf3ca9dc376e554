"""Charts of a game as SVG without inline styles; one unit of x is one ply.

The page also has the numbers as text, for those who cannot see the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Final, TypeVar

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from kifu_core.game import Evaluation
    from kifu_core.shogi.clock import Tick

N = TypeVar("N")

HEIGHT: Final = 40
"""Half of a chart's height: Black's times go up from the middle, White's down."""

BARS: Final = 1_000
"""The most numbers in a chart: with more, bars would be too thin to see."""

LEVEL: Final = 1_000
"""The score of either side that a chart marks by a line; the template has its label."""

_WINNING: Final = 600
"""The scale of the logistic curve of scores, in hundredths of a pawn."""


@dataclass(frozen=True, slots=True)
class Longest:
    """A side's longest thought, by ply and seconds, and its total in seconds."""

    ply: int
    seconds: int
    total: int


@dataclass(frozen=True, slots=True)
class TimeChart:
    """The times of the moves of a main line."""

    plies: int
    ticks: tuple[Tick, ...]

    def longest(self, color: int) -> Longest | None:
        """Return the longest thought of a side; None if its moves have no times."""
        own = [tick for tick in self.ticks if tick.color == color]
        if not own:
            return None
        longest = max(own, key=lambda tick: (tick.used, -tick.ply))
        return Longest(longest.ply, int(longest.used), int(own[-1].total))

    @property
    def svg(self) -> SafeString:
        """Bars up for Black and down for White, by the square root of the time: short thoughts stay
        visible."""
        most = max(tick.used for tick in self.ticks)
        paths = ["", ""]
        for tick in _thinned(self.ticks, lambda tick: tick.used):
            if tick.used:
                size = round(HEIGHT * (tick.used / most) ** 0.5, 1)
                paths[tick.color] += f"M{tick.ply} {HEIGHT}v{-size if tick.color == 0 else size:g}"
        bars = format_html('<path class="black" d="{}"/><path class="white" d="{}"/>', *paths)
        return _framed("time-chart", self.plies, _("Time used per move"), bars)


def time_chart(ticks: Sequence[Tick], plies: int) -> TimeChart | None:
    """Return the chart of a game's times; None if all are zero."""
    return TimeChart(plies, tuple(ticks)) if any(tick.used for tick in ticks) else None


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """Evaluations of a main line, at most one per ply."""

    plies: int
    scores: tuple[Evaluation, ...]

    @property
    def svg(self) -> SafeString:
        """An area above the middle if Black is better, below it if White is, with lines at `LEVEL`."""
        shown = _thinned(self.scores, lambda one: abs(HEIGHT - _height(one)))
        first, last = shown[0].ply, shown[-1].ply
        points = "".join(f"L{one.ply} {_height(one):g}" for one in shown)
        area = format_html('<path class="area" d="M{} {}{}L{} {}z"/>', first, HEIGHT, points, last, HEIGHT)
        levels = "".join(f"M-1 {_height_of(score):g}h{self.plies + 2}" for score in (LEVEL, -LEVEL))
        lines = format_html('<path class="level" d="{}"/>', levels)
        return _framed("score-chart", self.plies, _("Evaluation by the record's comments"), area + lines)


def score_chart(scores: Sequence[Evaluation], plies: int) -> ScoreChart | None:
    """Return the chart of a game's evaluations; None for fewer than two."""
    return ScoreChart(plies, tuple(scores)) if len(scores) > 1 else None


def _thinned(numbers: Sequence[N], size: Callable[[N], float]) -> list[N]:
    """Return at most `BARS` numbers: the largest of each group of neighbours."""
    width = -(-len(numbers) // BARS) or 1
    return [max(numbers[at : at + width], key=size) for at in range(0, len(numbers), width)]


def _height(one: Evaluation) -> float:
    """Return the y of an evaluation: from 0, Black wins, to twice `HEIGHT`."""
    if one.winner is not None or one.score is None:
        return 0 if one.winner == 0 else 2 * HEIGHT
    return _height_of(one.score)


def _height_of(score: int) -> float:
    return round(2 * HEIGHT / (1 + exp(max(-50, min(50, score / _WINNING)))), 1)


def _framed(name: str, plies: int, label: str, content: SafeString) -> SafeString:
    """Return the SVG of a chart with its middle line and the line at the shown ply, which scripts move."""
    return format_html(
        '<svg class="chart {}" viewBox="-1 0 {} {}" preserveAspectRatio="none" data-plies="{}" role="img" '
        'aria-label="{}">{}<path class="axis" d="M-1 {}h{}"/><line class="cursor" y2="{}"/></svg>',
        name, plies + 2, 2 * HEIGHT, plies, label, content, HEIGHT, plies + 2, 2 * HEIGHT,
    )  # fmt: skip
