"""The page of an account's own games: results, openings, opponents, positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from django.forms import Select
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.queries.games.color_names import own_sides
from archive.queries.games.filters import GameFilters, game_filters, stored_parameters
from archive.queries.games.own_games import BAND, By, Outcome, OwnGroup, list_parameters, own_statistics
from archive.queries.names.own_names import EITHER, own_players
from archive.queries.positions.own_positions import OwnPosition, own_positions
from archive.queries.scope import Scope, read_private, scope_of
from archive.web.accounts.own import own
from archive.web.forms import GameFilterForm
from archive.web.wording import MARKS_OF, SIDES_OF, clock_text, formation_name, opening_text
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.utils.functional import Promise

    from archive.models import User

MOVES: Final = 3
"""Moves of a position."""

TITLES: Final[dict[By, Promise]] = {
    "side": gettext_lazy("Results"),
    "opening": gettext_lazy("Openings as the records name them"),
    "formation": gettext_lazy("Own castles and openings"),
    "opponent": gettext_lazy("Opponents"),
    "month": gettext_lazy("Months"),
    "rating": gettext_lazy("Rating of the opponent"),
    "clock": gettext_lazy("Time control"),
}


class Row(NamedTuple):
    """A group of games in words, with the addresses of its games by outcome."""

    mark: str
    text: str
    group: OwnGroup
    href: str
    won: str
    lost: str
    drawn: str


@own("GET", "HEAD")
def own_games(request: HttpRequest, user: User) -> HttpResponse:
    """Show statistics of the account owner's games that match the filters."""
    read_private(request)
    scope, form = scope_of(request), GameFilterForm(request.GET, label_suffix="")
    form.fields["me"].widget = Select(choices=getattr(form.fields["me"], "choices", ()))
    context: dict[str, Any] = {"form": form, "section": "mine", "named": bool(own_players(scope))}
    if form.is_valid():
        context |= _statistics(scope, game_filters(form.cleaned_data), stored_parameters(form.cleaned_data))
    status = 200 if form.is_valid() else 400
    return render(request, "archive/own_games.html", context, status=status)


def _statistics(scope: Scope, filters: GameFilters, given: dict[str, Any]) -> dict[str, Any]:
    found = own_statistics(scope, filters)

    def rows(groups: tuple[OwnGroup, ...]) -> list[Row]:
        return [_row(one, found.kind, given) for one in groups]

    sides = (0, 1) if filters.me in (None, EITHER) else (filters.me,)
    return {
        "found": found,
        "tables": [(TITLES[by], rows(groups)) for by, groups in found.groups.items() if groups],
        "worst": rows(found.worst),
        "positions": [
            _position(one, found.kind)
            for side in sides
            if side is not None
            for one in own_positions(scope, found.kind, filters, side)
        ],
        "all_games": f"{reverse('games')}?{urlencode({**given, 'me': 'yes', 'game': found.kind})}",
    }


def _row(group: OwnGroup, kind: str, given: dict[str, Any]) -> Row:
    def address(outcome: Outcome) -> str:
        return f"{reverse('games')}?{urlencode(list_parameters(group, kind, given, outcome))}"

    mark = str(MARKS_OF[kind][group.colour]) if group.colour < EITHER else ""
    return Row(
        mark, _text(group, kind), group, address("all"), address("won"), address("lost"), address("drawn")
    )


def _text(group: OwnGroup, kind: str) -> str:
    if group.by == "side":
        return str(SIDES_OF[kind][group.value])
    if group.by == "opening":
        return opening_text(group.value)
    if group.by == "formation":
        return formation_name(group.value)
    if group.by == "rating":
        return f"{group.value}–{int(group.value) + BAND - 1}"
    return clock_name(group.value) if group.by == "clock" else group.value


def clock_name(text: str) -> str:
    """Return a time control in words."""
    main, byoyomi, added, *_periods = map(int, text.split("+"))
    parts = [clock_text(main)]
    parts += [_("byoyomi %(n)s s") % {"n": byoyomi}] if byoyomi else []
    parts += [_("+%(n)s s a move") % {"n": added}] if added else []
    return " · ".join(parts)


class Position(NamedTuple):
    """An own position with its address and pictures."""

    own: OwnPosition
    mark: str
    path: str
    kind: str
    shown: Any
    href: str
    own_moves: list[Any]
    all_moves: list[Any]


def _position(one: OwnPosition, kind: str) -> Position:
    path = GAMES[kind].codec.path_code(one.code)
    query = urlencode({"me": own_sides(GAMES[kind])[one.colour]})
    href = f"{reverse('position', args=[kind, path])}?{query}"
    moves = ([move for move in each.moves if move.total][:MOVES] for each in (one.own, one.all))
    shown = GAMES[kind].codec.decode(one.code)
    return Position(one, str(MARKS_OF[kind][one.colour]), path, kind, shown, href, *moves)
