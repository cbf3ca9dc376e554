"""The folder of a backup, and checks of folders from elsewhere.

    manifest.json                          the format, the tables with their parts and sums, the last ids
    tables/archive_game-0-1f3a….ndjson.zst the rows of a table, or of a range of it, a line of JSON each
    uploads/1f/1f3a…                       the bytes of an upload as received, named by their SHA-256
    SHA256SUMS                             of all of these, for `sha256sum -c`

Names of parts contain a digest of their lines, so files never change: a new backup adds its own files to
those of an earlier one, and then replaces the manifest. Files that the manifest does not list are ignored or
refused, and nothing but regular files in the folder is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BufferedIOBase, BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

from archive.dumps.packing import DAMAGED, sum_of, to_disk

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT: Final = 1
"""Increases when a column changes its meaning. New columns have defaults."""

MANIFEST: Final = "manifest.json"
SUMS: Final = "SHA256SUMS"
UNFINISHED: Final = ".unfinished"
"""Exists while a backup is written: files that the manifest does not list may belong to that backup."""
NEW: Final = ".new"
"""The suffix of incomplete files."""
TABLES_FOLDER: Final = "tables"
UPLOADS_FOLDER: Final = "uploads"

MOST_LINE: Final = 256 * 1024 * 1024
"""The longest line, uncompressed: far more than the largest record that is accepted."""
_MOST_MANIFEST: Final = 256 * 1024 * 1024
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_PART: Final = re.compile(r"[a-z_]+-\d+-[0-9a-f]{16}\.ndjson\.zst")


class BackupError(Exception):
    """An error that ends an export or an import; `code` is stable, the text says what to do.

    not-a-backup, newer-format, damaged, missing-file, unexpected-file, wrong-sum, wrong-row, wrong-count,
    unknown-table, not-empty, unknown-index, in-use, too-large
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{text} ({code})")
        self.code = code


@dataclass(frozen=True, slots=True)
class TablePart:
    """Rows of a table. `content` is the SHA-256 of the lines; `sha256` and `size` are those of the file."""

    name: str
    rows: int
    content: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a backup. `tables` are in the order in which they can be imported."""

    made: str
    program: str
    engine: str
    accounts: bool
    tables: dict[str, tuple[TablePart, ...]]
    last_ids: dict[str, int]

    @property
    def content(self) -> str:
        """Return a digest of all rows: it is equal for two backups if all their rows are."""
        contents = {name: [part.content for part in parts] for name, parts in self.tables.items()}
        return hashlib.sha256(json.dumps(contents).encode()).hexdigest()

    @property
    def parts(self) -> Iterator[TablePart]:
        return chain.from_iterable(self.tables.values())

    def rows(self, table: str) -> int:
        return sum(part.rows for part in self.tables[table])

    def to_json(self) -> bytes:
        tables = [
            {"name": name, "rows": self.rows(name), "parts": [asdict(part) for part in parts]}
            for name, parts in self.tables.items()
        ]
        members = {
            "format": FORMAT,
            "made": self.made,
            "program": self.program,
            "engine": self.engine,
            "accounts": self.accounts,
            "content": self.content,
            "tables": tables,
            "last_ids": self.last_ids,
        }
        return json.dumps(members, indent=1).encode() + b"\n"


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder. Raises BackupError."""
    with open_file(folder, MANIFEST) as file:
        text = file.read(_MOST_MANIFEST + 1)
    if len(text) > _MOST_MANIFEST:
        raise BackupError("too-large", f"{MANIFEST} has more than {_MOST_MANIFEST} bytes")
    try:
        members = json.loads(text)
        version = int(members["format"])
        if version <= FORMAT:
            return _manifest(members)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BackupError("not-a-backup", f"{MANIFEST} is not that of a backup: {error!r}") from error
    raise BackupError(
        "newer-format",
        f"the backup is of format {version}, and this version reads up to {FORMAT}: take a newer version",
    )


def _manifest(members: dict[str, Any]) -> Manifest:
    """Build a manifest from its JSON. Raises ValueError, KeyError, TypeError."""
    manifest = Manifest(
        made=str(members["made"]),
        program=str(members["program"]),
        engine=str(members["engine"]),
        accounts=bool(members["accounts"]),
        tables={str(table["name"]): tuple(map(_part, table["parts"])) for table in members["tables"]},
        last_ids={str(table): int(last) for table, last in members["last_ids"].items()},
    )
    if manifest.content != members["content"]:
        raise ValueError("the sum of its parts is another")
    return manifest


def _part(members: dict[str, Any]) -> TablePart:
    part = TablePart(**members)
    sums = (part.content, part.sha256)
    if not (_PART.fullmatch(part.name) and all(_SHA256.fullmatch(one) for one in sums)):
        raise ValueError(f"a part is called {part.name!r}")
    if min(part.rows, part.size) < 0:
        raise ValueError(f"{part.name} has fewer rows than none")
    return part


def upload_name(sha256: str) -> str:
    """Return the path of an upload's bytes in a folder. Raises ValueError for an invalid SHA-256."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"not a SHA-256: {sha256!r}")
    return f"{UPLOADS_FOLDER}/{sha256[:2]}/{sha256}"


def open_file(folder: Path, name: str) -> BufferedReader:
    """Open a regular file of a folder for reading. Raises BackupError, also for a symbolic link."""
    try:
        file = os.fdopen(os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    except FileNotFoundError:
        raise BackupError("missing-file", f"{name} is not there") from None
    except OSError as error:
        raise BackupError("unexpected-file", f"{name} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise BackupError("unexpected-file", f"{name} is no plain file")
    return file


def create_file(path: Path) -> IO[bytes]:
    """Open a new file for writing, readable by the owner only; replace an existing one."""
    for missing in reversed([one for one in path.parents if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def replace_file(folder: Path, name: str, data: bytes) -> None:
    """Replace a file atomically; the new one is on the disk."""
    new = folder / f"{name}{NEW}"
    with create_file(new) as file:
        file.write(data)
        to_disk(file)
    new.replace(folder / name)


def files_of(folder: Path) -> Iterator[str]:
    """Yield the names of all files below a folder. Raises BackupError for links and other special files."""
    for path, folders, names in os.walk(folder, followlinks=False):
        for name in [*folders, *names]:
            file = Path(path) / name
            mode = file.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise BackupError("unexpected-file", f"{file.relative_to(folder)} is no plain file")
        yield from (str((Path(path) / name).relative_to(folder)) for name in names)


def lines_of(folder: Path, part: TablePart) -> Iterator[bytes]:
    """Yield the lines of a part, one in memory at a time.

    Raises BackupError, at the end if the lines do not match the manifest.
    """
    name, digest, rows = f"{TABLES_FOLDER}/{part.name}", hashlib.sha256(), 0
    with open_file(folder, name) as file:
        if sum_of(file) != (part.size, part.sha256):
            raise BackupError("wrong-sum", f"{name} is not what it was when the backup was made")
        file.seek(0)
        try:
            with zstd.open(file, "rb") as unpacked:
                for line in _bounded_lines(unpacked, name):
                    digest.update(line)
                    rows += 1
                    yield line
        except DAMAGED as error:
            raise BackupError("damaged", f"{name} cannot be unpacked: {error}") from error
    if rows != part.rows or digest.hexdigest() != part.content:
        raise BackupError("wrong-count", f"{name} has other rows than the manifest says")


def _bounded_lines(unpacked: BufferedIOBase, name: str) -> Iterator[bytes]:
    while line := unpacked.readline(MOST_LINE + 1):
        if len(line) > MOST_LINE:
            raise BackupError("too-large", f"{name} has a line of more than {MOST_LINE} bytes")
        yield line


def pieces_of(folder: Path, sha256: str, size: int, piece: int) -> Iterator[bytes]:
    """Yield the bytes of an upload in pieces.

    Raises BackupError, at the end if the bytes do not match their size and SHA-256.
    """
    name, digest, length = upload_name(sha256), hashlib.sha256(), 0
    with open_file(folder, name) as file:
        if os.fstat(file.fileno()).st_size != size:
            raise BackupError("wrong-sum", f"{name} has not {size} bytes")
        while data := file.read(piece):
            digest.update(data)
            length += len(data)
            yield data
    if (length, digest.hexdigest()) != (size, sha256):
        raise BackupError("wrong-sum", f"{name} is not what its name says")
