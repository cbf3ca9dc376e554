"""Counters in an unlogged table of PostgreSQL, for archives without a Valkey or Redis.

The process has a connection of its own for them: counts must survive a rollback of the request's transaction,
and no other request may wait until that transaction releases a counter's lock.
"""

import threading
import time
from typing import Any, Final

import psycopg
from django.conf import settings
from django.db import connection as archive

from archive.http.limits.stores import PATIENCE, SWEEP_SECONDS, Count, StoreAwayError

# The server's time, since clocks of several machines differ.
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
"""The shortest timeout that libpq accepts."""


class PostgreSQLStore:
    """One connection for all threads of the process."""

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
        """Run a statement; retry once on a new connection if the server has closed the old one."""
        for may_retry in (self.connection is not None, False):
            try:
                if self.connection is None:
                    self.connection = psycopg.connect(**self.parameters())
                return self.connection.execute(statement, values)
            except psycopg.Error as error:
                broken = self.connection is not None and self.connection.broken
                self._close()
                if not (may_retry and broken):
                    raise StoreAwayError(str(error).strip()) from error
        raise AssertionError("the second attempt returns or raises")

    @staticmethod
    def parameters() -> dict[str, Any]:
        """Return the parameters of an autocommit connection to the archive's database."""
        parameters: dict[str, Any] = archive.get_connection_params()
        parameters = {name: parameters[name] for name in parameters.keys() - {"cursor_factory", "context"}}
        if not settings.DATABASE_POOLER:
            timeout = f"-c statement_timeout={int(PATIENCE * 1000)}"
            parameters["options"] = f"{parameters.get('options', '')} {timeout}".strip()
        return parameters | {"autocommit": True, "connect_timeout": _CONNECT_SECONDS}
