"""Search by part of a board: a pattern as text, and a summary of its games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import BadRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from archive.derive.issues import language
from archive.queries.games.filters import game_filters
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.names.people import without_gaps
from archive.queries.patterns.summary import (
    STEP,
    MoveAfterPattern,
    PatternGame,
    PatternScore,
    PatternSummary,
    first_occurrences,
    pattern_games,
)
from archive.queries.scope import scope_of
from archive.queries.search.errors import BUSY, QueryError
from archive.web.forms import PatternFilterForm
from archive.web.lists.browsing import Plot, years_plot
from archive.web.lists.filtering import query_of, values_in_use
from archive.web.lists.game_search import chips
from archive.web.lists.rows import place_link
from archive.web.replay.lines import squares_query
from archive.web.replay.record import node_query
from archive.web.shogi.drawing import error_context
from kifu_core.errors import KifuError
from kifu_core.shogi.notation import lone_move_label
from kifu_core.shogi.patterns import Pattern, PatternStep, followed_by, impossible, parse
from kifu_core.shogi.patterns.text import LONGEST
from kifu_core.shogi.patterns.words import (
    gap_words,
    impossible_words,
    localized_text,
    pattern_words,
    step_words,
)
from kifu_core.shogi.squares import USI

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.http import HttpRequest, HttpResponse
    from django.utils.safestring import SafeString

    from archive.queries.games.listing import GameRow
    from archive.queries.scope import Scope
    from kifu_core.messages import Language

PAGE: Final = 50
_MOST_SPANS: Final = 60
"""Columns of a plot of plies."""
EXAMPLES: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("K9i L9h N8i S8h", "K2h S3h G4i", "R5h P5e", "hand:B,b S5f P4f", "K8h then<=20 K9i"),
    "ja": (
        "9九玉9八香8九桂8八銀",
        "2八玉3八銀4九金",
        "5八飛5五歩",
        "持駒:角、△角 5六銀4六歩",
        "8八玉その後20手以内9九玉",
    ),
}
"""Patterns on the empty page: castles, an opening, hands, a sequence."""


def patterns(request: HttpRequest) -> HttpResponse:
    """Show the games with a pattern, their results, plies, years and players, and the next moves."""
    text = request.GET.get("pattern", "").strip()
    form = PatternFilterForm(request.GET, label_suffix="")
    context: dict[str, Any] = {
        "text": text,
        "longest": LONGEST,
        "examples": EXAMPLES[language()],
        "section": "patterns",
        "chips": chips(scope_of(request), form, {"pattern": text}),
        "also": values_in_use(form),
        "edit": query_of({"pattern": text, **values_in_use(form)}),
    }
    status = 400 if text and not form.is_valid() else 200
    if text:
        try:
            context |= _summary(request, text, form)
        except InvalidCursorError as error:
            raise BadRequest("cursor") from error
        except QueryError as error:
            context["wrong"], status = error.message(), 429 if error.code == BUSY else 422
        except KifuError as error:
            context |= error_context(text, error)
            status = 400

    response = render(request, "shogi/patterns.html", context | {"form": form}, status=status)
    if status == 429:
        response["Retry-After"] = "1"
    return response


def _summary(request: HttpRequest, text: str, form: PatternFilterForm) -> dict[str, Any]:
    """Return the summary of a pattern among the games of a form; empty for an invalid form.

    Raises the errors of `parse` and `pattern_games`.
    """
    pattern = parse(text)
    if not form.is_valid():
        return {}
    filters = game_filters(form.cleaned_data)
    cursor = request.GET.get("cursor") or None
    summary = pattern_games(scope_of(request), pattern, filters, cursor=cursor, limit=PAGE)
    games, after = summary.page.items, summary.page.next
    also, active = values_in_use(form), language()
    localized = localized_text(pattern, active)
    hints = [] if summary.games else [impossible_words(one, pattern, active) for one in impossible(pattern)]
    return {
        "text": localized,
        "summary": summary,
        "hints": hints,
        "drawn": drawn(pattern, {"pattern": localized, **also}),
        "description": pattern_words(pattern, active),
        "results": _results(summary.results),
        "plots": _plots(summary),
        "moves": [_move(one, pattern, also) for one in summary.moves],
        "steps": len(pattern.steps),
        "rows": [game.row for game in games],
        "places": {game.row.id: _place(game) for game in games},
        "queries": {game.row.id: _query(game) for game in games},
        "next": query_of({"pattern": localized, **also, "cursor": after}) if after else "",
        "query": query_of(also | {"q": _as_query(localized, also.get("q", ""))}),
    }


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step of a pattern for pages: its distance from the previous one and its conditions in words, and the
    address of the editor."""

    step: PatternStep
    follows: str
    words: list[str]
    editor: str

    @property
    def label(self) -> str:
        """Return the description for those who cannot see the board."""
        return ". ".join(self.words)


def drawn(pattern: Pattern, parameters: dict[str, str]) -> list[DrawnStep]:
    """Return the steps of a pattern for the boards of a page; `parameters` are passed to the editor."""
    active, editor = language(), reverse("position-edit")
    follows = ["", *(gap_words(gap, active) for gap in pattern.gaps)]
    # The editor shows the first step by default.
    queries = [parameters | ({"step": str(n)} if n > 1 else {}) for n in range(1, len(follows) + 1)]
    return [
        DrawnStep(step, words, step_words(step, active), editor + query_of(query))
        for step, words, query in zip(pattern.steps, follows, queries, strict=True)
    ]


def _results(score: PatternScore) -> list[tuple[str, int]]:
    return [
        (_("You won"), score.own),
        (_("Opponent won"), score.enemy),
        (_("drawn"), score.draw),
        (_("unknown"), score.unknown),
    ]


def _plots(summary: PatternSummary) -> list[Plot]:
    plots = [years_plot(without_gaps(Counter(dict(summary.years))))] if len(summary.years) > 1 else []
    if summary.plies:
        plots.append(
            Plot(_("When it first appears"), _("games"), _("Move number"), tuple(_spans(dict(summary.plies))))
        )
    return plots


def _spans(plies: dict[int, int]) -> Iterator[tuple[str, int]]:
    """Yield spans of plies with their games: `STEP` plies each, or a multiple that makes at most
    `_MOST_SPANS`."""
    first, last = min(plies), max(plies)
    width = STEP * -(-(last - first + STEP) // (STEP * _MOST_SPANS))
    wider: Counter[int] = Counter()
    for ply, n in plies.items():
        wider[(ply - first) // width] += n
    for number in range(max(wider) + 1):
        begin = first + number * width
        yield f"{begin}–{begin + width - 1}", wider[number]


@dataclass(frozen=True, slots=True)
class NextMove:
    """A move played next: in words, the query of the pattern after it (empty if there is none), its games and
    their results."""

    text: str
    query: str
    games: int
    results: PatternScore


def _as_query(text: str, other: str) -> str:
    """Return the query for the games that have a pattern and match another query."""
    term = 'pattern:"' + text.replace('"', '""') + '"'
    return f"{term} AND ({other})" if other else term


def _move(one: MoveAfterPattern, pattern: Pattern, also: dict[str, str]) -> NextMove:
    text = lone_move_label(one.packed, one.kind, int(not one.own), language())
    after = followed_by(pattern, one.packed, one.kind, one.own)
    localized = localized_text(after, language()) if after else ""
    query = query_of({"pattern": localized, **also}) if 0 < len(localized) <= LONGEST else ""
    return NextMove(text, query, one.games, one.results)


def places_in_list(
    scope: Scope, query: str | None, rows: Sequence[GameRow]
) -> tuple[dict[int, SafeString], dict[int, str]]:
    """Return links to the first occurrence of the pattern in a valid query, and the queries of the games'
    addresses, by id; empty for a query without a pattern. Raises QueryError."""
    games = first_occurrences(scope, query, rows) if query else {}
    return {pk: _place(game) for pk, game in games.items()}, {pk: _query(game) for pk, game in games.items()}


def _query(one: PatternGame) -> str:
    """Return the query for the first occurrence of the pattern with marks on its squares."""
    where = node_query(one.path, one.ply) or "?ply=0"
    return where + squares_query(USI[square] for square in one.squares)


def _place(one: PatternGame) -> SafeString:
    """Return a link to the first occurrence of the pattern in a game."""
    text = (_("variation, move %(ply)s") if one.fork else _("at move %(ply)s")) % {"ply": one.ply}
    mirrored = f" · {_('mirrored')}" if one.mirrored else ""
    return place_link(one.row.id, _query(one), one.own, text + mirrored)
