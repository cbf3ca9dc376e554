"""Normalized records as they are kept in the database: zlib-compressed UTF-8 JSON."""

import json
import zlib
from collections.abc import Sequence
from typing import Any, Final, cast

import orjson

from kifu_core.jkf import MoveEntry, Record
from kifu_core.json_text import clean_escapes

_LEVEL: Final = 3
"""A record shrinks to about a tenth; higher levels cost more time than they save bytes."""


def to_json(record: Record, *, sort: bool = False) -> bytes:
    """Return the record as JSON; `sort` puts all keys in order, so that equal records give equal bytes."""
    try:
        return orjson.dumps(record, option=orjson.OPT_SORT_KEYS if sort else None)
    except orjson.JSONEncodeError:
        # orjson knows neither lone surrogates nor nesting as deep as FORK_LEVELS forks go.
        return json.dumps(record, separators=(",", ":"), sort_keys=sort).encode()


def pack(record: Record) -> bytes:
    """Pack a record as it is stored."""
    return zlib.compress(to_json(record), _LEVEL)


def unpack(stored: bytes | memoryview) -> Record:
    """Unpack the record that `pack` stored. Linear in its size."""
    return parsed(zlib.decompress(stored))


def opened(stored: bytes | memoryview, most: int) -> bytes | None:
    """Return the JSON text of a stored record; None for one that is longer than `most`."""
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(stored, most + 1)
    return text if len(text) <= most else None


def parsed(text: bytes) -> Record:
    """Return the record of its JSON text, without lone surrogates, which `to_json` can write."""
    try:
        return cast(Record, orjson.loads(text))
    except orjson.JSONDecodeError:
        return cast(Record, json.loads(clean_escapes(text.decode())[0]))


def same_moves(one: Record, other: Record) -> bool:
    """Return whether two records of a kind of game begin alike and play the same, forks and their order too.

    Comments, times, headers and the main line's ending do not count. Linear in both.
    """
    return one.get("initial") == other.get("initial") and _played(one["moves"]) == _played(other["moves"])


def _played(line: Sequence[MoveEntry]) -> tuple[list[Any], list[tuple[int, list[Any]]]]:
    """Return the moves of a line, and by their places the lines beside them."""
    moves = [entry["move"] for entry in line if "move" in entry]
    forks = [(at, [*map(_played, entry["forks"])]) for at, entry in enumerate(line) if "forks" in entry]
    return moves, forks
