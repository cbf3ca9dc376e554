"""The formats of Quoridor's records: qf_code, move lists, our own JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kifu_core.decoding import Notes, Source
from kifu_core.errors import KifuError
from kifu_core.jkf import Record
from kifu_core.quoridor.formats import alg, json_record, qf
from kifu_core.quoridor.formats.detect import detect
from kifu_core.quoridor.formats.write_alg import dump as dump_alg
from kifu_core.quoridor.record import from_jkf
from kifu_core.reading import Loader, open_source, read
from kifu_core.record import FormatName, ParseResult

_LOADERS: Final[dict[FormatName, Loader]] = {"qf": qf.load, "alg": alg.load, "json": json_record.load}
_WRITERS: Final[dict[str, Callable[..., str]]] = {"qf": qf.dump, "alg": dump_alg, "json": json_record.dump}

FORMATS: Final = tuple(_WRITERS)
"""The names `dump` knows: those of the files' extensions."""


def load(data: bytes | str, name: str | None = None, *, strict: bool = False) -> ParseResult:
    """Read all games of a file's bytes or text, as `kifu_core.load` does for shogi."""
    source, notes = open_source(data, name)
    return load_source(source, notes, strict=strict)


def load_source(source: Source, notes: Notes, *, strict: bool = False) -> ParseResult:
    """Read all games of an opened source, as `load` does."""
    format_name, _ = detect(source.text, source.name)
    return read(source, notes, format_name, _LOADERS, "", strict=strict)


def dump(record: Record, file_format: str, **options: Any) -> str:
    """A record of Quoridor, as a `ParsedGame` carries it, as the text of a file.

    Options: `indent` (json); `ply` (qf), for a snapshot of the position after so many half-moves. Raises
    KifuError `unknown-format` for a format that is not in `FORMATS`, `too-many-plies` and `turn-range` for
    what no qf_code can hold.
    """
    if file_format not in _WRITERS:
        raise KifuError("unknown-format", params={"text": file_format[:40]})
    return _WRITERS[file_format](from_jkf(record), **options)


__all__ = ["FORMATS", "detect", "dump", "load", "load_source"]
