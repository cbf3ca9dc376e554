"""Streams compressed piece by piece, so that no output waits in the compressor."""

import zlib
from collections.abc import Iterator
from typing import Final

_LEVEL: Final = 4
_GZIP: Final = 16 + zlib.MAX_WBITS


def gzipped(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a stream as gzip (RFC 1952), flushed after each piece."""
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    for chunk in chunks:
        yield compressor.compress(chunk) + compressor.flush(zlib.Z_SYNC_FLUSH) if chunk else b""
    yield compressor.flush()
