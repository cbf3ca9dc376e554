"""Files that hold files: ZIP, tar, gzip, bzip2, xz and 7z, read as streams. No name becomes a path on a disk.

Others (RAR, LZH) are known only by their first bytes: the libraries that read them are not under a permissive
licence, or call programs.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
from collections.abc import Callable, Iterator
from typing import IO, Final, Literal, Self, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from django.conf import settings

from archive.ingest import sevenzip
from archive.ingest.members import Member
from archive.ingest.refusals import DAMAGE, RefusedError, check_ratio, damaged

Kind = Literal["zip", "tar", "gzip", "bzip2", "xz", "7z", "rar", "lzh"]
UNREADABLE: Final = frozenset[Kind](["rar", "lzh"])

_MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PK\x07\x08", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
)
_BLOCK: Final = 512
_SUFFIXES: Final = (".gz", ".bz2", ".xz")


def kind_of(head: bytes) -> Kind | None:
    """Which container begins with these (at least 512) bytes; None for none."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[2:5] == b"-lh" and head[6:7] == b"-":
        return "lzh"
    return "tar" if _is_tar_header(head[:_BLOCK]) else None


def _is_tar_header(block: bytes) -> bool:
    """Whether a block's checksum is right: older archives have no other mark."""
    if len(block) < _BLOCK or not block[0]:
        return False
    try:
        written = int(block[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return written == sum(block[:148]) + sum(block[156:]) + 8 * 0x20


def members(kind: Kind, file: IO[bytes], name: str) -> Iterator[Member]:
    """The files of a container, in its own order; folders are left out, for they hold nothing themselves.

    Each is to be read before the next is asked for. Raises RefusedError where the container itself cannot
    be read any further.
    """
    try:
        yield from _READERS[kind](file, name)
    # zipfile says NotImplementedError of archives it cannot read, such as those in several parts.
    except (*DAMAGE, NotImplementedError) as error:
        raise damaged(error) from error


# --- names -----------------------------------------------------------------------------------------------


def _text(raw: bytes) -> str:
    """A name's bytes as text: UTF-8, or what Japanese Windows wrote."""
    for encoding in ("utf-8", "cp932"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("cp437")


def _zip_name(info: ZipInfo) -> str:
    """The name of a member; without the flag for UTF-8 its bytes were read as cp437."""
    if info.flag_bits & 0x800:
        return info.orig_filename
    return _text(info.orig_filename.encode("cp437"))


# --- ZIP -------------------------------------------------------------------------------------------------

_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_ENTRY_BYTES: Final = 46
_TAIL_BYTES: Final = _END.size + 0xFFFF


def _zip(file: IO[bytes], name: str) -> Iterator[Member]:
    _check_directory(file)
    with ZipFile(file) as archive:
        for info in archive.infolist():
            # Not `is_dir`, which takes every name to have a character.
            if not info.filename.endswith("/"):
                yield _zip_member(archive, info)


def _zip_member(archive: ZipFile, info: ZipInfo) -> Member:
    def opened() -> IO[bytes]:
        try:
            return archive.open(info)
        # That is what zipfile raises for a way to compress that it has not.
        except NotImplementedError as error:
            raise RefusedError("unknown-compression", text=str(error)[:80]) from error

    path = _zip_name(info)
    if info.flag_bits & 0x1:
        return Member(path, refusal=RefusedError("encrypted"))
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return Member(path, refusal=RefusedError("link"))
    return Member(path, opened, lambda: info.compress_size)


def _check_directory(file: IO[bytes]) -> None:
    """Count the directory before the library reads it: it keeps an object for each file.

    Raises RefusedError `too-many-entries`, and BadZipFile for a file without a directory.
    """
    limit, found = settings.ARCHIVE_MAX_ENTRIES, 0
    start, end = _directory(file)
    while start + _ENTRY_BYTES <= end:
        file.seek(start)
        head = file.read(_ENTRY_BYTES)
        if not head.startswith(b"PK\x01\x02"):
            break
        found += 1
        if found > limit:
            raise RefusedError("too-many-entries", limit=limit)
        start += _ENTRY_BYTES + sum(struct.unpack_from("<3H", head, 28))
    file.seek(0)


def _directory(file: IO[bytes]) -> tuple[int, int]:
    """Where the list of files begins and ends."""
    size = file.seek(0, io.SEEK_END)
    tail_at = max(0, size - _TAIL_BYTES)
    file.seek(tail_at)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise BadZipFile("no end of the central directory")
    length = _END.unpack_from(tail, at)[5]
    end = tail_at + at
    if at >= _LOCATOR.size and tail[at - _LOCATOR.size :].startswith(b"PK\x06\x07"):
        end = _LOCATOR.unpack_from(tail, at - _LOCATOR.size)[2]
        file.seek(end)
        record = file.read(_END64.size)
        if len(record) < _END64.size:
            raise BadZipFile("no end of the central directory")
        length = _END64.unpack(record)[8]
    return max(0, end - length), end


# --- tar and single files --------------------------------------------------------------------------------


_Decompressed = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile


def _decompressed(kind: str, file: IO[bytes]) -> _Decompressed:
    file.seek(0)
    if kind == "gzip":
        return gzip.GzipFile(fileobj=file, mode="rb")
    return bz2.BZ2File(file) if kind == "bzip2" else lzma.LZMAFile(file)


class _Watched(io.RawIOBase):
    """A decompressed stream that ends with RefusedError when it turns out to be a bomb."""

    def __init__(self, stream: _Decompressed, packed: IO[bytes]) -> None:
        self.stream = stream
        self.packed = packed
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        # What was unpacked before the place where it breaks off comes out so.
        data = self.stream.read1(size)
        self.count += len(data)
        check_ratio(self.count, self.packed.tell())
        if self.count > settings.ARCHIVE_MAX_TOTAL_BYTES:
            raise RefusedError("unpacks-to-too-much", limit=settings.ARCHIVE_MAX_TOTAL_BYTES)
        return data


def _compressed(kind: str) -> Callable[[IO[bytes], str], Iterator[Member]]:
    """A reader of single compressed files, and of tar files in them."""

    def read(file: IO[bytes], name: str) -> Iterator[Member]:
        with _decompressed(kind, file) as probe:
            inside = kind_of(probe.read(_BLOCK))
        if inside == "tar":
            with _decompressed(kind, file) as stream:
                yield from _tar(_Watched(stream, file), name)
            return
        with _decompressed(kind, file) as stream:
            yield Member(_plain_name(name), lambda: cast(IO[bytes], stream), file.tell)

    return read


def _plain_name(name: str) -> str:
    """`games.csa` for `games.csa.gz`."""
    last = name.replace("\\", "/").rpartition("/")[2]
    for suffix in _SUFFIXES:
        if last.lower().endswith(suffix):
            return last[: -len(suffix)] or last
    return last


_LONG_NAMES: Final = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_READ_WHOLE: Final = frozenset((*_LONG_NAMES, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE))
"""Headers that hold what the next one has no room for; the library reads each into memory."""

_HEADER_BYTES: Final = 64 * 1024


class _Header(tarfile.TarInfo):
    """The header of a file in a tar archive. Raises RefusedError for one that would fill the memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _READ_WHOLE and header.size > _HEADER_BYTES:
            raise RefusedError("damaged", text=f"a header of {header.size} bytes")
        return header


def _tar(file: IO[bytes] | io.RawIOBase, name: str) -> Iterator[Member]:
    # A stream: members are met in order and forgotten, there is no going back.
    with tarfile.open(
        fileobj=file, mode="r|", encoding="utf-8", errors="surrogateescape", tarinfo=_Header
    ) as archive:
        while (info := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]
            archive.pax_headers = {}
            if not info.isdir():
                yield _tar_member(archive, info)
        _expect_end(archive)


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    def opened() -> IO[bytes]:
        found = archive.extractfile(info)
        if found is None:
            raise RefusedError("device")
        return found

    path = _text(info.name.encode("utf-8", "surrogateescape"))
    if info.issym() or info.islnk():
        return Member(path, refusal=RefusedError("link"))
    if not info.isfile():
        return Member(path, refusal=RefusedError("device"))
    return Member(path, opened, lambda: max(info.size, 1))


def _expect_end(archive: tarfile.TarFile) -> None:
    """The library takes a damaged header for the end; behind the real one there are only zeros."""
    rest = archive.fileobj
    while rest is not None and (chunk := rest.read(64 * 1024)):
        if chunk.strip(b"\0"):
            raise RefusedError("damaged", text="a header is damaged")


_READERS: Final[dict[Kind, Callable[[IO[bytes], str], Iterator[Member]]]] = {
    "zip": _zip,
    "tar": _tar,
    "gzip": _compressed("gzip"),
    "bzip2": _compressed("bzip2"),
    "xz": _compressed("xz"),
    "7z": sevenzip.members,
}
