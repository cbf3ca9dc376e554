"""What a process of the archive loads before it does anything: many are started, each for one thing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from archive.management.command import ArchiveCommand
from archive.project.startup import REFUSED
from kifu_core import __version__
from tests.serving import SQLITE_FILE, migrated

PAGES = {"archive.project.urls", "archive.admin", "archive.http.errors", "rest_framework.views"}
ROOT = Path(__file__).resolve().parents[2]

SETUP = "import django; django.setup()"


def loaded_by(code: str, folder: Path) -> set[str]:
    """The modules that a process of an archive on SQLite has after some code."""
    code += "; import sys; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=on_sqlite(folder), check=True, capture_output=True, text=True,
    )  # fmt: skip
    return set(found.stdout.split())


def on_sqlite(folder: Path) -> dict[str, str]:
    """The environment of an archive on SQLite in a folder."""
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return kept | {"ARCHIVE_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "archive.project.settings"}


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return loaded_by(SETUP, tmp_path_factory.mktemp("set_up"))


def test_what_is_set_up_has_no_pages(set_up):
    assert "archive.models" in set_up
    assert not PAGES & set_up


def test_what_is_set_up_has_nothing_that_only_some_archives_or_questions_need(set_up):
    needed_by_some = {"psycopg", "numpy", "duckdb", "py7zr", "sentry_sdk", "requests", "celery", "pyparsing"}
    assert not needed_by_some & set_up


def test_a_web_process_has_all_pages_before_the_first_visitor_comes(tmp_path):
    assert {"archive.project.urls", "archive.admin.site", "archive.http.errors"} <= loaded_by(
        "import archive.project.wsgi", tmp_path
    )


@pytest.mark.parametrize("words", [["invite"], ["verify_archive"]])
def test_a_command_does_its_work_without_pages(tmp_path, words):
    shutil.copy(migrated(), tmp_path / SQLITE_FILE)
    code = (
        f"from django.core.management import execute_from_command_line as run; run({['manage.py', *words]})"
    )
    loaded = loaded_by(code, tmp_path)
    assert "archive.models" in loaded
    assert not PAGES & loaded


def test_every_command_of_ours_looks_at_the_settings_first():
    ours = [load_command_class(app, name) for name, app in get_commands().items() if app == "archive"]
    without_tables = {"header_readings", "migrate"}
    others = {
        type(command).__module__.rpartition(".")[2]
        for command in ours
        if not isinstance(command, ArchiveCommand)
    }
    assert others == without_tables


def test_settings_that_contradict_each_other_stop_a_command(tmp_path):
    wrong = {"ARCHIVE_THROTTLE_STORE": "postgresql"}
    found = subprocess.run(
        [sys.executable, "manage.py", "verify_archive"],
        cwd=ROOT, env=on_sqlite(tmp_path) | wrong, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == REFUSED
    assert found.stderr.startswith("archive.E004: ") and len(found.stderr.splitlines()) == 1


def test_checks_look_at_pages_of_the_admin(tmp_path):
    code = f"{SETUP}; from django.core.checks import run_checks; assert run_checks(tags=['admin']) == []"
    assert "archive.admin.site" in loaded_by(code, tmp_path)


@pytest.mark.parametrize(
    ("words", "printed"),
    [(["--version"], f"Kifu Archive {__version__}"), (["verify_archive", "--version"], __version__)],
)
def test_commands_print_the_version_of_the_archive(tmp_path, words, printed):
    environment = on_sqlite(tmp_path)
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == printed
