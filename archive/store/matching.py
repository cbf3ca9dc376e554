"""Find the stored game that a record is an edition of, if it is not identical to one.

Besides the digest, three rules decide, inside the writing transaction:

- if the moves are the same and one's headers say what the other's leave out, they are the same game
- if a record stops, and a longer game has the same players and day, it is a snapshot, superseded by that game
- if it could be one of several games, it is none of them, and readers are told of likely twins

Games that could be the same are under a lock that both their writers take (`lock`), so neither overlooks the
other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from django.db import connection

from archive.derive.editions import is_beginning
from archive.derive.game import SHORT_PLIES, DerivedGame
from archive.index.engine import engine
from archive.index.schema import UNKNOWN
from archive.models import Game, codec

STOPPED: Final = ("", "CHUDAN")
"""The endings of a record whose game may go on elsewhere: none, or interrupted."""


Names = Mapping[tuple[int, str], int]
"""Normalized names of players, each with its space, to their ids; one player may have several."""

Players = tuple[int | None, int | None]


class Facts(NamedTuple):
    """The facts that distinguish games with the same moves.

    `day` is as exact as it is known, `time` is when the game began; both are empty, and players None, if
    unknown.
    """

    players: Players
    day: str
    time: str
    result: int


class Pairing(NamedTuple):
    """The players and the day of a game: what a snapshot shares with its game."""

    space: int
    kind: str
    players: Players
    day: str


def day_text(played_from: date | None, precision: str, header_data: Any) -> str:
    """Return the first day as exactly as it is known: 2024-05-01, 2024-05, 2024 or nothing."""
    if played_from is None:
        return ""
    written: str = header_data.get("day", "")
    return written or played_from.isoformat()[: {"year": 4, "month": 7}.get(precision, 10)]


def facts(game: DerivedGame, names: Names) -> Facts:
    """Return the facts of an incoming game."""
    black, white = (names[game.space, name] if name else None for name in game.players)
    day = day_text(game.played_from, game.precision, game.header_data)
    return Facts((black, white), day, game.header_data.get("time", ""), game.result)


def stored_facts(game: Game) -> Facts:
    """Return the facts of a stored game."""
    day = day_text(game.played_from, game.precision, game.header_data)
    return Facts((game.player0_id, game.player1_id), day, game.header_data.get("time", ""), game.result)


def agree(one: Facts, other: Facts) -> bool:
    """Return whether all facts known of both are the same. A day agrees with its month and its year."""
    names = all(None in pair or pair[0] == pair[1] for pair in zip(one.players, other.players, strict=True))
    result = UNKNOWN in (one.result, other.result) or one.result == other.result
    return names and result and _begin_alike(one.day, other.day)


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def pairing(game: DerivedGame, names: Names) -> Pairing | None:
    """Return the players and the day; None unless all of them are known."""
    found = facts(game, names)
    if game.record_kind != "game" or None in found.players or len(found.day) < len("2024-05-01"):
        return None
    return Pairing(game.space, game.kind, found.players, found.day)


def stopped(result: int, special: str) -> bool:
    """Return whether a record with this result and ending may be a snapshot of a longer game."""
    return result == UNKNOWN and special in STOPPED


# --- locks -----------------------------------------------------------------------------------------------


def lock(games: Iterable[DerivedGame], names: Names) -> None:
    """Keep others from storing games that could be the same as one of these, until the transaction ends."""
    marks: set[bytes] = set()
    for game in games:
        marks.add(game.stem)
        if met := pairing(game, names):
            marks.add(repr(met).encode())
    keys = {blake2b(mark, digest_size=4).digest() for mark in marks}
    with connection.cursor() as cursor:
        engine().lock_games(cursor, sorted(int.from_bytes(key, "big", signed=True) for key in keys))


# --- looking ---------------------------------------------------------------------------------------------

_MEETINGS: Final = """
    WITH wanted (black, white, played, plies, open) AS (VALUES {places})
    SELECT DISTINCT g.id FROM wanted w
    JOIN archive_gameplayer p ON p.player_id = w.black AND p.played = w.played AND p.colour = 0
    JOIN archive_game g ON g.slot = p.slot
    WHERE g.player1_id = w.white AND g.record_kind = 'game'
        AND ((g.result = {unknown} AND g.plies < w.plies) OR (w.open = 1 AND g.plies > w.plies))
"""
_A_STATEMENT: Final = 500


def same_moves(games: Iterable[DerivedGame]) -> dict[bytes, list[Game]]:
    """Return, by stem, the stored games that these games could be editions of."""
    stems = {game.stem for game in games if game.plies >= SHORT_PLIES}
    found: dict[bytes, list[Game]] = defaultdict(list)
    if stems:
        for game in _games(stem__in=stems):
            found[bytes(game.stem or b"")].append(game)
    return found


def meetings(games: Sequence[DerivedGame], names: Names) -> list[Game]:
    """Return the stored games of the same players and day if one of the two has stopped and is shorter."""
    wanted = sorted(
        {
            (*met.players, game.played, game.plies, int(_open(game)))
            for game in games
            if (met := pairing(game, names))
        }
    )
    ids: set[int] = set()
    for first in range(0, len(wanted), _A_STATEMENT):
        part = wanted[first : first + _A_STATEMENT]
        sql = _MEETINGS.format(places=", ".join(["(%s, %s, %s, %s, %s)"] * len(part)), unknown=UNKNOWN)
        with connection.cursor() as cursor:
            cursor.execute(sql, [value for row in part for value in row])
            ids.update(pk for (pk,) in cursor.fetchall())
    return list(_games(pk__in=ids)) if ids else []


def _open(game: DerivedGame) -> bool:
    return stopped(game.result, game.special)


def _games(**condition: Any) -> Iterable[Game]:
    return Game.objects.select_for_update().filter(**condition).order_by("pk")


def alone(games: Sequence[DerivedGame], names: Names) -> list[DerivedGame]:
    """Return the games that cannot be the same as a stored game or as another one of them."""
    stems: dict[bytes, list[DerivedGame]] = defaultdict(list)
    for game in games:
        stems[game.stem].append(game)
    met = {id(game): pairing(game, names) for game in games}
    meeting = Counter(met.values())
    interrupted = {met[id(game)] for game in games if _open(game)}
    stored = same_moves(games)
    there = {(game.space, game.player0_id, game.player1_id, game.played) for game in meetings(games, names)}

    def is_edition(game: DerivedGame) -> bool:
        mine = facts(game, names)
        others = [
            facts(other, names)
            for other in stems[game.stem]
            if other is not game and other.space == game.space
        ]
        others += [stored_facts(other) for other in stored[game.stem] if other.space == game.space]
        return any(agree(mine, theirs) for theirs in others)

    def is_alone(game: DerivedGame) -> bool:
        mine = met[id(game)]
        if is_edition(game):
            return False
        if mine is None:
            return True
        among = meeting[mine] > 1 and mine in interrupted
        return not among and (game.space, *mine.players, game.played) not in there

    return [game for game in games if is_alone(game)]


def target(game: DerivedGame, names: Names, without: int | None = None) -> Game | None:
    """Return the stored game that this one is an edition or a snapshot of, or that is a snapshot of it.

    None if there is none, or more than one. `without` is left out: the game itself.
    """
    mine = facts(game, names)
    others = [found for found in same_moves([game])[game.stem] if found.pk != without]
    alike = [found for found in others if found.space == game.space and agree(mine, stored_facts(found))]
    if alike:
        return alike[0] if len(alike) == 1 else None
    met = [found for found in meetings([game], names) if found.pk != without]
    related = [found for found in met if _superseded(game, mine, found)]
    return related[0] if len(related) == 1 else None


def _superseded(game: DerivedGame, mine: Facts, found: Game) -> bool:
    """Return whether one of two games of the same players and day is a snapshot of the other."""
    theirs = stored_facts(found)
    if (found.space, found.kind, theirs.day) != (game.space, game.kind, mine.day):
        return False
    if not _begin_alike(mine.time, theirs.time):
        return False
    short, long = codec.unpack(game.record), found.jkf
    open_ = _open(game)
    if found.plies < game.plies:
        short, long, open_ = long, short, stopped(found.result, found.special)
    return open_ and is_beginning(short, long)
