"""Files that contain files, read as streams: ZIP, tar, gzip, bzip2, xz and 7z. No name becomes a path on a
disk.

RAR and LZH are only recognized by their first bytes: their libraries have no permissive licence, or call
programs.
"""

import io
import tarfile
from collections.abc import Callable, Iterator
from typing import IO, Final, Literal, Never, Self, cast

from kifu_core.containers import sevenzip, zips
from kifu_core.containers.members import Member, text_of
from kifu_core.containers.refusals import DAMAGE, Budget, RefusedError, damaged
from kifu_core.containers.unpacking import XZ, UnpackedStream, open_bzip2, open_gzip, open_xz
from kifu_core.deadline import check_time

Kind = Literal["zip", "tar", "gzip", "bzip2", "xz", "7z", "rar", "lzh"]
UNREADABLE: Final = frozenset[Kind](["rar", "lzh"])

_MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PK\x07\x08", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (XZ, "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
)
HEAD_BYTES: Final = 512
"""The bytes that `kind_of` needs."""

_BLOCK: Final = 512
_SUFFIXES: Final = (".gz", ".bz2", ".xz")


def kind_of(head: bytes) -> Kind | None:
    """Return the kind of container that begins with these `HEAD_BYTES` bytes; None for other files."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[2:5] == b"-lh" and head[6:7] == b"-":
        return "lzh"
    return "tar" if _is_tar_header(head[:_BLOCK]) else None


def _is_tar_header(block: bytes) -> bool:
    """Return whether a block has a valid checksum, the only mark of old tar archives."""
    if len(block) < _BLOCK or not block[0]:
        return False
    try:
        checksum = int(block[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return checksum == sum(block[:148]) + sum(block[156:]) + 8 * 0x20


def members(kind: Kind, file: IO[bytes], name: str, budget: Budget) -> Iterator[Member]:
    """Yield the files of a container in its order, without folders.

    Each must be read before the next is requested. Memory is bounded by the budget, whatever the container
    claims. Raises RefusedError if the container cannot be read any further.
    """
    try:
        yield from _READERS[kind](file, name, budget)
    except DAMAGE as error:
        raise damaged(error) from error


# --- tar and single files --------------------------------------------------------------------------------


def _decompressed(kind: Kind, file: IO[bytes], budget: Budget) -> UnpackedStream:
    file.seek(0)
    if kind == "gzip":
        return open_gzip(file)
    return open_bzip2(file) if kind == "bzip2" else open_xz(file, budget.limits.memory)


Reader = Callable[[IO[bytes], str, Budget], Iterator[Member]]


class _LimitedStream(io.RawIOBase):
    """A decompressed stream that raises RefusedError when it unpacks to too much."""

    def __init__(self, stream: UnpackedStream, packed: IO[bytes], budget: Budget) -> None:
        self.stream = stream
        self.packed = packed
        self.budget = budget
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.count += len(data)
        check_time()
        self.budget.check_ratio(self.count, self.packed.tell())
        if self.count > self.budget.limits.total_bytes:
            raise self.budget.too_much()
        return data


def _compressed(kind: Kind) -> Reader:

    def read(file: IO[bytes], name: str, budget: Budget) -> Iterator[Member]:
        inside = kind_of(_beginning(_decompressed(kind, file, budget)))
        stream = _decompressed(kind, file, budget)
        if inside == "tar":
            yield from _tar(_LimitedStream(stream, file, budget), name, budget)
        else:
            yield Member(_plain_name(name), lambda: cast(IO[bytes], stream), file.tell)

    return read


def _beginning(stream: UnpackedStream) -> bytes:
    data = b""
    while len(data) < _BLOCK and (piece := stream.read(_BLOCK - len(data))):
        data += piece
    return data


def _plain_name(name: str) -> str:
    """Return `games.csa` for `games.csa.gz`."""
    last = name.replace("\\", "/").rpartition("/")[2]
    for suffix in _SUFFIXES:
        if last.lower().endswith(suffix):
            return last[: -len(suffix)] or last
    return last


_LONG_NAMES: Final = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_EXTENSIONS: Final = frozenset((*_LONG_NAMES, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE))
"""Headers that extend the next one; the library reads each into memory."""

_HEADER_BYTES: Final = 64 * 1024


class _Header(tarfile.TarInfo):
    """The header of a file in a tar archive. Raises RefusedError for extensions and sparse maps that would
    fill the memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENSIONS and header.size > _HEADER_BYTES:
            raise RefusedError("damaged", text=f"a header of {header.size} bytes")
        return header

    def _holes(self, *_: object) -> Never:
        raise RefusedError("unknown-compression", text="sparse tar")

    # The library calls these methods for the four kinds of sparse files.
    _proc_sparse = _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _holes


_REPORTED_ENDS: Final = 100


class _Ending(io.RawIOBase):
    """A stream that raises EOFError if it is read on after reporting its end `_REPORTED_ENDS` times.

    The library would otherwise skip a file of any size that a header claims, piece by piece, without noticing
    the end.
    """

    def __init__(self, stream: IO[bytes] | io.RawIOBase) -> None:
        self.stream = stream
        self.left = _REPORTED_ENDS

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size) or b""
        if size and not data:
            self.left -= 1
            if not self.left:
                raise EOFError("it breaks off")
        return data


def _tar(file: IO[bytes] | io.RawIOBase, name: str, budget: Budget) -> Iterator[Member]:
    try:
        yield from _tar_members(_Ending(file))
    except RecursionError as error:
        # An extension may extend an extension; the library recurses.
        raise RefusedError("damaged", text="headers without an end") from error


def _tar_members(file: _Ending) -> Iterator[Member]:
    # As a stream, members are read in order, and dropped from memory here.
    with tarfile.open(
        fileobj=cast(IO[bytes], file), mode="r|", encoding="utf-8", errors="surrogateescape", tarinfo=_Header
    ) as archive:
        while (info := archive.next()) is not None:
            check_time()
            archive.members.clear()  # type: ignore[attr-defined]
            archive.pax_headers = {}
            if not info.isdir():
                yield _tar_member(archive, info)
        _expect_end(archive)


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    def opened() -> IO[bytes]:
        file = archive.extractfile(info)
        if file is None:
            raise RefusedError("device")
        return file

    path = text_of(info.name.encode("utf-8", "surrogateescape"))
    if info.issym() or info.islnk():
        return Member(path, refusal=RefusedError("link"))
    if not info.isfile():
        return Member(path, refusal=RefusedError("device"))
    return Member(path, opened, lambda: max(info.size, 1))


def _expect_end(archive: tarfile.TarFile) -> None:
    """Raise RefusedError unless only zeros follow: the library takes a damaged header for the end."""
    rest = archive.fileobj
    while rest is not None and (chunk := rest.read(64 * 1024)):
        if chunk.strip(b"\0"):
            raise RefusedError("damaged", text="a header is damaged")


_READERS: Final[dict[Kind, Reader]] = {
    "zip": zips.members,
    "tar": _tar,
    "gzip": _compressed("gzip"),
    "bzip2": _compressed("bzip2"),
    "xz": _compressed("xz"),
    "7z": sevenzip.members,
}
