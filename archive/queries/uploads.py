"""How far the work on an upload is, counted from its entries."""

from __future__ import annotations

from django.db.models import Count

from archive.models import Entry


def entry_counts(upload_id: int) -> dict[str, int]:
    """Entries by state; every state is there."""
    counts = dict.fromkeys(Entry.State.values, 0)
    found = Entry.objects.filter(upload_id=upload_id).order_by().values_list("state").annotate(Count("pk"))
    return counts | dict(found)
