"""Reads the files of a ZIP archive by their local headers if its directory is missing or wrong.

A truncated archive has no directory, two concatenated archives have two, and the directory of a stored inner
archive can be taken for the outer one's.
"""

import io
import struct
from array import array
from bisect import bisect_right
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import IO, Final
from zipfile import BadZipFile

from kifu_core.containers.members import Member
from kifu_core.containers.refusals import CHUNK, Budget
from kifu_core.containers.zip_members import FILE, LOCAL, ZipRecord, data_at, local_record, member_of
from kifu_core.deadline import check_time

_DESCRIPTOR: Final = b"PK\x07\x08"
_END: Final = b"PK\x05\x06"
_SIZES_FOLLOW: Final = 0x8
"""The flag of a file whose sizes are in a descriptor after it."""

_SPARE_BYTES: Final = 24
"""Other bytes that may be between files: the longest descriptor."""

_PARTS: Final[dict[bytes, tuple[int, str, tuple[int, ...]]]] = {
    b"PK\x01\x02": (46, "<H", (28, 30, 32)),
    _END: (22, "<H", (20,)),
    b"PK\x05\x05": (6, "<H", (4,)),
    b"PK\x06\x06": (12, "<Q", (4,)),
    b"PK\x06\x07": (20, "<H", ()),
    b"PK\x06\x08": (8, "<L", (4,)),
}
"""Other parts of an archive by signature: minimal length, and format and offsets of additional lengths."""

_SEARCHES: Final = 8
"""The budget of searches for the ends of files without sizes, as a multiple of the archive's length."""

_FIRST_BYTES: Final = 256
"""The bytes that a search reads first, since its target may be near; also the fixed cost of a search."""

_MAX_RANGES: Final = 100_000
"""The limit of separate ranges of the directory's files that are stored."""


class FileStream:
    """Reads the files of an archive in their order in the file.

    Linear in the archive's bytes: each is read once, and `_SEARCHES` more times to find the ends of files.
    The result depends on the bytes alone, not on which files are read.
    """

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._file = file
        self._budget = budget
        self._searchable = _SEARCHES * file.seek(0, io.SEEK_END)

    def begins_at(self, at: int) -> bool:
        """Return whether a file's header is at this offset."""
        return self._bytes(at, 4) == FILE

    def archive(self, begin: int, end: int) -> Iterator[Member]:
        """Yield the files of one archive or of several. Raises BadZipFile after the last one, unless every
        byte is accounted for and the archive has its end."""
        ended = yield from self._files(begin, end)
        if not ended:
            raise BadZipFile("the archive breaks off: no end of the central directory")

    def gap(self, begin: int, end: int) -> Iterator[Member]:
        """Yield the files in a part of the archive that the directory does not cover, if the part begins with
        one.

        Raises BadZipFile after the last one if other bytes are between them.
        """
        head = self._bytes(begin, min(end - begin, _SPARE_BYTES + len(FILE)))
        if (first := head.find(FILE)) >= 0:
            yield from self._files(begin + first, end)

    def _files(self, at: int, end: int) -> Generator[Member, None, bool]:
        """Yield the files between two offsets; the generator returns whether an archive ended there."""
        ended, strange = False, False
        while at < end:
            check_time()
            header = local_record(self._file, at)
            if header and header[1] <= end:
                record, begin = header
                wrong, at = "", begin
                if record.flags & _SIZES_FOLLOW and not record.packed:
                    record, at = self._measured(record, begin, end)
                elif begin + record.packed > end:
                    wrong = "it reaches beyond the end"
                else:
                    at = begin + record.packed
                    record = self._checked(record, at)
                ended = False
                if not record.name.endswith(b"/"):
                    yield member_of(self._file, record, self._budget, wrong)
            elif length := self._length_of_part(at):
                ended = self._bytes(at, 4) == _END and at + length <= end
                at += length
            else:
                behind, at = at, self._next(at, end, FILE)
                strange = strange or _SPARE_BYTES < at - behind < end - behind
        if strange:
            raise BadZipFile("between its files there are bytes that are none of theirs")
        return ended

    def _bytes(self, at: int, count: int) -> bytes:
        self._file.seek(at)
        return self._file.read(count)

    def _length_of_part(self, at: int) -> int:
        """Return the length of a part of the archive that is not a file; 0 for anything else."""
        head = self._bytes(at, 46)
        if head.startswith(_DESCRIPTOR):
            return next((n for n in (16, 24) if self._bytes(at + n, 2) == b"PK"), 0)
        if head[:4] not in _PARTS:
            return 0
        length, kind, places = _PARTS[head[:4]]
        if len(head) < length:
            return 0
        return length + sum(int(struct.unpack_from(kind, head, place)[0]) for place in places)

    def _next(self, at: int, end: int, *marks: bytes) -> int:
        """Return the offset of the next of these four-byte marks after the first byte, or the end."""
        at, length = at + 1, _FIRST_BYTES
        while at < end:
            check_time()
            length = min(length * 2, CHUNK)
            piece = self._bytes(at, min(length, end - at))
            offsets = [offset for mark in marks if (offset := piece.find(mark)) >= 0]
            if offsets:
                return at + min(offsets)
            if len(piece) < length:
                break
            at += len(piece) - 3
        return end

    # --- sizes ---

    def _measured(self, record: ZipRecord, begin: int, end: int) -> tuple[ZipRecord, int]:
        """Return a file with the sizes in the descriptor after it, and the offset of the descriptor's end.

        Only a descriptor with the right length counts. Without one, as in a truncated archive, the file ends
        where its unpacker stops, before the next file.
        """
        at = begin - 1
        while self._searchable > 0:
            behind, at = at, self._next(at, end, _DESCRIPTOR)
            self._searchable -= at - behind + _FIRST_BYTES
            if at >= end:
                break
            packed, tail = at - begin, self._bytes(at + 4, 20)
            for form in ("<LLL", "<LQQ"):
                if len(tail) < struct.calcsize(form):
                    continue
                crc, packed_size, size = struct.unpack_from(form, tail)
                if packed_size == packed and self._ends_at(at + 4 + struct.calcsize(form), end):
                    return replace(record, crc=crc, packed=packed, size=size), at + 4 + struct.calcsize(form)
        at = self._next(begin - 1, end, FILE, b"PK\x01\x02")
        return replace(record, crc=None, packed=at - begin, size=None), at

    def _ends_at(self, at: int, end: int) -> bool:
        """Return whether a file can end at this offset: a part of an archive, or nothing, follows."""
        return b"PK".startswith(self._bytes(at, max(0, min(2, end - at))))

    def _checked(self, record: ZipRecord, at: int) -> ZipRecord:
        """Return a file whose header has its size; its checksum may follow its bytes."""
        if record.flags & _SIZES_FOLLOW and not record.crc:
            tail = self._bytes(at, 8)
            crc = int.from_bytes(tail[4:], "little") if tail.startswith(_DESCRIPTOR) else None
            return replace(record, crc=crc)
        return record


class Coverage:
    """The bytes before the directory that belong to files in it. Only the ends of such parts are in
    memory."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._size = size
        self._begins = array("Q")
        self._ends = array("Q")
        self._scattered = False

    def add(self, record: ZipRecord, of_header_only: bool) -> None:
        """Add a file of the directory, or only its header if its size makes no sense."""
        if self._scattered or not 0 <= record.at < self._size:
            return
        if begin := data_at(self._file, record.at):
            self._add(record.at, begin + (0 if of_header_only else record.packed))

    def _add(self, begin: int, end: int) -> None:
        # A gap that is too short for a file belongs to the file before it, whose descriptor may be there.
        end += LOCAL.size
        first = bisect_right(self._begins, begin)
        if first and self._ends[first - 1] >= begin:
            first -= 1
            begin, end = self._begins[first], max(end, self._ends[first])
        last = bisect_right(self._begins, end)
        if last > first:
            end = max(end, self._ends[last - 1])
        self._begins[first:last] = array("Q", [begin])
        self._ends[first:last] = array("Q", [end])
        self._scattered = len(self._begins) > _MAX_RANGES

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Yield the parts between and after those files. Raises BadZipFile if there are too many."""
        if self._scattered:
            raise BadZipFile("its files lie too scattered to tell whether its directory names all of them")
        reached = 0
        for begin, end in zip(self._begins, self._ends, strict=True):
            check_time()
            if begin > reached:
                yield reached, begin
            reached = end - LOCAL.size
        if self._size - reached > LOCAL.size:
            yield reached, self._size
