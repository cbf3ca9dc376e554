"""Free space on this machine's disks, and errors that mean that a disk is full."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.db import DatabaseError

MIN_FREE_BYTES: Final = 64 * 1024 * 1024
"""A folder with less free space is reported as full: an upload may not fit any more."""

_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT))
_FULL_SERVER: Final = "53100"


class DiskSpace(NamedTuple):
    """The bytes of the disk that a folder is on."""

    free: int
    total: int


def is_full(error: BaseException) -> bool:
    """Return whether an error means that a disk is full, on this machine or on the database server."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    cause = error.__cause__
    if not isinstance(error, DatabaseError) or cause is None:
        return False
    if isinstance(cause, sqlite3.Error):
        return _is_full_sqlite(getattr(cause, "sqlite_errorcode", 0))
    return getattr(cause, "sqlstate", None) == _FULL_SERVER


def _is_full_sqlite(code: int) -> bool:
    # SQLite reports an I/O error when its shared memory cannot grow.
    kind = code & 0xFF
    return kind == sqlite3.SQLITE_FULL or (
        kind == sqlite3.SQLITE_IOERR and disk_space(settings.DATA_DIR).free == 0
    )


def disk_space(folder: Path) -> DiskSpace:
    """Return the space on the disk of a folder, which need not exist yet."""
    while not folder.exists():
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    return DiskSpace(usage.free, usage.total)


def disk_spaces() -> dict[str, DiskSpace]:
    """Return the space on the disks of the folders that are written, by name."""
    return {
        "data": disk_space(settings.DATA_DIR),
        "columns": disk_space(settings.ARCHIVE_COLUMN_FOLDER),
        "dumps": disk_space(settings.ARCHIVE_DUMP_FOLDER),
    }
