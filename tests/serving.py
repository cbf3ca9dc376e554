"""Starts real archives for tests: `manage.py serve` with a folder, a port and a database of its own."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[1]
# Below 32768, where Linux begins with the ports of outgoing connections.
FIRST_PORT, LAST_PORT, PORT_RANGES = 20_000, 32_000, 16
# Patience with a busy machine, not a promise of speed.
START_SECONDS = 180
STOP_SECONDS = 120
ANSWER_SECONDS = 120
PROGRAM_SECONDS = 900


@dataclass
class Archive:
    """A running archive: its process, its address, its environment."""

    process: subprocess.Popen[str]
    url: str
    environment: dict[str, str]
    log: Path

    def get(self, path: str) -> Any:
        """The JSON at a path; raises HTTPError."""
        address = path if path.startswith("http") else self.url + path
        with urllib.request.urlopen(address, timeout=ANSWER_SECONDS) as answer:
            return json.load(answer)

    def post_text(self, text: str, name: str) -> int:
        """Upload a record as text; the upload's id."""
        body = json.dumps({"text": text, "name": name}).encode()
        request = urllib.request.Request(
            f"{self.url}/api/v1/uploads", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            upload: int = json.load(answer)["uploads"][0]["id"]
        return upload

    def post_file(self, data: bytes, name: str) -> int:
        """Upload a file; the upload's id."""
        boundary = secrets.token_hex(16)
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        request = urllib.request.Request(f"{self.url}/api/v1/uploads", body, kind)
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            upload: int = json.load(answer)["uploads"][0]["id"]
        return upload

    def entries(self, upload: int) -> Iterator[dict[str, Any]]:
        """All entries of an upload, as the API tells them."""
        address: str | None = f"/api/v1/uploads/{upload}/entries?limit=500"
        while address:
            page = self.get(address)
            yield from page["results"]
            address = page["next_url"]

    def wait_done(self, upload: int) -> dict[str, Any]:
        """The upload's answer once a worker has worked it off."""
        found: dict[str, Any] = {}

        def done() -> bool:
            found.update(self.get(f"/api/v1/uploads/{upload}"))
            return found["state"] in {"done", "failed"}

        wait_for(done, START_SECONDS, self.log)
        return found

    def stop(self) -> int:
        """Ask it to stop as a supervisor of services would; its exit code."""
        self.process.terminate()
        return self.process.wait(timeout=STOP_SECONDS)


def processes_of(folder: Path) -> set[int]:
    """Living processes whose environment names the data folder."""
    found = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if f"ARCHIVE_DATA_DIR={folder}\0".encode() in environment:
            found.add(int(entry.name))
    return found


def children_of(archive: Archive, role: str) -> list[int]:
    """The process ids of an archive's children in that role, without their own children."""
    command, found = f"archive.serving.child\0{role}\0".encode(), []
    for pid in processes_of(Path(archive.environment["ARCHIVE_DATA_DIR"])):
        with suppress(OSError):  # it may have ended just now
            # Each child of `serve` leads a session of its own; what it forks has its command line as well.
            if command in Path(f"/proc/{pid}/cmdline").read_bytes() and os.getsid(pid) == pid:
                found.append(pid)
    return found


def wait_for(condition: Callable[[], bool], seconds: float, log: Path | None = None) -> None:
    """Wait until something holds; fails with the log after so many seconds.

    What is asked costs somebody processor time, who may be busy with what is waited for: the longer it
    takes, the more rarely it is asked.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f"waited {seconds} s in vain\n" + (log.read_text() if log else ""))
        time.sleep(min(0.05 + waited / 10, 0.5))


def free_port() -> int:
    """A port that nobody listens on, and that nobody else will take.

    The system gives outgoing connections ports above these, and each process of the tests has its own.
    """
    process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % PORT_RANGES
    ports = list(range(FIRST_PORT + process, LAST_PORT, PORT_RANGES))
    secrets.SystemRandom().shuffle(ports)
    for port in ports:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


@contextmanager
def database(template: str = "template1") -> Iterator[dict[str, str]]:
    """The environment for a database of its own on the engine under test; only PostgreSQL has templates."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        yield {}
        return
    name = f"kifu_serve_{secrets.token_hex(6)}"
    made = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(made)
        try:
            yield {"DATABASE_URL": f"{url.rpartition('/')[0]}/{name}", "SECRET_KEY": "only-for-tests" * 4}
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


SQLITE_FILE = "archive.sqlite3"
"""What the database is called in an archive's folder."""


def migrate(folder: Path, **address: str) -> None:
    """Make the tables of an archive in a folder, or in the database at an address."""
    environment = os.environ | {"ARCHIVE_DATA_DIR": str(folder), **address}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=START_SECONDS)


@cache
def migrated() -> str:
    """A database that has its tables and nothing else, made once: the file of SQLite, the name on PostgreSQL.

    To make the tables takes longer than to start an archive that has them. It is gone with this process; the
    programs that this process runs find it in their environment.
    """
    variable = "KIFU_MIGRATED_" + ("POSTGRESQL" if os.environ.get("DATABASE_URL") else "SQLITE")
    if variable not in os.environ:
        os.environ[variable] = _made_migrated()
    return os.environ[variable]


def _made_migrated() -> str:
    folder = Path(tempfile.mkdtemp(prefix="kifu-migrated-"))
    atexit.register(shutil.rmtree, folder)
    if not os.environ.get("DATABASE_URL"):
        migrate(folder)
        return str(folder / SQLITE_FILE)
    kept = database()
    address = kept.__enter__()
    atexit.register(kept.__exit__, None, None, None)
    migrate(folder, **address)
    return address["DATABASE_URL"].rpartition("/")[2]


@contextmanager
def migrated_database(folder: Path) -> Iterator[dict[str, str]]:
    """The environment for a database with its tables: what an archive's folder has already, else an empty one
    of its own."""
    with database(migrated()) as address:
        if not address and not (folder / SQLITE_FILE).exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(migrated(), folder / SQLITE_FILE)
        yield address


def constants(folder: Path, **values: int) -> dict[str, str]:
    """An environment in which processes have other values for settings that are no environment variables."""
    changes = "; ".join(f"settings.{name} = {value}" for name, value in values.items())
    code = f"""
import django
from django.conf import settings
setup = django.setup
def changed(*arguments, **options):
    setup(*arguments, **options)
    {changes}
django.setup = changed
"""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": str(folder)}


@contextmanager
def archive_at(folder: Path, **settings: str) -> Iterator[Archive]:
    """An archive that answers, empty unless `settings` say otherwise; it is stopped at the end."""
    with migrated_database(folder) as address:
        environment = os.environ | {
            "ARCHIVE_DATA_DIR": str(folder),
            "ARCHIVE_BIND": f"127.0.0.1:{free_port()}",
            "ARCHIVE_NETWORK": "0",
            "ARCHIVE_SAMPLES": "0",
            "ARCHIVE_ANONYMOUS_UPLOAD": "1",
            "ARCHIVE_WEB_WORKERS": "1",
            "ARCHIVE_ENTRY_SECONDS": str(START_SECONDS),
            "ARCHIVE_READ_SECONDS": str(START_SECONDS),
            "PYTHONUNBUFFERED": "1",
            **address,
            **settings,
        }
        with started(environment, folder / "serve.log") as archive:
            yield archive


@contextmanager
def started(environment: dict[str, str], log: Path) -> Iterator[Archive]:
    """`manage.py serve` with this environment, once it answers."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
    archive = Archive(process, f"http://{environment['ARCHIVE_BIND']}", environment, log)
    try:
        wait_for(lambda: answers(archive), START_SECONDS, log)
        yield archive
    finally:
        try:
            if process.poll() is None:
                archive.stop()
        finally:
            process.kill()  # nothing, unless it did not stop in time
            process.wait()


def answers(archive: Archive) -> bool:
    """Whether the archive is ready; fails where its process has ended by itself."""
    if archive.process.poll() is not None:
        raise AssertionError("it ended by itself\n" + archive.log.read_text())
    try:
        address = f"{archive.url}/readyz?exclude=broker,worker"
        with urllib.request.urlopen(address, timeout=ANSWER_SECONDS) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def said_by(module: str, *words: str) -> str:
    """What a module says that is run as a program of its own; fails where it fails."""
    with subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=PROGRAM_SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()  # politely: it has servers to stop
            raise
    print(said)
    assert process.returncode == 0, said
    return said
