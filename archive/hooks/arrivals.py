"""The order in which games become visible: arrivals get ascending numbers.

Transactions that insert games end in any order, so the ids of games and arrivals have gaps that are filled
later. Only committed arrivals are numbered, by one process at a time: a reader of all up to a number has
missed none.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from archive.models import Arrival, Hook

AT_ONCE: Final = 1_000
DAYS: Final = 14
"""Days for which arrivals are stored for hooks: more than those after which a failing hook is switched
off."""
UNUSED: Final = timedelta(hours=1)
"""The same without any hooks."""

_NUMBER: Final = "UPDATE archive_arrival SET number = %s WHERE id = %s"


def number_arrivals(limit: int = AT_ONCE) -> int:
    """Number up to `limit` committed arrivals; return how many there were.

    Another process that does the same waits for the rows, which then have numbers.
    """
    with transaction.atomic():
        new = Arrival.objects.select_for_update().filter(number=None).order_by("id")
        ids = list(new.values_list("id", flat=True)[:limit])
        if ids:
            last = last_number()
            with connection.cursor() as cursor:
                cursor.executemany(_NUMBER, [(last + at, pk) for at, pk in enumerate(ids, start=1)])
    return len(ids)


def last_number() -> int:
    """Return the highest number ever used, also by a deleted arrival."""
    stored = Arrival.objects.aggregate(last=Max("number"))["last"] or 0
    read = Hook.objects.aggregate(last=Max("marker"))["last"] or 0
    return max(stored, read)


def delete_old_arrivals() -> int:
    """Delete arrivals that no hook needs any more; return how many. Those of moved games stay, for feeds."""
    age = timedelta(days=DAYS) if Hook.objects.exists() else UNUSED
    old = Arrival.objects.filter(moved=False, at__lt=timezone.now() - age).order_by("id")
    ids = list(old.values_list("id", flat=True)[: 10 * AT_ONCE])
    return Arrival.objects.filter(id__in=ids).delete()[0] if ids else 0
