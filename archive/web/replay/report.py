"""The report of a game: an engine's scores with marks, accuracies and turning points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from archive.derive.calibration import BANDS
from archive.derive.chances import BLUNDER, INACCURACY, MISTAKE, PONANZA
from archive.derive.chart_line import chart_line
from archive.derive.text import EVALUATIONS
from archive.models import Engine, GamePlayer
from archive.queries.games.analyses import (
    COMMENTS,
    accuracy_of_rated,
    analyses_of_game,
    calibrations,
    report_of_comments,
    similar_ratings,
)
from archive.queries.scope import scope_of
from archive.web.addresses import address_with, with_parameter
from archive.web.forms import parse_number
from archive.web.lists.rows import side_marks
from archive.web.replay.engine_lines import in_words
from archive.web.replay.score_notes import HARD, SURPRISING, ScoreNote
from archive.web.wording import entry_text, number_text, percent_text, score_mark
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.evaluations import best

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.http import HttpRequest
    from django.utils.functional import Promise
    from django.utils.safestring import SafeString

    from archive.derive.calibration import Band
    from archive.derive.chances import Cost
    from archive.derive.chart_line import ChartLine
    from archive.derive.game_analysis import Score
    from archive.models import Game
    from archive.queries.games.analyses import GameReport
    from archive.web.replay.game_page import NodeAddresses, NodeLink
    from kifu_core.game import Evaluation
    from kifu_core.jkf import Record

SIGNS: Final = {INACCURACY: "?!", MISTAKE: "?", BLUNDER: "??"}
MARKS: Final[Mapping[str, Promise]] = {
    INACCURACY: gettext_lazy("inaccuracy"),
    MISTAKE: gettext_lazy("mistake"),
    BLUNDER: gettext_lazy("blunder"),
}
_SOURCES: Final[Mapping[str, Promise]] = {
    Engine.Source.ENGINE: gettext_lazy("engine"),
    Engine.Source.NETWORK: gettext_lazy("neural network, without search"),
    Engine.Source.RECORD: gettext_lazy("evaluations in the comments of the record"),
}
SCORES: Final = "scores"
"""The parameter of addresses that names the engine whose scores are shown."""
_PHASES: Final = (
    pgettext_lazy("part of a game", "Opening"),
    pgettext_lazy("part of a game", "Middlegame"),
    pgettext_lazy("part of a game", "Endgame"),
)
_BETTER: Final = 5
"""Moves of the engine's line beside a marked move."""


class EngineChoice(NamedTuple):
    """A link to the report by an engine, or to the evaluations in comments, with the accuracies of both
    sides."""

    text: str
    query: str
    chosen: bool
    accuracies: str


class MarkedMove(NamedTuple):
    """A marked move: link, words for the mark, lost points of a winning percentage, and the engine's move."""

    link: NodeLink
    mark: str
    sign: str
    name: str
    lost: str
    better: str
    better_address: str
    turning: bool


class AccuracyRow(NamedTuple):
    """The accuracies of a side: in all, by phase, its marks, how many of its moves have values if some may
    have none, and the accuracy of players of its rating."""

    side: SafeString
    accuracy: str
    phases: list[str]
    marks: str
    judged: str
    rated: str


class CalibrationRow(NamedTuple):
    """A tenth of predicted probabilities: positions, games, the mean prediction, and the share of wins."""

    chances: str
    positions: str
    games: str
    predicted: str
    won: str


@dataclass(frozen=True)
class Scores:
    """The scores that a page shows: by an engine, or those in comments. `report` judges the moves by them; it
    is None if they are too few."""

    shown: Sequence[Score | Evaluation]
    reports: tuple[GameReport, ...] = ()
    report: GameReport | None = None
    commented: bool = False
    """Whether comments of the record have scores, too."""

    @property
    def scale(self) -> float:
        return self.report.engine.winning_scale if self.report else PONANZA

    @property
    def line(self) -> ChartLine:
        """The line of the scores in a chart."""
        return self.report.stored.line if self.report else chart_line(self.shown, PONANZA)

    @cached_property
    def marked(self) -> Mapping[int, Cost]:
        """The marked moves by ply."""
        return {one.ply: one for one in self.report.stored.noted if one.mark} if self.report else {}

    @property
    def others(self) -> list[GameReport]:
        """The reports that are not chosen."""
        return [one for one in self.reports if one is not self.report]

    @cached_property
    def opinions(self) -> Sequence[Cost]:
        """The moves that surprise the network, and those from positions that are hard for it. A move that has
        a mark by the shown scores is not surprising."""
        by_network = (one for one in self.reports if one.engine.source == Engine.Source.NETWORK)
        network = next(by_network, None)
        noted = network.stored.noted if network else ()
        shown = (one._replace(surprising=False) if one.ply in self.marked else one for one in noted)
        return [one for one in shown if one.surprising or one.hard]

    def notes(self) -> dict[int, ScoreNote]:
        """Return scores with signs by ply; that of a hard position stands at the move that leads to it."""
        texts = {one.ply: score_mark(one) for one in self.shown}
        texts |= {ply: f"{texts.get(ply, '')} {SIGNS[cost.mark]}" for ply, cost in self.marked.items()}
        notes = {ply: ScoreNote(text) for ply, text in texts.items()}
        for one in self.opinions:
            for ply, opinion in _opinions_on(one):
                note = notes.get(ply, ScoreNote())
                notes[ply] = note._replace(opinions=(*note.opinions, opinion))
        return notes


def _opinions_on(one: Cost) -> Iterator[tuple[int, str]]:
    """Yield the network's opinions on a move and on the position before it, with their plies."""
    if one.surprising:
        yield one.ply, SURPRISING
    if one.hard:
        yield one.ply - 1, HARD


def scores_of(request: HttpRequest, game: Game, in_comments: Sequence[Evaluation]) -> Scores:
    """Return the scores to show: those of the engine in the address, else of the first one that analysed the
    game, else those in its comments."""
    comments = tuple(best(in_comments))
    reports = tuple(analyses_of_game(game.pk)) if game.features & EVALUATIONS else ()
    number = parse_number(request.GET.get(SCORES, ""), 18)
    chosen = next((one for one in reports if one.engine.pk == number), reports[0] if reports else None)
    if chosen is None or (number == COMMENTS.pk and comments):
        own = report_of_comments(game, in_comments) if comments else None
        return Scores(comments, reports, own, commented=bool(comments))
    return Scores(chosen.stored.scores, reports, chosen, commented=bool(comments))


def engines_context(request: HttpRequest, game: Game, scores: Scores) -> dict[str, Any]:
    """Return the choice of engines, if there is any, and the address of the report."""
    choices = [_choice(request, one, one is scores.report) for one in scores.reports]
    if scores.commented and choices:
        query = address_with(request, **{SCORES: str(COMMENTS.pk)})
        chosen = scores.report not in scores.reports
        choices.append(EngineChoice(_("Comments of the record"), query, chosen, ""))
    address = reverse("game-analysis", args=[game.pk])
    report = f"{address}?{SCORES}={scores.report.engine.pk}" if scores.report else ""
    return {"engines": choices, "report_url": report}


def report_context(
    request: HttpRequest, game: Game, scores: Scores, addresses: NodeAddresses
) -> dict[str, Any]:
    """Return the template's context for the report."""
    context = engines_context(request, game, scores) | _opinion_links(game, scores, addresses)
    report = scores.report
    if report is None:
        return context
    return context | {
        "engine": report.engine,
        "engine_source": _SOURCES[report.engine.source],
        "fitted": report.engine.scale is not None,
        "scale": round(report.engine.winning_scale),
        "log_loss": f"{report.engine.log_loss or 0:.3f}",
        "marked_moves": marked_moves(game, game.jkf, report, addresses),
        "accuracy_phases": _PHASES,
        "calibration": [_band(one) for one in calibrations([report]).get(report.engine.pk, ())],
        "accuracy_rows": _accuracy_rows(request, game, report),
    }


def _opinion_links(game: Game, scores: Scores, addresses: NodeAddresses) -> dict[str, Any]:
    """Return links to the moves that surprise the network, with their likelihoods, and to the positions that
    are hard for it."""
    entries = game.jkf["moves"]

    def link(ply: int) -> NodeLink:
        text = entry_text(game.kind, entries[ply], entries[ply - 1] if ply else None)
        return addresses.link("", ply, text)

    return {
        "surprising": [
            (link(one.ply), percent_text(one.likelihood or 0, 1)) for one in scores.opinions if one.surprising
        ],
        "hard": [link(one.ply - 1) for one in scores.opinions if one.hard],
    }


def _band(one: Band) -> CalibrationRow:
    chances = f"{one.least:.0%} – {one.least + 1 / BANDS:.0%}"
    numbers = number_text(one.positions), number_text(one.games)
    return CalibrationRow(chances, *numbers, f"{one.predicted:.1%}", f"{one.won:.1%}")


def _choice(request: HttpRequest, report: GameReport, chosen: bool) -> EngineChoice:
    title = report.engine.title
    if report.engine.source == Engine.Source.NETWORK:
        title = _("%(name)s (neural network)") % {"name": title}
    accuracies = " – ".join(map(_number, report.accuracies))
    return EngineChoice(title, address_with(request, **{SCORES: str(report.engine.pk)}), chosen, accuracies)


def _number(accuracy: float | None) -> str:
    return "–" if accuracy is None else f"{accuracy:.1f}"


def marked_moves(
    game: Game, record: Record, report: GameReport, addresses: NodeAddresses
) -> list[MarkedMove]:
    """Return mistakes and blunders in the order of the game; linear in its moves."""
    marked = {one.ply: one for one in report.analysis.marked() if one.is_grave}
    best_moves = {one.ply: one.moves for one in report.analysis.evaluations}
    line, entries = GAMES[game.kind].replay.main_line(record), record["moves"]
    moves, last = [], None
    for ply, position, following, _entry in islice(line, max(marked, default=0)):
        if cost := marked.get(ply + 1):
            better = best_moves.get(ply, ())[:_BETTER]
            words = in_words(SHOGI, position, last, better)
            text = entry_text(game.kind, entries[ply + 1], entries[ply] if ply else None)
            moves.append(_marked_move(cost, addresses, text, words, better))
        last = following
    return moves


def _marked_move(
    cost: Cost, addresses: NodeAddresses, text: str, words: Sequence[str], better: Sequence[str]
) -> MarkedMove:
    before = addresses.address("", cost.ply - 1)
    return MarkedMove(
        addresses.link("", cost.ply, text),
        cost.mark,
        SIGNS[cost.mark],
        str(MARKS[cost.mark]),
        f"{50 * cost.loss:.0f}",
        " ".join(words),
        with_parameter(before, f"try={'.'.join(better)}") if better else "",
        cost.turning,
    )


def _accuracy_rows(request: HttpRequest, game: Game, report: GameReport) -> list[AccuracyRow]:
    ratings = dict(GamePlayer.objects.filter(slot=game.slot).values_list("colour", "rating"))
    return [
        AccuracyRow(
            mark,
            _number(report.analysis.accuracy(color)),
            [_number(report.analysis.accuracy(color, phase)) for phase in range(len(_PHASES))],
            " · ".join(_counted(report, color, mark_name) for mark_name in MARKS),
            _judged_text(report, color),
            _rated_text(request, report, ratings.get(color)),
        )
        for color, mark in enumerate(side_marks(game.kind))
    ]


def _counted(report: GameReport, color: int, mark: str) -> str:
    number = sum(one.mark == mark and one.color == color for one in report.analysis.costs)
    return f"{SIGNS[mark]} {number}"


def _judged_text(report: GameReport, color: int) -> str:
    """Return how many moves of a side are judged, for evaluations in comments."""
    if not (played := report.analysis.played(color)):
        return ""
    values = {"judged": report.analysis.moves(color), "moves": played}
    return _("%(judged)s of %(moves)s moves have values") % values


def _rated_text(request: HttpRequest, report: GameReport, rating: int | None) -> str:
    """Return the mean accuracy of players of about this rating, or that too few games have one."""
    if rating is None or report.engine == COMMENTS:
        return ""
    lowest, highest = similar_ratings(rating)
    values: dict[str, Any] = {"from": lowest, "to": highest}
    mean = accuracy_of_rated(scope_of(request), report.engine.pk, rating)
    if mean is None:
        return _("rated %(from)s to %(to)s: too few analysed games to compare") % values
    values |= {"accuracy": f"{mean.accuracy:.1f}", "games": number_text(mean.games)}
    return _("rated %(from)s to %(to)s: %(accuracy)s on average of %(games)s games") % values
