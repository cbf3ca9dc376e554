"""SFEN: positions, one a line, as the Universal Shogi Interface writes them (.sfen).

What is read is the same as in USI files, where a line may begin with its position and go on with moves.
"""

from __future__ import annotations

from kifu_core.jkf import Record
from kifu_core.shogi.formats.positions import position_at
from kifu_core.shogi.formats.usi import load

__all__ = ["dump", "load"]


def dump(record: Record, *, ply: int | None = 0) -> str:
    """The position after `ply` half-moves of the main line, None the last; everything else is lost.

    Raises KifuError `no-such-ply`.
    """
    number, position, _ = position_at(record, ply)
    return position.sfen(number + 1) + "\n"
