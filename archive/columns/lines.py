"""Lines of records as columns are made of them: packed where the record is at hand, so that nobody has
to open it again for them.

Packed lines are little-endian: how many there are, for each three numbers (the line that it leaves, -1 for
the main line; after how many moves of that; how many moves it has), 4 bytes each; the moves of all, packed,
2 bytes each; and where it all begins, as `contents` and who moves there, nothing for the initial position.
A line comes after the one that it leaves, with all that leaves it before the next: those that leave a line
latest come first.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from functools import cache
from struct import unpack_from
from typing import Any, Final, NamedTuple

from archive.columns.schema import CONTENTS, COUNTS, HANDS
from kifu_core.jkf import Record
from kifu_core.lines import fork_path
from kifu_core.shogi.pieces import BLACK
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import can_play, packed_move, start
from kifu_core.shogi.start import preset_start

PLACES: Final = {name: place for place, name in enumerate(CONTENTS)}
COUNT_OF: Final = {-kind if color else kind: PLACES[name] for (color, kind), name in COUNTS.items()}
"""By signed piece: the place of what counts it on the board."""

_NUMBER: Final = 4
_OF_LINE: Final = 3
_MOVE: Final = 2


class PackedLines(NamedTuple):
    """Packed lines as they are read: of each line three numbers, moves of two bytes, and the start."""

    told: tuple[int, ...]
    moves: bytes
    start: bytes


def contents(position: Position) -> bytes:
    """Return what stands in a position: a byte for each of `schema.CONTENTS`."""
    found = bytearray(array("b", position.board).tobytes())
    found += bytes(position.hands[color][kind] for color, kind in HANDS)
    found += bytes(len(COUNTS))
    for piece in filter(None, position.board):
        found[COUNT_OF[piece]] += 1
    return bytes(found)


INITIAL: Final = contents(Position.initial()) + bytes([BLACK])
"""What stands in the initial position, and that Black moves."""


def pack_lines(record: Record, only: Sequence[int] | None = None) -> bytes:
    """Return the packed lines of a record. Of one without variations, the packed moves of its only line may
    be given. Linear in its moves. Raises ParseError for a record that does not say where it starts."""
    told, moves = _lines(record["moves"][1:]) if only is None else ([-1, 0, len(only)], only)
    packed = _little("i", [len(told) // _OF_LINE, *told]) + _little("H", moves)
    preset = record["initial"]["preset"] if "initial" in record else "HIRATE"
    return packed + (_start(start(record)) if preset == "OTHER" else _named_start(preset))


def _start(position: Position) -> bytes:
    return contents(position) + bytes([position.turn])


@cache
def _named_start(preset: str) -> bytes:
    """Return how packed lines end that begin at a preset's start."""
    found = _start(preset_start(preset))
    return b"" if found == INITIAL else found


def _little(kind: str, numbers: Sequence[int]) -> bytes:
    """Return numbers as the bytes of a little-endian array."""
    found = array(kind, numbers)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def _lines(main: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return of each line the three numbers that are told of it, and the moves of all."""
    told, moves = list[int](), list[int]()
    waiting = [(-1, 0, main)]
    while waiting:
        parent, after, entries = waiting.pop()
        number, first = len(told) // _OF_LINE, len(moves)
        for entry in entries:
            if "forks" in entry:
                waiting += [(number, len(moves) - first, other) for other in entry["forks"]]
            if "move" in entry:
                moves.append(packed_move(entry["move"]))
        told += (parent, after, len(moves) - first)
    return told, moves


def read_lines(packed: bytes) -> PackedLines:
    """Return packed lines as they are read."""
    (count,) = unpack_from("<i", packed)
    told = unpack_from("<3i" if count == 1 else f"<{_OF_LINE * count}i", packed, _NUMBER)
    first = _NUMBER * (1 + len(told))
    end = first + _MOVE * sum(told[2::_OF_LINE])
    return PackedLines(told, packed[first:end], packed[end:] or INITIAL)


def line_of(record: Record, node: int) -> str:
    """Return the path of the line on which the position of a number stands, as `fork_path` makes them: empty
    for the main line, and for a number that the record does not have. Linear in the number."""
    number = 0
    lines = [("", record["moves"][1:], start(record), 0)]
    while lines and node:
        path, entries, position, ply = lines.pop()
        for entry in entries:
            for fork, other in enumerate(entry.get("forks", ())):
                lines.append((fork_path(path, ply + 1, fork), other, position.copy(), ply))
            if "move" not in entry:
                continue
            move = packed_move(entry["move"])
            if not can_play(position, move):
                break
            position.do_move(move)
            ply, number = ply + 1, number + 1
            if number == node:
                return path
    return ""
