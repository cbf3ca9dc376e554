"""`manage.py serve` as a user knows it: one command, real processes, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.archive.games import CSA, KIF, START
from tests.serving import (
    ROOT,
    START_SECONDS,
    STOP_SECONDS,
    Archive,
    archive_at,
    children_of,
    processes_of,
    started,
    wait_for,
)

pytestmark = pytest.mark.worker


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive that several tests use, one after the other; its sweeper looks every second."""
    folder = tmp_path_factory.mktemp("archive")
    with archive_at(folder, ARCHIVE_SWEEP_SECONDS="1", ARCHIVE_MESSAGE_SECONDS="1") as running:
        yield running


def serve(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`manage.py serve` that is expected to end by itself."""
    command = [sys.executable, "manage.py", "serve"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def game_of(player: str) -> str:
    return CSA.replace("後手の人", player)


def test_an_upload_becomes_a_game(archive):
    total = archive.get(f"/api/v1/positions/shogi/{START}")["total"]
    upload = archive.post_text(game_of("一人目"), "first.csa")
    assert archive.wait_done(upload)["entries"]["stored"] == 1
    assert archive.get(f"/api/v1/positions/shogi/{START}")["total"] == total + 1


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


def test_a_worker_that_is_sent_nothing_starts_anew(tmp_path):
    # As one does that has lost its broker: here nothing is sent, for there is no sweeping.
    with archive_at(tmp_path, ARCHIVE_SILENCE_SECONDS="2", ARCHIVE_TASK_SECONDS="2") as archive:
        (first,) = children_of(archive, "worker")
        wait_for(lambda: first not in children_of(archive, "worker"), START_SECONDS, archive.log)
        wait_for(lambda: children_of(archive, "worker") != [], START_SECONDS, archive.log)
        assert "was sent nothing for 2 s" in archive.log.read_text()


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


def test_a_second_archive_on_the_same_folder_says_why_it_does_not_start(archive):
    second = serve(archive.environment)
    assert second.returncode != 0
    assert "already runs" in second.stderr


def test_a_port_in_use_is_named(archive, tmp_path):
    second = serve(archive.environment | {"ARCHIVE_DATA_DIR": str(tmp_path)})
    assert second.returncode != 0
    assert archive.environment["ARCHIVE_BIND"] in second.stderr


def test_an_empty_archive_loads_the_sample_games_once_and_leaves_no_process_when_it_stops(tmp_path):
    with archive_at(tmp_path, ARCHIVE_SAMPLES="1") as archive:
        samples = archive.get(f"/api/v1/positions/shogi/{START}")["total"]
        assert samples > 20
        assert archive.wait_done(archive.post_text(KIF, "game.kif"))["entries"]["stored"] == 1
        assert archive.stop() == 0
        wait_for(lambda: not processes_of(tmp_path), STOP_SECONDS)
        with started(archive.environment, archive.log) as again:
            assert again.get(f"/api/v1/positions/shogi/{START}")["total"] == samples + 1


def test_no_process_is_left_after_serve_was_killed(tmp_path):
    with archive_at(tmp_path) as archive:
        assert len(processes_of(tmp_path)) >= 4
        archive.process.send_signal(signal.SIGKILL)
        archive.process.wait()
        wait_for(lambda: not processes_of(tmp_path), STOP_SECONDS)
