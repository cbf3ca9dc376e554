"""The dumps on offer: each is a folder with a manifest that lists its files (docs/dumps.md).

A dump gets its name when it is complete, and the name is never used again: nothing in a dump ever changes.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings

SCHEMA: Final = 1
"""The version of the manifest's format; it increases when a field changes its meaning."""

MANIFEST: Final = "manifest.json"
SUMS: Final = "SHA256SUMS"
TABLE: Final = "games.parquet"
_PARQUET: Final = ".parquet"
DELETING: Final = ".gone-"
"""The prefix of folders that are being deleted."""

_MOMENT: Final = "%Y-%m-%dT%H-%M-%SZ"
_NAME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")
_CACHED_MANIFESTS: Final = 64


@dataclass(frozen=True, slots=True)
class DumpFile:
    """A file of a dump: its size in bytes, its SHA-256 as 64 hexadecimal digits, and the number of its
    games."""

    name: str
    size: int
    sha256: str
    games: int


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump as described by its manifest.

    `taken_down` is, by the name of each older dump, the number of its games that are no longer public; None
    for a dump that could not be read.
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
        """Return the files with records."""
        return tuple(file for file in self.files if not file.name.endswith(_PARQUET))

    @property
    def tables(self) -> list[Path]:
        """Return the tables of games, one for each kind of game."""
        return game_tables(self.folder, [file.name for file in self.files])

    @property
    def manifest(self) -> dict[str, Any]:
        """Read the complete manifest."""
        manifest: dict[str, Any] = json.loads((self.folder / MANIFEST).read_bytes())
        return manifest

    def path_of(self, name: str) -> tuple[Path, str] | None:
        """Return the path and the SHA-256 of a file; None for one that the manifest does not list."""
        file = next((file for file in self.files if file.name == name), None)
        if file is not None:
            return self.folder / file.name, file.sha256
        if name in (MANIFEST, SUMS):
            path = self.folder / name
            return path, hashlib.sha256(path.read_bytes()).hexdigest()
        return None


def game_tables(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the tables of games among the files of a folder."""
    return [folder / name for name in names if name.startswith("games") and name.endswith(_PARQUET)]


def dumps_folder() -> Path:
    return Path(settings.ARCHIVE_DUMP_FOLDER)


def name_of(began: datetime) -> str:
    """Return the name of a dump that began at a moment. No two dumps begin in the same second."""
    return began.astimezone(UTC).strftime(_MOMENT)


def offered_dumps() -> list[Dump]:
    """Return the complete dumps, newest first, without those whose manifest cannot be read."""
    folder = dumps_folder()
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    dumps = map(dump_by_name, sorted(names, reverse=True))
    return [dump for dump in dumps if dump is not None]


def dump_by_name(name: str) -> Dump | None:
    """Return a dump; None if there is none, or if the text is not the name of a dump."""
    if not _NAME.fullmatch(name):
        return None
    folder = dumps_folder() / name
    try:
        state = (folder / MANIFEST).stat()
        return _read(folder, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@lru_cache(maxsize=_CACHED_MANIFESTS)
def _read(folder: Path, _modified: int, _size: int) -> Dump:
    """Read a manifest; cached while its file is unchanged, since one page reads all manifests."""
    manifest = json.loads((folder / MANIFEST).read_bytes())
    return Dump(
        folder,
        made=datetime.fromisoformat(manifest["made"]),
        games=manifest["games"],
        files=tuple(
            DumpFile(file["name"], file["size"], file["sha256"], file["games"]) for file in manifest["files"]
        ),
        taken_down={
            older["dump"]: None if older["games"] is None else len(older["games"])
            for older in manifest["taken_down"]
        },
        revision=manifest["archive"]["revision"],
    )


def remove(dump: Dump) -> None:
    """Delete a dump. It is no longer on offer before the first of its files is deleted."""
    doomed = dump.folder.with_name(f"{DELETING}{dump.name}")
    dump.folder.rename(doomed)
    shutil.rmtree(doomed)
