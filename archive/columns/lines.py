"""The lines of records for columns, packed when a record is stored, so that it need not be read again.

Packed lines are little-endian: their number; for each line three numbers of 4 bytes (its parent line, -1 for
the main line; the number of moves of the parent before it; the number of its moves); the packed moves of all
lines, 2 bytes each; and the start as `contents` and the side to move, which are omitted for the initial
position. A line comes after its parent, followed by all of its own variations; variations of a line are in
descending order of where they begin.
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
"""By signed piece: the place of its count on the board."""

_NUMBER: Final = 4
_OF_LINE: Final = 3
_MOVE: Final = 2


class PackedLines(NamedTuple):
    """Unpacked lines: three numbers for each line, the moves of two bytes each, and the start."""

    numbers: tuple[int, ...]
    moves: bytes
    start: bytes


def contents(position: Position) -> bytes:
    """Return the contents of a position: a byte for each of `schema.CONTENTS`."""
    content = bytearray(array("b", position.board).tobytes())
    content += bytes(position.hands[color][kind] for color, kind in HANDS)
    content += bytes(len(COUNTS))
    for piece in filter(None, position.board):
        content[COUNT_OF[piece]] += 1
    return bytes(content)


INITIAL: Final = contents(Position.initial()) + bytes([BLACK])
"""The contents of the initial position, with Black to move."""


def pack_lines(record: Record, only: Sequence[int] | None = None) -> bytes:
    """Return the packed lines of a record. `only` are the packed moves of a record without variations, if
    they are known already. Linear in the moves. Raises ParseError for a record without a valid start."""
    numbers, moves = _lines(record["moves"][1:]) if only is None else ([-1, 0, len(only)], only)
    packed = _little_endian("i", [len(numbers) // _OF_LINE, *numbers]) + _little_endian("H", moves)
    preset = record["initial"]["preset"] if "initial" in record else "HIRATE"
    return packed + (_start(start(record)) if preset == "OTHER" else _preset_start(preset))


def _start(position: Position) -> bytes:
    return contents(position) + bytes([position.turn])


@cache
def _preset_start(preset: str) -> bytes:
    packed = _start(preset_start(preset))
    return b"" if packed == INITIAL else packed


def _little_endian(kind: str, numbers: Sequence[int]) -> bytes:
    packed = array(kind, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _lines(main: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return the three numbers of each line, and the moves of all lines."""
    numbers, moves = list[int](), list[int]()
    waiting = [(-1, 0, main)]
    while waiting:
        parent, after, entries = waiting.pop()
        line, first = len(numbers) // _OF_LINE, len(moves)
        for entry in entries:
            if "forks" in entry:
                waiting += [(line, len(moves) - first, fork) for fork in entry["forks"]]
            if "move" in entry:
                moves.append(packed_move(entry["move"]))
        numbers += (parent, after, len(moves) - first)
    return numbers, moves


def unpack_lines(packed: bytes) -> PackedLines:
    """Return the parts of packed lines."""
    (count,) = unpack_from("<i", packed)
    numbers = unpack_from("<3i" if count == 1 else f"<{_OF_LINE * count}i", packed, _NUMBER)
    first = _NUMBER * (1 + len(numbers))
    end = first + _MOVE * sum(numbers[2::_OF_LINE])
    return PackedLines(numbers, packed[first:end], packed[end:] or INITIAL)


def line_of(record: Record, node: int) -> str:
    """Return the path of the line with the position of this number, as `fork_path` makes it: empty for the
    main line, and for a number that the record does not have. Linear in the number."""
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
