"""The short form of the faults, on the engine under test; `make faults` is the long one."""

from __future__ import annotations

import os

import pytest

from tests.faults.__main__ import KINDS
from tests.faults.points import removal_steps, steps
from tests.faults.servers import migrated_cluster
from tests.serving import migrated, said_by

ENGINE = "postgresql" if os.environ.get("DATABASE_URL") else "sqlite"
# `tests/archive/test_analysis_kills.py` is the short form of the last one, which waits minutes for Redis.
SHORT = KINDS[:-1]
MARKS = {
    # What a worker leaves behind in the database, `kill` asks; `test_deleting_together` deletes on both.
    "claims": pytest.mark.one_engine,
    "delete": pytest.mark.one_engine,
    "disk": pytest.mark.one_engine,
    "messages": pytest.mark.one_engine,
    "redis": pytest.mark.one_engine,
    "database": pytest.mark.skipif(ENGINE == "sqlite", reason="SQLite has no server"),
}


@pytest.mark.django_db
def test_every_step_at_which_a_worker_is_killed_is_there():
    for step in [*steps(), *removal_steps()]:
        assert callable(getattr(step.home, step.name)), step.title


@pytest.mark.worker
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=MARKS.get(kind, ())) for kind in SHORT])
def test_the_archive_is_whole_after(kind):
    # For all of them, which are programs of their own.
    migrated() if ENGINE == "sqlite" else migrated_cluster()
    words = ["--engine", ENGINE, "--kind", kind, "--games", "40", "--kills", "12"]
    said = said_by("tests.faults", *words)
    if "skipped:" in said:
        pytest.skip(said.split("skipped:")[1].split("\n")[0].strip())
