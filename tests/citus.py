"""Databases of tests on Citus, of which ARCHIVE_TEST_CITUS names servers that have the extension:
`host:port,host:port,...`, the first of them the coordinator, each with the superuser `postgres`.

    ARCHIVE_TEST_CITUS=127.0.0.1:5600,127.0.0.1:5601 python -m tests.citus pytest --database tests/archive

Every process has a database of its own, on each server one of the same name.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psycopg

from tests.postgres import START_SECONDS, Runner, make_cluster, start_server, wait_for_server

VARIABLE: Final = "ARCHIVE_TEST_CITUS"
SHARDS: Final = 4
OF_CLUSTER: Final = {
    "listen_addresses": "127.0.0.1",
    # What is committed outlives the server; "on" would wait for standbys, too.
    "synchronous_commit": "local",
    "shared_preload_libraries": "citus",
    "shared_buffers": "64MB",
    "max_prepared_transactions": "60",
    "wal_level": "logical",
    "citus.node_conninfo": "sslmode=disable",
    "citus.recover_2pc_interval": "-1",
    "citus.enable_statistics_collection": "off",
}

Server = tuple[str, int]


def servers() -> list[Server]:
    """The servers that are given; none where the variable is not set."""
    given = os.environ.get(VARIABLE, "")
    return [(host, int(port)) for host, _, port in (one.rpartition(":") for one in given.split(",") if one)]


@contextmanager
def asked(server: Server, database: str = "postgres") -> Iterator[psycopg.Connection]:
    """A connection to one of the servers."""
    host, port = server
    with psycopg.connect(host=host, port=port, user="postgres", dbname=database, autocommit=True) as found:
        yield found


def make(name: str, among: Sequence[Server] = ()) -> None:
    """Make the databases of this name, on the servers that are given or on others, with the extension, and
    tell the coordinator of the nodes."""
    drop(name, among)
    coordinator, *nodes = among or servers()
    for server in (coordinator, *nodes):
        with asked(server) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        with asked(server, name) as connection:
            connection.execute("CREATE EXTENSION citus")
    with asked(coordinator, name) as connection:
        connection.execute("SELECT citus_set_coordinator_host(%s, %s)", coordinator)
        for node in nodes:
            connection.execute("SELECT citus_add_node(%s, %s)", node)


def drop(name: str, among: Sequence[Server] = ()) -> None:
    """Drop the databases of this name, whoever is connected."""
    for server in among or servers():
        with asked(server) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


class Cluster:
    """Servers of our own, made with the programs of those that are given, that can be killed and started
    again: first the coordinator, then nodes. What stands prepared is recovered by nobody but us."""

    def __init__(self, programs: Path, folder: Path, number: int) -> None:
        self.runner, self.programs = Runner(), programs
        self.ports = free_ports(number)
        self.folders = [folder / str(port) for port in self.ports]
        self.running: dict[int, subprocess.Popen[bytes]] = {}

    def make(self) -> None:
        for number, folder in enumerate(self.folders):
            folder.mkdir()
            self.runner.own(folder)
            make_cluster(self.runner, folder, self.programs)
            self.start(number)

    def start(self, number: int) -> None:
        """Start a server, unless it runs."""
        if number not in self.running:
            settings = OF_CLUSTER | {"port": str(self.ports[number])}
            server = start_server(self.runner, self.programs, self.folders[number], **settings)
            self.running[number] = server
            wait_for_server(server, self.folders[number], self.ports[number])

    def kill(self, number: int) -> None:
        """End a server at once, without a word to anybody, as where its machine loses power."""
        server = self.running.pop(number)
        server.send_signal(signal.SIGQUIT)
        server.wait(timeout=START_SECONDS)

    def end(self) -> None:
        for number in [*self.running]:
            self.kill(number)

    @property
    def servers(self) -> list[Server]:
        return [("127.0.0.1", port) for port in self.ports]


def free_ports(number: int) -> list[int]:
    """Ports of this machine on which nobody listens."""
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)]
        return [one.getsockname()[1] for one in found]


def programs_given() -> Path | None:
    """The folder of the programs of the servers that are given; None where they are not on this machine."""
    if not servers():
        return None
    with asked(servers()[0]) as connection:
        found = connection.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'").fetchone()
    folder = Path(found[0]) if found else Path()
    here = {"localhost", "127.0.0.1", "::1"}.issuperset(host for host, _ in servers())
    return folder if here and os.access(folder / "initdb", os.X_OK) else None


def main(command: Sequence[str]) -> int:
    """Run the command on the servers that are given; its exit code."""
    if not servers():
        print(f"no servers: {VARIABLE} names none")
        return 0
    host, port = servers()[0]
    environment = os.environ | {"DATABASE_URL": f"postgresql://postgres@{host}:{port}/postgres"}
    environment.setdefault("SECRET_KEY", "only-for-tests")
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
