"""How far the work on an upload is, counted from its entries; and who sent which."""

from collections.abc import Collection
from typing import Any, Final

from django.db.models import Count, F, QuerySet

from archive.models import Entry, Sender, Upload
from archive.queries.games.totals import Total
from archive.queries.scope import Scope


def entry_counts(scope: Scope, upload_id: int) -> dict[str, int]:
    """Count the entries of an upload by state; every state is there."""
    return counts_of_uploads(scope, [upload_id])[upload_id]


def counts_of_uploads(scope: Scope, upload_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """Count the entries of each upload by state; every state is there."""
    counts = {upload_id: dict.fromkeys(Entry.State.values, 0) for upload_id in upload_ids}
    found = Entry.objects.filter(upload_id__in=upload_ids, upload__space__in=scope.spaces).order_by()
    for upload_id, state, number in found.values_list("upload_id", "state").annotate(Count("pk")):
        counts[upload_id][state] = number
    return counts


COUNTED_TO: Final = 1_000
"""Uploads of one sender that are counted."""


def uploads_of(scope: Scope, user_id: int | None, key: str, before: int | None, limit: int) -> list[Upload]:
    """Return the uploads below an id that an account, or a session by its key, has sent, the newest first."""
    found: set[int] = set()
    for numbers in _sent_by(scope, user_id, key):
        found |= {*(numbers if before is None else numbers.filter(number__lt=before))[:limit]}
    chosen = sorted(found, reverse=True)[:limit]
    return list(Upload.objects.filter(pk__in=chosen).order_by("-pk"))


def number_of_uploads(scope: Scope, user_id: int | None, key: str) -> Total:
    """Count the uploads that an account, or a session by its key, has sent, up to `COUNTED_TO`."""
    number = sum(len(numbers[: COUNTED_TO + 1]) for numbers in _sent_by(scope, user_id, key))
    return Total(number) if number <= COUNTED_TO else Total(COUNTED_TO, exact=False)


def _sent_by(scope: Scope, user_id: int | None, key: str) -> list[QuerySet[Any, Any]]:
    """Return the numbers of uploads by account and by session, each the newest first."""
    found: list[QuerySet[Any, Any]] = []
    if user_id is not None:
        mine = Upload.objects.filter(uploader=user_id, space__in=scope.spaces).exclude(
            state=Upload.State.DELETING
        )
        found.append(mine.annotate(number=F("pk")).order_by("-pk").values_list("number", flat=True))
    if key:
        sent = Sender.objects.filter(key=key).exclude(upload__state=Upload.State.DELETING)
        found.append(
            sent.annotate(number=F("upload_id")).order_by("-upload_id").values_list("number", flat=True)
        )
    return found
