"""Parts of files (RFC 9110, 14): a download that broke off goes on, readers of tables take what they need."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from django.http import HttpRequest

_PIECE: Final = 64 * 1024
# Fifteen digits are far beyond any file.
_RANGE: Final = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


class UnsatisfiableRangeError(ValueError):
    """The part that is asked for begins behind the end."""


@dataclass(frozen=True, slots=True)
class Span:
    """So many bytes of a file, from a place on."""

    first: int
    length: int


def span_of(request: HttpRequest, size: int, tag: str) -> Span | None:
    """Return the part that a request wants of a file with this tag; None for all of it, also where several
    parts are asked for, or those of another file. Raises UnsatisfiableRangeError."""
    asked = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if asked is None or not (asked[1] or asked[2]) or request.headers.get("If-Range", tag) != tag:
        return None
    if not asked[1]:
        length = min(int(asked[2]), size)
        first, last = size - length, size - 1
    else:
        first = int(asked[1])
        last = min(int(asked[2]), size - 1) if asked[2] else size - 1
        if asked[2] and int(asked[2]) < first:
            return None
    if first >= size or first > last:
        raise UnsatisfiableRangeError
    return Span(first, last - first + 1)


class Pieces(Iterator[bytes]):
    """A part of a file, read as it is taken."""

    def __init__(self, file: IO[bytes], span: Span) -> None:
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
        """Close the file."""
        self.file.close()
