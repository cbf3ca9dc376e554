"""Imports files from disk: each becomes an upload, which one or several processes read in turns."""

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Final, NamedTuple

from archive import store
from archive.intake import resume, worker
from archive.intake.walk import clean_name
from archive.models import Upload, User
from archive.observing import tally
from archive.project.garbage_collection import collect_rarely, prepare_process
from kifu_core.classes import PUBLIC
from kifu_core.containers.walk import shown_path

_CHUNK: Final = 1024 * 1024


class ImportFile(NamedTuple):
    """A file to import; `within` is its path from the folder of the command, with that folder's name."""

    path: str
    within: str


class Destination(NamedTuple):
    """The owner of the uploads, and the space of their games."""

    owner: User | None = None
    space: int = PUBLIC


ANONYMOUS: Final = Destination()


@dataclass(frozen=True, slots=True)
class Turn:
    """The state of a file after a turn of work: its upload, the share of it that was read (0 to 1), and the
    number of entries. `existing` files were uploaded before; a `refusal` is the reason why nothing was
    stored."""

    path: str
    upload: int = 0
    share: float = 1.0
    entries: int = 0
    more: bool = False
    existing: bool = False
    refusal: str = ""


def files_of(paths: Iterable[Path]) -> Iterator[ImportFile]:
    """Yield files, and those in folders, sorted; links to folders are not followed. Raises FileNotFoundError
    for a path that does not exist."""
    for path in paths:
        if path.is_file():
            yield _file(path, path)
        elif path.is_dir():
            for root, folders, names in os.walk(path):
                folders.sort()
                files = (Path(root, name) for name in sorted(names))
                yield from (_file(file, path) for file in files if file.is_file())
        else:
            raise FileNotFoundError(path)


def _file(path: Path, root: Path) -> ImportFile:
    within = (root.resolve().name / path.relative_to(root)).as_posix()
    return ImportFile(os.fspath(path), shown_path(within))


def start(file: ImportFile, destination: Destination = ANONYMOUS) -> Turn:
    """Store a file and work on it for one turn."""
    path = file.path
    try:
        with Path(path).open("rb") as data:
            upload, created = store.create_upload(
                clean_name(path), _chunks(data), destination.owner, "command", space=destination.space
            )
    except (store.UploadEmpty, store.UploadTooLarge, OSError) as error:
        return Turn(path, refusal=_reason(error))
    store.add_paths([(upload, file.within)])
    return (None if created else _ended(path, upload)) or go_on(path, upload.pk)


def start_together(files: Sequence[ImportFile], destination: Destination = ANONYMOUS) -> list[Turn]:
    """Store small files and read them all at once."""
    token = _token()
    paths = [file.path for file in files]
    try:
        contents = [(clean_name(path), Path(path).read_bytes()) for path in paths]
        received = store.create_uploads(contents, token, "command", destination.owner, destination.space)
    except (store.UploadEmpty, store.UploadTooLarge, OSError):
        # At least one of them is refused: store them one by one.
        return [start(file, destination) for file in files]
    store.add_paths([(upload, file.within) for (upload, _), file in zip(received, files, strict=True)])
    new = [upload for upload, created in received if created]
    more = set(worker.work_together(new, token, math.inf))
    turns = []
    for path, (upload, created) in zip(paths, received, strict=True):
        if created:
            turns.append(_turn(path, upload.pk, upload.pk in more))
        elif upload in new:
            turns.append(Turn(path, upload.pk, existing=True))
        else:
            turns.append(_ended(path, upload) or go_on(path, upload.pk))
    return turns


def _turn(path: str, upload_id: int, more: bool) -> Turn:
    share, entries = resume.progress_of(upload_id) if more else (1.0, 0)
    return Turn(path, upload_id, share, entries, more)


def _ended(path: str, upload: Upload) -> Turn | None:
    ended = upload.state in (Upload.State.DONE, Upload.State.FAILED)
    return Turn(path, upload.pk, existing=True) if ended else None


def _token() -> str:
    return f"import-{os.getpid()}"


def go_on(path: str, upload_id: int) -> Turn:
    """Work on a stored file for another turn."""
    return _turn(path, upload_id, worker.work_on(upload_id, _token()))


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _reason(error: Exception) -> str:
    if isinstance(error, store.UploadEmpty):
        return "the file is empty"
    if isinstance(error, store.UploadTooLarge):
        return f"the file has more than {error} bytes (ARCHIVE_MAX_UPLOAD_BYTES)"
    return str(error)


def groups(files: Iterable[ImportFile]) -> Iterator[list[ImportFile]]:
    """Yield the files in order: consecutive small ones together, the others alone."""
    small: list[ImportFile] = []
    for file in files:
        if not store.is_small(_size(file.path)):
            if small:
                yield small
                small = []
            yield [file]
            continue
        small.append(file)
        if len(small) == worker.BATCH_ENTRIES:
            yield small
            small = []
    if small:
        yield small


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0  # opening it reports the error


def run(files: Iterable[ImportFile], workers: int, destination: Destination = ANONYMOUS) -> Iterator[Turn]:
    """Import files, and yield a `Turn` after each turn of work. One process works on a file at a time.

    A single process is this one, which then collects garbage rarely.
    """
    if workers == 1:
        collect_rarely()
        for group in groups(files):
            for turn in _start(group, destination):
                yield turn
                while turn.more:
                    (turn,) = _go_on(turn.path, turn.upload)
                    yield turn
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), prepare_process) as pool:
        yield from _spread(pool, groups(files), workers, destination)


def _start(group: Sequence[ImportFile], destination: Destination) -> list[Turn]:
    turns = start_together(group, destination) if len(group) > 1 else [start(group[0], destination)]
    tally.write()
    return turns


def _go_on(path: str, upload_id: int) -> list[Turn]:
    turn = go_on(path, upload_id)
    tally.write()
    return [turn]


def _spread(
    pool: ProcessPoolExecutor, waiting: Iterator[list[ImportFile]], workers: int, destination: Destination
) -> Iterator[Turn]:
    working: set[Future[list[Turn]]] = set()
    while True:
        while len(working) < 2 * workers and (group := next(waiting, None)) is not None:
            working.add(pool.submit(_start, group, destination))
        if not working:
            return
        done, working = wait(working, return_when=FIRST_COMPLETED)
        for turn in (turn for future in done for turn in future.result()):
            if turn.more:
                working.add(pool.submit(_go_on, turn.path, turn.upload))
            yield turn
