"""The walk through containers: every file of every container, in order, and a reason for what is not read."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kifu_core.containers.refusals import ContainerLimits
from kifu_core.containers.walk import FilePart, walk
from kifu_core.deadline import TooSlowError, time_limit
from tests.containers import tarred, zipped

DATA = Path(__file__).parents[1] / "data"
KIF = (DATA / "kif/even_game.kif").read_bytes()
CSA = (DATA / "csa/even_game.csa").read_bytes()
LIMITS = ContainerLimits()


def parts(
    data: bytes,
    name: str = "upload.bin",
    limits: ContainerLimits = LIMITS,
    wanted: Callable[[str], bool] | None = None,
) -> list[FilePart]:
    return list(walk(io.BytesIO(data), name, limits, wanted=wanted))


def code(part: FilePart) -> str | None:
    return part.issue.code if part.issue else None


def outcome(
    data: bytes, name: str = "upload.bin", limits: ContainerLimits = LIMITS
) -> list[tuple[str, str | None]]:
    return [(part.path, code(part)) for part in parts(data, name, limits)]


FILES = [("a.kif", KIF), ("folder/b.csa", CSA)]


# --- what is read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        zipped(*FILES),
        zipped(*FILES, method=zipfile.ZIP_STORED),
        zipped(*FILES, method=zipfile.ZIP_BZIP2),
        zipped(*FILES, method=zipfile.ZIP_LZMA),
        tarred(*FILES),
        tarred(*FILES, mode="w:gz"),
        tarred(*FILES, mode="w:bz2"),
        tarred(*FILES, mode="w:xz"),
    ],
)
def test_the_files_of_a_container_come_in_its_order(data):
    found = parts(data)
    assert [(part.path, part.data) for part in found] == FILES
    assert [part.number for part in found] == [0, 1]


@pytest.mark.parametrize(
    ("pack", "suffix"), [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")]
)
def test_a_single_compressed_file_has_its_name_without_the_suffix(pack, suffix):
    (part,) = parts(pack(KIF), f"game.kif.{suffix}")
    assert (part.path, part.data) == ("game.kif", KIF)


def test_a_file_that_is_no_container_is_one_part_without_a_path():
    assert [(part.path, part.data) for part in parts(KIF)] == [("", KIF)]


def test_a_container_in_a_container_is_read_and_no_deeper():
    inner = zipped(("b.kif", KIF))
    middle = tarred(("inner.zip", inner), ("c.kif", KIF), mode="w:gz")
    assert outcome(zipped(("a.zip", inner), ("m.tgz", middle))) == [
        ("a.zip/b.kif", None),
        ("m.tgz/inner.zip", "nested-too-deep"),
        ("m.tgz/c.kif", None),
    ]


def test_names_are_utf_8_or_japanese_windows():
    names = ["棋譜／第1局.kif", "表示.kif", "ソート.kif", "鷗外.kif", "☗.kif"]
    assert [path for path, _ in outcome(zipped(*((name, b"x") for name in names)))] == names


def test_names_in_utf_8_without_the_flag_for_it_are_found_out():
    data = zipped(("kifu.kif", b"x")).replace(b"kifu.kif", "棋譜".encode() + b".k")
    assert outcome(data) == [("棋譜.k", None)]


def test_a_tar_file_with_names_in_japanese_windows_shows_them():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="cp932") as archive:
        info = tarfile.TarInfo("棋譜.kif")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    assert outcome(out.getvalue()) == [("棋譜.kif", None)]


def test_the_same_name_twice_is_two_files():
    found = parts(zipped(("a.kif", b"1"), ("a.kif", b"2")))
    assert [(part.path, part.data) for part in found] == [("a.kif", b"1"), ("a.kif", b"2")]


def test_what_is_no_record_is_there_all_the_same():
    files = [("__MACOSX/._a.kif", b"\0\5\x16\7"), (".DS_Store", b"\0\0\0\1Bud1"), ("a.png", b"\x89PNG\r\n")]
    assert [path for path, _ in outcome(zipped(*files))] == [name for name, _ in files]


def test_folders_are_no_entries():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("folder/a.kif", b"x")
    assert outcome(out.getvalue()) == [("folder/a.kif", None)]


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"Rar!\x1a\x07\0" + bytes(600), "rar"),
        (b"\x20\x20-lh5-" + bytes(600), "lzh"),
    ],
)
def test_containers_that_cannot_be_read_are_named(data, kind):
    (part,) = parts(data)
    assert part.issue is not None
    assert (part.issue.code, part.issue.params["text"]) == ("unknown-container", kind)


def test_an_encrypted_file_is_refused_and_the_rest_is_read():
    data = bytearray(zipped(*FILES))
    data[6] |= 1
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    assert outcome(bytes(data)) == [("a.kif", "encrypted"), ("folder/b.csa", None)]


def test_a_damaged_file_is_refused_and_the_rest_is_read():
    data = bytearray(zipped(*FILES, method=zipfile.ZIP_STORED))
    data[data.index(b"PK\x03\x04") + 60] ^= 0xFF
    assert outcome(bytes(data)) == [("a.kif", "damaged"), ("folder/b.csa", None)]


@pytest.mark.parametrize("keep", [5, 30])
def test_a_zip_without_its_end_is_damaged(keep):
    assert outcome(zipped(*FILES)[:keep]) == [("", "damaged")]


@pytest.mark.parametrize("keep", [100, 200])
def test_a_zip_that_breaks_off_in_a_file_tells_its_name(keep):
    assert outcome(zipped(*FILES)[:keep]) == [("a.kif", "damaged"), ("", "damaged")]


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_tar_file_that_breaks_off_gives_what_came_before(mode):
    big = ("big.kif", bytes(range(256)) * 4000)
    data = tarred(FILES[0], big, mode=mode)
    found = outcome(data[: len(data) - 20])
    assert (
        found[0] == (FILES[0][0], None) or mode == "w:bz2"
    )  # which unpacks nothing before the end of a block
    assert found[-1][1] == "damaged"


def test_of_a_compressed_tar_file_that_breaks_off_nothing_is_left_out_that_is_there():
    files = [(f"{n}.bin", Random(n).randbytes(1500)) for n in range(20)]
    data = tarred(*files, mode="w:gz")
    found = outcome(data[:-2000])
    assert found[:18] == [(name, None) for name, _ in files[:18]]
    assert {reason for _, reason in found[18:]} == {"damaged"}


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_tar_header_that_would_fill_the_memory_is_not_read(kind):
    header = tarfile.TarInfo("header")
    header.type, header.size = kind, 40_000_000
    good = tarred(FILES[0]).rstrip(b"\0")
    text = b"30 comment=nothing that is it\n"
    data = header.tobuf(tarfile.USTAR_FORMAT) + text * (header.size // len(text))
    tracemalloc.start()
    try:
        found = outcome(good + bytes(-len(good) % 512) + data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [(FILES[0][0], None), ("", "damaged")]
    assert peak < len(data) + 5_000_000


def test_a_tar_file_with_a_damaged_header_says_so():
    data = bytearray(tarred(*FILES, ("c.kif", b"x")))
    data[data.index(b"folder/b.csa")] ^= 0xFF
    assert outcome(bytes(data)) == [("a.kif", None), ("", "damaged")]


def test_links_and_devices_are_refused_by_kind():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in [
            ("l", tarfile.SYMTYPE),
            ("h", tarfile.LNKTYPE),
            ("d", tarfile.CHRTYPE),
            ("f", tarfile.FIFOTYPE),
        ]:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("a.kif")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    assert outcome(out.getvalue()) == [
        ("l", "link"), ("h", "link"), ("d", "device"), ("f", "device"), ("a.kif", None),
    ]  # fmt: skip


def test_a_symbolic_link_in_a_zip_is_no_file():
    info = zipfile.ZipInfo("l")
    info.external_attr = 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert outcome(out.getvalue()) == [("l", "link")]


def test_empty_files_and_containers_say_so():
    assert outcome(zipped()) == [("", "empty-container")]
    assert outcome(zipped(("a.kif", b""))) == [("a.kif", "empty-file")]


# --- hostile ---------------------------------------------------------------------------------------------


def test_a_bomb_is_refused_and_the_rest_is_read():
    data = zipped(("bomb", bytes(30_000_000)), ("a.kif", KIF))
    assert outcome(data) == [("bomb", "bomb"), ("a.kif", None)]


def test_a_gigabyte_of_zeros_costs_neither_memory_nor_time():
    data = gzip.compress(bytes(10_000_000)) * 100
    tracemalloc.start()
    try:
        found = outcome(data, "zeros.gz")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [("zeros", "bomb")]
    assert peak < 8_000_000


def test_a_tar_file_that_is_a_bomb_ends_there():
    header = tarfile.TarInfo("zeros")
    header.size = 8_000_000_000
    data = gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(60_000_000))
    assert {reason for _, reason in outcome(data)} == {"bomb"}


def test_bombs_in_bombs_end_at_the_depth_limit():
    data = KIF
    for _ in range(50):
        data = zipped(("again.zip", data))
    assert outcome(data) == [("again.zip/again.zip", "nested-too-deep")]


def test_of_a_directory_no_more_than_a_little_is_in_memory():
    def peak(count: int) -> int:
        data = io.BytesIO(zipped(*((f"{n}", b"x") for n in range(count))))
        tracemalloc.start()
        try:
            assert sum(1 for _ in walk(data, "many.zip", LIMITS)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(10_000) < peak(100) + 200_000


def test_a_directory_that_lies_about_its_length_is_damage():
    data = bytearray(zipped(*FILES))
    at = data.rindex(b"PK\x05\x06")
    struct.pack_into("<L", data, at + 12, 0x7FFFFFFF)
    assert outcome(bytes(data)) == [*((name, None) for name, _ in FILES), ("", "damaged")]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "../../etc/passwd"),
        ("/etc/passwd", "/etc/passwd"),
        ("C:\\a.kif", "C:\\a.kif"),
        ("a\x00b.kif", "a\ufffdb.kif"),
        ("\u202efik.exe", "\ufffdfik.exe"),
        ("x" * 5000, "x" * 999 + "…"),
    ],
)
def test_names_are_only_names(name, shown):
    assert outcome(zipped((name, b"x"))) == [(shown, None)]


# --- time ------------------------------------------------------------------------------------------------

MANY = 3_000
FOLDERS = zipped(*((f"{n}/", b"") for n in range(MANY)))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (gzip.compress(b"") * MANY, "a.gz"),
        (bz2.compress(b"") * MANY, "a.bz2"),
        (lzma.compress(b"") * MANY, "a.xz"),
        (FOLDERS, "a.zip"),
    ],
)
def test_what_unpacks_to_nothing_looks_at_the_clock_too(data, name):
    # A clock that goes on by one at each look.
    with pytest.raises(TooSlowError), time_limit(MANY // 2, clock=itertools.count().__next__):
        list(walk(io.BytesIO(data), name, LIMITS))
