"""The room on this machine's disks: how much is left, and whether an error says that there is none."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.db import DatabaseError

LEAST_BYTES: Final = 64 * 1024 * 1024
"""With less than that a folder is told to be full: an upload may not fit any more."""

_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT))
_FULL_SERVER: Final = "53100"


class Room(NamedTuple):
    """The bytes of the disk that a folder is on."""

    free: int
    total: int


def is_full(error: BaseException) -> bool:
    """Tell whether an error says that a disk is full, of this machine or of the database's server."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    cause = error.__cause__
    if not isinstance(error, DatabaseError) or cause is None:
        return False
    if isinstance(cause, sqlite3.Error):
        return _is_full_sqlite(getattr(cause, "sqlite_errorcode", 0))
    return getattr(cause, "sqlstate", None) == _FULL_SERVER


def _is_full_sqlite(code: int) -> bool:
    # Where its shared memory cannot grow SQLite tells of an error of the disk.
    kind = code & 0xFF
    return kind == sqlite3.SQLITE_FULL or (kind == sqlite3.SQLITE_IOERR and room(settings.DATA_DIR).free == 0)


def room(folder: Path) -> Room:
    """Return the room of the disk that a folder is on, or will be."""
    while not folder.exists():
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    return Room(usage.free, usage.total)


def rooms() -> dict[str, Room]:
    """Return the room of the folders that are written, by their names."""
    return {
        "data": room(settings.DATA_DIR),
        "columns": room(settings.ARCHIVE_COLUMN_FOLDER),
        "dumps": room(settings.ARCHIVE_DUMP_FOLDER),
    }
