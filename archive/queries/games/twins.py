"""Likely twins: stored games that may be one, though not so surely that the archive makes them one.

Two kinds: the same moves under headers that differ or leave it open; and the same players on the same day,
one main line being the beginning of the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, combinations, groupby
from typing import Any, Final, Literal

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import Length

from archive.derive.editions import is_beginning
from archive.derive.game import SHORT_PLIES
from archive.models import Game, GameRecord, codec
from archive.project.reading import connection
from archive.queries.scope import Scope
from kifu_core.jkf import Record

Reason = Literal["same-moves", "beginning"]

LIMIT: Final = 50
"""Games of the same players and day that one is compared with; programs play many."""

PACKED: Final = 2 * 1024 * 1024
UNPACKED: Final = 16 * 1024 * 1024
"""Bytes of the other games' records that one is compared with: fifty usual ones are far less."""

MEETINGS: Final = 5000
"""Games whose records a list of twins reads at most."""

_MEETING: Final = ("played", "player0", "player1")


@dataclass(frozen=True, slots=True)
class Twin:
    """A game that may be the same as another one, and why."""

    id: int
    reason: Reason


def twins(scope: Scope, game_id: int) -> tuple[Twin, ...]:
    """Return the likely twins of a game as `twins_of` does; none of a game that is not there."""
    game = Game.objects.filter(pk=game_id).first()
    return () if game is None else twins_of(scope, game)


def twins_of(scope: Scope, game: Game, record: Record | None = None) -> tuple[Twin, ...]:
    """Return the likely twins of a game, those with the same moves first.

    It reads the records of at most `LIMIT` games of the same players and day, unless they are too large
    together; `record` is the game's own, if at hand.
    """
    if game.space not in scope.spaces:
        return ()
    alike = [Twin(pk, "same-moves") for pk in _same_moves(game)]
    met = _small(_same_meeting(game)) if _may_be_part(game) else []
    mine = (record or game.jkf) if met else None
    parts = [Twin(pk, "beginning") for pk, other in _unpacked(met) if mine and _is_part(mine, other)]
    return (*alike, *parts)


def _small(games: list[int]) -> list[int]:
    """Return the first games whose records are small enough together."""
    if not games:
        return []
    sizes = dict(GameRecord.objects.filter(pk__in=games).values_list("pk", Length("record")))
    totals = accumulate(sizes.get(pk, 0) for pk in games)
    return [pk for pk, total in zip(games, totals, strict=True) if total <= PACKED]


def _unpacked(games: list[int]) -> Iterator[tuple[int, Record]]:
    """Yield the games with their records, in the same order, up to `UNPACKED` bytes."""
    if not games:
        return
    left = UNPACKED
    stored = GameRecord.objects.filter(pk__in=games).values_list("pk", "record")
    for pk, packed in sorted(stored, key=lambda one: games.index(one[0])):
        text = codec.opened(packed, left)
        if text is None:
            return
        left -= len(text)
        yield pk, codec.parsed(text)


# Every page of a game asks these two; to put them together out of parts took longer than to answer them.
# The signs keep SQLite, which has no statistics, from looking through all games of a space by their length.
_SAME_MOVES: Final = """
    SELECT g.id FROM archive_game g WHERE g.stem = %s AND +g.space = %s AND +g.plies >= %s AND g.id <> %s
    ORDER BY g.id LIMIT %s
"""
_MET_AGAIN: Final = """
    SELECT g.id FROM archive_game g
    WHERE g.space = %s AND g.kind = %s AND g.record_kind = 'game' AND g.played = %s AND g.precision = 'day'
        AND g.player0_id = %s AND g.player1_id = %s AND g.handicap = %s AND +g.plies > 0
        AND g.id <> %s AND (g.stem IS NULL OR g.stem <> %s)
    ORDER BY g.slot LIMIT %s
"""


def _same_moves(game: Game) -> list[int]:
    if game.stem is None:
        return []
    values: list[Any] = [bytes(game.stem), game.space, SHORT_PLIES, game.pk, LIMIT]
    with connection.cursor() as cursor:
        cursor.execute(_SAME_MOVES, values)
        return [pk for (pk,) in cursor.fetchall()]


def _may_be_part(game: Game) -> bool:
    return game.precision == "day" and None not in (game.player0_id, game.player1_id) and game.plies > 0


def _same_meeting(game: Game) -> list[int]:
    """Return other games of the same players on the same day. They are found through the day's list."""
    values: list[Any] = [
        game.space, game.kind, game.played, game.player0_id, game.player1_id, game.handicap, game.pk,
        bytes(game.stem or b""), LIMIT,
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_MET_AGAIN, values)
        return [pk for (pk,) in cursor.fetchall()]


def _is_part(one: Record, other: Record) -> bool:
    return is_beginning(one, other) or is_beginning(other, one)


def games_with_same_moves(scope: Scope) -> QuerySet[Game]:
    """Return all games that share their moves with another one, equal moves side by side."""
    shared = (
        Game.objects.filter(plies__gte=SHORT_PLIES, space__in=scope.spaces)
        .values("space", "stem")
        .order_by()
        .annotate(n=Count("pk"))
        .filter(n__gt=1)
    )
    found = Game.objects.filter(
        stem__in=shared.values("stem"), plies__gte=SHORT_PLIES, space__in=scope.spaces
    )
    return found.order_by("space", "stem", "pk")


def beginnings(scope: Scope, games: QuerySet[Game]) -> list[int]:
    """Return the ids of those games that are another one's beginning, of the same meeting, or go on from one.

    Reads the records of at most `MEETINGS` games, the newest.
    """
    found: dict[int, None] = {}
    for one, other in _parts(games.filter(pk__in=_of_one_meeting(scope).values("pk"))):
        found |= {one: None, other: None}
    return list(found)


def _of_one_meeting(scope: Scope) -> QuerySet[Game]:
    """Return all games whose players met once more on that day. They are sorted by their meetings once: to
    look for the others of each game would be to read all games again and again."""
    usable = Game.objects.filter(
        precision="day", record_kind="game", plies__gt=0, space__in=scope.spaces,
        player0__isnull=False, player1__isnull=False,
    )  # fmt: skip
    met = Window(Count("pk"), partition_by=[F(name) for name in (*_MEETING, "space", "kind", "handicap")])
    return usable.annotate(met=met).filter(met__gt=1)


def _parts(games: QuerySet[Game]) -> Iterator[tuple[int, int]]:
    """Yield pairs of games of one meeting of which one is the beginning of the other."""
    newest = games.prefetch_related("stored").order_by("-played", "player0", "player1", "pk")[:MEETINGS]
    for _, group in groupby(newest, lambda game: (game.played, game.player0_id, game.player1_id)):
        opened = [(game, game.jkf) for game in group]
        for (one, mine), (other, theirs) in combinations(opened, 2):
            same = (one.space, one.kind) == (other.space, other.kind)
            if same and one.stem != other.stem and _is_part(mine, theirs):
                yield one.pk, other.pk
