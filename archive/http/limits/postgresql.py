"""Counters in an unlogged table of PostgreSQL, for archives without a Valkey or Redis.

On a connection of its own, one for the process: a count must stay where a request's transaction is rolled
back, and nobody else may wait for the lock on a counter until that transaction ends.
"""

import threading
import time
from typing import Any, Final

import psycopg
from django.conf import settings
from django.db import connection as archive

from archive.http.limits.stores import PATIENCE, SWEEP_SECONDS, Count, StoreAwayError

# Time is the server's: clocks of several machines differ.
_ADD: Final = """
WITH clock AS (SELECT extract(epoch FROM clock_timestamp())::double precision AS now)
INSERT INTO archive_throttle AS counts (key, until, total)
SELECT %(key)s, now + %(seconds)s, %(amount)s FROM clock
ON CONFLICT (key) DO UPDATE SET
    total = excluded.total + CASE WHEN counts.until > excluded.until - %(seconds)s THEN counts.total ELSE 0
                             END,
    until = CASE WHEN counts.until > excluded.until - %(seconds)s THEN counts.until ELSE excluded.until END
RETURNING total, until - (SELECT now FROM clock)
"""
_TAKE_BACK: Final = "UPDATE archive_throttle SET total = greatest(0, total - %(amount)s) WHERE key = %(key)s"
_SWEEP: Final = "DELETE FROM archive_throttle WHERE until <= extract(epoch FROM clock_timestamp())"
_CONNECT_SECONDS: Final = 2
"""The least that libpq waits for a server."""


class PostgreSQLStore:
    """One connection for the process, on which its threads take turns."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.connection: psycopg.Connection[Any] | None = None
        self.swept = 0.0

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        with self.lock:
            row = self._run(_ADD, {"key": key, "amount": amount, "seconds": seconds}).fetchone()
            if time.monotonic() - self.swept > SWEEP_SECONDS:
                self.swept = time.monotonic()
                self._run(_SWEEP, {})
        if row is None:
            raise StoreAwayError("the statement gave no row")
        return Count(*row)

    def take_back(self, key: bytes, amount: int) -> None:
        with self.lock:
            self._run(_TAKE_BACK, {"key": key, "amount": amount})

    def close(self) -> None:
        with self.lock:
            self._close()

    def _close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _run(self, statement: str, values: dict[str, Any]) -> psycopg.Cursor[Any]:
        """Run it, on a new connection where the server has ended the old one meanwhile."""
        for again in (self.connection is not None, False):
            try:
                if self.connection is None:
                    self.connection = psycopg.connect(**self.parameters())
                return self.connection.execute(statement, values)
            except psycopg.Error as error:
                ended = self.connection is not None and self.connection.broken
                self._close()
                if not (again and ended):
                    raise StoreAwayError(str(error).strip()) from error
        raise AssertionError("the second attempt returns or raises")

    @staticmethod
    def parameters() -> dict[str, Any]:
        """Return the parameters of a connection to the database where each statement is a transaction."""
        told = archive.get_connection_params()
        wanted = {name: told[name] for name in told if name not in ("cursor_factory", "context")}
        if not settings.DATABASE_POOLER:
            limit = f"-c statement_timeout={int(PATIENCE * 1000)}"
            wanted["options"] = f"{wanted.get('options', '')} {limit}".strip()
        return wanted | {"autocommit": True, "connect_timeout": _CONNECT_SECONDS}
