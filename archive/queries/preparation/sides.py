"""Which games are compared: those of the opponent by the filters, one's own by a name or a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from archive.queries.games.filters import GameFilters, game_filters
from archive.queries.names.own_names import own_players
from archive.queries.scope import Scope


def sides_of(scope: Scope, parameters: Mapping[str, Any], colour: int) -> tuple[GameFilters, GameFilters]:
    """Return the filters of the opponent's games and of one's own, those of `colour`.

    The validated `parameters` are filters of the opponent's games, his name `theirs`, and `own` and `own_q`
    for one's own: the name of a player and a query. Without either, these are the account's own games, or
    everybody's if it has said no names.
    """
    theirs = game_filters(parameters)
    if name := parameters.get("theirs"):
        theirs = _seated(theirs, 1 - colour, name)
    own = GameFilters(q=parameters.get("own_q") or None)
    if name := parameters.get("own"):
        own = _seated(own, colour, name)
    elif own.q is None and own_players(scope):
        own = replace(own, me=colour)
    return theirs, own


def _seated(filters: GameFilters, colour: int, name: str) -> GameFilters:
    return replace(filters, black=name) if colour == 0 else replace(filters, white=name)
