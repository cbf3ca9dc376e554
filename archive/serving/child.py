"""One process of the archive: `python -m archive.serving.child ROLE [--supervised]`, with a role of `ROLES`.

With `--supervised` its standard input is a pipe from `manage.py serve`. When the supervisor ends, even by a
kill, the pipe ends, and the child ends with its process group. Containers run the same roles without it.
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
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import django

from archive.observing import logs
from archive.project.garbage_collection import gc_paused
from archive.project.startup import load_settings, refuse_contradictions, refuse_other_tables

if TYPE_CHECKING:
    from celery import Celery

    from archive.models import ProcessRole

log = logging.getLogger(__name__)

STOP_SECONDS = 5
HEADER_BYTES = 64 * 1024
"""The limit of a request's URL and headers."""

OPEN_FILES = 256
"""Files that a web process opens besides its connections: the database, templates, bodies on disk."""

MEMORY = Path("/dev/shm")
"""The place of the metrics' files: on a full disk, writing to mapped files would end a process (SIGBUS)."""

MEMORY_CHECK_SECONDS = 10
"""How often the memory of web processes is checked."""

START_SECONDS = 15
"""How long a new web process may take to start beside the one that it replaces."""

WORKER_NICENESS = 5
"""Added to the niceness of workers: under contention they get a third of the processor time of web
processes."""

NETWORK_NICENESS = 19
"""Added to the niceness of the worker of the network."""

PACKAGES: Final = ("intake", "dumps", "collections", "curation", "analysis", "problems")
"""The packages with tasks."""


def _end_with_supervisor() -> None:
    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_SECONDS)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, name="end-with-supervisor", daemon=True).start()


def _end_when_silent(seconds: float) -> None:
    """End this worker if it receives no message for so many seconds.

    A worker that was busy when Redis went away cannot acknowledge its message: kombu counts that as reserved
    for ever and fetches no other one. The sweeper sends messages all the time, so only such a worker is
    silent; and restarting an idle one costs nothing.
    """
    from celery.signals import task_received, worker_ready

    received = 0.0

    def record(**_: object) -> None:
        nonlocal received
        received = time.monotonic()

    def watch() -> None:
        while (rest := received + seconds - time.monotonic()) > 0:
            time.sleep(rest)
        log.warning("this worker was sent nothing for %.0f s: it ends, to be started again", seconds)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_SECONDS)
        os._exit(1)

    watcher = threading.Thread(target=watch, name="end-when-silent", daemon=True)

    def begin(**options: object) -> None:
        record(**options)
        if watcher.ident is None:
            watcher.start()

    worker_ready.connect(begin, weak=False)
    task_received.connect(record, weak=False)


def web() -> None:
    """Serve the archive with granian, behind `front_server`."""
    from django.conf import settings
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels, logger

    from archive.observing.folder import metrics_folder
    from archive.serving.sockets import check_free

    check_free(settings.BIND_HOST, settings.BIND_PORT)
    # docs/operations.md has this advice for sites with many visitors.
    logger.addFilter(lambda record: "tcp_migrate_req" not in record.getMessage())
    server = Granian(
        "archive.project.asgi:application",
        address=settings.BIND_HOST,
        port=settings.BIND_PORT,
        interface=Interfaces.ASGINL,
        # Proxies speak HTTP/1.1 to their backends; without HTTP/2 there is less to attack.
        http=HTTPModes.http1,
        websockets=False,
        http1_settings=HTTP1Settings(
            header_read_timeout=settings.HEADER_SECONDS * 1000, max_buffer_size=HEADER_BYTES
        ),
        workers=settings.WEB_WORKERS,
        backpressure=_connections(settings.MAX_CONNECTIONS),
        log_level=LogLevels.warning,
        # Granian's lines have the archive's format.
        log_dictconfig={"loggers": {"_granian": {"handlers": [], "propagate": True}}},
        respawn_failed_workers=True,
        # Python does not return memory: a large process finishes its requests and is replaced.
        workers_max_rss=settings.WEB_MEMORY_MB,
        rss_sample_interval=MEMORY_CHECK_SECONDS,
        respawn_interval=START_SECONDS,
        workers_kill_timeout=settings.ANSWER_SECONDS,
    )
    with metrics_folder(MEMORY if MEMORY.is_dir() else settings.DATA_DIR / "tmp"):
        server.serve()


def _connections(wanted: int) -> int:
    """Raise the limit on open files for so many connections; return how many of them it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted + OPEN_FILES:
        soft = wanted + OPEN_FILES if hard == resource.RLIM_INFINITY else min(wanted + OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - OPEN_FILES))


def worker() -> None:
    """Run one Celery worker for uploads and maintenance, with tasks in this process or in one child."""
    from django.conf import settings

    from archive.models import ProcessRole

    _work(ProcessRole.WORKER, settings.WORKER_QUEUES)


def analyst() -> None:
    """Run one Celery worker for the turns of engines, which are processes of its own."""
    from archive.models import ProcessRole
    from archive.project.queues import ANALYSIS

    _work(ProcessRole.ANALYST, [ANALYSIS])


def network() -> None:
    """Run one Celery worker for first opinions, which loads the network and has the least priority."""
    from archive.models import ProcessRole
    from archive.project.queues import NETWORK

    _work(ProcessRole.NETWORK, [NETWORK], NETWORK_NICENESS)


def _work(role: ProcessRole, queues: Sequence[str], niceness: int = WORKER_NICENESS) -> None:
    """Run one Celery worker.

    It has only one child, since that keeps an upload's walk, or an engine, open between turns; for more
    throughput run more workers. The process of the tasks is limited to ARCHIVE_WORKER_MEMORY_MB.
    """
    from celery.apps import worker as celery_worker
    from celery.signals import worker_process_init, worker_ready
    from django.conf import settings

    from archive.intake.memory_limit import RESTART, limit_memory, max_memory_kib, shuts_down_for
    from archive.observing import heartbeats, tasks
    from archive.project.garbage_collection import collect_rarely

    # Celery prints messages about its end without the log's format.
    vars(celery_worker)["safe_say"] = lambda *_: None
    os.nice(niceness)
    # A worker receives no message during a task.
    _end_when_silent(max(settings.SILENCE_SECONDS, settings.TASK_SECONDS))
    collect_rarely()
    tasks.listen()
    begin_heartbeats = partial(heartbeats.begin, role, os.getpid())
    if settings.WORKER_POOL == "solo":
        limit_memory()
        worker_ready.connect(lambda **_: begin_heartbeats(), weak=False)
    else:
        worker_process_init.connect(lambda **_: limit_memory(), weak=False)
        worker_process_init.connect(lambda **_: begin_heartbeats(), weak=False)
    app = _celery()
    # The scheduler sends tasks by name: only workers import their modules.
    app.autodiscover_tasks([f"archive.{name}" for name in PACKAGES])
    app.Worker(
        pool=settings.WORKER_POOL,
        concurrency=1,
        max_memory_per_child=max_memory_kib(),
        queues=queues,
        hostname=f"{role}-{os.getpid()}@{socket.gethostname()}",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        **_QUIETLY,
    ).start()
    if shuts_down_for(RESTART):
        sys.exit(RESTART)


def scheduler() -> None:
    """Run Celery's beat, which triggers the sweeper, and in a thread the delivery of webhooks, so that slow
    receivers delay neither visitors nor uploads."""
    from archive.hooks import runner
    from archive.models import ProcessRole
    from archive.observing import heartbeats

    heartbeats.begin_alone(ProcessRole.SCHEDULER, os.getpid())
    runner.start()
    try:
        # In memory: beat's file of last runs would need room on the disk, and a restart loses little.
        _celery().Beat(scheduler="celery.beat:Scheduler", **_QUIETLY).run()
    finally:
        heartbeats.end()


_QUIETLY: Final[Mapping[str, Any]] = {"quiet": True, "loglevel": "WARNING"}


def _celery() -> Celery:
    """Return Celery's application; Celery's own command would also load a shell."""
    from celery.exceptions import SecurityWarning

    from archive.project.celery import app

    # Celery warns of root because of pickled messages; ours are JSON only.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    # Celery would run all checks of Django, which load all pages, and ignore their results.
    os.environ["CELERY_SKIP_CHECKS"] = "1"
    return app


def _check(role: str) -> None:
    """Run the checks that `serve` runs for its children: settings, folders, tables."""
    from archive.project.checks import FOLDERS, SETTINGS

    refuse_contradictions([SETTINGS, FOLDERS] if role == "worker" else [SETTINGS])
    refuse_other_tables()


ROLES: dict[str, Callable[[], None]] = {
    "web": web, "worker": worker, "analyst": analyst, "network": network, "scheduler": scheduler
}  # fmt: skip


def main(role: str, *options: str) -> None:
    """Run the process of a role until it is stopped."""
    supervised = "--supervised" in options
    if supervised:
        _end_with_supervisor()
    load_settings()
    with gc_paused():
        django.setup(set_prefix=False)
    from django.conf import settings

    if not supervised:
        _check(role)
    logs.begin_process(role)
    # kombu claims a message by moving its file to the temporary folder, so both must be on one disk.
    temporary = settings.DATA_DIR / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    tempfile.tempdir = str(temporary)
    ROLES[role]()


if __name__ == "__main__":
    main(*sys.argv[1:])
