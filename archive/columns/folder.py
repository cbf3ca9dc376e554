"""The folder of columns: a folder for each space, files that never change, and a manifest that tells of them.

Beside each Parquet file lie its runs (`archive.columns.runs`), which only the archive reads.

It lies beside the database, or on what the web processes and the workers of the queue `maintenance` share.
Which files are in use the database says (`ColumnSegment`); the manifest says so to whoever reads the folder
without it.
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
"""Another number says that runs are written otherwise; then they are made anew, and old ones deleted."""

_LOCK: Final = ".lock"
_PIECE: Final = 1024 * 1024


class ColumnsAreMadeError(Exception):
    """Another process is writing files of columns."""


def columns_folder() -> Path:
    """Return the folder of all spaces."""
    return Path(settings.ARCHIVE_COLUMN_FOLDER)


def place(space: int, name: str) -> Path:
    """Return where a file of a space lies."""
    return columns_folder() / str(space) / name


def runs_of(path: Path) -> Path:
    """Return where the runs of a Parquet file lie."""
    return path.with_suffix(RUNS_SUFFIX)


def is_here(path: Path) -> bool:
    """Tell whether this machine has a Parquet file and its runs."""
    return path.exists() and runs_of(path).exists()


@contextmanager
def alone() -> Iterator[None]:
    """Keep all other processes from writing files. Raises ColumnsAreMadeError where one does."""
    folder = columns_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ColumnsAreMadeError("another process is writing files of columns") from None
        yield


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Give a place for what becomes this file when the body is done: who sees the name sees all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.new")
    try:
        yield made
        with made.open("rb") as file:
            os.fsync(file.fileno())
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)


def says(space: int, told: Mapping[str, Any]) -> bool:
    """Tell whether this is what the manifest of a space says."""
    path = place(space, MANIFEST)
    return path.exists() and path.read_text() == _text(told)


def _text(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def write_manifest(space: int, told: Mapping[str, Any]) -> None:
    """Put a manifest of a space in the place of the one before, at once, unless that says the same."""
    if says(space, told):
        return
    with written(place(space, MANIFEST)) as made:
        made.write_text(_text(told))


def files() -> Iterator[Path]:
    """Yield the files of all spaces but for manifests, also those that are not whole."""
    for folder in sorted(columns_folder().glob("*/")):
        if folder.name.isdigit():
            for path in sorted(folder.iterdir()):
                if path.name != MANIFEST:
                    yield path
