"""One file of a ZIP archive: its headers and its bytes."""

import bz2
import io
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final, cast
from zipfile import BadZipFile

from kifu_core.containers.members import Member, text_of
from kifu_core.containers.refusals import Budget, RefusedError
from kifu_core.containers.unpacking import Decoder, Inflate, UnpackedStream, ZipLzma

LOCAL: Final = struct.Struct("<4s5H3L2H")
FILE: Final = b"PK\x03\x04"
"""The signature of a local header."""

_IN_EXTRA: Final = 0xFFFFFFFF
"""Replaces a number that exceeds 32 bits, which is in the extra field."""

_ENCRYPTED, _PATCHED, _STRONGLY_ENCRYPTED = 0x1, 0x20, 0x40
_STORED, _DEFLATED, _BZIP2, _LZMA = 0, 8, 12, 14
_METHODS: Final = {
    1: "shrink", 2: "reduce", 3: "reduce", 4: "reduce", 5: "reduce", 6: "implode", 7: "tokenize",
    9: "deflate64", 10: "implode", 16: "terse", 18: "terse", 19: "lz77", 20: "zstd", 93: "zstd", 94: "mp3",
    95: "xz", 96: "jpeg", 97: "wavpack", 98: "ppmd", 99: "aes",
}  # fmt: skip
"""Names of unsupported compression methods."""


@dataclass(frozen=True, slots=True)
class ZipRecord:
    """The record of a member in the directory, or its local header; `at` is its offset in the file.

    A local header may lack checksum and size: they are None then.
    """

    name: bytes
    flags: int
    method: int
    mode: int
    crc: int | None
    packed: int
    size: int | None
    at: int


def member_of(file: IO[bytes], record: ZipRecord, budget: Budget, wrong: str) -> Member:
    """Return a file for reading; `wrong` is the reason why it cannot be read, or empty."""
    path = text_of(record.name)
    if record.flags & (_ENCRYPTED | _STRONGLY_ENCRYPTED):
        return Member(path, refusal=RefusedError("encrypted"))
    if stat.S_ISLNK(record.mode):
        return Member(path, refusal=RefusedError("link"))
    if wrong:
        return Member(path, refusal=RefusedError("damaged", text=wrong))
    return Member(path, lambda: _opened(file, record, budget), lambda: record.packed)


# --- its bytes -------------------------------------------------------------------------------------------


def _opened(file: IO[bytes], record: ZipRecord, budget: Budget) -> IO[bytes]:
    decoder = _decoder(record, budget)
    packed = cast(IO[bytes], Slice(file, _data_at(file, record), record.packed))
    stream = packed if decoder is None else cast(IO[bytes], UnpackedStream(packed, decoder))
    return cast(IO[bytes], _Checked(stream, record))


def _decoder(record: ZipRecord, budget: Budget) -> Callable[[], Decoder] | None:
    """Return the decoder of a member; None if it is not compressed."""
    if record.flags & _PATCHED:
        raise RefusedError("unknown-compression", text="patched data")
    if record.method == _STORED:
        if record.size is None:
            raise RefusedError("damaged", text="nothing tells its size")
        return None
    if record.method == _DEFLATED:
        return lambda: Inflate(-zlib.MAX_WBITS)
    if record.method == _BZIP2:
        return bz2.BZ2Decompressor
    if record.method == _LZMA:
        size = record.size
        if size is None:
            raise RefusedError("damaged", text="nothing tells its size")
        return lambda: ZipLzma(size, budget.limits.memory)
    name = _METHODS.get(record.method, "unknown")
    raise RefusedError("unknown-compression", text=f"ZIP {record.method} ({name})")


def _data_at(file: IO[bytes], record: ZipRecord) -> int:
    """Return the offset of a member's bytes after its local header, which must have the same name."""
    begin = data_at(file, record.at) if record.at >= 0 else 0
    if not begin:
        raise BadZipFile("there is no file where the directory says")
    file.seek(record.at)
    names = LOCAL.unpack(file.read(LOCAL.size))[9]
    if file.read(names) != record.name:
        raise BadZipFile("the directory gives the file another name")
    return begin


class Slice(io.RawIOBase):
    """A part of a file that others read from too."""

    def __init__(self, file: IO[bytes], at: int, size: int) -> None:
        self._file = file
        self._at = at
        self._left = size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self._file.seek(self._at)
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._at += len(data)
        self._left -= len(data)
        return data

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Checked(io.RawIOBase):
    """A stream of the recorded length, with its checksum verified at the end."""

    def __init__(self, stream: IO[bytes], record: ZipRecord) -> None:
        self._stream = stream
        self._left = record.size
        self._expected = record.crc
        self._crc = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._left is None:
            data = self._stream.read(size)
        else:
            data = self._stream.read(self._left if size < 0 else min(size, self._left)) if self._left else b""
            self._left -= len(data)
        self._crc = zlib.crc32(data, self._crc)
        if (not data or self._left == 0) and self._expected not in (None, self._crc):
            raise BadZipFile("the checksum is wrong")
        return data


# --- its headers -----------------------------------------------------------------------------------------


def data_at(file: IO[bytes], at: int) -> int:
    """Return the offset of a file's bytes after the local header at this place; 0 if there is no header."""
    file.seek(at)
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(FILE):
        return 0
    names, extras = LOCAL.unpack(head)[9:]
    return at + LOCAL.size + int(names) + int(extras)


def local_record(file: IO[bytes], at: int) -> tuple[ZipRecord, int] | None:
    """Return a file's local header and the offset of its bytes; None if there is no header."""
    file.seek(at)
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(FILE):
        return None
    _, _, flags, method, _, _, crc, packed, size, names, extras = LOCAL.unpack(head)
    name, extra = file.read(names), file.read(extras)
    size, packed = zip64_numbers(extra, size, packed)
    return ZipRecord(name, flags, method, 0, crc, packed, size, at), at + LOCAL.size + names + extras


def zip64_numbers(extra: bytes, *numbers: int) -> Iterator[int]:
    """Yield size, packed size and offset; those too large for a record are in its extra field."""
    fields = _field64(extra) if _IN_EXTRA in numbers else b""
    for number in numbers:
        if number == _IN_EXTRA and len(fields) >= 8:
            yield int.from_bytes(fields[:8], "little")
            fields = fields[8:]
        else:
            yield number


def _field64(extra: bytes) -> bytes:
    """Return the extra field for large numbers; empty if there is none."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == 1:
            return extra[4 : 4 + length]
        extra = extra[4 + length :]
    return b""
