"""Where games leave the repertoires of an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from archive.models import Entry, Game, GameRecord, Repertoire, RepertoireMove, User, codec
from archive.queries.names.own_names import own_colors
from archive.training.moves import moves_of, spot_of
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from archive.queries.scope import Scope
    from archive.training.moves import Played
    from kifu_core.jkf import Record

PLIES: Final = 120
"""The first plies of a game, which are compared."""
MOST_ENTRIES: Final = 200
"""The newest entries of uploads, of which the own games are looked at."""
MOST_GAMES: Final = 20
"""Own games of uploads that are compared: about 15 ms a game."""


class Departure(NamedTuple):
    """The last position of a game that a repertoire goes on from, where the game goes on differently.

    `ply` is the number of moves before it, `own` whether the owner of the repertoire moved. `played` is the
    move of the game, `expected` are those of the repertoire, as on the board of the class.
    """

    ply: int
    code: str
    own: bool
    played: int
    expected: tuple[int, ...]

    def names(self) -> tuple[str, list[str]]:
        """Return the played move and the expected ones on the game's board (USI)."""
        spot = spot_of(SHOGI.codec.decode(self.code))
        played, *expected = (to_usi(spot.of_position(move)) for move in (self.played, *self.expected))
        return played, expected


def departure(
    lines: Mapping[tuple[int, bool], Collection[int]], color: int, game: Sequence[Played]
) -> Departure | None:
    """Return where the moves of a game leave a repertoire of a colour; None if they never reach it, or end in
    it, or follow it to its end. A game that comes back by another order of moves has not left it."""
    for ply in range(len(game) - 1, -1, -1):
        one = game[ply]
        own = one.color == color
        if moves := lines.get((one.key, own)):
            return None if one.move in moves else Departure(ply, one.code, own, one.move, tuple(moves))
    return None


class GameDeparture(NamedTuple):
    """A repertoire that an own game leaves, and where."""

    game: int
    repertoire: Repertoire
    departure: Departure


def departures_of(
    scope: Scope, user: User, games: Sequence[Game], records: Mapping[int, Record]
) -> list[GameDeparture]:
    """Return where games of shogi leave the repertoires of an account, in the order of the games; `records`
    are those of the games by id. A fixed number of statements."""
    repertoires = list(Repertoire.objects.filter(user=user).order_by("pk"))
    colors = own_colors(scope, [game.slot for game in games]) if repertoires else {}
    own = [game for game in games if game.slot in colors and game.kind == SHOGI.name]
    moves = {game.pk: list(moves_of(records[game.pk], PLIES, forks=False)) for game in own}
    lines = _lines(repertoires, {one.key for line in moves.values() for one in line})
    found = []
    for game in own:
        for repertoire in repertoires:
            if repertoire.color in colors[game.slot]:
                left = departure(lines.get(repertoire.pk, {}), repertoire.color, moves[game.pk])
                if left is not None:
                    found.append(GameDeparture(game.pk, repertoire, left))
    return found


def _lines(
    repertoires: Sequence[Repertoire], keys: Collection[int]
) -> dict[int, dict[tuple[int, bool], list[int]]]:
    """Return the moves of repertoires in some positions."""
    lines: dict[int, dict[tuple[int, bool], list[int]]] = {}
    if keys:
        rows = RepertoireMove.objects.filter(repertoire__in=repertoires, key__in=keys).order_by("pk")
        for repertoire, key, own, move in rows.values_list("repertoire", "key", "own", "move"):
            lines.setdefault(repertoire, {}).setdefault((key, own), []).append(move)
    return lines


def departures_in_uploads(scope: Scope, user: User, uploads: Sequence[int]) -> list[GameDeparture]:
    """Return where the newest own games of uploads leave the repertoires of an account: up to `MOST_GAMES`
    of the last `MOST_ENTRIES` entries."""
    if not uploads or not Repertoire.objects.filter(user=user).exists():
        return []
    entries = Entry.objects.filter(upload__in=uploads, game__space__in=scope.spaces)
    ids = list(
        dict.fromkeys(entries.order_by("-upload", "-seq").values_list("game", flat=True)[:MOST_ENTRIES])
    )
    by_id = Game.objects.in_bulk(ids)
    games = [by_id[pk] for pk in ids if pk in by_id]
    colors = own_colors(scope, [game.slot for game in games])
    own = [game for game in games if game.slot in colors and game.kind == SHOGI.name][:MOST_GAMES]
    stored = GameRecord.objects.in_bulk([game.pk for game in own])
    records = {pk: codec.unpack(one.record) for pk, one in stored.items()}
    return departures_of(scope, user, [game for game in own if game.pk in records], records)
