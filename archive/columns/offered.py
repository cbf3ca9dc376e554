"""The column files of the public games for download, and their manifest.

Files never change, and no name is used twice; the manifest is replaced whenever files are written or merged,
and lists deleted games that are still in files.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from archive.columns.folder import MANIFEST, column_path
from kifu_core.classes import PUBLIC

NAME: Final = "columns"
"""The name in addresses, in the place of a dump's name; no dump has it."""


@dataclass(frozen=True, slots=True)
class ColumnFile:
    """A column file: its size in bytes, its SHA-256, and its numbers of games and positions."""

    name: str
    size: int
    sha256: str
    games: int
    rows: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of the public games by their manifest; `gone` is the number of slots to leave out."""

    version: int
    files: tuple[ColumnFile, ...]
    gone: int
    manifest: bytes
    sha256: str
    """The checksum of the manifest."""

    @property
    def games(self) -> int:
        return sum(file.games for file in self.files)

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def path_of(self, name: str) -> tuple[Path, str] | None:
        """Return the path and the SHA-256 of a file; None if the manifest does not list it."""
        file = next((file for file in self.files if file.name == name), None)
        return None if file is None else (column_path(PUBLIC, file.name), file.sha256)


def offered() -> Columns | None:
    """Return the columns of the public games; None without files or a valid manifest."""
    path = column_path(PUBLIC, MANIFEST)
    try:
        status = path.stat()
        columns = _read(path, status.st_mtime_ns, status.st_ino)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return columns if columns.files else None


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _inode: int) -> Columns:
    """Read a manifest; it is cached until the file is replaced."""
    data = path.read_bytes()
    manifest = json.loads(data)
    names = ("name", "size", "sha256", "games", "rows")
    files = tuple(ColumnFile(**{name: file[name] for name in names}) for file in manifest["files"])
    return Columns(manifest["version"], files, len(manifest["gone"]), data, hashlib.sha256(data).hexdigest())
