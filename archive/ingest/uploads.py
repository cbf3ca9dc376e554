"""The way in for every upload: bytes are stored first, then a worker is told; and the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction

from archive.ingest import store, tasks
from archive.ingest.entries import UNSHOWN
from archive.models import Upload

NAME_LIMIT = 255

DELETE_SECONDS = 2.0
"""What takes longer to delete is deleted by a worker."""


def clean_name(name: str) -> str:
    """A file's name as it may be shown: its last part, without what cannot be seen; never a path."""
    last = re.split(r"[/\\]", name)[-1]
    return UNSHOWN.sub("", last).strip()[:NAME_LIMIT] or "record"


def receive(
    name: str, chunks: Iterable[bytes], user: AbstractBaseUser | AnonymousUser | None, source: str
) -> tuple[Upload, bool]:
    """Store an upload as it came and tell a worker; (upload, whether it is new).

    The same bytes from the same uploader are the same upload. `source` is the way it came: api, web, admin
    or sample. Raises `store.UploadTooLarge` beyond ARCHIVE_MAX_UPLOAD_BYTES and `store.UploadEmpty` for no
    bytes at all; nothing is stored then.
    """
    uploader = user if user is not None and user.is_authenticated else None
    upload, created = store.create_upload(clean_name(name), chunks, uploader=uploader, source=source)
    if created:
        tasks.enqueue(upload.pk, upload.size)
    return upload, created


def withdraw(upload_id: int, seconds: float | None = None) -> bool:
    """Delete an upload with the games that nobody else has sent; whether it is gone, or a worker goes on
    after so many seconds (`DELETE_SECONDS`)."""
    if store.delete_upload(upload_id, DELETE_SECONDS if seconds is None else seconds):
        return True
    transaction.on_commit(partial(tasks.send_deletion, upload_id), robust=True)
    return False


def read_again(upload_id: int) -> bool:
    """Have an upload read anew from its bytes; whether it had ended."""
    again = store.reread(upload_id)
    if again:
        tasks.enqueue(upload_id, tasks.BULK_BYTES)
    return again
