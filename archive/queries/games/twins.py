"""Likely twins: stored games that may be the same game, though the archive cannot be sure enough to merge
them.

There are two kinds: games with the same moves but other headers; and games of the same players on the same
day, of which one main line is the beginning of the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from django.db.models.functions import Length

from archive.derive.editions import is_beginning
from archive.derive.game import SHORT_PLIES
from archive.models import Game, GameRecord, codec
from archive.queries.scope import Scope
from archive.queries.sql import Sql
from kifu_core.jkf import Record

Reason = Literal["same-moves", "beginning"]

LIMIT: Final = 50
"""Games of the same players and day to compare with; programs play many."""

MOST_PACKED_BYTES: Final = 2 * 1024 * 1024
MOST_UNPACKED_BYTES: Final = 16 * 1024 * 1024
"""Bytes of the records to compare with: far more than fifty usual records have."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A game that may be the same as another one, with the reason."""

    id: int
    reason: Reason


def twins(scope: Scope, game_id: int) -> tuple[Twin, ...]:
    """Return the likely twins of a game as `twins_of` does; none for an unknown id."""
    game = Game.objects.filter(pk=game_id).first()
    return () if game is None else twins_of(scope, game)


def twins_of(scope: Scope, game: Game, record: Record | None = None) -> tuple[Twin, ...]:
    """Return the likely twins of a game, those with the same moves first.

    Reads the records of at most `LIMIT` games of the same players and day, as many as are small enough
    together; `record` is the game's own, if it is loaded already.
    """
    if game.space not in scope.spaces:
        return ()
    same_moves = [Twin(pk, "same-moves") for pk in _same_moves(game)]
    meeting = _within_budget(_same_meeting(game)) if _has_meeting(game) else []
    own = (record or game.jkf) if meeting else None
    parts = [
        Twin(pk, "beginning") for pk, other in _unpacked(meeting) if own and _is_either_beginning(own, other)
    ]
    return (*same_moves, *parts)


def _within_budget(games: list[int]) -> list[int]:
    if not games:
        return []
    sizes = dict(GameRecord.objects.filter(pk__in=games).values_list("pk", Length("record")))
    totals = accumulate(sizes.get(pk, 0) for pk in games)
    return [pk for pk, total in zip(games, totals, strict=True) if total <= MOST_PACKED_BYTES]


def _unpacked(games: list[int]) -> Iterator[tuple[int, Record]]:
    """Yield the games with their records, in the same order, up to `MOST_UNPACKED_BYTES`."""
    if not games:
        return
    remaining = MOST_UNPACKED_BYTES
    stored = GameRecord.objects.filter(pk__in=games).values_list("pk", "record")
    for pk, packed in sorted(stored, key=lambda one: games.index(one[0])):
        text = codec.unpack_text(packed, remaining)
        if text is None:
            return
        remaining -= len(text)
        yield pk, codec.parse(text)


# Every page of a game runs these two; Django takes longer to compile them than the database to run them.
# The signs keep SQLite, which has no statistics, from scanning all games of a space by their length.
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
    values = bytes(game.stem), game.space, SHORT_PLIES, game.pk, LIMIT
    return [pk for (pk,) in Sql(_SAME_MOVES, values).rows()]


def _has_meeting(game: Game) -> bool:
    return game.precision == "day" and None not in (game.player0_id, game.player1_id) and game.plies > 0


def _same_meeting(game: Game) -> list[int]:
    """Return other games of the same players on the same day, from the index by day."""
    values = (
        game.space, game.kind, game.played, game.player0_id, game.player1_id, game.handicap, game.pk,
        bytes(game.stem or b""), LIMIT,
    )  # fmt: skip
    return [pk for (pk,) in Sql(_MET_AGAIN, values).rows()]


def _is_either_beginning(one: Record, other: Record) -> bool:
    return is_beginning(one, other) or is_beginning(other, one)
