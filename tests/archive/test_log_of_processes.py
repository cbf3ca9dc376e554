"""What real processes write when something is wrong: here there is a database without any tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.archive.test_logs import LINE
from tests.serving import ANSWER_SECONDS, ROOT, START_SECONDS, STOP_SECONDS, free_port, wait_for

pytestmark = [pytest.mark.worker, pytest.mark.one_engine]


@contextmanager
def role(name: str, folder: Path, **settings: str) -> Iterator[Path]:
    """A process of the archive in that role; its log."""
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environment |= {"ARCHIVE_DATA_DIR": str(folder), "ARCHIVE_SWEEP_SECONDS": "1", **settings}
    log = folder / f"{name}.log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "archive.serving.child", name]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield log
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=STOP_SECONDS)
        process.kill()
        process.wait()


def records(log: Path) -> list[tuple[str, ...]]:
    """Level, logger, id and text of every line of the archive's own form."""
    return [match.groups() for line in log.read_text().split("\n") if (match := LINE.fullmatch(line))]


def faults(log: Path) -> list[str]:
    """The texts of the lines about what went wrong."""
    return [text for level, _, _, text in records(log) if level == "ERROR"]


@pytest.mark.parametrize("pool", ["solo", "prefork"])
def test_a_task_that_fails_has_a_line_and_a_traceback(tmp_path, pool):
    with role("worker", tmp_path, ARCHIVE_WORKER_POOL=pool) as log, role("scheduler", tmp_path):
        wait_for(lambda: faults(log), START_SECONDS, log)
    assert all("Task archive.sweep" in text for text in faults(log))
    assert "no such table" in log.read_text()
    assert "    Traceback (most recent call last):" in log.read_text()


def test_a_request_that_fails_has_a_line_with_the_number_that_its_answer_tells(tmp_path):
    address = f"127.0.0.1:{free_port()}"
    with role("web", tmp_path, ARCHIVE_BIND=address, ARCHIVE_ACCESS_LOG="1", ARCHIVE_WEB_WORKERS="1") as log:

        def status(path: str) -> tuple[int, bytes]:
            try:
                with urllib.request.urlopen(f"http://{address}{path}", timeout=ANSWER_SECONDS) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return error.code, error.read()
            except (urllib.error.URLError, ConnectionError):
                return 0, b""

        wait_for(lambda: status("/healthz")[0] == 200, START_SECONDS, log)
        code, body = status("/api/v1/games")
        wait_for(
            lambda: any('"GET /api/v1/games" 500' in text for *_, text in records(log)), START_SECONDS, log
        )
    assert code == 500
    identifier = json.loads(body)["request_id"]
    levels = [(level, name) for level, name, about, _ in records(log) if about == identifier]
    assert levels == [("ERROR", "django.request"), ("INFO", "archive.access")]
    assert "no such table" in log.read_text() and b"no such table" not in body
