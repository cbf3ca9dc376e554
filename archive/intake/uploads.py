"""The way in for every upload: bytes are stored first, then a worker is told; and the way out."""

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
from archive.index.away import UndecidedError, is_away
from archive.intake import tasks
from archive.intake.walk.entries import clean_name
from archive.models import Upload
from archive.observing import logs
from kifu_core.classes import PUBLIC

log = logging.getLogger(__name__)

DELETE_SECONDS = 1.0
"""What takes longer to delete is deleted by a worker."""

_deleting = threading.Lock()
"""One request of a process deletes at a time: many at once would keep all its threads from everybody else."""


def receive(
    name: str,
    chunks: Iterable[bytes],
    user: AbstractBaseUser | AnonymousUser | None,
    source: str,
    sender: str = "",
    space: int = PUBLIC,
    payer: str = "",
) -> tuple[Upload, bool]:
    """Store an upload as it came and tell a worker; return it, and whether it is new.

    With `ARCHIVE_ANONYMOUS_WAITS`, uploads of strangers wait for a curator. `payer` is the counter for the
    games that come of it (`archive.http.limits.throttling`).

    The same bytes from the same uploader are the same upload. `source` is the way it came: api, web, admin or
    sample; `sender` is the key of a session without an account (`access.sender_key`). Raises
    `store.UploadTooLarge` beyond ARCHIVE_MAX_UPLOAD_BYTES and `store.UploadEmpty` without any bytes; then
    nothing is stored.
    """
    uploader = user if user is not None and user.is_authenticated else None
    waits = settings.ARCHIVE_ANONYMOUS_WAITS and uploader is None
    upload, created = store.create_upload(
        clean_name(name), chunks, uploader, source, sender, space, payer, waits=waits
    )
    with logs.about(upload=upload.pk):
        log.info("upload %d is %s", upload.pk, "received" if created else "known")
    if created and not waits:
        tasks.enqueue(upload.pk, upload.size)
    return upload, created


def admit(ids: Collection[int]) -> int:
    """Let in uploads that wait for a curator, and tell a worker of each; return how many there were."""
    let_in = store.admit(ids)
    for pk in let_in:
        tasks.enqueue(pk)
    return len(let_in)


def withdraw(upload_id: int, seconds: float | None = None) -> bool:
    """Delete an upload with the games that nobody else has sent; return whether it is gone for good.

    From now on nobody sees it. Its rows are deleted at once for up to so many seconds (`DELETE_SECONDS`), if
    no other request is doing the same; then a worker goes on.
    """
    store.begin_deletion(upload_id)
    limit = DELETE_SECONDS if seconds is None else seconds
    if limit > 0 and _deleting.acquire(blocking=False):
        try:
            if store.delete_upload(upload_id, limit):
                return True
        except UndecidedError as error:
            log.warning("upload %d is deleted later: %s", upload_id, error)
        except DatabaseError as error:
            if not is_away(error):
                raise
            log.warning("upload %d is deleted later: %s", upload_id, error)
        finally:
            _deleting.release()
    transaction.on_commit(partial(tasks.send_deletion, upload_id), robust=True)
    return False


def withdraw_later(upload_ids: Sequence[int]) -> None:
    """Let nobody see these uploads any more, and delete them once the transaction is committed: all together
    take no longer than one, then workers go on."""
    for upload_id in upload_ids:
        store.begin_deletion(upload_id)
    transaction.on_commit(partial(_withdraw_all, upload_ids))


def _withdraw_all(upload_ids: Sequence[int]) -> None:
    until = time.monotonic() + DELETE_SECONDS
    for upload_id in upload_ids:
        withdraw(upload_id, until - time.monotonic())


def reread(upload_id: int) -> bool:
    """Have an upload reread from its bytes; return whether it had ended."""
    again = store.reread(upload_id)
    if again:
        tasks.enqueue(upload_id, tasks.BULK_BYTES)
    return again
