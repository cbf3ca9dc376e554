"""The folder of a backup: what lies in it, and what is refused of one that somebody gives us.

    manifest.json                          the format, the tables with their parts and sums, the last ids
    tables/archive_game-0-1f3a….ndjson.zst the rows of a table, or of a range of it, a line of JSON each
    uploads/1f/1f3a…                       the bytes of an upload as they came, named by their SHA-256
    SHA256SUMS                             of all of these, for `sha256sum -c`

Parts are named by what their lines are, so that files never change: what an earlier backup has stays, a new
one puts its own beside them and then its manifest in the place of the old one's. Nothing in a folder is taken
for true that its manifest does not name, and nothing is opened that is no plain file below it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from archive.dumps.packing import DAMAGED, to_disk

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT: Final = 1
"""Grows when something that is written changes its meaning; columns that are new have defaults."""

MANIFEST: Final = "manifest.json"
SUMS: Final = "SHA256SUMS"
UNFINISHED: Final = ".unfinished"
"""There as long as a backup is written: what the manifest does not name may be of it."""
NEW: Final = ".new"
"""How the names of files end that are not whole yet."""
TABLES: Final = "tables"
UPLOADS: Final = "uploads"

MOST_LINE: Final = 256 * 1024 * 1024
"""The longest line, unpacked: far more than the largest record that is taken."""
_MOST_MANIFEST: Final = 256 * 1024 * 1024
_PIECE: Final = 1024 * 1024
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_PART: Final = re.compile(r"[a-z_]+-\d+-[0-9a-f]{16}\.ndjson\.zst")


class BackupError(Exception):
    """Something that ends an export or an import; `code` is stable, the text says what to do.

    not-a-backup, newer-format, damaged, missing-file, unexpected-file, wrong-sum, wrong-row, wrong-count,
    unknown-table, not-empty, unknown-index, in-use, too-large
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{text} ({code})")
        self.code = code


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a table. `content` is the SHA-256 of the lines, `sha256` that of the file, `size` its bytes."""

    name: str
    rows: int
    content: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself. `tables` are in the order in which they can be read in."""

    made: str
    program: str
    engine: str
    accounts: bool
    tables: dict[str, tuple[Part, ...]]
    last_ids: dict[str, int]

    @property
    def content(self) -> str:
        """Return what two backups have in common exactly where all their rows are equal."""
        told = {name: [part.content for part in parts] for name, parts in self.tables.items()}
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @property
    def parts(self) -> Iterator[Part]:
        """Yield all parts."""
        for parts in self.tables.values():
            yield from parts

    def rows(self, table: str) -> int:
        """Return how many rows of a table there are."""
        return sum(part.rows for part in self.tables[table])

    def written(self) -> bytes:
        """Return the file."""
        tables = [
            {"name": name, "rows": self.rows(name), "parts": [asdict(part) for part in parts]}
            for name, parts in self.tables.items()
        ]
        told = {
            "format": FORMAT,
            "made": self.made,
            "program": self.program,
            "engine": self.engine,
            "accounts": self.accounts,
            "content": self.content,
            "tables": tables,
            "last_ids": self.last_ids,
        }
        return json.dumps(told, indent=1).encode() + b"\n"


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder. Raises BackupError."""
    with opened(folder, MANIFEST) as file:
        text = file.read(_MOST_MANIFEST + 1)
    if len(text) > _MOST_MANIFEST:
        raise BackupError("too-large", f"{MANIFEST} has more than {_MOST_MANIFEST} bytes")
    try:
        told = json.loads(text)
        form = int(told["format"])
        if form <= FORMAT:
            return _manifest(told)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BackupError("not-a-backup", f"{MANIFEST} is not that of a backup: {error!r}") from error
    raise BackupError(
        "newer-format",
        f"the backup is of format {form}, and this version reads up to {FORMAT}: take a newer version",
    )


def _manifest(told: dict[str, Any]) -> Manifest:
    """Return a manifest. Raises ValueError, KeyError, TypeError."""
    found = Manifest(
        made=str(told["made"]),
        program=str(told["program"]),
        engine=str(told["engine"]),
        accounts=bool(told["accounts"]),
        tables={str(table["name"]): tuple(map(_part, table["parts"])) for table in told["tables"]},
        last_ids={str(table): int(last) for table, last in told["last_ids"].items()},
    )
    if found.content != told["content"]:
        raise ValueError("the sum of its parts is another")
    return found


def _part(told: dict[str, Any]) -> Part:
    part = Part(**told)
    sums = (part.content, part.sha256)
    if not (_PART.fullmatch(part.name) and all(_SHA256.fullmatch(one) for one in sums)):
        raise ValueError(f"a part is called {part.name!r}")
    if min(part.rows, part.size) < 0:
        raise ValueError(f"{part.name} has fewer rows than none")
    return part


def upload_name(sha256: str) -> str:
    """Return where the bytes of an upload lie in a folder. Raises ValueError for what is no SHA-256."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"not a SHA-256: {sha256!r}")
    return f"{UPLOADS}/{sha256[:2]}/{sha256}"


def opened(folder: Path, name: str) -> IO[bytes]:
    """Open a plain file of a folder, to read. Raises BackupError, also for a link to a file."""
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


def created(path: Path) -> IO[bytes]:
    """Open a new file that nobody else reads, to write; one that is there is emptied first."""
    for missing in reversed([one for one in path.parents if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a file in the place of the one that has its name, at once and for good."""
    new = folder / f"{name}{NEW}"
    with created(new) as file:
        file.write(data)
        to_disk(file)
    new.replace(folder / name)


def files_of(folder: Path) -> Iterator[str]:
    """Yield the names of all files below a folder. Raises BackupError for links and whatever is no file."""
    for path, folders, names in os.walk(folder, followlinks=False):
        for name in [*folders, *names]:
            found = Path(path) / name
            mode = found.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise BackupError("unexpected-file", f"{found.relative_to(folder)} is no plain file")
        yield from (str((Path(path) / name).relative_to(folder)) for name in names)


def lines_of(folder: Path, part: Part) -> Iterator[bytes]:
    """Yield the lines of a part, one in memory at a time; in the end they were all, and none other.

    Raises BackupError.
    """
    name, digest, rows = f"{TABLES}/{part.name}", hashlib.sha256(), 0
    with opened(folder, name) as file:
        if _sum(file) != (part.size, part.sha256):
            raise BackupError("wrong-sum", f"{name} is not what it was when the backup was made")
        file.seek(0)
        try:
            with zstd.open(file, "rb") as unpacked:
                for line in _bounded(unpacked, name):
                    digest.update(line)
                    rows += 1
                    yield line
        except DAMAGED as error:
            raise BackupError("damaged", f"{name} cannot be unpacked: {error}") from error
    if rows != part.rows or digest.hexdigest() != part.content:
        raise BackupError("wrong-count", f"{name} has other rows than the manifest says")


def _bounded(unpacked: io.BufferedIOBase, name: str) -> Iterator[bytes]:
    while line := unpacked.readline(MOST_LINE + 1):
        if len(line) > MOST_LINE:
            raise BackupError("too-large", f"{name} has a line of more than {MOST_LINE} bytes")
        yield line


def _sum(file: IO[bytes]) -> tuple[int, str]:
    """Return the size of a file and its SHA-256."""
    digest, size = hashlib.sha256(), 0
    while data := file.read(_PIECE):
        digest.update(data)
        size += len(data)
    return size, digest.hexdigest()


def pieces_of(folder: Path, sha256: str, size: int, piece: int) -> Iterator[bytes]:
    """Yield the bytes of an upload in pieces; in the end they were what they are named by. Raises
    BackupError."""
    name, digest, found = upload_name(sha256), hashlib.sha256(), 0
    with opened(folder, name) as file:
        if os.fstat(file.fileno()).st_size != size:
            raise BackupError("wrong-sum", f"{name} has not {size} bytes")
        while data := file.read(piece):
            digest.update(data)
            found += len(data)
            yield data
    if (found, digest.hexdigest()) != (size, sha256):
        raise BackupError("wrong-sum", f"{name} is not what its name says")
