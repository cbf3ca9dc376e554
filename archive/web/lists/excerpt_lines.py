"""Excerpts below the games of a list: the line with a word of the query, and a link to its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from archive.queries.games.excerpts import Excerpt, excerpts, words_of
from archive.queries.games.listing import GameRow
from archive.queries.scope import Scope
from archive.web.lists.rows import excerpt_row, game_address
from archive.web.replay.record import node_query


def excerpts_of(scope: Scope, query: str | None, games: Iterable[GameRow]) -> Mapping[int, SafeString]:
    """Return the excerpts of games for a valid query, by id."""
    words = words_of(query) if query else []
    by_id = excerpts(scope, [game.id for game in games], words) if words else {}
    return {pk: excerpt_row(_address(pk, excerpt), _place(excerpt), excerpt) for pk, excerpt in by_id.items()}


def _address(game: int, excerpt: Excerpt) -> str:
    return game_address(game) + (node_query(excerpt.path, excerpt.ply) if excerpt.ply else "")


def _place(excerpt: Excerpt) -> str:
    if excerpt.ply is None:
        return excerpt.name
    if excerpt.path:
        return _("variation, move %(ply)s") % {"ply": excerpt.ply}
    return _("move %(ply)s") % {"ply": excerpt.ply} if excerpt.ply else _("Start position")
