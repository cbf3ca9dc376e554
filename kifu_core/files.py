"""The input files of a command: single files, folders and ZIP archives, within limits."""

import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kifu_core.errors import KifuError
from kifu_core.signatures import CONTAINER, signature

STDIN: Final = "-"

MOST_FILES: Final = 100_000
"""Files in an archive."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Size of an unpacked file."""
MOST_RATIO: Final = 200
FREE_BYTES: Final = 1024 * 1024
"""Unpacked bytes that are allowed at any ratio: small files of blanks are no bombs."""
MOST_DEPTH: Final = 1
"""Archives in archives are not read."""

_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods that unpack in pieces."""
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)
"""Raised by `zipfile` for damaged archives; NotImplementedError where a header, damaged or not, names a
version or a patch format that `zipfile` cannot read."""
_ZIP: Final = (CONTAINER, "ZIP")
_HEAD: Final = 512


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `path` is its name in messages, `name` that of its output files, without extension.

    `read` returns its bytes; it raises OSError, or KifuError for a file that an archive cannot give.
    """

    path: str
    name: str
    read: Callable[[], bytes]


def files(paths: Iterable[str]) -> Iterator[SourceFile]:
    """Yield the files of paths, of folders in the order of names, and of ZIP archives; `-` is standard input.

    Folders and archives leave out names that begin with a dot. Unreadable files raise in `SourceFile.read`.
    """
    for path in paths:
        folder = Path(path)
        if path == STDIN:
            yield SourceFile(path, "stdin", sys.stdin.buffer.read)
        elif folder.is_dir():
            yield from _of_folder(folder)
        else:
            yield from _of_file(folder, folder.stem)


def _of_folder(folder: Path) -> Iterator[SourceFile]:
    paths = [*_in_folder(folder)]
    if not paths:
        yield SourceFile(str(folder), folder.name, _refusing(KifuError("no-files")))
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
        with path.open("rb") as file:
            is_zip = signature(file.read(_HEAD)) == _ZIP
    except OSError:
        is_zip = False
    if is_zip:
        yield from _of_archive(path)
    else:
        yield SourceFile(str(path), name, path.read_bytes)


def _of_archive(path: Path) -> Iterator[SourceFile]:
    try:
        archive = zipfile.ZipFile(path)
        members = [one for one in archive.infolist() if not one.is_dir() and not _is_hidden(one)]
        _check(members, path.stat().st_size)
    except _DAMAGE as error:
        yield SourceFile(str(path), path.stem, _refusing(_damaged(error)))
    except KifuError as error:
        yield SourceFile(str(path), path.stem, _refusing(error))
    else:
        for member in members:
            shown = _member_name(member)
            yield SourceFile(f"{path}/{shown}", _output_path(shown), _reading(archive, member))


def _check(members: list[zipfile.ZipInfo], size: int) -> None:
    if not members:
        raise KifuError("empty-container")
    if len(members) > MOST_FILES:
        raise KifuError("too-many-entries", params={"limit": MOST_FILES})
    if sum(member.compress_size for member in members) > size:
        raise KifuError("damaged", params={"text": "files overlap"})


def _reading(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            return _unpacked(archive, member)
        except _DAMAGE as error:
            raise _damaged(error) from error

    return read


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file in an archive; raises KifuError, and any of `_DAMAGE`."""
    if stat.S_ISLNK(member.external_attr >> 16):
        raise KifuError("link")
    if member.flag_bits & 1:
        raise KifuError("encrypted")
    if member.compress_type not in _METHODS:
        raise KifuError("unknown-compression", params={"text": f"ZIP {member.compress_type}"})
    most = max(FREE_BYTES, MOST_RATIO * member.compress_size)
    with archive.open(member) as file:
        data = file.read(min(most, MOST_BYTES) + 1)
    if len(data) > MOST_BYTES:
        raise KifuError("entry-too-large", params={"limit": MOST_BYTES})
    if len(data) > most:
        raise KifuError("bomb", params={"ratio": MOST_RATIO})
    if signature(data[:_HEAD]) == _ZIP:
        raise KifuError("nested-too-deep", params={"limit": MOST_DEPTH})
    return data


def _refusing(error: KifuError) -> Callable[[], bytes]:
    def read() -> bytes:
        raise error

    return read


def _damaged(error: Exception) -> KifuError:
    return KifuError("damaged", params={"text": (str(error) or type(error).__name__)[:80]})


def _is_hidden(member: zipfile.ZipInfo) -> bool:
    parts = member.filename.replace("\\", "/").split("/")
    return any(part.startswith(".") and part.strip(".") for part in parts)


def _member_name(member: zipfile.ZipInfo) -> str:
    """Return a file's name; Windows in Japan writes it in cp932."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("cp932")
    except UnicodeError:
        return member.filename


def _output_path(path: str) -> str:
    """Return the path under which the games of a file are written; it never leaves the output folder."""
    parts = path.replace("\\", "/").replace(":", "_").split("/")
    *folders, last = [part for part in parts if part not in ("", ".", "..")] or ["games"]
    return "/".join((*folders, Path(last).stem))
