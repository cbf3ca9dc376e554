"""Taking in files from disk: each is an upload, worked off in turns, by one process or several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Final

from archive.ingest import reading, store, work
from archive.ingest.garbage import look_rarely, prepare_process
from archive.ingest.uploads import clean_name
from archive.models import Upload

_CHUNK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Turn:
    """What is known of a file after a turn of work: its upload, how much of it is read (0 to 1) and how many
    entries that gave. `known` files were here before; a `refusal` says why nothing was stored."""

    path: str
    upload: int = 0
    share: float = 1.0
    entries: int = 0
    more: bool = False
    known: bool = False
    refusal: str = ""


def files_of(paths: Iterable[Path]) -> Iterator[Path]:
    """The files, and those in the folders, sorted; links to folders are not followed.

    Raises FileNotFoundError for a path that is not there.
    """
    for path in paths:
        if path.is_file():
            yield path
        elif path.is_dir():
            for root, folders, names in os.walk(path):
                folders.sort()
                yield from (Path(root, name) for name in sorted(names) if Path(root, name).is_file())
        else:
            raise FileNotFoundError(path)


def begin(path: str) -> Turn:
    """Store a file and work on it for one turn."""
    try:
        with Path(path).open("rb") as file:
            upload, created = store.create_upload(clean_name(path), _chunks(file), source="command")
    except (store.UploadEmpty, store.UploadTooLarge, OSError) as error:
        return Turn(path, refusal=_reason(error))
    if not created and upload.state in (Upload.State.DONE, Upload.State.FAILED):
        return Turn(path, upload.pk, known=True)
    return go_on(path, upload.pk)


def go_on(path: str, upload_id: int) -> Turn:
    """Work on a stored file for one more turn."""
    more = work.work_on(upload_id, f"import-{os.getpid()}")
    share, entries = reading.progress_of(upload_id) if more else (1.0, 0)
    return Turn(path, upload_id, share, entries, more)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _reason(error: Exception) -> str:
    if isinstance(error, store.UploadEmpty):
        return "the file is empty"
    if isinstance(error, store.UploadTooLarge):
        return f"the file has more than {error} bytes (ARCHIVE_MAX_UPLOAD_BYTES)"
    return str(error)


def run(paths: Iterable[str], workers: int) -> Iterator[Turn]:
    """Take in files; a `Turn` whenever there is news. One file is worked on by one process at a time.

    A single process is this one, which looks for garbage rarely from then on.
    """
    if workers == 1:
        look_rarely()
        for path in paths:
            turn = begin(path)
            yield turn
            while turn.more:
                turn = go_on(path, turn.upload)
                yield turn
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), prepare_process) as pool:
        yield from _spread(pool, iter(paths), workers)


def _spread(pool: ProcessPoolExecutor, paths: Iterator[str], workers: int) -> Iterator[Turn]:
    waiting: set[Future[Turn]] = set()
    while True:
        while len(waiting) < 2 * workers and (path := next(paths, None)) is not None:
            waiting.add(pool.submit(begin, path))
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for turn in (future.result() for future in done):
            if turn.more:
                waiting.add(pool.submit(go_on, turn.path, turn.upload))
            yield turn
