"""The novelty of a game: its first position that no earlier game of the archive reached."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from archive.index.engine import engine
from archive.index.schema import FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.queries.positions.position_query import position_keys
from archive.queries.scope import Scope
from kifu_core.errors import KifuError
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from archive.models import Game
    from kifu_core.jkf import Record

PLIES: Final = 600
"""Plies that are searched: every real game has a new position before."""

BATCH: Final = 16
"""Positions of one statement; most games need two or three statements."""

_KEYS_OF_EARLIER_GAMES: Final = f"""
    SELECT k.key FROM {{keys}} WHERE (SELECT count(*) FROM (
        SELECT 1 FROM archive_occurrence d
        WHERE d.key = k.key AND d.played > {UNKNOWN_DAY} AND (d.played, d.slot) < (%s, %s)
        AND (d.flags & {FORK}) = 0 AND d.result <> {NOT_A_GAME} LIMIT 1
    ) x) > 0
"""


def novelty(scope: Scope, game: Game, record: Record | None = None) -> int | None:
    """Return the ply of the first new position, from 1; None for records other than games, without a day, and
    without a new position in `PLIES`.

    Mirror images are different positions. Costs one lookup in the index for each ply up to the result.
    """
    if game.played == UNKNOWN_DAY or game.record_kind != "game":
        return None
    lines = GAMES[game.kind].replay.main_line
    nodes = islice(lines(record or game.jkf), PLIES + 1)
    positions = ((ply, position.copy()) for ply, position, _move, _entry in nodes if ply)
    while batch := list(islice(positions, BATCH)):
        try:
            earlier = _positions_of_earlier_games(scope, game, [position for _ply, position in batch])
        except KifuError:  # a position without a code is never indexed
            return None
        for number, (ply, _position) in enumerate(batch):
            if number not in earlier:
                return ply
    return None


def _positions_of_earlier_games(scope: Scope, game: Game, positions: list[Any]) -> set[int]:
    """Return the numbers of the positions that earlier games reached."""
    keys = position_keys(scope, positions, "exact", game.kind)
    all_keys = [key for its_keys in keys for key in its_keys]
    sql, place = _KEYS_OF_EARLIER_GAMES.format(keys=engine().INDEX_KEYS), (game.played, game.slot)
    rows = engine().fetch_all([(sql, (one, *place)) for one in engine().key_lists(all_keys)])
    existing = {key for (key,) in rows}
    return {number for number, its_keys in enumerate(keys) if existing & {*its_keys}}
