"""Task names in log lines, and counts of ended tasks by outcome with their time.

A task whose process is killed, for too much time or memory, is not counted; the log reports it.
"""

import logging
import time
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_process_shutdown, worker_shutdown
from django.db import Error

from archive.observing import heartbeats, logs, tally

log = logging.getLogger(__name__)

_began: dict[str, float] = {}


def listen() -> None:
    """Connect to Celery's signals."""
    task_prerun.connect(_begin, weak=False)
    task_postrun.connect(_end, weak=False)
    worker_process_shutdown.connect(_write, weak=False)
    worker_shutdown.connect(_write, weak=False)


def _begin(task_id: str, task: Any, **_other: Any) -> None:
    _began[task_id] = time.monotonic()
    logs.begin_task(task.name, task_id)


def _end(task_id: str, task: Any, state: str | None, **_other: Any) -> None:
    seconds = time.monotonic() - _began.pop(task_id, time.monotonic())
    tally.add(tally.TASKS, task.name, (state or "unknown").lower(), seconds=seconds)
    heartbeats.worked()
    logs.end_task()


def _write(**_other: Any) -> None:
    try:
        tally.write()
    except Error as error:
        log.warning("what was counted in the last seconds is lost, the database does not take it: %s", error)
