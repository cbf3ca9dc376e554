"""DuckDB inside this process: in-memory databases with limits, without extensions from elsewhere.

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

    with duckdb.connect(":memory:", config=_bounds(memory, threads)) as database:
        yield database


_Bounds = dict[str, str | bool | int | float | list[str]]


def _bounds(memory: str, threads: int) -> _Bounds:
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
        self._until = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._ended = False
        self._alarm = threading.Timer(seconds, self._ring)
        self._alarm.daemon = True

    def __enter__(self) -> DuckQuery:
        self._alarm.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._alarm.cancel()
        with self._lock:
            self._ended = True
            self._database.close()

    def _ring(self) -> None:
        with self._lock:
            if not self._ended:
                self._database.interrupt()

    def check_time(self) -> None:
        """Raise TimeoutError if the time of this query is over."""
        if time.monotonic() > self._until:
            raise TimeoutError

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement. Raises TimeoutError, also if it runs out of memory."""
        import duckdb

        self.check_time()
        try:
            found: list[tuple[Any, ...]] = self._database.execute(sql, [*values]).fetchall()
        except (duckdb.InterruptException, duckdb.OutOfMemoryException) as error:
            raise TimeoutError from error
        return found

    def table(self, name: str, columns: Mapping[str, object]) -> None:
        """Register numpy arrays, by column, as a table for the statements."""
        self._database.register(name, columns)

    @property
    def left(self) -> float:
        """Return the remaining seconds, at least 0.01."""
        return max(0.01, self._until - time.monotonic())


class _DuckInstance:
    """The DuckDB instance of this process; each query is a connection to it."""

    def __init__(self, memory: int, threads: int, places: int) -> None:
        import duckdb

        spilled = settings.DATA_DIR / "tmp"
        self.database = duckdb.connect(":memory:", config=_bounds(f"{memory}MB", threads))
        self.database.execute(f"SET max_temp_directory_size = '{4 * memory}MB'")
        # From here on it reads its spilled files only, and no statement can change that.
        self.database.execute(f"SET allowed_directories = [{sql_literal(spilled)}]")
        self.database.execute("SET enable_external_access = false")
        self.database.execute("SET lock_configuration = true")
        self.places = threading.BoundedSemaphore(places)
        self.waiting = threading.BoundedSemaphore(1)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a slot while the body runs. Raises BusyError.

        At most one query waits for a slot: a waiting query holds a thread that other requests need.
        """
        if not self.places.acquire(blocking=False):
            self._wait()
        try:
            yield
        finally:
            self.places.release()

    def _wait(self) -> None:
        if not self.waiting.acquire(blocking=False):
            raise BusyError
        try:
            if not self.places.acquire(timeout=PATIENCE_SECONDS):
                raise BusyError
        finally:
            self.waiting.release()


PATIENCE_SECONDS: Final = 0.5
"""How long a query waits for a slot."""

_instances: Final[dict[tuple[object, ...], _DuckInstance]] = {}
_instances_lock: Final = threading.Lock()


def _instance() -> _DuckInstance:
    """Return the instance of this process. An instance inherited by a fork is never used: its threads are
    missing."""
    bounds = (
        settings.ARCHIVE_PATTERN_MEMORY_MB,
        settings.ARCHIVE_PATTERN_THREADS,
        settings.ARCHIVE_PATTERNS_AT_ONCE,
    )
    key = (os.getpid(), *bounds)
    with _instances_lock:
        if key not in _instances:
            _close_own()
            _instances[key] = _DuckInstance(*bounds)
        return _instances[key]


@atexit.register
def _close_own() -> None:
    """Close the instances of this process, also at its exit, where DuckDB warns of open ones."""
    for key in [one for one in _instances if one[0] == os.getpid()]:
        del _instances[key]


@contextmanager
def duck_query(seconds: float) -> Iterator[DuckQuery]:
    """Run a query of at most so many seconds. Raises BusyError and TimeoutError."""
    reader = _instance()
    with reader.place(), DuckQuery(reader.database, seconds) as asked:
        yield asked
