"""Castles and openings: the list of them, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from archive.derive.issues import language
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import games_among
from archive.queries.names.people import ResultCounts
from archive.queries.patterns import formation_counts as queries
from archive.queries.scope import scope_of
from archive.web.lists.browsing import Plot, years_plot
from archive.web.lists.rows import side_mark, side_marks
from archive.web.shogi.pages import SHOGI as PAGES
from archive.web.wording import formation as called
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NAME, CASTLES, OPENINGS, Formation
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.words import localized_text

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.utils.safestring import SafeString

    from archive.queries.games.listing import GameRow
    from archive.queries.patterns.formation_counts import FormationCount, FormationDetails
    from archive.queries.scope import Scope

_SHOWN: Final = 20
"""Games that the page of a formation lists."""


def formations(request: HttpRequest) -> HttpResponse:
    """List all castles and openings, the most frequent first."""
    found = queries.formation_counts(scope_of(request))
    context = {
        "groups": [
            (_("Castles"), "castles", _ranked(CASTLES, found)),
            (_("Openings"), "openings", _ranked(OPENINGS, found)),
        ],
        "section": "formations",
    }
    return render(request, "shogi/formations.html", context)


def _ranked(some: tuple[Formation, ...], found: dict[str, FormationCount]) -> list[dict[str, Any]]:
    """Return formations with what they are called and how they fared, the most frequent first."""
    ranked = sorted(some, key=lambda one: -found[one.name].games if one.name in found else 0)
    return [_row(one, found.get(one.name)) for one in ranked]


def _row(one: Formation, found: FormationCount | None) -> dict[str, Any]:
    return {
        "name": one.name,
        "called": called(one.name),
        "also": _also(one),
        "games": found.games if found else 0,
        "tally": found.tally if found else ResultCounts(),
    }


def _also(one: Formation) -> str:
    """Return what a formation is called beside the name in the language of the page."""
    return f"{one.reading} · {one.english}" if language() == "ja" else f"{one.japanese} ({one.reading})"


def one_formation(request: HttpRequest, formation: str) -> HttpResponse:
    """Show a castle or an opening: what it is, how it fares, when it arises, against what, who plays it, what
    is played next, its last games."""
    one = BY_NAME.get(formation)
    if one is None:
        raise Http404(_("There is no castle or opening of this name."))
    scope = scope_of(request)
    found = queries.formation_details(scope, one)
    shown = found.games[:_SHOWN]
    context = {
        "one": _row(one, queries.formation_counts(scope).get(formation)),
        "family": _("Castles") if one.family == "castle" else _("Openings"),
        "parents": [(parent, called(parent)) for parent in one.parents],
        "forms": [(form.name, called(form.name)) for form in BY_NAME.values() if formation in form.parents],
        "patterns": [(text, urlencode({"pattern": text})) for text in _written(one)],
        "until": one.until,
        "sources": one.sources,
        "found": found,
        "sides": list(zip(map(str, PAGES.words.seats), side_marks(SHOGI.name), found.colours, strict=True)),
        "plots": _plots(found),
        "against": [(other.name, called(other.name), tally) for other, tally in found.against],
        "moves": [(SHOGI.text.record_move_label(move, None, language()), n) for move, n in found.moves],
        "latest": _latest(scope, shown),
        "places": _places(shown),
        "games_query": urlencode({"formation": formation}),
        "section": "formations",
    }
    return render(request, "shogi/formation.html", context)


def _written(one: Formation) -> list[str]:
    """Return the patterns of a formation as the page writes them."""
    return [localized_text(parse(text), language()) for text in one.patterns]


def _latest(scope: Scope, shown: tuple[tuple[int, int, int], ...]) -> list[GameRow]:
    """Return games in the order in which they are named, each once."""
    ids = list(dict.fromkeys(pk for pk, _colour, _ply in shown))
    rows = {row.id: row for row in games_among(scope, GameFilters(), ids)}
    return [rows[pk] for pk in ids if pk in rows]


def _plots(found: FormationDetails) -> list[Plot]:
    plies = tuple((f"{first}–{first + queries.PLY_STEP - 1}", n) for first, n in found.plies)
    plots = [years_plot(found.years)] if len(found.years) > 1 else []
    return [*plots, Plot(_("When it appears"), _("games"), _("Move number"), plies)] if plies else plots


def _places(shown: tuple[tuple[int, int, int], ...]) -> dict[int, SafeString]:
    """Return for games, by id, a link to the ply at which a side has it first."""
    found: dict[int, SafeString] = {}
    for pk, colour, ply in shown:
        address = f"{reverse('game', args=[pk])}?ply={ply}"
        text = _("at move %(ply)s") % {"ply": ply}
        mark = side_mark(SHOGI.name, colour)
        link = format_html('<a class="small" href="{}">{} {}</a>', address, mark, text)
        found[pk] = format_html("{} {}", found[pk], link) if pk in found else link
    return found
