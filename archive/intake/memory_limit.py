"""Limits a worker's memory, and replaces a worker that has used half of it.

Python returns little memory to the system. Without a limit one record could fill the machine's memory, and
the system would end any process, perhaps the database. Only workers load Celery; the supervisor reads their
exit codes without it.
"""

import resource

from django.conf import settings

RESTART = 75
"""The exit code of a worker that is to be restarted at once, without an error (EX_TEMPFAIL of sysexits)."""


def limit_memory() -> None:
    """Limit this process to ARCHIVE_WORKER_MEMORY_MB; beyond it, allocation raises MemoryError.

    Counts written memory, not programs, libraries and mapped files. Only Linux enforces it.
    """
    limit = settings.WORKER_MEMORY_MB * 1024 * 1024
    # The hard limit stays: an engine that a worker starts has a limit of its own.
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def max_memory_kib() -> int:
    """Return the memory in KiB beyond which a process is replaced."""
    return int(settings.WORKER_MEMORY_MB * 1024 // 2)


def shut_down(code: int) -> None:
    """End this worker with an exit code as soon as its task's message is acknowledged."""
    from celery.worker import state

    vars(state)["should_stop"] = code  # as Celery's own signal handlers do


def shuts_down_for(code: int) -> bool:
    """Return whether this worker ended with that exit code."""
    from celery.worker import state

    return bool(vars(state)["should_stop"] == code)


def is_to_be_replaced() -> bool:
    """Return whether this process uses more than `max_memory_kib`."""
    from billiard.compat import mem_rss

    return bool(mem_rss() > max_memory_kib())
