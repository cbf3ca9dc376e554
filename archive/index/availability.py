"""Errors of unreachable databases and of transactions that are not decided yet."""

from __future__ import annotations

import sqlite3
from typing import Final

from django.db.utils import DatabaseError

RETRY_SECONDS: Final = 15
"""Seconds until a retry makes sense: a server has restarted, or its standby has taken over."""

_CONNECTION: Final = "08"
_IO_ERROR: Final = "58030"
_CANCELLED: Final = "57014"
_SHUTDOWN: Final = {"57P01", "57P02", "57P03"}
"""The server is shutting down, has crashed, or is not up yet."""


class UndecidedError(Exception):
    """A server has not applied a committed transaction yet, or is unreachable: its rows cannot be counted,
    deleted or compared now. `code` is stable."""

    code: Final = "undecided"

    def __init__(self, text: str) -> None:
        super().__init__(f"{text} ({self.code})")


def is_unreachable(error: BaseException) -> bool:
    """Return whether an error says that a server with remote tables is unreachable."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    return isinstance(error, DatabaseError) and (state.startswith(_CONNECTION) or state == _IO_ERROR)


def is_cancelled(error: BaseException) -> bool:
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
    return isinstance(error, DatabaseError) and getattr(cause, "sqlstate", None) == _CANCELLED


def is_connection_lost(error: BaseException) -> bool:
    """Return whether an error says that the database closed the connection or refuses one. The driver has no
    code for this."""
    import psycopg  # archives on SQLite do without

    cause = error.__cause__
    if not isinstance(cause, psycopg.OperationalError):
        return False
    return cause.sqlstate is None or cause.sqlstate in _SHUTDOWN
