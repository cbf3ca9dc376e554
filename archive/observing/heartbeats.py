"""Heartbeats of workers and schedulers: each process writes its row in the database every few seconds.

A worker may be on another machine, and one of the brokers is a folder of files, so only the database can tell
whether a worker runs. The thread that writes is in the process that runs the tasks, so a worker that cannot
run tasks has no heartbeat.
"""

import logging
import os
import socket
import threading
import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from django.db import Error, connection
from django.db.models import Q
from django.utils import timezone

from archive.models import HeardProcess, ProcessRole
from archive.observing import tally
from archive.project.startup import REFUSED, refuse
from kifu_core import __version__

SECONDS: Final = 10.0
"""Time between two heartbeats."""

LATELY: Final = timedelta(seconds=60)
"""Age of the last heartbeat up to which a process counts as running."""

FORGOTTEN: Final = timedelta(days=1)
"""Age of the last heartbeat after which a process is no longer listed."""

AT_WORK: Final = timedelta(seconds=30)
"""Age of the last heartbeat up to which a process keeps another one of its role from starting."""

PATIENCE: Final = 15.0
"""Seconds that a process waits for an earlier one of its role to end."""

log = logging.getLogger(__name__)


def _here() -> str:
    """Return the suffix of the names of this machine's, or container's, processes."""
    return f"@{socket.gethostname()}"


class Heartbeat:
    """The thread that writes the heartbeats of one process. `number` is the process id of the process or of
    its worker. With `alone` the process ends if another one has its role."""

    def __init__(self, role: ProcessRole, number: int, *, alone: bool = False) -> None:
        self.role = role
        self.alone = alone
        self.name = f"{role}-{number}{_here()}"[:200]
        self.started = timezone.now()
        self.worked: datetime | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        """Write a heartbeat every `SECONDS` until stopped. Errors are logged, and the next one is tried."""
        while True:
            try:
                self.beat()
                if self.alone and (other := self.elder()):
                    log.critical(_TWO, self.role, other, self.role)
                    os._exit(REFUSED)
            except Error as error:
                log.warning("nothing is heard of this process, the database does not take it: %s", error)
            finally:
                connection.close()
            if self.stopped.wait(SECONDS):
                return

    def beat(self) -> None:
        """Write the row of this process and its tally; delete the rows of processes that ended long ago."""
        now = timezone.now()
        values = {"version": __version__, "started": self.started, "seen": now, "worked": self.worked}
        HeardProcess.objects.bulk_create(
            [HeardProcess(name=self.name, role=self.role, **values)],
            update_conflicts=True,
            unique_fields=["name"],
            update_fields=[*values],
        )
        HeardProcess.objects.filter(seen__lt=now - FORGOTTEN).delete()
        tally.write()

    def elder(self) -> str:
        """Return the name of another process of this role that started before; empty if there is none."""
        first = Q(started__lt=self.started) | Q(started=self.started, name__lt=self.name)
        others = HeardProcess.objects.filter(first, role=self.role, seen__gte=timezone.now() - AT_WORK)
        names = others.exclude(name=self.name).order_by("started").values_list("name", flat=True)
        return next((name for name in names if not self._has_ended(name)), "")

    def _has_ended(self, name: str) -> bool:
        number = name.removeprefix(f"{self.role}-").removesuffix(_here())
        if not (name.endswith(_here()) and number.isdigit()):
            return False
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False

    def wait_alone(self) -> None:
        """Wait `PATIENCE` for another process of this role to end; if it does not, end this one. If the
        database does not answer, the next heartbeat checks again."""
        until = time.monotonic() + PATIENCE
        try:
            self.beat()
            while other := self.elder():
                if time.monotonic() > until:
                    self.forget()
                    refuse(_TWO % (self.role, other, self.role))
                time.sleep(1)
        except Error as error:
            log.warning("nobody knows whether this is the only %s: %s", self.role, error)

    def forget(self) -> None:
        """Delete the row of this process."""
        HeardProcess.objects.filter(name=self.name).delete()


_TWO: Final = "another %s works on this database (%s), and one is enough: end it, or this archive's %s"

_heartbeat: Heartbeat | None = None


def begin(role: ProcessRole, number: int) -> None:
    """Start the heartbeats of this process. `number` is its process id or that of its worker."""
    _start(Heartbeat(role, number))


def begin_alone(role: ProcessRole, number: int) -> None:
    """Start the heartbeats of this process; end it if another process has its role."""
    heartbeat = Heartbeat(role, number, alone=True)
    heartbeat.wait_alone()
    _start(heartbeat)


def end() -> None:
    """Stop the heartbeats of this process, which ends."""
    if _heartbeat is not None:
        _heartbeat.stopped.set()
        with suppress(Error):
            _heartbeat.forget()


def _start(heartbeat: Heartbeat) -> None:
    global _heartbeat
    _heartbeat = heartbeat
    threading.Thread(target=_heartbeat.run, name="heartbeat", daemon=True).start()


def worked() -> None:
    """Record that this process has finished a task."""
    if _heartbeat is not None:
        _heartbeat.worked = timezone.now()


def is_running(role: ProcessRole) -> bool:
    """Return whether a process of a role runs."""
    return HeardProcess.objects.filter(role=role, seen__gte=timezone.now() - LATELY).exists()


def is_running_here(role: ProcessRole) -> bool:
    """Return whether a process of a role runs on this machine."""
    here = HeardProcess.objects.filter(role=role, seen__gte=timezone.now() - LATELY, name__endswith=_here())
    return here.exists()
