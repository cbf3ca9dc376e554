"""Unpacks deflate, bzip2, LZMA, gzip and xz, and never returns more than was requested.

The standard library is not bounded in every way: `zipfile` unpacks all of a piece of bzip2 or LZMA, `gzip`
reads a name of any length byte by byte, `lzma` allocates any dictionary.
"""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Final, Protocol

from kifu_core.containers.refusals import CHUNK, TOO_MUCH_MEMORY, RefusedError
from kifu_core.deadline import check_time

MAX_STREAMS: Final = 200_000
"""The limit of concatenated streams in a file: each costs time, even an empty one."""

XZ: Final = b"\xfd7zXZ\x00"
"""The magic bytes of xz."""

_LZMA_OVERHEAD: Final = 1024 * 1024
"""Memory for unpacking LZMA in addition to the dictionary."""


class Decoder(Protocol):
    """A decoder of one stream, with the interface of `bz2` and `lzma`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes: ...


class Inflate:
    """zlib with the interface of `bz2` and `lzma`; `bits` as in `zlib.decompressobj`."""

    def __init__(self, bits: int) -> None:
        self._inner = zlib.decompressobj(bits)
        self._more = False

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._more

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        result = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        # After a full result there may be more output without further input.
        self._more = bool(self._inner.unconsumed_tail) or len(result) == max_length
        return result


class ZipLzma:
    """LZMA as in ZIP: a version, the length of the properties, the properties, the stream.

    Its dictionary is at most `size` bytes, the unpacked length; one beyond `memory` is refused.
    """

    def __init__(self, size: int, memory: int) -> None:
        self._size = size
        self._memory = memory
        self._head = b""
        self._inner: lzma.LZMADecompressor | None = None

    @property
    def eof(self) -> bool:
        return self._inner is not None and self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data if self._inner else b""

    @property
    def needs_input(self) -> bool:
        return self._inner is None or self._inner.needs_input

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        if self._inner is None:
            self._head += data
            if len(self._head) < 4:
                return b""
            end = 4 + int.from_bytes(self._head[2:4], "little")
            if len(self._head) < end:
                return b""
            self._inner, data = self._decompressor(self._head[4:end]), self._head[end:]
        return self._inner.decompress(data, max_length)

    def _decompressor(self, properties: bytes) -> lzma.LZMADecompressor:
        if len(properties) < 5:
            raise lzma.LZMAError("the properties of LZMA are too short")
        packed, dictionary = properties[0], int.from_bytes(properties[1:5], "little")
        needed = max(min(dictionary, self._size), 4096)
        check_memory(needed, self._memory)
        bits = {"lc": packed % 9, "lp": packed // 9 % 5, "pb": packed // 45}
        filters = [{"id": lzma.FILTER_LZMA1, "dict_size": needed, **bits}]
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)


class Xz:
    """One stream of xz. Raises RefusedError if its dictionary needs more than `memory` bytes."""

    def __init__(self, memory: int) -> None:
        self._inner = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=memory + _LZMA_OVERHEAD)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return self._inner.needs_input

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        try:
            return self._inner.decompress(data, max_length)
        except lzma.LZMAError as error:
            # Only the message distinguishes this error.
            if "memory usage limit" in str(error).lower():
                raise RefusedError(TOO_MUCH_MEMORY) from error
            raise


def check_memory(needed: int, limit: int) -> None:
    """Raise RefusedError if unpacking needs more bytes than the limit."""
    if needed > limit:
        raise RefusedError(TOO_MUCH_MEMORY)


class UnpackedStream(io.RawIOBase):
    """The unpacked stream of a packed file. A read returns, and unpacks, at most `CHUNK` bytes.

    `begin` makes a decoder for each stream. If `follows` is given, further streams that begin with it are
    unpacked too; other bytes after a stream are ignored. Raises the decoders' errors for damage, EOFError for
    a truncated file, and RefusedError for too many streams or too much memory.
    """

    def __init__(self, packed: IO[bytes], begin: Callable[[], Decoder], follows: bytes | None = None) -> None:
        self._packed = packed
        self._begin = begin
        self._follows = follows
        self._decoder = begin()
        self._streams = 1
        self._input = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        limit = CHUNK if size < 0 else min(size, CHUNK)
        while limit and not (self._decoder.eof and not self._next()):
            # Any number of bytes, and of streams, may unpack to nothing.
            check_time()
            if data := self._decoder.decompress(self._next_input(), limit):
                return data
        return b""

    def _next_input(self) -> bytes:
        """Return input for the decoder, but only if it needs some: it keeps unused input in memory."""
        if not self._decoder.needs_input:
            return b""
        data, self._input = self._input or self._packed.read(CHUNK), b""
        if not data:
            raise EOFError("it breaks off")
        return data

    def _next(self) -> bool:
        if self._follows is None:
            return False
        rest = self._decoder.unused_data.lstrip(b"\0")
        # Zeros may follow a stream.
        while len(rest) < max(1, len(self._follows)) and (piece := self._packed.read(CHUNK)):
            rest = (rest + piece).lstrip(b"\0")
        if not rest or not rest.startswith(self._follows):
            self._follows = None
            return False
        self._streams += 1
        if self._streams > MAX_STREAMS:
            raise RefusedError("damaged", text=f"more than {MAX_STREAMS} streams")
        self._decoder, self._input = self._begin(), rest
        return True


def open_gzip(packed: IO[bytes]) -> UnpackedStream:
    """Unpack a gzip file and check its checksums."""
    return UnpackedStream(packed, lambda: Inflate(zlib.MAX_WBITS | 16), follows=b"")


def open_bzip2(packed: IO[bytes]) -> UnpackedStream:
    """Unpack a bzip2 file."""
    return UnpackedStream(packed, bz2.BZ2Decompressor, follows=b"BZh")


def open_xz(packed: IO[bytes], memory: int) -> UnpackedStream:
    """Unpack an xz file, with a dictionary of at most `memory` bytes."""
    return UnpackedStream(packed, lambda: Xz(memory), follows=XZ)
