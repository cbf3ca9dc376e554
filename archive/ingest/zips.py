"""ZIP archives, read as streams: their directory record by record, their members a piece at a time.

`zipfile` makes an object of every record before the first member is read, and unpacks a whole piece of bzip2
or LZMA at once, whatever that gives.
"""

from __future__ import annotations

import bz2
import io
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final, cast
from zipfile import BadZipFile

from archive.ingest.members import Member, text_of
from archive.ingest.refusals import Budget, RefusedError
from archive.ingest.unpacking import Decoder, Inflate, Unpacked, ZipLzma
from kifu_core.deadline import check_time

_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_RECORD: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_TAIL_BYTES: Final = _END.size + 0xFFFF
_ELSEWHERE: Final = 0xFFFFFFFF
"""Stands for a number that has no room in 32 bits: it is in the extra field."""

_ENCRYPTED, _PATCHED, _STRONGLY_ENCRYPTED = 0x1, 0x20, 0x40
_STORED, _DEFLATED, _BZIP2, _LZMA = 0, 8, 12, 14
_METHODS: Final = {
    1: "shrink", 2: "reduce", 3: "reduce", 4: "reduce", 5: "reduce", 6: "implode", 7: "tokenize",
    9: "deflate64", 10: "implode", 16: "terse", 18: "terse", 19: "lz77", 20: "zstd", 93: "zstd", 94: "mp3",
    95: "xz", 96: "jpeg", 97: "wavpack", 98: "ppmd", 99: "aes",
}  # fmt: skip
"""Names of the ways to compress that are not read here."""


@dataclass(frozen=True, slots=True)
class _Record:
    """What the directory says of a member; `at` is where it begins in the file."""

    name: bytes
    flags: int
    method: int
    mode: int
    crc: int
    packed: int
    size: int
    at: int


def members(file: IO[bytes], name: str, budget: Budget) -> Iterator[Member]:
    """The files of a ZIP archive in the order of its directory, without folders.

    What one does not open costs no more than its record. Raises RefusedError and BadZipFile where the
    directory cannot be read any further.
    """
    size = file.seek(0, io.SEEK_END)
    packed = 0
    for record in _records(file, size):
        if record.name.endswith(b"/"):
            continue
        wrong = "it reaches beyond the end" if record.at + record.packed > size else ""
        packed += 0 if wrong else record.packed
        if packed > size:
            # Where members lie over each other, a few bytes can become any number of files.
            wrong = "files overlap"
        yield _member(file, record, budget, wrong)


def _member(file: IO[bytes], record: _Record, budget: Budget, wrong: str) -> Member:
    path = text_of(record.name)
    if record.flags & (_ENCRYPTED | _STRONGLY_ENCRYPTED):
        return Member(path, refusal=RefusedError("encrypted"))
    if stat.S_ISLNK(record.mode):
        return Member(path, refusal=RefusedError("link"))
    if wrong:
        return Member(path, refusal=RefusedError("damaged", text=wrong))
    return Member(path, lambda: _opened(file, record, budget), lambda: record.packed)


# --- one member ------------------------------------------------------------------------------------------


def _opened(file: IO[bytes], record: _Record, budget: Budget) -> IO[bytes]:
    """The bytes of a member, at its beginning. Raises BadZipFile and RefusedError."""
    decoder = _decoder(record, budget)
    packed = cast(IO[bytes], _Slice(file, _data_at(file, record), record.packed))
    stream = packed if decoder is None else cast(IO[bytes], Unpacked(packed, decoder))
    return cast(IO[bytes], _Checked(stream, record))


def _decoder(record: _Record, budget: Budget) -> Callable[[], Decoder] | None:
    """What unpacks a member; None for one that is not compressed."""
    if record.flags & _PATCHED:
        raise RefusedError("unknown-compression", text="patched data")
    if record.method == _STORED:
        return None
    if record.method == _DEFLATED:
        return lambda: Inflate(-zlib.MAX_WBITS)
    if record.method == _BZIP2:
        return bz2.BZ2Decompressor
    if record.method == _LZMA:
        return lambda: ZipLzma(record.size, budget.memory)
    name = _METHODS.get(record.method, "unknown")
    raise RefusedError("unknown-compression", text=f"ZIP {record.method} ({name})")


def _data_at(file: IO[bytes], record: _Record) -> int:
    """Where a member's bytes begin: behind a header of its own, which must name the same file."""
    head = b""
    if record.at >= 0:
        file.seek(record.at)
        head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
        raise BadZipFile("there is no file where the directory says")
    names, extras = _LOCAL.unpack(head)[9:]
    if file.read(names) != record.name:
        raise BadZipFile("the directory gives the file another name")
    return record.at + _LOCAL.size + int(names) + int(extras)


class _Slice(io.RawIOBase):
    """A part of a file, which others may read from in between."""

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
    """As many bytes of a stream as the directory says, with their checksum checked at the end."""

    def __init__(self, stream: IO[bytes], record: _Record) -> None:
        self._stream = stream
        self._left = record.size
        self._wanted = record.crc
        self._crc = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._left if size < 0 else min(size, self._left)) if self._left else b""
        self._left -= len(data)
        self._crc = zlib.crc32(data, self._crc)
        if (not data or not self._left) and self._crc != self._wanted:
            raise BadZipFile("the checksum is wrong")
        return data


# --- the directory ---------------------------------------------------------------------------------------


def _records(file: IO[bytes], size: int) -> Iterator[_Record]:
    """The records of the directory, in its order; of these no more than one is in memory."""
    begin, end, shift = _directory(file, size)
    raw = _Slice(file, begin, end - begin)
    directory = io.BufferedReader(raw)
    while head := directory.read(_RECORD.size):
        if len(head) < _RECORD.size or not head.startswith(b"PK\x01\x02"):
            raise BadZipFile("the directory is damaged")
        check_time()
        yield _record(head, directory, shift)


def _record(head: bytes, directory: IO[bytes], shift: int) -> _Record:
    (
        _, _, _, flags, method, _, _, crc, packed, size, names, extras, comments, disk, _, attributes, at,
    ) = _RECORD.unpack(head)  # fmt: skip
    name, extra = directory.read(names), directory.read(extras)
    if len(name) < names or len(extra) < extras or len(directory.read(comments)) < comments:
        raise BadZipFile("the directory breaks off")
    if disk:
        raise BadZipFile("it is one of several parts")
    size, packed, at = _wide(extra, size, packed, at)
    return _Record(name, flags, method, attributes >> 16, crc, packed, size, at + shift)


def _wide(extra: bytes, *numbers: int) -> Iterator[int]:
    """Size, packed size and place, with those that have no room in a record taken from its extra field."""
    fields = _field64(extra) if _ELSEWHERE in numbers else b""
    for number in numbers:
        if number == _ELSEWHERE and len(fields) >= 8:
            yield int.from_bytes(fields[:8], "little")
            fields = fields[8:]
        else:
            yield number


def _field64(extra: bytes) -> bytes:
    """The field for large numbers among the extra ones; none, where there is no such."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == 1:
            return extra[4 : 4 + length]
        extra = extra[4 + length :]
    return b""


def _directory(file: IO[bytes], size: int) -> tuple[int, int, int]:
    """Where the directory begins and ends, and how much further than it says everything is: other bytes may
    come before an archive."""
    tail_at = max(0, size - _TAIL_BYTES)
    file.seek(tail_at)
    tail = file.read()
    at = len(tail) - _END.size
    if not (tail.startswith(b"PK\x05\x06", max(at, 0)) and tail.endswith(b"\0\0")):
        at = tail.rfind(b"PK\x05\x06")  # a comment follows
    if at < 0 or len(tail) - at < _END.size:
        raise BadZipFile("no end of the central directory")
    length, begin = _END.unpack_from(tail, at)[5:7]
    end = tail_at + at
    if wide := _directory64(file, end):
        end, length, begin = wide
    if length > end:
        raise BadZipFile("the directory is longer than the file")
    return end - length, end, end - length - begin


def _directory64(file: IO[bytes], end: int) -> tuple[int, int, int] | None:
    """End, length and beginning of a directory whose numbers are large: they stand before its end."""
    if end < _LOCATOR.size:
        return None
    file.seek(end - _LOCATOR.size)
    mark, _, place, _ = _LOCATOR.unpack(file.read(_LOCATOR.size))
    if mark != b"PK\x06\x07":
        return None
    for at in (place, end - _LOCATOR.size - _END64.size):
        if 0 <= at <= end - _END64.size:
            file.seek(at)
            found = _END64.unpack(file.read(_END64.size))
            if found[0] == b"PK\x06\x06":
                return at, found[8], found[9]
    raise BadZipFile("no end of the central directory")
