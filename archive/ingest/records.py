"""How normalized records are kept in the database: zlib-compressed UTF-8 JSON."""

from __future__ import annotations

import json
import zlib
from typing import Final, cast

import orjson

from kifu_core.jkf import Record

_LEVEL: Final = 3
"""A record shrinks to about a tenth; higher levels cost more time than they save bytes."""


def to_json(record: Record, *, sort: bool = False) -> bytes:
    """The record as JSON; `sort` puts all keys in order, so that equal records give equal bytes."""
    try:
        return orjson.dumps(record, option=orjson.OPT_SORT_KEYS if sort else None)
    except orjson.JSONEncodeError:
        # orjson knows neither lone surrogates nor nesting as deep as FORK_LEVELS forks go.
        return json.dumps(record, separators=(",", ":"), sort_keys=sort).encode()


def pack(record: Record) -> bytes:
    """What is stored of a record."""
    return zlib.compress(to_json(record), _LEVEL)


def unpack(stored: bytes | memoryview) -> Record:
    """The record that `pack` stored. Linear in its size."""
    text = zlib.decompress(stored)
    try:
        return cast(Record, orjson.loads(text))
    except orjson.JSONDecodeError:
        return cast(Record, json.loads(text))
