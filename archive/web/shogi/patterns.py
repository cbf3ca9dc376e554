"""Search by part of a board: a pattern as text, and what is known about the games that have it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import BadRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
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
from archive.web.lists.filtering import in_use, query_of
from archive.web.lists.game_search import chips
from archive.web.lists.rows import side_mark
from archive.web.replay.lines import squares_query
from archive.web.replay.record import node_query
from archive.web.shogi.drawing import wrong_with
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
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
"""Patterns that the empty page offers: castles, an opening, hands, one thing after another."""


def patterns(request: HttpRequest) -> HttpResponse:
    """Show which games have a pattern, how these ended, when, for whom, and what is played next."""
    text = request.GET.get("pattern", "").strip()
    form = PatternFilterForm(request.GET, label_suffix="")
    context: dict[str, Any] = {
        "text": text,
        "longest": LONGEST,
        "examples": EXAMPLES[language()],
        "section": "patterns",
        "chips": chips(scope_of(request), form, {"pattern": text}),
        "also": in_use(form),
        "edit": query_of({"pattern": text, **in_use(form)}),
    }
    status = 400 if text and not form.is_valid() else 200
    if text:
        try:
            context |= _found(request, text, form)
        except InvalidCursorError as error:
            raise BadRequest("cursor") from error
        except QueryError as error:
            context["wrong"], status = error.message(), 429 if error.code == BUSY else 422
        except KifuError as error:
            context |= wrong_with(text, error)
            status = 400

    response = render(request, "shogi/patterns.html", context | {"form": form}, status=status)
    if status == 429:
        response["Retry-After"] = "1"
    return response


def _found(request: HttpRequest, text: str, form: PatternFilterForm) -> dict[str, Any]:
    """Return what the page tells of a pattern among the games that a form asks for; without games where the
    form is wrong. Raises as `parse` and `pattern_games` do."""
    pattern = parse(text)
    if not form.is_valid():
        return {}
    filters = game_filters(form.cleaned_data)
    cursor = request.GET.get("cursor") or None
    found = pattern_games(scope_of(request), pattern, filters, cursor=cursor, limit=PAGE)
    after, also, written = found.page.next, in_use(form), localized_text(pattern, language())
    return {
        "text": written,
        "found": found,
        "hints": [] if found.games else _hints(pattern),
        "drawn": drawn(pattern, {"pattern": written, **also}),
        "whole": pattern_words(pattern, language()),
        "results": _results(found.results),
        "plots": _plots(found),
        "moves": [_move(one, pattern, also) for one in found.moves],
        "steps": len(pattern.steps),
        "rows": [one.row for one in found.page.items],
        "places": {one.row.id: _place(one) for one in found.page.items},
        "queries": {one.row.id: _query(one) for one in found.page.items},
        "next": query_of({"pattern": written, **also, "cursor": after}) if after else "",
        "query": query_of(also | {"q": _as_query(written, also.get("q", ""))}),
    }


def _hints(pattern: Pattern) -> list[str]:
    """Return why no game can have a pattern."""
    return [impossible_words(one, pattern, language()) for one in impossible(pattern)]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A step of a pattern as pages show it: when it follows the one before, what it asks in words, and where
    it is drawn."""

    step: PatternStep
    follows: str
    words: list[str]
    editor: str

    @property
    def label(self) -> str:
        """Return the words for those who do not see the board."""
        return ". ".join(self.words)


def drawn(pattern: Pattern, asked: dict[str, str]) -> list[Drawn]:
    """Return the steps of a pattern for the boards of a page; what is `asked` goes to the editor."""
    spoken, editor = language(), reverse("position-edit")
    follows = ["", *(gap_words(gap, spoken) for gap in pattern.gaps)]
    return [
        Drawn(step, words, step_words(step, spoken), editor + query_of({**asked, **_step(number)}))
        for number, (step, words) in enumerate(zip(pattern.steps, follows, strict=True))
    ]


def _step(number: int) -> dict[str, int]:
    """Return what an address says of a step, which counts from 0; without that the first is drawn."""
    return {"step": number + 1} if number else {}


def _results(found: PatternScore) -> list[tuple[str, int]]:
    """Return outcomes with their names."""
    return [
        (_("You won"), found.own),
        (_("Opponent won"), found.enemy),
        (_("drawn"), found.draw),
        (_("unknown"), found.unknown),
    ]


def _plots(found: PatternSummary) -> list[Plot]:
    plots = [years_plot(without_gaps(Counter(dict(found.years))))] if len(found.years) > 1 else []
    if found.plies:
        plots.append(
            Plot(_("When it first appears"), _("games"), _("Move number"), tuple(_spans(dict(found.plies))))
        )
    return plots


def _spans(plies: dict[int, int]) -> Iterator[tuple[str, int]]:
    """Yield spans of plies from the lowest to the highest with their games: `STEP` plies each, or so many
    times as many that there are `_MOST_SPANS` at most."""
    first, last = min(plies), max(plies)
    width = STEP * -(-(last - first + STEP) // (STEP * _MOST_SPANS))
    wider: Counter[int] = Counter()
    for ply, n in plies.items():
        wider[(ply - first) // width] += n
    for number in range(max(wider) + 1):
        begin = first + number * width
        yield f"{begin}–{begin + width - 1}", wider[number]


@dataclass(frozen=True, slots=True)
class Move:
    """A move that is played next: in words, where it leads (empty where no pattern says so), in how many
    games, and what the own side made of it."""

    text: str
    query: str
    games: int
    results: PatternScore


def _as_query(text: str, other: str) -> str:
    """Return the query for the games with a pattern that another query finds, too."""
    asked = 'pattern:"' + text.replace('"', '""') + '"'
    return f"{asked} AND ({other})" if other else asked


def _move(one: MoveAfterPattern, pattern: Pattern, also: dict[str, str]) -> Move:
    text = lone_move_label(one.packed, one.kind, int(not one.own), language())
    after = followed_by(pattern, one.packed, one.kind, one.own)
    asked = localized_text(after, language()) if after else ""
    query = query_of({"pattern": asked, **also}) if 0 < len(asked) <= LONGEST else ""
    return Move(text, query, one.games, one.results)


def places_in_list(
    scope: Scope, query: str | None, rows: Sequence[GameRow]
) -> tuple[dict[int, SafeString], dict[int, str]]:
    """Return what stands below games of a list of a valid query, by their ids, and with which queries they
    open, where the query has a pattern. Raises QueryError."""
    found = first_occurrences(scope, query, rows) if query else {}
    return {pk: _place(one) for pk, one in found.items()}, {pk: _query(one) for pk, one in found.items()}


def _query(one: PatternGame) -> str:
    """Return the query with which a game opens where the pattern stands first, its squares marked."""
    where = node_query(one.path, one.ply) or "?ply=0"
    return where + squares_query(USI[square] for square in one.squares)


def _place(one: PatternGame) -> SafeString:
    """Return a link to where the pattern stands first in a game."""
    text = _("variation, move %(ply)s") if one.fork else _("at move %(ply)s")
    mirrored = f" · {_('mirrored')}" if one.mirrored else ""
    return format_html(
        '<a class="small" href="{}">{} {}{}</a>',
        reverse("game", args=[one.row.id]) + _query(one),
        side_mark(SHOGI.name, one.own),
        text % {"ply": one.ply},
        mirrored,
    )
