"""Lines of a dump, compressed with Zstandard (RFC 8878): one frame a file, with a checksum."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
_PIECE: Final = 1024 * 1024
_ID: Final = b'{"id":'


class PackedLines:
    """A file that is being written: how long it is, and its SHA-256."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0
        self.lines = 0
        self.unpacked = 0
        self.digest = hashlib.sha256()
        self.compressor = zstd.ZstdCompressor(options=_OPTIONS)

    def write(self, line: bytes) -> None:
        """Add a line."""
        self.lines += 1
        self.unpacked += len(line)
        self._take(self.compressor.compress(line))

    def end(self) -> None:
        """Write what is left."""
        self._take(self.compressor.flush())

    def _take(self, data: bytes) -> None:
        self.file.write(data)
        self.digest.update(data)
        self.size += len(data)


@contextmanager
def packed(path: Path) -> Iterator[PackedLines]:
    """Give what writes lines to a file, which is on the disk in the end."""
    with path.open("wb") as file:
        lines = PackedLines(file)
        yield lines
        lines.end()
        to_disk(file)


def to_disk(file: IO[bytes]) -> None:
    """Wait until all that was written is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def unpacked(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, one in memory at a time. Raises OSError, EOFError, `zstd.ZstdError`."""
    with zstd.open(path, "rb") as lines:
        yield from lines


DAMAGED: Final = (OSError, EOFError, zstd.ZstdError)
"""What reading a damaged file raises."""


def id_of(line: bytes) -> int:
    """Return the id of a line's game, with which it begins: most of a line is its record. Raises
    ValueError."""
    if not line.startswith(_ID):
        raise ValueError("a line that begins with no id")
    return int(line[len(_ID) : line.index(b",")])


def sha256_of(path: Path) -> tuple[int, str]:
    """Return the size of a file and its SHA-256."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while data := file.read(_PIECE):
            digest.update(data)
            size += len(data)
    return size, digest.hexdigest()
