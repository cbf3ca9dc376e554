"""Hostile tar files, 7z archives and single compressed files, and what the makers of all files share."""

from __future__ import annotations

import gzip
import lzma
import struct
import tarfile
import zlib
from collections.abc import Callable
from random import Random
from typing import Final

from tests.containers import seven_zipped, tarred, zipped
from tests.hostile.bombs import PACKERS, deflated, single, tar_header
from tests.hostile.records import kif_of, samples
from tests.hostile.values import MARKUP

MB: Final = 1 << 20
GB: Final = 1 << 30
GOOD: Final = kif_of(7).encode()
NAMES: Final = (
    "../../etc/passwd", "/etc/passwd", "a\0b.kif", "a\nX-Kifu-Mark: 1.kif", "\x1b[2J.kif", "\u202egpj.kif",
    "x" * 5000, "", "/", "..", ".", "con.kif", "a" * 300 + "/" * 300, "C:\\x\\y.kif", "\\\\host\\share",
    "é" * 900, "🐉.kif", "\ufeff.kif", "a\r\nb", "'; DROP TABLE", "=1+1.kif", "@x.kif", MARKUP + ".kif",
)  # fmt: skip
"""Names that no file should have."""

File = tuple[str, bytes]
Maker = Callable[[], File]

_ODD: Final = (
    tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE,
    b"Z",
)  # fmt: skip
_BZIP2, _PPMD = {"id": 0x31}, {"id": 0x36, "order": 6, "mem": 24}


def half(data: bytes) -> bytes:
    """What is there when a transfer breaks off."""
    return data[: len(data) // 2]


def flipped(data: bytes, share: int = 40) -> bytes:
    """The data with one byte in so many changed, but for the first four."""
    dice, changed = Random(5), bytearray(data)
    for _ in range(max(1, len(changed) // share)):
        changed[dice.randrange(4, len(changed))] = dice.randrange(256)
    return bytes(changed)


def _files() -> list[File]:
    return [(name, text.encode()) for name, text in samples().items()][:12]


def _of(suffix: str) -> dict[str, Maker]:
    """What is done with each way to compress one file."""
    pack = PACKERS[suffix]
    return {
        f"{suffix} bomb": lambda: (f"bomb.kif.{suffix}", single(suffix, 4 * GB)),
        f"tar.{suffix} bomb": lambda: (
            f"bomb.tar.{suffix}",
            single(suffix, 4 * GB, tar_header("bomb.kif", 4 * GB)),
        ),
        f"20,000 empty streams of {suffix}": lambda: (f"empty.{suffix}", pack(b"") * 20_000),
        f"half a tar.{suffix}": lambda: (f"half.tar.{suffix}", half(tarred(*_files(), mode=f"w:{suffix}"))),
        f"damaged tar.{suffix}": lambda: (
            f"bits.tar.{suffix}",
            flipped(tarred(*_files(), mode=f"w:{suffix}"), 400),
        ),
        f"{suffix} within {suffix}": lambda: (f"deep.{suffix}", _packed(suffix, 20)),
    }


def _packed(suffix: str, depth: int) -> bytes:
    data = GOOD
    for _ in range(depth):
        data = PACKERS[suffix](data)
    return data


def _odd() -> bytes:
    """Links, devices and types that there are not."""
    headers = (tar_header(f"{number}.kif", 0, kind, "/etc/passwd") for number, kind in enumerate(_ODD))
    return b"".join(headers) + bytes(1024)


def _pax(data: bytes) -> bytes:
    return (
        tar_header("pax", len(data), tarfile.XHDTYPE)
        + data
        + bytes(-len(data) % 512)
        + tar_header("x.kif", 0)
    )


def _lying_pax() -> bytes:
    lies = (b"999999999999 path=x\n", b"18 size=" + b"9" * 4400 + b"\n", b"30 path=" + b"/" * 20 + b"\n")
    return b"".join(map(_pax, lies))


def _sparse() -> bytes:
    """A file of 8 TB of which 512 bytes are there."""
    header = bytearray(tar_header("x.kif", 512, tarfile.GNUTYPE_SPARSE))
    header[386:398], header[398:410] = b"00000000000\0", b"00000001000\0"
    header[483:495] = b"\x80" + (8 << 40).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(512 + 1024)


def _xz_dictionary() -> bytes:
    """An xz file whose header asks for a dictionary of 1.5 GB; its checksums are right."""
    data = bytearray(lzma.compress(GOOD, check=lzma.CHECK_CRC32, preset=0))
    size = (data[12] + 1) * 4
    # Header of the block: size, flags, the filter's id, the size of its properties, the dictionary.
    assert data[14] == 0x21
    data[16] = 37
    data[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(data[12 : 12 + size - 4]))
    return bytes(data)


def _empty_files(number: int) -> bytes:
    return b"".join(tar_header(f"{n}", 0) for n in range(number)) + bytes(1024)


def _strange_names() -> bytes:
    return b"".join(tar_header(name[:90].replace("\0", "0"), 0) for name in NAMES) + bytes(1024)


_SEVEN_HEADER: Final = (
    b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(4) + struct.pack("<QQL", 0, 2**60, 0) + b"\x01" * 60
)
_NAMED_GZIP: Final = b"\x1f\x8b\x08\x08" + bytes(6)

FILES: Final[dict[str, Maker]] = {
    **{title: make for suffix in PACKERS for title, make in _of(suffix).items()},
    "a tar of 4 EB": lambda: ("lies.tar", tar_header("x.kif", 2**62) + GOOD),
    "links and devices in tar": lambda: ("links.tar", _odd()),
    "a long name of 4 GB": lambda: (
        "name.tar",
        tar_header("n", 4 * GB, tarfile.GNUTYPE_LONGNAME) + bytes(1024),
    ),
    "a PAX header of 1 GB": lambda: ("pax.tar.gz", single("gz", GB, tar_header("pax", GB, tarfile.XHDTYPE))),
    "a PAX header that lies": lambda: ("pax.tar", _lying_pax()),
    "a sparse file of 8 TB": lambda: ("sparse.tar", _sparse()),
    "strange names in tar": lambda: ("names.tar", _strange_names()),
    "30,000 empty files in tar": lambda: ("many.tar.gz", gzip.compress(_empty_files(30_000))),
    "xz with a dictionary of 1.5 GB": lambda: ("dictionary.xz", _xz_dictionary()),
    "gzip with a name of 1 MB": lambda: ("name.gz", _NAMED_GZIP + b"n" * MB + b"\0" + deflated(1)[:50]),
    "7z bomb": lambda: ("bomb.7z", seven_zipped(("bomb.kif", bytes(256 * MB)), ("good.kif", GOOD))),
    "7z bomb by bzip2": lambda: ("bomb.7z", seven_zipped(("bomb.kif", bytes(128 * MB)), filters=[_BZIP2])),
    "7z bomb by PPMd": lambda: ("bomb.7z", seven_zipped(("bomb.kif", bytes(64 * MB)), filters=[_PPMD])),
    "encrypted 7z": lambda: ("secret.7z", seven_zipped(("x.kif", GOOD), password="x")),
    "half a 7z": lambda: ("half.7z", half(seven_zipped(*_files()))),
    "damaged 7z": lambda: ("bits.7z", flipped(seven_zipped(*_files()), 60)),
    "strange names in 7z": lambda: (
        "names.7z",
        seven_zipped(*((name.replace("\0", "0") or "x", GOOD) for name in NAMES)),
    ),
    "a 7z header of 2^60 bytes": lambda: ("header.7z", _SEVEN_HEADER),
    "RAR": lambda: ("x.rar", b"Rar!\x1a\x07\x01\x00" + bytes(5000)),
    "LZH": lambda: ("x.lzh", b"\x20\x20-lh5-" + bytes(5000)),
    "a cabinet, a disk and a program": lambda: (
        "x.zip",
        zipped(
            ("a.cab", b"MSCF" + bytes(99)), ("b.iso", bytes(32_769) + b"CD001"), ("c", b"\x7fELF" + bytes(99))
        ),
    ),
}
