"""One process of the archive: `python -m archive.serving.child web|worker|scheduler [--supervised]`.

With `--supervised` its standard input is a pipe that only `manage.py serve` holds open. When the supervisor
is gone, however it went, the pipe ends, and the child takes its whole process group with it. A container
runs the same roles without that.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import django

from archive.observing import logs
from archive.project.garbage_collection import uncollected
from archive.project.startup import load_settings, refuse_contradictions, refuse_other_tables

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

STOP_SECONDS = 5
HEADER_BYTES = 64 * 1024
"""Most that a request's address and headers may take."""

OPEN_FILES = 256
"""What a web process opens beside its connections: the database, templates, bodies on disk."""

MEMORY = Path("/dev/shm")
"""Where web processes count together: in files on a full disk, counting would end them (SIGBUS)."""

MEMORY_LOOK_SECONDS = 10
"""How often the memory of web processes is looked at."""

BEGIN_SECONDS = 15
"""So long a new web process may take to begin beside the one that it replaces."""

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
    """Serve the archive with granian, behind `front_server`."""
    from django.conf import settings
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels, logger

    from archive.observing.folder import folder_of_server
    from archive.serving.sockets import check_free

    check_free(settings.BIND_HOST, settings.BIND_PORT)
    # docs/operations.md says it, to those who have so many visitors that it matters.
    logger.addFilter(lambda record: "tcp_migrate_req" not in record.getMessage())
    server = Granian(
        "archive.project.asgi:application",
        address=settings.BIND_HOST,
        port=settings.BIND_PORT,
        interface=Interfaces.ASGINL,
        # One protocol less to be attacked by: proxies speak HTTP/1.1 to what is behind them.
        http=HTTPModes.http1,
        websockets=False,
        http1_settings=HTTP1Settings(
            header_read_timeout=settings.HEADER_SECONDS * 1000, max_buffer_size=HEADER_BYTES
        ),
        workers=settings.WEB_WORKERS,
        backpressure=_connections(settings.MAX_CONNECTIONS),
        log_level=LogLevels.warning,
        # It writes as everybody here does.
        log_dictconfig={"loggers": {"_granian": {"handlers": [], "propagate": True}}},
        respawn_failed_workers=True,
        # One that had much memory keeps it: it answers what it was asked, and another takes its place.
        workers_max_rss=settings.WEB_MEMORY_MB,
        rss_sample_interval=MEMORY_LOOK_SECONDS,
        respawn_interval=BEGIN_SECONDS,
        workers_kill_timeout=settings.ANSWER_SECONDS,
    )
    with folder_of_server(MEMORY if MEMORY.is_dir() else settings.DATA_DIR / "tmp"):
        server.serve()


def _connections(wanted: int) -> int:
    """Return how many connections a web process may have of those wanted; the system's limit on open files is
    raised for them as far as it can be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted + OPEN_FILES:
        soft = wanted + OPEN_FILES if hard == resource.RLIM_INFINITY else min(wanted + OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - OPEN_FILES))


def worker() -> None:
    """Run one Celery worker, with tasks in this process or in one child; more throughput is more of these.

    One child and no more: an upload's walk is kept between its turns by the process that began it. The
    process that runs the tasks may take ARCHIVE_WORKER_MEMORY_MB.
    """
    from celery.apps import worker as celery_worker
    from celery.signals import worker_process_init, worker_ready
    from django.conf import settings

    from archive.intake.memory_limit import RESTART, limit_memory, max_memory_kib, shuts_down_for
    from archive.models import HeardProcess
    from archive.observing import heartbeats, tasks
    from archive.project.garbage_collection import look_rarely

    # Celery's farewells would stand in the log as lines of no form.
    vars(celery_worker)["safe_say"] = lambda *_said: None
    os.nice(BEHIND_READERS)
    # Whoever is at work is sent nothing meanwhile.
    _end_when_silent(max(settings.SILENCE_SECONDS, settings.TASK_SECONDS))
    look_rarely()
    tasks.listen()
    tell = partial(heartbeats.begin, HeardProcess.Role.WORKER, os.getpid())
    if settings.WORKER_POOL == "solo":
        limit_memory()
        worker_ready.connect(lambda **_: tell(), weak=False)
    else:
        worker_process_init.connect(lambda **_: limit_memory(), weak=False)
        worker_process_init.connect(lambda **_: tell(), weak=False)
    app = _celery()
    # The scheduler sends tasks by their names: only workers load what they do.
    app.autodiscover_tasks(["archive.intake", "archive.dumps"])
    app.Worker(
        pool=settings.WORKER_POOL,
        concurrency=1,
        max_memory_per_child=max_memory_kib(),
        queues=settings.WORKER_QUEUES,
        hostname=f"worker-{os.getpid()}@{socket.gethostname()}",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        **_QUIETLY,
    ).start()
    if shuts_down_for(RESTART):
        sys.exit(RESTART)  # an end that was asked for is none that counts


def scheduler() -> None:
    """Run Celery's beat, which sends the sweeper its message; and beside it, in a thread, what tells webhooks
    of new games: receivers that are slow keep neither visitors nor uploads waiting."""

    from archive.hooks import runner
    from archive.models import HeardProcess
    from archive.observing import heartbeats

    heartbeats.begin_alone(HeardProcess.Role.SCHEDULER, os.getpid())
    runner.start()
    try:
        # What is sent every few minutes at most needs no file, which a full disk would have no room for.
        _celery().Beat(scheduler="celery.beat:Scheduler", **_QUIETLY).run()
    finally:
        heartbeats.end()


_QUIETLY: Final[Mapping[str, Any]] = {"quiet": True, "loglevel": "WARNING"}


def _celery() -> Celery:
    """Return Celery's application, for a process of it. Celery's own command would load a shell as well."""
    from celery.exceptions import SecurityWarning

    from archive.project.celery import app

    # Celery warns of root because pickled messages could run anything; ours are JSON and nothing else.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    # It would have Django check everything, all pages of the site among it, and drop what that says.
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    return app


def _check(role: str) -> None:
    """Look at what `serve` has looked at where it started this process: settings, folders, tables."""
    from archive.project.checks import FOLDERS, SETTINGS

    refuse_contradictions([SETTINGS, FOLDERS] if role == "worker" else [SETTINGS])
    refuse_other_tables()


ROLES: dict[str, Callable[[], None]] = {"web": web, "worker": worker, "scheduler": scheduler}


def main(role: str, *options: str) -> None:
    """Become the process of that role; return when it is told to stop."""
    supervised = "--supervised" in options
    if supervised:
        _end_with_supervisor()
    load_settings()
    with uncollected():
        django.setup(set_prefix=False)
    from django.conf import settings

    if not supervised:
        _check(role)
    logs.begin_process(role)
    # kombu's message folder moves a message to the temporary folder to claim it: both must be on one disk.
    temporary = settings.DATA_DIR / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    tempfile.tempdir = str(temporary)
    ROLES[role]()


if __name__ == "__main__":
    main(*sys.argv[1:])
