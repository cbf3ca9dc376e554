"""7z archives: read as any other container, and refused as any other where they are hostile."""

from __future__ import annotations

import bz2
import io
import random
import sys
import tracemalloc

import py7zr
import pytest
from py7zr import SevenZipFile

from kifu_core.containers.refusals import ContainerLimits
from kifu_core.containers.sevenzip import FILE_BYTES
from kifu_core.containers.walk import walk
from tests import seven_zip
from tests.containers import seven_zipped, zipped
from tests.kifu_core.test_containers import CSA, FILES, KIF, outcome, parts

LZMA, LZMA2, BZIP2, COPY = (
    [{"id": one}] for one in (py7zr.FILTER_LZMA, py7zr.FILTER_LZMA2, py7zr.FILTER_BZIP2, py7zr.FILTER_COPY)
)
PPMD = [{"id": py7zr.FILTER_PPMD, "order": 6, "mem": 24}]
X86 = [{"id": py7zr.FILTER_X86}, *LZMA2]
OTHER_X86 = [{"id": py7zr.FILTER_X86}, *LZMA]
NOISE = random.Random(1).randbytes(300_000)


# --- what is read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("filters", [None, LZMA, LZMA2, BZIP2, COPY, PPMD, X86, OTHER_X86])
def test_the_files_of_a_7z_archive_come_in_its_order(filters):
    files = [*FILES, ("noise.bin", NOISE), ("c.kif", KIF)]
    found = parts(seven_zipped(*files, filters=filters))
    assert [(part.path, part.data) for part in found] == files
    assert [part.number for part in found] == [0, 1, 2, 3]


def test_it_may_be_in_a_container_and_hold_one_and_no_more():
    inner = seven_zipped(("b.kif", KIF))
    assert outcome(zipped(("a.7z", inner))) == [("a.7z/b.kif", None)]
    assert outcome(seven_zipped(("a.zip", zipped(("c.7z", inner), FILES[0])), FILES[1])) == [
        ("a.zip/c.7z", "nested-too-deep"),
        ("a.zip/a.kif", None),
        ("folder/b.csa", None),
    ]


def test_blocks_folders_empty_files_and_names_twice_are_as_they_stand():
    out = io.BytesIO(seven_zipped(("a.kif", b"1"), ("empty.kif", b"")))
    with SevenZipFile(out, "a") as archive:  # what is appended is a block of its own
        archive.writestr(b"2", "a.kif")
    assert [(part.path, part.data) for part in parts(out.getvalue()) if not part.issue] == [
        ("a.kif", b"1"), ("a.kif", b"2"),
    ]  # fmt: skip
    assert ("empty.kif", "empty-file") in outcome(out.getvalue())


DIRECTORY = 17_000_000
"""What py7zr takes for the dictionary that directories are compressed with."""


# --- what is refused -------------------------------------------------------------------------------------


def test_without_the_library_the_refusal_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "py7zr", None)
    assert outcome(seven_zipped(*FILES)) == [("", "needs-7z")]


@pytest.mark.parametrize("data", [b"7z\xbc\xaf\x27\x1c" + bytes(600), seven_zipped(*FILES)[:-3]])
def test_an_archive_without_a_directory_is_damaged(data):
    assert outcome(data) == [("", "damaged")]


def test_encrypted_files_are_refused_each_by_its_name_and_encrypted_names_as_a_whole():
    assert outcome(seven_zipped(*FILES, password="x")) == [
        ("a.kif", "encrypted"),
        ("folder/b.csa", "encrypted"),
    ]
    out = io.BytesIO()
    with SevenZipFile(out, "w", password="x", header_encryption=True) as archive:
        archive.writestr(b"1", "a.kif")
    assert outcome(out.getvalue()) == [("", "encrypted")]


def test_a_file_with_a_wrong_checksum_is_refused_and_the_rest_is_read():
    data = bytearray(seven_zipped(*FILES, ("c.kif", b"c"), filters=COPY))
    data[data.index(CSA) + 20] ^= 1
    assert outcome(bytes(data)) == [("a.kif", None), ("folder/b.csa", "damaged"), ("c.kif", None)]


def test_what_comes_after_damage_in_a_solid_block_is_lost_and_the_next_block_is_read():
    out = io.BytesIO(seven_zipped(("a.kif", b"1"), ("noise", NOISE), ("b.kif", b"2"), filters=BZIP2))
    with SevenZipFile(out, "a") as archive:
        archive.writestr(b"3", "c.kif")
    data = bytearray(out.getvalue())
    data[1_000:1_100] = bytes(100)
    assert outcome(bytes(data))[1:] == [("noise", "damaged"), ("b.kif", "damaged"), ("c.kif", None)]


def test_links_and_devices_are_refused_by_kind(tmp_path):
    (tmp_path / "a.kif").write_bytes(b"x")
    (tmp_path / "link").symlink_to("/etc/passwd")
    out = io.BytesIO()
    with SevenZipFile(out, "w") as archive:
        for name in ("link", "a.kif"):
            archive.write(tmp_path / name, name)
    assert outcome(out.getvalue()) == [("link", "link"), ("a.kif", None)]


def test_ways_to_compress_without_bounds_are_refused():
    data = seven_zipped(*FILES, filters=[{"id": py7zr.FILTER_ZSTD, "level": 1}])
    assert outcome(data) == [("a.kif", "unknown-compression"), ("folder/b.csa", "unknown-compression")]


def test_a_dictionary_beyond_all_measure_is_refused():
    large = [{**LZMA[0], "dict_size": 2 * DIRECTORY}], [{**LZMA2[0], "dict_size": 2 * DIRECTORY}]
    for filters in (*large, [{**PPMD[0], "mem": 25}]):
        data = io.BytesIO(seven_zipped(FILES[0], filters=filters))
        (part,) = walk(data, "x.7z", ContainerLimits(memory=DIRECTORY))
        assert (part.path, part.issue and part.issue.code) == ("a.kif", "too-much-memory")


# --- hostile ---------------------------------------------------------------------------------------------


def test_a_bomb_is_refused_and_the_rest_is_read():
    data = seven_zipped(("bomb", bytes(30_000_000)), ("a.kif", KIF), filters=BZIP2)
    tracemalloc.start()
    try:
        found = outcome(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [("bomb", "bomb"), ("a.kif", None)]
    assert peak < DIRECTORY + 2_000_000


def test_limits_of_a_file_and_of_all_files_hold():
    data = seven_zipped(*((f"{n}.kif", bytes(1000 + n)) for n in range(4)))
    found = outcome(data, limits=ContainerLimits(entry_bytes=1001))
    assert [code for _, code in found] == [None, None, "entry-too-large", "entry-too-large"]
    found = outcome(data, limits=ContainerLimits(entry_bytes=2000, total_bytes=2500))
    assert [code for _, code in found] == [None, None, "unpacks-to-too-much"]


def test_a_directory_that_takes_too_much_memory_is_not_read():
    count = DIRECTORY // FILE_BYTES + 1
    data = seven_zipped(*((f"{n}", b"") for n in range(count)))
    (part,) = walk(io.BytesIO(data), "x.7z", ContainerLimits(memory=DIRECTORY))
    assert part.issue and part.issue.code == "too-many-entries"


@pytest.mark.parametrize("way", [py7zr.FILTER_ZSTD, py7zr.FILTER_DEFLATE, py7zr.FILTER_BROTLI])
def test_a_directory_packed_without_bounds_is_not_read(way, monkeypatch):
    ways = [{"id": way, "level": 1}]
    monkeypatch.setattr("py7zr.properties.DefaultFilters.ENCODED_HEADER_FILTER", ways)
    assert outcome(seven_zipped(FILES[0])) == [("", "unknown-compression")]


def test_one_way_to_compress_behind_another_is_refused():
    once = bz2.compress(KIF)
    coders = [(seven_zip.BZIP2, b""), (seven_zip.BZIP2, b"")]
    assert outcome(seven_zip.of(once, coders[:1], [len(KIF)])) == [("a.kif", None)]
    twice = seven_zip.of(bz2.compress(once), coders, [len(KIF), len(once)])
    assert outcome(twice) == [("a.kif", "unknown-compression")]


def test_what_is_skipped_counts_as_unpacked():
    limits = ContainerLimits(entry_bytes=100_000, total_bytes=1_000_000)
    data = seven_zipped(("large", bytes(5_000_000)), ("a.kif", b"x"))
    assert outcome(data, limits=limits) == [("large", "entry-too-large"), ("", "unpacks-to-too-much")]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("../../etc/passwd", "../../etc/passwd"), ("a\u202eb", "a\ufffdb"), ("x" * 5000, "x" * 999 + "…")],
)
def test_names_are_only_names(name, shown):
    assert outcome(seven_zipped((name, b"x"))) == [(shown, None)]


def test_mutated_archives_are_read_or_refused_with_a_reason():
    dice = random.Random(7)
    begin = [
        seven_zipped(*FILES, ("c.bin", NOISE[:500]), filters=filters) for filters in (None, BZIP2, COPY, PPMD)
    ]
    for _ in range(300):
        data = bytearray(dice.choice(begin))
        for _ in range(dice.choice((1, 1, 3, 20))):
            # Mostly in the directory, which is at the end.
            at = len(data) - 1 - min(int(dice.expovariate(0.01)), len(data) - 7)
            data[at] ^= 1 << dice.randrange(8)
        found = parts(bytes(data))
        assert found
        assert not any(part.issue.code == "internal-error" for part in found if part.issue)
