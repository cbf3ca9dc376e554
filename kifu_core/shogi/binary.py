"""Files that are not text: training data and opening books of engines, recognised by name and first bytes."""

import struct
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Final

from kifu_core.errors import DecodeError
from kifu_core.formats import Mark, Stage
from kifu_core.shogi.packed import ENTRIES, Packing, decode, move_of
from kifu_core.shogi.rules import violation

YBB_MAGIC: Final = b"YANE-BINBOOK-V1\0"

_SUFFIXES: Final = {
    "hcpe": ("hcpe",), "hcpe3": ("hcpe3",), "psv": ("psv",), "sbk": ("sbk",), "bin": ("psv", "hcpe", "apery"),
}  # fmt: skip
"""The formats of a file by its extension: nearly any bytes might be positions."""

_CHECKED_ENTRIES: Final = 4
_CHECKED_MOVES: Final = 64
APERY_MOVE: Final = struct.Struct("<QHHi")
"""A move of an `apery` book: hash of the position, move, times, score."""
_SBK_TAGS: Final = b"\x0a\x12\x1a"
"""The first byte of the fields of an `sbk` book."""


def binary_format(data: bytes, name: str) -> str | None:
    """Return the format of a file by its name and first bytes; None for a text and for other files."""
    if data.startswith(YBB_MAGIC):
        return "ybb"
    named = _SUFFIXES.get(_suffix(name), ())
    return next((one for one in named if _TESTS[one](data, len(named) > 1)), None)


def is_packed(data: bytes, name: str) -> bool:
    """Return whether a file is not text."""
    return binary_format(data, name) is not None


def binary_mark(file_format: str) -> Mark:
    """Return the mark of a format; the text of its files has a character for each byte."""
    return Mark(Stage.WHOLE, partial(_has_format, file_format))


def _has_format(file_format: str, text: str, name: str) -> bool:
    if file_format == "ybb":
        return text.startswith(YBB_MAGIC.decode())
    if not name or file_format not in _SUFFIXES.get(_suffix(name), ()):
        return False
    try:
        return binary_format(text.encode("latin-1"), name) == file_format
    except UnicodeEncodeError:
        return False


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _has_entries(packing: Packing, data: bytes, strict: bool) -> bool:
    """Return whether a file begins with positions and, if `strict`, with legal moves and results.

    Near the start of a game few pieces have moved, and one packing may look like the other.
    """
    size = ENTRIES[packing].size
    entries = [data[at : at + size] for at in range(0, _CHECKED_ENTRIES * size, size)]
    complete = [entry for entry in entries if len(entry) == size]
    return bool(complete) and all(_is_entry(entry, packing, strict) for entry in complete)


def _is_entry(entry: bytes, packing: Packing, strict: bool) -> bool:
    try:
        packed, _score, move, *_ply, result, _unused = ENTRIES[packing].unpack(entry)
        position = decode(packed, packing)
    except DecodeError:
        return False
    results = range(16) if packing == "hcpe" else range(-1, 2)
    return not strict or (result in results and violation(position, move_of(move, packing)) is None)


def _has_game(data: bytes, strict: bool) -> bool:
    try:
        decode(data[:32], "hcpe")
    except DecodeError:
        return False
    return len(data) >= 36


def _has_fields(data: bytes, strict: bool) -> bool:
    return data[:1] in (_SBK_TAGS[:1], _SBK_TAGS[1:2], _SBK_TAGS[2:])


def _has_book_moves(data: bytes, strict: bool) -> bool:
    """Return whether a file has moves in the order of the hashes of their positions."""
    if not data or len(data) % APERY_MOVE.size:
        return False
    head = [*APERY_MOVE.iter_unpack(data[: _CHECKED_MOVES * APERY_MOVE.size])]
    ordered = all(first[0] <= second[0] for first, second in pairwise(head))
    return ordered and all(move_of(one[1], "hcpe") for one in head)


_TESTS: Final[dict[str, Callable[[bytes, bool], bool]]] = {
    "hcpe": partial(_has_entries, "hcpe"),
    "psv": partial(_has_entries, "psv"),
    "hcpe3": _has_game,
    "sbk": _has_fields,
    "apery": _has_book_moves,
}
"""Tests of a file whose name fits; they are strict if the name fits several formats."""
