"""DuckDB inside this process: databases in memory, within bounds, that load nothing from elsewhere.

It is imported when it is first asked for and not before: it takes 40 MiB of a process.
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
def bounded(memory: str = MEMORY, threads: int = 1) -> Iterator[DuckDBPyConnection]:
    """Give a database that keeps what does not fit into `memory` on disk."""
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


def literal(text: object) -> str:
    """Return a text as it stands in a statement: names of files can be no parameters everywhere."""
    return "'" + str(text).replace("'", "''") + "'"


class BusyError(Exception):
    """As many questions as this process takes at a time are being asked."""


class Asked:
    """One question: several statements in a connection of its own, within bounds, about given tables."""

    def __init__(self, database: DuckDBPyConnection, seconds: float) -> None:
        self._database = database.cursor()
        self._until = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._ended = False
        self._alarm = threading.Timer(seconds, self._ring)
        self._alarm.daemon = True

    def __enter__(self) -> Asked:
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
        """Raise TimeoutError where the time of this question is over."""
        if time.monotonic() > self._until:
            raise TimeoutError

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement. Raises TimeoutError, also for one that takes more memory than
        there is."""
        import duckdb

        self.check_time()
        try:
            found: list[tuple[Any, ...]] = self._database.execute(sql, [*values]).fetchall()
        except (duckdb.InterruptException, duckdb.OutOfMemoryException) as error:
            raise TimeoutError from error
        return found

    def table(self, name: str, columns: Mapping[str, object]) -> None:
        """Give the statements a table of numpy's arrays by the names of its columns."""
        self._database.register(name, columns)

    @property
    def left(self) -> float:
        """Return the seconds that are left, at least a hundredth."""
        return max(0.01, self._until - time.monotonic())


class _Reader:
    """The instance of this process for questions, each of which is a connection to it."""

    def __init__(self, memory: int, threads: int, places: int) -> None:
        import duckdb

        spilled = settings.DATA_DIR / "tmp"
        self.database = duckdb.connect(":memory:", config=_bounds(f"{memory}MB", threads))
        self.database.execute(f"SET max_temp_directory_size = '{4 * memory}MB'")
        # From here on it reads what it has spilled and nothing else, and no statement changes that.
        self.database.execute(f"SET allowed_directories = [{literal(spilled)}]")
        self.database.execute("SET enable_external_access = false")
        self.database.execute("SET lock_configuration = true")
        self.places = threading.BoundedSemaphore(places)
        self.waiting = threading.BoundedSemaphore(1)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Have a place while the body runs. Raises BusyError.

        One question waits for a place and no more: each that waits has a thread, which others would lack who
        ask something else.
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
"""How long a question waits for a place."""

_readers: Final[dict[tuple[object, ...], _Reader]] = {}
_making: Final = threading.Lock()


def _reader() -> _Reader:
    """Return the instance of this process. One that another process made before it forked this one is of no
    use, and is never touched: its threads are not here."""
    bounds = (
        settings.ARCHIVE_PATTERN_MEMORY_MB,
        settings.ARCHIVE_PATTERN_THREADS,
        settings.ARCHIVE_PATTERNS_AT_ONCE,
    )
    key = (os.getpid(), *bounds)
    with _making:
        if key not in _readers:
            _forget_own()
            _readers[key] = _Reader(*bounds)
        return _readers[key]


@atexit.register
def _forget_own() -> None:
    """Give back what this process has made, also at its end: DuckDB tells of it otherwise."""
    for key in [one for one in _readers if one[0] == os.getpid()]:
        del _readers[key]


@contextmanager
def asking(seconds: float) -> Iterator[Asked]:
    """Let the body ask for so many seconds. Raises BusyError, and TimeoutError."""
    reader = _reader()
    with reader.place(), Asked(reader.database, seconds) as asked:
        yield asked
