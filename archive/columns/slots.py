"""Slots that files of columns are still to have, and slots that are no game's any more.

Each function is called in the transaction that gives or takes the slots.
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
"""Slots that a statement names."""

_WAIT: Final = "INSERT INTO archive_columnwaiting (slot, space, lines, since) VALUES {places}"
_COME: Final = "DELETE FROM archive_columnwaiting WHERE id IN ({places})"
_TAKE_BACK: Final = "DELETE FROM archive_columnwaiting WHERE slot IN ({places}) RETURNING slot"
_EVERY: Final = """
    INSERT INTO archive_columnwaiting (slot, space, since)
    SELECT slot, space, CURRENT_TIMESTAMP FROM archive_game WHERE kind = %s ORDER BY slot
    ON CONFLICT (slot) DO NOTHING
"""


def wait(games: Iterable[tuple[int, int, bytes | None]]) -> None:
    """Note that games have come, each by its slot and its space, with its packed lines where known."""
    with connection.cursor() as cursor:
        for part in parts([*games]):
            places = ", ".join(["(%s, %s, %s, CURRENT_TIMESTAMP)"] * len(part))
            cursor.execute(_WAIT.format(places=places), [*chain.from_iterable(part)])


def have_come(rows: Sequence[int]) -> None:
    """Note that the games that waited by these rows wait no more."""
    with connection.cursor() as cursor:
        for part in parts(rows):
            cursor.execute(_COME.format(places=", ".join(["%s"] * len(part))), part)


def leave(slots: Iterable[tuple[int, int]]) -> None:
    """Note that slots are no game's any more, each with the space that it had: no question finds them from
    the commit on."""
    spaces, waited = dict(slots), set[int]()
    with connection.cursor() as cursor:
        for part in parts(sorted(spaces)):
            cursor.execute(_TAKE_BACK.format(places=", ".join(["%s"] * len(part))), part)
            waited.update(slot for (slot,) in cursor.fetchall())
    ColumnGone.objects.bulk_create(
        [ColumnGone(slot=slot, space=spaces[slot], waited=slot in waited) for slot in sorted(spaces)]
    )


def start_over() -> None:
    """Note that every game of shogi is still to come into a file, and that those there are are of no use."""
    ColumnSegment.objects.filter(retired=None).update(retired=timezone.now())
    ColumnWaiting.objects.all().delete()
    ColumnGone.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(_EVERY, [SHOGI.name])


def parts(slots: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield slots in parts that a statement can name."""
    for start in range(0, len(slots), A_STATEMENT):
        yield slots[start : start + A_STATEMENT]
