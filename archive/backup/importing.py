"""Reads a backup into an empty archive, in one transaction.

Rows come back as they were, with their ids and slots. Data that follows from records is made anew: rows of
the index, series, texts, counters.
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
    TABLES_FOLDER,
    UNFINISHED,
    UPLOADS_FOLDER,
    BackupError,
    Manifest,
    files_of,
    lines_of,
    pieces_of,
    read_manifest,
    upload_name,
)
from archive.backup.rows import INVALID, parse, stored_values
from archive.backup.tables import FORMER, RECORDS, UPLOADS, FormerTable, Table, tables_of_backup
from archive.columns import slots as columns
from archive.index import counters, versions
from archive.index.engine import engine
from archive.models import PIECE_BYTES, Upload, UploadChunk
from kifu_core.errors import KifuError

_BATCH_ROWS: Final = 200
_BATCH_BYTES: Final = 8 * 1024 * 1024
"""Rows in memory at a time, and the approximate length of their lines."""

_UNREADABLE: Final = (*INVALID, LookupError, ArithmeticError, AssertionError, KifuError)
"""Errors of restoring an invalid record."""

Report = Callable[[int], None]
Row = dict[str, Any]


@dataclass(slots=True)
class Imported:
    """A finished import. `reindexed` are games whose rows in the index differ from those in the backup."""

    manifest: Manifest
    reindexed: list[int] = field(default_factory=list)


def import_archive(folder: Path, report: Report = lambda rows: None) -> Imported:
    """Read a backup into the archive, which has to be empty; `report` is called with the number of rows so
    far.

    Raises BackupError. Then the archive is empty, as it is if the process is killed.
    """
    manifest = read_manifest(folder)
    tables = _tables(folder, manifest)
    work = _Import(folder, Imported(manifest), report)
    try:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            engine().load_alone(cursor, [table.name for table in tables_of_backup(accounts=True)])
            _refuse_unless_empty()
            for table in tables:
                work.read_table(cursor, table)
            work.end(cursor)
    except (IntegrityError, DataError) as error:
        raise BackupError("wrong-row", f"the database does not take it: {error}") from error
    except versions.RetiredVersionError as error:
        raise BackupError("unknown-index", f"{error}: take a newer version") from error
    return work.done


def check(folder: Path, report: Report = lambda rows: None) -> Manifest:
    """Read a backup without storing it; return its manifest. Raises BackupError for the first error in it."""
    manifest = read_manifest(folder)
    names, rows = set[str](), 0
    for table in _tables(folder, manifest):
        for batch in _batches(folder, manifest, table):
            rows += len(batch)
            report(rows)
            for upload in batch if table is UPLOADS else ():
                names.add(_bytes_name(upload))
                for _ in _pieces(folder, upload):
                    pass
    _refuse_others(folder, names)
    return manifest


def _tables(folder: Path, manifest: Manifest) -> list[Table]:
    """Return the tables of a backup in the order of import.

    Raises BackupError for other tables, and for files that the manifest does not list.
    """
    tables = [table for table in tables_of_backup(accounts=True) if table.name in manifest.tables]
    tables += [FORMER[name] for name in manifest.tables if name in FORMER]
    if unknown := manifest.tables.keys() - {table.name for table in tables}:
        raise BackupError("unknown-table", f"no table of this version: {', '.join(sorted(unknown))}")
    present, listed = {*files_of(folder)}, {f"{TABLES_FOLDER}/{part.name}" for part in manifest.parts}
    if missing := sorted(listed - present):
        raise BackupError("missing-file", f"{missing[0]} is not there")
    others = sorted(
        name for name in present - listed - {MANIFEST, SUMS} if not name.startswith(f"{UPLOADS_FOLDER}/")
    )
    if others and UNFINISHED not in present:
        raise BackupError("unexpected-file", f"the manifest does not name {others[0]}")
    return tables


def _refuse_others(folder: Path, names: set[str]) -> None:
    """Raise BackupError for bytes that belong to no upload, unless a later export has begun."""
    others = sorted({name for name in files_of(folder) if name.startswith(f"{UPLOADS_FOLDER}/")} - names)
    if others and not (folder / UNFINISHED).exists():
        raise BackupError("unexpected-file", f"{others[0]} is of no upload")


def _refuse_unless_empty() -> None:
    for table in tables_of_backup(accounts=True):
        if table.model._base_manager.exists():
            raise BackupError(
                "not-empty",
                f"this archive has rows in {table.name}: a backup is read into one that `manage.py migrate` "
                "has just made, before it is served",
            )


@dataclass(slots=True)
class _Import:
    folder: Path
    done: Imported
    report: Report
    rows: int = 0
    uploads: set[str] = field(default_factory=set)
    last_ids: dict[str, int] = field(default_factory=dict)
    """The last ids of tables that got rows of former tables."""

    def read_table(self, cursor: CursorWrapper, table: Table) -> None:
        """Store the rows of a table; with records, the data that follows from them, and with uploads, their
        bytes."""
        if table is RECORDS:
            versions.check_current()
            engine().reserve_slots(cursor)
        for batch in _batches(self.folder, self.done.manifest, table):
            if table is RECORDS:
                self.done.reindexed += _restore(batch)
            elif isinstance(table, FormerTable):
                _insert(cursor, table.now, [*map(self._renewed(table), batch)])
            else:
                _insert(cursor, table, batch)
            for upload in batch if table is UPLOADS else ():
                self.read_bytes(upload)
            self.rows += len(batch)
            self.report(self.rows)

    def _renewed(self, table: FormerTable) -> Callable[[Row], Row]:
        """Return the function that makes a row of today from one of a former table. It may get an id behind
        those of the backup."""
        last = self.done.manifest.last_ids.get(table.now.name, 0)

        def renewed(row: Row) -> Row:
            now = table.renewed(row, last)
            self.last_ids[table.now.name] = max(self.last_ids.get(table.now.name, 0), now["id"])
            return now

        return renewed

    def read_bytes(self, upload: Row) -> None:
        """Store the bytes of an upload."""
        self.uploads.add(_bytes_name(upload))
        for n, piece in enumerate(_pieces(self.folder, upload)):
            UploadChunk.objects.create(upload_id=upload["id"], n=n, bytes=piece)

    def end(self, cursor: CursorWrapper) -> None:
        """Count hot positions, schedule columns, and continue ids where they were."""
        _refuse_others(self.folder, self.uploads)
        # The server has no statistics of the new rows yet.
        engine().make_room()
        counters.rebuild()
        columns.rebuild_all()
        store.write_searched_names()
        store.restart_changes()
        with_ids = {table.name for table in tables_of_backup(accounts=True) if table.gives_ids}
        last = dict(self.done.manifest.last_ids)
        last |= {name: max(pk, last.get(name, 0)) for name, pk in self.last_ids.items()}
        engine().advance_ids(cursor, {name: last[name] for name in sorted(with_ids & last.keys())})


def _batches(folder: Path, manifest: Manifest, table: Table) -> Iterator[list[Row]]:
    for part in manifest.tables[table.name]:
        batch, size = list[Row](), 0
        for number, text in enumerate(lines_of(folder, part), start=1):
            try:
                batch.append(parse(table, text))
            except INVALID as error:
                raise BackupError("wrong-row", f"{part.name}:{number}: {error!r}") from error
            size += len(text)
            if len(batch) == _BATCH_ROWS or size > _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _insert(cursor: CursorWrapper, table: Table, rows: Sequence[Row]) -> None:
    columns = [*table.fields, *table.derived]
    names = ", ".join(map(connection.ops.quote_name, columns))
    placeholders = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * len(rows))
    try:
        values = [value for row in rows for value in stored_values(table, row)]
        cursor.execute(f"INSERT INTO {table.name} ({names}) VALUES {placeholders}", values)
    except (*INVALID, IntegrityError, DataError) as error:
        at = {name: rows[0][name] for name in table.order}
        raise BackupError("wrong-row", f"{table.name}, {len(rows)} rows from {at} on: {error}") from error


def _restore(rows: Iterable[Row]) -> list[int]:
    """Store records and the data that follows from them; return the games whose rows in the index differ."""
    records = {
        row["game_id"]: store.Restored(row["record"], row["parsed_facts"], row["base"], row["base_facts"])
        for row in rows
    }
    try:
        return store.restore_records(records)
    except store.UnknownIndexError as error:
        text = f"{error}: read the backup with the version that made it, then update"
        raise BackupError("unknown-index", text) from error
    except _UNREADABLE as error:
        text = f"the records of the games {min(records)} to {max(records)}: {error!r}"
        raise BackupError("wrong-row", text) from error


def _bytes_name(upload: Row) -> str:
    """Return the path of an upload's bytes, empty for one that is being deleted. Raises BackupError."""
    if upload["state"] == Upload.State.DELETING:
        return ""
    try:
        return upload_name(upload["sha256"])
    except INVALID as error:
        raise BackupError("wrong-row", f"upload {upload['id']}: {error}") from error


def _pieces(folder: Path, upload: Row) -> Iterator[bytes]:
    if _bytes_name(upload):
        yield from pieces_of(folder, upload["sha256"], upload["size"], PIECE_BYTES)
