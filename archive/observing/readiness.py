"""Whether the archive can do what it is for, part by part, in words that tell nothing of how it is set up.

Each look is bounded: the server ends a statement after `SECONDS`, a broker is given as long. A database that
does not even answer that keeps the thread that asks; `front_server` answers in its place then.
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
from archive.models import HeardProcess
from archive.observing import measures
from archive.observing.heartbeats import heard_lately
from archive.project.disk import LEAST_BYTES, disk_spaces
from archive.project.startup import other_migrations

SECONDS: Final = 2.0
"""How long a part is given for its answer."""

KEPT_SECONDS: Final = 5.0
"""How long is told what was found out about the broker: each look makes a connection."""

OK: Final = "ok"
AWAY: Final = "away"
UNKNOWN: Final = "unknown"
"""Of what stands in the database while it is away."""
WAITING: Final = "waiting"
"""Of migrations that are to be run."""
OTHER_VERSION: Final = "other-version"
"""Tables that another version made."""
FULL: Final = "full"
"""Of disks with less room than an upload may take."""
LEFT: Final = "left"
"""Of what an update has left to be done: the archive is ready meanwhile."""
NOT_HEARD: Final = "not-heard"
"""Of workers, where none has told lately that it is there."""

DATABASE: Final = "database"
MIGRATIONS: Final = "migrations"
BROKER: Final = "broker"
WORKER: Final = "worker"
DISK: Final = "disk"
WORK: Final = "work"
CHECKS: Final = (DATABASE, MIGRATIONS, BROKER, WORKER, DISK, WORK)


def checks(names: tuple[str, ...] = CHECKS) -> dict[str, str]:
    """Return how each of these parts is, by name; a broker of files has no server to ask and is left out."""
    found = dict.fromkeys((DATABASE, MIGRATIONS, WORKER), UNKNOWN)
    found |= _of_database(frozenset(names))
    if BROKER in names and has_broker():
        found[BROKER] = _broker.state()
    if DISK in names:
        found[DISK] = FULL if any(one.free < LEAST_BYTES for one in disk_spaces().values()) else OK
    return {name: found[name] for name in CHECKS if name in names and name in found}


def _of_database(names: frozenset[str]) -> dict[str, str]:
    """Return how the database is and, as far as it answers, what stands in it."""
    if not names & {DATABASE, MIGRATIONS, WORKER, WORK}:
        return {}
    found: dict[str, str] = {}
    state = UNKNOWN
    try:
        with engine().time_limit(SECONDS):
            state = _migrations.state()
            found |= {DATABASE: OK, MIGRATIONS: state}
            if state == OK:
                heard = heard_lately(HeardProcess.Role.WORKER)
                found[WORKER] = OK if heard else NOT_HEARD
        if WORK in names and state == OK:
            # It has limits of its own.
            found[WORK] = LEFT if measures.work_left() else OK
    except (Error, TimeoutError):
        return {DATABASE: AWAY}
    return found


class _Migrations:
    """The migrations of this version: to find out which there are takes longer than everything else here, and
    they stay the same while a process lives."""

    def __init__(self) -> None:
        self.needed: frozenset[tuple[str, str]] | None = None

    def state(self) -> str:
        """Return whether all are applied. Raises Error where the database does not answer."""
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
    """Return whether messages go through a server that can be away."""
    return not str(settings.CELERY_BROKER_URL).startswith("filesystem://")


def broker_answers() -> bool:
    """Return whether the broker lets us in, within a few seconds."""
    address = str(settings.CELERY_BROKER_URL)
    patience = {"socket_timeout": SECONDS, "socket_connect_timeout": SECONDS}
    options = patience if address.startswith(("redis://", "rediss://")) else {}
    with Connection(address, connect_timeout=SECONDS, transport_options=options) as asked:
        try:
            asked.connect()
        except (OperationalError, OSError, *asked.connection_errors, *asked.channel_errors):  # type: ignore[misc]
            return False
    return True


class _Broker:
    """The broker's state, asked now and then."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.until = 0.0
        self.answers = False

    def state(self) -> str:
        with self.lock:
            if time.monotonic() >= self.until:
                self.answers = broker_answers()
                self.until = time.monotonic() + KEPT_SECONDS
            return OK if self.answers else AWAY


_migrations = _Migrations()
_broker = _Broker()
