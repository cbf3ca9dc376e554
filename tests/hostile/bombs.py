"""Small files that unpack to large ones, made in no time: what repeats in them is compressed once."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tarfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

PIECE: Final = 1 << 26
"""Bytes of zeros that are compressed; bombs are made of many of these."""

_BLOCK_BYTES: Final = 45_000_000
_BLOCK_MAGIC: Final = 0x314159265359
_END_MAGIC: Final = 0x177245385090

STORED, DEFLATED, BZIP2, LZMA = 0, 8, 12, 14


@dataclass(frozen=True)
class Packed:
    """A member of a ZIP as it stands in the file, with what its headers claim."""

    name: bytes
    data: bytes
    method: int = STORED
    size: int = -1
    flags: int = 0x800
    crc: int = 0
    mode: int = 0


def raw_zip(members: Iterable[Packed], *, copies: int = 1, comment: bytes = b"") -> bytes:
    """A ZIP whose headers say what they are told; with `copies`, its directory names each member so often."""
    out, directory, count = bytearray(), bytearray(), 0
    for member in members:
        size = member.size if member.size >= 0 else len(member.data)
        about = struct.pack(
            "<5H3L", 20, member.flags, member.method, 0, 0x21, member.crc, len(member.data), size & 0xFFFFFFFF
        )
        at = len(out)
        out += b"PK\x03\x04" + about + struct.pack("<2H", len(member.name), 0) + member.name + member.data
        for number in range(copies):
            name = b"%d" % number + member.name if number else member.name
            directory += b"PK\x01\x02\x14\x03" + about
            directory += struct.pack("<5H2L", len(name), 0, 0, 0, 0, member.mode << 16, at) + name
            count += 1
    end = struct.pack("<4H2LH", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), len(out), len(comment))
    return bytes(out) + bytes(directory) + b"PK\x05\x06" + end + comment


def deflated(size: int) -> bytes:
    """So many zeros, or a few more, as a raw deflate stream."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(PIECE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return piece * max(1, size // PIECE) + b"\x03\x00"


def bzipped(size: int) -> bytes:
    """So many zeros, nearly, as one bzip2 stream: the bits of one block again and again."""
    stream = bz2.compress(bytes(_BLOCK_BYTES))
    bits, length = int.from_bytes(stream[4:], "big"), 8 * len(stream[4:])
    # The end is its mark and a checksum, with up to seven bits behind them.
    pad = next(n for n in range(8) if (bits >> (n + 32)) & (2**48 - 1) == _END_MAGIC)
    block, block_length = bits >> (pad + 80), length - pad - 80
    assert block >> (block_length - 48) == _BLOCK_MAGIC
    checksum, together, all_bits, all_length = (block >> (block_length - 80)) & (2**32 - 1), 0, 0, 0
    for _ in range(max(1, size // _BLOCK_BYTES)):
        all_bits, all_length = all_bits << block_length | block, all_length + block_length
        together = ((together << 1 | together >> 31) & (2**32 - 1)) ^ checksum
    all_bits, all_length = (all_bits << 48 | _END_MAGIC) << 32 | together, all_length + 80
    spare = -all_length % 8
    return b"BZh9" + (all_bits << spare).to_bytes((all_length + spare) // 8, "big")


def lzma_member(size: int, dictionary: int = 0) -> bytes:
    """So many zeros as a member of a ZIP by LZMA; `dictionary` is what it claims to need."""
    packer = lzma.LZMACompressor(lzma.FORMAT_ALONE, preset=0)
    alone = b"".join([packer.compress(bytes(PIECE)) for _ in range(max(1, size // PIECE))] + [packer.flush()])
    properties = alone[:1] + struct.pack("<L", dictionary) if dictionary else alone[:5]
    return b"\x09\x04\x05\x00" + properties + alone[13:]


PACKERS: Final = {
    "gz": lambda data: gzip.compress(data, 9, mtime=0),
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
}


def single(suffix: str, size: int, head: bytes = b"") -> bytes:
    """So many zeros behind a beginning, in one compressed file of many streams."""
    packer = PACKERS[suffix]
    return (packer(head) if head else b"") + packer(bytes(PIECE)) * max(1, size // PIECE)


def tar_header(name: str, size: int, kind: bytes = tarfile.REGTYPE, linkname: str = "") -> bytes:
    """The header of one file in a tar archive, whatever it claims."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, linkname
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


@cache
def _made(method: int, size: int) -> tuple[bytes, int, int]:
    """The data of a bomb, what it unpacks to, and the checksum of that."""
    unit = _BLOCK_BYTES if method == BZIP2 else PIECE
    unpacked = max(1, size // unit) * unit
    crc, zeros = 0, bytes(unit)
    for _ in range(unpacked // unit):
        crc = zlib.crc32(zeros, crc)
    return {DEFLATED: deflated, BZIP2: bzipped, LZMA: lzma_member}[method](size), unpacked, crc


def method_bomb(method: int, size: int, name: bytes = b"bomb.kif") -> Packed:
    """A member of a ZIP that unpacks to so much, nearly; nothing else about it is wrong."""
    data, unpacked, crc = _made(method, size)
    return Packed(name, data, method, unpacked, 0x800 | (2 if method == LZMA else 0), crc)


def liar(method: int, size: int) -> Packed:
    """The same, but it says that it is ten bytes."""
    bomb = method_bomb(method, size)
    return Packed(bomb.name, bomb.data, method, 10, bomb.flags)
