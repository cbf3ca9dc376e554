"""Files of a few kilobytes that would fill a machine, and what is to become of each."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Protocol

import py7zr

from tests import seven_zip
from tests.archive.games import KIF
from tests.containers import seven_zipped, zipped

SIZE = 64 * 1024 * 1024
"""What a bomb unpacks to: more than any memory that the tests allow."""

_PIECE = bytes(1024 * 1024)
_GOOD = KIF.encode()
_NOISE = b"x" * 99

Made = Callable[[], bytes]
Outcome = set[str | None]
"""The codes of the errors of its entries, None for one that is read."""


# --- ZIP -------------------------------------------------------------------------------------------------


@cache
def zip_bomb(method: int) -> bytes:
    """A ZIP of zeros, and a good file behind them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        with archive.open("bomb", "w") as file:
            for _ in range(SIZE // len(_PIECE)):
                file.write(_PIECE)
        archive.writestr("good.kif", _GOOD)
    return out.getvalue()


def zip_that_says(method: int, packed: bytes, size: int, packed_size: int | None = None) -> bytes:
    """A ZIP of one file whose directory says these things of it, in 64 bits; a good file stands behind it."""
    good = zipped(("good.kif", _GOOD))
    length = len(packed) if packed_size is None else packed_size
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 45, 0, method, 0, 0, 0, len(packed), 0, 4, 0) + b"bomb"
    extra = struct.pack("<2H2Q", 1, 16, size, length)
    record = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", 45, 45, 0, method, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 4, len(extra),
        0, 0, 0, 0, 0,
    ) + b"bomb" + extra  # fmt: skip
    before = local + packed
    end = len(good) - 22
    directory = struct.unpack_from("<L", good, end + 16)[0]
    moved = bytearray(good[directory:end])
    struct.pack_into("<L", moved, 42, len(before))
    records = record + bytes(moved)
    place = len(before) + directory
    return (
        before
        + good[:directory]
        + records
        + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(records), place, 0)
    )


def overlapping_zip(files: int) -> bytes:
    """One file's bytes under many names."""
    one = zipped(("0000", bytes(1_000_000)))
    end = len(one) - 22
    directory = struct.unpack_from("<L", one, end + 16)[0]
    records = one[directory:end] * files
    return (
        one[:directory] + records + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0, 0, len(records), directory, 0)
    )


def lzma_with(dictionary: int) -> bytes:
    """What LZMA is in a ZIP, asking for a dictionary of that many bytes."""
    data = lzma.compress(_GOOD, lzma.FORMAT_ALONE)
    return b"\x09\x04\x05\0" + data[:1] + struct.pack("<L", dictionary) + data[13:]


# --- tar and single files --------------------------------------------------------------------------------


class Packer(Protocol):
    """A compressor of bz2, lzma or zlib."""

    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


@cache
def packed_zeros(pack: Callable[[], Packer], head: bytes = b"") -> bytes:
    """Zeros through a compressor, behind a head."""
    packer = pack()
    pieces = [packer.compress(piece) for piece in (head, *[_PIECE] * (SIZE // len(_PIECE)))]
    return b"".join((*pieces, packer.flush()))


def tar_bomb(pack: Callable[[], Packer]) -> bytes:
    """A compressed tar file of zeros."""
    header = tarfile.TarInfo("bomb")
    header.size = SIZE
    return packed_zeros(pack, header.tobuf(tarfile.GNU_FORMAT))


def gzipper() -> Packer:
    """gzip at its best."""
    return zlib.compressobj(9, zlib.DEFLATED, 31)


def xz_with(dictionary: int) -> bytes:
    """A small file in xz that asks for a dictionary of 4 GiB less one byte (40) or the like."""
    data = bytearray(lzma.compress(_GOOD))
    # Behind 12 bytes of header: length, flags, method, length of its properties, the dictionary.
    length = (data[12] + 1) * 4
    assert data[14:16] == b"\x21\x01"
    data[16] = dictionary
    struct.pack_into("<L", data, 12 + length - 4, zlib.crc32(data[12 : 12 + length - 4]))
    return bytes(data)


def sparse_tar() -> bytes:
    """A file of nothing but holes, with a list of them as long as the archive."""
    header = bytearray(tarfile.TarInfo("holes").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[482] = 1  # the list goes on in further blocks
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return gzip.compress(
        bytes(header) + (b"0000000001 " * 42 + b"\0" * 42 + b"\1" + b"\0" * 7)[:512] * 400_000
    )


def tar_with_pax(**fields: str) -> bytes:
    """A file with such further headers, and numbers without an end as its content."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("holes")
        info.pax_headers = fields
        data = b"99999999\n" * 4_000_000
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return gzip.compress(out.getvalue(), 1)


def tar_that_says(size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """The header of a file of that many bytes, and a few of them."""
    header = tarfile.TarInfo("bomb")
    header.size, header.type = size, kind
    return header.tobuf(tarfile.GNU_FORMAT) + _NOISE


def pax_tar_that_says(size: int) -> bytes:
    """A small file whose further headers give it another size."""
    header = tarfile.TarInfo("bomb")
    header.size = len(_NOISE)
    header.pax_headers = {"size": str(size)}
    return header.tobuf(tarfile.PAX_FORMAT) + _NOISE


def headers_about_headers() -> bytes:
    """Long names for long names for long names."""
    header = tarfile.TarInfo("name")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1
    return (header.tobuf(tarfile.GNU_FORMAT) + b"x" + bytes(511)) * 20_000


# --- 7z --------------------------------------------------------------------------------------------------


def seven_bomb(filters: list[dict[str, int]], size: int = SIZE) -> bytes:
    """A 7z archive of zeros, and a good file behind them."""
    return seven_zipped(("bomb", bytes(size)), ("good.kif", _GOOD), filters=filters)


def seven_of(method: bytes, properties: bytes) -> bytes:
    """A 7z archive that asks for much memory."""
    return seven_zip.of(_GOOD, [(method, properties)], [len(_GOOD)])


# --- all -------------------------------------------------------------------------------------------------


def all_bombs() -> Iterator[tuple[str, Made, Outcome]]:
    """Name, maker and outcome of each."""
    yield from _zips()
    yield from _streams()
    yield from _tars()
    yield from _sevens()


def _zips() -> Iterator[tuple[str, Made, Outcome]]:
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        yield f"{zipfile.compressor_names[method]}.zip", partial(zip_bomb, method), {"bomb", None}
    others = ("reduce", 2), ("deflate64", 9), ("zstd", 93), ("xz", 95), ("ppmd", 98), ("none", 77)
    for name, method in others:
        yield f"{name}.zip", partial(zip_that_says, method, _NOISE, SIZE), {"unknown-compression", None}
    for name, size, packed in (("all", 2**63, 2**63), ("size", 2**63, None), ("packed", 9, 2**64 - 1)):
        for method in (0, 8, 12, 14):
            made = partial(zip_that_says, method, _NOISE, size, packed)
            yield f"{name}-{method}-lie.zip", made, {"damaged", None}
    yield "overlap.zip", partial(overlapping_zip, 300), {"unknown-format", "damaged"}
    large = partial(zip_that_says, 14, lzma_with(0xFFFFFFFF), 2**40)
    yield "dictionary.zip", large, {"too-much-memory", None}
    yield "small.zip", partial(zip_that_says, 14, lzma_with(0xFFFFFFFF), len(_GOOD)), {"damaged", None}
    yield "bzip2-zip.zip", lambda: zipped(("a.zip", zip_bomb(zipfile.ZIP_BZIP2))), {"bomb", None}


def _streams() -> Iterator[tuple[str, Made, Outcome]]:
    packers: list[tuple[str, Callable[[], Packer]]] = [
        ("gz", gzipper), ("bz2", bz2.BZ2Compressor), ("xz", partial(lzma.LZMACompressor, preset=0)),
    ]  # fmt: skip
    for name, pack in packers:
        yield f"single.{name}", partial(packed_zeros, pack), {"bomb"}
        yield f"tar.{name}", partial(tar_bomb, pack), {"bomb"}
        yield f"tar-{name}.zip", partial(_zip_of, partial(tar_bomb, pack)), {"bomb"}
        yield f"single-{name}.zip", partial(_zip_of, partial(packed_zeros, pack)), {"bomb"}
    yield "dictionary.xz", partial(xz_with, 40), {"too-much-memory"}
    yield "members.gz", lambda: gzip.compress(b"") * 300_000, {"damaged"}
    yield "members.bz2", lambda: bz2.compress(b"") * 300_000, {"damaged"}
    yield "members.xz", lambda: lzma.compress(b"") * 300_000, {"damaged"}
    yield "name.gz", lambda: b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * 20_000_000, {"damaged"}


def _zip_of(made: Made) -> bytes:
    return zipped(("inside", made()))


def _tars() -> Iterator[tuple[str, Made, Outcome]]:
    yield "sparse.tgz", sparse_tar, {"unknown-compression"}
    holes: list[dict[str, str]] = [
        {"GNU.sparse.size": "99", "GNU.sparse.offset": "1", "GNU.sparse.numbytes": "1"},
        {"GNU.sparse.map": "0,1"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9999999999"},
    ]
    for number, fields in enumerate(holes):
        yield f"sparse-{number}.tgz", partial(tar_with_pax, **fields), {"unknown-compression"}
    yield "headers.tar", headers_about_headers, {"damaged"}
    yield "lies.tar", partial(tar_that_says, 2**62), {"damaged"}
    yield "lies-device.tar", partial(tar_that_says, 2**62, tarfile.CHRTYPE), {"device"}
    yield "lies-folder.tar", partial(tar_that_says, 2**62, tarfile.DIRTYPE), {"empty-container"}
    yield "lies-unknown.tar", partial(tar_that_says, 2**62, b"~"), {"device", "damaged"}
    yield "lies-pax.tar", partial(pax_tar_that_says, 2**62), {"damaged"}
    for name, packed in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        yield f"lies.tar.{name}", partial(_packed, packed, partial(tar_that_says, 2**62)), {"damaged"}
    yield "lies-tar.zip", partial(_zip_of, partial(tar_that_says, 2**62)), {"damaged"}


def _packed(pack: Callable[[bytes], bytes], made: Made) -> bytes:
    return pack(made())


def _sevens() -> Iterator[tuple[str, Made, Outcome]]:
    bounded = ("lzma", py7zr.FILTER_LZMA), ("lzma2", py7zr.FILTER_LZMA2), ("bzip2", py7zr.FILTER_BZIP2)
    for name, way in bounded:
        yield f"{name}.7z", partial(seven_bomb, [{"id": way}]), {"bomb", None}
    ppmd = {"id": py7zr.FILTER_PPMD, "order": 6, "mem": 22}
    yield "ppmd.7z", partial(seven_bomb, [ppmd], SIZE // 4), {"bomb", None}
    others = ("deflate", py7zr.FILTER_DEFLATE), ("zstd", py7zr.FILTER_ZSTD), ("brotli", py7zr.FILTER_BROTLI)
    for name, way in others:
        yield f"{name}.7z", partial(seven_bomb, [{"id": way, "level": 1}]), {"unknown-compression"}
    for name, method, properties in (
        ("lzma", seven_zip.LZMA, b"\x5d\xff\xff\xff\xff"),
        ("lzma2", seven_zip.LZMA2, b"\x28"),
        ("ppmd", seven_zip.PPMD, b"\x06\0\0\0\xf0\0\0"),
    ):
        yield f"{name}-memory.7z", partial(seven_of, method, properties), {"too-much-memory"}
    nested = partial(_zip_of, partial(seven_bomb, [{"id": py7zr.FILTER_BZIP2}]))
    yield "bzip2-7z.zip", nested, {"bomb", None}
