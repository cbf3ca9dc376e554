"""Charts of a game as SVG without inline styles; one unit of x is one ply.

The page also has the numbers as text, for those who cannot see the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import tanh
from typing import TYPE_CHECKING, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from archive.derive.chances import BLUNDER, MISTAKE
from archive.derive.chart_line import HEIGHT, height_of, thinned
from archive.web.replay.score_notes import HARD, OPINIONS, SURPRISING

if TYPE_CHECKING:
    from django.utils.functional import Promise

    from archive.derive.chart_line import ChartLine
    from archive.web.replay.report import Scores
    from kifu_core.shogi.clock import Tick

LEVEL: Final = 5 / 3
"""The score of either side that a chart marks by a line, in units of the scale: 1,000 of 600."""


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
        for tick in thinned(self.ticks, lambda tick: tick.used):
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
    """Evaluations of a main line, at most one per ply, with marked moves and the scores of other engines."""

    plies: int
    scores: Scores

    @property
    def level(self) -> int:
        """The score at the lines of the chart."""
        return int(round(LEVEL * self.scores.scale, -1))

    @property
    def engine(self) -> str:
        """The name of the engine; empty for the comments."""
        return self.scores.report.engine.title if self.scores.report else ""

    @property
    def opinions(self) -> list[tuple[str | Promise, Promise]]:
        """The signs of the network's opinions that are in the chart, with their words, for a legend."""
        shown = {
            SURPRISING: any(one.surprising for one in self.scores.opinions),
            HARD: any(one.hard for one in self.scores.opinions),
        }
        return [OPINIONS[name] for name in OPINIONS if shown[name]]

    @property
    def svg(self) -> SafeString:
        """An area above the middle if Black is better, below it if White is, with lines at `level`."""
        line = self.scores.line
        first, last = line.points.partition(" ")[0], line.points.rpartition("L")[2].partition(" ")[0]
        level = tanh(LEVEL / 2)
        levels = "".join(f"M-1 {height_of(one):g}h{self.plies + 2}" for one in (level, -level))
        content = format_html(
            '<path class="area" d="M{} {}L{}L{} {}z"/><path class="level" d="{}"/>',
            first, HEIGHT, line.points, last, HEIGHT, levels,
        )  # fmt: skip
        content += self._others() + self._marks(line)
        label = self.engine or _("Evaluation by the record's comments")
        # A script moves the gauge to these heights, one for each ply, with `-` where there is none.
        return _framed("score-chart", self.plies, label, content, line.heights)

    def _others(self) -> SafeString:
        """Return a line for each other engine."""
        lines = (report.stored.line.points for report in self.scores.others)
        return mark_safe("".join(f'<path class="other" d="M{line}"/>' for line in lines))

    def _marks(self, line: ChartLine) -> SafeString:
        """Return the marks as dots on the chart, lines without length whose ends are round; surprising moves
        as dots in another colour, and hard positions as strokes at the lower edge."""
        dots = dict.fromkeys((MISTAKE, BLUNDER, SURPRISING, HARD), "")
        for ply, cost in self.scores.marked.items():
            if cost.mark in dots and (height := line.height(ply)):
                dots[cost.mark] += f"M{ply} {height}h0"
        for cost in self.scores.opinions:
            if cost.surprising and (height := line.height(cost.ply)):
                dots[SURPRISING] += f"M{cost.ply} {height}h0"
            if cost.hard:
                dots[HARD] += f"M{cost.ply - 1} {2 * HEIGHT}v-5"
        return mark_safe("".join(f'<path class="dot {mark}" d="{d}"/>' for mark, d in dots.items() if d))


def score_chart(scores: Scores, plies: int) -> ScoreChart | None:
    """Return the chart of a game's evaluations; None for fewer than two."""
    return ScoreChart(plies, scores) if len(scores.shown) > 1 else None


def _framed(name: str, plies: int, label: str, content: SafeString, heights: str = "") -> SafeString:
    """Return the SVG of a chart with its middle line and the line at the shown ply, which scripts move."""
    return format_html(
        '<svg class="chart {}" viewBox="-1 0 {} {}" preserveAspectRatio="none" data-plies="{}" '
        'data-heights="{}" role="img" aria-label="{}">{}<path class="axis" d="M-1 {}h{}"/>'
        '<line class="cursor" y2="{}"/></svg>',
        name, plies + 2, 2 * HEIGHT, plies, heights, label, content, HEIGHT, plies + 2, 2 * HEIGHT,
    )  # fmt: skip
