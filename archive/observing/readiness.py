"""Readiness of the archive by component, in states that reveal nothing about the installation.

Each check is limited to `SECONDS` by the database server or the broker's timeout. A database that hangs
nevertheless blocks the thread of the check; `front_server` then answers instead.
"""

import threading
import time
from typing import Final

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from kombu import Connection
from kombu.exceptions import OperationalError

from archive.index.engine import engine
from archive.models import ProcessRole
from archive.observing import measures
from archive.observing.heartbeats import is_running
from archive.project.disk import MIN_FREE_BYTES, disk_spaces
from archive.project.startup import other_migrations

SECONDS: Final = 2.0
"""The time limit of a check."""

CACHE_SECONDS: Final = 5.0
"""How long the broker's state is cached: each check opens a connection."""

OK: Final = "ok"
AWAY: Final = "away"
UNKNOWN: Final = "unknown"
"""The state of components in the database while it is away."""
WAITING: Final = "waiting"
"""Migrations have to be applied."""
OTHER_VERSION: Final = "other-version"
"""Another version created the tables."""
FULL: Final = "full"
"""A disk has less room than an upload may take."""
WORK_LEFT: Final = "left"
"""There is outstanding work after an update; the archive is ready nevertheless."""
NOT_HEARD: Final = "not-heard"
"""No worker has a recent heartbeat."""

DATABASE: Final = "database"
MIGRATIONS: Final = "migrations"
BROKER: Final = "broker"
WORKER: Final = "worker"
DISK: Final = "disk"
WORK: Final = "work"
CHECKS: Final = (DATABASE, MIGRATIONS, BROKER, WORKER, DISK, WORK)


def checks(names: tuple[str, ...] = CHECKS) -> dict[str, str]:
    """Return the states of components by name. A broker of files, which has no server, is left out."""
    states = dict.fromkeys((DATABASE, MIGRATIONS, WORKER), UNKNOWN)
    states |= _of_database(frozenset(names))
    if BROKER in names and has_broker():
        states[BROKER] = _broker.state()
    if DISK in names:
        states[DISK] = FULL if any(disk.free < MIN_FREE_BYTES for disk in disk_spaces().values()) else OK
    return {name: states[name] for name in CHECKS if name in names and name in states}


def _of_database(names: frozenset[str]) -> dict[str, str]:
    """Return the state of the database and, if it answers, of components in it."""
    if not names & {DATABASE, MIGRATIONS, WORKER, WORK}:
        return {}
    states: dict[str, str] = {}
    migrations = UNKNOWN
    try:
        with engine().time_limit(SECONDS):
            migrations = _migrations.state()
            states |= {DATABASE: OK, MIGRATIONS: migrations}
            if migrations == OK:
                states[WORKER] = OK if is_running(ProcessRole.WORKER) else NOT_HEARD
        if WORK in names and migrations == OK:
            # It has time limits of its own.
            states[WORK] = WORK_LEFT if measures.work_left() else OK
    except (Error, TimeoutError):
        return {DATABASE: AWAY}
    return states


class _Migrations:
    """The migrations of this version. They do not change while a process runs, and loading them takes longer
    than all other checks."""

    def __init__(self) -> None:
        self.needed: frozenset[tuple[str, str]] | None = None

    def state(self) -> str:
        """Return OK, WAITING or OTHER_VERSION. Raises Error if the database does not answer."""
        applied = frozenset(MigrationRecorder(connection).applied_migrations())
        if self.needed is not None and self.needed <= applied:
            return OK
        if other_migrations(connection):
            return OTHER_VERSION
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return WAITING
        self.needed = applied
        return OK


def has_broker() -> bool:
    """Return whether the broker is a server."""
    return not str(settings.CELERY_BROKER_URL).startswith("filesystem://")


def broker_answers() -> bool:
    """Return whether the broker accepts a connection within `SECONDS`."""
    address = str(settings.CELERY_BROKER_URL)
    patience = {"socket_timeout": SECONDS, "socket_connect_timeout": SECONDS}
    options = patience if address.startswith(("redis://", "rediss://")) else {}
    with Connection(address, connect_timeout=SECONDS, transport_options=options) as broker:
        try:
            broker.connect()
        except (OperationalError, OSError, *broker.connection_errors, *broker.channel_errors):  # type: ignore[misc]
            return False
    return True


class _Broker:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.until = 0.0
        self.answers = False

    def state(self) -> str:
        with self.lock:
            if time.monotonic() >= self.until:
                self.answers = broker_answers()
                self.until = time.monotonic() + CACHE_SECONDS
            return OK if self.answers else AWAY


_migrations = _Migrations()
_broker = _Broker()
