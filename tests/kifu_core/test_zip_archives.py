"""ZIP archives whose directory does not account for every byte: what stands in them is read or told of."""

from __future__ import annotations

import io
import itertools
import struct
import tracemalloc
import zipfile
import zlib
from random import Random

import pytest

from kifu_core.containers import zip_stream
from kifu_core.containers.walk import walk
from kifu_core.deadline import TooSlowError, time_limit
from tests.containers import zipped
from tests.hostile.bombs import Packed, raw_zip
from tests.kifu_core.test_containers import CSA, KIF, LIMITS, outcome, parts

A, B, C = ("a.kif", KIF), ("b.csa", CSA), ("c.kif", KIF * 3)
INNER = zipped(("i.kif", KIF), ("j.kif", CSA))
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def contents(data: bytes) -> list[tuple[str, bytes]]:
    return [(part.path, part.data) for part in parts(data) if not part.issue]


class _Pipe(io.RawIOBase):
    """A file that only goes forward: sizes have to stand behind the files."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.data += data
        return len(data)


def piped(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP as a program writes it into a pipe, with a descriptor behind every file."""
    out = _Pipe()
    with zipfile.ZipFile(out, "w", method) as archive:  # type: ignore[arg-type]
        for name, data in files:
            archive.writestr(name, data)
    return bytes(out.data)


def directory_at(data: bytes) -> int:
    return int(struct.unpack_from("<L", data, len(data) - 6)[0])


def without_record(data: bytes, name: str) -> bytes:
    """The archive with a file's record taken out of its directory; its bytes stay."""
    begin, end = directory_at(data), len(data) - 22
    records, at = b"", begin
    while at < end:
        length = 46 + sum(struct.unpack_from("<3H", data, at + 28))
        if data[at + 46 : at + 46 + len(name)] != name.encode():
            records += data[at : at + length]
        at += length
    return data[:begin] + records + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 0, 0, len(records), begin, 0)


# --- the directory of another archive --------------------------------------------------------------------


@pytest.mark.parametrize("make", [zipped, piped])
@pytest.mark.parametrize("cut", [1, 21, 22, 40, 60])
def test_the_directory_of_an_archive_in_it_is_not_that_of_one_that_breaks_off(make, cut):
    data = make(A, ("inner.zip", INNER), B, method=zipfile.ZIP_STORED)
    assert outcome(data[:-cut]) == [
        ("a.kif", None), ("inner.zip/i.kif", None), ("inner.zip/j.kif", None), ("b.csa", None),
        ("", "damaged"),
    ]  # fmt: skip


@pytest.mark.parametrize("make", [zipped, piped])
@pytest.mark.parametrize("method", METHODS)
def test_two_archives_one_behind_the_other_are_both_read(make, method):
    assert contents(make(A, B, method=method) + make(C, method=method)) == [A, B, C]
    assert outcome(make(A, method=method) + make(C, method=method)) == [("a.kif", None), ("c.kif", None)]


def test_an_archive_and_the_beginning_of_another_are_both_read():
    assert outcome(zipped(A, B) + zipped(C, A)[:-90]) == [
        ("a.kif", None), ("b.csa", None), ("c.kif", None), ("a.kif", None), ("", "damaged"),
    ]  # fmt: skip


# --- no directory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [zipped, piped])
@pytest.mark.parametrize("method", METHODS)
def test_wherever_an_archive_breaks_off_what_is_whole_is_read_and_the_rest_told(make, method):
    files = [A, B, C]
    data = make(*files, method=method)
    ends = [data.index(name.encode()) for name, _ in files[1:]] + [data.index(b"PK\1\2")]
    for keep in range(5, len(data)):
        found = outcome(data[:keep])
        whole = [(name, None) for (name, _), end in zip(files, ends, strict=True) if end <= keep]
        assert found[: len(whole)] == whole, keep
        assert found[-1] == ("", "damaged"), keep


def test_an_archive_that_breaks_off_says_so():
    last = parts(zipped(A, B)[:-40])[-1]
    assert last.issue is not None
    assert "breaks off" in str(last.issue.params["text"])


def test_a_wrong_checksum_is_found_without_a_directory():
    data = bytearray(piped(A, B, method=zipfile.ZIP_STORED)[:-30])
    data[60] ^= 1
    assert outcome(bytes(data)) == [("a.kif", "damaged"), ("b.csa", None), ("", "damaged")]


def test_sizes_without_a_mark_behind_a_file_are_passed_by():
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(KIF) + packer.flush()
    head = b"PK\3\4" + struct.pack("<5H3L2H", 20, 8, 8, 0, 0, 0, 0, 0, 5, 0) + b"x.kif"
    sizes = struct.pack("<3L", zlib.crc32(KIF), len(data), len(KIF))
    assert outcome((head + data + sizes) * 2) == [("x.kif", None), ("x.kif", None), ("", "damaged")]


def test_bytes_between_files_that_are_none_of_theirs_are_told():
    data = zipped(A)[: directory_at(zipped(A))] + bytes(1000) + zipped(B)
    assert outcome(data) == [("a.kif", None), ("b.csa", None), ("", "damaged")]


# --- files that the directory does not name --------------------------------------------------------------


@pytest.mark.parametrize("make", [zipped, piped])
@pytest.mark.parametrize("name", ["a.kif", "b.csa", "c.kif"])
def test_a_file_that_the_directory_leaves_out_is_read_behind_the_others(make, name):
    files = [A, B, C]
    missing = next(file for file in files if file[0] == name)
    assert contents(without_record(make(*files), name)) == [
        *(file for file in files if file != missing), missing,
    ]  # fmt: skip


def test_a_damaged_directory_costs_no_file_that_is_whole():
    data = bytearray(zipped(A, B, C))
    data[data.index(b"PK\1\2", directory_at(data) + 1) + 1] ^= 0xFF
    assert outcome(bytes(data)) == [("a.kif", None), ("b.csa", None), ("c.kif", None), ("", "damaged")]


def test_a_directory_in_any_order_names_all_files():
    rng = Random(1)
    files = [(f"{n}.kif", b"x" * n) for n in range(1, 200)]
    data = zipped(*files)
    begin, end = directory_at(data), len(data) - 22
    records = [b"PK\1\2" + record for record in data[begin:end].split(b"PK\1\2")[1:]]
    rng.shuffle(records)
    found = outcome(data[:begin] + b"".join(records) + data[end:])
    assert sorted(found) == sorted((name, None) for name, _ in files)


def test_a_directory_too_scattered_to_check_is_told(monkeypatch):
    monkeypatch.setattr(zip_stream, "_MAX_RANGES", 10)
    data = zipped(*((f"{n}.kif", b"x") for n in range(60)))
    for n in range(0, 60, 2):
        data = without_record(data, f"{n}.kif")
    assert outcome(data)[-1] == ("", "damaged")


# --- what is accepted as before --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [zipped, piped])
@pytest.mark.parametrize("method", METHODS)
def test_a_whole_archive_has_its_files_and_no_finding(make, method):
    files = [A, ("inner.zip", INNER), B, ("empty", b""), C]
    assert outcome(make(*files, method=method)) == [
        ("a.kif", None), ("inner.zip/i.kif", None), ("inner.zip/j.kif", None), ("b.csa", None),
        ("empty", "empty-file"), ("c.kif", None),
    ]  # fmt: skip


def test_a_mark_of_several_parts_before_an_archive_of_one_is_accepted():
    assert outcome(b"PK\7\x08" + zipped(A, B)) == [("a.kif", None), ("b.csa", None)]


def test_a_comment_behind_an_archive_is_no_file():
    assert outcome(raw_zip([Packed(b"a", b"x", crc=zlib.crc32(b"x"))], comment=b"PK\3\4" * 20)) == [
        ("a", None)
    ]


# --- bounded --------------------------------------------------------------------


def test_a_bomb_without_a_directory_is_refused_and_the_rest_is_read():
    data = piped(("bomb", bytes(30_000_000)), A)[:-40]
    assert outcome(data) == [("bomb", "bomb"), ("a.kif", None), ("", "damaged")]


def test_of_an_archive_without_a_directory_no_more_than_a_little_is_in_memory():
    data = io.BytesIO(piped(*((f"{n}", b"x") for n in range(3000)))[:-30])
    tracemalloc.start()
    try:
        assert sum(1 for _ in walk(data, "many.zip", LIMITS)) == 3001
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


class _Counted(io.BytesIO):
    """A file that counts what is read of it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


OPEN = b"PK\3\4" + struct.pack("<5H3L2H", 20, 8, 0, 0, 0, 0, 0, 0, 1, 0) + b"x"
"""A file of no length, whose sizes are to stand behind it."""


@pytest.mark.parametrize(
    "piece",
    [OPEN, b"PK\3\4", b"PK\7\x08", OPEN + b"PK\7\x08" * 9, b"PK\3\4" + bytes(26), b"PK\1\2" + bytes(42)],
)
@pytest.mark.parametrize("head", [b"", OPEN])
def test_what_looks_like_many_files_is_read_a_few_times_at_most(piece, head):
    data = b"PK\3\4" + head + piece * (1_000_000 // len(piece))
    file = _Counted(data)
    list(itertools.islice(walk(file, "x.zip", LIMITS), 200_000))
    assert file.count < 100 * len(data)


def test_a_search_for_files_looks_at_the_clock():
    data = OPEN * 3000
    with pytest.raises(TooSlowError), time_limit(1000, clock=itertools.count().__next__):
        list(walk(io.BytesIO(data), "x.zip", LIMITS))
