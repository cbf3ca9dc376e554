"""The folder of columns: for each space a folder of immutable Parquet files, with a manifest.

Each Parquet file has a file of runs (`archive.columns.runs`), which only the archive reads.

The folder is beside the database, or on a volume that web processes and workers of the queue `maintenance`
share. The database lists the files in use (`ColumnSegment`); the manifest has the same list for readers
without the database.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.conf import settings

MANIFEST: Final = "manifest.json"
SUFFIX: Final = ".parquet"
RUNS_SUFFIX: Final = ".runs1"
"""The number is the version of the format; runs of another version are deleted and made again."""

_LOCK: Final = ".lock"


class ColumnsLockedError(Exception):
    """Another process holds the lock of the columns."""


def columns_folder() -> Path:
    """Return the folder of all spaces."""
    return Path(settings.ARCHIVE_COLUMN_FOLDER)


def column_path(space: int, name: str) -> Path:
    """Return the path of a file of a space."""
    return columns_folder() / str(space) / name


def runs_of(path: Path) -> Path:
    """Return the path of the runs of a Parquet file."""
    return path.with_suffix(RUNS_SUFFIX)


def is_complete(path: Path) -> bool:
    """Return whether this machine has a Parquet file and its runs."""
    return path.exists() and runs_of(path).exists()


@contextmanager
def columns_lock() -> Iterator[None]:
    """Keep other processes from writing columns. Raises ColumnsLockedError if one does."""
    folder = columns_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ColumnsLockedError("another process is writing files of columns") from None
        yield


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces the file atomically after the body."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def is_manifest(space: int, content: Mapping[str, Any]) -> bool:
    """Return whether the manifest of a space has this content."""
    path = column_path(space, MANIFEST)
    return path.exists() and path.read_text() == _text(content)


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def write_manifest(space: int, content: Mapping[str, Any]) -> None:
    """Replace the manifest of a space atomically, unless it has the same content."""
    if is_manifest(space, content):
        return
    with atomic_file(column_path(space, MANIFEST)) as temporary:
        temporary.write_text(_text(content))


def files() -> Iterator[Path]:
    """Yield the files of all spaces except manifests, including incomplete ones."""
    for folder in sorted(columns_folder().glob("*/")):
        if folder.name.isdigit():
            for path in sorted(folder.iterdir()):
                if path.name != MANIFEST:
                    yield path
