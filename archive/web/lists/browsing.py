"""Players, events, places and statistics."""

from collections import Counter
from collections.abc import Iterable, Mapping
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
from archive.curation.policy import may_decide, may_propose
from archive.derive.issues import language
from archive.following import follows, own_names
from archive.models import AnyName, Label, NameKind, Player, User
from archive.names import kana_readings
from archive.names.romaji import romanized
from archive.queries.games.filters import GameFilters, game_filters
from archive.queries.games.listing import latest_games
from archive.queries.games.records_by_kind import STEP
from archive.queries.games.statistics import DURATIONS, statistics
from archive.queries.games.totals import names_total
from archive.queries.names import directory, people
from archive.queries.names.ids_of_names import namesakes, unique_name
from archive.queries.names.people import NamedCount
from archive.queries.positions.explorer import explore
from archive.queries.scope import Scope, scope_of
from archive.web.game_registry import PAGES
from archive.web.lists.filtering import query_of
from archive.web.lists.rows import latin_on_page, side_marks
from archive.web.wording import GAME_NAMES, NAME_WORDS, RESULTS_OF, ending_text, number_text, opening_text
from kifu_core.games import GAMES

PAGE: Final = 100
_LATEST: Final = 10
_FIRST_MOVES: Final = 5
_LABELLED: Final = 5
_MOST_YEARS: Final = 80
_COLUMN: Final = 0.85
_MANY_COLUMNS: Final = 10
"""A plot with fewer columns has narrower ones."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A histogram by years or other integers: a picture, its scale in words, and its table."""

    title: str
    unit: str
    label: str
    rows: tuple[tuple[str, int], ...]

    @property
    def most(self) -> int:
        return max((number for _label, number in self.rows), default=0)

    @property
    def few(self) -> bool:
        """Return whether each column has room for a label."""
        return len(self.rows) < _LABELLED

    @property
    def svg(self) -> SafeString:
        width = _COLUMN * min(1, (len(self.rows) + 1) / _MANY_COLUMNS)
        path = "".join(
            f"M{x + (1 - width) / 2:.3f} {self.most}v{-number}h{width:.3f}v{number}z"
            for x, (_label, number) in enumerate(self.rows)
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
def names(request: HttpRequest, kind: NameKind) -> HttpResponse:
    """List all players, all events or all places."""
    words, after = (request.GET.get(name, "").strip()[:200] for name in ("name", "after"))
    usual = directory.ORDERS[kind][0]
    order = next((name for name in directory.ORDERS[kind] if name == request.GET.get("order", usual)), None)
    if order is None:
        raise BadRequest("order")
    row = _requested_row(request, order)
    try:
        listing = directory.list_names(scope_of(request), kind, order, words, after, row, PAGE)
    except ValueError as error:
        raise BadRequest("after") from error
    is_complete = not (listing.next or after or row is not None)
    parameters = {"name": words, "order": "" if order == usual else order}
    context = {
        "kind": kind,
        "title": NAME_WORDS[kind].all,
        "words": words,
        "order": parameters["order"],
        "names": listing.items,
        "latin": latin_of_names(kind, listing.items),
        "sorting": [
            {"text": NAME_ORDERS[name], "href": _query(parameters | {"order": name}), "chosen": name == order}
            for name in directory.ORDERS[kind]
        ],
        "rows": _rows(parameters, row) if order == "reading" and not is_complete else [],
        "row_names": ROW_NAMES,
        "next": _query(parameters | {"after": listing.next}) if listing.next else "",
        "cut": directory.MOST_RANKED if listing.cut and not listing.next else 0,
        "many": 0 if order == "games" else people.COUNT_LIMIT,
        "total": names_total(scope_of(request), kind, words),
        "section": f"{kind}s",
    }
    return render(request, "archive/names.html", context)


def latin_of_names(kind: NameKind, names: Iterable[NamedCount]) -> dict[int, str]:
    """Return names in Latin letters by id for pages in English; those of players also by the readings of
    their names."""
    names = list(names)
    if language() == "ja":
        return {}
    read = {one.id: romanized(one.name) for one in names} if kind == "player" else {}
    return read | latin_on_page(kind, (one.id for one in names))


NAME_ORDERS: Final[dict[directory.Listing, Promise]] = {
    "reading": gettext_lazy("By reading"),
    "name": gettext_lazy("By name"),
    "games": gettext_lazy("Most games first"),
}
"""The orders of lists of names."""

ROW_NAMES: Final[dict[str, str | Promise]] = {
    **{row: row for row in directory.BEGINNINGS},
    kana_readings.LATIN: "A–Z",
    kana_readings.UNKNOWN: gettext_lazy("Reading not known"),
}
"""Headings of names by reading."""

_UNKNOWN_ROW: Final = "others"
"""The parameter for names with unknown readings."""


def _requested_row(request: HttpRequest, order: directory.Listing) -> str | None:
    """Return the requested first row of a list by reading, None without such a parameter.

    Raises BadRequest for other lists, and for an unknown row.
    """
    name = request.GET.get("row")
    if name is None:
        return None
    row = kana_readings.UNKNOWN if name == _UNKNOWN_ROW else name
    if order != "reading" or row not in directory.BEGINNINGS or not name:
        raise BadRequest("row")
    return row


def _rows(parameters: dict[str, str], chosen: str | None) -> list[dict[str, Any]]:
    """Return links to the rows with which the list can begin."""
    hrefs = {row: _query(parameters | {"row": row or _UNKNOWN_ROW}) for row in directory.BEGINNINGS}
    return [{"text": ROW_NAMES[row], "href": href, "chosen": row == chosen} for row, href in hrefs.items()]


def _query(parameters: Mapping[str, str]) -> str:
    return query_of({name: value for name, value in parameters.items() if value})


@one_snapshot()
def player(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player: record by side, opponents, years, openings, latest games."""
    scope = scope_of(request)
    summary = people.player_summary(scope, player_id)
    if summary is None and (new_id := people.merged_into(scope, "player", player_id)) is not None:
        return redirect("player", new_id, permanent=True)
    if summary is None:
        raise Http404(_("There is no player with this number."))
    name = unique_name(summary.entity)
    as_black = GameFilters(black=name)  # the side that usually begins
    starts = {kind: _from_start(scope, kind, _FIRST_MOVES, as_black) for kind in summary.sides}
    context = (
        _summary_context(scope, "player", summary)
        | _own_context(request, "player", summary.entity)
        | {
            "namesakes": namesakes(summary.entity),
            "sides": [side for kind, both in summary.sides.items() for side in _sides(kind, both)],
            "people_title": _("Opponents"),
            "first_moves": [
                {"title": PAGES[kind].words.first_moves} | start
                for kind, start in starts.items()
                if start["moves"]
            ],
        }
    )
    return render(request, "archive/summary.html", context)


@one_snapshot()
def label(request: HttpRequest, kind: Label, name_id: int) -> HttpResponse:
    """Show an event or a place: results, players, years, openings, latest games."""
    scope = scope_of(request)
    summary = people.label_summary(scope, kind, name_id)
    if summary is None and (new_id := people.merged_into(scope, kind, name_id)) is not None:
        return redirect(kind, new_id, permanent=True)
    if summary is None:
        raise Http404(NO_NAME[kind])
    context = (
        _summary_context(scope, kind, summary)
        | _own_context(request, kind, summary.entity)
        | {
            "sides": [_sides(kind, both)[0] for kind, both in summary.sides.items()],
            "people_title": _("Players"),
        }
    )
    return render(request, "archive/summary.html", context)


NO_NAME: Final[dict[Label, Promise]] = {
    "event": gettext_lazy("There is no event with this number."),
    "place": gettext_lazy("There is no place with this number."),
}


def _sides(
    kind: str, tallies: tuple[people.ResultCounts, people.ResultCounts]
) -> list[tuple[str, SafeString, people.ResultCounts]]:
    """Return name, mark and results of both sides."""
    return list(zip(map(str, PAGES[kind].words.seats), side_marks(kind), tallies, strict=True))


def _own_context(request: HttpRequest, kind: NameKind, row: AnyName) -> dict[str, Any]:
    """Return the visitor's follow of a name, and the rights to correct it; empty for strangers."""
    if not isinstance(request.user, User):
        return {}
    return {
        "follow": follows.follow_of(request.user, kind, row.pk),
        "own_name": own_names.own_name_of(request.user, row) if isinstance(row, Player) else None,
        "corrects": may_propose(request.user, row),
        "decides": may_decide(request.user, row),
    }


def _summary_context(scope: Scope, kind: NameKind, summary: people.Summary) -> dict[str, Any]:
    name = unique_name(summary.entity)
    return {
        "summary": summary,
        "latin": latin_of_names(kind, [NamedCount(summary.id, summary.name, 0)]).get(summary.id, ""),
        "people_latin": latin_on_page("player", (one.id for one, _tally in summary.people)),
        "entity": summary.entity,
        "plots": [years_plot(summary.years)] if len(summary.years) > 1 else [],
        "kind": kind,
        "title": NAME_WORDS[kind].all,
        "section": f"{kind}s",
        "games_query": urlencode([(kind, name)]),
        "latest": latest_games(scope, game_filters({kind: name}), _LATEST),
    }


def years_plot(years: tuple[tuple[int, int], ...]) -> Plot:
    """Plot games by year, or by decade if there are too many years for columns."""
    if len(years) > _MOST_YEARS:
        decades: Counter[int] = Counter()
        for year, n in years:
            decades[year // 10 * 10] += n
        rows = tuple((f"{first}–{first + 9}", n) for first, n in sorted(decades.items()))
        return Plot(_("Games by decade"), _("games"), _("Decade"), rows)
    return Plot(_("Games by year"), _("games"), _("Year"), tuple((str(year), n) for year, n in years))


@one_snapshot()
def statistics_page(request: HttpRequest) -> HttpResponse:
    """Show the statistics of all games of a kind."""
    kind = request.GET.get("game")
    totals = statistics(scope_of(request), kind if kind in GAMES else None)
    first_moves = _from_start(scope_of(request), totals.kind, 2 * _FIRST_MOVES)
    # An inexact number may be older than the explorer's total.
    games = max(totals.games, first_moves["explorer"].total)
    plots = years_plot(totals.years), lengths_plot(totals.lengths), durations_plot(totals.durations)
    context = {
        "games": games,
        "games_text": f"{number_text(games)}{'' if totals.exact else '+'}",
        "totals": totals,
        "plots": [plot for plot in plots if plot.rows],
        "undated": undated_text(totals.undated),
        "shares": [
            (
                _("Results"),
                [(str(name), n, "") for name, n in zip(RESULTS_OF[totals.kind], totals.results, strict=True)],
            ),
            (_("Endings"), [(ending_text(special), n, "") for special, n in totals.endings]),
            (
                _("Openings as the records name them"),
                [(opening_text(name), n, opening_address(totals.kind, name)) for name, n in totals.openings],
            ),
        ],
        "kinds": [(kind, GAME_NAMES[kind], n) for kind, n in totals.kinds] if len(totals.kinds) > 1 else [],
        "section": "statistics",
        **first_moves,
    }
    return render(request, "archive/statistics.html", context)


def opening_address(kind: str, opening: str) -> str:
    """Return the address of the list of a kind's games with an opening."""
    return f"{reverse('games')}?{urlencode({'game': kind, 'opening': opening})}"


def _from_start(scope: Scope, kind: str, limit: int, filters: GameFilters | None = None) -> dict[str, Any]:
    """Return the moves played from the usual start of a kind of game, up to `limit` of them."""
    start = GAMES[kind].rules.initial()
    explorer = explore(scope, kind, GAMES[kind].codec.encode(start), filters=filters)
    moves = [move for move in explorer.moves if move.total]
    return {"position": start, "explorer": explorer, "moves": moves[:limit]}


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
    """Return the number of games without a date as a sentence; empty for none."""
    text = ngettext("%(n)s game has no date.", "%(n)s games have no date.", number)
    return text % {"n": number_text(number)} if number else ""
