"""SFEN: positions, one a line, as in the Universal Shogi Interface (.sfen).

The reader is that of USI files, in which moves may follow the position of a line.
"""

from typing import Final

from kifu_core.formats import ALL_BUT_MOVES, Format, Mark, Stage, Writer
from kifu_core.jkf import Record
from kifu_core.shogi.fen import FIELDS, TO_ADDRESS
from kifu_core.shogi.formats.endings import NoEndings
from kifu_core.shogi.formats.positions import position_at
from kifu_core.shogi.formats.usi import cut, load


def dump(record: Record, *, ply: int | None = 0) -> str:
    """Return the SFEN of the position after `ply` half-moves of the main line; everything else is lost.

    `ply` None is the last position. Raises KifuError `no-such-ply`.
    """
    number, position, _ = position_at(record, ply)
    return position.sfen(number + 1) + "\n"


_FILE: Final = Writer(
    "sfen",
    dump,
    options=["ply"],
    position_only=True,
    lost=["moves", *ALL_BUT_MOVES],
    lost_endings=NoEndings().lost,
)
_MARK: Final = Mark(Stage.LINE, rf"[^\S\n]*+(?:{FIELDS}|{TO_ADDRESS})")
FORMAT: Final = Format("sfen", load, [_MARK], [_FILE], cut)
