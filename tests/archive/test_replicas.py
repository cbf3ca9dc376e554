"""Reading from streaming replicas: a real PostgreSQL and a real standby of it, paused and stopped.

What is asked runs in a process of its own (`tests.archive.on_replicas`), whose settings name the standby.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from archive.observing.standbys import Standby, Standbys
from tests.postgres import START_SECONDS, Runner, address_of, make_cluster, start_server, wait_for_server

ROOT: Final = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.one_engine


@contextmanager
def pair() -> Iterator[tuple[list[Path], list[subprocess.Popen[bytes]]]]:
    """A PostgreSQL and a standby of it: their folders and processes."""
    with tempfile.TemporaryDirectory(prefix="kifu-rp-", dir="/tmp") as name:
        runner, folders = Runner(), [Path(name, "a"), Path(name, "b")]
        Path(name).chmod(0o755)
        for folder in folders:
            folder.mkdir()
            runner.own(folder)
        servers: list[subprocess.Popen[bytes]] = []
        programs = make_cluster(runner, folders[0])
        try:
            servers.append(begun(runner, programs, folders[0]))
            copy = ["-h", folders[0], "-U", "postgres", "-D", folders[1] / "cluster", "-R", "-c", "fast"]
            subprocess.run(
                [programs / "pg_basebackup", *copy], check=True, cwd=folders[1], **runner.identity()
            )
            servers.append(begun(runner, programs, folders[1]))
            yield folders, servers
        finally:
            for server in reversed(servers):
                if server.poll() is None:
                    server.send_signal(signal.SIGINT)
                server.wait(timeout=START_SECONDS)


@pytest.fixture(scope="module")
def results() -> Iterator[dict[str, Any]]:
    """What the process tells that reads from a standby which is there, paused, gone on, and stopped."""
    with pair() as (folders, servers):
        yield run_reader(folders, servers[1].pid)


def begun(runner: Runner, programs: Path, folder: Path) -> subprocess.Popen[bytes]:
    server = start_server(runner, programs, folder, full_page_writes="on")
    wait_for_server(server, folder)
    return server


def run_reader(folders: list[Path], standby: int, **settings: str) -> dict[str, Any]:
    environment = (
        os.environ
        | {
            "DATABASE_URL": address_of(folders[0]),
            "ARCHIVE_REPLICA_URLS": address_of(folders[1]),
            "SECRET_KEY": "only-for-tests",
            "ARCHIVE_ANONYMOUS_UPLOAD": "1",
            "STANDBY_PID": str(standby),
            "STANDBY": str(folders[1]),
        }
        | settings
    )
    command = [sys.executable, "-m", "tests.archive.on_replicas"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_pages_and_answers_are_read_from_the_standby(results):
    assert set(results["read"].values()) == {"replica1"}
    assert set(results["statuses"].values()) == {200}


def test_accounts_uploads_and_programs_are_asked_of_the_first_database(results):
    assert set(results["not read"].values()) == {"default"}


def test_who_wrote_reads_what_they_wrote_while_the_standby_stands_still(results):
    assert results["writer"] == {"status": 200, "from": "default", "known to others": 200}


def test_what_the_standby_does_not_know_yet_is_asked_of_the_first_database(results):
    assert results["program"] == 200


def test_a_standby_that_lags_is_left_out_and_read_again_when_it_has_come_up(results):
    assert results["lagging"] == "default" and results["lag"] >= 2
    assert results["again"] == "replica1"


def test_a_standby_that_is_gone_costs_nobody_an_answer(results):
    assert results["gone"] == [200] * 5 and results["gone, API"] == [200] * 2
    assert results["gone from"] == "default" and results["lags of what is gone"] == {}


def test_what_looks_things_up_takes_its_connection_from_the_one_door():
    rooms = (*(ROOT / "archive/queries").rglob("*.py"), *(ROOT / "archive/index").glob("*.py"))
    past = re.compile(r"^from django\.db import .*\bconnections?\b", re.MULTILINE)
    assert {one.name for one in rooms if past.search(one.read_text())} == {"sqlite.py", "sqlite_texts.py"}


def test_one_visitor_stays_with_one_replica():
    known = Standbys([Standby("one", 5), Standby("two", 5)], sampled=float("inf"))
    assert {known.usable(7, 0) for _ in range(5)} == {"two"}
    assert {known.usable(8, 0) for _ in range(5)} == {"one"}
    known.replicas[1].out_until = float("inf")
    assert known.usable(7, 0) == "one"


def test_a_replica_that_has_not_come_so_far_is_not_read():
    known = Standbys([Standby("one", 5)], sampled=float("inf"))
    assert (known.usable(0, 5), known.usable(0, 6)) == ("one", "default")
