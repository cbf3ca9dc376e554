"""The order in which games become visible: arrivals get ascending numbers.

See `archive.store.changes.number_committed`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models import Max
from django.utils import timezone

from archive import store
from archive.models import Arrival, Hook

DAYS: Final = 14
"""Days for which arrivals are stored for hooks: more than those after which a failing hook is switched
off."""
UNUSED: Final = timedelta(hours=1)
"""The same without any hooks."""


def number_arrivals(limit: int = store.CHANGES_AT_ONCE) -> int:
    """Number up to `limit` committed arrivals; return how many there were."""
    return store.number_committed(Arrival, last_number, limit)


def last_number() -> int:
    """Return the highest number ever used, also by a deleted arrival."""
    stored = Arrival.objects.aggregate(last=Max("number"))["last"] or 0
    read = Hook.objects.aggregate(last=Max("marker"))["last"] or 0
    return max(stored, read)


def delete_old_arrivals() -> int:
    """Delete arrivals that no hook needs any more; return how many. Those of moved games stay, for feeds."""
    age = timedelta(days=DAYS) if Hook.objects.exists() else UNUSED
    old = Arrival.objects.filter(moved=False, at__lt=timezone.now() - age).order_by("id")
    ids = list(old.values_list("id", flat=True)[: 10 * store.CHANGES_AT_ONCE])
    return Arrival.objects.filter(id__in=ids).delete()[0] if ids else 0
