"""7z archives as streams, if py7zr is installed (the extra `7z`; it is under the LGPL).

py7zr parses the directory and has the decompressors. Its own extraction stops at the first bad name or
checksum, so this module reads the files from the decompressors one by one, in pieces. Most archives are
solid: to read a file, all files before it in its block have to be unpacked.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, Final, cast

from kifu_core.containers.members import Member
from kifu_core.containers.refusals import CHUNK, TOO_MUCH_MEMORY, Budget, RefusedError, damaged
from kifu_core.deadline import check_time

if TYPE_CHECKING:
    from py7zr import SevenZipFile
    from py7zr.py7zr import ArchiveFile

HEADER_BYTES: Final = 32 * 1024 * 1024
"""The limit of an unpacked directory, which is in memory."""

FILE_BYTES: Final = 1024
"""The approximate memory of py7zr for each file, and each block, of a directory."""

_TOO_MANY: Final = re.compile(
    r"(?:numfiles|numfolders|total number of unpack streams) value \d+ exceeds limit"
)
"""py7zr's error for directories beyond its limits."""

_BLOCK: Final = 64 * 1024
_START_BYTES: Final = 32
_ENCODED: Final = b"\x17"
"""The first byte of a packed directory."""

# Methods whose unpackers return no more than requested: copy, delta, BCJ and similar filters, LZMA, LZMA2,
# PPMd, bzip2. With the others (deflate, Zstandard, Brotli) one small block can become gigabytes at once.
_LZMA, _LZMA2, _PPMD = b"\x03\x01\x01", b"\x21", b"\x03\x04\x01"
_BOUNDED: Final = frozenset(
    [b"\x00", b"\x03", b"\x03\x03\x01\x03", b"\x03\x03\x02\x05", b"\x03\x03\x04\x01", b"\x03\x03\x05\x01",
     b"\x03\x03\x07\x01", b"\x03\x03\x08\x05", b"\x04", b"\x05", b"\x06", b"\x07", b"\x08", b"\x09",
     _LZMA, _LZMA2, _PPMD, b"\x04\x02\x02"]
)  # fmt: skip
_EXPANDING: Final = frozenset([_LZMA, _LZMA2, _PPMD, b"\x04\x02\x02"])
"""Methods that compress."""

_ENCRYPTED: Final = frozenset([b"\x06\xf1\x07\x01", b"\x06\xf1\x01\x01", b"\x06\xf1\x03\x03"])


def members(file: IO[bytes], name: str, budget: Budget) -> Iterator[Member]:
    """Yield the files of a 7z archive in its order, without folders.

    Each must be read before the next is requested. Raises RefusedError if the archive cannot be read any
    further, and `needs-7z` if py7zr is not installed.
    """
    archive = _opened(file, budget)
    packed = file.seek(0, io.SEEK_END)
    blocks, block = _Blocks(archive, file, budget), None
    for entry in archive.files:
        if entry.is_directory:
            continue
        if entry.emptystream:
            yield Member(entry.filename, io.BytesIO)
            continue
        block = blocks.block_of(entry.folder, block)
        yield _member(entry, block, packed)
        if blocks.spent:
            return  # that file was refused for it
        block.skip_rest()


def _opened(file: IO[bytes], budget: Budget) -> SevenZipFile:
    try:
        from py7zr import SevenZipFile, archiveinfo, exceptions
    except ImportError:
        raise RefusedError("needs-7z") from None
    # The library's own limits are 8 million files and 256 MiB.
    limit = budget.limits.memory // FILE_BYTES
    archiveinfo.MAX_NUMFILES = archiveinfo.MAX_NUMFOLDERS = archiveinfo.MAX_SUBSTREAMS = limit
    archiveinfo.MAX_HEADER_SIZE = HEADER_BYTES
    try:
        _check_header(file, budget.limits.memory)
        file.seek(0)
        return SevenZipFile(file)
    except RefusedError:
        raise
    except exceptions.PasswordRequired:
        raise RefusedError("encrypted") from None
    except exceptions.Bad7zFile as error:
        if _TOO_MANY.match(str(error)):
            raise RefusedError("too-many-entries", limit=limit) from error
        raise damaged(error) from error
    except Exception as error:
        # A damaged directory causes all kinds of errors in the library.
        raise damaged(error) from error


def _check_header(file: IO[bytes], memory: int) -> None:
    """Check the method of a packed directory: py7zr would unpack it with any, also unbounded ones."""
    from py7zr.archiveinfo import HeaderStreamsInfo

    # The last fields of the start header: the directory's offset from its end, and its length.
    file.seek(_START_BYTES - 20)
    at, size, _ = struct.unpack("<QQL", file.read(20))
    if size > HEADER_BYTES:
        raise RefusedError(TOO_MUCH_MEMORY)
    file.seek(_START_BYTES + at)
    header = io.BytesIO(file.read(size))
    if header.read(1) == _ENCODED:
        for folder in HeaderStreamsInfo.retrieve(header).unpackinfo.folders:
            if refusal := _refusal(folder.coders, memory):
                raise refusal


def _member(entry: ArchiveFile, block: _Block, packed: int) -> Member:
    stream = _Stream(block, entry.uncompressed, entry.crc32)
    block.current = stream
    if entry.is_symlink:
        return Member(entry.filename, refusal=RefusedError("link"))
    if not entry.is_file:
        return Member(entry.filename, refusal=RefusedError("device"))
    if block.refusal is not None:
        return Member(entry.filename, refusal=block.refusal)
    # A solid block does not show the packed size of one file, so the ratio is that of the archive.
    return Member(entry.filename, lambda: cast(IO[bytes], stream), lambda: packed)


class _Blocks:
    """The blocks of an archive in order (py7zr's folders), and the number of bytes unpacked from all of
    them."""

    def __init__(self, archive: SevenZipFile, file: IO[bytes], budget: Budget) -> None:
        streams = archive.header.main_streams
        folders = streams.unpackinfo.folders if streams else []
        self.numbers = {id(folder): number for number, folder in enumerate(folders)}
        self.positions: list[int] = streams.packinfo.packpositions if streams else []
        self.start: int = archive.afterheader
        self.file = file
        self.budget = budget
        self.unpacked = 0

    def block_of(self, folder: Any, last: _Block | None) -> _Block:
        """Return the block of a folder; `last` is the previous one."""
        if last is not None and last.folder is folder:
            return last
        # Blocks have one packed stream each; those with several (BCJ2) are refused.
        number = self.numbers[id(folder)]
        begin, end = self.positions[number : number + 2]
        self.file.seek(self.start + begin)
        return _Block(self, folder, end - begin)

    @property
    def spent(self) -> bool:
        """Return whether the budget for unpacking is used up."""
        return self.unpacked > self.budget.limits.total_bytes

    def count(self, size: int) -> None:
        """Count unpacked bytes, whether they are used or skipped."""
        check_time()
        self.unpacked += size
        if self.spent:
            raise self.budget.too_much()


class _Block:
    """A block that is being unpacked. `refusal` is the reason if it cannot be read further."""

    def __init__(self, blocks: _Blocks, folder: Any, packed: int) -> None:
        self.blocks = blocks
        self.folder = folder
        self.left = packed
        self.current: _Stream | None = None
        self.refusal = _refusal(folder.coders, blocks.budget.limits.memory)
        self._decompressor: Any = None

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`. Raises RefusedError if there are none."""
        if self.refusal is None:
            try:
                data = self._unpack(size)
            except Exception as error:
                # The unpackers have no common base class of errors.
                self.refusal = damaged(error)
            else:
                self.blocks.count(len(data))
                return data
        raise self.refusal

    def skip_rest(self) -> None:
        """Skip the rest of the current file, because the next one follows it in the stream."""
        stream, self.current = self.current, None
        while stream is not None and stream.left and self.refusal is None:
            try:
                stream.left -= len(self.read(min(stream.left, _BLOCK)))
            except RefusedError:
                if self.refusal is None:
                    raise  # the budget of the archive is spent

    def _unpack(self, size: int) -> bytes:
        if self._decompressor is None:
            from py7zr.compressor import SevenZipDecompressor

            self._decompressor = SevenZipDecompressor(
                self.folder.coders, self.left, self.folder.unpacksizes, self.folder.crc, None, _BLOCK
            )
        while True:
            before = self.left
            data: bytes = bytes(self._decompressor.decompress(_Packed(self), size))
            if data:
                return data
            if before == self.left:
                raise EOFError("it breaks off")

    def take(self, size: int) -> bytes:
        """Return packed bytes, but only when the decompressor needs some, to save memory."""
        first = self._decompressor.chain[0]
        if not getattr(getattr(first, "decoder", first), "needs_input", True):
            return b""
        data = self.blocks.file.read(min(size, self.left))
        self.left -= len(data)
        return data


class _Packed:
    def __init__(self, block: _Block) -> None:
        self.read = block.take


def _refusal(coders: list[dict[str, Any]], memory: int) -> RefusedError | None:
    methods = [bytes(coder["method"]) for coder in coders]
    if _ENCRYPTED.intersection(methods):
        return RefusedError("encrypted")
    for method in methods:
        if method not in _BOUNDED:
            return RefusedError("unknown-compression", text=f"7z {method.hex()}")
    if sum(method in _EXPANDING for method in methods) > 1:
        # Output of the first would pile up before the second.
        return RefusedError("unknown-compression", text="7z " + "+".join(method.hex() for method in methods))
    if max(map(_memory, coders), default=0) > memory:
        return RefusedError(TOO_MUCH_MEMORY)
    return None


def _memory(coder: dict[str, Any]) -> int:
    method, properties = bytes(coder["method"]), coder.get("properties") or b""
    if method in (_LZMA, _PPMD):
        return int.from_bytes(properties[1:5], "little")
    if method == _LZMA2 and properties:
        # 2 or 3 times a power of two, from 4 KiB on; 40 is 4 GiB.
        return (2 | properties[0] & 1) << (properties[0] // 2 + 11)
    return 0


class _Stream(io.RawIOBase):
    def __init__(self, block: _Block, size: int, crc: int | None) -> None:
        self.block = block
        self.left = size
        self.expected = crc
        self.crc = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self.left:
            return b""
        data = self.block.read(min(self.left, CHUNK if size < 0 else size))
        self.left -= len(data)
        self.crc = zlib.crc32(data, self.crc)
        if not self.left and self.expected is not None and self.expected != self.crc:
            raise RefusedError("damaged", text="the checksum is wrong")
        return data
