"""Leases of work: claim uploads, hand them over, and find those without a worker.

Only `archive.store` uses these. Each function is a transaction of its own.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Max, Q, QuerySet, When
from django.utils import timezone

from archive.models import Entry, Upload
from archive.models.uploads import READING
from archive.store import deletion

CLAIM_SECONDS: Final = settings.CLAIM_SECONDS
"""How long a claim lasts after each committed batch."""

TRIES_LIMIT: Final = 10
"""Claims without a committed batch between them after which an upload is given up."""

MOST_SWEPT: Final = 1000
"""The limit of uploads that one sweep sends again."""

SMALL_BYTES: Final = 64 * 1024
"""Uploads up to this size are processed together with others."""

FIRST_MOVED_SEQ: Final = 1 << 26
"""From this `seq` on are entries of an earlier reading whose numbers are used by other entries now."""

MOST_QUEUE_PLACES: Final = 1_000
"""Uploads whose place in the queue is shown."""

MOST_TOGETHER: Final = 100
"""The limit of small uploads that are claimed together."""


class RenumberedError(Exception):
    """These uploads have other entries than at their earlier reading, because of other limits or another
    version of the program. Nothing was written."""

    def __init__(self, uploads: Collection[int]) -> None:
        super().__init__(*uploads)
        self.uploads = uploads


def unfinished() -> QuerySet[Upload]:
    """Return the uploads that need work."""
    return Upload.objects.filter(state__in=[Upload.State.RECEIVED, Upload.State.PROCESSING])


def queue() -> list[int]:
    """Return the first `MOST_QUEUE_PLACES` uploads that need work, in order of arrival."""
    return list(unfinished().order_by("received", "pk").values_list("pk", flat=True)[:MOST_QUEUE_PLACES])


def is_small(size: int) -> bool:
    """Return whether an upload of this size is processed together with others."""
    return size <= SMALL_BYTES


def holds(ids: Collection[int], token: str) -> bool:
    """Return whether all of these uploads are claimed with this token."""
    return claimed(ids, token).count() == len(ids)


def claimed(ids: Collection[int], token: str) -> QuerySet[Upload]:
    """Return the uploads among these that are claimed with this token."""
    return unfinished().filter(pk__in=ids, claimed_by=token)


def claim(upload_id: int, token: str) -> bool:
    """Claim an unfinished upload without a valid claim of others; return whether that succeeded.

    A claim ends `CLAIM_SECONDS` after the last stored batch.
    """
    now = timezone.now()
    mine = Q(claimed_by__isnull=True) | Q(claimed_by=token)
    return bool(_take(unfinished().filter(deletion.unclaimed(now) | mine, pk=upload_id), token, now))


_FRESH: Final = Q(tries=0, claimed_by__isnull=True)
"""The condition for uploads that no worker has claimed yet."""


def _small() -> QuerySet[Upload]:
    return unfinished().filter(size__lte=SMALL_BYTES)


def longest_waiting() -> int | None:
    """Return the id of the small upload that waits longest for its first claim."""
    in_order = _small().filter(_FRESH).order_by("received", "pk")
    return in_order.values_list("pk", flat=True).first()


def claim_others(upload: Upload, token: str) -> list[Upload]:
    """Claim other small uploads that wait, to process them together with a small one.

    Leaves out uploads whose worker was lost, because they may have ended it, and those that others are
    claiming.
    """
    if not is_small(upload.size) or upload.tries > 1:
        return []
    now = timezone.now()
    waiting = _small().filter(_FRESH | Q(claimed_by=token)).exclude(pk=upload.pk)
    if not waiting.exists():
        return []
    with transaction.atomic():
        locked = waiting.order_by("pk").select_for_update(skip_locked=True)
        ids = list(locked.values_list("pk", flat=True)[: MOST_TOGETHER - 1])
        _take(Upload.objects.filter(pk__in=ids), token, now)
    return list(claimed(ids, token).order_by("pk"))


def _take(free: QuerySet[Upload], token: str, now: datetime) -> int:
    return free.update(
        claimed_by=token,
        claimed_until=now + timedelta(seconds=CLAIM_SECONDS),
        state=Upload.State.PROCESSING,
        # A worker that renews its own claim has not died.
        tries=Case(When(claimed_by=token, then=F("tries")), default=F("tries") + 1),
    )


def uncount_try(ids: Collection[int]) -> None:
    """Subtract the last try of uploads whose claims were lost: their worker has not died."""
    unfinished().filter(pk__in=ids, tries__gt=0).update(tries=F("tries") - 1)


def hand_over(ids: Collection[int], token: str) -> list[int]:
    """Give uploads back unfinished; return those that were still claimed. The caller sends messages about
    them, which the sweeper waits for."""
    ours = list(claimed(ids, token).order_by("pk").values_list("pk", flat=True)) if ids else []
    if ours:
        until = timezone.now() + timedelta(seconds=settings.MESSAGE_SECONDS)
        claimed(ours, token).update(claimed_by=None, claimed_until=until, tries=F("tries") - 1)
    return ours


def finish(upload_id: int, token: str) -> bool:
    """Finish an upload whose entries are all stored, and remove entries that only an earlier reading had;
    return whether the claim was still valid."""
    mine = claimed([upload_id], token)
    if not mine.exists():
        return False
    deletion.remove_unread(upload_id)
    return bool(mine.update(**ended()))


def ended() -> dict[str, object]:
    """Return the columns of a finished upload."""
    return {
        "state": Upload.State.DONE, "reason": None, "finished": timezone.now(),
        "claimed_by": None, "claimed_until": None,
    }  # fmt: skip


def sweep() -> list[int]:
    """Return the ids of uploads that need work and that nobody works on, oldest first.

    An upload with `TRIES_LIMIT` tries without progress fails.
    """
    now = timezone.now()
    unclaimed = unfinished().filter(deletion.unclaimed(now))
    unclaimed.filter(tries__gte=TRIES_LIMIT).update(
        state=Upload.State.FAILED,
        reason={"code": "gave-up", "params": {"tries": TRIES_LIMIT}},
        claimed_by=None,
        claimed_until=None,
        finished=now,
    )
    patience = timedelta(seconds=settings.MESSAGE_SECONDS)
    waited = Q(state=Upload.State.PROCESSING) | Q(received__lt=now - patience)
    uploads = list(unclaimed.filter(waited).order_by("received", "pk")[:MOST_SWEPT])
    for upload in uploads:
        # Messages of busy workers wait long, so the interval doubles each time.
        again = now + max(patience, now - upload.received)
        unclaimed.filter(pk=upload.pk).update(claimed_by=None, claimed_until=again)
    return [upload.pk for upload in uploads]


def retry(upload_id: int) -> bool:
    """Have the failed entries of a finished upload read again; return whether there were any. Stored entries
    stay unchanged."""
    with transaction.atomic():
        done = Upload.objects.filter(pk=upload_id, state__in=[Upload.State.DONE, Upload.State.FAILED])
        failures = Entry.objects.filter(upload__in=done, state=Entry.State.FAILED)
        if not failures.exists() and not done.filter(state=Upload.State.FAILED).exists():
            return False
        failures.delete()
        again = done.update(state=Upload.State.RECEIVED, reason=None, tries=0, finished=None)
    return bool(again)


def reread_renumbered(ids: Collection[int], token: str) -> None:
    """Reread claimed uploads as `reread` does, but match entries and rows by path and index. For that the
    rows are moved behind all new numbers."""
    with transaction.atomic():
        for upload in claimed(ids, token).select_for_update().order_by("pk"):
            rows = Entry.objects.filter(upload=upload)
            last = rows.aggregate(last=Max("seq"))["last"] or 0
            # In two steps, so that no two rows ever have the same number.
            rows.filter(seq__lt=FIRST_MOVED_SEQ).update(seq=-1 - F("seq"))
            rows.filter(seq__lt=0).update(seq=max(FIRST_MOVED_SEQ, last + 1) - 1 - F("seq"))
            Upload.objects.filter(pk=upload.pk).update(rereads=F("rereads") + 1)


def reread(upload_id: int) -> bool:
    """Have a finished upload read again from its first byte; return whether it was finished. Its games change
    in place and keep their ids (`archive.store.rereading`)."""
    done = Upload.objects.filter(pk=upload_id, state__in=[Upload.State.DONE, Upload.State.FAILED])
    again = {"state": Upload.State.RECEIVED, "reason": None, "tries": 0, "finished": None}
    return bool(done.update(rereads=F("rereads") + 1, reader=READING, **again))
