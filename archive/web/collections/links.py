"""Links of other pages to collections: the place of a game in one, and how games of a list are added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.models import Game
from archive.queries.collections import collection_shown, neighbours
from archive.queries.scope import readable_scope
from archive.web.forms import parse_number
from archive.web.lists.rows import game_address
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.utils.functional import Promise
    from django.utils.safestring import SafeString

    from archive.queries.collections import CollectedGame
    from archive.queries.games.listing import GameRow


GUESSED: Final[dict[str, Promise]] = {
    "both": gettext_lazy("Both sides"),
    "black": gettext_lazy("As Black"),
    "white": gettext_lazy("As White"),
}
"""The sides whose moves are guessed."""


def query_in(collection: int, game: CollectedGame, guess: str = "") -> str:
    """Return the query of the address of a game as one of a collection, at the ply that is shown first; with
    `guess`, to guess the moves of a side."""
    values = {"ply": game.ply or "", "collection": collection, "guess": guess}
    return f"?{urlencode({name: value for name, value in values.items() if value})}"


def address_in(collection: int, game: CollectedGame, guess: str = "") -> str:
    """Return the address of a game as one of a collection, as `query_in`."""
    return game_address(game.row.id) + query_in(collection, game, guess)


def guess_context(request: HttpRequest, game: Game) -> dict[str, Any]:
    """Return what a game's page needs to hide the moves, which the reader guesses; nothing unless the address
    asks for it. Problems are solved anyway."""
    guess = request.GET.get("guess", "")
    if guess not in GUESSED or game.kind != SHOGI.name or game.record_kind == Game.RecordKind.PROBLEM:
        return {}
    query = request.GET.copy()
    sides = []
    for side, text in GUESSED.items():
        query["guess"] = side
        sides.append((f"?{query.urlencode()}", text, side == guess))
    return {"guess": guess, "guess_sides": sides, "hides_solution": True}


def place_in_collection(request: HttpRequest, game: int) -> dict[str, Any] | None:
    """Return the neighbours of a game in the collection of the address, with their addresses; None without
    such a collection."""
    pk = parse_number(request.GET.get("collection", ""), 18)
    if pk is None:
        return None
    try:
        collection = collection_shown(request, pk)
    except Http404:
        return None
    place, guess = neighbours(readable_scope(request), pk, game), request.GET.get("guess", "")
    return place and {
        "title": collection.title,
        "url": reverse("collection", args=[pk]),
        "before": address_in(pk, place.before, guess) if place.before else "",
        "after": address_in(pk, place.after, guess) if place.after else "",
        "number": place.number,
        "total": place.total,
    }


def collecting_links(request: HttpRequest) -> dict[str, Any]:
    """Return how the games of a list are added to a collection: by selecting some, or all; nothing without
    an account."""
    if not request.user.is_authenticated:
        return {}
    query = request.GET.copy()
    for name in ("cursor", "order", "select"):
        query.pop(name, None)
    everything = f"{reverse('collection-add')}?{urlencode({'search': query.urlencode()})}"
    selecting = request.GET.copy()
    selecting["select"] = "1"
    return {
        "all": everything,
        "select": f"?{selecting.urlencode()}",
        "selecting": request.GET.get("select") == "1",
    }


def selecting_boxes(rows: Iterable[GameRow]) -> dict[int, SafeString]:
    """Return a checkbox for each game, by id, of the form that adds the selected games."""
    return {
        row.id: format_html(
            '<label class="select small"><input type="checkbox" form="chosen" name="game" value="{}">'
            '{} <span class="visually-hidden">{} – {}</span></label>',
            row.id,
            _("Select"),
            row.first or "–",
            row.second or "–",
        )
        for row in rows
    }
