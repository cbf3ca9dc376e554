"""7z archives, read as streams where py7zr is installed (the extra `7z`; it is under the LGPL).

py7zr reads the directory and knows how to unpack. Its own extraction ends at the first name or checksum that
it does not like; so here the files are taken out of its decompressors one after the other, a piece at a time.
Most archives are solid: to come to a file, all before it in its block are unpacked and thrown away.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, Final, cast

from django.conf import settings

from archive.intake.walk.members import Member
from archive.intake.walk.refusals import CHUNK, TOO_MUCH_MEMORY, Budget, RefusedError, damaged
from kifu_core.deadline import check_time

if TYPE_CHECKING:
    from py7zr import SevenZipFile
    from py7zr.py7zr import ArchiveFile

HEADER_BYTES: Final = 32 * 1024 * 1024
"""Largest directory, unpacked: it is held in memory."""

FILE_BYTES: Final = 1024
"""What py7zr keeps of each file of a directory in memory, about; of each block as well."""

_TOO_MANY: Final = re.compile(
    r"(?:numfiles|numfolders|total number of unpack streams) value \d+ exceeds limit"
)
"""What py7zr says of directories beyond its limits."""

_BLOCK: Final = 64 * 1024
_START_BYTES: Final = 32
_ENCODED: Final = b"\x17"
"""How a directory begins that is packed itself."""

# Methods whose unpackers give no more than they are asked for: copy, delta, BCJ and its like, LZMA, LZMA2,
# PPMd, bzip2. Of the others (deflate, Zstandard, Brotli) one small block can become gigabytes at once.
_LZMA, _LZMA2, _PPMD = b"\x03\x01\x01", b"\x21", b"\x03\x04\x01"
_BOUNDED: Final = frozenset(
    [b"\x00", b"\x03", b"\x03\x03\x01\x03", b"\x03\x03\x02\x05", b"\x03\x03\x04\x01", b"\x03\x03\x05\x01",
     b"\x03\x03\x07\x01", b"\x03\x03\x08\x05", b"\x04", b"\x05", b"\x06", b"\x07", b"\x08", b"\x09",
     _LZMA, _LZMA2, _PPMD, b"\x04\x02\x02"]
)  # fmt: skip
_EXPANDING: Final = frozenset([_LZMA, _LZMA2, _PPMD, b"\x04\x02\x02"])
"""Those that can make much of little."""

_ENCRYPTED: Final = frozenset([b"\x06\xf1\x07\x01", b"\x06\xf1\x01\x01", b"\x06\xf1\x03\x03"])


def members(file: IO[bytes], name: str, budget: Budget) -> Iterator[Member]:
    """Yield the files of a 7z archive in its order, without folders.

    Each must be read before the next is requested. Raises RefusedError if the archive cannot be read any
    further, and `needs-7z` if py7zr is not installed.
    """
    archive = _opened(file, budget)
    packed = file.seek(0, io.SEEK_END)
    blocks, block = _Blocks(archive, file, budget), None
    for found in archive.files:
        if found.is_directory:
            continue
        if found.emptystream:
            yield Member(found.filename, io.BytesIO)
            continue
        block = blocks.of(found.folder, block)
        yield _member(found, block, packed)
        if blocks.spent:
            return  # which that file has just been refused for
        block.pass_by()


def _opened(file: IO[bytes], budget: Budget) -> SevenZipFile:
    try:
        from py7zr import SevenZipFile, archiveinfo, exceptions
    except ImportError:
        raise RefusedError("needs-7z") from None
    # Its own limits are those of a program that may use all of a machine: 8 million files, 256 MiB.
    most = budget.memory // FILE_BYTES
    archiveinfo.MAX_NUMFILES = archiveinfo.MAX_NUMFOLDERS = archiveinfo.MAX_SUBSTREAMS = most
    archiveinfo.MAX_HEADER_SIZE = HEADER_BYTES
    try:
        _check_header(file, budget.memory)
        file.seek(0)
        return SevenZipFile(file)
    except RefusedError:
        raise
    except exceptions.PasswordRequired:
        raise RefusedError("encrypted") from None
    except exceptions.Bad7zFile as error:
        if _TOO_MANY.match(str(error)):
            raise RefusedError("too-many-entries", limit=most) from error
        raise damaged(error) from error
    except Exception as error:
        # A directory that makes no sense meets all kinds of errors in the library.
        raise damaged(error) from error


def _check_header(file: IO[bytes], memory: int) -> None:
    """Check how the directory is packed: py7zr unpacks it with any method, some of which are unbounded."""
    from py7zr.archiveinfo import HeaderStreamsInfo

    # The last of what an archive begins with: where the directory is, from here on, and its length.
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


def _member(found: ArchiveFile, block: _Block, packed: int) -> Member:
    stream = _Stream(block, found.uncompressed, found.crc32)
    block.current = stream
    if found.is_symlink:
        return Member(found.filename, refusal=RefusedError("link"))
    if not found.is_file:
        return Member(found.filename, refusal=RefusedError("device"))
    if block.refusal is not None:
        return Member(found.filename, refusal=block.refusal)
    # In a solid block nobody knows which bytes are whose: the whole archive is the measure.
    return Member(found.filename, lambda: cast(IO[bytes], stream), lambda: packed)


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

    def of(self, folder: Any, last: _Block | None) -> _Block:
        """Return the block of a folder; `last` is the one before."""
        if last is not None and last.folder is folder:
            return last
        # Blocks of files hold one packed stream each; those of several (BCJ2) are not unpacked.
        number = self.numbers[id(folder)]
        begin, end = self.positions[number : number + 2]
        self.file.seek(self.start + begin)
        return _Block(self, folder, end - begin)

    @property
    def spent(self) -> bool:
        """Return whether the budget for unpacking is used up."""
        return self.unpacked > settings.ARCHIVE_MAX_TOTAL_BYTES

    def count(self, size: int) -> None:
        """Count unpacked bytes, whether they are used or skipped."""
        check_time()
        self.unpacked += size
        if self.spent:
            raise RefusedError("unpacks-to-too-much", limit=settings.ARCHIVE_MAX_TOTAL_BYTES)


class _Block:
    """A block that is being unpacked. `refusal` is the reason if it cannot be read further."""

    def __init__(self, blocks: _Blocks, folder: Any, packed: int) -> None:
        self.blocks = blocks
        self.folder = folder
        self.left = packed
        self.current: _Stream | None = None
        self.refusal = _refusal(folder.coders, blocks.budget.memory)
        self._decompressor: Any = None

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`. Raises RefusedError if there are none."""
        if self.refusal is None:
            try:
                data = self._unpack(size)
            except Exception as error:
                # The unpackers have no common error.
                self.refusal = damaged(error)
            else:
                self.blocks.count(len(data))
                return data
        raise self.refusal

    def pass_by(self) -> None:
        """Skip the rest of the current file, because the next one follows it in the stream."""
        stream, self.current = self.current, None
        while stream is not None and stream.left and self.refusal is None:
            try:
                stream.left -= len(self.read(min(stream.left, _BLOCK)))
            except RefusedError:
                if self.refusal is None:
                    raise  # the limit of the whole archive

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
        """Take packed bytes only when the earlier ones are used up, so that they do not fill the memory."""
        first = self._decompressor.chain[0]
        if not getattr(getattr(first, "decoder", first), "needs_input", True):
            return b""
        data = self.blocks.file.read(min(size, self.left))
        self.left -= len(data)
        return data


class _Packed:
    """The packed bytes of a block as py7zr reads them."""

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
        # What one gives the next cannot use as fast: it would pile up in between.
        return RefusedError("unknown-compression", text="7z " + "+".join(method.hex() for method in methods))
    if max(map(_memory, coders), default=0) > memory:
        return RefusedError(TOO_MUCH_MEMORY)
    return None


def _memory(coder: dict[str, Any]) -> int:
    """Return the bytes of memory that a method needs for unpacking."""
    method, properties = bytes(coder["method"]), coder.get("properties") or b""
    if method in (_LZMA, _PPMD):
        return int.from_bytes(properties[1:5], "little")
    if method == _LZMA2 and properties:
        # 2 or 3 times a power of two, from 4 KiB on; 40 stands for 4 GiB.
        return (2 | properties[0] & 1) << (properties[0] // 2 + 11)
    return 0


class _Stream(io.RawIOBase):
    """The bytes of one file, checked at its end."""

    def __init__(self, block: _Block, size: int, crc: int | None) -> None:
        self.block = block
        self.left = size
        self.wanted = crc
        self.crc = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self.left:
            return b""
        data = self.block.read(min(self.left, CHUNK if size < 0 else size))
        self.left -= len(data)
        self.crc = zlib.crc32(data, self.crc)
        if not self.left and self.wanted is not None and self.wanted != self.crc:
            raise RefusedError("damaged", text="the checksum is wrong")
        return data
