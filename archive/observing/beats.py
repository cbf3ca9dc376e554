"""Processes that no visitor asks tell that they are there: a row of each, written every few seconds.

Whoever asks whether a worker is there looks into the database: a worker may be on another machine, and of the
brokers one is a folder of files. The thread that writes is in the process that runs the tasks, so nothing is
heard of a worker whose tasks cannot be run.
"""

import logging
import socket
import threading
from datetime import datetime, timedelta
from typing import Final

from django.db import Error, connection
from django.utils import timezone

from archive.models import HeardProcess
from archive.observing import tally
from archive.version import version

SECONDS: Final = 10.0
"""How often a process tells."""

LATELY: Final = timedelta(seconds=60)
"""So old may be what was heard of a process that is taken to be there."""

FORGOTTEN: Final = timedelta(days=1)
"""After so long without a word a process is listed no more."""

log = logging.getLogger(__name__)


def _here() -> str:
    """Return how the names of processes of this machine, or this container, end."""
    return f"@{socket.gethostname()}"


class Beats:
    """The thread of one process that tells of it. `number` is that of its worker or its own."""

    def __init__(self, role: HeardProcess.Role, number: int) -> None:
        self.role = role
        self.name = f"{role}-{number}{_here()}"[:200]
        self.started = timezone.now()
        self.worked: datetime | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        """Tell every few seconds until it is stopped. What goes wrong is logged, and tried again."""
        while True:
            try:
                self.beat()
            except Error as error:
                log.warning("nothing is heard of this process, the database does not take it: %s", error)
            finally:
                connection.close()
            if self.stopped.wait(SECONDS):
                return

    def beat(self) -> None:
        """Write the row of this process and what was counted in it, and forget those long gone."""
        now = timezone.now()
        row = HeardProcess(
            name=self.name,
            role=self.role,
            version=version(),
            started=self.started,
            seen=now,
            worked=self.worked,
        )
        HeardProcess.objects.bulk_create(
            [row],
            update_conflicts=True,
            unique_fields=["name"],
            update_fields=["version", "started", "seen", "worked"],
        )
        HeardProcess.objects.filter(seen__lt=now - FORGOTTEN).delete()
        tally.write()


_beats: Beats | None = None


def begin(role: HeardProcess.Role, number: int) -> None:
    """Begin to tell of this process in a thread, under that number of its worker or its own."""
    global _beats
    _beats = Beats(role, number)
    threading.Thread(target=_beats.run, name="beats", daemon=True).start()


def worked() -> None:
    """Note that this process has ended a task."""
    if _beats is not None:
        _beats.worked = timezone.now()


def heard_lately(role: HeardProcess.Role) -> bool:
    """Return whether a process of that role was heard of lately."""
    return HeardProcess.objects.filter(role=role, seen__gte=timezone.now() - LATELY).exists()


def heard_here(role: HeardProcess.Role) -> bool:
    """Return whether a process of that role on this machine was heard of lately."""
    here = HeardProcess.objects.filter(role=role, seen__gte=timezone.now() - LATELY, name__endswith=_here())
    return here.exists()
