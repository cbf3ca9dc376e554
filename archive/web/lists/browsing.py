"""Browsing: players, events, and what the whole archive adds up to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from archive.caching.values import one_snapshot
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import latest_games
from archive.queries.games.records_by_kind import STEP
from archive.queries.games.statistics import DURATIONS, statistics
from archive.queries.games.totals import names_total
from archive.queries.names import directory, people
from archive.queries.names.ids_of_names import NameKind
from archive.queries.positions.explorer import explore
from archive.queries.scope import Scope, scope_of
from archive.web.game_registry import PAGES
from archive.web.lists.filtering import query_of
from archive.web.lists.rows import side_marks
from archive.web.wording import GAMES as WORDS
from archive.web.wording import RESULTS_OF, ending_text, number_text, opening_text
from kifu_core.games import GAMES

PAGE: Final = 100
_LATEST: Final = 10
_FIRST_MOVES: Final = 5
_LABELLED: Final = 5
_MOST_YEARS: Final = 80
_COLUMN: Final = 0.85
_MANY_COLUMNS: Final = 10
"""Fewer are narrower: a plot of two years is no pair of walls."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Numbers by year or by another row of whole numbers: a picture, its scale in words, and its table."""

    title: str
    unit: str
    label: str
    rows: tuple[tuple[str, int], ...]

    @property
    def most(self) -> int:
        return max((number for _label, number in self.rows), default=0)

    @property
    def few(self) -> bool:
        """Return whether there is room for a label below each column."""
        return len(self.rows) < _LABELLED

    @property
    def svg(self) -> SafeString:
        """Columns side by side, each in the middle of its place."""
        width = _COLUMN * min(1, (len(self.rows) + 1) / _MANY_COLUMNS)
        path = "".join(
            f"M{place + (1 - width) / 2:.3f} {self.most}v{-number}h{width:.3f}v{number}z"
            for place, (_label, number) in enumerate(self.rows)
            if number
        )
        return format_html(
            '<svg class="columns" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">'
            '<path d="{}"/></svg>',
            max(len(self.rows), 1),
            max(self.most, 1),
            f"{self.title} ({self.unit})",
            path,
        )


@one_snapshot()
def players(request: HttpRequest) -> HttpResponse:
    """List all players."""
    return _names(request, "player")


@one_snapshot()
def events(request: HttpRequest) -> HttpResponse:
    """List all events."""
    return _names(request, "event")


def _names(request: HttpRequest, kind: NameKind) -> HttpResponse:
    words, after = (request.GET.get(name, "").strip()[:200] for name in ("name", "after"))
    usual = directory.ORDERS[kind][0]
    order = next((name for name in directory.ORDERS[kind] if name == request.GET.get("order", usual)), None)
    if order is None:
        raise BadRequest("order")
    row = _row_asked(request, order)
    try:
        found = directory.list_names(scope_of(request), kind, order, words, after, row, PAGE)
    except ValueError as error:
        raise BadRequest("after") from error
    titles = {"player": _("Players"), "event": _("Events")}
    asked = {"name": words, "order": "" if order == usual else order}
    context = {
        "kind": kind,
        "title": titles[kind],
        "words": words,
        "order": asked["order"],
        "found": found.items,
        "sorting": [
            {"text": NAME_ORDERS[one], "href": _query(asked | {"order": one}), "chosen": one == order}
            for one in directory.ORDERS[kind]
        ],
        "rows": _rows(asked, row) if order == "reading" and (found.next or after or row is not None) else [],
        "row_names": ROW_NAMES,
        "next": _query(asked | {"after": found.next}) if found.next else "",
        "cut": directory.RANKED if found.cut and not found.next else 0,
        "many": 0 if order == "games" else people.COUNTED_TO,
        "total": names_total(scope_of(request), kind, words),
        "section": f"{kind}s",
    }
    return render(request, "archive/names.html", context)


NAME_ORDERS: Final[dict[directory.Listing, Promise]] = {
    "reading": gettext_lazy("By reading"),
    "name": gettext_lazy("By name"),
    "games": gettext_lazy("Most games first"),
}
"""The orders of lists of names."""

ROW_NAMES: Final[dict[str, str | Promise]] = {
    **{row: row for row in directory.BEGINNINGS},
    directory.LATIN: "A–Z",
    directory.UNKNOWN: gettext_lazy("Reading not known"),
}
"""What names by reading stand under."""

_OTHERS: Final = "others"
"""What addresses call the names whose reading is not known."""


def _row_asked(request: HttpRequest, order: directory.Listing) -> str | None:
    """Return the row with which a list by reading is to begin; None for its beginning.

    Raise BadRequest for a row that this list does not have.
    """
    asked = request.GET.get("row")
    if asked is None:
        return None
    row = directory.UNKNOWN if asked == _OTHERS else asked
    if order != "reading" or row not in directory.BEGINNINGS or not asked:
        raise BadRequest("row")
    return row


def _rows(asked: Mapping[str, str], chosen: str | None) -> list[dict[str, Any]]:
    """Return links to the rows with which the list can begin, and which of them is the chosen one."""
    return [
        {"text": ROW_NAMES[row], "href": _query({**asked, "row": row or _OTHERS}), "chosen": row == chosen}
        for row in directory.BEGINNINGS
    ]


def _query(asked: Mapping[str, str]) -> str:
    """Return the page's address with what is asked for."""
    return query_of({name: value for name, value in asked.items() if value})


@one_snapshot()
def player(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player: record by side, opponents, years, openings, latest games."""
    found = people.player_summary(scope_of(request), player_id)
    if found is None and (now := people.merged_names(scope_of(request), player_id)) is not None:
        return redirect("player", now, permanent=True)
    if found is None:
        raise Http404(_("There is no player with this number."))
    context = _summary(found) | {
        "kind": "player",
        "section": "players",
        "sides": [side for kind, both in found.sides.items() for side in _sides(kind, both)],
        "people_title": _("Opponents"),
        "games_query": urlencode({"player": found.name}),
        "latest": latest_games(scope_of(request), GameFilters(player=found.name), _LATEST),
        "first_moves": [
            one for kind in found.sides if (one := _first_moves(scope_of(request), kind, found.name))["moves"]
        ],
    }
    return render(request, "archive/summary.html", context)


def _first_moves(scope: Scope, kind: str, name: str) -> dict[str, Any]:
    """Return the player's first moves, as the side that usually begins."""
    found = _from_start(scope, kind, _FIRST_MOVES, GameFilters(black=name))
    return {"title": PAGES[kind].words.first_moves, **found}


@one_snapshot()
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show an event: results, players, years, openings, latest games."""
    found = people.event_summary(scope_of(request), event_id)
    if found is None:
        raise Http404(_("There is no event with this number."))
    context = _summary(found) | {
        "kind": "event",
        "section": "events",
        "sides": [_sides(kind, both)[0] for kind, both in found.sides.items()],
        "people_title": _("Players"),
        "games_query": urlencode({"event": found.name}),
        "latest": latest_games(scope_of(request), GameFilters(event=found.name), _LATEST),
    }
    return render(request, "archive/summary.html", context)


def _sides(
    kind: str, tallies: tuple[people.ResultCounts, people.ResultCounts]
) -> list[tuple[str, SafeString, people.ResultCounts]]:
    """Return name, mark and games of both sides."""
    return list(zip(map(str, PAGES[kind].words.seats), side_marks(kind), tallies, strict=True))


def _summary(found: people.Summary) -> dict[str, Any]:
    return {
        "found": found,
        "plots": [years_plot(found.years)] if len(found.years) > 1 else [],
    }


def years_plot(years: tuple[tuple[int, int], ...]) -> Plot:
    """Plot games by year, or by decade where a column for each year would be a hair."""
    if len(years) > _MOST_YEARS:
        decades: Counter[int] = Counter()
        for year, n in years:
            decades[year // 10 * 10] += n
        rows = tuple((f"{first}–{first + 9}", n) for first, n in sorted(decades.items()))
        return Plot(_("Games by decade"), _("games"), _("Decade"), rows)
    return Plot(_("Games by year"), _("games"), _("Year"), tuple((str(year), n) for year, n in years))


@one_snapshot()
def statistics_page(request: HttpRequest) -> HttpResponse:
    """Show what the whole archive adds up to."""
    asked = request.GET.get("game")
    found = statistics(scope_of(request), asked if asked in GAMES else None)
    first_moves = _from_start(scope_of(request), found.kind, 2 * _FIRST_MOVES)
    # Where the number is not exact, the table of first moves is newer.
    games = max(found.games, first_moves["explorer"].total)
    context = {
        "games": games,
        "games_text": f"{number_text(games)}{'' if found.exact else '+'}",
        "found": found,
        "plots": [
            plot
            for plot in (
                years_plot(found.years),
                lengths_plot(found.lengths),
                durations_plot(found.durations),
            )
            if plot.rows
        ],
        "undated": undated_text(found.undated),
        "shares": [
            (
                _("Results"),
                [(str(name), n, "") for name, n in zip(RESULTS_OF[found.kind], found.results, strict=True)],
            ),
            (_("Endings"), [(ending_text(special), n, "") for special, n in found.endings]),
            (
                _("Openings as the records name them"),
                [(opening_text(name), n, opening_address(found.kind, name)) for name, n in found.openings],
            ),
        ],
        "kinds": [(kind, WORDS[kind], n) for kind, n in found.kinds] if len(found.kinds) > 1 else [],
        "section": "statistics",
        **first_moves,
    }
    return render(request, "archive/statistics.html", context)


def opening_address(kind: str, opening: str) -> str:
    """Return the address of the list of a kind's games with an opening."""
    return f"{reverse('games')}?{urlencode({'game': kind, 'opening': opening})}"


def _from_start(scope: Scope, kind: str, most: int, filters: GameFilters | None = None) -> dict[str, Any]:
    """Return what was played from the usual start of a kind of game, `most` moves at most."""
    start = GAMES[kind].rules.initial()
    explorer = explore(scope, kind, GAMES[kind].codec.encode(start), filters=filters)
    moves = [one for one in explorer.moves if one.total]
    return {"position": start, "explorer": explorer, "moves": moves[:most]}


def lengths_plot(lengths: tuple[tuple[int, int], ...]) -> Plot:
    """Plot games by length."""
    rows = tuple((f"{first}–{first + STEP - 1}", n) for first, n in lengths)
    return Plot(_("Games by length"), _("games"), _("Length in moves"), rows)


def durations_plot(durations: tuple[tuple[int, int], ...]) -> Plot:
    """Plot games by the time that both sides used."""
    rows = tuple((duration_text(first), n) for first, n in durations)
    return Plot(_("Games by thinking time"), _("games"), _("Time used by both sides, h:mm"), rows)


def duration_text(first: int) -> str:
    """Return the class of durations from `first` seconds on: `0:20–0:30`, and `16:00–` for the last."""
    following = DURATIONS[DURATIONS.index(first) + 1 :][:1]
    hours = [f"{seconds // 3600}:{seconds % 3600 // 60:02}" for seconds in (first, *following)]
    return "–".join(hours) if following else f"{hours[0]}–"


def undated_text(number: int) -> str:
    """Say how many games have no day; empty for none."""
    if not number:
        return ""
    text = ngettext("%(n)s game has no date.", "%(n)s games have no date.", number)
    return text % {"n": number_text(number)}
