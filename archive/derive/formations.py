"""The castles and openings of a game as they are stored: number, colour and ply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kifu_core.games import of_record
from kifu_core.jkf import Record
from kifu_core.shogi import formations

VERSION: Final = formations.VERSION
"""The version of the library that finds formations."""


class FormationRow(NamedTuple):
    """The number of a formation, the colour that has it, and its first ply."""

    formation: int
    colour: int
    ply: int


def formation_rows(
    record: Record, record_kind: str, moves: Sequence[int] | None = None
) -> tuple[FormationRow, ...]:
    """Return the formations on a record's main line in order of plies; none unless `record_kind` is "game".
    `moves` are the moves of the main line, if the caller has them."""
    if record_kind != "game":
        return ()
    replay = of_record(record).replay
    return tuple(
        FormationRow(formations.BY_NAME[formation.name].number, formation.color, formation.ply)
        for formation in replay.formations(record, replay.main_moves(record) if moves is None else moves)
    )
