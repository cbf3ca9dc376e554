"""The bytes of a stored entry, read again in a web process with tight limits on memory and time."""

import errno
import io
from contextlib import closing
from typing import IO, Final, cast

from django.conf import settings

from archive.intake.walk import walk
from archive.models import PIECE_BYTES, Entry, Upload, UploadChunk
from kifu_core.containers.walk import FilePart
from kifu_core.deadline import check_time, time_limit

MEMORY_BYTES: Final = 64 * 1024 * 1024
"""The limit for dictionaries: that of the highest level of xz. Workers allow more."""


def part_of(entry: Entry) -> FilePart | None:
    """Return the part of its upload that an entry was read from, perhaps with the reason why it is not read;
    None if it no longer exists.

    Other files of its container are skipped; in a ZIP archive they need not be unpacked. Raises TooSlowError
    after ARCHIVE_SOURCE_SECONDS, and FileNotFoundError if the upload is deleted meanwhile.
    """
    with time_limit(settings.ARCHIVE_SOURCE_SECONDS), closing(stored_file(entry.upload)) as file:
        return _matching_part(entry, file)


def _matching_part(entry: Entry, file: IO[bytes]) -> FilePart | None:
    """Return the part at the entry's place among those of its path. If limits have changed since, it is the
    only part of its path."""
    target, place, candidates = _place(entry), (-1, 0), list[FilePart]()
    with closing(walk(file, entry.upload.name, MEMORY_BYTES, only=entry.path)) as parts:
        for part in parts:
            check_time()
            if part.path != entry.path:
                continue
            place = (place[0] + 1, 0) if part.first else (place[0], place[1] + 1)
            if place == target:
                return part
            candidates = [*candidates, part][:2]
    return candidates[0] if len(candidates) == 1 else None


def _place(entry: Entry) -> tuple[int, int] | None:
    """Return the number of an entry's file among those of its path, and of its part in that file; both from
    0."""
    rows = Entry.objects.filter(upload_id=entry.upload_id)
    first = entry.seq - entry.index
    begins = rows.filter(seq=first).values_list("part", flat=True).first()
    if begins is None:
        return None
    # An upload that is no container is one file.
    before = rows.filter(seq__lt=first, path=entry.path, index=0).count() if entry.path else 0
    return before, entry.part - begins


class _Stored(io.RawIOBase):
    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._at = 0
        self._piece: tuple[int, bytes] = (-1, b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._upload.size}[whence]
        if begin + offset < 0:
            raise ValueError("there is nothing before the beginning")
        self._at = begin + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        number, offset = divmod(self._at, PIECE_BYTES)
        data = self._bytes_of(number)[offset : offset + len(buffer)] if self._at < self._upload.size else b""
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _bytes_of(self, number: int) -> bytes:
        if self._piece[0] != number:
            chunks = UploadChunk.objects.filter(upload=self._upload, n=number)
            data = chunks.values_list("bytes", flat=True).first()
            if data is None:
                raise FileNotFoundError(errno.ENOENT, "the upload has just been deleted")
            self._piece = number, bytes(data)
        return self._piece[1]


def stored_file(upload: Upload) -> IO[bytes]:
    """Open an upload's bytes for reading, without copying them. Reading raises FileNotFoundError if the
    upload is deleted meanwhile."""
    return cast(IO[bytes], io.BufferedReader(_Stored(upload), 64 * 1024))
