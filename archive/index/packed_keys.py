"""The keys of a game in the position index, packed as `archive_gamerecord.keys`.

A header of four bytes says how many rows the main line has, and which parts there are: the moves of these
rows, two bytes each; their plies, two bytes each, unless they count from 0 without a gap; all distinct keys
of the game in the order of its rows, the main line first; and the main line's keys in the public space,
unless the game is public. Positions of games in several spaces can only be compared by these. All numbers are
big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from archive.index.schema import FORK
from kifu_core.classes import PUBLIC
from kifu_core.classes import key as key_of

_HEADER: Final = struct.Struct(">HH")
_PLIES: Final = 1
_PUBLIC_KEYS: Final = 2
KEY_BYTES: Final = 8


class Row(Protocol):
    """A row of a game, as far as it is packed."""

    @property
    def key(self) -> int: ...
    @property
    def move(self) -> int: ...
    @property
    def ply(self) -> int: ...
    @property
    def flags(self) -> int: ...


class PackedLine(NamedTuple):
    """The first visits of a game's main line: their keys in the public space, eight bytes each; their moves,
    two bytes each, in the canonical orientation; and their plies, two bytes each, or None if they count from
    0."""

    keys: bytes
    moves: bytes
    plies: bytes | None


def pack_keys(rows: Sequence[Row], codes: Sequence[str], kind: str, space: int) -> bytes:
    """Return the packed keys of a game's rows, in their order; `codes` has the canonical code of each."""
    main = [row for row in rows if not row.flags & FORK]
    keys = [*dict.fromkeys(row.key for row in rows)]
    plies = [row.ply for row in main]
    parts, flags = [struct.pack(f">{len(main)}H", *(row.move for row in main))], 0
    if plies != [*range(len(main))]:
        flags |= _PLIES
        parts.append(struct.pack(f">{len(plies)}h", *plies))
    parts.append(struct.pack(f">{len(keys)}q", *keys))
    if space != PUBLIC:
        flags |= _PUBLIC_KEYS
        public = [key_of(code, row.key & 3, kind) for row, code in zip(main, codes, strict=False)]
        parts.append(struct.pack(f">{len(public)}q", *public))
    return _HEADER.pack(len(main), flags) + b"".join(parts)


def unpack_keys(packed: bytes | memoryview) -> tuple[int, ...]:
    """Return the distinct keys of a game in the index, those of the main line first."""
    main, flags = _HEADER.unpack_from(packed)
    begin = _HEADER.size + (4 if flags & _PLIES else 2) * main
    end = len(packed) - (KEY_BYTES * main if flags & _PUBLIC_KEYS else 0)
    return struct.unpack(f">{(end - begin) // KEY_BYTES}q", packed[begin:end])


def unpack_line(packed: bytes) -> PackedLine:
    """Return the main line of packed keys."""
    main, flags = _HEADER.unpack_from(packed)
    begin, plies = _HEADER.size + 2 * main, None
    moves = packed[_HEADER.size : begin]
    if flags & _PLIES:
        plies, begin = packed[begin : begin + 2 * main], begin + 2 * main
    if flags & _PUBLIC_KEYS:
        begin = len(packed) - KEY_BYTES * main
    return PackedLine(packed[begin : begin + KEY_BYTES * main], moves, plies)


def unpack_main_keys(packed: bytes) -> tuple[bytes, bytes | None]:
    """Return the keys of the main line in the index, packed, and its plies as in `PackedLine`."""
    main, flags = _HEADER.unpack_from(packed)
    begin, plies = _HEADER.size + 2 * main, None
    if flags & _PLIES:
        plies, begin = packed[begin : begin + 2 * main], begin + 2 * main
    return packed[begin : begin + KEY_BYTES * main], plies
