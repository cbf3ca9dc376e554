"""A folder read into an archive that has nothing yet: one transaction, so that there is all of it or nothing.

Rows come back as they were, with their ids and slots. What follows from records is made anew: rows of the
index, series, texts, counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from django.db import DataError, IntegrityError, connection, transaction
from django.db.backends.utils import CursorWrapper

from archive import store
from archive.backup.folder import (
    MANIFEST,
    SUMS,
    TABLES,
    UNFINISHED,
    UPLOADS,
    BackupError,
    Manifest,
    files_of,
    lines_of,
    pieces_of,
    read_manifest,
    upload_name,
)
from archive.backup.rows import WRONG, parsed, stored
from archive.backup.tables import RECORDS, Table, written
from archive.backup.tables import UPLOADS as UPLOAD_ROWS
from archive.columns import slots as columns
from archive.index import counters, versions
from archive.index.engine import engine
from archive.models import PIECE_BYTES, Upload, UploadChunk
from kifu_core.errors import KifuError

_ROWS: Final = 200
_BYTES: Final = 8 * 1024 * 1024
"""Rows in memory at a time, and about how long their lines are."""

_UNREADABLE: Final = (*WRONG, LookupError, ArithmeticError, AssertionError, KifuError)
"""What is raised for a record that is none."""

Report = Callable[[int], None]
Row = dict[str, Any]


@dataclass(slots=True)
class Imported:
    """What became of an import: `reindexed` are games that have other rows in the index than they said."""

    manifest: Manifest
    reindexed: list[int] = field(default_factory=list)


def import_archive(folder: Path, report: Report = lambda rows: None) -> Imported:
    """Read a backup into the archive, which has to be empty; `report` is told of rows. Raises BackupError;
    the archive is empty then, as it is when the process is killed."""
    manifest = read_manifest(folder)
    tables = _tables(folder, manifest)
    work = _Import(folder, Imported(manifest), report)
    try:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            engine().load_alone(cursor, [table.name for table in written(accounts=True)])
            _refuse_unless_empty()
            for table in tables:
                work.table(cursor, table)
            work.end(cursor)
    except (IntegrityError, DataError) as error:
        raise BackupError("wrong-row", f"the database does not take it: {error}") from error
    except versions.RetiredVersionError as error:
        raise BackupError("unknown-index", f"{error}: take a newer version") from error
    return work.done


def check(folder: Path, report: Report = lambda rows: None) -> Manifest:
    """Read a backup and store nothing; return its manifest. Raises BackupError for the first thing that is
    wrong: a file, a sum, a line."""
    manifest = read_manifest(folder)
    names, rows = set[str](), 0
    for table in _tables(folder, manifest):
        for batch in _batches(folder, manifest, table):
            rows += len(batch)
            report(rows)
            for upload in batch if table is UPLOAD_ROWS else ():
                names.add(_name_of(upload))
                for _ in _pieces(folder, upload):
                    pass
    _refuse_others(folder, names)
    return manifest


def _tables(folder: Path, manifest: Manifest) -> list[Table]:
    """Return the tables of a backup in the order in which they are read. Raises BackupError where there are
    others, or files that the manifest does not name."""
    tables = [table for table in written(accounts=True) if table.name in manifest.tables]
    if unknown := manifest.tables.keys() - {table.name for table in tables}:
        raise BackupError("unknown-table", f"no table of this version: {', '.join(sorted(unknown))}")
    present, named = {*files_of(folder)}, {f"{TABLES}/{part.name}" for part in manifest.parts}
    if missing := sorted(named - present):
        raise BackupError("missing-file", f"{missing[0]} is not there")
    others = sorted(name for name in present - named - {MANIFEST, SUMS} if not name.startswith(f"{UPLOADS}/"))
    if others and UNFINISHED not in present:
        raise BackupError("unexpected-file", f"the manifest does not name {others[0]}")
    return tables


def _refuse_others(folder: Path, names: set[str]) -> None:
    """Raise BackupError where there are bytes that are no upload's, unless a later export has begun."""
    others = sorted({name for name in files_of(folder) if name.startswith(f"{UPLOADS}/")} - names)
    if others and not (folder / UNFINISHED).exists():
        raise BackupError("unexpected-file", f"{others[0]} is of no upload")


def _refuse_unless_empty() -> None:
    for table in written(accounts=True):
        if table.model._base_manager.exists():
            raise BackupError(
                "not-empty",
                f"this archive has rows in {table.name}: a backup is read into one that `manage.py migrate` "
                "has just made, before it is served",
            )


@dataclass(slots=True)
class _Import:
    """An import on its way."""

    folder: Path
    done: Imported
    report: Report
    rows: int = 0
    uploads: set[str] = field(default_factory=set)

    def table(self, cursor: CursorWrapper, table: Table) -> None:
        """Read the rows of a table, and what goes with them."""
        if table is RECORDS:
            versions.check_current()
            engine().reserve_slots(cursor)
        for batch in _batches(self.folder, self.done.manifest, table):
            if table is RECORDS:
                self.done.reindexed += _restore(batch)
            else:
                _insert(cursor, table, batch)
            for upload in batch if table is UPLOAD_ROWS else ():
                self.bytes_of(upload)
            self.rows += len(batch)
            self.report(self.rows)

    def bytes_of(self, upload: Row) -> None:
        """Store the bytes of an upload."""
        self.uploads.add(_name_of(upload))
        for n, piece in enumerate(_pieces(self.folder, upload)):
            UploadChunk.objects.create(upload_id=upload["id"], n=n, bytes=piece)

    def end(self, cursor: CursorWrapper) -> None:
        """Count hot positions, have columns written, and let ids go on where they were."""
        _refuse_others(self.folder, self.uploads)
        # Of tables that were filled a moment ago the server knows nothing yet.
        engine().make_room()
        counters.rebuild()
        columns.rebuild_all()
        giving = {table.name for table in written(accounts=True) if table.gives_ids}
        last = self.done.manifest.last_ids
        engine().advance_ids(cursor, {name: last[name] for name in sorted(giving & last.keys())})


def _batches(folder: Path, manifest: Manifest, table: Table) -> Iterator[list[Row]]:
    """Yield the rows of a table, some at a time. Raises BackupError."""
    for part in manifest.tables[table.name]:
        batch, size = list[Row](), 0
        for number, text in enumerate(lines_of(folder, part), start=1):
            try:
                batch.append(parsed(table, text))
            except WRONG as error:
                raise BackupError("wrong-row", f"{part.name}:{number}: {error!r}") from error
            size += len(text)
            if len(batch) == _ROWS or size > _BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _insert(cursor: CursorWrapper, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows of a table in one statement."""
    columns = [*table.fields, *table.following]
    names = ", ".join(map(connection.ops.quote_name, columns))
    places = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * len(rows))
    try:
        values = [value for row in rows for value in stored(table, row)]
        cursor.execute(f"INSERT INTO {table.name} ({names}) VALUES {places}", values)
    except (*WRONG, IntegrityError, DataError) as error:
        at = {name: rows[0][name] for name in table.order}
        raise BackupError("wrong-row", f"{table.name}, {len(rows)} rows from {at} on: {error}") from error


def _restore(rows: Iterable[Row]) -> list[int]:
    """Store records with what follows from them; return the games that have other rows than they said."""
    found = {row["game_id"]: store.Restored(row["record"], row["parsed_facts"]) for row in rows}
    try:
        return store.restore_records(found)
    except store.UnknownIndexError as error:
        text = f"{error}: read the backup with the version that made it, then update"
        raise BackupError("unknown-index", text) from error
    except _UNREADABLE as error:
        text = f"the records of the games {min(found)} to {max(found)}: {error!r}"
        raise BackupError("wrong-row", text) from error


def _name_of(upload: Row) -> str:
    """Return where the bytes of an upload lie, nowhere for one that is being deleted. Raises BackupError."""
    if upload["state"] == Upload.State.DELETING:
        return ""
    try:
        return upload_name(upload["sha256"])
    except WRONG as error:
        raise BackupError("wrong-row", f"upload {upload['id']}: {error}") from error


def _pieces(folder: Path, upload: Row) -> Iterator[bytes]:
    """Yield the bytes of an upload in the pieces in which they are stored. Raises BackupError."""
    if _name_of(upload):
        yield from pieces_of(folder, upload["sha256"], upload["size"], PIECE_BYTES)
