"""Files of columns are brought to a machine that does not share the folder in which they are written."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from archive.columns.building import delete_unknown, make_missing_runs, write_manifests
from archive.columns.folder import atomic_file, column_path, columns_lock, sha256_of
from archive.models import ColumnSegment


class Pulled(NamedTuple):
    """Files that were brought, their bytes, and those in use that the other folder does not have as they
    were written."""

    files: int
    size: int
    lacking: list[str]


def pull(source: Path) -> Pulled:
    """Bring the files in use that this machine lacks from another folder of columns, make their runs, delete
    what nobody needs any more, and write the manifests. A file is compared with its checksum in the database
    before it gets its name. Raises ColumnsLockedError where another process is at it."""
    brought, lacking = list[int](), list[str]()
    with columns_lock():
        for segment in ColumnSegment.objects.filter(retired=None).order_by("pk"):
            path = column_path(segment.space, segment.name)
            if not path.exists():
                if not _bring(source / str(segment.space) / segment.name, path, segment.sha256):
                    # It may have been put together with others since it was listed.
                    if ColumnSegment.objects.filter(pk=segment.pk, retired=None).exists():
                        lacking.append(str(segment))
                    continue
                brought.append(segment.size)
        make_missing_runs()
        delete_unknown()
        write_manifests()
    return Pulled(len(brought), sum(brought), lacking)


def _bring(source: Path, path: Path, sha256: str) -> bool:
    """Copy a file; return whether it is there and has this SHA-256."""
    with suppress(FileNotFoundError, _ChangedError), atomic_file(path) as made:
        shutil.copyfile(source, made)
        if sha256_of(made) != sha256:
            raise _ChangedError
    return path.exists()


class _ChangedError(Exception):
    """A file is not as it was written."""
