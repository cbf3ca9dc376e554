"""Archives of earlier versions: brought up to date, or refused with what to do."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db.migrations.recorder import MigrationRecorder

from archive.upgrading import OLDEST

ROOT = Path(__file__).resolve().parents[2]
SQUASHED = "0001_squashed_0006"
NEWER = "app = 'archive' AND name > '0006_recent_rows' OR name = '0001_squashed_0006'"


def manage(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py with a data folder of its own."""
    variables = {name: text for name, text in os.environ.items() if not name.startswith("ARCHIVE_")}
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=variables | {"ARCHIVE_DATA_DIR": str(folder)},
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
