"""The columns of the public games, as everybody may take them away: what their manifest names, and it.

Files never change and none gets the name of another; the manifest is replaced whenever something is written
or put together, and names what is gone though files still have it.
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
"""What stands in addresses in the place of a dump's name: no dump is called so."""


@dataclass(frozen=True, slots=True)
class ColumnFile:
    """A file of columns: its size in bytes, its SHA-256, and the games and positions in it."""

    name: str
    size: int
    sha256: str
    games: int
    rows: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of the public games, as their manifest tells of them; `gone` slots are to be left out."""

    version: int
    files: tuple[ColumnFile, ...]
    gone: int
    manifest: bytes
    sha256: str
    """Of the manifest."""

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
        """Return where a file lies and its SHA-256; None for one that the manifest does not name."""
        known = next((file for file in self.files if file.name == name), None)
        return None if known is None else (column_path(PUBLIC, known.name), known.sha256)


def offered() -> Columns | None:
    """Return the columns of the public games; None where there are none, or no manifest that makes sense."""
    path = column_path(PUBLIC, MANIFEST)
    try:
        state = path.stat()
        found = _read(path, state.st_mtime_ns, state.st_ino)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if found.files else None


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _file: int) -> Columns:
    """Read a manifest; kept as long as it is the same file."""
    data = path.read_bytes()
    told = json.loads(data)
    names = ("name", "size", "sha256", "games", "rows")
    files = tuple(ColumnFile(**{name: one[name] for name in names}) for one in told["files"])
    return Columns(told["version"], files, len(told["gone"]), data, hashlib.sha256(data).hexdigest())
