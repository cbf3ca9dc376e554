"""What goes wrong where the index lies on several servers: one does not answer, or has not heard how a
transaction ended."""

from __future__ import annotations

import sqlite3
from typing import Final

from django.db.utils import DatabaseError

AWAY_SECONDS: Final = 15
"""After so long it is worth asking again: a server is started again, or its standby takes its place."""

_CONNECTION: Final = "08"
_IO_ERROR: Final = "58030"
_CANCELLED: Final = "57014"
_GOING: Final = {"57P01", "57P02", "57P03"}
"""The server is shutting down, has crashed, or is not up yet."""


class UndecidedError(Exception):
    """On some server a transaction that has ended is not known to have ended, or a server cannot be asked
    about that: what lies there cannot be counted, taken out or compared. It can a while later. `code` is
    stable."""

    code: Final = "undecided"

    def __init__(self, text: str) -> None:
        super().__init__(f"{text} ({self.code})")


def is_away(error: BaseException) -> bool:
    """Tell whether a database error says that a server with a part of the tables does not answer: the one
    that we are connected to says so of another."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    return isinstance(error, DatabaseError) and (state.startswith(_CONNECTION) or state == _IO_ERROR)


def is_cancelled(error: BaseException) -> bool:
    """Tell whether a database error says that somebody has ended the question."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
    return isinstance(error, DatabaseError) and getattr(cause, "sqlstate", None) == _CANCELLED


def is_down(error: BaseException) -> bool:
    """Tell whether a database error says that the server that we are connected to is not there: it has ended
    the connection, or takes none. Of that the driver knows no code."""
    import psycopg  # archives on SQLite do without

    cause = error.__cause__
    if not isinstance(cause, psycopg.OperationalError):
        return False
    return cause.sqlstate is None or cause.sqlstate in _GOING
