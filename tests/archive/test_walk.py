"""The walk through an upload: every file of every container, in order, and a reason for what is not read."""

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
from random import Random

import pytest

from archive.intake.reader import read_part
from archive.intake.walk import texts
from archive.intake.walk.entries import UploadPart, walk
from kifu_core.deadline import TooSlowError, time_limit
from tests.archive.games import CSA, KIF
from tests.archive.packing import tarred, zipped


def parts(data: bytes, name: str = "upload.bin") -> list[UploadPart]:
    return list(walk(io.BytesIO(data), name))


def code(part: UploadPart) -> str | None:
    return part.issue.code if part.issue else None


def outcome(data: bytes, name: str = "upload.bin") -> list[tuple[str, str | None]]:
    return [(part.path, code(part)) for part in parts(data, name)]


FILES = [("a.kif", KIF.encode()), ("folder/b.csa", CSA.encode())]


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
    (part,) = parts(pack(KIF.encode()), f"game.kif.{suffix}")
    assert (part.path, part.data) == ("game.kif", KIF.encode())


def test_a_file_that_is_no_container_is_one_part_without_a_path():
    assert [(part.path, part.data) for part in parts(KIF.encode())] == [("", KIF.encode())]


def test_a_container_in_a_container_is_read_and_no_deeper():
    inner = zipped(("b.kif", KIF.encode()))
    middle = tarred(("inner.zip", inner), ("c.kif", KIF.encode()), mode="w:gz")
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


@pytest.mark.parametrize(
    ("first", "folder", "name"),
    [("[Content_Types].xml", "word/document.xml", "Word"), ("mimetype", "content.xml", "OpenDocument")],
)
def test_a_document_is_called_one_and_its_files_are_no_records(first, folder, name):
    files = (first, b"application/vnd.oasis.opendocument.text"), (folder, b"<x/>")
    data = zipped(*files, method=zipfile.ZIP_STORED)
    (part,) = parts(data, "a.docx")
    (entry,) = read_part(part, "a.docx")
    (issue,) = entry.issues
    assert (part.path, issue.code, issue.params["text"]) == ("", "is-document", name)


def test_folders_are_no_entries():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("folder/a.kif", b"x")
    assert outcome(out.getvalue()) == [("folder/a.kif", None)]


# --- large texts -----------------------------------------------------------------------------------------


def many_csa(count: int) -> str:
    return "/\n".join(CSA.replace("先手の人", f"人{n}") for n in range(count))


def test_a_large_csa_file_is_cut_into_games_with_their_lines(monkeypatch):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    broken = CSA.replace("-3334FU", "-3335FU")
    data = "/\n".join([CSA, CSA, broken]).encode()
    found = parts(data, "many.csa")
    lines = CSA.count("\n")
    assert [part.first_line for part in found] == [1, lines + 2, 2 * lines + 3]
    assert [part.first for part in found] == [True, False, False]
    (entry,) = read_part(found[2], "many.csa")
    issue = next(issue for issue in entry.issues if issue.severity == "error")
    assert issue.line is not None
    assert data.decode().split("\n")[issue.line - 1] == "-3335FU"


def test_a_large_file_of_positions_is_cut_between_lines(monkeypatch):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    monkeypatch.setattr(texts, "GROUP_BYTES", 60)
    lines = [f"startpos moves 7g7f 3c3d {move}\n" for move in ("2g2f", "6g6f", "8h2b+", "1g1f")]
    found = parts("".join(lines).encode(), "lines.usi")
    assert "".join(part.data.decode() for part in found) == "".join(lines)
    assert [part.first_line for part in found] == [1, 3]
    entries = [entry for part in found for entry in read_part(part, "lines.usi")]
    assert [entry.game.plies for entry in entries if entry.game] == [3, 3, 3, 3]


@pytest.mark.parametrize("between", ["/\n", "", "\n", "%CHUDAN\n"])
def test_cutting_gives_the_same_games_as_reading_at_once(monkeypatch, between):
    def digests(data: bytes) -> list[bytes]:
        found = (entry for part in parts(data, "x.csa") for entry in read_part(part, "x.csa"))
        return [entry.game.digest for entry in found if entry.game]

    data = many_csa(20).replace("/\n", between).encode("cp932")
    whole = digests(data)
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    assert digests(data) == whole
    assert len(whole) == 20


def test_a_large_book_of_lines_is_cut_between_its_lines(monkeypatch):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    monkeypatch.setattr(texts, "GROUP_BYTES", 60)
    data = b"".join(
        b"PI, +, +%sFU, %%TORYO, /\n" % move for move in (b"7776", b"2726", b"5756", b"1716", b"9796")
    )
    found = parts(data, "book.csa")
    assert b"".join(part.data for part in found) == data
    assert [part.first_line for part in found] == [1, 4]
    games = [entry.game for part in found for entry in read_part(part, "book.csa") if entry.game]
    assert [(game.plies, game.record_kind) for game in games] == [(1, "tree")] * 5


def test_a_text_that_cannot_be_cut_is_refused_beyond_the_limit(settings, monkeypatch):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    settings.ARCHIVE_MAX_TEXT_BYTES = 200
    assert outcome(KIF.encode()) == [("", "too-large")]


def test_a_large_collection_takes_no_more_memory_than_a_game():
    data = zipped(("all.csa", (CSA + "/\n").encode() * 10_000), method=zipfile.ZIP_STORED)
    tracemalloc.start()
    try:
        count = sum(1 for _ in walk(io.BytesIO(data), "all.zip"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 10_000
    assert peak < 4_000_000


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


def test_a_bomb_is_refused_and_the_rest_is_read(settings):
    data = zipped(("bomb", bytes(30_000_000)), ("a.kif", KIF.encode()))
    assert outcome(data) == [("bomb", "bomb"), ("a.kif", None)]


def test_a_file_beyond_the_limit_is_refused_and_the_rest_is_read(settings):
    settings.ARCHIVE_MAX_ENTRY_BYTES = 1000
    data = zipped(("large", bytes(1001)), ("a.kif", b"x"))
    assert outcome(data) == [("large", "entry-too-large"), ("a.kif", None)]


def test_reading_ends_where_the_whole_unpacks_to_too_much(settings):
    settings.ARCHIVE_MAX_TOTAL_BYTES = 2500
    data = zipped(*((f"{n}.kif", bytes(1000)) for n in range(9)))
    assert outcome(data) == [("0.kif", None), ("1.kif", None), ("2.kif", "unpacks-to-too-much")]


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
    data = KIF.encode()
    for _ in range(50):
        data = zipped(("again.zip", data))
    assert outcome(data) == [("again.zip/again.zip", "nested-too-deep")]


def test_of_a_directory_no_more_than_a_little_is_in_memory():
    def peak(count: int) -> int:
        data = io.BytesIO(zipped(*((f"{n}", b"x") for n in range(count))))
        tracemalloc.start()
        try:
            assert sum(1 for _ in walk(data, "many.zip")) == count
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
        list(walk(io.BytesIO(data), name))
