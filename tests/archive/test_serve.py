"""`manage.py serve` as a user knows it: one command, real processes, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.archive.games import CSA, KIF, START
from tests.serving import ROOT, archive_at, children_of, processes_of, started, wait_for

pytestmark = pytest.mark.worker


def test_an_upload_becomes_a_game_and_is_there_after_a_restart(tmp_path):
    with archive_at(tmp_path) as archive:
        upload = archive.post_text(KIF, "game.kif")
        assert archive.wait_done(upload)["entries"]["stored"] == 1
        assert archive.stop() == 0
        with started(archive.environment, archive.log) as again:
            assert again.get(f"/api/v1/positions/shogi/{START}")["total"] == 1


def test_an_empty_archive_starts_with_the_sample_games_and_loads_them_once(tmp_path):
    with archive_at(tmp_path, ARCHIVE_SAMPLES="1") as archive:
        first = archive.get(f"/api/v1/positions/shogi/{START}")["total"]
        assert first > 20
        archive.stop()
        with started(archive.environment, archive.log) as again:
            assert again.get(f"/api/v1/positions/shogi/{START}")["total"] == first


def test_no_process_is_left_ten_seconds_after_serve_was_killed(tmp_path):
    with archive_at(tmp_path) as archive:
        assert len(processes_of(tmp_path)) >= 4
        archive.process.send_signal(signal.SIGKILL)
        archive.process.wait()
        wait_for(lambda: not processes_of(tmp_path), 10)


def test_no_process_is_left_after_a_polite_stop(tmp_path):
    with archive_at(tmp_path) as archive:
        assert archive.stop() == 0
        assert processes_of(tmp_path) == set()


def test_a_killed_worker_is_replaced_and_the_next_upload_is_read(tmp_path):
    with archive_at(tmp_path) as archive:
        archive.wait_done(archive.post_text(KIF, "first.kif"))
        (worker,) = children_of(archive, "worker")
        os.kill(worker, signal.SIGKILL)
        upload = archive.post_text(CSA.replace("後手の人", "三人目"), "second.csa")
        assert archive.wait_done(upload)["entries"]["stored"] == 1
        assert children_of(archive, "worker") != [worker]


def test_an_upload_whose_message_was_lost_is_found_by_the_sweeper(tmp_path):
    with archive_at(tmp_path, ARCHIVE_SWEEP_SECONDS="1", ARCHIVE_MESSAGE_SECONDS="1") as archive:
        for worker in children_of(archive, "worker"):
            os.kill(worker, signal.SIGSTOP)
        upload = archive.post_text(KIF, "game.kif")
        queue = tmp_path / "broker" / "queue"
        for message in queue.glob("*.msg"):
            message.unlink()
        for worker in children_of(archive, "worker"):
            os.kill(worker, signal.SIGCONT)
        assert archive.wait_done(upload)["entries"]["stored"] == 1


def test_a_second_archive_on_the_same_folder_says_why_it_does_not_start(tmp_path):
    with archive_at(tmp_path) as archive:
        second = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT, env=archive.environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert second.returncode != 0
        assert "already runs" in second.stderr


def test_a_port_in_use_is_named(tmp_path):
    with archive_at(tmp_path / "one") as archive:
        environment = archive.environment | {"ARCHIVE_DATA_DIR": str(tmp_path / "two")}
        second = subprocess.run(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert second.returncode != 0
        assert archive.environment["ARCHIVE_BIND"] in second.stderr
