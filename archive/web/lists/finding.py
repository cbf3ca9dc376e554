"""The redirect of a text that was pasted into the search box."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from archive.http.limits.text_limits import check_search_text, limited_reading
from archive.queries.positions.position_lookup import last_reached_code, position_of_record, stored_game
from archive.queries.scope import Scope, scope_of
from archive.web.shogi.editing import read_pasted, refusal
from kifu_core import games
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI

_MOVES: Final = 2
"""Entries of a record that has a move: the start comes first."""


@require_POST
def find(request: HttpRequest) -> HttpResponse:
    """Redirect from a record to its game, else to its last position that any game reaches; from another text
    to the editor."""
    text = request.POST.get("text", "")
    try:
        check_search_text(text)
        with limited_reading():
            return _redirect_of(scope_of(request), text) or read_pasted(request)
    except KifuError as error:
        return refusal(request, text, error)


def _redirect_of(scope: Scope, text: str) -> HttpResponse | None:
    """Return the redirect of a record; None for other texts, and if no game reaches its positions."""
    try:
        kind, result = games.load(text)
    except KifuError:
        return None
    record = next((game.record for game in result.games), None)
    if record is None or (kind is SHOGI and len(record["moves"]) < _MOVES):
        return None
    if (game := stored_game(scope, record)) is not None:
        return redirect("game", game)
    code = last_reached_code(scope, record)
    if code is None and kind is not SHOGI:
        code = kind.codec.encode(position_of_record(kind, record))
    return redirect("position", kind.name, kind.codec.path_code(code)) if code else None
