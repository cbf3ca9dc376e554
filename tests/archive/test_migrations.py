"""Archives of earlier versions: brought up to date, or refused with what to do."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db.migrations.recorder import MigrationRecorder

from archive.observing import readiness
from archive.project.startup import REFUSED
from archive.project.upgrading import OLDEST
from tests.serving import SQLITE_FILE, free_port, migrated

ROOT = Path(__file__).resolve().parents[2]
SQUASHED = "0001_squashed_0006"
NEWER = "app = 'archive' AND name > '0006_recent_rows' OR name = '0001_squashed_0006'"


def manage(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py with a data folder of its own."""
    return python(folder, "manage.py", *command)


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the archive with a data folder and an address of its own."""
    variables = {name: text for name, text in os.environ.items() if not name.startswith("ARCHIVE_")}
    own = {"ARCHIVE_DATA_DIR": str(folder), "ARCHIVE_BIND": f"127.0.0.1:{free_port()}"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=variables | own,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def archive_at_0006(tmp_path):
    """The database of an archive whose last migration was 0006, with an account that may see uploads and an
    upload of its."""
    assert manage(tmp_path, "migrate", "archive", SQUASHED).returncode == 0
    (path,) = tmp_path.glob("*.sqlite3")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"DELETE FROM django_migrations WHERE {NEWER}")
        # Django's own accounts were those of archives then.
        database.execute("UPDATE django_content_type SET app_label = 'auth' WHERE model = 'user'")
        database.execute(
            "INSERT INTO auth_user (id, password, is_superuser, username, first_name, last_name, email,"
            " is_staff, is_active, date_joined) VALUES (7, 'x', 0, 'anna', '', '', '', 1, 1, '2026-01-02')"
        )
        (right,) = database.execute(
            "SELECT auth_permission.id FROM auth_permission WHERE codename = 'view_user'"
        ).fetchone()
        database.execute(
            "INSERT INTO auth_user_user_permissions (user_id, permission_id) VALUES (7, ?)", (right,)
        )
        database.execute(
            "INSERT INTO archive_upload (sha256, name, size, source, received, state, tries, reading,"
            " uploader_id) VALUES ('0', 'a.kif', 1, 'web', '2026-01-02', 'done', 0, 0, 7)"
        )
    return path


def test_an_archive_of_the_last_old_version_keeps_its_accounts_their_rights_and_uploads(archive_at_0006):
    done = manage(archive_at_0006.parent, "migrate")
    assert done.returncode == 0, done.stderr
    shown = manage(
        archive_at_0006.parent, "shell", "--no-imports", "-c",
        "from archive.models import Upload, User\n"
        "anna = User.objects.get()\n"
        "print(anna.username, anna.has_perm('archive.view_user'), Upload.objects.get().uploader == anna)",
    )  # fmt: skip
    assert shown.stdout.split() == ["anna", "True", "True"], shown.stderr


def test_an_older_archive_is_refused_with_what_to_do_and_stays_as_it_was(archive_at_0006):
    with closing(sqlite3.connect(archive_at_0006)) as database, database:
        database.execute("DELETE FROM django_migrations WHERE name = '0006_recent_rows'")
    before = archive_at_0006.read_bytes()
    refused = manage(archive_at_0006.parent, "migrate")
    assert refused.returncode == 1
    assert "migrate archive 0006_recent_rows" in refused.stderr and "Traceback" not in refused.stderr
    assert archive_at_0006.read_bytes() == before


@pytest.mark.django_db
def test_an_archive_that_is_too_old_is_not_ready(client):
    MigrationRecorder.Migration.objects.filter(app="archive", name=OLDEST).delete()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["migrations"]) == (503, "too-old")


@pytest.mark.django_db
def test_an_archive_of_a_later_version_is_not_ready(client, monkeypatch):
    monkeypatch.setattr(readiness._migrations, "needed", None)
    MigrationRecorder.Migration.objects.create(app="archive", name="9999_a_later_version")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["migrations"]) == (503, "too-new")


@pytest.mark.one_engine
@pytest.mark.parametrize(
    "command",
    [
        *[("manage.py", name) for name in ("migrate", "serve", "verify_archive")],
        *[("-m", "archive.serving.child", role) for role in ("web", "worker", "scheduler")],
    ],
    ids=" ".join,
)
def test_the_tables_of_a_later_version_are_left_alone(tmp_path, command):
    shutil.copy(migrated(), tmp_path / SQLITE_FILE)
    with closing(sqlite3.connect(tmp_path / SQLITE_FILE)) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied)"
            " VALUES ('archive', '9999_later', '2026-01-02')"
        )
    refused = python(tmp_path, *command)
    assert refused.returncode == REFUSED
    assert refused.stderr.startswith("the tables of this archive are those of a later version (9999_later)")
