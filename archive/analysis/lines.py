"""The positions of a game for an analysis: their keys in the index, and their history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from archive.analysis.usi import SearchedPosition
from archive.derive.verdicts import keys_of_line
from archive.models import Game
from archive.queries.games.taken_down import is_hidden
from kifu_core.games import SHOGI
from kifu_core.shogi import replay, rules
from kifu_core.shogi.moves import to_usi

if TYPE_CHECKING:
    from kifu_core.jkf import Record

PLIES: Final = 1_000
"""Positions of a game that are analysed."""


class GameLine(NamedTuple):
    """The main line of a game: its first position as SFEN, its moves in USI, the keys of its positions."""

    start: str
    moves: tuple[str, ...]
    keys: tuple[int, ...]

    def at(self, ply: int) -> SearchedPosition:
        """Return a position with its history."""
        return SearchedPosition(self.start, self.moves[:ply])

    def legal_moves(self, ply: int) -> int:
        """Return the number of legal moves in a position."""
        return len(rules.legal_moves(self.at(ply).position()))


def line_of(record: Record, space: int) -> GameLine:
    """Return the main line of a record in a space, at most `PLIES` moves; linear in it."""
    keys = keys_of_line(record, space)[: PLIES + 1]
    moves = SHOGI.replay.main_moves(record)[: max(0, len(keys) - 1)]
    return GameLine(replay.start(record).sfen(), tuple(map(to_usi, moves)), tuple(keys))


def line_of_game(pk: int, space: int) -> GameLine | None:
    """Return the main line of a game; None if it is no longer readable in this space, or is not of shogi."""
    games = Game.objects.filter(pk=pk, space=space, kind=SHOGI.name, stored__isnull=False)
    game = games.select_related("stored").first()
    return None if game is None or is_hidden(pk) else line_of(game.jkf, space)
