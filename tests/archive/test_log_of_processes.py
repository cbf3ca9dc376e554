"""What real processes write when something is wrong: here there is a database without any tables."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.archive.games import KIF
from tests.archive.test_logs import LINE
from tests.serving import (
    ANSWER_SECONDS,
    ROOT,
    START_SECONDS,
    STOP_SECONDS,
    archive_at,
    children_of,
    free_port,
    wait_for,
)

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
    assert all(text.startswith("Task archive.") for text in faults(log))
    assert "no such table" in log.read_text()
    assert "    Traceback (most recent call last):" in log.read_text()


def objects(log: Path) -> list[dict[str, Any]]:
    """What the lines of a log in JSON say; fails where one is none."""
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("pool", ["solo", "prefork"])
def test_an_upload_is_told_by_web_and_worker_with_the_request_that_brought_it(tmp_path, pool):
    settings = {
        "ARCHIVE_LOG_FORMAT": "json", "ARCHIVE_LOG_LEVEL": "info", "ARCHIVE_ACCESS_LOG": "1",
        "ARCHIVE_TRUSTED_PROXIES": "127.0.0.1", "ARCHIVE_WORKER_POOL": pool,
    }  # fmt: skip
    with archive_at(tmp_path, **settings) as archive:
        request = urllib.request.Request(
            f"{archive.url}/api/v1/uploads",
            json.dumps({"text": KIF, "name": "a.kif"}).encode(),
            {"Content-Type": "application/json", "X-Request-ID": "proxy-1234"},
        )
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            upload = json.load(answer)["uploads"][0]["id"]
            assert answer.headers["X-Request-ID"] == "proxy-1234"
        archive.wait_done(upload)
        (worker,) = children_of(archive, "worker")
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: "worker 1 died" in archive.log.read_text(), START_SECONDS, archive.log)
    lines = [json.loads(line) for line in archive.log.read_text().splitlines() if line.startswith("{")]
    about = [one for one in lines if one.get("request") == "proxy-1234"]
    told = {(one["process"], one["logger"]): one for one in about}
    assert told["web", "archive.intake.uploads"]["message"] == f"upload {upload} is received"
    assert told["web", "archive.access"]["status"] == 202
    done = told["worker", "archive.intake.worker"]
    assert (done["message"], done["task"]) == (f"upload {upload} is worked off", "archive.process_upload")
    assert done["upload"] == told["web", "archive.intake.uploads"]["upload"] == upload
    assert done["task_id"]
    said = next(one for one in lines if one["process"] == "supervisor")
    assert (said["level"], said["message"][:13]) == ("warning", "worker 1 died")
    assert {"web", "worker", "supervisor"} <= {one["process"] for one in lines}


def test_whatever_a_process_writes_is_an_object_where_that_is_asked_for(tmp_path):
    form = {"ARCHIVE_LOG_FORMAT": "json", "ARCHIVE_LOG_LEVEL": "info"}
    address = f"127.0.0.1:{free_port()}"
    with (
        role("web", tmp_path, ARCHIVE_BIND=address, **form) as web,
        role("worker", tmp_path, **form) as worker,
        role("scheduler", tmp_path, **form) as scheduler,
    ):
        wait_for(lambda: '"error"' in worker.read_text(), START_SECONDS, worker)
        wait_for(lambda: "Scheduler" in scheduler.read_text(), START_SECONDS, scheduler)
    for log in (web, worker, scheduler):
        assert {one["process"] for one in objects(log)} <= {log.stem}
    failed = next(one for one in objects(worker) if one["level"] == "error")
    assert failed["task"] == "archive.sweep" and "no such table" in failed["traceback"]


def test_a_process_that_cannot_begin_says_so_as_an_object(tmp_path):
    with role("web", tmp_path, ARCHIVE_LOG_FORMAT="json", ARCHIVE_BIND="192.0.2.1:80") as log:
        wait_for(lambda: "assign requested address" in log.read_text(), START_SECONDS, log)
    assert objects(log)


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
