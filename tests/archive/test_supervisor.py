"""The supervisor behind `manage.py serve`: it restarts what dies and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archive.project.startup import REFUSED
from tests.serving import STOP_SECONDS, wait_for

pytestmark = [pytest.mark.worker, pytest.mark.one_engine]

RUN = """
import sys
from archive.serving import supervisor
supervisor.FIRST_PAUSE = 0.05
supervisor.DEATHS_WITHIN = 3600.0  # on a busy machine five starts may take more than a minute
child = supervisor.Child("child", [sys.executable, "-c", sys.argv[1]])
sys.exit(supervisor.Supervisor([child]).run())
"""


@contextmanager
def supervised(program: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", RUN, program]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pids(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def note_pid(path: Path, then: str) -> str:
    return f"import os, time; print(os.getpid(), file=open({str(path)!r}, 'a')); {then}"


def test_a_dead_child_is_started_again(tmp_path):
    noted = tmp_path / "pids"
    with supervised(note_pid(noted, "time.sleep(600)")) as serve:
        wait_for(lambda: len(pids(noted)) == 1, STOP_SECONDS)
        os.kill(pids(noted)[0], signal.SIGKILL)
        wait_for(lambda: len(pids(noted)) == 2, STOP_SECONDS)
        serve.terminate()
        assert serve.wait(timeout=STOP_SECONDS) == 0


def test_a_child_that_dies_five_times_ends_it_with_an_error(tmp_path):
    noted = tmp_path / "pids"
    with supervised(note_pid(noted, "raise SystemExit(3)")) as serve:
        output, _ = serve.communicate(timeout=STOP_SECONDS)
    assert serve.returncode == 1
    assert len(pids(noted)) == 5
    assert "giving up" in output


def test_a_child_that_must_not_run_as_things_are_is_not_started_again(tmp_path):
    noted = tmp_path / "pids"
    with supervised(note_pid(noted, f"raise SystemExit({REFUSED})")) as serve:
        serve.communicate(timeout=STOP_SECONDS)
    assert serve.returncode == REFUSED
    assert len(pids(noted)) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_child_is_left_after_a_polite_signal(tmp_path, number):
    noted = tmp_path / "pids"
    with supervised(note_pid(noted, "time.sleep(600)")) as serve:
        wait_for(lambda: len(pids(noted)) == 1, STOP_SECONDS)
        serve.send_signal(number)
        assert serve.wait(timeout=STOP_SECONDS) == 0
    assert not alive(pids(noted)[0])


def test_grandchildren_of_a_dead_child_are_ended_too(tmp_path):
    noted = tmp_path / "pids"
    grandchild = note_pid(noted, "time.sleep(600)")
    child = f"import subprocess, sys, os; subprocess.Popen([sys.executable, '-c', {grandchild!r}]).wait()"
    with supervised(child) as serve:
        wait_for(lambda: len(pids(noted)) == 1, STOP_SECONDS)
        grandchild_pid = pids(noted)[0]
        os.kill(os.getpgid(grandchild_pid), signal.SIGKILL)  # the child leads the group
        wait_for(lambda: not alive(grandchild_pid), STOP_SECONDS)
        serve.terminate()
        serve.wait(timeout=STOP_SECONDS)
