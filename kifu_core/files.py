"""The input files of a command: single files, folders and the files in containers."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, Final

from kifu_core.containers.readers import HEAD_BYTES
from kifu_core.containers.refusals import ContainerLimits
from kifu_core.containers.walk import container_kind, walk
from kifu_core.errors import KifuError

STDIN: Final = "-"

MOST_FILES: Final = 100_000
"""Files of a container that are read."""

LIMITS: Final = ContainerLimits()

_IN_MEMORY: Final = 16 * 1024 * 1024
"""Bytes of standard input in memory; more are in a temporary file."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `path` is its name in messages, `name` that of its output files, without extension; it
    is empty for a file that a container cannot give.

    `read` returns its bytes; it raises OSError, or KifuError for such a file.
    """

    path: str
    name: str
    read: Callable[[], bytes]


def files(paths: Iterable[str]) -> Iterator[SourceFile]:
    """Yield the files of paths, of folders in the order of names, and of containers; `-` is standard input,
    which can be read again.

    Folders and containers leave out names that begin with a dot. Unreadable files raise in `SourceFile.read`.
    One file of a container is in memory at a time. Raises OSError if there is no room for temporary files, or
    if standard input cannot be read.
    """
    for path in paths:
        folder = Path(path)
        if path == STDIN:
            yield from _of_stream(_spooled(sys.stdin.buffer), folder, "stdin")
        elif folder.is_dir():
            yield from _of_folder(folder)
        else:
            yield from _of_file(folder, folder.stem)


def _of_folder(folder: Path) -> Iterator[SourceFile]:
    paths = [*_in_folder(folder)]
    if not paths:
        yield _refused(str(folder), KifuError("no-files"))
    for one in paths:
        yield from _of_file(one, _output_path(str(one.relative_to(folder))))


def _in_folder(folder: Path) -> Iterator[Path]:
    try:
        listed = sorted(folder.iterdir())
    except OSError:
        yield folder
        return
    for one in listed:
        if one.name.startswith("."):
            continue
        if one.is_dir() and not one.is_symlink():
            yield from _in_folder(one)
        elif one.is_file() or one.is_symlink():
            yield one


def _of_file(path: Path, name: str) -> Iterator[SourceFile]:
    try:
        file = path.open("rb")
    except OSError:
        yield SourceFile(str(path), name, path.read_bytes)
    else:
        with file:
            yield from _of_stream(file if file.seekable() else _spooled(file), path, name)


def _of_stream(file: IO[bytes], path: Path, name: str) -> Iterator[SourceFile]:
    try:
        file.seek(0)
        head = file.read(HEAD_BYTES)
        file.seek(0)
    except OSError:
        head = b""
    if container_kind(head) is None:
        yield SourceFile(str(path), name, file.read)
    else:
        yield from _of_container(file, path)


@cache
def _spooled(stream: IO[bytes]) -> IO[bytes]:
    """Return a copy of a stream that can be read more than once."""
    copy = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # of use until the process ends
    copyfileobj(stream, copy)
    return copy


def _of_container(file: IO[bytes], path: Path) -> Iterator[SourceFile]:
    empty = True
    for part in walk(file, path.name, LIMITS, wanted=_is_shown):
        empty = False
        shown = f"{path}/{part.path}" if part.path else str(path)
        if part.number == MOST_FILES:
            yield _refused(str(path), KifuError("too-many-entries", params={"limit": MOST_FILES}))
            return
        if part.issue is not None:
            yield _refused(shown, KifuError(part.issue.code, params=part.issue.params))
        else:
            yield SourceFile(shown, _output_path(part.path), partial(bytes, part.data))
    if empty:
        yield _refused(str(path), KifuError("empty-container"))


def _refused(path: str, error: KifuError) -> SourceFile:
    def read() -> bytes:
        raise error

    return SourceFile(path, "", read)


def _is_shown(path: str) -> bool:
    """Return whether neither a file of a container nor a folder of it is hidden."""
    parts = path.replace("\\", "/").split("/")
    return not any(part.startswith(".") and part.strip(".") for part in parts)


def _output_path(path: str) -> str:
    """Return the path under which the games of a file are written; it never leaves the output folder."""
    parts = path.replace("\\", "/").replace(":", "_").split("/")
    *folders, last = [part for part in parts if part not in ("", ".", "..")] or ["games"]
    return "/".join((*folders, Path(last).stem))
