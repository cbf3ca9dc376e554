"""The pages of the history of a position's moves, and of a player's innovations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from archive.caching.values import one_snapshot
from archive.http.errors import invalid_code
from archive.models import Player
from archive.queries.names import people
from archive.queries.positions.chronicle import MoveHistory
from archive.queries.positions.chronicle import chronicle as history_of_moves
from archive.queries.positions.innovations import Innovation
from archive.queries.positions.innovations import innovations as innovations_of
from archive.queries.scope import scope_of
from archive.web.pages.views import match_of, parse_position
from archive.web.wording import played_text, score_text
from kifu_core.errors import DecodeError
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_SINCE: Final = 10
"""The latest years whose numbers are listed."""


class Row(NamedTuple):
    """A move in words, with the address of its position."""

    history: MoveHistory
    text: str
    href: str
    years: tuple[tuple[int, int], ...]
    """The latest years with games."""
    followers: int
    before_score: str
    after_score: str


@one_snapshot()
def chronicle(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Show who played each move of a position first, who followed, and what is out of use."""
    path = code
    try:
        position, code = parse_position(kind, path)
    except DecodeError as error:
        return invalid_code(request, kind, path, error)
    found = history_of_moves(scope_of(request), kind, code, match_of(request))
    codec = GAMES[kind].codec
    rows = [
        Row(
            one,
            played_text(kind, position, one.move, one.text),
            reverse("position", args=[kind, codec.path_code(one.code)]),
            one.years[-_SINCE:],
            one.games - 1,
            score_text(one.verdicts.before) if one.verdicts else "",
            score_text(one.verdicts.after) if one.verdicts else "",
        )
        for one in found.moves
    ]
    context = {
        "kind": kind,
        "path_code": path,
        "found": found,
        "rows": rows,
        "picture": reverse("api:position-picture", args=[kind, path]),
        "section": "positions",
    }
    return render(request, "archive/chronicle.html", context)


def innovations(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player's moves to positions that no earlier game reached and that others reached later."""
    scope = scope_of(request)
    if (new_id := people.merged_into(scope, "player", player_id)) is not None:
        return redirect("innovations", new_id, permanent=True)
    rows = people.shown_rows(scope, "player", [player_id])
    player = rows[0] if rows else None
    if not isinstance(player, Player):
        raise Http404(_("There is no player with this number."))
    found = innovations_of(scope, player)
    context = {
        "player": player,
        "found": found,
        "rows": [_innovation(one) for one in found.items],
        "section": "players",
    }
    return render(request, "archive/innovations.html", context)


def _innovation(one: Innovation) -> dict[str, Any]:
    kind = one.game.kind
    codec = GAMES[kind].codec
    path = codec.path_code(one.code)
    return {
        "one": one,
        "text": played_text(kind, codec.decode(one.before), one.move, one.text),
        "picture": reverse("api:position-picture", args=[kind, path]),
        "href": reverse("position", args=[kind, path]),
        "before": reverse("chronicle", args=[kind, codec.path_code(one.before)]),
    }
