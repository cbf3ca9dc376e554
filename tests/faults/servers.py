"""Servers that can be killed: PostgreSQL and Redis, started for a campaign in a temporary folder."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

import psycopg

from tests import postgres
from tests.serving import migrate

START_SECONDS = 180


CLUSTER: Final = "KIFU_MIGRATED_CLUSTER"
"""The variable that names the folder of a cluster which others begin as."""


class Postgres:
    """A PostgreSQL server of our own that keeps what it has committed.

    Where there is a cluster that has its tables (`migrated_cluster`), it begins as that one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runner = postgres.Runner()
        self.runner.own(folder)
        self.programs = postgres.make_cluster(self.runner, folder, like=os.environ.get(CLUSTER))
        self.start()

    @property
    def address(self) -> str:
        return postgres.address_of(self.folder)

    def start(self) -> None:
        """Start it, again where it was killed; returns when it takes connections."""
        self.process = postgres.start_server(self.runner, self.programs, self.folder, synchronous_commit="on")
        postgres.wait_for_server(self.process, self.folder)

    def kill(self) -> None:
        """kill -9 the server and all its processes."""
        for pid in [*children_of(self.process.pid), self.process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def revive(self) -> None:
        """Have it take connections again: a server that cannot write may recover, or end."""
        try:
            postgres.wait_for_server(self.process, self.folder)
        except RuntimeError:
            self.kill()
            self.start()

    def drop_connections(self) -> None:
        """End every connection but our own."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    def deadlocks(self) -> int:
        """How many there have been since it was started last."""
        return (self.folder / "log").read_text().count("deadlock detected")

    def stop(self) -> None:
        """End it in good order."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=START_SECONDS)


@cache
def migrated_cluster() -> None:
    """Have servers of this process and of the programs that it runs begin with tables that are made once."""
    folder = Path(tempfile.mkdtemp(prefix="kifu-cluster-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder)
    folder.chmod(0o755)
    (folder / "server").mkdir()
    server = Postgres(folder / "server")
    try:
        migrate(folder / "data", DATABASE_URL=server.address, SECRET_KEY="only-for-tests")
    finally:
        server.stop()
    os.environ[CLUSTER] = str(server.folder)


def children_of(parent: int) -> list[int]:
    """Return the ids of a process's children."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(entry.name))
    return found


@contextmanager
def redis_server(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A Redis server without a file on a port of this machine."""
    process = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for_port(port)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def rabbitmq_host() -> Iterator[str | None]:
    """The address of a virtual host of our own on this machine's RabbitMQ; None where none can be made."""
    name = f"kifu-{secrets.token_hex(6)}"
    if not _rabbitmq("add_vhost", name):
        yield None
        return
    try:
        _rabbitmq("set_permissions", "-p", name, "guest", ".*", ".*", ".*")
        yield f"amqp://guest:guest@127.0.0.1:5672/{name}"
    finally:
        _rabbitmq("delete_vhost", name)


def _rabbitmq(*words: str) -> bool:
    """Whether a command to the server worked."""
    program = shutil.which("rabbitmqctl")
    if program is None:
        return False
    return subprocess.run([program, *words], check=False, capture_output=True).returncode == 0


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
