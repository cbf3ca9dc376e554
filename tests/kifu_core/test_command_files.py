"""Files, folders and containers that the `kifu` command reads, and files that it writes."""

from __future__ import annotations

import gzip
import json
import os
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kifu_core.containers.refusals import ContainerLimits
from tests import containers
from tests.kifu_core.command import DATA, GAME, kifu, text


def test_formats_of_one_game_a_file_need_a_folder_for_several(tmp_path):
    source = DATA / "csa/two_games.csa"
    output, messages = kifu("convert", source, "--to", "kifu", code=1)
    assert output == b"" and "[one-game-a-file]" in messages
    assert text("convert", source, "--to", "kifu", "--output", tmp_path / "new") == ""
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "two_games-2.kifu",
        "two_games.kifu",
    ]
    assert "先手：C" in (tmp_path / "new/two_games-2.kifu").read_text(encoding="utf-8")


def test_a_source_is_never_overwritten(tmp_path):
    path = tmp_path / "game.kif"
    path.write_bytes((DATA / "kif/even_game.kif").read_bytes())
    _, messages = kifu("convert", path, "--to", "kif", "--output", tmp_path, code=1)
    assert "[would-overwrite]" in messages
    assert path.read_bytes() == (DATA / "kif/even_game.kif").read_bytes()


def test_sources_of_one_name_are_refused_before_anything_is_written(tmp_path):
    paths = [tmp_path / folder / "same.kif" for folder in ("p1", "p2")]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes((DATA / "kif/even_game.kif").read_bytes())
    out = tmp_path / "out"
    other = DATA / "csa/two_games.csa"
    _, messages = kifu("convert", other, *paths, "--to", "csa", "--output", out, "--force", code=1)
    assert "[same-output]" in messages and "same.csa" in messages and str(paths[0]) in messages
    assert not out.exists()


def test_games_of_one_file_do_not_take_the_names_of_others(tmp_path):
    second = tmp_path / "two_games-2.kif"
    second.write_bytes((DATA / "kif/even_game.kif").read_bytes())
    out = tmp_path / "out"
    for order in ([DATA / "csa/two_games.csa", second], [second, DATA / "csa/two_games.csa"]):
        kifu("convert", *order, "--to", "kifu", "--output", out, "--force")
        assert sorted(path.name for path in out.iterdir()) == [
            "two_games--2.kifu", "two_games-2.kifu", "two_games.kifu",
        ]  # fmt: skip
        assert "先手：C" in (out / "two_games--2.kifu").read_text(encoding="utf-8")
        assert "先手：C" not in (out / "two_games-2.kifu").read_text(encoding="utf-8")


def test_a_file_that_is_there_is_overwritten_only_by_force(tmp_path):
    source = DATA / "kif/even_game.kif"
    target = tmp_path / "even_game.csa"
    target.write_text("mine", encoding="utf-8")
    _, messages = kifu("convert", source, "--to", "csa", "--output", tmp_path, code=1)
    assert "[file-exists]" in messages and "--force" in messages
    assert target.read_text(encoding="utf-8") == "mine"
    assert "--force" in kifu("convert", source, "--to", "csa", "--output", tmp_path, code=1, language="ja")[1]
    kifu("convert", source, "--to", "csa", "--output", tmp_path, "--force")
    assert target.read_text(encoding="utf-8").startswith("V2.2\n")


def test_unreadable_files_are_reported_and_the_rest_is_converted():
    arguments = ("convert", "no such file.kif", DATA / "README.md", DATA / "kif/even_game.kif", "--to", "usi")
    output, messages = kifu(*arguments, code=1)
    assert output.startswith(b"position startpos moves 7g7f")
    assert "no such file.kif: No such file or directory" in messages
    assert "README.md:1: the record format was not recognised" in messages


def test_a_document_is_called_one(tmp_path):
    path = zipped(tmp_path / "a.docx", {"[Content_Types].xml": GAME})
    for command in (("check",), ("convert", "--to", "csa")):
        output, errors = kifu(*command, path, code=1)
        assert "this is a file for another program (Office)" in output.decode() + errors


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_folders_and_containers_are_read_file_by_file(tmp_path):
    folder = tmp_path / "club"
    (folder / "2024").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("b.kif", "a.kif", "2024/a.kif", ".git/c.kif", ".DS_Store"):
        (folder / name).write_bytes(GAME)
    zipped(folder / "z.zip", {"対局.kif": GAME, "__MACOSX/._x.kif": b"\0"})
    names = ["club/2024/a.kif", "club/a.kif", "club/b.kif", "club/z.zip/対局.kif"]
    reports = [json.loads(line) for line in text("check", folder, "--json").splitlines()]
    assert [report["path"] for report in reports] == [f"{tmp_path}/{name}" for name in names]
    assert all(report["games"][0]["plies"] == 13 for report in reports)
    text("convert", folder, "--to", "csa", "--output", tmp_path / "out")
    found = sorted(str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*.csa"))
    assert found == ["2024/a.csa", "a.csa", "b.csa", "対局.csa"]


def test_standard_input_may_be_a_container(tmp_path):
    piped = containers.tarred(("a.kif", GAME), ("b.zip", containers.zipped(("c.kif", GAME))), mode="w:gz")
    rows = [json.loads(line) for line in text("list", "-", "--json", piped=piped).splitlines()]
    assert [row["path"] for row in rows] == ["-/a.kif", "-/b.zip/c.kif"]
    kifu("convert", "-", "--to", "csa", "--output", tmp_path, piped=piped)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.csa")) == [
        "a.csa", "b.zip/c.csa",
    ]  # fmt: skip
    assert "[damaged]" in kifu("check", "-", piped=piped[:-20], code=1)[0].decode()


def test_a_pipe_is_read_like_a_file(tmp_path):
    pipe = tmp_path / "a.kif"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as thread:
        thread.submit(pipe.write_bytes, GAME)
        assert text("list", pipe).endswith("投了\n")


def test_show_draws_the_games_of_folders_and_containers(tmp_path):
    zipped(tmp_path / "a.zip", {"1.kif": GAME, "2.kif": b"x"})
    board = text("show", DATA / "kif/even_game.kif", "--ply", 2)
    shown, messages = kifu("show", tmp_path, "--ply", 2, code=1)
    assert shown.decode() == f"{tmp_path}/a.zip/1.kif\n{board}" and "a.zip/2.kif" in messages
    assert text("show", "-", "--ply", 2, piped=GAME) == board
    two = DATA / "csa/two_games.csa"
    assert text("show", two).count(f"{two}\n") == 2


def test_names_of_windows_in_japan_are_read_in_zip_archives(tmp_path):
    path = zipped(tmp_path / "a.zip", {"xxxx.kif": GAME})
    path.write_bytes(path.read_bytes().replace(b"xxxx", "対局".encode("cp932")))
    assert json.loads(text("check", path, "--json"))["path"] == f"{path}/対局.kif"


def test_no_name_in_a_zip_archive_leads_out_of_the_folder_that_is_written(tmp_path):
    path = zipped(tmp_path / "a.zip", {"../../b.kif": GAME, "/c.kif": GAME, "..\\d.kif": GAME})
    text("convert", path, "--to", "csa", "--output", tmp_path / "in" / "out")
    assert sorted(one.name for one in (tmp_path / "in" / "out").iterdir()) == ["b.csa", "c.csa", "d.csa"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (
            containers.tarred(("in/a.kif", GAME), ("b.zip", containers.zipped(("c.kif", GAME))), mode="w:xz"),
            "a.tar.xz",
        ),
        (containers.seven_zipped(("in/a.kif", GAME), ("b.zip", containers.zipped(("c.kif", GAME)))), "a.7z"),
    ],
)
def test_containers_in_containers_are_listed_and_converted(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data)
    games = [json.loads(line) for line in text("list", path, "--json").splitlines()]
    assert [(game["path"], game["plies"]) for game in games] == [
        (f"{path}/in/a.kif", 13), (f"{path}/b.zip/c.kif", 13),
    ]  # fmt: skip
    kifu("convert", path, "--to", "csa", "--quiet", "--output", tmp_path / "out")
    written = sorted(str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*.csa"))
    assert written == ["b.zip/c.csa", "in/a.csa"]


def test_a_compressed_file_is_listed(tmp_path):
    path = tmp_path / "game.kif.gz"
    path.write_bytes(gzip.compress(GAME))
    assert json.loads(text("list", path, "--json"))["path"] == f"{path}/game.kif"


def test_a_damaged_file_of_a_container_takes_no_name_from_a_game(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.kif": GAME, "b.kif": GAME})
    path.write_bytes(path.read_bytes()[:-30])
    _, messages = kifu("convert", path, "--to", "csa", "--output", tmp_path / "out", code=1)
    assert "[damaged]" in messages and "[same-output]" not in messages
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["a.csa", "b.csa"]


@pytest.mark.parametrize(
    ("code", "limit", "value"),
    [
        ("bomb", "LIMITS", ContainerLimits()),
        ("entry-too-large", "LIMITS", ContainerLimits(entry_bytes=10_000)),
        ("unpacks-to-too-much", "LIMITS", ContainerLimits(total_bytes=10_000)),
        ("too-many-entries", "MOST_FILES", 1),
    ],
)
def test_what_a_container_unpacks_to_is_bounded(tmp_path, monkeypatch, code, limit, value):
    monkeypatch.setattr(f"kifu_core.files.{limit}", value)
    path = zipped(tmp_path / "a.zip", {"a.kif": GAME, "b.kif": bytes(2_000_000)})
    output, messages = kifu("convert", path, "--to", "usi", code=1)
    assert f"[{code}]" in messages and output.count(b"position") == 1


def test_what_cannot_be_taken_out_of_a_container_is_named(tmp_path, monkeypatch):
    inner = zipped(tmp_path / "inner.zip", {"a.kif": GAME}).read_bytes()
    twice = containers.zipped(("inner.zip", inner))
    nested = zipped(tmp_path / "nested.zip", {"twice.zip": twice, "b.kif": GAME})
    packed = tmp_path / "packed.zip"
    packed.write_bytes(inner.replace(b"\x08\0", b"\x09\0"))
    broken = tmp_path / "broken.zip"
    broken.write_bytes(inner.replace(inner[50:60], bytes(10)))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(inner[:100])
    locked = tmp_path / "locked.zip"
    locked.write_bytes(inner.replace(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\1"))
    link = tmp_path / "link.zip"
    linked = zipfile.ZipInfo("a.kif")
    linked.external_attr = 0o120777 << 16
    with zipfile.ZipFile(link, "w") as archive:
        archive.writestr(linked, "/etc/passwd")
    empty, folder = zipped(tmp_path / "empty.zip", {".hidden": GAME}), tmp_path / "empty"
    folder.mkdir()
    rar, seven = tmp_path / "a.rar", tmp_path / "a.7z"
    rar.write_bytes(b"Rar!\x1a\x07\0")
    seven.write_bytes(containers.seven_zipped(("a.kif", GAME)))
    monkeypatch.setitem(sys.modules, "py7zr", None)
    for path, code in (
        (nested, "nested-too-deep"), (packed, "unknown-compression"), (broken, "damaged"), (cut, "damaged"),
        (locked, "encrypted"), (link, "link"), (empty, "empty-container"), (folder, "no-files"),
        (rar, "unknown-container"), (seven, "needs-7z"),
    ):  # fmt: skip
        assert f"[{code}]" in kifu("convert", path, DATA / "kif/even_game.kif", "--to", "usi", code=1)[1]
        assert f"[{code}]" in text("check", path, code=1)
