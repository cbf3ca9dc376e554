"""Receives uploads, whose bytes are stored before a worker reads them, and withdraws them."""

import logging
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.utils import DatabaseError

from archive import store
from archive.index.availability import UndecidedError, is_unreachable
from archive.intake import tasks
from archive.intake.walk import clean_name
from archive.models import Upload
from archive.observing import logs
from kifu_core.classes import PUBLIC

log = logging.getLogger(__name__)

DELETE_SECONDS = 1.0
"""The time limit of a request for a deletion; then a worker continues."""

_deleting = threading.Lock()
"""One request of a process deletes at a time, so that deletions do not occupy all of its threads."""


def receive(
    name: str,
    chunks: Iterable[bytes],
    user: AbstractBaseUser | AnonymousUser | None,
    source: str,
    sender: str = "",
    space: int = PUBLIC,
    games_counter: str = "",
) -> tuple[Upload, bool]:
    """Store an upload and send a worker a message; return it, and whether it is new.

    The same bytes from the same uploader are the same upload. `source` is api, web, admin or sample; `sender`
    is the key of a session without an account (`permissions.sender_key`); `games_counter` is the key of the
    counter to which its games are added (`archive.http.limits.throttling`). With ARCHIVE_ANONYMOUS_WAITS,
    uploads of strangers wait for a curator. Raises `store.UploadTooLarge` beyond ARCHIVE_MAX_UPLOAD_BYTES and
    `store.UploadEmpty` without any bytes; then nothing is stored.
    """
    uploader = user if user is not None and user.is_authenticated else None
    waits = settings.ARCHIVE_ANONYMOUS_WAITS and uploader is None
    upload, created = store.create_upload(
        clean_name(name), chunks, uploader, source, sender, space, games_counter, waits=waits
    )
    with logs.context(upload=upload.pk):
        log.info("upload %d is %s", upload.pk, "received" if created else "known")
    if created and not waits:
        tasks.enqueue(upload.pk, upload.size)
    return upload, created


def admit(ids: Collection[int]) -> int:
    """Admit uploads that wait for a curator, and send messages about them; return their number."""
    let_in = store.admit(ids)
    for pk in let_in:
        tasks.enqueue(pk)
    return len(let_in)


def withdraw(upload_id: int, seconds: float | None = None) -> bool:
    """Hide an upload and delete it with the games that only it has; return whether the deletion is finished.

    This request deletes for at most `seconds` (`DELETE_SECONDS`), unless another one is deleting; then a
    worker continues.
    """
    store.begin_deletion(upload_id)
    limit = DELETE_SECONDS if seconds is None else seconds
    if limit > 0 and _deleting.acquire(blocking=False):
        try:
            if store.delete_upload(upload_id, limit):
                return True
        except (UndecidedError, DatabaseError) as error:
            if not isinstance(error, UndecidedError) and not is_unreachable(error):
                raise
            log.warning("upload %d is deleted later: %s", upload_id, error)
        finally:
            _deleting.release()
    transaction.on_commit(partial(tasks.send_deletion, upload_id), robust=True)
    return False


def withdraw_later(upload_ids: Sequence[int]) -> None:
    """Hide uploads, and delete them once the transaction is committed. All together take no longer than one;
    then workers continue."""
    for upload_id in upload_ids:
        store.begin_deletion(upload_id)
    transaction.on_commit(partial(_withdraw_all, upload_ids))


def _withdraw_all(upload_ids: Sequence[int]) -> None:
    until = time.monotonic() + DELETE_SECONDS
    for upload_id in upload_ids:
        withdraw(upload_id, until - time.monotonic())


def reread(upload_id: int) -> bool:
    """Have an upload reread from its bytes; return whether it was finished."""
    again = store.reread(upload_id)
    if again:
        tasks.enqueue(upload_id, tasks.BULK_BYTES)
    return again
