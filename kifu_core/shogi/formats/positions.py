"""Records that may be nothing but a position, for USI, SFEN, USEN and BOD."""

from dataclasses import replace
from typing import Final

from kifu_core.errors import KifuError
from kifu_core.jkf import MoveEntry, Record
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.draft import Draft, Locate
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import main_line


class PositionDraft(Draft):
    """A draft whose start is a record even without moves, and even if it is the usual start."""

    def _is_drawn(self) -> bool:
        return not self.line.steps or super()._is_drawn()

    def finished(self, index: int, locate: Locate) -> ParsedGame | None:
        """Return the finished record; it is a position if it has neither a move nor an ending."""
        game = self.finish(index, locate)
        if game is None or game.ending is not None or any("move" in entry for entry in game.record["moves"]):
            return game
        return replace(game, record_kind="position") if game.record_kind == "game" else game


GAMES_OF_LINES: Final = 50_000
"""Games to read of a text of lines in any case: such games are short, and share their starts."""


def position_at(record: Record, ply: int | None) -> tuple[int, Position, MoveEntry]:
    """Return ply, position and entry of a ply of the main line; `ply` None is its end.

    Raises KifuError `no-such-ply` if the main line is shorter, or `ply` negative.
    """
    reached = 0
    for number, position, move, entry in main_line(record):
        reached = number
        if number == ply or (ply is None and not move):
            return number, position, entry
    raise KifuError("no-such-ply", ply=reached, params={"number": ply or 0, "last": reached})
