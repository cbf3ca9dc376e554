"""The positions that an account's owner reaches often, with the moves played from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from archive.index.engine import engine
from archive.index.packed_keys import unpack_keys
from archive.index.schema import mover
from archive.models import GameRecord, codec
from archive.queries.games.filters import GameFilters, filters_of
from archive.queries.names.own_names import own_games, own_players
from archive.queries.positions.explorer import Explorer, explore
from archive.queries.positions.position_query import position_keys
from archive.queries.scope import Scope
from archive.queries.sql import Sql
from kifu_core.games import GAMES

RECORDS: Final = 1_000
"""The newest own games that are read for each side."""
POSITIONS: Final = 8
"""Positions of each side."""
OFTEN: Final = 3
"""Games that reach a position at least."""
PLIES: Final = 60
"""The last ply of such a position."""


@dataclass(frozen=True, slots=True)
class OwnPosition:
    """A position in which the owner is to move, with all numbers for the filters of the list."""

    code: str
    colour: int
    """The side of the owner."""
    ply: int
    """The ply in one of the games."""
    own: Explorer
    """The moves of the owner."""
    all: Explorer
    """The moves of everybody."""


_NEWEST: Final = """
    SELECT g.id, r.keys FROM ({sql}) l JOIN archive_game g ON g.slot = l.slot
    JOIN archive_gamerecord r ON r.game_id = g.id
    WHERE g.kind = %s AND g.record_kind = 'game' AND r.keys IS NOT NULL
    ORDER BY l.played DESC, l.slot DESC LIMIT %s
"""


def own_positions(scope: Scope, kind: str, filters: GameFilters, colour: int) -> list[OwnPosition]:
    """Return the positions with the owner of colour `colour` to move that the newest own games reach most
    often, the most frequent first; the filters that positions have apply to the numbers."""
    players = own_players(scope)
    if not players:
        return []
    at_positions = {one.attribute for one in filters_of("positions")}
    values = {name: getattr(filters, name) for name in at_positions}
    of_owner = replace(GameFilters(**values), me=colour)
    found = []
    for code, ply in _candidates(scope, kind, own_games(players, colour), colour):
        own = explore(scope, kind, code, filters=of_owner)
        if own.total >= OFTEN:
            found.append(OwnPosition(code, colour, ply, own, explore(scope, kind, code)))
    return sorted(found, key=lambda one: (-one.own.total, one.ply))


def _candidates(scope: Scope, kind: str, games: Sql, colour: int) -> Iterator[tuple[str, int]]:
    """Yield the codes of the most frequent positions, each with its ply in one of the games."""
    rows = engine().fetch_prepared(*games.embed(_NEWEST, kind, RECORDS), keep=False)
    counts: Counter[int] = Counter()
    of_key: dict[int, int] = {}
    for pk, packed in rows:
        for key in unpack_keys(packed):
            if mover(key) == colour:
                counts[key] += 1
                of_key[key] = pk
    frequent = [key for key, n in counts.most_common(POSITIONS) if n >= OFTEN]
    records = GameRecord.objects.in_bulk({of_key[key] for key in frequent})
    codes: dict[str, int] = {}
    for key in frequent:
        place = _place_of(scope, kind, codec.unpack(records[of_key[key]].record), key)
        if place is not None:
            codes.setdefault(*place)
    yield from codes.items()


def _place_of(scope: Scope, kind: str, record: Any, key: int) -> tuple[str, int] | None:
    """Return the code of the position with a key on a main line, and its ply; None if it is not among the
    first `PLIES`."""
    game = GAMES[kind]
    for ply, position, _move, _entry in game.replay.main_line(record):
        if ply > PLIES:
            break
        if key in position_keys(scope, [position], "exact", kind)[0]:
            return game.codec.encode(position), ply
    return None
