"""The walk through an upload: large texts are cut into games, and the settings are its limits."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest
from py7zr import FILTER_COPY

from archive.intake import texts
from archive.intake.reader import read_part
from archive.intake.walk import walk
from archive.models import Entry
from kifu_core.containers.walk import FilePart
from tests.archive.games import CSA, KIF, stored
from tests.containers import seven_zipped, zipped


def parts(data: bytes, name: str = "upload.bin") -> list[FilePart]:
    return list(walk(io.BytesIO(data), name))


def code(part: FilePart) -> str | None:
    return part.issue.code if part.issue else None


def outcome(data: bytes, name: str = "upload.bin") -> list[tuple[str, str | None]]:
    return [(part.path, code(part)) for part in parts(data, name)]


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


def test_the_games_of_a_7z_archive_are_stored_with_their_names(db):
    stored(seven_zipped(("棋譜/第1局.csa", CSA.encode()), ("b.txt", b"hello")), "year.7z")
    assert list(Entry.objects.order_by("seq").values_list("path", "state")) == [
        ("棋譜/第1局.csa", "stored"),
        ("b.txt", "failed"),
    ]


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


LARGE = ("all.csa", (CSA + "/\n").encode() * 10_000)


@pytest.mark.parametrize(
    ("data", "most"),
    [
        (zipped(LARGE, method=zipfile.ZIP_STORED), 4_000_000),
        # py7zr unpacks the directory with a large dictionary.
        (seven_zipped(LARGE, filters=[{"id": FILTER_COPY}]), 21_000_000),
    ],
)
def test_a_large_collection_takes_no_more_memory_than_a_game(data, most):
    tracemalloc.start()
    try:
        count = sum(1 for _ in walk(io.BytesIO(data), "all"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 10_000
    assert peak < most


# --- one file --------------------------------------------------------------------------------------------


def test_a_part_of_a_damaged_archive_is_found_again_by_its_path():
    inner = zipped(("i.kif", KIF.encode()), ("j.kif", CSA.encode()))
    data = zipped(("a.kif", KIF.encode()), ("inner.zip", inner), ("b.csa", CSA.encode()))[:-40]
    found = [part for part in parts(data) if not part.issue]
    assert len(found) == 4
    for part in found:
        again = walk(io.BytesIO(data), "upload.bin", only=part.path)
        assert [one.data for one in again if one.path == part.path] == [part.data]


# --- limits ---------------------------------------------------------------------------------------------


def test_a_file_beyond_the_limit_is_refused_and_the_rest_is_read(settings):
    settings.ARCHIVE_MAX_ENTRY_BYTES = 1000
    data = zipped(("large", bytes(1001)), ("a.kif", b"x"))
    assert outcome(data) == [("large", "entry-too-large"), ("a.kif", None)]


def test_reading_ends_where_the_whole_unpacks_to_too_much(settings):
    settings.ARCHIVE_MAX_TOTAL_BYTES = 2500
    data = zipped(*((f"{n}.kif", bytes(1000)) for n in range(9)))
    assert outcome(data) == [("0.kif", None), ("1.kif", None), ("2.kif", "unpacks-to-too-much")]
