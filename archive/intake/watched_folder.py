"""The watched folder: new files in it become uploads. Nothing in it is changed."""

import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from django.conf import settings

from archive import store
from archive.intake.walk import clean_name

log = logging.getLogger(__name__)

FILES_A_SCAN: Final = 200
_CHUNK: Final = 1024 * 1024

States = dict[str, list[int | bool]]
"""Path -> size, time of the last change of its inode in nanoseconds, whether it was imported or refused."""


def scan() -> list[int]:
    """Store the files that have not changed since the last scan; return the ids of new uploads.

    The state of the files is in `watch.json` in the data folder. A file that changes is stored again. A scan
    stores at most `FILES_A_SCAN` files. Links are not followed.
    """
    folder = Path(settings.WATCH_DIR)
    state_file = settings.DATA_DIR / "watch.json"
    before: States = json.loads(state_file.read_text()) if state_file.exists() else {}
    now: States = {}
    uploads: list[int] = []
    imported = 0
    for path, size, changed in _files(folder):
        *unchanged, done = before.get(path, [False])
        stable = unchanged == [size, changed]
        if stable and not done and imported < FILES_A_SCAN:
            imported += 1
            done = True
            uploads += _import(Path(path))
        now[path] = [size, changed, stable and done]
    temporary = state_file.with_suffix(".new")
    temporary.write_text(json.dumps(now))
    temporary.rename(state_file)
    return uploads


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            try:
                status = path.lstat()
            except OSError:
                continue  # deleted meanwhile
            if stat.S_ISREG(status.st_mode):
                # st_ctime, because a change of permissions also matters.
                yield os.fspath(path), status.st_size, status.st_ctime_ns


def _import(path: Path) -> list[int]:
    """Store a file; return the upload's id if it is new. Refusals are logged."""
    try:
        with path.open("rb") as file:
            upload, created = store.create_upload(clean_name(path.name), _chunks(file), source="watch")
    except store.UploadEmpty:
        log.warning("%s is not taken in: it is empty", path)
        return []
    except store.UploadTooLarge as limit:
        log.warning("%s is not taken in: it has more than %s bytes (ARCHIVE_MAX_UPLOAD_BYTES)", path, limit)
        return []
    except OSError as error:
        log.warning("%s is not taken in: %s", path, error)
        return []
    return [upload.pk] if created else []


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk
