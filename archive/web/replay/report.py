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

from archive.derive.chances import BLUNDER, INACCURACY, MISTAKE, PONANZA
from archive.derive.text import EVALUATIONS
from archive.models import Engine, GamePlayer
from archive.queries.games.analyses import accuracy_of_rated, analyses_of_game, similar_ratings
from archive.queries.scope import scope_of
from archive.web.addresses import address_with, with_parameter
from archive.web.forms import parse_number
from archive.web.lists.rows import side_marks
from archive.web.replay.engine_lines import in_words
from archive.web.wording import entry_text, number_text, score_mark
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.evaluations import best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest
    from django.utils.functional import Promise
    from django.utils.safestring import SafeString

    from archive.derive.chances import Cost
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
}
SCORES: Final = "scores"
"""The parameter of addresses that names the engine whose scores are shown."""
COMMENTS: Final = 0
"""The number in addresses for the evaluations in comments."""
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
    """The accuracies of a side: in all, by phase, its marks, and of players of its rating."""

    side: SafeString
    accuracy: str
    phases: list[str]
    marks: str
    rated: str


@dataclass(frozen=True)
class Scores:
    """The scores that a page shows: by an engine, or those in comments (`report` is None)."""

    evaluations: tuple[Evaluation, ...]
    reports: tuple[GameReport, ...] = ()
    report: GameReport | None = None
    commented: bool = False
    """Whether comments of the record have scores, too."""

    @property
    def scale(self) -> float:
        return self.report.engine.winning_scale if self.report else PONANZA

    @cached_property
    def marked(self) -> Mapping[int, Cost]:
        """The marked moves by ply."""
        return {one.ply: one for one in self.report.analysis.marked()} if self.report else {}

    @property
    def others(self) -> list[GameReport]:
        """The reports that are not chosen."""
        return [one for one in self.reports if one is not self.report]

    def texts(self) -> dict[int, str]:
        """Return scores with the signs of marks, by ply."""
        texts = {one.ply: score_mark(one) for one in self.evaluations}
        return texts | {ply: f"{texts[ply]} {SIGNS[cost.mark]}" for ply, cost in self.marked.items()}


def scores_of(request: HttpRequest, game: Game, in_comments: Sequence[Evaluation]) -> Scores:
    """Return the scores to show: those of the engine in the address, else of the first one that analysed the
    game, else those in its comments."""
    comments = tuple(best(in_comments))
    reports = tuple(analyses_of_game(game.pk)) if game.features & EVALUATIONS else ()
    number = parse_number(request.GET.get(SCORES, ""), 18)
    if number == COMMENTS and comments:
        return Scores(comments, reports, commented=True)
    chosen = next((one for one in reports if one.engine.pk == number), reports[0] if reports else None)
    if chosen is None:
        return Scores(comments)
    return Scores(chosen.evaluations, reports, chosen, commented=bool(comments))


def engines_context(request: HttpRequest, game: Game, scores: Scores) -> dict[str, Any]:
    """Return the choice of engines, and the address of the report; nothing for a game without an analysis."""
    if not scores.reports:
        return {}
    choices = [_choice(request, one, one is scores.report) for one in scores.reports]
    if scores.commented:
        query = address_with(request, **{SCORES: str(COMMENTS)})
        choices.append(EngineChoice(_("Comments of the record"), query, not scores.report, ""))
    address = reverse("game-analysis", args=[game.pk])
    report = f"{address}?{SCORES}={scores.report.engine.pk}" if scores.report else ""
    return {"engines": choices, "report_url": report}


def report_context(
    request: HttpRequest, game: Game, scores: Scores, addresses: NodeAddresses
) -> dict[str, Any]:
    """Return the template's context for the report; nothing for a game that no engine has analysed."""
    report = scores.report
    if report is None:
        return engines_context(request, game, scores)
    return engines_context(request, game, scores) | {
        "engine": report.engine,
        "engine_source": _SOURCES[report.engine.source],
        "fitted": report.engine.scale is not None,
        "scale": round(report.engine.winning_scale),
        "log_loss": f"{report.engine.log_loss or 0:.3f}",
        "marked_moves": marked_moves(game, game.jkf, report, addresses),
        "accuracy_phases": _PHASES,
        "accuracy_rows": _accuracy_rows(request, game, report),
    }


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
    best_moves = {one.ply: one.moves for one in report.evaluations}
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
            _rated_text(request, report, ratings.get(color)),
        )
        for color, mark in enumerate(side_marks(game.kind))
    ]


def _counted(report: GameReport, color: int, mark: str) -> str:
    number = sum(one.mark == mark and one.color == color for one in report.analysis.costs)
    return f"{SIGNS[mark]} {number}"


def _rated_text(request: HttpRequest, report: GameReport, rating: int | None) -> str:
    """Return the mean accuracy of players of about this rating, or that too few games have one."""
    if rating is None:
        return ""
    lowest, highest = similar_ratings(rating)
    values: dict[str, Any] = {"from": lowest, "to": highest}
    mean = accuracy_of_rated(scope_of(request), report.engine.pk, rating)
    if mean is None:
        return _("rated %(from)s to %(to)s: too few analysed games to compare") % values
    values |= {"accuracy": f"{mean.accuracy:.1f}", "games": number_text(mean.games)}
    return _("rated %(from)s to %(to)s: %(accuracy)s on average of %(games)s games") % values
