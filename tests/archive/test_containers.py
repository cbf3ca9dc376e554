"""The files for containers and for systemd say what runs; what they run is run here without them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import yaml
from jsonschema import Draft7Validator

from tests import postgres
from tests.archive.games import KIF
from tests.archive.test_deployment import SECRET, run
from tests.faults.servers import redis_server
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

DOCKER: Final = ROOT / "docker"
UNITS: Final = ROOT / "deploy" / "systemd"
FILES: Final = ("compose.yaml", "compose.scale.yaml")
FILLED: Final = {
    "ARCHIVE_PUBLIC_URL": "https://kifu.example", "SECRET_KEY": SECRET, "POSTGRES_PASSWORD": "p1",
    "RABBITMQ_PASSWORD": "r1",
}  # fmt: skip
"""What somebody writes into `.env`."""
VARIABLE: Final = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
ONCE: Final = {"migrate", "nodes", "distribute"}
"""Services that end when they have done what they are for."""


def loaded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DOCKER / name).read_text())
    return found


def put_together(below: Any, above: Any) -> Any:
    """Two values as compose makes one of them: maps by key, commands of the second, other lists of both."""
    if isinstance(below, dict) and isinstance(above, dict):
        return below | {
            key: value if key in ("command", "entrypoint") else put_together(below.get(key), value)
            for key, value in above.items()
        }
    return [*below, *above] if isinstance(below, list) and isinstance(above, list) else above


def services(scale: bool) -> dict[str, dict[str, Any]]:
    """The services of the one file, or of both together."""
    found = loaded(FILES[0])["services"]
    if scale:
        for name, service in loaded(FILES[1])["services"].items():
            base = found[service["extends"]["service"]] if "extends" in service else found.get(name, {})
            found[name] = put_together(base, service)
    filled: dict[str, dict[str, Any]] = json.loads(interpolated(json.dumps(found)))
    return filled


def interpolated(text: str) -> str:
    """A text with its variables as `.env` has them; fails for one that must be set and is not."""

    def value(match: re.Match[str]) -> str:
        name, how, default = match.groups()
        return FILLED.get(name) or {"-": default or ""}[how]

    return VARIABLE.sub(value, text)


BOTH: Final = pytest.mark.parametrize("scale", [False, True], ids=["compose", "scale"])


# --- what the files say ----------------------------------------------------------------------------------


@pytest.mark.one_engine
@pytest.mark.parametrize("name", FILES)
def test_the_files_are_what_the_specification_of_compose_allows(name):
    schema = json.loads((ROOT / "tests/data/compose/compose-spec.json").read_text())
    assert [error.message for error in Draft7Validator(schema).iter_errors(loaded(name))] == []


@pytest.mark.one_engine
@BOTH
def test_no_container_is_root_may_write_where_it_pleases_or_has_no_limits(scale):
    for name, service in services(scale).items():
        assert re.match(r"[1-9]\d*(:[1-9]\d*)?$", service["user"]), name
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"] and "cap_add" not in service, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert {"mem_limit", "pids_limit", "cpus"} <= service.keys(), name
        assert ("test" in service.get("healthcheck", {})) is (name not in ONCE), name
        assert service["restart"] == ("no" if name in ONCE else "unless-stopped"), name


@pytest.mark.one_engine
@BOTH
def test_only_the_proxy_is_reached_from_outside_and_who_sends_mails_or_webhooks_gets_out(scale):
    found = services(scale)
    assert [name for name, service in found.items() if "ports" in service] == ["proxy"]
    assert {name for name, service in found.items() if "outside" in service["networks"]} == {
        "proxy", "web", "scheduler",
    }  # fmt: skip
    volumes = {name for file in FILES[: scale + 1] for name in loaded(file)["volumes"]}
    for name, service in found.items():
        assert service.get("depends_on", {}).keys() <= found.keys(), name
        for needed, how in service.get("depends_on", {}).items():
            ends = how["condition"] == "service_completed_successfully"
            assert ends is (needed in ONCE), (name, needed)
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DOCKER / source).is_file(), (name, volume)
            elif ":" in volume:
                assert source in volumes, (name, volume)


@pytest.mark.one_engine
def test_all_that_can_be_set_stands_in_the_example_and_nothing_else():
    used = {match[1] for name in FILES for match in VARIABLE.finditer((DOCKER / name).read_text())}
    example = (DOCKER / ".env.example").read_text()
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) == used - {"CITUS_IMAGE"}
    must = {
        match[1]
        for name in FILES
        for match in VARIABLE.finditer((DOCKER / name).read_text())
        if match[2] == "?"
    }
    assert must == FILLED.keys()


@pytest.mark.one_engine
@BOTH
def test_the_deployment_check_has_nothing_to_say_of_the_settings(tmp_path, scale):
    ours = [service for service in services(scale).values() if service["image"] == "kifu-archive"]
    # Most have the same, which is asked about once.
    for told in {json.dumps(service["environment"], sort_keys=True) for service in ours}:
        environment = {key: str(value) for key, value in json.loads(told).items()}
        command = ("-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING")
        found = run(tmp_path, *command, **environment)
        assert found.returncode == 0, found.stderr
        assert "no issues" in found.stdout


@pytest.mark.one_engine
def test_the_image_has_all_that_it_copies_and_runs_the_web_process_by_itself():
    text = (DOCKER / "Dockerfile").read_text()
    for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE):
        *sources, _to = line.split()
        assert all((ROOT / source).exists() for source in sources), line
    archive = text.partition("\nFROM caddy")[0]
    assert (
        json.loads(re.findall(r"^CMD (.+)$", archive, re.MULTILINE)[-1]) == services(False)["web"]["command"]
    )
    assert re.findall(r"^USER (.+)$", archive, re.MULTILINE) == [services(False)["web"]["user"]]


@pytest.mark.one_engine
@pytest.mark.parametrize("folder", ["dumps", "columns"])
@pytest.mark.parametrize("scale", [False, True])
def test_what_workers_write_for_web_processes_lies_in_a_volume_of_both(scale, folder):
    found = services(scale)
    place = f"/data/{folder}"
    workers = [name for name in found if name.startswith("worker")]
    for name in ("web", *workers):
        volumes = dict(volume.split(":")[1::-1] for volume in found[name]["volumes"] if ":" in volume)
        assert volumes.get(place) == folder, name
    assert place in (DOCKER / "Dockerfile").read_text()


@pytest.mark.one_engine
def test_forwarded_addresses_are_believed_from_the_network_of_the_proxy():
    networks = loaded(FILES[0])["networks"]
    assert networks["inside"]["internal"]
    (inside,) = networks["inside"]["ipam"]["config"]
    assert services(False)["web"]["environment"]["ARCHIVE_TRUSTED_PROXIES"] == inside["subnet"]


@pytest.mark.one_engine
def test_the_proxy_has_patience_with_slow_visitors_in_place_of_the_archive():
    text = (DOCKER / "Caddyfile").read_text()
    words = ("request_buffers", "response_buffers", "read_header", "read_body", "max_size")
    assert [word for word in words if word not in text] == []


@pytest.mark.one_engine
@BOTH
def test_every_setting_is_one_of_ours(scale):
    known = (ROOT / "archive" / "project" / "settings.py").read_text()
    found = services(scale)
    ours = [name for name, service in found.items() if service["image"] == "kifu-archive"]
    assert {name for one in ours for name in found[one]["environment"] if f'"{name}"' not in known} == set()


# --- what the commands do --------------------------------------------------------------------------------


def ours(command: Sequence[str]) -> list[str]:
    """A command of the image with this Python."""
    assert command[0] == "python"
    return [sys.executable, *command[1:]]


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    with log.open("w") as output:
        process = subprocess.Popen(ours(command), cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=STOP_SECONDS)
        process.kill()
        process.wait()


@pytest.mark.one_engine
@pytest.mark.worker
def test_every_command_of_the_image_is_run_and_its_health_is_told(tmp_path):
    if shutil.which("redis-server") is None:
        reason = "there is no redis-server on this machine"
        print(reason)
        pytest.skip(reason)
    found = services(scale=False)
    image = {name: service for name, service in found.items() if service["image"] == "kifu-archive"}
    assert image.keys() == {"migrate", "web", "worker", "scheduler"}
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    broker, port = free_port(), free_port()
    with ExitStack() as stack:
        own = stack.enter_context(database())
        stack.enter_context(redis_server(broker))

        def environment(name: str) -> dict[str, str]:
            told = {key: str(value) for key, value in image[name]["environment"].items()}
            if not own:  # SQLite
                del told["DATABASE_URL"]
            there = {"CELERY_BROKER_URL": f"redis://127.0.0.1:{broker}/0", "ARCHIVE_SWEEP_SECONDS": "1"}
            here = {"ARCHIVE_DATA_DIR": str(tmp_path), "ARCHIVE_BIND": f"0.0.0.0:{port}"}
            return kept | told | own | there | here

        def healthy(name: str) -> bool:
            test = image[name]["healthcheck"]["test"]
            assert test[0] == "CMD"
            asked = subprocess.run(
                ours(test[1:]), cwd=ROOT, env=environment(name), capture_output=True,
                text=True, timeout=START_SECONDS, check=False,
            )  # fmt: skip
            assert asked.returncode in (0, 1), asked.stderr
            assert bool(asked.stderr) is bool(asked.returncode)
            return asked.returncode == 0

        subprocess.run(
            ours(image["migrate"]["command"]), cwd=ROOT, env=environment("migrate"), timeout=START_SECONDS,
            stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        roles = [name for name in image if name != "migrate"]
        assert [healthy(name) for name in roles] == [False, False, False]
        logs = {name: tmp_path / f"{name}.log" for name in roles}
        for name, log in logs.items():
            stack.enter_context(running(image[name]["command"], environment(name), log))
        # To ask costs a process of its own each time, so nobody is asked who cannot be well yet.
        wait_for(lambda: listens(port), START_SECONDS, logs["web"])
        for name, log in logs.items():
            wait_for(lambda name=name: healthy(name), START_SECONDS, log)  # type: ignore[misc]


def listens(port: int) -> bool:
    """Whether somebody on this machine listens at a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# The test above runs them on both engines, and what is stored there by processes `test_serve` asks.
@pytest.mark.worker
@pytest.mark.one_engine
def test_the_commands_work_without_a_terminal(tmp_path):
    found = services(scale=False)
    with database() as address:
        environment = os.environ | {
            "ARCHIVE_DATA_DIR": str(tmp_path),
            "ARCHIVE_BIND": f"127.0.0.1:{free_port()}",
            "ARCHIVE_WEB_WORKERS": "1",
            "ARCHIVE_ANONYMOUS_UPLOAD": "1",
            **address,
        }
        subprocess.run(
            ours(found["migrate"]["command"]),
            cwd=ROOT,
            env=environment,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=START_SECONDS,
        )
        running = [
            _start(service, found[service]["command"], environment, tmp_path)
            for service in ("web", "worker", "scheduler")
        ]
        archive = Archive(
            running[0], f"http://{environment['ARCHIVE_BIND']}", environment, tmp_path / "web.log"
        )
        try:
            wait_for(lambda: answers(archive), START_SECONDS, archive.log)
            assert archive.wait_done(archive.post_text(KIF, "game.kif"))["entries"]["stored"] == 1
            wait_for(lambda: not _starting(running[2]), START_SECONDS)
        finally:
            for process in running:
                process.terminate()
        assert [process.wait(timeout=STOP_SECONDS) for process in running] == [0, 0, 0]


def _starting(process: subprocess.Popen[str]) -> bool:
    """Whether the process has not yet said what it does on SIGTERM."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return not int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def _start(
    service: str, command: Sequence[str], environment: dict[str, str], folder: Path
) -> subprocess.Popen[str]:
    with (folder / f"{service}.log").open("wb") as log:
        return subprocess.Popen(
            ours(command),
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.mark.worker
@pytest.mark.one_engine
def test_a_replica_copies_the_database_once_and_follows_it(tmp_path_factory):
    """With what the replica's container runs, on another socket in place of another machine."""
    runner = postgres.Runner()
    # A short path: sockets have names of at most 107 bytes.
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    folder.chmod(0o755)
    (folder / "replica").mkdir()
    runner.own(folder / "replica")
    runner.own(folder)
    programs = postgres.make_cluster(runner, folder)
    server = postgres.start_server(runner, programs, folder)
    replica: subprocess.Popen[bytes] | None = None
    environment = {
        "PATH": f"{programs}:{os.defpath}", "PRIMARY_HOST": str(folder), "PGUSER": "postgres",
        "PGDATA": str(folder / "replica" / "data"), "LC_ALL": "C.UTF-8",
    }  # fmt: skip

    def rows() -> int:
        there = {"host": str(folder / "replica"), "user": "postgres", "dbname": "postgres"}
        with suppress(psycopg.Error), psycopg.connect(**there) as replica:
            return int(replica.execute("SELECT count(*) FROM kept").fetchall()[0][0])
        return 0

    def start() -> subprocess.Popen[bytes]:
        options = ["-c", "hot_standby=on", "-c", "listen_addresses=", "-k", str(folder / "replica")]
        with (folder / "replica.log").open("ab") as output:
            return subprocess.Popen(
                ["sh", DOCKER / "replica.sh", *options], env=environment, cwd=folder, stdout=output,
                stderr=output, **runner.identity(),
            )  # fmt: skip

    try:
        postgres.wait_for_server(server, folder)
        with psycopg.connect(
            host=str(folder), user="postgres", dbname="postgres", autocommit=True
        ) as primary:
            primary.execute("CREATE TABLE kept (n int)")
            for count in (1, 2):
                replica = start()
                primary.execute("INSERT INTO kept VALUES (1)")
                wait_for(lambda n=count: rows() == n, START_SECONDS, folder / "replica.log")  # type: ignore[misc]
                replica.terminate()
                replica.wait(timeout=STOP_SECONDS)
    finally:
        for process in filter(None, (replica, server)):
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.one_engine
def test_a_new_primary_lets_replicas_in_who_know_the_password(tmp_path):
    (tmp_path / "pg_hba.conf").write_text("local all all trust\n")
    environment = {"PATH": os.defpath, "PGDATA": str(tmp_path), "POSTGRES_USER": "archive"}
    subprocess.run(["sh", DOCKER / "replicas-may-come.sh"], env=environment, check=True)
    *_, last = (tmp_path / "pg_hba.conf").read_text().splitlines()
    assert last.split() == ["host", "replication", "archive", "all", "scram-sha-256"]


@pytest.mark.one_engine
def test_the_proxy_understands_its_file(tmp_path):
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DOCKER / "Caddyfile")]
    version = ["caddy", "version"]
    told = subprocess.check_output(version, text=True) if shutil.which("caddy") else ""
    if tuple(int(part) for part in re.findall(r"\d+", told)[:2]) < (2, 7):
        reason = "there is no Caddy on this machine, or one from before 2.7"
        print(reason)
        pytest.skip(reason)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ARCHIVE_PUBLIC_URL": "https://kifu.example",
    }
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


# --- systemd ---------------------------------------------------------------------------------------------


def settings_of(unit: Path) -> dict[str, list[str]]:
    """What a unit says, by name, whatever section that stands in."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text().splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


@pytest.mark.one_engine
def test_the_units_run_what_the_containers_run():
    found = {
        unit.name: shlex.split(settings_of(unit)["ExecStart"][0])[1:]
        for unit in sorted(UNITS.glob("*.service"))
    }
    names = ("web", "worker", "scheduler", "migrate", "analyst", "network")
    commands = {name: services(True)[name]["command"][1:] for name in names}
    assert found == {
        "kifu-archive-web.service": commands["web"],
        "kifu-archive-worker@.service": commands["worker"],
        "kifu-archive-scheduler.service": commands["scheduler"],
        "kifu-archive-migrate.service": commands["migrate"],
        "kifu-archive-analyst@.service": commands["analyst"],
        "kifu-archive-network.service": commands["network"],
    }
    wanted = settings_of(UNITS / "kifu-archive.target")["Wants"][0].split()
    assert {re.sub("@1", "@", name) for name in wanted} == {
        "kifu-archive-web.service", "kifu-archive-worker@.service", "kifu-archive-scheduler.service",
    }  # fmt: skip


@pytest.mark.one_engine
def test_workers_that_always_have_something_to_do_give_way_to_the_others():
    scaled = services(True)
    shares = [scaled[name].get("cpu_shares", 1024) for name in ("network", "analyst", "worker")]
    names = ("kifu-archive-network", "kifu-archive-analyst@", "kifu-archive-worker@")
    units = [settings_of(UNITS / f"{name}.service") for name in names]
    weights = [int(unit.get("CPUWeight", ["100"])[0]) for unit in units]
    for ordered in (shares, weights):
        assert ordered == sorted(set(ordered))
    builds = [one["build"].get("args") for one in scaled.values() if one["image"] == "kifu-archive"]
    assert all(one == builds[0] for one in builds), "the scheduler knows of engines and network"


@pytest.mark.one_engine
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path):
    if shutil.which("systemd-analyze") is None:
        reason = "there is no systemd-analyze on this machine"
        print(reason)
        pytest.skip(reason)
    for unit in UNITS.iterdir():
        text = unit.read_text().replace("/opt/kifu-archive/.venv/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(text)
    names = [
        "kifu-archive.target", "kifu-archive-worker@1.service", "kifu-archive-analyst@1.service",
        "kifu-archive-migrate.service", "kifu-archive-network.service",
    ]  # fmt: skip
    for name in names[1:3]:
        (tmp_path / name).write_text((tmp_path / name.replace("@1", "@")).read_text())
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in names)],
        capture_output=True, text=True, check=False, env=os.environ | {"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )  # fmt: skip
    ours = [line for line in found.stderr.splitlines() if "kifu" in line]
    assert (found.returncode, ours) == (0, []), found.stderr


@pytest.mark.one_engine
def test_the_deployment_check_has_nothing_to_say_of_the_settings_for_the_units(tmp_path):
    example = (UNITS / "kifu-archive.env.example").read_text()
    environment = dict(
        line.split("=", 1) for line in example.splitlines() if line and not line.startswith("#")
    )
    environment |= {"SECRET_KEY": SECRET, "ARCHIVE_DATA_DIR": str(tmp_path)}
    found = run(
        tmp_path, "-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING", **environment
    )
    assert found.returncode == 0, found.stderr
