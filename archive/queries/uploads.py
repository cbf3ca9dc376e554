"""How far the work on an upload is, counted from its entries."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Count

from archive.models import Entry


def entry_counts(upload_id: int) -> dict[str, int]:
    """Entries by state; every state is there."""
    return counts_of_uploads([upload_id])[upload_id]


def counts_of_uploads(upload_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """Entries by state for each upload; every state is there."""
    counts = {upload_id: dict.fromkeys(Entry.State.values, 0) for upload_id in upload_ids}
    found = Entry.objects.filter(upload_id__in=upload_ids).order_by()
    for upload_id, state, number in found.values_list("upload_id", "state").annotate(Count("pk")):
        counts[upload_id][state] = number
    return counts
