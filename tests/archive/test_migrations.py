"""Archives whose tables another version made are refused with a way out; their backups are imported."""

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
from tests.serving import SQLITE_FILE, free_port, migrated

ROOT = Path(__file__).resolve().parents[2]


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


@pytest.mark.django_db
def test_an_archive_of_another_version_is_not_ready(client, monkeypatch):
    monkeypatch.setattr(readiness._migrations, "needed", None)
    MigrationRecorder.Migration.objects.create(app="archive", name="9999_a_later_version")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["migrations"]) == (503, "other-version")


@pytest.mark.one_engine
@pytest.mark.parametrize(
    "command",
    [
        *[("manage.py", name) for name in ("migrate", "serve", "verify_archive")],
        *[("-m", "archive.serving.child", role) for role in ("web", "worker", "scheduler")],
    ],
    ids=" ".join,
)
def test_the_tables_of_another_version_are_left_alone(tmp_path, command):
    shutil.copy(migrated(), tmp_path / SQLITE_FILE)
    with closing(sqlite3.connect(tmp_path / SQLITE_FILE)) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied)"
            " VALUES ('archive', '9999_later', '2026-01-02')"
        )
    refused = python(tmp_path, *command)
    assert refused.returncode == REFUSED
    assert refused.stderr.startswith("another version made the tables of this archive (9999_later)")
