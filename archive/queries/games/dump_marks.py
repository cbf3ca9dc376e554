"""Queries of dumps about single games: the last id, deleted games, merged games."""

from collections.abc import Collection

from django.db.models import Max

from archive.models import Entry, Game, GameAlias, Upload
from archive.queries.games.taken_down import is_hidden
from archive.queries.scope import Scope


def last_game(scope: Scope) -> int:
    """Return the largest id of a game in the scope; 0 if there is none."""
    last: int | None = Game.objects.filter(space__in=scope.spaces).aggregate(last=Max("pk"))["last"]
    return last or 0


def removed_games(scope: Scope, games: Collection[int]) -> set[int]:
    """Return the games that are not in the scope any more, or being deleted."""
    readable = {*Game.objects.filter(pk__in=games, space__in=scope.spaces).values_list("pk", flat=True)}
    deleting: set[int] = set()
    if Upload.objects.filter(state=Upload.State.DELETING).exists():
        entries = Entry.objects.filter(game__in=readable, upload__state=Upload.State.DELETING)
        deleting = {pk for pk in entries.values_list("game", flat=True) if pk is not None and is_hidden(pk)}
    return {*games} - readable | deleting


def merged_into(scope: Scope, games: Collection[int]) -> dict[int, int]:
    """Return the present ids of games that were merged with another game of the scope."""
    aliases = GameAlias.objects.filter(pk__in=games, game__space__in=scope.spaces)
    return dict(aliases.values_list("pk", "game_id"))
