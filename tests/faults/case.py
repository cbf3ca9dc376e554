"""One campaign of faults: how much of it, what it can break, and what it survived."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from django.db import connections

from archive.intake import resume, tasks
from tests.faults.servers import Postgres
from tests.faults.world import World

WAIT_SECONDS = 3600
"""Patience with a busy machine, not a promise of speed."""
PASS_SECONDS = 0.3


class Skipped(Exception):
    """This fault cannot be made to happen here; the text says why."""


@dataclass
class Case:
    """`games` and `kills` say how large it is; `postgres` is the server, where there is one."""

    games: int
    kills: int
    dice: Random
    postgres: Postgres | None
    survived: int = 0

    def note(self, what: str, entries: int) -> None:
        """Another fault was survived."""
        self.survived += 1
        print(f"  {what:<40} survived with {entries} entries", flush=True)

    def child(self, work: Callable[[], None]) -> int:
        """Run a function in a process of its own, which shares no connection with this one, and no walk: both
        would read from one place in one file. Its id."""
        connections.close_all()
        resume.close_all()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            work()
            code = 0
        except Exception:  # told where the fault is looked for, and by the code it ends with
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    @contextmanager
    def worker(self, broker: str = "", role: str = "worker") -> Iterator[int]:
        """A worker that is started again when it ends, as by `manage.py serve`; killed at the end. Yields the
        id of the shell that starts it."""
        environment = os.environ | ({"CELERY_BROKER_URL": broker} if broker else {})
        process = subprocess.Popen(
            [
                "sh",
                "-c",
                'while :; do "$0" -m archive.serving.child "$1"; sleep 0.5; done',
                sys.executable,
                role,
            ],
            env=environment,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait_done(self, world: World) -> None:
        """Sweep, as the scheduler does, until the upload is done. Raises TimeoutError."""
        until = time.monotonic() + WAIT_SECONDS
        while world.state != "done":
            if time.monotonic() > until:
                raise TimeoutError(f"the upload is {world.state} with {world.count} entries")
            tasks.sweep()
            time.sleep(PASS_SECONDS)

    def wait_entries(self, world: World, count: int) -> None:
        """Wait until so many entries are there. Raises TimeoutError."""
        until = time.monotonic() + WAIT_SECONDS
        while world.count < min(count, len(world.expected)):
            if time.monotonic() > until:
                raise TimeoutError(f"{world.count} entries of {count}")
            time.sleep(0.05)
