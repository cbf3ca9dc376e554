"""The deterministic walk through an upload: its files, those in its containers, the games of large files.

The same bytes under the same limits always give the same parts in the same order, so that work can stop
anywhere and be taken up again by number, and a part's bytes can be found again.
"""

import logging
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import IO, Final

from django.conf import settings

from archive.intake.walk import containers, texts
from archive.intake.walk.members import Member
from archive.intake.walk.refusals import (
    DAMAGE,
    TOO_MUCH_MEMORY,
    Budget,
    RefusedError,
    damaged,
    is_local_error,
)
from kifu_core.deadline import check_time
from kifu_core.errors import Issue
from kifu_core.signatures import DOCUMENT, signature

log = logging.getLogger(__name__)

PATH_LIMIT: Final = 1000
NAME_LIMIT: Final = 255
# Control characters, and the bidirectional overrides with which a name can pretend to be another.
_UNSHOWN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class UploadPart:
    """A part of an upload that is read in one go: a file, or a game of a large file."""

    path: str
    """The name of the file inside containers; empty for the upload itself. It never refers to a disk."""
    data: bytes = b""
    issue: Issue | None = None
    """Why the part was refused; then it has no `data`."""
    first: bool = True
    """Whether it is the first part of its file."""
    first_line: int = 1
    """The line of the file (from 1) with which the part begins."""
    number: int = 0


def walk(
    file: IO[bytes], name: str, budget: Budget | None = None, only: str | None = None
) -> Generator[UploadPart, None, None]:
    """Yield the parts of an upload, numbered from 0; at least one. `name` is the upload's.

    Linear in the unpacked bytes. One part is in memory at a time; larger files in containers are in temporary
    files. The limits are settings (ARCHIVE_MAX_*) and those of the budget. With `only`, files of containers
    that do not lead to this path are skipped, and parts have no numbers. Raises OSError if there is no room
    for temporary files, and TooSlowError beyond a time limit (`kifu_core.deadline`).
    """
    walker = _Walker(name, budget or Budget(), only)
    for number, part in enumerate(walker.file(file, "", 0)):
        yield replace(part, number=number)


def clean_name(name: str) -> str:
    """Return the last part of a file's name without invisible characters; never a path."""
    last = re.split(r"[/\\]", name)[-1]
    return _UNSHOWN.sub("", last).strip()[:NAME_LIMIT] or "record"


def shown_path(path: str) -> str:
    """Return a name from a container with invisible characters replaced by U+FFFD."""
    clean = _UNSHOWN.sub("\ufffd", path)
    return clean if len(clean) <= PATH_LIMIT else clean[: PATH_LIMIT - 1] + "…"


def is_document(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a document of a word processor or the like."""
    kind = signature(head)
    return kind is not None and kind[0] == DOCUMENT


def leads_to(path: str, target: str) -> bool:
    """Return whether a file of a container is the target, or may be a container with it."""
    return path == target or target.startswith(f"{path}/")


class _Walker:
    def __init__(self, name: str, budget: Budget, only: str | None) -> None:
        self.name = name
        self.budget = budget
        self.only = only

    def file(self, file: IO[bytes], path: str, depth: int) -> Iterator[UploadPart]:
        """Yield the parts of one file, which is a text or a container."""
        head = file.read(containers.HEAD_BYTES)
        # A document may be a ZIP, but has no records; the reader reports it.
        kind = None if is_document(head) else containers.kind_of(head)
        file.seek(0)
        try:
            if kind is None:
                yield from self._text(file, path, empty=not head)
            elif kind in containers.UNREADABLE:
                raise RefusedError("unknown-container", text=kind)
            elif depth >= settings.ARCHIVE_MAX_DEPTH:
                raise RefusedError("nested-too-deep", limit=settings.ARCHIVE_MAX_DEPTH)
            else:
                yield from self._container(kind, file, path, depth)
        except RefusedError as refusal:
            yield UploadPart(path, issue=refusal.issue)
        except MemoryError:
            yield UploadPart(path, issue=Issue(TOO_MUCH_MEMORY, "error"))
        except Exception as error:
            if is_local_error(error):
                raise
            # A bug must not affect other entries, and the owner must see it.
            log.exception("unpacking %r of %r failed", path, self.name)
            yield UploadPart(path, issue=Issue("internal-error", "error"))

    def _text(self, file: IO[bytes], path: str, empty: bool) -> Iterator[UploadPart]:
        if empty:
            raise RefusedError("empty-file")
        size = file.seek(0, 2)
        file.seek(0)
        for n, (line, data) in enumerate(texts.cut_text(file, size, path or self.name)):
            check_time()
            yield UploadPart(path, data, first=n == 0, first_line=line)

    def _container(
        self, kind: containers.Kind, file: IO[bytes], path: str, depth: int
    ) -> Iterator[UploadPart]:
        empty = True
        for member in containers.members(kind, file, path or self.name, self.budget):
            empty = False
            check_time()
            inside = shown_path(f"{path}/{member.path}" if path else member.path)
            if self.only is not None and not leads_to(inside, self.only):
                continue
            yield from self._member(member, inside, depth)
            if self.budget.spent:
                return
        if empty:
            raise RefusedError("empty-container")

    def _member(self, member: Member, path: str, depth: int) -> Iterator[UploadPart]:
        try:
            unpacked = self._unpacked(member)
        except RefusedError as refusal:
            yield UploadPart(path, issue=refusal.issue)
            return
        except MemoryError:
            yield UploadPart(path, issue=Issue(TOO_MUCH_MEMORY, "error"))
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
