"""What dumps ask of games beside their lists: facts for a table, and who has left a scope since."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Max, Min

from archive.models import Entry, Game, GameAlias, Upload
from archive.queries.scope import Scope
from archive.queries.sql import one_of
from archive.queries.taken_down import is_hidden
from archive.reading import connection


class Facts(NamedTuple):
    """What a list does not tell of a game: the ratings of colours 0 and 1, and when the first upload of the
    scope that it is in arrived."""

    ratings: tuple[int | None, int | None]
    arrived: datetime | None


_RATED: Final = """
    SELECT g.id, p.colour, p.rating FROM archive_game g JOIN archive_gameplayer p ON p.slot = g.slot
    WHERE g.id {ids} AND p.rating IS NOT NULL
"""


def facts_of(scope: Scope, games: Sequence[int]) -> dict[int, Facts]:
    """Return the facts of games, by their ids, in two statements."""
    if not games:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_RATED.format(ids=one_of(games)), [*games])
        rated = {(pk, colour): rating for pk, colour, rating in cursor.fetchall()}
    entries = Entry.objects.filter(game__in=games, upload__space__in=scope.spaces)
    shown = entries.exclude(upload__state=Upload.State.DELETING)
    arrived = dict(shown.values("game").annotate(first=Min("upload__received")).values_list("game", "first"))
    return {pk: Facts((rated.get((pk, 0)), rated.get((pk, 1))), arrived.get(pk)) for pk in games}


def last_game(scope: Scope) -> int:
    """Return the largest id of a game in the scope; 0 where there is none."""
    found: int | None = Game.objects.filter(space__in=scope.spaces).aggregate(last=Max("pk"))["last"]
    return found or 0


def left_of(scope: Scope, games: Collection[int]) -> set[int]:
    """Return those of the games that are not in the scope any more, or being deleted."""
    there = {*Game.objects.filter(pk__in=games, space__in=scope.spaces).values_list("pk", flat=True)}
    doomed: set[int] = set()
    if Upload.objects.filter(state=Upload.State.DELETING).exists():
        entries = Entry.objects.filter(game__in=there, upload__state=Upload.State.DELETING)
        doomed = {pk for pk in entries.values_list("game", flat=True) if pk is not None and is_hidden(pk)}
    return {*games} - there | doomed


def merged_into(scope: Scope, games: Collection[int]) -> dict[int, int]:
    """Return the present ids of those of the games that have become one with another game of the scope."""
    aliases = GameAlias.objects.filter(pk__in=games, game__space__in=scope.spaces)
    return dict(aliases.values_list("pk", "game_id"))
