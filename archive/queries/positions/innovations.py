"""A player's innovations: moves to positions that no earlier game reached, and that others reached later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from archive.caching.values import cached
from archive.index.engine import engine
from archive.index.packed_keys import KEY_BYTES, unpack_main_keys
from archive.index.schema import COLOR_BIT, FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.models import GameRecord, codec
from archive.queries.games.listing import GameRow, games_in
from archive.queries.scope import Scope
from archive.queries.sql import rows_by_ids
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from archive.models import Player

MOST_GAMES: Final = 20_000
"""Games that are read, the earliest first."""
MOST_POSITIONS: Final = 60_000
"""Positions that are looked up, those of the lowest plies first."""
REMOTE_POSITIONS: Final = 2_000
"""The same with an index on other servers, which are asked for each position."""
MOST_FOLLOWERS: Final = 10_000
"""Games that are counted at a position."""
LISTED: Final = 50
FOLLOWERS: Final = 1
_BATCH: Final = 2_000
_SECONDS: Final = 600
_LARGE: Final = 1_000
"""The innovations of players with more games stay in use for `_SECONDS`."""

_OWN: Final = f"""
    SELECT p.played, p.slot, p.colour FROM archive_gameplayer p
    WHERE p.player_id = %s AND p.played > {UNKNOWN_DAY} ORDER BY p.played, p.slot, p.colour LIMIT %s
"""
_UNDATED: Final = (
    f"SELECT count(*) FROM archive_gameplayer p WHERE p.player_id = %s AND p.played = {UNKNOWN_DAY}"
)
_KEYS: Final = """
    SELECT g.slot, r.keys FROM {keys} JOIN archive_game g ON g.slot = k.key
    JOIN archive_gamerecord r ON r.game_id = g.id WHERE g.record_kind = 'game' AND r.keys IS NOT NULL
"""
_GAMES_AT: Final = f"""
    FROM archive_occurrence d WHERE d.key = k.key AND d.played > {UNKNOWN_DAY} AND (d.flags & {FORK}) = 0
    AND d.result <> {NOT_A_GAME}
"""
_REACHED_AGAIN: Final = f"""
    SELECT k.key, (SELECT y.slot FROM (
        SELECT d.played, d.slot {_GAMES_AT} ORDER BY d.played, d.slot LIMIT 1
    ) y) FROM {{keys}}
    WHERE (SELECT count(*) FROM (SELECT 1 {_GAMES_AT} LIMIT %s) x) > 1
"""
_NUMBERS: Final = f"""
    WITH k AS (SELECT k.key FROM {{keys}})
    SELECT k.key, (SELECT count(*) FROM (SELECT 1 {_GAMES_AT} LIMIT %s) x) FROM k
"""


class Candidate(NamedTuple):
    """A position that the player's move reached first, with the numbers of the games of others that reached
    it later."""

    key: int
    slot: int
    ply: int
    followers: int


_NONE: Final = Candidate(0, 0, 0, -1)


@dataclass(frozen=True, slots=True)
class Innovation:
    """A move of a game to a position that no earlier game of the archive reached. `followers` are later games
    in which somebody else is at the position's other side, at most `MOST_FOLLOWERS`."""

    game: GameRow
    ply: int
    move: int
    name: str
    text: str
    before: str
    """The position before the move."""
    code: str
    followers: int


@dataclass(frozen=True, slots=True)
class Innovations:
    """The innovations of a player, those with the most followers first: one of each game."""

    items: tuple[Innovation, ...]
    undated: int
    """Games without a known day, which take no part."""
    games: int
    """Games that were read."""
    more: bool
    """Whether there are later games, which were not read."""
    plies: int | None
    """The ply from which on not all positions were looked up; None if all were."""


def innovations(scope: Scope, player: Player, followers: int = FOLLOWERS) -> Innovations:
    """Return the innovations of a player that at least so many games of others followed, among the games of
    the player's space. The player must be a root and in the scope.

    An innovation is the first visit of a position on the main line of a game with a known day, by the
    player's move, before which no other such game reached it by any order of moves; of games of one day that
    of the lowest slot is the first. Reads at most `MOST_GAMES` games and looks up `MOST_POSITIONS` positions.
    """

    def make() -> tuple[tuple[Candidate, ...], int, int, bool, int | None]:
        return _found(player, followers)

    name = f"innovations {player.pk} {followers}"
    candidates, games, undated, more, plies = cached(
        name, make, lambda found: _SECONDS * (found[1] > _LARGE)
    ).value
    items = tuple(_items(scope, candidates))
    return Innovations(items, undated, games, more, plies)


def _found(player: Player, followers: int) -> tuple[tuple[Candidate, ...], int, int, bool, int | None]:
    rows = engine().fetch_prepared(_OWN, [player.pk, MOST_GAMES + 1])
    ((undated,),) = engine().fetch_prepared(_UNDATED, [player.pk])
    own = rows[:MOST_GAMES]
    positions = _positions([(slot, colour) for _played, slot, colour in own])
    chosen, plies = positions.of_lowest_plies()
    candidates = _with_followers(positions, chosen, followers)
    return candidates, len(own), int(undated), len(rows) > MOST_GAMES, plies


@dataclass(frozen=True, slots=True)
class _Positions:
    """The distinct positions after a player's moves: their keys, ascending; of the earliest game with each
    its slot and the ply; and in how many games the player reached it so."""

    keys: NDArray[np.int64]
    slots: NDArray[np.int32]
    plies: NDArray[np.int16]
    counts: NDArray[np.int32]

    def of_lowest_plies(self) -> tuple[NDArray[np.intp], int | None]:
        """Return the places of at most `MOST_POSITIONS` positions, and the ply from which on some are
        missing."""
        order = np.lexsort((self.keys, self.plies))
        most = REMOTE_POSITIONS if engine().REMOTE_INDEX else MOST_POSITIONS
        return order[:most], int(self.plies[order[most]]) if len(order) > most else None


def _positions(sides: Sequence[tuple[int, int]]) -> _Positions:
    """Return the positions after the moves of sides of games, which are in the order of their days."""
    lines: dict[int, tuple[bytes, bytes | None]] = {}
    slots = [*dict.fromkeys(slot for slot, _colour in sides)]
    for begin in range(0, len(slots), _BATCH):
        for slot, packed in rows_by_ids(_KEYS, slots[begin : begin + _BATCH]):
            lines[slot] = unpack_main_keys(bytes(packed))
    known = [(slot, colour) for slot, colour in sides if slot in lines]
    sizes = np.array([len(lines[slot][0]) // KEY_BYTES for slot, _colour in known], np.int64)
    keys = np.frombuffer(b"".join(lines[slot][0] for slot, _colour in known), ">i8").astype(np.int64)
    plies = np.concatenate(
        [np.zeros(0, np.int16)]
        + [_plies(lines[slot][1], int(size)) for (slot, _colour), size in zip(known, sizes, strict=True)]
    )
    of_game = np.repeat(np.arange(len(known)), sizes)
    colours = np.array([colour for _slot, colour in known], np.int64)[of_game]
    moved = ((keys & COLOR_BIT) != colours * COLOR_BIT) & (plies > 0)
    keys, plies, of_game = keys[moved], plies[moved], of_game[moved]
    distinct, first, counts = np.unique(keys, return_index=True, return_counts=True)
    slots_of = np.array([slot for slot, _colour in known], np.int32)
    return _Positions(distinct, slots_of[of_game[first]], plies[first], counts.astype(np.int32))


def _plies(packed: bytes | None, size: int) -> NDArray[np.int16]:
    return (
        np.arange(size, dtype=np.int16) if packed is None else np.frombuffer(packed, ">i2").astype(np.int16)
    )


def _with_followers(positions: _Positions, chosen: NDArray[np.intp], followers: int) -> tuple[Candidate, ...]:
    """Return of each game the position that most others followed, of those that it reached first."""
    places = {int(positions.keys[place]): int(place) for place in chosen}
    first = {
        key: places[key]
        for key, slot in _asked(_REACHED_AGAIN, [*places], 2)
        if slot == positions.slots[places[key]]
    }
    best: dict[int, Candidate] = {}
    for key, number in _asked(_NUMBERS, [*first], MOST_FOLLOWERS):
        place = first[key]
        others = int(number) - int(positions.counts[place])
        one = Candidate(key, int(positions.slots[place]), int(positions.plies[place]), others)
        if others >= followers and _rank(one) < _rank(best.get(one.slot, _NONE)):
            best[one.slot] = one
    return tuple(sorted(best.values(), key=_rank)[:LISTED])


def _rank(one: Candidate) -> tuple[int, int, int]:
    return -one.followers, one.ply, one.slot


def _asked(sql: str, keys: Sequence[int], limit: int) -> list[tuple[Any, ...]]:
    """Return the rows of a statement about keys."""
    text = sql.format(keys=engine().INDEX_KEYS)
    return engine().fetch_all([(text, (some, limit)) for some in engine().key_lists(keys)])


def _items(scope: Scope, candidates: Sequence[Candidate]) -> list[Innovation]:
    """Return candidates with their games, which the scope can read, and their moves."""
    slots = [one.slot for one in candidates]
    games = games_in(scope, slots)
    records = {
        pk: codec.unpack(packed)
        for pk, packed in GameRecord.objects.filter(
            game__in=[game.id for game in games.values()]
        ).values_list("game_id", "record")
    }
    return [
        _item(one, games[one.slot], records[games[one.slot].id]) for one in candidates if one.slot in games
    ]


def _item(one: Candidate, row: GameRow, record: Any) -> Innovation:
    game = GAMES[row.kind]
    for ply, position, move, _entry in game.replay.main_line(record):
        if ply + 1 == one.ply:
            before, name = game.codec.encode(position), game.text.move_name(move)
            text = game.text.move_text(position, move)
            position.do_move(move)
            return Innovation(
                row, one.ply, move, name, text, before, game.codec.encode(position), one.followers
            )
    raise IndexError(f"no ply {one.ply} in game {row.id}")  # pragma: no cover - the keys are of this line
