"""Why games of a list were found by the words of a query: the line that holds one, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from archive.queries.games.excerpts import Excerpt, excerpts, words_of
from archive.queries.games.listing import GameRow
from archive.queries.scope import Scope
from archive.web.lists.rows import game_address
from archive.web.replay.record import node_query


def excerpts_of(scope: Scope, query: str | None, games: Iterable[GameRow]) -> Mapping[int, SafeString]:
    """Return what follows the rows of games in a list of a valid query, by the games' ids."""
    words = words_of(query) if query else []
    found = excerpts(scope, [game.id for game in games], words) if words else {}
    return {pk: _html(pk, one) for pk, one in found.items()}


def _html(game: int, one: Excerpt) -> SafeString:
    address = game_address(game) + (node_query(one.path, one.ply) if one.ply else "")
    text = f"{escape(one.before)}<mark>{escape(one.word)}</mark>{escape(one.after)}"
    return mark_safe(
        f'<p class="excerpt"><a href="{escape(address)}">{escape(_where(one))}</a> <span>{text}</span></p>'
    )


def _where(one: Excerpt) -> str:
    if one.ply is None:
        return one.name
    if one.path:
        return _("variation, move %(ply)s") % {"ply": one.ply}
    return _("move %(ply)s") % {"ply": one.ply} if one.ply else _("Start position")
