"""The castles and openings of a game as they are stored: by number, with colour and ply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kifu_core.games import of_record
from kifu_core.jkf import Record
from kifu_core.shogi import formations

VERSION: Final = formations.VERSION
"""That of the library which they are found by."""


class FoundFormation(NamedTuple):
    """A formation by its number, the colour that has it, and the ply at which it first stands."""

    formation: int
    colour: int
    ply: int


def found(record: Record, record_kind: str, moves: Sequence[int] | None = None) -> tuple[FoundFormation, ...]:
    """Return the formations of a record's main line, of which the moves may be given, in order of plies; of
    records that are no games none."""
    if record_kind != "game":
        return ()
    replay = of_record(record).replay
    return tuple(
        FoundFormation(formations.BY_NAME[one.name].number, one.color, one.ply)
        for one in replay.formations(record, replay.main_moves(record) if moves is None else moves)
    )
