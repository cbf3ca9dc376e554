"""One process of the archive: `python -m archive.serving.child web|worker|scheduler [--supervised]`.

With `--supervised` its standard input is a pipe that only `manage.py serve` holds open. When the supervisor
is gone, however it went, the pipe ends, and the child takes its whole process group with it. A container
runs the same roles without that.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable

import django

log = logging.getLogger(__name__)

STOP_SECONDS = 5
THREADS = 4
"""Requests that one web process works on at a time; the others wait in granian."""

BEHIND_READERS = 5
"""How much nicer a worker is than a web process. Where both want more processor than there is, it gets
a third of what readers get."""


def _end_with_supervisor() -> None:
    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_SECONDS)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, name="end-with-supervisor", daemon=True).start()


def _end_when_silent(seconds: float) -> None:
    """End this worker when it has not been sent anything for so long.

    A worker that was busy when Redis went away cannot acknowledge what it was busy with: kombu counts that
    message as held for ever, and asks for no other one. The sweeper speaks to workers all the time; to start
    one anew that had nothing to do costs nothing.
    """
    from celery.signals import task_received, worker_ready

    heard = 0.0

    def hear(**_: object) -> None:
        nonlocal heard
        heard = time.monotonic()

    def watch() -> None:
        while (rest := heard + seconds - time.monotonic()) > 0:
            time.sleep(rest)
        log.warning("this worker was sent nothing for %.0f s: it ends, to be started again", seconds)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_SECONDS)
        os._exit(1)

    watcher = threading.Thread(target=watch, name="end-when-silent", daemon=True)

    def begin(**options: object) -> None:
        hear(**options)
        if watcher.ident is None:
            watcher.start()

    worker_ready.connect(begin, weak=False)
    task_received.connect(hear, weak=False)


def web() -> None:
    """Serve the WSGI application with granian."""
    from django.conf import settings
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    Granian(
        "archive.wsgi:application",
        address=settings.BIND_HOST,
        port=settings.BIND_PORT,
        interface=Interfaces.WSGI,
        workers=settings.WEB_WORKERS,
        blocking_threads=THREADS,
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
    ).serve()


def worker() -> None:
    """Run one Celery worker, with tasks in this process or in one child; more throughput is more of these.

    One child and no more: an upload's walk is kept between its turns by the process that began it.
    """
    from django.conf import settings

    from archive.ingest.garbage import look_rarely

    os.nice(BEHIND_READERS)
    # Whoever is at work is sent nothing meanwhile.
    _end_when_silent(max(settings.SILENCE_SECONDS, settings.TASK_SECONDS))
    look_rarely()
    _celery(
        "worker",
        f"--pool={settings.WORKER_POOL}",
        "--concurrency=1",
        "--queues=interactive,bulk",
        f"--hostname=worker-{os.getpid()}@%h",
        "--without-gossip",
        "--without-mingle",
        "--without-heartbeat",
    )


def scheduler() -> None:
    """Run Celery's beat, which sends the sweeper its message."""
    from django.conf import settings

    _celery("beat", f"--schedule={settings.DATA_DIR / 'scheduler'}", "--pidfile=")


def _celery(*arguments: str) -> None:
    from celery.exceptions import SecurityWarning

    from archive.celery import app

    # Celery warns of root because pickled messages could run anything; ours are JSON and nothing else.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    app.start(["--quiet", *arguments, "--loglevel=warning"])


ROLES: dict[str, Callable[[], None]] = {"web": web, "worker": worker, "scheduler": scheduler}


def main(role: str, *options: str) -> None:
    """Become the process of that role; returns when it is told to stop."""
    if "--supervised" in options:
        _end_with_supervisor()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.settings")
    django.setup(set_prefix=False)
    from django.conf import settings

    # kombu's message folder moves a message to the temporary folder to claim it: both must be on one disk.
    temporary = settings.DATA_DIR / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    tempfile.tempdir = str(temporary)
    ROLES[role]()


if __name__ == "__main__":
    main(*sys.argv[1:])
