"""The progress of uploads, counted by their entries; and the uploads of a sender."""

from collections.abc import Collection
from typing import Any, Final

from django.db.models import Count, F, QuerySet

from archive.models import Entry, Sender, Upload
from archive.queries.games.totals import Total
from archive.queries.scope import Scope


def entry_counts(scope: Scope, upload_id: int) -> dict[str, int]:
    """Count the entries of an upload by state, including states without entries."""
    return counts_of_uploads(scope, [upload_id])[upload_id]


def counts_of_uploads(scope: Scope, upload_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """Count the entries of each upload by state, including states without entries."""
    counts = {upload_id: dict.fromkeys(Entry.State.values, 0) for upload_id in upload_ids}
    found = Entry.objects.filter(upload_id__in=upload_ids, upload__space__in=scope.spaces).order_by()
    for upload_id, state, number in found.values_list("upload_id", "state").annotate(Count("pk")):
        counts[upload_id][state] = number
    return counts


COUNT_LIMIT: Final = 1_000
"""Uploads of one sender that are counted."""


def uploads_of(scope: Scope, user_id: int | None, key: str, before: int | None, limit: int) -> list[Upload]:
    """Return the uploads of an account, or of a session by its key, with ids before one; the newest first."""
    pks: set[int] = set()
    for numbers in _sent_by(scope, user_id, key):
        pks |= {*(numbers if before is None else numbers.filter(number__lt=before))[:limit]}
    return list(Upload.objects.filter(pk__in=sorted(pks, reverse=True)[:limit]).order_by("-pk"))


def number_of_uploads(scope: Scope, user_id: int | None, key: str) -> Total:
    """Count the uploads of an account, or of a session by its key, up to `COUNT_LIMIT`."""
    number = sum(len(numbers[: COUNT_LIMIT + 1]) for numbers in _sent_by(scope, user_id, key))
    return Total(number) if number <= COUNT_LIMIT else Total(COUNT_LIMIT, exact=False)


def _sent_by(scope: Scope, user_id: int | None, key: str) -> list[QuerySet[Any, Any]]:
    """Return queries for the ids of uploads by account and by session, each the newest first."""
    queries: list[QuerySet[Any, Any]] = []
    if user_id is not None:
        own = Upload.objects.filter(uploader=user_id, space__in=scope.spaces)
        queries.append(own.exclude(state=Upload.State.DELETING).annotate(number=F("pk")))
    if key:
        sent = Sender.objects.filter(key=key).exclude(upload__state=Upload.State.DELETING)
        queries.append(sent.annotate(number=F("upload_id")))
    return [query.order_by("-number").values_list("number", flat=True) for query in queries]
