"""Counters of hot keys. Every transaction that changes rows updates them: they equal a GROUP BY over the
rows.

A row counts as rated if its game has a rating of the side to move.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.backends.utils import CursorWrapper

from archive.index import part_counters, schema
from archive.index.engine import engine
from archive.index.schema import CounterKey, IndexRow, mover
from archive.project.reading import connection

Ratings = Mapping[tuple[int, int], int]
"""Known ratings by slot and colour."""

Counter = tuple[int, ...]
"""The columns of a counter: those of `CounterKey`, n, rated, rating_sum, last_played."""

Delta = list[int]
"""n, rated and rating_sum to add, and the last day among the added rows."""

_COUNTED: Final = "o.key, o.flags, o.move, o.result"
_GROUPED: Final = f"""
    SELECT {_COUNTED}, count(*), count(p.rating), coalesce(sum(p.rating), 0), max(o.played)
    FROM ({{rows}}) o
    LEFT JOIN archive_gameplayer p ON p.slot = o.slot AND p.colour = (o.key & 2) / 2
    GROUP BY {_COUNTED} ORDER BY {_COUNTED}
"""
_ROWS: Final = (
    "SELECT d.key, d.flags, d.move, d.result, d.played, d.slot FROM archive_occurrence d WHERE d.key = %s"
)
_ROW: Final = ("key", "flags", "move", "result", "played", "slot")
_COLUMNS: Final = "key, flags, move, result, n, rated, rating_sum, last_played"
_KEYS: Final = "SELECT key FROM archive_hotposition UNION SELECT key FROM archive_hotmove ORDER BY key"
_ADD: Final = f"""
    INSERT INTO archive_hotmove AS h ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (key, flags, move, result) DO UPDATE SET
        n = h.n + excluded.n,
        rated = h.rated + excluded.rated,
        rating_sum = h.rating_sum + excluded.rating_sum,
        last_played = CASE WHEN excluded.last_played > h.last_played
            THEN excluded.last_played ELSE h.last_played END
"""
_THIS: Final = "key = %s AND flags = %s AND move = %s AND result = %s"
_DROP_EMPTY: Final = f"DELETE FROM archive_hotmove WHERE {_THIS} AND n = 0"
_LAST_AGAIN: Final = f"""
    UPDATE archive_hotmove SET last_played = (
        SELECT coalesce(max(o.played), 0) FROM archive_occurrence o
        WHERE o.key = %s AND o.flags = %s AND o.move = %s AND o.result = %s
    ) WHERE {_THIS} AND last_played = %s
"""
_FILL: Final = f"INSERT INTO archive_hotmove ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
_STORED: Final = f"SELECT {_COLUMNS} FROM archive_hotmove WHERE key = %s ORDER BY key, flags, move, result"
_EMPTY: Final = "DELETE FROM archive_hotmove WHERE key = %s"
_MARK: Final = "INSERT INTO archive_hotposition (key, code) VALUES (%s, %s) ON CONFLICT (key) DO NOTHING"


def tally(
    added: Iterable[IndexRow], removed: Iterable[IndexRow], ratings: Ratings
) -> dict[CounterKey, Delta]:
    """Return by how much added and removed rows change their counters."""
    deltas: dict[CounterKey, Delta] = {}
    for rows, sign in ((added, 1), (removed, -1)):
        for row in rows:
            delta = deltas.setdefault(row.counter, [0, 0, 0, 0])
            rating = ratings.get((row.slot, mover(row.key)))
            delta[0] += sign
            if rating is not None:
                delta[1] += sign
                delta[2] += sign * rating
            if sign > 0:
                delta[3] = max(delta[3], row.played)
    return deltas


def update(
    cursor: CursorWrapper,
    added: Sequence[IndexRow],
    removed: Sequence[IndexRow],
    ratings: Ratings,
) -> None:
    """Update the counters for rows just added and removed. This must be a transaction's last write.

    The hot keys are read here, after the shared lock was taken, so that a key is counted either by its
    promotion or here. Counters are changed in the order of their keys, so that writers can wait for each
    other but not deadlock.
    """
    keys = {row.key for rows in (added, removed) for row in rows}
    hot = engine().hot_keys(cursor, keys) if keys else set()
    if not hot:
        return
    added, removed = ([row for row in rows if row.key in hot] for rows in (added, removed))
    deltas = tally(added, removed, ratings)
    last: dict[CounterKey, int] = {}
    for row in removed:
        last[row.counter] = max(last.get(row.counter, 0), row.played)
    cursor.executemany(_ADD, [(*key, *delta) for key, delta in sorted(deltas.items())])
    if last:
        _update_removed(cursor, last)
    part_counters.update(cursor, added, removed, ratings)


def _update_removed(cursor: CursorWrapper, last: Mapping[CounterKey, int]) -> None:
    """Drop empty counters, and find the last day again if it may have been removed.

    `last` has the last day among the removed rows of each counter. The counters' row locks are held already,
    so other changes of them are committed and visible here: with a remote index, once its servers have
    applied the commit.
    """
    cursor.executemany(_DROP_EMPTY, sorted(last))
    engine().wait_decided(cursor)
    cursor.executemany(_LAST_AGAIN, [(*key, *key, day) for key, day in sorted(last.items())])


def promote(key: int, code: str) -> None:
    """Create the counters of a key, whose canonical code is `code`; do nothing if it has counters already.

    Holds the exclusive lock while it reads the key's rows. Raises UndecidedError.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        engine().lock_exclusive(cursor)
        cursor.execute(_MARK, [key, code])
        if cursor.rowcount:
            cursor.executemany(_FILL, expected(key))


def promote_parts(key: int) -> None:
    """Create the part counters of a hot key; do nothing if it has them already. Locks as `promote` does."""
    with transaction.atomic(), connection.cursor() as cursor:
        engine().lock_exclusive(cursor)
        part_counters.promote(cursor, key)


def expected(key: int) -> list[Counter]:
    """Return the counters of a key as counted from its rows, in their order."""
    text, values = engine().materialized([(_ROWS, [key])], _ROW)
    rows = engine().fetch_prepared(_GROUPED.format(rows=text), values, keep=False)
    return [tuple(map(int, row)) for row in rows]


def stored(cursor: CursorWrapper, key: int) -> list[Counter]:
    """Return the stored counters of a key, in their order."""
    cursor.execute(_STORED, [key])
    return list(cursor.fetchall())


def keys(cursor: CursorWrapper) -> list[int]:
    """Return the keys that are hot or have counters, ascending."""
    cursor.execute(_KEYS)
    return [key for (key,) in cursor.fetchall()]


def rebuild() -> None:
    """Count all hot keys again, each in a transaction of its own."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT key FROM archive_hotposition ORDER BY key")
        keys = [key for (key,) in cursor.fetchall()]
    for key in keys:
        with transaction.atomic(), connection.cursor() as cursor:
            engine().lock_exclusive(cursor)
            cursor.execute(_EMPTY, [key])
            cursor.executemany(_FILL, expected(key))
            part_counters.drop(cursor, key)
            if part_counters.keys_needing_parts(cursor, [key], schema.PARTED_ROWS):
                part_counters.promote(cursor, key)
