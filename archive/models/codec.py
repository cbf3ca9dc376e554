"""The stored form of normalized records: zlib-compressed UTF-8 JSON."""

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
    """Return a record as JSON; with `sort`ed keys, equal records give equal bytes."""
    try:
        return orjson.dumps(record, option=orjson.OPT_SORT_KEYS if sort else None)
    except orjson.JSONEncodeError:
        # orjson refuses lone surrogates, and nesting as deep as FORK_LEVELS.
        return json.dumps(record, separators=(",", ":"), sort_keys=sort).encode()


def pack(record: Record) -> bytes:
    return zlib.compress(to_json(record), _LEVEL)


def unpack(stored: bytes | memoryview) -> Record:
    """Unpack the record that `pack` stored. Linear in its size."""
    return parse(zlib.decompress(stored))


def unpack_text(stored: bytes | memoryview, limit: int) -> bytes | None:
    """Return the JSON text of a stored record; None for one with more bytes than the limit."""
    text = zlib.decompressobj().decompress(stored, limit + 1)
    return text if len(text) <= limit else None


def parse(text: bytes) -> Record:
    """Parse JSON from `to_json`; lone surrogates in it are replaced."""
    try:
        return cast(Record, orjson.loads(text))
    except orjson.JSONDecodeError:
        return cast(Record, json.loads(clean_escapes(text.decode())[0]))


def same_moves(one: Record, other: Record) -> bool:
    """Return whether two records of a kind of game have the same start, moves and forks, in the same order.

    Comments, times, headers and endings are ignored. Linear in both.
    """
    return one.get("initial") == other.get("initial") and _played(one["moves"]) == _played(other["moves"])


def _played(line: Sequence[MoveEntry]) -> tuple[list[Any], list[tuple[int, list[Any]]]]:
    """Return the moves of a line, and its forks by index."""
    moves = [entry["move"] for entry in line if "move" in entry]
    forks = [(at, [*map(_played, entry["forks"])]) for at, entry in enumerate(line) if "forks" in entry]
    return moves, forks
