"""Backups: an archive as files and back, on the same engine and on another one."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from archive.backup.exporting import export_archive
from archive.backup.folder import FORMAT, MANIFEST, UNFINISHED, BackupError, Manifest, lines_of, read_manifest
from archive.backup.importing import check, import_archive
from archive.backup.rows import line, parse
from archive.backup.tables import FORMER, LEFT_OUT, TABLES, UPLOADS
from archive.http.limits.postgresql import PostgreSQLStore
from archive.index.engine import engine
from archive.models import Entry, Event, Game, GameRecord, GoneGame, Player, Space, Upload, UploadChunk, User
from archive.store import delete_upload, verify
from tests.archive.full import LARGE, SAMPLE, SECRETS, fill, index, pieces, sent
from tests.archive.games import KIF
from tests.archive.on_test_database import start
from tests.archive.rows import empty_index
from tests.postgres import postgres_url

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]


def wipe() -> None:
    """An archive that nobody has used, where there was one."""
    call_command("flush", verbosity=0, interactive=False)
    empty_index()


def export(folder: Path, *, accounts: bool = True) -> Manifest:
    return export_archive(folder, accounts=accounts).manifest


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table in a backup."""
    parts = read_manifest(folder).tables[table]
    return [json.loads(line) for part in parts for line in lines_of(folder, part)]


def files(folder: Path) -> dict[str, int]:
    """All files below a folder, with what tells whether they were written again."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.stat().st_ino for path in files}


def differences() -> list[verify.Difference]:
    return [*verify.verify()]


# --- what is in a backup ---------------------------------------------------------------------------------


def test_every_table_is_in_a_backup_or_has_a_reason_not_to_be():
    with connection.cursor() as cursor:
        present = {*connection.introspection.table_names(cursor)}
    in_backup = {table.name for table in TABLES}
    assert not in_backup & LEFT_OUT.keys()
    left = present - in_backup - LEFT_OUT.keys()
    assert [
        name for name in left if not name.startswith(("archive_occurrence_0", "archive_textindex_"))
    ] == []
    assert in_backup <= present


def test_no_table_refers_to_one_that_is_read_later():
    before: set[str] = set()
    for table in TABLES:
        before.add(table.name)
        needed = {one.related_model._meta.db_table for one in table.fields.values() if one.related_model}
        assert needed - LEFT_OUT.keys() <= before


def test_an_archive_has_something_in_every_table(tmp_path, hot_at_three):
    fill()
    assert [name for name, parts in export(tmp_path / "it").tables.items() if not parts] == []


def test_without_accounts_nothing_tells_who_they_are(tmp_path):
    import_archive(SAMPLE)
    export(tmp_path / "it", accounts=False)
    text = b"".join(
        line
        for parts in read_manifest(tmp_path / "it").tables.values()
        for part in parts
        for line in lines_of(tmp_path / "it", part)
    ).decode()
    assert [secret for secret in SECRETS if secret in text] == []
    assert not {row["password"] for row in lines(tmp_path / "it", "auth_user")} - {"!"}
    wipe()
    import_archive(tmp_path / "it")
    assert differences() == []
    assert not User.objects.filter(is_active=True).exists()
    assert Upload.objects.filter(uploader__username=f"account-{User.objects.order_by('pk')[0].pk}").exists()


def test_uploads_of_a_backup_from_before_readers_were_stored_are_to_be_read_again():
    import_archive(SAMPLE)
    upload = Upload.objects.get(pk=Upload.objects.first().pk)
    values = orjson.loads(line(UPLOADS, [getattr(upload, name) for name in UPLOADS.fields], accounts=True))
    del values["reader"]
    assert parse(UPLOADS, orjson.dumps(values))["reader"] == 0


def test_nobody_else_reads_a_backup(tmp_path):
    import_archive(SAMPLE)
    (tmp_path / "it").mkdir(mode=0o700)
    export(tmp_path / "it")
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "it").rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in (tmp_path / "it").rglob("*") if path.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})


def test_it_is_read_without_the_archive(tmp_path):
    fill()
    export(tmp_path / "it")
    subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path / "it", check=True)
    manifest = json.loads((tmp_path / "it" / MANIFEST).read_text())
    assert manifest["format"] == FORMAT and {"program", "made", "content"} <= manifest.keys()
    games = {row["game_id"]: row for row in lines(tmp_path / "it", "archive_gamerecord")}
    assert games.keys() == {*Game.objects.values_list("pk", flat=True)}
    assert games[min(games)]["record"]["header"]["棋戦"] == "試しの棋戦"
    large = Upload.objects.get(name="large.kif")
    assert (tmp_path / "it" / "uploads" / large.sha256[:2] / large.sha256).read_bytes() == LARGE


def test_a_backup_is_of_one_moment_whoever_writes_meanwhile(tmp_path):
    if engine().REMOTE_INDEX:
        pytest.skip("the servers of Citus have no moment in common: docs/backup.md has the workers stopped")
    import_archive(SAMPLE)
    games, begun = Game.objects.count(), threading.Event()

    def write(rows: int) -> None:
        if not begun.is_set():
            begun.set()
            writer.start()
            writer.join()

    def add() -> None:
        sent(KIF.replace("先手の人", "後から"), "later.kif")
        connection.close()

    writer = threading.Thread(target=add)
    manifest = export_archive(tmp_path / "it", accounts=True, report=write).manifest
    assert Game.objects.count() == games + 1
    assert manifest.rows("archive_game") == games == manifest.rows("archive_gamerecord")
    wipe()
    import_archive(tmp_path / "it")
    assert differences() == []


# --- again into the same folder --------------------------------------------------------------------------


def test_a_second_backup_writes_only_what_is_new(tmp_path):
    import_archive(SAMPLE)
    first = export(tmp_path / "it")
    before = files(tmp_path / "it")
    again = export_archive(tmp_path / "it", accounts=True)
    assert (again.new_parts, again.new_uploads, again.deleted_parts, again.deleted_uploads) == (0, 0, 0, 0)
    assert again.manifest.content == first.content
    sent(KIF.replace("先手の人", "新"), "new.kif")
    third = export_archive(tmp_path / "it", accounts=True)
    assert third.new_uploads == 1 and third.deleted_uploads == 0
    kept = {name for name, inode in files(tmp_path / "it").items() if before.get(name) == inode}
    assert {name for name in before if name.startswith(("uploads/", "tables/archive_gonegame"))} <= kept
    assert third.new_parts == third.deleted_parts < len(before)
    check(tmp_path / "it")


def test_what_was_deleted_goes_from_the_backup_and_is_told(tmp_path):
    import_archive(SAMPLE)
    export(tmp_path / "it")
    upload = Upload.objects.get(name="forked.kif")
    path = tmp_path / "it" / "uploads" / upload.sha256[:2] / upload.sha256
    assert path.exists()
    game = Entry.objects.get(upload=upload).game_id
    delete_upload(upload.pk)
    exported = export_archive(tmp_path / "it", accounts=True)
    assert exported.deleted_uploads == 1 and not path.exists()
    assert {"id": game, "space": 0} in lines(tmp_path / "it", "archive_gonegame")
    wipe()
    import_archive(tmp_path / "it")
    assert GoneGame.objects.filter(pk=game).exists() and not Game.objects.filter(pk=game).exists()


def test_a_part_that_was_damaged_is_written_again(tmp_path):
    import_archive(SAMPLE)
    part = export(tmp_path / "it").tables["archive_game"][0]
    path = tmp_path / "it" / "tables" / part.name
    path.write_bytes(bytes(part.size))
    with pytest.raises(BackupError) as error:
        check(tmp_path / "it")
    assert error.value.code == "wrong-sum"
    assert export_archive(tmp_path / "it", accounts=True).new_parts == 1
    check(tmp_path / "it")


def test_a_backup_that_broke_off_leaves_the_earlier_one_whole(tmp_path, monkeypatch):
    import_archive(SAMPLE)
    first = export(tmp_path / "it")
    sent(KIF.replace("先手の人", "新"), "new.kif")
    monkeypatch.setattr("archive.backup.exporting.os.sync", lambda: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        export(tmp_path / "it")
    monkeypatch.undo()
    assert (tmp_path / "it" / UNFINISHED).exists()
    assert check(tmp_path / "it").content == first.content
    second = export(tmp_path / "it")
    assert second.content != first.content and not (tmp_path / "it" / UNFINISHED).exists()
    check(tmp_path / "it")


@pytest.mark.parametrize(("model", "column"), [(UploadChunk, "bytes"), (GameRecord, "record")])
def test_an_archive_that_is_damaged_is_told_before_it_is_needed(tmp_path, model, column):
    import_archive(SAMPLE)
    export(tmp_path / "it")
    model.objects.filter(pk=model.objects.first().pk).update(**{column: b"damaged"})
    with pytest.raises(BackupError, match="verify_archive") as error:
        export(tmp_path / "new")
    assert error.value.code == "damaged"


def test_it_writes_into_no_folder_of_something_else(tmp_path):
    (tmp_path / "letter.txt").write_text("dear anna")
    with pytest.raises(BackupError) as error:
        export(tmp_path)
    assert error.value.code == "not-a-backup"
    assert [*files(tmp_path)] == ["letter.txt"]


def test_two_do_not_write_into_one_folder(tmp_path):
    import_archive(SAMPLE)
    first = export(tmp_path / "it")
    with (tmp_path / "it" / UNFINISHED).open("w") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        with pytest.raises(BackupError) as error:
            export(tmp_path / "it")
    assert error.value.code == "in-use"
    assert check(tmp_path / "it").content == first.content


@pytest.mark.parametrize("name", ["backup.md", "backup.ja.md"])
def test_every_code_is_told_in_the_documents(name):
    codes = re.findall(r"\b[a-z]+(?:-[a-z]+)+\b|\bdamaged\b", (BackupError.__doc__ or "").partition("\n")[2])
    assert len(codes) == 13
    assert [code for code in codes if f"`{code}`" not in (ROOT / "docs" / name).read_text()] == []


# --- back again ------------------------------------------------------------------------------------------


def manage(environment: Mapping[str, str], *command: str | Path) -> str:
    """Run a command of manage.py; what it wrote to its output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *map(str, command)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def other_engine(folder: Path) -> Iterator[Mapping[str, str]]:
    """The environment of an empty archive on the engine that the tests do not run on."""
    environment = {"ARCHIVE_DATA_DIR": str(folder), "SECRET_KEY": "of-the-drill"}
    if connection.vendor == "postgresql":
        yield environment | {"DATABASE_URL": ""}
        return
    with postgres_url() as url:
        yield environment | {"DATABASE_URL": url}


# There and back, it reads and writes on both whichever it begins with.
@pytest.mark.worker
@pytest.mark.one_engine
def test_the_drill_export_wipe_import_on_the_other_engine_and_back(tmp_path, hot_at_three):
    fill()
    assert differences() == []
    first, before, bytes_before = export(tmp_path / "first"), index(), pieces()
    assert before[1]
    with other_engine(tmp_path / "data") as other:
        manage(other, "migrate", "-v0")
        manage(other, "import_archive", tmp_path / "first")
        assert manage(other, "verify_archive") == "no difference\n"
        manage(other, "export_archive", "--users", tmp_path / "second")
    second = read_manifest(tmp_path / "second")
    assert {first.engine, second.engine} == {"sqlite", "postgresql"}
    assert (second.tables.keys(), second.content) == (first.tables.keys(), first.content)
    assert second.last_ids == first.last_ids
    wipe()
    assert import_archive(tmp_path / "second").reindexed == []
    assert differences() == []
    assert (index(), pieces()) == (before, bytes_before)
    assert export(tmp_path / "third").content == first.content


def test_the_first_backup_that_was_ever_written_is_read(tmp_path):
    assert import_archive(SAMPLE).reindexed == []
    assert differences() == []
    export(tmp_path / "it")
    for table in read_manifest(SAMPLE).tables.keys() - FORMER.keys():
        then, now = lines(SAMPLE, table), lines(tmp_path / "it", table)
        assert [new | old for old, new in zip(then, now, strict=False)] == now[: len(then)]
        assert len(now) == len(then) + (table in ("archive_player", "archive_event"))


def test_further_names_of_earlier_backups_are_merged_players_and_events():
    import_archive(SAMPLE)
    player, event = Player.objects.get(pk=987654), Event.objects.get(name="別名戦")
    assert (player.name, player.home_id, player.merged_into_id, event.home_id) == ("渡邉明", 1, 1, 1)
    assert "渡辺明" in Player.objects.get(pk=1).searched


def test_the_archive_goes_on_where_it_was(tmp_path):
    import_archive(SAMPLE)
    last = Game.objects.order_by("-pk")[0]
    delete_upload(Entry.objects.filter(game=last)[0].upload_id)
    export(tmp_path / "it")
    wipe()
    import_archive(tmp_path / "it")
    new = Game.objects.get(entries__upload=sent(KIF.replace("先手の人", "新"), "new.kif"))
    assert new.pk > last.pk
    assert Upload.objects.filter(name="first.kif", sha256=sent(KIF, "again.kif").sha256).exists()
    assert differences() == []


def test_who_had_an_account_gets_in_again(client, tmp_path):
    import_archive(SAMPLE)
    export(tmp_path / "it")
    wipe()
    import_archive(tmp_path / "it")
    assert client.login(username="boris", password="opensesame")
    anna = User.objects.get(username="anna")
    assert anna.user_permissions.get().codename == "view_report" and anna.groups.get().name == "helpers"


@pytest.mark.worker
def test_an_import_that_is_killed_leaves_an_empty_archive_and_is_begun_again(tmp_path):
    import_archive(SAMPLE)
    content = export(tmp_path / "it").content
    wipe()
    process = start({}, "import_archive", str(tmp_path / "it"), kill_at=90)
    process.communicate()
    assert process.returncode == -9
    assert not (Game.objects.exists() or Upload.objects.exists() or User.objects.exists())
    call_command("import_archive", tmp_path / "it")
    assert export(tmp_path / "again").content == content


def write_from_elsewhere() -> None:
    """Add a space on another connection, which waits for a tenth of a second at most."""
    statement = "INSERT INTO archive_space (kind, name, created) VALUES ('group', 'x', '2026-05-01 00:00:00')"
    if connection.vendor == "postgresql":
        with psycopg.connect(**PostgreSQLStore.parameters()) as other:
            other.execute("SET lock_timeout = '100ms'")
            other.execute(statement)
    else:
        with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0.1)) as other:
            other.execute(statement)


def test_nobody_writes_into_an_archive_while_it_is_read_in():
    refused: list[Exception] = []

    def write(rows: int) -> None:
        if not refused:
            with pytest.raises((psycopg.errors.LockNotAvailable, sqlite3.OperationalError)) as error:
                write_from_elsewhere()
            refused.append(error.value)

    import_archive(SAMPLE, report=write)
    assert refused and Space.objects.count() == read_manifest(SAMPLE).rows("archive_space")


def test_an_archive_that_has_something_takes_no_backup(tmp_path):
    import_archive(SAMPLE)
    export(tmp_path / "it")
    with pytest.raises(CommandError, match=r"has rows in auth_user.*\(not-empty\)"):
        call_command("import_archive", tmp_path / "it")
    assert differences() == []


def test_the_commands_say_what_they_did(tmp_path, capsys):
    import_archive(SAMPLE)
    call_command("export_archive", tmp_path / "it")
    content = read_manifest(tmp_path / "it").content
    written = capsys.readouterr().out
    assert "written: " in written and "deleted: 0 parts, bytes of 0 uploads" in written and content in written
    call_command("import_archive", tmp_path / "it", "--check")
    assert content in capsys.readouterr().out
