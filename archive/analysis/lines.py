"""The positions of a game for an analysis: their keys in the index, and their history."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.analysis.usi import SearchedPosition
from archive.models import Game, GameRecord
from archive.queries.games.taken_down import is_hidden
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.lines import NO_MOVE
from kifu_core.shogi import rules
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
    keys_of, start = SHOGI.codec.same_class_keys, ""
    moves, keys = list[str](), list[int]()
    for _ply, position, move, _entry in islice(SHOGI.replay.main_line(record), PLIES + 1):
        start = start or position.sfen()
        try:
            keys.append(keys_of(position, "exact", SHOGI.name, space)[0])
        except KifuError:  # more pieces than a set has
            return GameLine(start, tuple(moves[: max(0, len(keys) - 1)]), tuple(keys))
        if move != NO_MOVE:
            moves.append(to_usi(move))
    return GameLine(start, tuple(moves), tuple(keys))


def line_of_game(pk: int, space: int) -> GameLine | None:
    """Return the main line of a game; None if it is no longer readable in this space, or is not of shogi."""
    game = Game.objects.filter(pk=pk, space=space, kind=SHOGI.name).first()
    if game is None or is_hidden(pk):
        return None
    stored = GameRecord.objects.filter(pk=pk).first()
    if stored is None:
        return None
    game.stored = stored
    return line_of(game.jkf, space)
