"""Hostile ZIP files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from random import Random
from typing import Final

from tests.containers import zipped
from tests.hostile.bombs import (
    BZIP2,
    DEFLATED,
    LZMA,
    Packed,
    liar,
    lzma_member,
    method_bomb,
    raw_zip,
)
from tests.hostile.container_files import GB, GOOD, MB, NAMES, Maker, flipped, half

_METHODS: Final = {"deflate": DEFLATED, "bzip2": BZIP2, "LZMA": LZMA}
_UNKNOWN: Final = (1, 6, 9, 10, 19, 93, 95, 96, 97, 98, 99, 65535)
_RAW_NAMES: Final = (b"\xff\xfe", b"\x00", b"\xed\xa0\x80.kif", b"\x80" * 300, b"")
_ONE: Final = zlib.crc32(b"x")


def _zip(members: Iterable[Packed]) -> Maker:
    """These members and a good one."""
    found = list(members)
    return lambda: ("x.zip", raw_zip([*found, _good()]))


def _good() -> Packed:
    return Packed(b"good.kif", GOOD, crc=zlib.crc32(GOOD))


def _bomb(method: int) -> Maker:
    return lambda: ("bomb.zip", raw_zip([method_bomb(method, GB), _good()]))


def _liar(method: int) -> Maker:
    return lambda: ("liar.zip", raw_zip([liar(method, GB), _good()]))


def _overlapping(method: int, copies: int) -> Maker:
    return lambda: ("overlap.zip", raw_zip([method_bomb(method, 60 * MB)], copies=copies))


def _nested(depth: int, data: bytes) -> bytes:
    for level in range(depth):
        data = zipped((f"{level}.zip" if level else "x.kif", data))
    return data


def _zip64(number: int) -> bytes:
    record = b"PK\x06\x06" + struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, number, number, number, number)
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, 0, 1)
    end = struct.pack("<4H2LH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return record + locator + b"PK\x05\x06" + end


def _thirty() -> bytes:
    return zipped(*((f"{number}.kif", GOOD) for number in range(30)))


def _broken() -> Iterable[Packed]:
    """Streams that are none, by each method."""
    yield Packed(b"x.kif", Random(2).randbytes(5000), DEFLATED, 9000)
    yield Packed(b"y.kif", b"BZh9" + Random(3).randbytes(500), BZIP2, 900)
    yield Packed(b"z.kif", b"\x09\x04\x05\x00" + Random(4).randbytes(500), LZMA, 900)


def _of_bombs() -> bytes:
    bomb = raw_zip([method_bomb(BZIP2, 60 * MB)])
    return zipped(*((f"{number}.zip", bomb) for number in range(40)))


def _of_zips() -> bytes:
    one = zipped(("x.kif", b"x"))
    return zipped(*((f"{number}.zip", one) for number in range(2000)))


def _many() -> bytes:
    return raw_zip(Packed(b"%d" % number, b"x", crc=_ONE) for number in range(200_001))


FILES: Final[dict[str, Maker]] = {
    **{f"ZIP bomb by {title}": _bomb(method) for title, method in _METHODS.items()},
    **{f"ZIP bomb by {title} that says it is small": _liar(method) for title, method in _METHODS.items()},
    "ZIP with a dictionary of 4 GB": lambda: (
        "dictionary.zip",
        raw_zip([Packed(b"x.kif", lzma_member(1, 0xFFFFFFFF), LZMA, 1 << 26, 0x802), _good()]),
    ),
    "overlapping members": _overlapping(DEFLATED, 3000),
    "overlapping members by bzip2": _overlapping(BZIP2, 500),
    "200,001 members": lambda: ("many.zip", _many()),
    "70,000 names of one member": lambda: ("names.zip", raw_zip([_good()], copies=70_000)),
    "ZIP in ZIP in ZIP": lambda: ("deep.zip", _nested(12, GOOD)),
    "a bomb in ZIPs": lambda: ("deep.zip", _nested(1, raw_zip([method_bomb(BZIP2, GB)]))),
    "ZIPs of bombs": lambda: ("wide.zip", _of_bombs()),
    "2,000 ZIPs in a ZIP": lambda: ("zips.zip", _of_zips()),
    "strange names in ZIP": lambda: ("names.zip", zipped(*((name, GOOD) for name in NAMES))),
    "raw bytes as names": _zip(
        Packed(name, GOOD, flags=flags, crc=zlib.crc32(GOOD)) for name in _RAW_NAMES for flags in (0, 0x800)
    ),
    "encrypted ZIP": _zip([Packed(b"x.kif", GOOD, flags=0x801), Packed(b"y.kif", GOOD, flags=0x841)]),
    "unknown methods": _zip(Packed(b"%d.kif" % method, GOOD, method) for method in _UNKNOWN),
    "wrong sums": _zip(
        [
            Packed(b"x.kif", GOOD, crc=1),
            Packed(b"y.kif", GOOD, size=1),
            Packed(b"z.kif", GOOD, size=0xFFFFFFFF),
        ]
    ),
    "links in ZIP": _zip([Packed(b"x.kif", b"/etc/passwd", mode=0o120777), Packed(b"y", b"", mode=0o020666)]),
    "broken streams": _zip(_broken()),
    "half a ZIP": lambda: ("half.zip", half(_thirty())),
    "a ZIP without a beginning": lambda: ("end.zip", _thirty()[1500:]),
    "a ZIP with strange bits": lambda: ("bits.zip", flipped(_thirty())),
    "a ZIP with a long comment": lambda: ("comment.zip", raw_zip([_good()], comment=b"PK\x05\x06" * 16_000)),
    "a ZIP64 of 2^63 bytes": lambda: ("zip64.zip", _zip64(2**63)),
    "a ZIP64 of 2^64 entries": lambda: ("zip64.zip", _zip64(2**64 - 1)),
    "an end and nothing else": lambda: ("end.zip", b"PK\x05\x06" + b"\xff" * 18),
    "a ZIP behind 5 MB": lambda: ("behind.zip", b"PK\x03\x04" + bytes(5 * MB) + zipped(("x.kif", GOOD))),
    "a record and a ZIP in one": lambda: ("both.kif", GOOD + zipped(("x.kif", GOOD))),
}
