"""Writes an archive into a folder as it is at one moment, while others read and write it.

Files of an earlier backup in the folder are not written again. The earlier backup stays complete until the
new one is: then the manifest is replaced atomically, and files that only the old one listed are deleted.
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
    TABLES_FOLDER,
    UNFINISHED,
    UPLOADS_FOLDER,
    BackupError,
    Manifest,
    TablePart,
    create_file,
    files_of,
    read_manifest,
    replace_file,
    upload_name,
)
from archive.backup.rows import line
from archive.backup.tables import UPLOADS, Table, tables_of_backup
from archive.dumps.packing import PackedLineWriter, sum_of_path
from archive.index.engine import engine
from archive.models import Upload
from kifu_core import __version__

SPAN: Final = 10_000
"""The range of ids of a part, all of which is written again if one row changes."""

_BATCH: Final = 200
"""Rows in memory at a time."""

Report = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished export: the numbers of files that were written, and of those of an earlier one that were
    deleted."""

    manifest: Manifest
    new_parts: int
    new_uploads: int
    deleted_parts: int
    deleted_uploads: int


def count_rows(*, accounts: bool) -> int:
    """Return the number of rows that a backup would have, for showing progress."""
    return sum(table.model._base_manager.count() for table in tables_of_backup(accounts=accounts))


def export_archive(folder: Path, *, accounts: bool, report: Report = lambda rows: None) -> Exported:
    """Write the archive into a folder that is new or has an earlier backup.

    `report` is called with the number of rows written so far. The names of all uploads' files are held in
    memory, about 150 bytes each. Raises BackupError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    earlier, chosen = _parts_of_earlier(folder), tables_of_backup(accounts=accounts)
    with _locked(folder):
        export = _Export(folder, accounts, earlier, report)
        with engine().snapshot():
            tables = {table.name: export.write_table(table) for table in chosen}
            last_ids = engine().last_ids([table.name for table in chosen if table.gives_ids])
        manifest = Manifest(
            made=timezone.now().isoformat(timespec="seconds"),
            program=__version__,
            engine=connection.vendor,
            accounts=accounts,
            tables=tables,
            last_ids=last_ids,
        )
        deleted = export.replace_manifest(manifest)
    return Exported(manifest, export.new_parts, export.new_uploads, *deleted)


def _parts_of_earlier(folder: Path) -> dict[str, TablePart]:
    """Return the parts of the earlier backup in a folder by name.

    Raises BackupError for a folder with links, or with files but without a backup.
    """
    for _ in files_of(folder):
        pass
    present = {path.name for path in folder.iterdir()}
    if MANIFEST in present:
        return {part.name: part for part in read_manifest(folder).parts}
    if present and UNFINISHED not in present:
        raise BackupError("not-a-backup", f"{folder} has files, and no backup among them: name a new folder")
    return {}


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others from writing into a folder. After an error the mark stays."""
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
    """An unfinished export. `earlier` are the parts of the earlier backup by name."""

    folder: Path
    accounts: bool
    earlier: dict[str, TablePart]
    report: Report
    rows: int = 0
    new_parts: int = 0
    new_uploads: int = 0
    uploads: set[str] = field(default_factory=set)

    def write_table(self, table: Table) -> tuple[TablePart, ...]:
        """Write the rows of a table; with the rows of uploads, their bytes."""
        parts = groupby(_rows(table), key=partial(_part_number, table))
        return tuple(self.write_part(table, number, rows) for number, rows in parts)

    def write_part(self, table: Table, number: int, rows: Iterable[Sequence[Any]]) -> TablePart:
        """Write the rows of a part."""
        path, digest = self.folder / TABLES_FOLDER / f"{table.name}-{number}{NEW}", hashlib.sha256()
        with create_file(path) as file:
            packed = PackedLineWriter(file)
            for row in rows:
                text = self.line(table, row)
                if len(text) > MOST_LINE:
                    raise BackupError("too-large", f"a row of {table.name} has {len(text)} bytes")
                digest.update(text)
                packed.write(text)
                if table is UPLOADS:
                    self.write_bytes(dict(zip(table.fields, row, strict=True)))
                self.rows += 1
                self.report(self.rows)
            packed.end()
        return self._publish(path, table, number, packed, digest.hexdigest())

    def line(self, table: Table, row: Sequence[Any]) -> bytes:
        """Return the line of a row. Raises BackupError for a record that cannot be unpacked."""
        try:
            return line(table, row, accounts=self.accounts)
        except (zlib.error, ValueError) as error:
            raise _damaged(f"{table.name} has a record that cannot be unpacked: {row[0]}") from error

    def _publish(
        self, path: Path, table: Table, number: int, packed: PackedLineWriter, content: str
    ) -> TablePart:
        """Give a part its name, or delete it if the earlier backup has a file with the same lines."""
        name = f"{table.name}-{number}-{content[:16]}.ndjson.zst"
        earlier, final_path = self.earlier.get(name), self.folder / TABLES_FOLDER / name
        if earlier and earlier.content == content and _is_intact(final_path, earlier):
            path.unlink()
            return earlier
        path.replace(final_path)
        self.new_parts += 1
        return TablePart(name, packed.lines, content, packed.size, packed.digest.hexdigest())

    def write_bytes(self, upload: dict[str, Any]) -> None:
        """Write the bytes of an upload, unless the folder has them. An upload that is being deleted has
        none."""
        if upload["state"] == Upload.State.DELETING:
            return
        name = upload_name(upload["sha256"])
        path = self.folder / name
        self.uploads.add(name)
        if path.exists() and path.stat().st_size == upload["size"]:
            return
        new, digest = path.with_suffix(NEW), hashlib.sha256()
        with create_file(new) as file:
            for piece in Upload(pk=upload["id"], size=upload["size"]).stream():
                digest.update(piece)
                file.write(piece)
        if digest.hexdigest() != upload["sha256"]:
            raise _damaged(f"the bytes of upload {upload['id']} are not those that were received")
        new.replace(path)
        self.new_uploads += 1

    def replace_manifest(self, manifest: Manifest) -> tuple[int, int]:
        """Replace the manifest, and delete the files that only the earlier one listed.

        Return the numbers of deleted parts and uploads.
        """
        # All files at once: one by one, this would take as long as everything before.
        os.sync()
        text = manifest.to_json()
        replace_file(self.folder, MANIFEST, text)
        replace_file(self.folder, SUMS, self._sums(manifest, text))
        listed = self.uploads | {f"{TABLES_FOLDER}/{part.name}" for part in manifest.parts}
        unlisted = [name for name in files_of(self.folder) if "/" in name and name not in listed]
        for name in unlisted:
            (self.folder / name).unlink()
        folders = [name.partition("/")[0] for name in unlisted if not name.endswith(NEW)]
        return folders.count(TABLES_FOLDER), folders.count(UPLOADS_FOLDER)

    def _sums(self, manifest: Manifest, text: bytes) -> bytes:
        lines = [f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}"]
        lines += [f"{part.sha256}  {TABLES_FOLDER}/{part.name}" for part in manifest.parts]
        lines += [f"{name.rpartition('/')[2]}  {name}" for name in sorted(self.uploads)]
        return "".join(f"{line}\n" for line in lines).encode()


def _damaged(text: str) -> BackupError:
    return BackupError("damaged", f"{text}: `manage.py verify_archive` tells of all that is wrong")


def _is_intact(path: Path, part: TablePart) -> bool:
    return path.exists() and sum_of_path(path) == (part.size, part.sha256)


def _part_number(table: Table, row: Sequence[Any]) -> int:
    if not table.split:
        return 0
    first: int = row[[*table.fields].index(table.order[0])]
    return first // SPAN


def _rows(table: Table) -> Iterator[Sequence[Any]]:
    columns = [*table.fields]
    indexes = [columns.index(name) for name in table.order]
    rows = table.model._base_manager.filter(**table.rows).order_by(*table.order).values_list(*columns)
    batch = [*rows[:_BATCH]]
    while batch:
        yield from batch
        last = dict(zip(table.order, (batch[-1][index] for index in indexes), strict=True))
        batch = [*rows.filter(_after(last))[:_BATCH]]


def _after(last: dict[str, Any]) -> Q:
    """Return the condition of rows after one. A bound on the first of several columns lets the database use
    its index."""
    (first, value), *others = last.items()
    if not others:
        return Q((f"{first}__gt", value))
    later = Q((f"{first}__gt", value)) | _after(dict(others))
    return Q((f"{first}__gte", value)) & later
