"""Range requests for files (RFC 9110, section 14)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from django.http import HttpRequest

_PIECE: Final = 64 * 1024
_RANGE: Final = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


class UnsatisfiableRangeError(ValueError):
    """The requested range begins after the end of the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """`length` bytes of a file from offset `first`."""

    first: int
    length: int


def byte_range_of(request: HttpRequest, size: int, tag: str) -> ByteRange | None:
    """Return the range that a request asks of a file with an entity tag. None means the complete file, also
    for several ranges, and for a range of another version. Raises UnsatisfiableRangeError."""
    match = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if match is None or not (match[1] or match[2]) or request.headers.get("If-Range", tag) != tag:
        return None
    if not match[1]:
        length = min(int(match[2]), size)
        first, last = size - length, size - 1
    else:
        first = int(match[1])
        last = min(int(match[2]), size - 1) if match[2] else size - 1
        if match[2] and int(match[2]) < first:
            return None
    if first >= size or first > last:
        raise UnsatisfiableRangeError
    return ByteRange(first, last - first + 1)


class RangeReader(Iterator[bytes]):
    """The bytes of a range, read lazily; closes the file at the end."""

    def __init__(self, file: IO[bytes], span: ByteRange) -> None:
        self.file = file
        self.left = span.length
        file.seek(span.first)

    def __next__(self) -> bytes:
        data = self.file.read(min(_PIECE, self.left)) if self.left else b""
        if not data:
            self.close()
            raise StopIteration
        self.left -= len(data)
        return data

    def close(self) -> None:
        self.file.close()
