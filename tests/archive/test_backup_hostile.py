"""Backups that are damaged, not ours or made to harm: each is refused, and the archive stays empty."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive.backup import folder as folders
from archive.backup.folder import FORMAT, MANIFEST, UNFINISHED, BackupError, lines_of, read_manifest
from archive.backup.importing import check, import_archive
from archive.dumps.packing import PackedLineWriter
from archive.models import Game, Upload, User
from tests.archive.full import SAMPLE

pytestmark = pytest.mark.django_db


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup that may be changed."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "backup"))


def refused(backup: Path) -> str:
    """The code with which a backup is refused."""
    with pytest.raises(BackupError) as error:
        import_archive(backup)
    assert not (Game.objects.exists() or Upload.objects.exists() or User.objects.exists())
    assert error.value.code in str(error.value) and error.value.code in (BackupError.__doc__ or "")
    return error.value.code


def part_of(backup: Path, table: str) -> Path:
    return backup / "tables" / read_manifest(backup).tables[table][0].name


def upload_of(backup: Path) -> Path:
    return sorted(path for path in (backup / "uploads").rglob("*") if path.is_file())[0]


def change_manifest(backup: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest, and its own sum with it."""
    manifest = json.loads((backup / MANIFEST).read_text())
    change(manifest)
    parts = {table["name"]: [part["content"] for part in table["parts"]] for table in manifest["tables"]}
    manifest["content"] = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    (backup / MANIFEST).write_text(json.dumps(manifest))


def rewrite(backup: Path, table: str, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the rows of a table, with all sums as they have to be."""
    (part,) = read_manifest(backup).tables[table]
    rows = [json.loads(line) for line in lines_of(backup, part)]
    change(rows)
    new_lines = [json.dumps(row).encode() + b"\n" for row in rows]
    content = hashlib.sha256(b"".join(new_lines)).hexdigest()
    name = f"{table}-0-{content[:16]}.ndjson.zst"
    (backup / "tables" / part.name).unlink()
    with (backup / "tables" / name).open("wb") as file:
        packed = PackedLineWriter(file)
        for line in new_lines:
            packed.write(line)
        packed.end()
    sums = {"content": content, "size": packed.size, "sha256": packed.digest.hexdigest()}
    new = {"name": name, "rows": len(new_lines), **sums}
    change_manifest(backup, lambda all_of_it: table_in(all_of_it, table)["parts"][0].update(new))


def table_in(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    (match,) = (table for table in manifest["tables"] if table["name"] == name)
    return match


def test_a_change_with_all_sums_as_they_have_to_be_is_read(backup):
    rewrite(backup, "archive_sitetext", lambda rows: rows[0].update(text="another"))
    import_archive(backup)
    assert Game.objects.exists()


# --- files -----------------------------------------------------------------------------------------------


def test_what_is_no_backup(tmp_path):
    assert refused(tmp_path) == "missing-file"
    for text in ("", "[]", "{}", '{"format": "x"}', "[" * 100_000, '{"format": 1, "tables": 3}'):
        (tmp_path / MANIFEST).write_text(text)
        assert refused(tmp_path) == "not-a-backup"


def test_a_newer_format_says_what_to_do(backup):
    (backup / MANIFEST).write_text(json.dumps({"format": FORMAT + 1, "unheard": "of"}))
    with pytest.raises(BackupError, match="take a newer version"):
        check(backup)
    assert refused(backup) == "newer-format"


def test_a_manifest_that_was_changed_without_its_sum(backup):
    manifest = json.loads((backup / MANIFEST).read_text())
    table_in(manifest, "archive_token")["parts"] = []
    (backup / MANIFEST).write_text(json.dumps(manifest))
    assert refused(backup) == "not-a-backup"


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "/etc/passwd", "a/b-0-0123456789abcdef.ndjson.zst", ""]
)
def test_a_part_that_is_said_to_lie_elsewhere(backup, name):
    change_manifest(backup, lambda manifest: table_in(manifest, "archive_game")["parts"][0].update(name=name))
    assert refused(backup) == "not-a-backup"


def test_a_part_that_is_missing(backup):
    part_of(backup, "archive_game").unlink()
    assert refused(backup) == "missing-file"


def test_a_part_that_was_damaged(backup):
    part = part_of(backup, "archive_game")
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    assert refused(backup) == "wrong-sum"


def test_a_part_that_was_never_packed(backup):
    text = b"x" * 100
    part_of(backup, "archive_game").write_bytes(text)
    sums = {"size": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    change_manifest(backup, lambda manifest: table_in(manifest, "archive_game")["parts"][0].update(sums))
    assert refused(backup) == "damaged"


def test_a_part_with_fewer_rows_than_it_says(backup):
    change_manifest(backup, lambda manifest: table_in(manifest, "archive_game")["parts"][0].update(rows=1))
    assert refused(backup) == "wrong-count"


@pytest.mark.parametrize("name", ["letter.txt", "tables/archive_game-7-0123456789abcdef.ndjson.zst"])
def test_a_file_that_is_named_nowhere(backup, name):
    (backup / name).write_text("dear anna")
    assert refused(backup) == "unexpected-file"


def test_bytes_that_are_of_no_upload(backup):
    (backup / "uploads" / "00").mkdir()
    (backup / "uploads" / "00" / ("00" * 32)).write_text("dear anna")
    assert refused(backup) == "unexpected-file"
    with pytest.raises(BackupError, match="of no upload"):
        check(backup)


def test_files_of_a_later_export_that_broke_off_do_no_harm(backup):
    (backup / UNFINISHED).touch()
    (backup / "tables" / "archive_game-0.new").write_text("half")
    (backup / "uploads" / "later").write_text("half")
    import_archive(backup)
    assert Game.objects.exists()


@pytest.mark.parametrize("linked", [upload_of, lambda backup: part_of(backup, "archive_game")])
def test_a_link_in_the_place_of_a_file(backup, tmp_path, linked):
    path = linked(backup)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert refused(backup) == "unexpected-file"


def test_a_link_in_the_place_of_the_manifest_or_of_a_folder(backup, tmp_path):
    (backup / "uploads").rename(tmp_path / "uploads")
    (backup / "uploads").symlink_to(tmp_path / "uploads")
    assert refused(backup) == "unexpected-file"
    (backup / MANIFEST).unlink()
    (backup / MANIFEST).symlink_to("/etc/passwd")
    assert refused(backup) == "unexpected-file"


def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(backup):
    upload = upload_of(backup)
    upload.unlink()
    os.mkfifo(upload)
    assert refused(backup) == "unexpected-file"


@pytest.mark.parametrize("data", [b"", b"other bytes of another length", None])
def test_bytes_of_an_upload_that_were_changed(backup, data):
    upload = upload_of(backup)
    upload.write_bytes(bytes(upload.stat().st_size) if data is None else data)
    with pytest.raises(BackupError):
        check(backup)
    assert refused(backup) == "wrong-sum"


def test_bytes_of_an_upload_that_are_missing(backup):
    upload_of(backup).unlink()
    assert refused(backup) == "missing-file"


# --- rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "changed"),
    [
        ("archive_upload", {"sha256": "../../../../etc/passwd"}),
        ("archive_upload", {"sha256": 7}),
        ("archive_upload", {"size": -1}),
        ("archive_upload", {"id": 2**70}),
        ("archive_upload", {"received": "yesterday"}),
        ("archive_upload", {"received": "2026-99-01T00:00:00Z"}),
        ("archive_game", {"slot": "first"}),
        ("archive_game", {"slot": None}),
        ("archive_game", {"digest": "not hexadecimal"}),
        ("archive_game", {"digest": None}),
        ("archive_game", {"kind": "chess"}),
        ("archive_game", {"unheard_of": 1}),
        ("archive_gamerecord", {"game_id": 987654}),
        ("archive_gamerecord", {"record": None}),
        ("archive_gamerecord", {"record": {"moves": "none"}}),
        ("archive_gamerecord", {"record": [1, 2, 3]}),
        ("archive_hotposition", {"key": "x"}),
        ("auth_user_user_permissions", {"permission_id": "auth.user.fly"}),
        ("auth_user_user_permissions", {"permission_id": 3}),
        ("archive_sitetext", {"text": {"a": 1}, "id": []}),
    ],
)
def test_a_row_that_is_none(backup, table, changed):
    rewrite(backup, table, lambda rows: rows[0].update(changed))
    assert refused(backup) in ("wrong-row", "wrong-sum", "missing-file")


@pytest.mark.parametrize("line", [[], 7, None, "text"])
def test_a_line_that_is_no_row(backup, line):
    rewrite(backup, "archive_player", lambda rows: rows.append(line))
    assert refused(backup) == "wrong-row"


def test_two_rows_of_one_id(backup):
    rewrite(backup, "archive_upload", lambda rows: rows.append(rows[0]))
    assert refused(backup) == "wrong-row"


@pytest.mark.django_db(transaction=True)
def test_a_row_that_refers_to_nothing(backup):
    rewrite(backup, "archive_entry", lambda rows: rows[0].update(game_id=987654))
    assert refused(backup) == "wrong-row"


def test_a_column_that_came_later_has_its_default(backup):
    rewrite(backup, "archive_game", lambda rows: [row.pop("features") for row in rows])
    import_archive(backup)
    assert {*Game.objects.values_list("features", flat=True)} == {0}


def test_a_column_without_a_default_is_missed(backup):
    rewrite(backup, "archive_game", lambda rows: [row.pop("slot") for row in rows])
    assert refused(backup) == "wrong-row"


def test_a_table_of_another_version(backup):
    change_manifest(backup, lambda manifest: table_in(manifest, "archive_token").update(name="archive_horse"))
    assert refused(backup) == "unknown-table"


def test_games_of_an_index_that_nobody_knows(backup):
    rewrite(backup, "archive_game", lambda rows: rows[0].update(index_version=99))
    assert refused(backup) == "unknown-index"
    rewrite(backup, "archive_indexstate", lambda rows: rows[0].update(state="retired"))
    assert refused(backup) == "unknown-index"


def test_a_game_with_other_rows_than_it_says_is_told_and_right(backup):
    rewrite(backup, "archive_game", lambda rows: rows[0].update(index_rows=3))
    (game,) = import_archive(backup).reindexed
    assert Game.objects.get(pk=game).index_rows > 3


def test_a_line_without_an_end(backup, monkeypatch):
    monkeypatch.setattr(folders, "MOST_LINE", 10_000)
    rewrite(backup, "archive_sitetext", lambda rows: rows[0].update(text="a" * 20_000))
    assert refused(backup) == "too-large"
