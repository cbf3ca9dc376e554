"""Reads an upload in turns. The walk stays open between batches, or resumes from the stored rows."""

from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO, Final

from django.db.models import Count, Exists, F, Max, OuterRef

from archive import store
from archive.derive.game import DerivedEntry
from archive.intake.reader import WORKER_DIED, failed, read_part
from archive.intake.walk import temporary_folder, walk
from archive.models import Entry, Upload, UploadChunk
from kifu_core.containers.refusals import temporary_file
from kifu_core.containers.walk import FilePart
from kifu_core.errors import Issue

OPEN_WALKS: Final = 4
"""Walks that a process keeps open between batches; closed ones have to be repeated."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where to continue reading an upload."""

    part: int = 0
    """The part to read. Some of its entries may be stored already."""
    seq: int = 0
    """The `seq` of the first entry of the part."""
    index: int = 0
    """The `index` of the first entry of the part."""
    following: int = 0
    """The first `seq` that is not stored."""


def resume_point(upload_id: int) -> ResumePoint:
    """Return the point after the stored entries.

    The part of the last entry is read again, because it may be unfinished, unless it ended its process.
    """
    rows = Entry.objects.filter(upload_id=upload_id, rereads=F("upload__rereads"))
    stored = rows.aggregate(count=Count("pk"), last=Max("seq"))
    last = stored["last"]
    if last is not None and stored["count"] != last + 1:
        # Some entries were removed, to be read again.
        followed = Exists(rows.filter(seq=OuterRef("seq") + 1))
        last = rows.filter(~followed).order_by("seq").values_list("seq", flat=True)[0]
        last = last if rows.filter(seq=0).exists() else None
    if last is None:
        return ResumePoint()
    part = rows.get(seq=last).part
    before = rows.filter(seq__lte=last).exclude(part=part).order_by("-seq").first()
    first = rows.get(seq=before.seq + 1) if before else rows.get(seq=0)
    if any(issue["code"] == WORKER_DIED for issue in first.issues):
        return ResumePoint(part + 1, last + 1, first.index + 1, last + 1)
    return ResumePoint(part, first.seq, first.index, last + 1)


def small_data(uploads: Sequence[Upload]) -> dict[int, bytes]:
    """Return the bytes of the small ones among uploads, by id, with one query."""
    ids = [upload.pk for upload in uploads if store.is_small(upload.size)]
    pieces = UploadChunk.objects.filter(upload_id__in=ids, n=0).values_list("upload_id", "bytes")
    return {pk: bytes(data) for pk, data in pieces}


def spool(pieces: Iterable[bytes]) -> IO[bytes]:
    """Copy an upload's bytes to a file, on disk unless they are few."""
    with ExitStack() as until_written:
        file = until_written.enter_context(temporary_file(temporary_folder()))
        for piece in pieces:
            file.write(piece)
        until_written.pop_all()
    file.seek(0)
    return file


class UploadWalk:
    """The walk through one upload. Each entry comes once, in order, with its number."""

    def __init__(self, upload: Upload, data: bytes | None = None) -> None:
        self.upload = upload
        self.file = spool(upload.stream() if data is None else [data])
        self.parts: Generator[FilePart, None, None] = walk(self.file, upload.name)
        self.part = -1
        self.following = 0
        self._index = 0
        self._from = 0
        self._rest: Iterator[DerivedEntry] = iter(())

    def close(self) -> None:
        """Release files and memory."""
        self.parts.close()
        self.file.close()

    def entries(self, point: ResumePoint, give_up: bool = False) -> Iterator[DerivedEntry]:
        """Yield the entries from a point on.

        With `give_up` the first missing entry fails unread, because it has ended several processes. Raises
        RenumberedError if the part at the point has fewer entries than before.
        """
        if self.part < point.part:
            self._rest = iter(())
        self._from = point.following
        yield from self._numbered()
        failing = point.following - point.seq if give_up else None
        for part in self.parts:
            if part.number < point.part:
                continue
            self._begin(part, point, failing)
            before = self.following
            yield from self._numbered()
            if self.following < point.following:
                raise store.RenumberedError([self.upload.pk])
            if failing is not None:
                # If the stored entries were all of the part, the next part ended the process.
                failing = 0 if failing and self.following - before <= failing else None

    def is_before(self, point: ResumePoint) -> bool:
        """Return whether the walk has not passed a point."""
        return self.following <= point.following and self.part <= point.part

    def _begin(self, part: FilePart, point: ResumePoint, failing: int | None) -> None:
        self.part = part.number
        skip = 0
        if part.number == point.part:
            self.following, self._index = point.seq, point.index
            skip = point.following - point.seq
        if part.first:
            self._index = 0
        if failing == 0:
            self._rest = iter([failed(part, Issue(WORKER_DIED, "error"))])
        else:
            self._rest = read_part(part, self.upload.name, skip, failing, self.upload.space)

    def _numbered(self) -> Iterator[DerivedEntry]:
        for entry in self._rest:
            numbered = replace(entry, seq=self.following, index=self._index)
            self.following += 1
            self._index += 1
            if numbered.seq >= self._from:
                yield numbered


_open: OrderedDict[int, UploadWalk] = OrderedDict()


def walk_at(upload: Upload, point: ResumePoint, data: bytes | None = None) -> UploadWalk:
    """Return the walk of an upload at or before a point: an open one, or a new one. `data` are its bytes, if
    the caller has them."""
    walk = _open.pop(upload.pk, None)
    if walk is not None and not walk.is_before(point):
        walk.close()
        walk = None
    return walk or UploadWalk(upload, data)


def keep_open(walk: UploadWalk) -> None:
    """Keep a walk open for the next batch of its upload."""
    _open[walk.upload.pk] = walk
    while len(_open) > OPEN_WALKS:
        _, oldest = _open.popitem(last=False)
        oldest.close()


def close_all() -> None:
    """Close all open walks."""
    while _open:
        _open.popitem()[1].close()


def is_open(upload_id: int) -> bool:
    """Return whether a walk of the upload is open."""
    return upload_id in _open


def progress_of(upload_id: int) -> tuple[float, int]:
    """Return the share of an upload that its open walk has read, from 0 to 1, and the number of entries."""
    walk = _open.get(upload_id)
    if walk is None:
        return 0.0, 0
    return min(1.0, walk.file.tell() / max(1, walk.upload.size)), walk.following
