"""Counters of parts of a busy key's rows: of each year, and of each band of the games' lower rating.

Queries with days or a least rating sum these instead of reading all rows. They are updated like the counters
of keys (`archive.index.counters`), for keys with about `schema.PARTED_ROWS` rows or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from django.db.backends.utils import CursorWrapper

from archive.index.engine import engine
from archive.index.schema import BAND, FIRST_BAND, UNKNOWN_DAY, IndexRow, mover
from archive.project.reading import connection

Ratings = Mapping[tuple[int, int], int]
"""Known ratings by slot and colour."""

PartCounter = tuple[int, ...]
"""The columns of a counter: what it counts, n, rated, rating_sum, first_played, last_played."""


class PartKey(NamedTuple):
    """The columns that rows of a part are counted by."""

    key: int
    part: int
    flags: int
    move: int
    result: int


_COLUMNS: Final = "key, part, flags, move, result, n, rated, rating_sum, first_played, last_played"
_PLACES: Final = "%s, %s, %s, %s, %s, %s, %s, %s, %s, %s"
_FILL: Final = f"INSERT INTO archive_hotpart ({_COLUMNS}) VALUES ({_PLACES})"
_ADD: Final = f"""
    INSERT INTO archive_hotpart AS h ({_COLUMNS}) VALUES ({_PLACES})
    ON CONFLICT (key, part, flags, move, result) DO UPDATE SET
        n = h.n + excluded.n,
        rated = h.rated + excluded.rated,
        rating_sum = h.rating_sum + excluded.rating_sum,
        first_played = CASE
            WHEN h.first_played = 0 OR excluded.first_played BETWEEN 1 AND h.first_played - 1
            THEN excluded.first_played ELSE h.first_played END,
        last_played = CASE WHEN excluded.last_played > h.last_played
            THEN excluded.last_played ELSE h.last_played END
"""
_THIS: Final = "key = %s AND part = %s AND flags = %s AND move = %s AND result = %s"
_DROP_EMPTY: Final = f"DELETE FROM archive_hotpart WHERE {_THIS} AND n = 0"
_END_AGAIN: Final = f"""
    UPDATE archive_hotpart SET {{end}}_played = coalesce((
        SELECT o.played FROM archive_occurrence o
        WHERE o.key = %s AND o.flags = %s AND o.move = %s AND o.result = %s AND {{among}}
        ORDER BY o.key, o.played {{order}}, o.slot {{order}} LIMIT 1
    ), 0) WHERE {_THIS} AND {{end}}_played = %s
"""
_OF_YEAR: Final = "o.played BETWEEN %s AND %s"
_OF_BAND: Final = """o.played > 0 AND (
    SELECT CASE WHEN count(p.rating) = 2 THEN min(p.rating) ELSE -1 END
    FROM archive_gameplayer p WHERE p.slot = o.slot
) BETWEEN %s AND %s"""
_BY_DAY: Final = """
    SELECT o.flags, o.move, o.result, o.played, count(*), count(p.rating), coalesce(sum(p.rating), 0)
    FROM archive_occurrence o LEFT JOIN archive_gameplayer p ON p.slot = o.slot AND p.colour = %s
    WHERE o.key = %s AND o.played > 0 GROUP BY o.flags, o.move, o.result, o.played
"""
_BY_BAND: Final = f"""
    SELECT b.band, b.flags, b.move, b.result, count(*), count(*), sum(b.rating),
        coalesce(min(CASE WHEN b.played > 0 THEN b.played END), 0), max(b.played)
    FROM (
        SELECT o.flags, o.move, o.result, o.played, p.rating,
            {FIRST_BAND} + (CASE WHEN p.rating < q.rating THEN p.rating ELSE q.rating END) / {BAND} AS band
        FROM archive_occurrence o
        JOIN archive_gameplayer p ON p.slot = o.slot AND p.colour = %s
        JOIN archive_gameplayer q ON q.slot = o.slot AND q.colour = %s
        WHERE o.key = %s AND p.rating >= 0 AND q.rating >= 0
    ) b GROUP BY b.band, b.flags, b.move, b.result
"""
_MARK: Final = "UPDATE archive_hotposition SET parted = TRUE WHERE key = %s AND NOT parted"
_UNMARK: Final = "UPDATE archive_hotposition SET parted = FALSE WHERE key = %s AND parted"
_EMPTY: Final = "DELETE FROM archive_hotpart WHERE key = %s"
_PARTED: Final = """
    SELECT k.key FROM {keys}
    WHERE (SELECT count(*) FROM archive_hotposition h WHERE h.key = k.key AND h.parted) > 0
"""
_BUSY: Final = """
    SELECT h.key FROM archive_hotposition h WHERE NOT h.parted AND h.key IN (SELECT k.key FROM {keys})
    AND (SELECT coalesce(sum(m.n), 0) FROM archive_hotmove m WHERE m.key = h.key) >= %s
"""
_STORED: Final = (
    f"SELECT {_COLUMNS} FROM archive_hotpart WHERE key = %s ORDER BY key, part, flags, move, result"
)


def band_of(rating: int) -> int:
    """Return the part of games with this lower rating."""
    return FIRST_BAND + rating // BAND


def _parts(row: IndexRow, ratings: Ratings) -> list[int]:
    """Return the parts of a row: of its year, and of its game's ratings if both are known."""
    lower = min(ratings.get((row.slot, colour), -1) for colour in (0, 1))
    years = [date.fromordinal(row.played).year] if row.played else []
    return years + ([band_of(lower)] if lower >= 0 else [])


def update(
    cursor: CursorWrapper, added: Sequence[IndexRow], removed: Sequence[IndexRow], ratings: Ratings
) -> None:
    """Update the part counters of hot keys for rows just added and removed, as `counters.update`."""
    keys = keys_with_parts(cursor, {row.key for rows in (added, removed) for row in rows})
    deltas: dict[PartKey, list[int]] = {}
    ends: dict[PartKey, set[int]] = {}
    for rows, sign in ((added, 1), (removed, -1)):
        for row in rows:
            for part in _parts(row, ratings) if row.key in keys else ():
                counter = PartKey(row.key, part, row.flags, row.move, row.result)
                _add(deltas.setdefault(counter, [0, 0, 0, 0, 0]), row, sign, ratings)
                if sign < 0:
                    ends.setdefault(counter, set()).add(row.played)
    cursor.executemany(_ADD, [(*counter, *delta) for counter, delta in sorted(deltas.items())])
    cursor.executemany(_DROP_EMPTY, sorted(ends))
    for counter, days in sorted(ends.items()):
        if known_days := days - {UNKNOWN_DAY}:
            _update_ends(cursor, counter, known_days)


def _add(delta: list[int], row: IndexRow, sign: int, ratings: Ratings) -> None:
    """Add a row to n, rated, rating_sum, first_played and last_played, or subtract it from the first
    three."""
    rating = ratings.get((row.slot, mover(row.key)))
    delta[0] += sign
    if rating is not None:
        delta[1] += sign
        delta[2] += sign * rating
    if sign > 0 and row.played:
        delta[3] = min(delta[3] or row.played, row.played)
        delta[4] = max(delta[4], row.played)


def _update_ends(cursor: CursorWrapper, counter: PartKey, days: set[int]) -> None:
    """Find the first and the last day of a part again if a row of that day was removed. The more rows the
    counter has, the faster this is."""
    key, part, flags, move, result = counter
    if part < 0:
        low = (part - FIRST_BAND) * BAND
        among, limits = _OF_BAND, (low, low + BAND - 1)
    else:
        among, limits = _OF_YEAR, (date(part, 1, 1).toordinal(), date(part, 12, 31).toordinal())
    for end, order, day in (("first", "ASC", min(days)), ("last", "DESC", max(days))):
        sql = _END_AGAIN.format(end=end, order=order, among=among)
        cursor.execute(sql, [key, flags, move, result, *limits, *counter, day])


def keys_with_parts(cursor: CursorWrapper, keys: Iterable[int]) -> set[int]:
    """Return the keys that have part counters; none with a remote index."""
    return set() if engine().REMOTE_INDEX else _select_keys(cursor, _PARTED, [*keys])


def keys_needing_parts(cursor: CursorWrapper, keys: Iterable[int], rows: int) -> set[int]:
    """Return the hot keys that have at least `rows` rows but no part counters."""
    return set() if engine().REMOTE_INDEX else _select_keys(cursor, _BUSY, [*keys], rows)


def _select_keys(cursor: CursorWrapper, sql: str, keys: Sequence[int], *values: int) -> set[int]:
    if not keys:
        return set()
    parameters: list[Any] = [engine().listed(keys), *values]
    cursor.execute(sql.format(keys=engine().KEYS), parameters)
    return {key for (key,) in cursor.fetchall()}


def promote(cursor: CursorWrapper, key: int) -> None:
    """Create the part counters of a hot key under the exclusive lock; do nothing if it has them."""
    cursor.execute(_MARK, [key])
    if cursor.rowcount:
        cursor.executemany(_FILL, expected(key))


def drop(cursor: CursorWrapper, key: int) -> None:
    """Delete the part counters of a key."""
    cursor.execute(_EMPTY, [key])
    cursor.execute(_UNMARK, [key])


def expected(key: int) -> list[PartCounter]:
    """Return the part counters of a key as counted from its rows, in their order."""
    years: dict[PartKey, list[int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_BY_DAY, [mover(key), key])
        for flags, move, result, played, n, rated, rating_sum in cursor.fetchall():
            counter = PartKey(key, date.fromordinal(played).year, flags, move, result)
            sums = years.setdefault(counter, [0, 0, 0, played, played])
            sums[:3] = sums[0] + n, sums[1] + rated, sums[2] + int(rating_sum)
            sums[3:] = min(sums[3], played), max(sums[4], played)
        cursor.execute(_BY_BAND, [mover(key), 1 - mover(key), key])
        bands = [(key, *map(int, row)) for row in cursor.fetchall()]
    return sorted([*((*counter, *sums) for counter, sums in years.items()), *bands])


def stored(cursor: CursorWrapper, key: int) -> list[PartCounter]:
    """Return the stored part counters of a key, in their order."""
    cursor.execute(_STORED, [key])
    return list(cursor.fetchall())
