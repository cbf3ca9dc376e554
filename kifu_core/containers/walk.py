"""The deterministic walk through a file: those in its containers, and the parts of large ones.

The same bytes under the same limits always give the same parts in the same order, so that work can stop
anywhere and be taken up again by number, and a part's bytes can be found again.
"""

import logging
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import IO, Final

from kifu_core.containers import readers
from kifu_core.containers.members import Member
from kifu_core.containers.refusals import (
    DAMAGE,
    TOO_MUCH_MEMORY,
    Budget,
    ContainerLimits,
    RefusedError,
    damaged,
    is_local_error,
)
from kifu_core.cutting import Chunk
from kifu_core.deadline import check_time
from kifu_core.errors import Issue
from kifu_core.signatures import DOCUMENT, signature

log = logging.getLogger(__name__)

PATH_LIMIT: Final = 1000
# Control characters, and the bidirectional overrides with which a name can pretend to be another.
UNSHOWN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file that is read in one go: a file of a container, or a piece of a large file."""

    path: str
    """The name of the file inside containers; empty for the outermost file. It never refers to a disk."""
    data: bytes = b""
    issue: Issue | None = None
    """Why the part was refused; then it has no `data`."""
    first: bool = True
    """Whether it is the first part of its file."""
    first_line: int = 1
    """The line of the file (from 1) with which the part begins."""
    number: int = 0


Cut = Callable[[IO[bytes], int, str], Iterator[Chunk]]
"""Yields the pieces of a file of so many bytes and with this name. Raises RefusedError."""


def uncut(file: IO[bytes], _size: int, _name: str) -> Iterator[Chunk]:
    """Yield a file in one piece."""
    yield 1, file.read()


def walk(
    file: IO[bytes],
    name: str,
    limits: ContainerLimits,
    cut: Cut = uncut,
    wanted: Callable[[str], bool] | None = None,
) -> Generator[FilePart, None, None]:
    """Yield the parts of a file, numbered from 0; `name` is the file's. At least one, unless all are
    skipped.

    Linear in the unpacked bytes. One part is in memory at a time; larger files in containers are in temporary
    files. Files of containers whose paths are not `wanted` are skipped. Raises OSError if there is no room
    for temporary files, and TooSlowError beyond a time limit (`kifu_core.deadline`).
    """
    walker = _Walker(name, Budget(limits), cut, wanted)
    for number, part in enumerate(walker.file(file, "", 0)):
        yield replace(part, number=number)


def container_kind(head: bytes) -> readers.Kind | None:
    """Return the kind of container that begins with these `HEAD_BYTES` bytes; None for other files.

    A document may be a ZIP archive, but has no records.
    """
    kind = signature(head)
    return None if kind is not None and kind[0] == DOCUMENT else readers.kind_of(head)


def shown_path(path: str) -> str:
    """Return a name from a container with invisible characters replaced by U+FFFD."""
    clean = UNSHOWN.sub("\ufffd", path)
    return clean if len(clean) <= PATH_LIMIT else clean[: PATH_LIMIT - 1] + "…"


class _Walker:
    def __init__(self, name: str, budget: Budget, cut: Cut, wanted: Callable[[str], bool] | None) -> None:
        self.name = name
        self.budget = budget
        self.cut = cut
        self.wanted = wanted

    def file(self, file: IO[bytes], path: str, depth: int) -> Iterator[FilePart]:
        """Yield the parts of one file, which is a text or a container."""
        head = file.read(readers.HEAD_BYTES)
        kind = container_kind(head)
        file.seek(0)
        try:
            if kind is None:
                yield from self._text(file, path, empty=not head)
            elif kind in readers.UNREADABLE:
                raise RefusedError("unknown-container", text=kind)
            elif depth >= self.budget.limits.depth:
                raise RefusedError("nested-too-deep", limit=self.budget.limits.depth)
            else:
                yield from self._container(kind, file, path, depth)
        except RefusedError as refusal:
            yield FilePart(path, issue=refusal.issue())
        except MemoryError:
            yield FilePart(path, issue=Issue(TOO_MUCH_MEMORY, "error"))
        except Exception as error:
            if is_local_error(error):
                raise
            # A bug must not affect other entries, and the owner must see it.
            log.exception("unpacking %r of %r failed", path, self.name)
            yield FilePart(path, issue=Issue("internal-error", "error"))

    def _text(self, file: IO[bytes], path: str, empty: bool) -> Iterator[FilePart]:
        if empty:
            raise RefusedError("empty-file")
        size = file.seek(0, 2)
        file.seek(0)
        for n, (line, data) in enumerate(self.cut(file, size, path or self.name)):
            check_time()
            yield FilePart(path, data, first=n == 0, first_line=line)

    def _container(self, kind: readers.Kind, file: IO[bytes], path: str, depth: int) -> Iterator[FilePart]:
        empty = True
        for member in readers.members(kind, file, path or self.name, self.budget):
            empty = False
            check_time()
            inside = shown_path(f"{path}/{member.path}" if path else member.path)
            if self.wanted is not None and not self.wanted(inside):
                continue
            yield from self._member(member, inside, depth)
            if self.budget.spent:
                return
        if empty:
            raise RefusedError("empty-container")

    def _member(self, member: Member, path: str, depth: int) -> Iterator[FilePart]:
        try:
            unpacked = self._unpacked(member)
        except RefusedError as refusal:
            yield FilePart(path, issue=refusal.issue())
            return
        except MemoryError:
            yield FilePart(path, issue=Issue(TOO_MUCH_MEMORY, "error"))
            return
        with unpacked:
            yield from self.file(unpacked, path, depth + 1)

    def _unpacked(self, member: Member) -> IO[bytes]:
        if member.refusal is not None:
            raise member.refusal
        assert member.open is not None, "a member has a reason or a way to be read"
        try:
            stream = member.open()
        except (*DAMAGE, RuntimeError) as error:
            raise damaged(error) from error
        with stream:
            return self.budget.unpack(stream, member.packed)
