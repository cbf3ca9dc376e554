"""The dumps that are offered: each a folder that its manifest names the files of (docs/dumps.md).

A dump gets its name when it is whole, and none gets the name of another: nothing in it ever changes.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings

SCHEMA: Final = 1
"""Another number says that what reads manifests has to be looked at again."""

MANIFEST: Final = "manifest.json"
SUMS: Final = "SHA256SUMS"
TABLE: Final = "games.parquet"
GONE: Final = ".gone-"
"""How the names of folders begin that are being deleted."""

_MOMENT: Final = "%Y-%m-%dT%H-%M-%SZ"
_NAME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")
_KEPT_MANIFESTS: Final = 64


@dataclass(frozen=True, slots=True)
class DumpFile:
    """A file of a dump: its size in bytes, its SHA-256 as 64 hexadecimal digits, and the games in it."""

    name: str
    size: int
    sha256: str
    games: int


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump that is offered, as its manifest tells of it.

    `taken_down` has by the names of older dumps how many of their games this archive does not publish any
    more; None for a dump that could not be read.
    """

    folder: Path
    made: datetime
    games: int
    files: tuple[DumpFile, ...]
    taken_down: Mapping[str, int | None]
    revision: str

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def records(self) -> tuple[DumpFile, ...]:
        """Return the files that have records."""
        return tuple(file for file in self.files if file.name != TABLE)

    @property
    def table(self) -> Path:
        """Return where the table of metadata lies."""
        return self.folder / TABLE

    @property
    def manifest(self) -> dict[str, Any]:
        """Read the whole manifest."""
        found: dict[str, Any] = json.loads((self.folder / MANIFEST).read_bytes())
        return found

    def path_of(self, name: str) -> tuple[Path, str] | None:
        """Return where a file lies and its SHA-256; None for one that the manifest does not name."""
        known = next((file for file in self.files if file.name == name), None)
        if known is not None:
            return self.folder / known.name, known.sha256
        if name in (MANIFEST, SUMS):
            path = self.folder / name
            return path, hashlib.sha256(path.read_bytes()).hexdigest()
        return None


def dumps_folder() -> Path:
    """Return the folder of all dumps."""
    return Path(settings.ARCHIVE_DUMP_FOLDER)


def name_of(moment: datetime) -> str:
    """Return the name of a dump that is begun at a moment: no two are begun in one second."""
    return moment.astimezone(UTC).strftime(_MOMENT)


def offered() -> list[Dump]:
    """Return the dumps that are whole, the newest first. One without a manifest that makes sense is none."""
    folder = dumps_folder()
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    found = (dump_named(name) for name in sorted(names, reverse=True))
    return [dump for dump in found if dump is not None]


def dump_named(name: str) -> Dump | None:
    """Return the dump of a name; None where there is none. Nothing but names of dumps is looked for."""
    if not _NAME.fullmatch(name):
        return None
    folder = dumps_folder() / name
    try:
        state = (folder / MANIFEST).stat()
        return _read(folder, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=_KEPT_MANIFESTS)
def _read(folder: Path, _changed: int, _size: int) -> Dump:
    """Read a manifest; kept as long as its file stays the same, since a page asks for all of them."""
    told = json.loads((folder / MANIFEST).read_bytes())
    files = (DumpFile(one["name"], one["size"], one["sha256"], one["games"]) for one in told["files"])
    gone = {one["dump"]: None if one["games"] is None else len(one["games"]) for one in told["taken_down"]}
    made = datetime.fromisoformat(told["made"])
    return Dump(folder, made, told["games"], tuple(files), gone, told["archive"]["revision"])


def remove(dump: Dump) -> None:
    """Delete a dump. It is offered no more before the first of its files is gone."""
    gone = dump.folder.with_name(f"{GONE}{dump.name}")
    dump.folder.rename(gone)
    shutil.rmtree(gone)
