"""Stores the bytes of uploads."""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.utils import IntegrityError
from django.utils import timezone

from archive.index.engine import engine
from archive.models import PIECE_BYTES, Sender, Upload, UploadChunk
from archive.observing import logs
from archive.store.leases import CLAIM_SECONDS
from kifu_core.classes import PUBLIC

MAX_PATHS: Final = 20
"""The number of paths that are stored of an upload."""


class UploadEmpty(ValueError):
    """The upload has no bytes. Nothing is stored."""


class UploadTooLarge(ValueError):
    """The upload has more than ARCHIVE_MAX_UPLOAD_BYTES. Nothing is stored."""


def create_upload(
    name: str,
    chunks: Iterable[bytes],
    uploader: AbstractBaseUser | None = None,
    source: str = "web",
    sender: str = "",
    space: int = PUBLIC,
    games_counter: str = "",
    *,
    waits: bool = False,
) -> tuple[Upload, bool]:
    """Store the bytes of an upload in the transaction that creates it; return it and whether it is new.

    The same bytes from the same uploader for the same space are the same upload. Without an uploader,
    `sender` is the key of the sending session. An upload that `waits` is not read before `admit`. One piece
    is in memory at a time. `chunks` should be as fast as a disk, because it blocks all other writers on
    SQLite. Raises UploadEmpty and UploadTooLarge.
    """
    upload = Upload(name=name, size=0, source=source, space=space, games_counter=games_counter)
    upload.request = logs.current_request()
    upload.state = Upload.State.WAITING if waits else Upload.State.RECEIVED
    upload.uploader_id = uploader.pk if uploader else None
    try:
        with transaction.atomic():
            _store_bytes(upload, chunks)
            if sender and uploader is None:
                Sender.objects.create(upload=upload, key=sender, first=True)
        return upload, True
    except IntegrityError:
        mine = Upload.objects.filter(uploader_id=upload.uploader_id, space=space)
        existing = mine.get(sha256=upload.sha256)
        if uploader is None:
            _sent_again([existing], sender)
        return existing, False


def _store_bytes(upload: Upload, chunks: Iterable[bytes]) -> None:
    digest, size = sha256(), 0
    # A placeholder until all bytes are received.
    upload.sha256 = uuid.uuid4().hex
    upload.save()
    for n, piece in enumerate(_pieces(chunks)):
        digest.update(piece)
        size += len(piece)
        if size > settings.ARCHIVE_MAX_UPLOAD_BYTES:
            raise UploadTooLarge(settings.ARCHIVE_MAX_UPLOAD_BYTES)
        UploadChunk.objects.create(upload=upload, n=n, bytes=piece)
    if not size:
        raise UploadEmpty
    upload.size, upload.sha256 = size, digest.hexdigest()
    upload.save(update_fields=["size", "sha256"])


def admit(ids: Collection[int]) -> list[int]:
    """Admit waiting uploads; return the ids of those that did wait. The caller sends messages about them."""
    waiting = Upload.objects.filter(pk__in=ids, state=Upload.State.WAITING)
    return [
        pk for pk in waiting.values_list("pk", flat=True) if waiting.filter(pk=pk).update(state="received")
    ]


def _sent_again(uploads: Iterable[Upload], sender: str = "") -> None:
    """Record that others sent the same uploads without an account: no sender may delete them alone."""
    # In the same order in all processes, to avoid deadlocks.
    ordered = sorted(uploads, key=lambda upload: upload.pk)
    senders = [Sender(upload=upload, key=sender, first=False) for upload in ordered]
    Sender.objects.bulk_create(senders, ignore_conflicts=True)


def create_uploads(
    files: Sequence[tuple[str, bytes]],
    token: str,
    source: str,
    uploader: AbstractBaseUser | None = None,
    space: int = PUBLIC,
) -> list[tuple[Upload, bool]]:
    """Store files of at most one piece each in one transaction; return each upload and whether it is new. New
    ones are claimed with the token.

    Raises UploadEmpty and UploadTooLarge if any of them is; then nothing is stored.
    """
    digests = []
    for _, data in files:
        if not data:
            raise UploadEmpty
        if len(data) > min(PIECE_BYTES, settings.ARCHIVE_MAX_UPLOAD_BYTES):
            raise UploadTooLarge(min(PIECE_BYTES, settings.ARCHIVE_MAX_UPLOAD_BYTES))
        digests.append(sha256(data).hexdigest())
    owner = {"uploader_id": uploader.pk if uploader else None, "space": space}
    same_owner = Upload.objects.filter(**owner)
    columns = {"source": source, "claimed_by": token, **owner}
    try:
        new = _insert_uploads(dict(zip(digests, files, strict=True)), same_owner, columns)
    except IntegrityError:  # another process stores one of them
        return [create_upload(name, [data], uploader, source, space=space) for name, data in files]
    uploads = {upload.sha256: upload for upload in same_owner.filter(sha256__in=digests)}
    if uploader is None and (repeated := [uploads[digest] for digest in uploads.keys() - new.keys()]):
        _sent_again(repeated)
    return [(uploads[digest], new.pop(digest, None) is not None) for digest in digests]


def add_paths(imported: Iterable[tuple[Upload, str]]) -> None:
    """Add the paths of imported files to their uploads, up to `MAX_PATHS`, unless a path is just the name."""
    new = [
        (upload.pk, path) for upload, path in imported if path not in ("", upload.name, *(upload.paths or ()))
    ]
    if not new:
        return
    with transaction.atomic():
        uploads = Upload.objects.select_for_update().order_by("pk").in_bulk({pk for pk, _ in new})
        for pk, path in new:
            if upload := uploads.get(pk):
                upload.paths = list(dict.fromkeys([*(upload.paths or ()), path]))[:MAX_PATHS]
        Upload.objects.bulk_update(uploads.values(), ["paths"])


def _insert_uploads(
    files: Mapping[str, tuple[str, bytes]], same_owner: QuerySet[Upload], columns: Mapping[str, Any]
) -> dict[str, Upload]:
    """Insert the files, by digest, that their owner has not uploaded yet, with these columns."""
    until = timezone.now() + timedelta(seconds=CLAIM_SECONDS)
    claimed = {"state": Upload.State.PROCESSING, "claimed_until": until, "tries": 1}
    marks = sorted({int.from_bytes(bytes.fromhex(digest)[:4], "big", signed=True) for digest in files})
    with transaction.atomic(), connection.cursor() as cursor:
        # Imports of the same files in another order would deadlock.
        engine().lock_marks(cursor, marks)
        existing = set(same_owner.filter(sha256__in=files).values_list("sha256", flat=True))
        new = Upload.objects.bulk_create(
            Upload(name=name, size=len(data), sha256=digest, **columns, **claimed)
            for digest, (name, data) in files.items()
            if digest not in existing
        )
        UploadChunk.objects.bulk_create(
            UploadChunk(upload=upload, n=0, bytes=files[upload.sha256][1]) for upload in new
        )
    return {upload.sha256: upload for upload in new}


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= PIECE_BYTES:
            yield bytes(waiting[:PIECE_BYTES])
            del waiting[:PIECE_BYTES]
    if waiting:
        yield bytes(waiting)
