"""The castles and openings of a game as they are stored: number, colour and ply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kifu_core.games import of_record
from kifu_core.jkf import Record
from kifu_core.shogi import formations

VERSION: Final = formations.VERSION
"""That of the library which they are found by."""


class FormationRow(NamedTuple):
    """A formation by its number, the colour that has it, and the first ply at which it stands."""

    formation: int
    colour: int
    ply: int


def formation_rows(
    record: Record, record_kind: str, moves: Sequence[int] | None = None
) -> tuple[FormationRow, ...]:
    """Return the formations on a record's main line in order of plies; none unless `record_kind` is "game".
    `moves` are those of the main line, if they are known."""
    if record_kind != "game":
        return ()
    replay = of_record(record).replay
    return tuple(
        FormationRow(formations.BY_NAME[one.name].number, one.color, one.ply)
        for one in replay.formations(record, replay.main_moves(record) if moves is None else moves)
    )
