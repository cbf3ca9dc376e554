"""Ends what a thread asks the databases, from another one: nobody waits for the answer any more."""

from contextlib import suppress
from threading import Lock
from typing import Final

from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

PAUSE_SECONDS: Final = 0.2
"""Between two interruptions of one answer: some ask the database again and again."""


class Questions:
    """What the thread of one answer asks the databases, while it works on it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: list[BaseDatabaseWrapper] = []

    def begin(self) -> None:
        """Note the connections of this thread, which may not be there yet."""
        with self._lock:
            self._asked = [connections[alias] for alias in connections]

    def end(self) -> None:
        """Forget them: what this thread asks from now on is asked for somebody else."""
        with self._lock:
            self._asked = []

    def interrupt(self) -> None:
        """End the statements that run on these connections; those who asked get an error."""
        with self._lock:
            for asked in self._asked:
                driver = asked.connection
                if driver is None:
                    continue
                # One that has just been closed, or whose server is away, runs nothing.
                with suppress(Error), asked.wrap_database_errors:
                    if asked.vendor == "sqlite":
                        driver.interrupt()
                    else:
                        driver.cancel_safe()
