"""The record formats, one module each: its grammar, `load` and `dump`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from kifu_core.decoding import Notes, Source
from kifu_core.errors import KifuError
from kifu_core.jkf import Record
from kifu_core.reading import Loader, open_source, read
from kifu_core.record import FormatName, ParseResult
from kifu_core.shogi.detect import detect, program
from kifu_core.shogi.formats import (
    bod,
    csa,
    csa1,
    db,
    jkf,
    ki2,
    kif,
    packed,
    psn,
    sfen,
    shogidb2,
    usen,
    usi,
    write_csa,
)
from kifu_core.shogi.formats.writing import encode_text
from kifu_core.shogi.packed import is_packed

_LOADERS: Final[dict[FormatName, Loader]] = {
    "csa": csa.load,
    "jkf": jkf.load,
    "ki2": ki2.load,
    "kif": kif.load,
    "usi": usi.load,
    "sfen": sfen.load,
    "usen": usen.load,
    "bod": bod.load,
    "csa1": csa1.load,
    "db": db.load,
    "shogidb2": shogidb2.load,
    "psn": psn.load,
    "hcpe": packed.load_hcpe,
    "psv": packed.load_psv,
}

_WRITERS: Final[dict[str, Callable[..., str]]] = {
    "csa": write_csa.dump,
    "jkf": jkf.dump,
    "ki2": ki2.dump,
    "ki2u": ki2.dump,
    "kif": kif.dump,
    "kifu": partial(kif.dump, utf8=True),
    "usi": usi.dump,
    "sfen": sfen.dump,
    "usen": usen.dump,
    "bod": bod.dump,
}

FORMATS: Final = tuple(_WRITERS)
"""The names `dump` knows: those of the files' extensions."""


def dump(record: Record, file_format: str, **options: Any) -> str:
    """A normalized record as the text of a file; `encode_text` turns it into bytes.

    Options: `ending` (kif, ki2, csa), the game's `Ending`, for endings JKF has no name for; `indent` (jkf);
    `ply` (sfen, bod), the position written, None for the last.
    Raises KifuError `unknown-format` for a format that is not in `FORMATS`.
    """
    if file_format not in _WRITERS:
        raise KifuError("unknown-format", params={"text": file_format[:40]})
    return _WRITERS[file_format](record, **options)


def load(data: bytes | str, name: str | None = None, *, strict: bool = False) -> ParseResult:
    """Read all games of a file's bytes or text; `name` is its name, used only where content leaves a doubt.

    Findings are collected, not raised: a game keeps what could be read of it, a game that could not be read
    at all is only an issue of the result. `strict` raises the first finding that is an error instead, as
    ParseError, IllegalMoveError or AmbiguousMoveError. Raises UnknownFormatError `unknown-format` if no
    format is recognised, DecodeError `too-large` for more than `text.MAX_BYTES`. Linear in the size of the
    data.
    """
    source, notes = open_source(data, name, is_packed=is_packed)
    return load_source(source, notes, strict=strict)


def load_source(source: Source, notes: Notes, *, strict: bool = False) -> ParseResult:
    """Read all games of an opened source, as `load` does."""
    format_name, _ = detect(source.text, source.name)
    return read(source, notes, format_name, _LOADERS, program(source.text), strict=strict)


__all__ = ["FORMATS", "dump", "encode_text", "load"]
