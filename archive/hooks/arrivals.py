"""The order in which games become visible: numbers that only grow.

Transactions that insert games end in any order, so the ids of games and arrivals have gaps that are filled
later. A number is given to what is committed, by one at a time: who has read up to a number has missed none.
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
"""So long arrivals are kept for hooks: longer than one may fail before it is switched off."""
UNUSED: Final = timedelta(hours=1)
"""So long where there are no hooks."""

_NUMBER: Final = "UPDATE archive_arrival SET number = %s WHERE id = %s"


def number_arrivals(limit: int = AT_ONCE) -> int:
    """Number arrivals that are committed, up to so many; return how many there were.

    Whoever does so at the same time waits for the rows, and finds that they have numbers.
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
    """Return the highest number that was ever given, also where its arrival is forgotten."""
    given = Arrival.objects.aggregate(last=Max("number"))["last"] or 0
    read = Hook.objects.aggregate(last=Max("marker"))["last"] or 0
    return max(given, read)


def forget_arrivals() -> int:
    """Delete arrivals that are too old for any hook; return how many. Of games that were moved they stay:
    feeds tell when that was."""
    age = timedelta(days=DAYS) if Hook.objects.exists() else UNUSED
    old = Arrival.objects.filter(moved=False, at__lt=timezone.now() - age).order_by("id")
    ids = list(old.values_list("id", flat=True)[: 10 * AT_ONCE])
    return Arrival.objects.filter(id__in=ids).delete()[0] if ids else 0
