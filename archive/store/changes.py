"""The order in which changes of games become visible, for those who copy the archive."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

from django.db import connection, transaction
from django.db.models import Max

from archive.models import Arrival, GameChange

CHANGES_AT_ONCE: Final = 1_000
_ORDER_BITS: Final = 62 - GameChange.COUNT_BITS

_NUMBER: Final = "UPDATE {table} SET number = %s WHERE id = %s"
_DELETE_REPLACED: Final = """
    DELETE FROM archive_gamechange WHERE id IN (
        SELECT o.id FROM archive_gamechange n
        JOIN archive_gamechange o ON o.game = n.game AND o.space = n.space AND o.number < n.number
        WHERE n.number > %s
    )
"""


def number_committed(
    model: type[Arrival | GameChange], last_number: Callable[[], int], limit: int = CHANGES_AT_ONCE
) -> int:
    """Give up to `limit` committed rows the next numbers after `last_number()`; return how many there were.

    Transactions that insert rows end in any order, so ids have gaps that are filled later. Only committed
    rows are numbered, by one process at a time: a reader of all rows up to a number has missed none. Another
    process that does the same waits for the rows, which then have numbers.
    """
    if not model._default_manager.filter(number=None).exists():
        return 0
    with transaction.atomic():
        new = model._default_manager.select_for_update().filter(number=None).order_by("id")
        ids = list(new.values_list("id", flat=True)[:limit])
        if ids:
            last = last_number()
            numbers = [(last + at, pk) for at, pk in enumerate(ids, start=1)]
            with connection.cursor() as cursor:
                cursor.executemany(_NUMBER.format(table=model._meta.db_table), numbers)
    return len(ids)


def number_changes(limit: int = CHANGES_AT_ONCE) -> int:
    """Number up to `limit` committed changes, and delete those that they replace; return how many there
    were."""
    with transaction.atomic():
        count = number_committed(GameChange, _last_change, limit)
        if count:
            connection.cursor().execute(_DELETE_REPLACED, [_last_change() - count])
    return count


def _last_change() -> int:
    last = GameChange.objects.aggregate(last=Max("number"))["last"]
    return secrets.randbits(_ORDER_BITS) << GameChange.COUNT_BITS if last is None else int(last)


def restart_changes() -> None:
    """Begin a new order with all stored games, after a restoration."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM archive_gamechange")
        cursor.execute("INSERT INTO archive_gamechange (game, space) SELECT id, space FROM archive_game")
