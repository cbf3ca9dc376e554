"""ZIP archives, read as streams: their directory record by record, their members a piece at a time.

`zipfile` makes an object of every record first, and unpacks all of a piece of bzip2 or LZMA at once.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final
from zipfile import BadZipFile

from kifu_core.containers.members import Member
from kifu_core.containers.refusals import Budget
from kifu_core.containers.zip_members import Slice, ZipRecord, member_of, zip64_numbers
from kifu_core.containers.zip_stream import Coverage, FileStream
from kifu_core.deadline import check_time

_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_RECORD: Final = struct.Struct("<4s6H3L5H2L")
_TAIL_BYTES: Final = _END.size + 0xFFFF


@dataclass(frozen=True, slots=True)
class _Directory:
    """The directory: its begin and end, the end of the archive, and the offset to add to its numbers if other
    bytes precede the archive."""

    begin: int
    end: int
    behind: int
    shift: int


def members(file: IO[bytes], name: str, budget: Budget) -> Iterator[Member]:
    """Yield the files of a ZIP archive in the order of its directory, without folders; then those that the
    directory lacks.

    Without a directory, or with one of another archive after or inside this one, the files come in the order
    of their local headers. An unopened file costs only its headers. Raises RefusedError and BadZipFile if the
    archive cannot be read any further, after the readable files.
    """
    size = file.seek(0, io.SEEK_END)
    stream = FileStream(file, budget)
    try:
        directory = _directory(file, size)
    except BadZipFile:
        yield from stream.archive(0, size)
        raise
    if directory.shift > 0 and stream.begins_at(0):
        yield from stream.archive(0, size)
        return
    covered = Coverage(file, directory.begin)
    damage: list[BadZipFile] = []
    yield from _until_damage(_listed(file, size, directory, covered, budget), damage)
    yield from _until_damage(_unlisted(stream, covered), damage)
    if stream.begins_at(directory.behind):
        yield from _until_damage(stream.archive(directory.behind, size), damage)
    if damage:
        raise damage[0]


def _until_damage(files: Iterator[Member], damage: list[BadZipFile]) -> Iterator[Member]:
    """Yield files until an error, which is added to `damage`."""
    try:
        yield from files
    except BadZipFile as error:
        damage.append(error)


def _unlisted(stream: FileStream, covered: Coverage) -> Iterator[Member]:
    """Yield the files between and after those in the directory."""
    for begin, end in covered.gaps():
        yield from stream.gap(begin, end)


def _listed(
    file: IO[bytes], size: int, directory: _Directory, covered: Coverage, budget: Budget
) -> Iterator[Member]:
    """Yield the files in the directory."""
    packed = 0
    for record in _records(file, directory):
        wrong = "it reaches beyond the end" if record.at + record.packed > size else ""
        covered.add(record, of_header_only=bool(wrong))
        if record.name.endswith(b"/"):
            continue
        packed += 0 if wrong else record.packed
        if packed > size:
            # With overlapping members, a few bytes could become any number of files.
            wrong = "files overlap"
        yield member_of(file, record, budget, wrong)


# --- the directory ---------------------------------------------------------------------------------------


def _records(file: IO[bytes], directory: _Directory) -> Iterator[ZipRecord]:
    """Yield the records of the directory in order; one is in memory at a time."""
    stream = io.BufferedReader(Slice(file, directory.begin, directory.end - directory.begin))
    while head := stream.read(_RECORD.size):
        if len(head) < _RECORD.size or not head.startswith(b"PK\x01\x02"):
            raise BadZipFile("the directory is damaged")
        check_time()
        yield _record(head, stream, directory.shift)


def _record(head: bytes, directory: IO[bytes], shift: int) -> ZipRecord:
    (
        _, _, _, flags, method, _, _, crc, packed, size, names, extras, comments, disk, _, attributes, at,
    ) = _RECORD.unpack(head)  # fmt: skip
    name, extra = directory.read(names), directory.read(extras)
    if len(name) < names or len(extra) < extras or len(directory.read(comments)) < comments:
        raise BadZipFile("the directory breaks off")
    if disk:
        raise BadZipFile("it is one of several parts")
    size, packed, at = zip64_numbers(extra, size, packed, at)
    return ZipRecord(name, flags, method, attributes >> 16, crc, packed, size, at + shift)


def _directory(file: IO[bytes], size: int) -> _Directory:
    """Return the directory that the archive's end refers to. Raises BadZipFile if it makes no sense."""
    tail_at = max(0, size - _TAIL_BYTES)
    file.seek(tail_at)
    tail = file.read()
    at = len(tail) - _END.size
    if not (tail.startswith(b"PK\x05\x06", max(at, 0)) and tail.endswith(b"\0\0")):
        at = tail.rfind(b"PK\x05\x06")  # a comment follows
    if at < 0 or len(tail) - at < _END.size:
        raise BadZipFile("no end of the central directory")
    length, begin, comment = _END.unpack_from(tail, at)[5:]
    end = tail_at + at
    behind = end + _END.size + comment
    if wide := _directory64(file, end):
        end, length, begin = wide
    if length > end:
        raise BadZipFile("the directory is longer than the file")
    return _Directory(end - length, end, behind, end - length - begin)


def _directory64(file: IO[bytes], end: int) -> tuple[int, int, int] | None:
    """Return end, length and begin of a ZIP64 directory, whose numbers precede its end."""
    if end < _LOCATOR.size:
        return None
    file.seek(end - _LOCATOR.size)
    mark, _, offset, _ = _LOCATOR.unpack(file.read(_LOCATOR.size))
    if mark != b"PK\x06\x07":
        return None
    for at in (offset, end - _LOCATOR.size - _END64.size):
        if 0 <= at <= end - _END64.size:
            file.seek(at)
            fields = _END64.unpack(file.read(_END64.size))
            if fields[0] == b"PK\x06\x06":
                return at, fields[8], fields[9]
    raise BadZipFile("no end of the central directory")
