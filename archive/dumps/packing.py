"""Lines compressed with Zstandard (RFC 8878), one frame with a checksum per file; sums of files."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVEL: Final = 9
_OPTIONS: Final[dict[int, int]] = {
    zstd.CompressionParameter.compression_level: _LEVEL,
    zstd.CompressionParameter.checksum_flag: 1,
}
_ID: Final = b'{"id":'


class PackedLineWriter:
    """Compresses lines into a file. `size` and `digest` (SHA-256) are those of the file, `unpacked` is the
    number of bytes before compression."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0
        self.lines = 0
        self.unpacked = 0
        self.digest = hashlib.sha256()
        self.compressor = zstd.ZstdCompressor(options=_OPTIONS)

    def write(self, line: bytes) -> None:
        self.lines += 1
        self.unpacked += len(line)
        self._write_packed(self.compressor.compress(line))

    def end(self) -> None:
        """Write the rest of the frame."""
        self._write_packed(self.compressor.flush())

    def _write_packed(self, data: bytes) -> None:
        self.file.write(data)
        self.digest.update(data)
        self.size += len(data)


@contextmanager
def packed(path: Path) -> Iterator[PackedLineWriter]:
    """Open a file for compressed lines; at the end it is on the disk."""
    with path.open("wb") as file:
        lines = PackedLineWriter(file)
        yield lines
        lines.end()
        to_disk(file)


def to_disk(file: IO[bytes]) -> None:
    """Wait until everything written to a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def unpacked(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, one in memory at a time. Raises one of `DAMAGED`."""
    with zstd.open(path, "rb") as lines:
        yield from lines


DAMAGED: Final = (OSError, EOFError, zstd.ZstdError)
"""Errors of reading a damaged file."""


def id_of(line: bytes) -> int:
    """Return the id of a game without parsing its line, most of which is the record. Raises ValueError."""
    if not line.startswith(_ID):
        raise ValueError("a line that begins with no id")
    return int(line[len(_ID) : line.index(b",")])


def sum_of(file: BufferedReader) -> tuple[int, str]:
    """Return the size of an open file in bytes and its SHA-256 as 64 hexadecimal digits."""
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return file.tell(), digest


def sum_of_path(path: Path) -> tuple[int, str]:
    """Return the size and the SHA-256 of a file, as `sum_of`."""
    with path.open("rb") as file:
        return sum_of(file)
