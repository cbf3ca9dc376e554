"""DuckDB inside this process: in-memory databases with limits, without downloaded extensions.

DuckDB is imported on first use: it takes 40 MiB of a process.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY: Final = "128MB"


@contextmanager
def memory_database(memory: str = MEMORY, threads: int = 1) -> Iterator[DuckDBPyConnection]:
    """Open a database that spills to disk beyond `memory`."""
    import duckdb

    with duckdb.connect(":memory:", config=_config(memory, threads)) as database:
        yield database


def _config(memory: str, threads: int) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": memory,
        "threads": threads,
        "temp_directory": str(settings.DATA_DIR / "tmp"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }


def sql_literal(text: object) -> str:
    """Return a text as an SQL literal: some statements take no parameters for file names."""
    return "'" + str(text).replace("'", "''") + "'"


class BusyError(Exception):
    """This process runs as many queries as it may."""


class DuckQuery:
    """A connection for the statements of one query, which end after `seconds`."""

    def __init__(self, database: DuckDBPyConnection, seconds: float) -> None:
        self._database = database.cursor()
        self._deadline = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._closed = False
        self._timer = threading.Timer(seconds, self._interrupt)
        self._timer.daemon = True

    def __enter__(self) -> DuckQuery:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            self._database.close()

    def _interrupt(self) -> None:
        with self._lock:
            if not self._closed:
                self._database.interrupt()

    def check_time(self) -> None:
        """Raise TimeoutError if the time of this query is over."""
        if time.monotonic() > self._deadline:
            raise TimeoutError

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement. Raises TimeoutError, also if it runs out of memory."""
        import duckdb

        self.check_time()
        try:
            rows: list[tuple[Any, ...]] = self._database.execute(sql, [*values]).fetchall()
        except (duckdb.InterruptException, duckdb.OutOfMemoryException) as error:
            raise TimeoutError from error
        return rows

    def table(self, name: str, columns: Mapping[str, object]) -> None:
        """Register numpy arrays, by column, as a table for the statements."""
        self._database.register(name, columns)

    @property
    def remaining(self) -> float:
        """Return the remaining seconds, at least 0.01."""
        return max(0.01, self._deadline - time.monotonic())


class _DuckInstance:
    """The DuckDB instance of this process; each query is a connection to it."""

    def __init__(self, memory: int, threads: int, queries: int) -> None:
        import duckdb

        spilled = settings.DATA_DIR / "tmp"
        self.database = duckdb.connect(":memory:", config=_config(f"{memory}MB", threads))
        self.database.execute(f"SET max_temp_directory_size = '{4 * memory}MB'")
        # From here on it reads only its spilled files, and no statement can change that.
        self.database.execute(f"SET allowed_directories = [{sql_literal(spilled)}]")
        self.database.execute("SET enable_external_access = false")
        self.database.execute("SET lock_configuration = true")
        self.running = threading.BoundedSemaphore(queries)
        self.waiting = threading.BoundedSemaphore(1)

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Run the body as one of the allowed queries. Raises BusyError.

        At most one query waits: a waiting query holds a thread that other requests need.
        """
        if not self.running.acquire(blocking=False):
            self._wait()
        try:
            yield
        finally:
            self.running.release()

    def _wait(self) -> None:
        if not self.waiting.acquire(blocking=False):
            raise BusyError
        try:
            if not self.running.acquire(timeout=PATIENCE_SECONDS):
                raise BusyError
        finally:
            self.waiting.release()


PATIENCE_SECONDS: Final = 0.5
"""How long a query waits until another one ends."""

_instances: Final[dict[tuple[object, ...], _DuckInstance]] = {}
_instances_lock: Final = threading.Lock()


def _instance() -> _DuckInstance:
    """Return the instance of this process; one inherited by a fork is never used, as its threads are
    missing."""
    limits = (
        settings.ARCHIVE_PATTERN_MEMORY_MB,
        settings.ARCHIVE_PATTERN_THREADS,
        settings.ARCHIVE_PATTERNS_AT_ONCE,
    )
    key = (os.getpid(), *limits)
    with _instances_lock:
        if key not in _instances:
            _close_instances()
            _instances[key] = _DuckInstance(*limits)
        return _instances[key]


@atexit.register
def _close_instances() -> None:
    """Close the instances of this process, also at its exit, where DuckDB warns of open ones."""
    for key in [key for key in _instances if key[0] == os.getpid()]:
        del _instances[key]


@contextmanager
def duck_query(seconds: float) -> Iterator[DuckQuery]:
    """Run a query of at most so many seconds. Raises BusyError and TimeoutError."""
    instance = _instance()
    with instance.admit(), DuckQuery(instance.database, seconds) as query:
        yield query
