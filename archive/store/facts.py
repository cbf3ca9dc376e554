"""The facts by which two games are compared: players, day, result, moves."""

from __future__ import annotations

from datetime import date
from typing import Final, NamedTuple

from archive.derive.game import DerivedGame, Identity
from archive.index.schema import UNKNOWN
from archive.models import Game
from archive.store.names import Names, home_of

STOPPED: Final = ("", "CHUDAN")
"""Endings of records that may be snapshots of a longer game: none, or an interruption."""

Players = tuple[int | None, int | None]
"""The ids of the players of colours 0 and 1; None for an unknown one."""


class Pairing(NamedTuple):
    """Who played on which day. A snapshot and its game have the same pairing."""

    space: int
    kind: str
    players: Players
    day: str


class Facts(NamedTuple):
    """The facts by which two games are compared.

    `day` is a date, a month or a year, and `time` the time at which the game began. Both are empty if
    unknown.
    """

    space: int
    kind: str
    record_kind: str
    digest: bytes
    stem: bytes
    plies: int
    players: Players
    day: str
    time: str
    result: int
    special: str

    @property
    def identity(self) -> Identity:
        return self.space, self.digest

    @property
    def stopped(self) -> bool:
        """Return whether the record may be a snapshot of a longer game."""
        return self.result == UNKNOWN and self.special in STOPPED

    @property
    def pairing(self) -> Pairing | None:
        """Return the pairing of a game; None unless both players and the exact day are known."""
        if self.record_kind != "game" or None in self.players or len(self.day) < len("2024-05-01"):
            return None
        return Pairing(self.space, self.kind, self.players, self.day)


def people(game: DerivedGame, names: Names) -> Players:
    """Return the players of a derived game. Raises KeyError if `names` has no id for one of them."""
    black, white = map(home_of, names.players_of(game))
    return black, white


def facts(game: DerivedGame, names: Names) -> Facts:
    """Return the facts of a derived game. Raises KeyError if `names` has no id for one of its players."""
    return Facts(
        game.space, game.kind, game.record_kind, game.digest, game.stem, game.plies, people(game, names),
        _day(game), game.header_data.get("time", ""), game.result, game.special,
    )  # fmt: skip


def stored_facts(game: Game) -> Facts:
    return Facts(
        game.space, game.kind, game.record_kind, bytes(game.digest), bytes(game.stem or b""), game.plies,
        (game.player0_id, game.player1_id), _day(game), game.header_data.get("time", ""), game.result,
        game.special,
    )  # fmt: skip


def _day(game: DerivedGame | Game) -> str:
    """Return the first day of a game as precisely as it is known: 2024-05-01, 2024-05, 2024 or empty."""
    played: date | None = game.played_from
    if played is None:
        return ""
    day: str = game.header_data.get("day", "")
    return day or played.isoformat()[: {"year": 4, "month": 7}.get(game.precision, 10)]


def agree(one: Facts, other: Facts) -> bool:
    """Return whether the players, days and results of two games do not contradict each other. Unknown ones
    contradict nothing, and a date does not contradict its month or its year."""
    names = all(None in pair or pair[0] == pair[1] for pair in zip(one.players, other.players, strict=True))
    result = UNKNOWN in (one.result, other.result) or one.result == other.result
    return names and result and is_prefix(one.day, other.day)


def is_prefix(one: str, other: str) -> bool:
    """Return whether one of two texts begins with the other."""
    return one.startswith(other) or other.startswith(one)
