"""Taking in files from disk: each is an upload, worked off in turns, by one process or several."""

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
from archive.intake.walk.entries import clean_name, shown_path
from archive.models import Upload, User
from archive.observing import tally
from archive.project.garbage_collection import look_rarely, prepare_process
from kifu_core.classes import PUBLIC

_CHUNK: Final = 1024 * 1024


class File(NamedTuple):
    """A file to import; `within` is its path from the folder that was named, with that folder's name."""

    path: str
    within: str


class Into(NamedTuple):
    """Whose uploads files become, and the space that their games go to."""

    owner: User | None = None
    space: int = PUBLIC


NOBODYS: Final = Into()


@dataclass(frozen=True, slots=True)
class Turn:
    """The state of a file after a turn of work: its upload, how much of it is read (0 to 1) and how many
    entries that gave. `known` files were here before; a `refusal` says why nothing was stored."""

    path: str
    upload: int = 0
    share: float = 1.0
    entries: int = 0
    more: bool = False
    known: bool = False
    refusal: str = ""


def files_of(paths: Iterable[Path]) -> Iterator[File]:
    """Yield the files, and those in the folders, sorted; links to folders are not followed.

    Raises FileNotFoundError for a path that is not there.
    """
    for path in paths:
        if path.is_file():
            yield _file(path, path)
        elif path.is_dir():
            for root, folders, names in os.walk(path):
                folders.sort()
                found = (Path(root, name) for name in sorted(names))
                yield from (_file(one, path) for one in found if one.is_file())
        else:
            raise FileNotFoundError(path)


def _file(path: Path, named: Path) -> File:
    """Return a file of an import; nothing is told of the folders above the one that was named."""
    return File(os.fspath(path), shown_path((named.resolve().name / path.relative_to(named)).as_posix()))


def begin(file: File, into: Into = NOBODYS) -> Turn:
    """Store a file and work on it for one turn."""
    path = file.path
    try:
        with Path(path).open("rb") as data:
            upload, created = store.create_upload(
                clean_name(path), _chunks(data), into.owner, "command", space=into.space
            )
    except (store.UploadEmpty, store.UploadTooLarge, OSError) as error:
        return Turn(path, refusal=_reason(error))
    store.keep_paths([(upload, file.within)])
    return (None if created else _known(path, upload)) or go_on(path, upload.pk)


def begin_together(files: Sequence[File], into: Into = NOBODYS) -> list[Turn]:
    """Store small files and work them off, all at once."""
    token = _token()
    paths = [file.path for file in files]
    try:
        named = [(clean_name(path), Path(path).read_bytes()) for path in paths]
        received = store.create_uploads(named, token, "command", into.owner, into.space)
    except (store.UploadEmpty, store.UploadTooLarge, OSError):
        # One of them is not as it should be: each says for itself what became of it.
        return [begin(file, into) for file in files]
    store.keep_paths([(upload, file.within) for (upload, _), file in zip(received, files, strict=True)])
    new = [upload for upload, created in received if created]
    more = set(worker.work_together(new, token, math.inf))
    turns = []
    for path, (upload, created) in zip(paths, received, strict=True):
        if created:
            turns.append(_turn(path, upload.pk, upload.pk in more))
        elif upload in new:
            turns.append(Turn(path, upload.pk, known=True))
        else:
            turns.append(_known(path, upload) or go_on(path, upload.pk))
    return turns


def _turn(path: str, upload_id: int, more: bool) -> Turn:
    share, entries = resume.progress_of(upload_id) if more else (1.0, 0)
    return Turn(path, upload_id, share, entries, more)


def _known(path: str, upload: Upload) -> Turn | None:
    ended = upload.state in (Upload.State.DONE, Upload.State.FAILED)
    return Turn(path, upload.pk, known=True) if ended else None


def _token() -> str:
    return f"import-{os.getpid()}"


def go_on(path: str, upload_id: int) -> Turn:
    """Work on a stored file for one more turn."""
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


def groups(files: Iterable[File]) -> Iterator[list[File]]:
    """Yield the files in their order: small ones that follow each other together, the others alone."""
    small: list[File] = []
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
        return 0  # whoever opens it says why


def run(files: Iterable[File], workers: int, into: Into = NOBODYS) -> Iterator[Turn]:
    """Take in files, each in one process at a time, and yield a `Turn` whenever there is news.

    A single process is this one, which looks for garbage rarely from then on.
    """
    if workers == 1:
        look_rarely()
        for group in groups(files):
            for turn in _begin(group, into):
                yield turn
                while turn.more:
                    (turn,) = _go_on(turn.path, turn.upload)
                    yield turn
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), prepare_process) as pool:
        yield from _spread(pool, groups(files), workers, into)


def _begin(group: Sequence[File], into: Into) -> list[Turn]:
    turns = begin_together(group, into) if len(group) > 1 else [begin(group[0], into)]
    tally.write()
    return turns


def _go_on(path: str, upload_id: int) -> list[Turn]:
    turn = go_on(path, upload_id)
    tally.write()
    return [turn]


def _spread(
    pool: ProcessPoolExecutor, waiting: Iterator[list[File]], workers: int, into: Into
) -> Iterator[Turn]:
    working: set[Future[list[Turn]]] = set()
    while True:
        while len(working) < 2 * workers and (group := next(waiting, None)) is not None:
            working.add(pool.submit(_begin, group, into))
        if not working:
            return
        done, working = wait(working, return_when=FIRST_COMPLETED)
        for turn in (turn for future in done for turn in future.result()):
            if turn.more:
                working.add(pool.submit(_go_on, turn.path, turn.upload))
            yield turn
