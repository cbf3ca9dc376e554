"""An archive written into a folder, as it is at one moment, beside readers and writers.

Nothing that an earlier backup has in the folder is written again, and the earlier one is whole until the new
one is: its manifest is replaced at once, and what only the old one named is deleted then.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from archive.backup.folder import (
    MANIFEST,
    MOST_LINE,
    NEW,
    SUMS,
    TABLES,
    UNFINISHED,
    UPLOADS,
    BackupError,
    Manifest,
    Part,
    created,
    files_of,
    put,
    read_manifest,
    upload_name,
)
from archive.backup.rows import line
from archive.backup.tables import UPLOADS as UPLOAD_ROWS
from archive.backup.tables import Table, written
from archive.dumps.packing import PackedLines, sha256_of
from archive.index.engine import engine
from archive.models import Upload
from kifu_core import __version__

SPAN: Final = 10_000
"""How far the ids of a part reach. A game that changes has so many written again."""

_ROWS: Final = 200
"""Rows in memory at a time."""

Report = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of an export: files that were written for it, and files of an earlier one that are gone."""

    manifest: Manifest
    new_parts: int
    new_uploads: int
    deleted_parts: int
    deleted_uploads: int


def rows_in_all(*, accounts: bool) -> int:
    """Return about how many rows a backup has, for whoever waits for it."""
    return sum(table.model._base_manager.count() for table in written(accounts=accounts))


def export_archive(folder: Path, *, accounts: bool, report: Report = lambda rows: None) -> Exported:
    """Write the archive into a folder that is new or has an earlier backup; `report` is told of rows.

    The names of all uploads' files are held in memory, about 150 bytes each. Raises BackupError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    known, chosen = _known(folder), written(accounts=accounts)
    with _alone(folder):
        work = _Export(folder, accounts, known, report)
        with engine().snapshot():
            tables = {table.name: work.table(table) for table in chosen}
            last_ids = engine().last_ids([table.name for table in chosen if table.gives_ids])
        manifest = Manifest(
            made=timezone.now().isoformat(timespec="seconds"),
            program=__version__,
            engine=connection.vendor,
            accounts=accounts,
            tables=tables,
            last_ids=last_ids,
        )
        gone = work.replace(manifest)
    return Exported(manifest, work.new_parts, work.new_uploads, *gone)


def _known(folder: Path) -> dict[str, Part]:
    """Return the parts of the earlier backup in a folder by their names. Raises BackupError for a folder of
    something else, and for one with links in it."""
    for _ in files_of(folder):
        pass
    present = {path.name for path in folder.iterdir()}
    if MANIFEST in present:
        return {part.name: part for part in read_manifest(folder).parts}
    if present and UNFINISHED not in present:
        raise BackupError("not-a-backup", f"{folder} has files, and no backup among them: name a new folder")
    return {}


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep others from writing into a folder; the mark is gone when the body has come to its end."""
    with (folder / UNFINISHED).open("ab") as mark:
        (folder / UNFINISHED).chmod(0o600)
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError("in-use", f"another process writes a backup into {folder}") from None
        yield
        (folder / UNFINISHED).unlink()


@dataclass(slots=True)
class _Export:
    """An export on its way. `known` are the parts of the earlier backup by their names."""

    folder: Path
    accounts: bool
    known: dict[str, Part]
    report: Report
    rows: int = 0
    new_parts: int = 0
    new_uploads: int = 0
    uploads: set[str] = field(default_factory=set)

    def table(self, table: Table) -> tuple[Part, ...]:
        """Write the rows of a table, and the bytes of uploads with theirs."""
        parts = groupby(_rows(table), key=partial(_part_of, table))
        return tuple(self.part(table, number, rows) for number, rows in parts)

    def part(self, table: Table, number: int, rows: Iterable[Sequence[Any]]) -> Part:
        """Write the rows of a part."""
        path, digest = self.folder / TABLES / f"{table.name}-{number}{NEW}", hashlib.sha256()
        with created(path) as file:
            packed = PackedLines(file)
            for row in rows:
                text = self.line(table, row)
                if len(text) > MOST_LINE:
                    raise BackupError("too-large", f"a row of {table.name} has {len(text)} bytes")
                digest.update(text)
                packed.write(text)
                if table is UPLOAD_ROWS:
                    self.bytes_of(dict(zip(table.fields, row, strict=True)))
                self.rows += 1
                self.report(self.rows)
            packed.end()
        return self._named(path, table, number, packed, digest.hexdigest())

    def line(self, table: Table, row: Sequence[Any]) -> bytes:
        """Return the line of a row. Raises BackupError for a record that cannot be unpacked."""
        try:
            return line(table, row, accounts=self.accounts)
        except (zlib.error, ValueError) as error:
            raise _damaged(f"{table.name} has a record that cannot be unpacked: {row[0]}") from error

    def _named(self, path: Path, table: Table, number: int, packed: PackedLines, content: str) -> Part:
        """Give a part its name, or leave the file of the earlier backup that has the same lines."""
        name = f"{table.name}-{number}-{content[:16]}.ndjson.zst"
        known, there = self.known.get(name), self.folder / TABLES / name
        if known and known.content == content and _is_there(there, known):
            path.unlink()
            return known
        path.replace(there)
        self.new_parts += 1
        return Part(name, packed.lines, content, packed.size, packed.digest.hexdigest())

    def bytes_of(self, upload: dict[str, Any]) -> None:
        """Write the bytes of an upload, unless they are there. One that is being deleted has none."""
        if upload["state"] == Upload.State.DELETING:
            return
        name = upload_name(upload["sha256"])
        path = self.folder / name
        self.uploads.add(name)
        if path.exists() and path.stat().st_size == upload["size"]:
            return
        new, digest = path.with_suffix(NEW), hashlib.sha256()
        with created(new) as file:
            for piece in Upload(pk=upload["id"], size=upload["size"]).stream():
                digest.update(piece)
                file.write(piece)
        if digest.hexdigest() != upload["sha256"]:
            raise _damaged(f"the bytes of upload {upload['id']} are not those that were received")
        new.replace(path)
        self.new_uploads += 1

    def replace(self, manifest: Manifest) -> tuple[int, int]:
        """Put the manifest in the place of the earlier one, and delete what only that named; return how many
        parts and uploads these are."""
        # Of all files at once: one by one they would take as long as all the rest.
        os.sync()
        text = manifest.written()
        put(self.folder, MANIFEST, text)
        put(self.folder, SUMS, self._sums(manifest, text))
        named = self.uploads | {f"{TABLES}/{part.name}" for part in manifest.parts}
        gone = [name for name in files_of(self.folder) if "/" in name and name not in named]
        for name in gone:
            (self.folder / name).unlink()
        whole = [name.partition("/")[0] for name in gone if not name.endswith(NEW)]
        return whole.count(TABLES), whole.count(UPLOADS)

    def _sums(self, manifest: Manifest, text: bytes) -> bytes:
        lines = [f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}"]
        lines += [f"{part.sha256}  {TABLES}/{part.name}" for part in manifest.parts]
        lines += [f"{name.rpartition('/')[2]}  {name}" for name in sorted(self.uploads)]
        return "".join(f"{line}\n" for line in lines).encode()


def _damaged(text: str) -> BackupError:
    return BackupError("damaged", f"{text}: `manage.py verify_archive` tells of all that is wrong")


def _is_there(path: Path, part: Part) -> bool:
    return path.exists() and sha256_of(path) == (part.size, part.sha256)


def _part_of(table: Table, row: Sequence[Any]) -> int:
    """Return the number of the part that a row is in."""
    if not table.split:
        return 0
    first: int = row[[*table.fields].index(table.order[0])]
    return first // SPAN


def _rows(table: Table) -> Iterator[Sequence[Any]]:
    """Yield the rows of a table in order, a few in memory at a time, each few by a question of their own."""
    columns = [*table.fields]
    places = [columns.index(name) for name in table.order]
    every = table.model._base_manager.order_by(*table.order).values_list(*columns)
    some = [*every[:_ROWS]]
    while some:
        yield from some
        last = dict(zip(table.order, (some[-1][place] for place in places), strict=True))
        some = [*every.filter(_behind(last))[:_ROWS]]


def _behind(last: dict[str, Any]) -> Q:
    """Return the condition of rows behind one; of two columns the first bounds what is looked at."""
    first, *second = last
    if not second:
        return Q((f"{first}__gt", last[first]))
    later = Q((f"{first}__gt", last[first])) | Q((f"{second[0]}__gt", last[second[0]]))
    return Q((f"{first}__gte", last[first])) & later
