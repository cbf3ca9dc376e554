"""Databases of tests on Citus, of which ARCHIVE_TEST_CITUS names servers that have the extension:
`host:port,host:port,...`, the first of them the coordinator, each with the superuser `postgres`.

    ARCHIVE_TEST_CITUS=127.0.0.1:5600,127.0.0.1:5601 python -m tests.citus pytest --database tests/archive

Every process has a database of its own, on each server one of the same name.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import psycopg

VARIABLE: Final = "ARCHIVE_TEST_CITUS"
SHARDS: Final = 4

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


def make(name: str) -> None:
    """Make the databases of this name, with the extension, and tell the coordinator of the others."""
    drop(name)
    coordinator, *nodes = servers()
    for server in (coordinator, *nodes):
        with asked(server) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        with asked(server, name) as connection:
            connection.execute("CREATE EXTENSION citus")
    with asked(coordinator, name) as connection:
        connection.execute("SELECT citus_set_coordinator_host(%s, %s)", coordinator)
        for node in nodes:
            connection.execute("SELECT citus_add_node(%s, %s)", node)


def drop(name: str) -> None:
    """Drop the databases of this name, whoever is connected."""
    for server in servers():
        with asked(server) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


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
