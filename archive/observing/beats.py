"""Processes that no visitor asks tell that they are there: a row of each, written every few seconds.

Whoever asks whether a worker is there looks into the database: a worker may be on another machine, and of the
brokers one is a folder of files. The thread that writes is in the process that runs the tasks, so nothing is
heard of a worker whose tasks cannot be run.
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

from archive.models import HeardProcess
from archive.observing import tally
from archive.project.startup import REFUSED, refuse
from kifu_core import __version__

SECONDS: Final = 10.0
"""How often a process tells."""

LATELY: Final = timedelta(seconds=60)
"""So old may be what was heard of a process that is taken to be there."""

FORGOTTEN: Final = timedelta(days=1)
"""After so long without a word a process is listed no more."""

AT_WORK: Final = timedelta(seconds=30)
"""So old may be what was heard of a process that keeps another one from its work."""

PATIENCE: Final = 15.0
"""Seconds that a process waits for one that was there before it, and may be ending."""

log = logging.getLogger(__name__)


def _here() -> str:
    """Return how the names of processes of this machine, or this container, end."""
    return f"@{socket.gethostname()}"


class Beats:
    """The thread of one process that tells of it. `number` is that of its worker or its own; of a role that
    is had `alone`, the process ends where another one had it before."""

    def __init__(self, role: HeardProcess.Role, number: int, *, alone: bool = False) -> None:
        self.role = role
        self.alone = alone
        self.name = f"{role}-{number}{_here()}"[:200]
        self.started = timezone.now()
        self.worked: datetime | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        """Tell every few seconds until it is stopped. What goes wrong is logged, and tried again."""
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
        """Write the row of this process and what was counted in it, and forget those long gone."""
        now = timezone.now()
        row = HeardProcess(
            name=self.name,
            role=self.role,
            version=__version__,
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

    def elder(self) -> str:
        """Return the name of another process of this role that was there first, or nothing."""
        first = Q(started__lt=self.started) | Q(started=self.started, name__lt=self.name)
        others = HeardProcess.objects.filter(first, role=self.role, seen__gte=timezone.now() - AT_WORK)
        names = others.exclude(name=self.name).order_by("started").values_list("name", flat=True)
        return next((name for name in names if not self._is_gone(name)), "")

    def _is_gone(self, name: str) -> bool:
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
        """Wait a while for another process of this role to end; where it does not, end this one. A database
        that does not answer now is asked with the next beats."""
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
        """Take back what was told of this process."""
        HeardProcess.objects.filter(name=self.name).delete()


_TWO: Final = "another %s works on this database (%s), and one is enough: end it, or this archive's %s"

_beats: Beats | None = None


def begin(role: HeardProcess.Role, number: int) -> None:
    """Begin to tell of this process in a thread, under that number of its worker or its own."""
    _start(Beats(role, number))


def begin_alone(role: HeardProcess.Role, number: int) -> None:
    """Begin to tell of this process, which is the only one of its role; end it where it is not."""
    beats = Beats(role, number, alone=True)
    beats.wait_alone()
    _start(beats)


def end() -> None:
    """Take back what was told of this process, which ends."""
    if _beats is not None:
        _beats.stopped.set()
        with suppress(Error):
            _beats.forget()


def _start(beats: Beats) -> None:
    global _beats
    _beats = beats
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
