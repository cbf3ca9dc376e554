"""The record formats of shogi, one module each: its grammar, `load`, `dump` and marks.

A new format needs its module and a line of `SHOGI`.
"""

from typing import Final

from kifu_core.errors import Issue
from kifu_core.formats import Formats
from kifu_core.shogi.binary import is_packed
from kifu_core.shogi.detect import detect, program
from kifu_core.shogi.formats import (
    apery,
    bod,
    csa,
    csa1,
    db,
    endings,
    jkf,
    ki2,
    kif,
    packed,
    psn,
    sbk,
    sfen,
    shogidb2,
    usen,
    usi,
    ybb,
)

SHOGI: Final = Formats(
    (
        kif.FORMAT,
        ki2.FORMAT,
        csa.FORMAT,
        jkf.FORMAT,
        usi.FORMAT,
        sfen.FORMAT,
        usen.FORMAT,
        bod.FORMAT,
        packed.HCPE,
        packed.HCPE3,
        packed.PSV,
        psn.FORMAT,
        shogidb2.FORMAT,
        csa1.FORMAT,
        db.FORMAT,
        ybb.FORMAT,
        sbk.FORMAT,
        apery.FORMAT,
    ),
    detect,
    parts=endings.count_parts,
    program=program,
    is_packed=is_packed,
)

FORMATS: Final = SHOGI.names
"""The formats of `dump`, by extension."""

load = SHOGI.load
load_source = SHOGI.load_source
dump = SHOGI.dump
losses = SHOGI.losses


def encode_text(text: str, file_format: str) -> tuple[bytes, tuple[Issue, ...]]:
    """Return the bytes of a file, as its `Writer` encodes them; raises KifuError `unknown-format`."""
    return SHOGI.writer(file_format).encoded(text)


__all__ = ["FORMATS", "SHOGI", "detect", "dump", "encode_text", "load", "load_source", "losses"]
