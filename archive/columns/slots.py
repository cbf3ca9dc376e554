"""Queues of slots to add to column files and of slots to remove from them.

Call each function in the transaction that assigns or frees the slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from django.db import connection
from django.utils import timezone

from archive.models import ColumnGone, ColumnSegment, ColumnWaiting
from kifu_core.games import SHOGI

T = TypeVar("T")

A_STATEMENT: Final = 500
"""Slots in one statement."""

_ADD: Final = "INSERT INTO archive_columnwaiting (slot, space, lines, since) VALUES {places}"
_REMOVE: Final = "DELETE FROM archive_columnwaiting WHERE id IN ({places})"
_REMOVE_SLOTS: Final = "DELETE FROM archive_columnwaiting WHERE slot IN ({places}) RETURNING slot"
_ADD_ALL: Final = """
    INSERT INTO archive_columnwaiting (slot, space, since)
    SELECT slot, space, CURRENT_TIMESTAMP FROM archive_game WHERE kind = %s ORDER BY slot
    ON CONFLICT (slot) DO NOTHING
"""


def add_waiting(games: Iterable[tuple[int, int, bytes | None]]) -> None:
    """Add games to the waiting ones: slot, space, and packed lines if known."""
    with connection.cursor() as cursor:
        for part in chunks([*games]):
            places = ", ".join(["(%s, %s, %s, CURRENT_TIMESTAMP)"] * len(part))
            cursor.execute(_ADD.format(places=places), [*chain.from_iterable(part)])


def remove_waiting(rows: Sequence[int]) -> None:
    """Remove games from the waiting ones, by their row ids."""
    with connection.cursor() as cursor:
        for part in chunks(rows):
            cursor.execute(_REMOVE.format(places=", ".join(["%s"] * len(part))), part)


def mark_gone(slots: Iterable[tuple[int, int]]) -> None:
    """Mark slots as freed, each with its former space: from the commit on searches leave them out."""
    spaces, waited = dict(slots), set[int]()
    with connection.cursor() as cursor:
        for part in chunks(sorted(spaces)):
            cursor.execute(_REMOVE_SLOTS.format(places=", ".join(["%s"] * len(part))), part)
            waited.update(slot for (slot,) in cursor.fetchall())
    ColumnGone.objects.bulk_create(
        [ColumnGone(slot=slot, space=spaces[slot], waited=slot in waited) for slot in sorted(spaces)]
    )


def rebuild_all() -> None:
    """Retire all files, and add every game of shogi to the waiting ones."""
    ColumnSegment.objects.filter(retired=None).update(retired=timezone.now())
    ColumnWaiting.objects.all().delete()
    ColumnGone.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(_ADD_ALL, [SHOGI.name])


def chunks(slots: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield slots in chunks of `A_STATEMENT`."""
    for start in range(0, len(slots), A_STATEMENT):
        yield slots[start : start + A_STATEMENT]
