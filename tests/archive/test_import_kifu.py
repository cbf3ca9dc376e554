"""`manage.py import_kifu`: files, folders and archives from disk, with a summary."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from hashlib import sha256
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction

from archive import libraries, store
from archive.intake import importing, worker
from archive.intake.importing import Turn
from archive.management.commands.import_kifu import Meter
from archive.models import AuditLine, Entry, Game, Tally, Upload, User
from archive.observing import tally
from kifu_core.containers import refusals
from tests.archive.games import CSA, KIF, UNREADABLE
from tests.containers import zipped
from tests.serving import ROOT, migrated_database


def csa(number: int) -> bytes:
    return CSA.replace("先手の人", f"人{number}").encode()


def run(*paths: Path, **options) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_kifu", *map(str, paths), stdout=out, stderr=err, verbosity=0, **options)
    return out.getvalue(), err.getvalue()


@pytest.mark.django_db
def test_files_folders_and_archives_are_imported_in_order(tmp_path):
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.csa").write_bytes(csa(1))
    (folder / "deep" / "a.csa").write_bytes(csa(2))
    (tmp_path / "all.zip").write_bytes(
        zipped(("c.csa", csa(3)), ("d.csa", csa(1)), ("e.kif", UNREADABLE.encode()))
    )
    out, err = run(folder, tmp_path / "all.zip")
    assert "3 files (0 known before, 0 refused), 5 entries: 3 games stored, 1 known games, 1 failed" in out
    assert "all.zip: e.kif, line 1" in err
    assert list(Upload.objects.order_by("pk").values_list("name", flat=True)) == ["b.csa", "a.csa", "all.zip"]


@pytest.mark.django_db
def test_what_was_imported_is_not_imported_again(tmp_path):
    (tmp_path / "a.kif").write_text(KIF)
    run(tmp_path)
    out, _ = run(tmp_path)
    assert "1 files (1 known before" in out
    assert Game.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("together", [True, False])
def test_the_paths_of_files_are_kept_also_of_those_that_are_here_under_another_name(
    tmp_path, client, monkeypatch, together
):
    if not together:
        monkeypatch.setattr(
            importing, "start_together", lambda files, into: [importing.start(one, into) for one in files]
        )
    folder = tmp_path / "meijin"
    (folder / "2019").mkdir(parents=True)
    (folder / "2019" / "a.csa").write_bytes(csa(1))
    (folder / "b\u202e\x1b<i>.csa").write_bytes(csa(1))
    run(folder)
    (tmp_path / "c.csa").write_bytes(csa(1))
    run(tmp_path / "c.csa")
    run(folder)
    (upload,) = Upload.objects.all()
    paths = ["meijin/2019/a.csa", "meijin/b\ufffd\ufffd<i>.csa", "c.csa"]
    assert upload.paths == sorted(paths, key=upload.paths.index) and len(paths) == 3
    assert client.get(f"/api/v1/uploads/{upload.pk}").json()["paths"] == upload.paths
    page = client.get(f"/uploads/{upload.pk}/").getvalue().decode()
    assert "meijin/2019/a.csa" in page and "\ufffd\ufffd&lt;i&gt;.csa" in page


@pytest.mark.django_db
def test_of_an_upload_that_comes_under_many_names_some_are_kept(tmp_path):
    for n in range(30):
        (tmp_path / f"{n:02}.csa").write_bytes(csa(1))
    (tmp_path / ("long" * 60 + ".csa")).write_bytes(csa(2))
    run(tmp_path)
    assert sorted(len(paths) for paths in Upload.objects.values_list("paths", flat=True)) == [1, 20]


@pytest.mark.django_db
def test_a_file_that_is_imported_by_its_own_name_has_no_other(tmp_path):
    (tmp_path / "a.csa").write_bytes(csa(1))
    run(tmp_path / "a.csa")
    assert Upload.objects.get().paths is None


@pytest.mark.django_db
def test_many_small_files_are_taken_in_together(tmp_path, django_assert_max_num_queries, monkeypatch):
    monkeypatch.setattr(worker, "BATCH_SECONDS", 600)
    for n in range(40):
        (tmp_path / f"{n:02}.csa").write_bytes(csa(n % 30))
    (tmp_path / "other.kif").write_text(UNREADABLE)
    with django_assert_max_num_queries(67):  # six of them count what was read and write the audit log
        out, err = run(tmp_path)
    assert (
        "41 files (10 known before, 0 refused), 31 entries: 30 games stored, 0 known games, 1 failed" in out
    )
    assert "other.kif, line 1" in err
    assert set(Upload.objects.values_list("state", "claimed_by")) == {("done", None)}


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_two_imports_of_the_same_files_in_another_order_do_not_deadlock():
    files = [(f"{n}.csa", csa(n)) for n in range(3)]
    failures: list[Exception] = []

    def take_in(token: str, files: list[tuple[str, bytes]]) -> None:
        try:
            store.create_uploads(files, token, "command")
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [Thread(target=take_in, args=[f"import-{step}", files[::step]]) for step in (1, -1)]
    with transaction.atomic():
        # Both imports have to wait for this upload of the second file.
        Upload.objects.create(name="x", size=1, source="web", sha256=sha256(files[1][1]).hexdigest())
        for thread in threads:
            thread.start()
        while waiting_for_locks() < len(threads):
            time.sleep(0.05)
        transaction.set_rollback(True)
    for thread in threads:
        thread.join()
    assert not failures
    assert Upload.objects.count() == len(files)


def waiting_for_locks() -> int:
    """The number of sessions of the database that wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
def test_an_import_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "BATCH_ENTRIES", 1)
    data = zipped(*((f"{n}.csa", csa(n)) for n in range(4)))
    (tmp_path / "all.zip").write_bytes(data)
    upload, _ = store.create_upload("all.zip", [data], source="command")
    assert worker.work_on(upload.pk, "killed", seconds=0)
    out, _ = run(tmp_path)
    assert "4 entries: 4 games stored" in out


@pytest.mark.django_db
def test_a_machine_without_room_for_temporary_files_stops_the_import_which_goes_on_later(
    tmp_path, settings, monkeypatch
):
    monkeypatch.setattr(refusals, "MEMORY_BYTES", 10)
    settings.DATA_DIR = tmp_path / "data"
    archive = tmp_path / "all.zip"
    archive.write_bytes(zipped(("a.csa", csa(1)), ("b.csa", csa(2))))
    with pytest.raises(CommandError, match="run this again"):
        run(archive)
    assert not Entry.objects.exists()
    (settings.DATA_DIR / "tmp").mkdir(parents=True)
    assert "2 entries: 2 games stored" in run(archive)[0]


@pytest.mark.django_db
def test_a_process_that_is_killed_stops_the_import_which_goes_on_later(tmp_path, monkeypatch):
    (tmp_path / "a.csa").write_bytes(csa(1))

    def killed(paths, workers, into):
        raise BrokenProcessPool("a process was terminated abruptly")

    with monkeypatch.context() as patch:
        patch.setattr(importing, "run", killed)
        with pytest.raises(CommandError, match="run this again"):
            run(tmp_path, workers=2)
    assert "1 games stored" in run(tmp_path)[0]


@pytest.mark.django_db
def test_files_that_are_refused_are_named_with_the_reason(tmp_path, settings):
    settings.ARCHIVE_MAX_UPLOAD_BYTES = 100
    (tmp_path / "empty.kif").write_bytes(b"")
    (tmp_path / "large.kif").write_text(KIF)
    out, err = run(tmp_path)
    assert "2 refused" in out
    assert "empty.kif: the file is empty" in err
    assert "large.kif: the file has more than 100 bytes" in err


@pytest.mark.django_db
def test_all_failures_are_in_a_table_with_the_line_and_the_page(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    members = [(f"{n}.kif", UNREADABLE.encode()) for n in range(25)]
    (tmp_path / "all.zip").write_bytes(zipped(*members))
    (tmp_path / "empty.kif").touch()
    _, told = run(tmp_path / "all.zip", tmp_path / "empty.kif", report=tmp_path / "failures.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "failures.csv").read_text("utf-8-sig"))))
    upload = Upload.objects.get()
    assert len(rows) == 26 and f"listed in {tmp_path / 'failures.csv'}" in told
    assert (rows[0]["file"], rows[0]["code"]) == (str(tmp_path / "empty.kif"), "refused")
    assert (rows[1]["path"], rows[1]["line"]) == ("0.kif", "1") and rows[1]["code"] and rows[1]["message"]
    assert rows[1]["upload"].endswith(f"/uploads/{upload.pk}/")
    (tmp_path / "b.kif").write_text(UNREADABLE + "\n")
    run(tmp_path / "b.kif")
    (report,) = (settings.DATA_DIR / "imports").iterdir()
    assert report.read_text().count("\n") == 2
    assert report.stat().st_mode & 0o777 == 0o600, "it quotes records, also of libraries"


@pytest.mark.django_db
def test_an_import_without_failures_writes_no_table(tmp_path):
    (tmp_path / "a.kif").write_text(KIF)
    run(tmp_path / "a.kif", report=tmp_path / "failures.csv")
    assert not (tmp_path / "failures.csv").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("together", [True, False])
def test_an_import_has_an_owner_and_goes_to_a_library(tmp_path, together):
    anna = User.objects.create_user("anna")
    group = libraries.create_group(anna, "研究会")
    for n in range(1 + together):
        (tmp_path / f"{n}.csa").write_bytes(csa(n))
    run(tmp_path, owner="anna", library=f"group-{group.pk}")
    found = Upload.objects.values_list("uploader", "space", "state")
    assert [*found] == [(anna.pk, group.pk, "done")] * (1 + together)
    assert {*Game.objects.values_list("space", flat=True)} == {group.pk}
    out, _ = run(tmp_path, owner="anna", library=f"group-{group.pk}")
    assert f"({1 + together} known before" in out
    run(tmp_path, owner="anna", library="mine")
    run(tmp_path)
    assert Upload.objects.count() == 3 * (1 + together)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"owner": "nobody"}, "there is no account nobody"),
        ({"library": "mine"}, "without --owner, games go to public, not to mine"),
        ({"owner": "anna", "library": "group-99"}, "anna sends to public, mine, not to group-99"),
    ],
)
def test_an_owner_and_a_library_have_to_be_there(tmp_path, options, told):
    User.objects.create_user("anna")
    (tmp_path / "a.kif").write_text(KIF)
    with pytest.raises(CommandError, match=told):
        run(tmp_path, **options)
    assert not Upload.objects.exists()


@pytest.mark.django_db
def test_an_import_is_in_the_audit_log_and_in_the_counts(tmp_path):
    tally.write()  # what this process has counted before
    Tally.objects.all().delete()
    for n in (1, 2):
        (tmp_path / f"{n}.csa").write_bytes(csa(n))
    (tmp_path / "3.kif").write_text(UNREADABLE)
    run(tmp_path, owner=User.objects.create_user("anna").username)
    call_command("sample_games", stdout=io.StringIO())
    counted = {one.outcome: n for one, n, _seconds in tally.sums() if one.what == tally.ENTRIES}
    assert sum(counted.values()) == Entry.objects.count() and counted["failed"] == 1
    line = AuditLine.objects.get()
    told = "to space 0, complete: 3 files (0 known before, 0 refused), 3 entries"
    assert (line.event, line.name) == ("import", "anna") and line.what.startswith(told)


@pytest.mark.django_db
def test_a_path_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(CommandError, match="nowhere"):
        run(tmp_path / "nowhere")


@pytest.mark.django_db
def test_the_files_are_not_changed(tmp_path):
    path = tmp_path / "a.kif"
    path.write_text(KIF)
    before = path.stat()
    run(tmp_path)
    after = path.stat()
    assert (before.st_mtime_ns, before.st_size, before.st_ino) == (
        after.st_mtime_ns,
        after.st_size,
        after.st_ino,
    )


@pytest.mark.one_engine
@pytest.mark.worker
def test_several_processes_share_the_files(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    for n in range(12):
        (files / f"{n}.csa").write_bytes(b"/\n".join(csa(10 * n + k) for k in range(3)))
    with migrated_database(tmp_path / "data") as address:
        environment = os.environ | {"ARCHIVE_DATA_DIR": str(tmp_path / "data"), **address}

        def manage(*words: str) -> str:
            command = [sys.executable, "manage.py", *words]
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        out = manage("import_kifu", str(files), "--workers", "3")
        assert "12 files (0 known before, 0 refused), 36 entries: 36 games stored" in out
        assert "no difference" in manage("verify_archive")


def test_progress_has_share_rate_and_remaining_time():
    meter = Meter({"a": 100, "b": 300}, shown=False)
    meter.advance(Turn("a"))
    meter.states["stored"] += 10
    meter.advance(Turn("b", 1, 0.5, 30, more=True))
    assert meter.line(10.0) == " 62%  40 entries, 4 a second, 0:06 left"
