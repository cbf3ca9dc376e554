"""What a process of the archive loads before it does anything: many are started, each for one thing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SETUP = "import django; django.setup()"


def loaded_by(code: str, folder: Path) -> set[str]:
    """The modules that a process of an archive on SQLite has after some code."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")
    } | {"ARCHIVE_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "archive.settings"}
    code += "; import sys; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    return set(found.stdout.split())


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return loaded_by(SETUP, tmp_path_factory.mktemp("set_up"))


def test_what_is_set_up_has_no_pages(set_up):
    assert "archive.models" in set_up
    assert not {"archive.urls", "archive.admin", "archive.web.errors", "rest_framework.views"} & set_up


def test_what_is_set_up_has_nothing_that_only_some_archives_or_questions_need(set_up):
    assert not {"psycopg", "numpy", "duckdb", "py7zr", "sentry_sdk", "requests"} & set_up


def test_a_web_process_has_all_pages_before_the_first_visitor_comes(tmp_path):
    assert {"archive.urls", "archive.admin.site", "archive.web.errors"} <= loaded_by(
        "import archive.wsgi", tmp_path
    )


def test_checks_look_at_pages_of_the_admin(tmp_path):
    code = f"{SETUP}; from django.core.checks import run_checks; assert run_checks(tags=['admin']) == []"
    assert "archive.admin.site" in loaded_by(code, tmp_path)
