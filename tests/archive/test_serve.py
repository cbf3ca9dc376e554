"""`manage.py serve` as a user knows it: one command, real processes, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from http.client import RemoteDisconnected
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from archive.project.startup import REFUSED
from tests.archive.games import CSA, KIF, START
from tests.serving import (
    ANSWER_SECONDS,
    ROOT,
    START_SECONDS,
    STOP_SECONDS,
    Archive,
    archive_at,
    children_of,
    constants,
    free_port,
    processes_of,
    started,
    wait_for,
)

pytestmark = pytest.mark.worker


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive that several tests use, one after the other; its sweeper looks every second."""
    folder = tmp_path_factory.mktemp("archive")
    with archive_at(folder, ARCHIVE_SWEEP_SECONDS="1") as running:
        yield running


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive that waits a few seconds for visitors, and never ends a worker for being silent."""
    folder = tmp_path_factory.mktemp("impatient")
    shorter = constants(
        folder / "constants", HEADER_SECONDS=4, BODY_SECONDS=4, ANSWER_SECONDS=1, SILENCE_SECONDS=100_000
    )
    with archive_at(folder, **shorter) as running:
        yield running


def serve(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`manage.py serve` that is expected to end by itself."""
    command = [sys.executable, "manage.py", "serve"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def game_of(player: str) -> str:
    return CSA.replace("後手の人", player)


def test_an_upload_becomes_a_game(archive):
    total = archive.get(f"/api/v1/positions/shogi/{START}")["games"]
    upload = archive.post_text(game_of("一人目"), "first.csa")
    assert archive.wait_done(upload)["entries"]["stored"] == 1
    assert archive.get(f"/api/v1/positions/shogi/{START}")["games"] == total + 1


@pytest.mark.one_engine
def test_readers_come_before_imports(archive):
    (web,), workers = children_of(archive, "web"), children_of(archive, "worker")
    importance = {pid: os.getpriority(os.PRIO_PROCESS, pid) for pid in (web, *workers)}
    assert all(importance[worker] == importance[web] + 5 for worker in workers)


def test_a_killed_worker_is_replaced_and_the_next_upload_is_read(archive):
    archive.wait_done(archive.post_text(game_of("二人目"), "second.csa"))
    (worker,) = children_of(archive, "worker")
    os.kill(worker, signal.SIGKILL)
    upload = archive.post_text(game_of("三人目"), "third.csa")
    assert archive.wait_done(upload)["entries"]["stored"] == 1
    assert children_of(archive, "worker") != [worker]


# What is not about what is stored comes to the same on every database.
@pytest.mark.one_engine
def test_a_worker_whose_idle_child_is_killed_goes_on(impatient):
    # Nobody ends the worker itself for being silent: it must find out.
    impatient.wait_done(impatient.post_text(game_of("一人目"), "first.csa"))
    (worker,) = children_of(impatient, "worker")
    for child in Path(f"/proc/{worker}/task/{worker}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    impatient.wait_done(impatient.post_text(game_of("二人目"), "second.csa"))
    assert children_of(impatient, "worker") == [worker]


@pytest.mark.one_engine
def test_a_worker_that_is_sent_nothing_starts_anew(tmp_path):
    # As one does that has lost its broker: here nothing is sent, for there is no sweeping.
    silence = constants(tmp_path / "constants", SILENCE_SECONDS=2)
    with archive_at(tmp_path, ARCHIVE_TASK_SECONDS="2", **silence) as archive:
        (first,) = children_of(archive, "worker")
        wait_for(lambda: first not in children_of(archive, "worker"), START_SECONDS, archive.log)
        wait_for(lambda: children_of(archive, "worker") != [], START_SECONDS, archive.log)
        assert "was sent nothing for 2 s" in archive.log.read_text()


def half_sent(archive: Archive, *beginnings: bytes) -> list[socket.socket]:
    """Connections that have each sent the beginning of a request, and send no more."""
    _, _, address = archive.url.partition("//")
    host, _, port = address.partition(":")
    found = []
    for beginning in beginnings:
        one = socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS)
        one.sendall(beginning)
        found.append(one)
    return found


SLOW = (
    b"",
    b"GET / HTTP/1.1\r\nHost: local",
    b"POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx",
    b"POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"POST /upload/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx",
)


@pytest.mark.one_engine
def test_visitors_who_never_finish_their_requests_keep_nobody_waiting(archive):
    # Many more than there are threads.
    slow = half_sent(archive, *(SLOW * 40))
    upload = archive.post_text(game_of("七人目"), "seventh.csa")
    assert archive.wait_done(upload)["entries"]["stored"] == 1
    for one in slow:
        one.close()


@pytest.mark.one_engine
def test_requests_that_do_not_come_in_time_are_told_so_and_cut_off(impatient):
    answers = []
    for one in half_sent(impatient, *SLOW):
        with one, one.makefile("rb") as answer:
            answers.append(answer.read().split(b"\r\n")[0])
    assert answers == [b"", b"", *[b"HTTP/1.1 408 Request Timeout"] * 3]


BROKEN_OFF = (
    b"POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx",
    b"POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
)


@pytest.mark.one_engine
def test_who_ends_a_body_too_early_and_waits_is_told_so(archive):
    for one in half_sent(archive, *BROKEN_OFF):
        with one, one.makefile("rb") as answer:
            one.shutdown(socket.SHUT_WR)
            assert answer.read().split(b"\r\n")[0] == b"HTTP/1.1 400 Bad Request"


@pytest.mark.one_engine
def test_a_visitor_who_takes_no_answer_loses_the_connection(impatient):
    page = b"GET /static/archive/js/replay.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    # More answers than all buffers between have room for.
    (one,) = half_sent(impatient, page * 400)
    (web,) = children_of(impatient, "web")
    wait_for(lambda: connections_of(web, one) == 0, ANSWER_SECONDS, impatient.log)
    one.close()
    # An answer has a second here, which on a busy machine is not always enough.
    wait_for(lambda: "results" in answer_of(impatient), ANSWER_SECONDS, impatient.log)


def answer_of(archive: Archive) -> dict[str, Any]:
    """The list of games, or the problem that it took too long."""
    try:
        found: dict[str, Any] = archive.get("/api/v1/games")
    except HTTPError as error:
        found = json.load(error)
        assert found["code"] == "too-slow"
    return found


def connections_of(pid: int, client: socket.socket) -> int:
    """How many established connections to a client's port the system has for a process and its children."""
    port = f":{client.getsockname()[1]:04X}"
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return sum(row[2].endswith(port) and row[3] == ESTABLISHED for row in rows)


ESTABLISHED = "01"


@pytest.mark.one_engine
def test_a_body_in_chunks_is_read_as_a_whole(archive):
    body = json.dumps({"text": game_of("六人目")}).encode()
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:50], body[50:]))
    head = (
        b"POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    (one,) = half_sent(archive, head + chunks + b"0\r\n\r\n")
    with one, one.makefile("rb") as answer:
        status, _, rest = answer.read().partition(b"\r\n")
    assert status == b"HTTP/1.1 200 OK"
    assert json.loads(rest.partition(b"\r\n\r\n")[2])["games"][0]["plies"] > 0


def test_an_upload_whose_message_was_lost_is_found_by_the_sweeper(archive):
    archive.wait_done(archive.post_text(game_of("四人目"), "fourth.csa"))
    for worker in children_of(archive, "worker"):
        os.kill(worker, signal.SIGSTOP)
    upload = archive.post_text(game_of("五人目"), "fifth.csa")
    queue = Path(archive.environment["ARCHIVE_DATA_DIR"]) / "broker" / "queue"
    for message in queue.glob("*.msg"):
        message.unlink(missing_ok=True)
    for worker in children_of(archive, "worker"):
        os.kill(worker, signal.SIGCONT)
    assert archive.wait_done(upload)["entries"]["stored"] == 1


@pytest.mark.one_engine
def test_a_second_archive_on_the_same_folder_says_why_it_does_not_start(archive):
    second = serve(archive.environment)
    assert second.returncode == REFUSED
    assert second.stderr == f"an archive already runs on {archive.environment['ARCHIVE_DATA_DIR']}\n"


@pytest.mark.one_engine
def test_a_port_in_use_is_named(archive, tmp_path):
    second = serve(archive.environment | {"ARCHIVE_DATA_DIR": str(tmp_path)})
    assert second.returncode == REFUSED
    assert archive.environment["ARCHIVE_BIND"] in second.stderr


@pytest.mark.one_engine
def test_a_second_web_process_on_the_same_address_is_refused(archive, tmp_path):
    second = subprocess.run(
        [sys.executable, "-m", "archive.serving.child", "web"],
        cwd=ROOT, env=archive.environment | {"ARCHIVE_DATA_DIR": str(tmp_path)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert second.returncode == REFUSED
    assert second.stderr.startswith(
        f"cannot listen on {archive.environment['ARCHIVE_BIND']} (Address already"
    )


def test_a_second_scheduler_on_the_same_database_is_refused(archive):
    second = subprocess.run(
        [sys.executable, "-c", IMPATIENT_SCHEDULER],
        cwd=ROOT, env=archive.environment, capture_output=True, text=True,
    )  # fmt: skip
    assert second.returncode == REFUSED
    assert second.stderr.startswith("another scheduler works on this database (scheduler-")
    assert len(children_of(archive, "scheduler")) == 1


IMPATIENT_SCHEDULER = """
from archive.serving import child
from archive.project.startup import load_settings
load_settings()
child.django.setup()
from archive.observing import heartbeats
heartbeats.PATIENCE = 0
child.main("scheduler")
"""


@pytest.mark.one_engine
def test_an_empty_archive_loads_the_samples_once_and_leaves_no_process_stopped_or_killed(tmp_path):
    with archive_at(tmp_path, ARCHIVE_SAMPLES="1") as archive:
        samples = archive.get(f"/api/v1/positions/shogi/{START}")["games"]
        assert samples > 20
        assert archive.wait_done(archive.post_text(KIF, "game.kif"))["entries"]["stored"] == 1
        assert archive.stop() == 0
        wait_for(lambda: not processes_of(tmp_path), STOP_SECONDS)
        with started(archive.environment, archive.log) as again:
            assert again.get(f"/api/v1/positions/shogi/{START}")["games"] == samples + 1
            leaves_no_process_when_it_is_killed(again, tmp_path)


def leaves_no_process_when_it_is_killed(archive: Archive, folder: Path) -> None:
    assert len(processes_of(folder)) >= 4
    archive.process.send_signal(signal.SIGKILL)
    archive.process.wait()
    wait_for(lambda: not processes_of(folder), STOP_SECONDS)


WEB_WITH_LITTLE_MEMORY = """
import archive.serving.child as child
from django.conf import settings
settings.WEB_MEMORY_MB, child.MEMORY_CHECK_SECONDS, child.START_SECONDS = 1, 1, 20
child.main("web")
"""
"""Every web process has more than that, so each is replaced as soon as it is looked at."""


@pytest.mark.one_engine
def test_a_web_process_with_too_much_memory_is_replaced_and_whoever_asks_is_answered(archive, tmp_path):
    place = ("127.0.0.1", free_port())
    own = {"ARCHIVE_BIND": f"127.0.0.1:{place[1]}", "DJANGO_SETTINGS_MODULE": "archive.project.settings"}
    log = tmp_path / "web.log"
    with log.open("w") as output:
        web = subprocess.Popen(
            [sys.executable, "-c", WEB_WITH_LITTLE_MEMORY],
            cwd=ROOT, env=archive.environment | own, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    asked = f"http://127.0.0.1:{place[1]}/api/v1/positions/shogi/{START}"
    try:
        wait_for(lambda: opens(place), START_SECONDS, log)
        first, until = workers_of(web.pid), time.monotonic() + START_SECONDS
        while first <= (there := workers_of(web.pid)):
            assert time.monotonic() < until
            assert status_of(asked) == 200
            # Without a pause for who is replaced: as soon as another one begins beside it.
            time.sleep(0.02 if there > first else 0.2)
        assert status_of(asked) == 200
        assert workers_of(web.pid)
    finally:
        web.terminate()
        web.wait(timeout=STOP_SECONDS)
    said = log.read_text()
    assert "Traceback" not in said
    assert "Unexpected exit" not in said


def status_of(asked: str) -> int:
    """The status of the answer. A connection that waits for a web process at the moment it ends is reset by
    Linux (docs/operations.md says so); browsers and proxies then ask again, once, and so does this."""
    try:
        with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:
            return int(answer.status)
    except (ConnectionResetError, RemoteDisconnected):
        with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:
            return int(answer.status)


def opens(place: tuple[str, int]) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(place) == 0


def workers_of(pid: int) -> set[int]:
    """The processes that a granian has begun, without what watches over semaphores."""
    found = set()
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(OSError):  # it may have ended just now
            if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes():
                found.add(int(child))
    return found
