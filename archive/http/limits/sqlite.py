"""Counters in a small SQLite file of their own: the embedded default.

The file is separate from the archive's database, so that counters and imports never block each other. It
holds counts of the last minutes only, so writes are not synced to disk.
"""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from archive.http.limits.stores import PATIENCE, SWEEP_SECONDS, Count, StoreAwayError

_SETUP: Final = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=OFF",
    "CREATE TABLE IF NOT EXISTS counts (key BLOB PRIMARY KEY, until REAL NOT NULL, total INTEGER NOT NULL) "
    "WITHOUT ROWID",
)
_ADD: Final = """
INSERT INTO counts VALUES (:key, :now + :seconds, :amount) ON CONFLICT (key) DO UPDATE SET
    total = excluded.total + CASE WHEN until > :now THEN total ELSE 0 END,
    until = CASE WHEN until > :now THEN until ELSE excluded.until END
RETURNING total, until
"""
_TAKE_BACK: Final = "UPDATE counts SET total = max(0, total - :amount) WHERE key = :key"
_SWEEP: Final = "DELETE FROM counts WHERE until <= :now"


class SQLiteStore:
    """One connection for all threads of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.connection: sqlite3.Connection | None = None
        self.swept = 0.0

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        now = time.time()
        values = {"key": key, "amount": amount, "seconds": seconds, "now": now}
        with self._locked_connection() as connection:
            total, until = connection.execute(_ADD, values).fetchone()
            if now - self.swept > SWEEP_SECONDS:
                self.swept = now
                connection.execute(_SWEEP, {"now": now})
        return Count(total, until - now)

    def take_back(self, key: bytes, amount: int) -> None:
        with self._locked_connection() as connection:
            connection.execute(_TAKE_BACK, {"key": key, "amount": amount})

    def close(self) -> None:
        with self.lock:
            if self.connection is not None:
                self.connection.close()
                self.connection = None

    @contextmanager
    def _locked_connection(self) -> Iterator[sqlite3.Connection]:
        with self.lock:
            try:
                if self.connection is None:
                    self.connection = self._connect()
                yield self.connection
            except sqlite3.Error as error:
                raise StoreAwayError(f"{self.path.name}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        # Autocommit: each statement is a transaction.
        connection = sqlite3.connect(
            self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            for statement in _SETUP:
                connection.execute(statement)
        except sqlite3.Error:
            connection.close()
            raise
        return connection
