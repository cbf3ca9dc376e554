"""Copy column files to a machine that does not share the folder in which they are written."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from archive.columns.building import delete_unknown, make_missing_runs, write_manifests
from archive.columns.folder import atomic_file, column_path, columns_lock, sha256_of
from archive.models import ColumnSegment


class Pulled(NamedTuple):
    """The number and bytes of copied files, and the files in use that the other folder lacks or that have
    changed there."""

    files: int
    size: int
    missing: list[str]


def pull(source: Path) -> Pulled:
    """Copy the files in use that this machine lacks from another folder, make their runs, delete files that
    are not used any more, and write the manifests. A file gets its name only if it has its checksum in the
    database. Raises ColumnsLockedError."""
    sizes, missing = list[int](), list[str]()
    with columns_lock():
        for segment in ColumnSegment.objects.filter(retired=None).order_by("pk"):
            path = column_path(segment.space, segment.name)
            if path.exists():
                continue
            if _copy(source / str(segment.space) / segment.name, path, segment.sha256):
                sizes.append(segment.size)
            # It may have been merged since it was listed.
            elif ColumnSegment.objects.filter(pk=segment.pk, retired=None).exists():
                missing.append(str(segment))
        make_missing_runs()
        delete_unknown()
        write_manifests()
    return Pulled(len(sizes), sum(sizes), missing)


def _copy(source: Path, path: Path, sha256: str) -> bool:
    """Copy a file; return whether it exists and has this SHA-256."""
    with suppress(FileNotFoundError, _ChangedError), atomic_file(path) as temporary:
        shutil.copyfile(source, temporary)
        if sha256_of(temporary) != sha256:
            raise _ChangedError
    return path.exists()


class _ChangedError(Exception):
    """A file does not have its checksum."""
