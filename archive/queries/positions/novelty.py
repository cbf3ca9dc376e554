"""Where a game left what was known: its first position that no earlier game of the archive had."""

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
"""How far a game is looked at: no real one goes on so long without news."""

BATCH: Final = 16
"""Positions that one statement asks for; most games leave what is known within two or three."""

_KEYS_OF_EARLIER_GAMES: Final = f"""
    SELECT k.key FROM {{keys}} WHERE (SELECT count(*) FROM (
        SELECT 1 FROM archive_occurrence d
        WHERE d.key = k.key AND d.played > {UNKNOWN_DAY} AND (d.played, d.slot) < (%s, %s)
        AND (d.flags & {FORK}) = 0 AND d.result <> {NOT_A_GAME} LIMIT 1
    ) x) > 0
"""


def novelty(scope: Scope, game: Game, record: Record | None = None) -> int | None:
    """Return the ply whose position is new, from 1; None for no game, no day, or no news in `PLIES`.

    Positions count as they are, not their mirror images. One probe of the index per ply up to the answer.
    """
    if game.played == UNKNOWN_DAY or game.record_kind != "game":
        return None
    lines = GAMES[game.kind].replay.main_line
    looked_at = islice(lines(record or game.jkf), PLIES + 1)
    positions = ((ply, position.copy()) for ply, position, _move, _entry in looked_at if ply)
    while batch := list(islice(positions, BATCH)):
        try:
            known = _positions_of_earlier_games(scope, game, [position for _ply, position in batch])
        except KifuError:  # a position that no code can hold is in no index
            return None
        for number, (ply, _position) in enumerate(batch):
            if number not in known:
                return ply
    return None


def _positions_of_earlier_games(scope: Scope, game: Game, positions: list[Any]) -> set[int]:
    """Return the numbers of those positions that earlier games had."""
    keys = position_keys(scope, positions, "exact", game.kind)
    listed = [key for found in keys for key in found]
    sql, place = _KEYS_OF_EARLIER_GAMES.format(keys=engine().INDEX_KEYS), (game.played, game.slot)
    rows = engine().fetch_all([(sql, (one, *place)) for one in engine().key_lists(listed)])
    known = {key for (key,) in rows}
    return {number for number, found in enumerate(keys) if known & {*found}}
