"""Castles and openings: their list, and the page of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.http import Http404
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.translation import gettext as _

from archive.derive.issues import language
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import games_among
from archive.queries.names.people import ResultCounts
from archive.queries.patterns import formation_counts as queries
from archive.queries.scope import scope_of
from archive.web.lists.browsing import Plot, years_plot
from archive.web.lists.rows import place_link, side_marks
from archive.web.shogi.pages import SHOGI as SHOGI_PAGES
from archive.web.wording import formation_name
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

_MOST_GAMES: Final = 20
"""Games on the page of a formation."""


def formations(request: HttpRequest) -> HttpResponse:
    """List castles and openings, the most frequent first."""
    counts = queries.formation_counts(scope_of(request))
    context = {
        "groups": [
            (_("Castles"), "castles", _ranked(CASTLES, counts)),
            (_("Openings"), "openings", _ranked(OPENINGS, counts)),
        ],
        "section": "formations",
    }
    return render(request, "shogi/formations.html", context)


def _ranked(group: tuple[Formation, ...], counts: dict[str, FormationCount]) -> list[dict[str, Any]]:
    """Return the rows of formations, the most frequent first."""
    rows = [_row(formation, counts.get(formation.name)) for formation in group]
    return sorted(rows, key=lambda row: -row["games"])


def _row(row: Formation, count: FormationCount | None) -> dict[str, Any]:
    return {
        "name": row.name,
        "called": formation_name(row.name),
        "also": _also(row),
        "games": count.games if count else 0,
        "tally": count.tally if count else ResultCounts(),
    }


def _also(row: Formation) -> str:
    """Return the other names of a formation than that in the language of the page."""
    return f"{row.reading} · {row.english}" if language() == "ja" else f"{row.japanese} ({row.reading})"


def one_formation(request: HttpRequest, formation: str) -> HttpResponse:
    """Show a castle or an opening: its patterns, results, plies, opponents, players, next moves and last
    games."""
    row = BY_NAME.get(formation)
    if row is None:
        raise Http404(_("There is no castle or opening of this name."))
    scope = scope_of(request)
    details = queries.formation_details(scope, row)
    shown = details.games[:_MOST_GAMES]
    pattern_texts = [localized_text(parse(text), language()) for text in row.patterns]
    context = {
        "one": _row(row, queries.formation_counts(scope).get(formation)),
        "family": _("Castles") if row.family == "castle" else _("Openings"),
        "parents": [(parent, formation_name(parent)) for parent in row.parents],
        "forms": [
            (form.name, formation_name(form.name)) for form in BY_NAME.values() if formation in form.parents
        ],
        "patterns": [(text, urlencode({"pattern": text})) for text in pattern_texts],
        "until": row.until,
        "sources": row.sources,
        "details": details,
        "sides": list(
            zip(map(str, SHOGI_PAGES.words.seats), side_marks(SHOGI.name), details.colours, strict=True)
        ),
        "plots": _plots(details),
        "against": [(other.name, formation_name(other.name), tally) for other, tally in details.against],
        "moves": [(SHOGI.text.record_move_label(move, None, language()), n) for move, n in details.moves],
        "latest": _latest(scope, shown),
        "places": _places(shown),
        "games_query": urlencode({"formation": formation}),
        "section": "formations",
    }
    return render(request, "shogi/formation.html", context)


def _latest(scope: Scope, shown: tuple[tuple[int, int, int], ...]) -> list[GameRow]:
    """Return the games in order, each once."""
    ids = list(dict.fromkeys(pk for pk, _colour, _ply in shown))
    rows = {row.id: row for row in games_among(scope, GameFilters(), ids)}
    return [rows[pk] for pk in ids if pk in rows]


def _plots(details: FormationDetails) -> list[Plot]:
    plies = tuple((f"{first}–{first + queries.PLY_STEP - 1}", n) for first, n in details.plies)
    plots = [years_plot(details.years)] if len(details.years) > 1 else []
    return [*plots, Plot(_("When it appears"), _("games"), _("Move number"), plies)] if plies else plots


def _places(shown: tuple[tuple[int, int, int], ...]) -> dict[int, SafeString]:
    """Return links to the first ply with the formation, by id of the game."""
    links: dict[int, SafeString] = {}
    for pk, colour, ply in shown:
        link = place_link(pk, f"?ply={ply}", colour, _("at move %(ply)s") % {"ply": ply})
        links[pk] = format_html("{} {}", links[pk], link) if pk in links else link
    return links
