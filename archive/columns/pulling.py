"""Files of columns are brought to a machine that does not share the folder in which they are written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from archive.columns.building import delete_unknown, tell_all
from archive.columns.folder import alone, place, runs_of, sha256_of
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
    before it gets its name. Raises ColumnsAreMadeError where another process is at it."""
    brought, lacking = list[int](), list[str]()
    with alone():
        for segment in ColumnSegment.objects.filter(retired=None).order_by("pk"):
            path = place(segment.space, segment.name)
            if not path.exists():
                if not _bring(source / str(segment.space) / segment.name, path, segment.sha256):
                    # It may have been put together with others since it was listed.
                    if ColumnSegment.objects.filter(pk=segment.pk, retired=None).exists():
                        lacking.append(str(segment))
                    continue
                brought.append(segment.size)
            _make_runs(path)
        delete_unknown()
        tell_all()
    return Pulled(len(brought), sum(brought), lacking)


def _bring(source: Path, path: Path, sha256: str) -> bool:
    """Copy a file; return whether it is there and has this SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_suffix(".new")
    try:
        with source.open("rb") as there, made.open("wb") as here:
            shutil.copyfileobj(there, here)
            here.flush()
            os.fsync(here.fileno())
        if sha256_of(made) != sha256:
            return False
        made.replace(path)
    except FileNotFoundError:
        return False
    finally:
        made.unlink(missing_ok=True)
    return True


def _make_runs(path: Path) -> None:
    from archive.columns.runs import make_runs

    if not runs_of(path).exists():
        make_runs(path)
