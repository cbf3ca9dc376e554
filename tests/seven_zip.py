"""7z archives written by hand, for what no program writes: one file, packed in the ways that are given."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

LZMA, LZMA2, PPMD, BZIP2 = b"\x03\x01\x01", b"\x21", b"\x03\x04\x01", b"\x04\x02\x02"
DEFLATE, ZSTANDARD = b"\x04\x01\x08", b"\x04\xf7\x11\x01"


def of(
    packed: bytes, coders: Sequence[tuple[bytes, bytes]], sizes: Sequence[int], name: str = "a.kif"
) -> bytes:
    """An archive of one file with these packed bytes.

    `coders` are methods with their properties, the last one first, and `sizes` what each unpacks to.
    """
    header = b"".join(
        (
            b"\x01\x04",
            b"\x06" + number(0) + number(1) + b"\x09" + number(len(packed)) + b"\0",
            b"\x07\x0b" + number(1) + b"\0" + number(len(coders)),
            *(bytes([len(method) | 0x20 * bool(more)]) + method + counted(more) for method, more in coders),
            *(number(n) + number(n + 1) for n in range(len(coders) - 1)),
            b"\x0c" + b"".join(map(number, sizes)) + b"\0",
            b"\x08\0\0",
            b"\x05" + number(1) + b"\x11" + counted(b"\0" + f"{name}\0".encode("utf-16-le")) + b"\0",
            b"\0",
        )
    )
    place = struct.pack("<QQL", len(packed), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<L", zlib.crc32(place)) + place + packed + header


def counted(data: bytes) -> bytes:
    """Bytes behind their length; nothing for none."""
    return number(len(data)) + data if data else b""


def number(value: int) -> bytes:
    """A number of the directory: 7 bits in one byte, or all 64 behind a byte that says so."""
    return bytes([value]) if value < 0x80 else b"\xff" + value.to_bytes(8, "little")
