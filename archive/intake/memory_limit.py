"""Limit a worker's memory, and replace a worker that has used half of it.

Python gives back little of the memory that it has used. Without a limit, one record could take all of the
machine's memory, and the system would end any process, perhaps the database. Celery, which knows when it is
time, is loaded by workers only: the supervisor reads their exit codes without it.
"""

import resource

from django.conf import settings

RESTART = 75
"""The exit code of a worker that is to be started again at once: nothing is wrong (sysexits' EX_TEMPFAIL)."""


def limit_memory() -> None:
    """Let this process take no more than ARCHIVE_WORKER_MEMORY_MB: what would take more raises MemoryError.

    It counts what is written to, not programs, libraries and mapped files. Only Linux keeps to it.
    """
    limit = settings.WORKER_MEMORY_MB * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def most_kept_kib() -> int:
    """Return the most memory in KiB that a process may have had and go on."""
    return int(settings.WORKER_MEMORY_MB * 1024 // 2)


def shut_down(code: int) -> None:
    """End this worker for a reason as soon as the message of its task is acknowledged."""
    from celery.worker import state

    vars(state)["should_stop"] = code  # which is how Celery's own handlers of signals do it


def shuts_down_for(code: int) -> bool:
    """Return whether that is the reason why this worker has ended."""
    from celery.worker import state

    return bool(vars(state)["should_stop"] == code)


def is_to_be_replaced() -> bool:
    """Return whether this process has had more memory than that."""
    from billiard.compat import mem_rss

    return bool(mem_rss() > most_kept_kib())
