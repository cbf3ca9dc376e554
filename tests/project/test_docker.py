"""The containers' commands, run outside of containers: the image holds what they need, and they work."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.archive.games import KIF
from tests.serving import (
    ROOT,
    START_SECONDS,
    STOP_SECONDS,
    Archive,
    answers,
    database,
    free_port,
    wait_for,
)

DOCKER = ROOT / "docker"
OURS = ("migrate", "web", "worker", "scheduler")


def services() -> dict[str, Any]:
    return yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]


def command_of(service: str) -> list[str]:
    program, *arguments = services()[service]["command"]
    assert program == "python"
    return [sys.executable, *arguments]


def test_the_composition_has_all_parts():
    assert set(services()) == {*OURS, "proxy", "postgres", "valkey"}


def test_only_the_proxy_can_be_reached_from_outside():
    assert [name for name, service in services().items() if "ports" in service] == ["proxy"]
    networks = yaml.safe_load((DOCKER / "compose.yaml").read_text())["networks"]
    assert networks["inside"]["internal"]
    going_out = [name for name, service in services().items() if service["networks"] != ["inside"]]
    assert going_out == ["proxy", "scheduler"]  # which sends webhooks


def test_every_part_of_the_composition_has_limits():
    wanted = {"mem_limit", "cpus", "pids_limit"}
    assert [name for name, service in services().items() if wanted - service.keys()] == []


def test_forwarded_addresses_are_believed_from_the_network_of_the_proxy():
    networks = yaml.safe_load((DOCKER / "compose.yaml").read_text())["networks"]
    (inside,) = networks["inside"]["ipam"]["config"]
    assert services()["web"]["environment"]["ARCHIVE_TRUSTED_PROXIES"] == inside["subnet"]


def test_the_proxy_has_patience_with_slow_visitors_in_place_of_the_archive():
    text = (DOCKER / "Caddyfile").read_text()
    assert "reverse_proxy web:8000" in text
    words = ("request_buffers", "response_buffers", "read_header", "read_body", "max_size")
    assert [word for word in words if word not in text] == []


def test_everything_the_image_copies_exists():
    copied = re.findall(r"^COPY (.+) \S+$", (DOCKER / "Dockerfile").read_text(), re.MULTILINE)
    sources = [source for line in copied for source in line.split()]
    assert "manage.py" in sources
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_starts_the_web_server_by_itself():
    command = re.search(r"^CMD (.+)$", (DOCKER / "Dockerfile").read_text(), re.MULTILINE)
    assert command is not None
    assert yaml.safe_load(command[1]) == services()["web"]["command"]


@pytest.mark.parametrize("service", OURS)
def test_every_setting_of_the_composition_is_one_of_ours(service):
    known = (ROOT / "archive" / "settings.py").read_text()
    assert [name for name in services()[service]["environment"] if f'"{name}"' not in known] == []


@pytest.mark.worker
def test_the_commands_work_without_a_terminal(tmp_path):
    with database() as address:
        environment = os.environ | {
            "ARCHIVE_DATA_DIR": str(tmp_path),
            "ARCHIVE_BIND": f"127.0.0.1:{free_port()}",
            "ARCHIVE_WEB_WORKERS": "1",
            "ARCHIVE_ANONYMOUS_UPLOAD": "1",
            **address,
        }
        subprocess.run(
            command_of("migrate"),
            cwd=ROOT,
            env=environment,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=START_SECONDS,
        )
        running = [_start(service, environment, tmp_path) for service in ("web", "worker", "scheduler")]
        archive = Archive(
            running[0], f"http://{environment['ARCHIVE_BIND']}", environment, tmp_path / "web.log"
        )
        try:
            wait_for(lambda: answers(archive), START_SECONDS, archive.log)
            assert archive.wait_done(archive.post_text(KIF, "game.kif"))["entries"]["stored"] == 1
            wait_for(lambda: any(tmp_path.glob("scheduler*")) and not _starting(running[2]), START_SECONDS)
        finally:
            for process in running:
                process.terminate()
        assert [process.wait(timeout=STOP_SECONDS) for process in running] == [0, 0, 0]


def _starting(process: subprocess.Popen[str]) -> bool:
    """Whether the process has not yet said what it does on SIGTERM."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return not int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def _start(service: str, environment: dict[str, str], folder: Path) -> subprocess.Popen[str]:
    with (folder / f"{service}.log").open("wb") as log:
        return subprocess.Popen(
            command_of(service),
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
        )
