"""Numbers of rows under keys: from counters where a key has them, else from the rows; with filters, from the
rows of as many games as can be looked at in time, and a word about it where these are not all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.backends.utils import CursorWrapper

from archive.index.engine import engine
from archive.index.schema import FORK, NOT_A_GAME, UNKNOWN_DAY, mover
from archive.queries.asking import ROWS, Asked, Lines
from archive.queries.filters import Driver, Resolved, Sql, conjunction, shortest

EXACT_ROWS: Final = 200_000
"""Filtered answers read at most so many rows of a position."""

SAMPLE_ROWS: Final = 20_000
"""Above that, the newest so many are read."""

RATED_ROWS: Final = 20_000
"""Ratings are looked up for at most so many rows."""

FEW_ROWS: Final = 1_000
"""So many rows are read without looking for a shorter way."""


class Counted(NamedTuple):
    """A number of rows. `rated` and `rating_sum` are of the side to move, None where not looked up."""

    key: int
    flags: int
    move: int
    result: int
    n: int
    rated: int | None
    rating_sum: int | None
    last_played: int


@dataclass(frozen=True, slots=True)
class Sample:
    """An answer from some games only: the newest `read` of `of` that reach the position, played from `since`
    to `until` (None: without a day)."""

    read: int
    of: int
    since: date | None
    until: date | None


_COUNTED: Final = "x.key, x.flags, x.move, x.result"
_GROUPED: Final = f"""
    SELECT {_COUNTED}, count(*), count(x.rating), coalesce(sum(x.rating), 0), max(x.played)
    FROM ({{rows}} LIMIT {2**62}) x GROUP BY {_COUNTED}
"""
"""The limit, which nothing reaches, keeps planners from looking a rating up once for each of its uses."""
_KEPT: Final = """
    SELECT key, flags, move, result, n, rated, rating_sum, last_played FROM archive_hotmove
    WHERE key IN ({places})
"""
_ROW: Final = "SELECT {key} AS key, d.flags, d.move, d.result, d.played, {rating} AS rating"
_RATING: Final = "(SELECT p.rating FROM archive_gameplayer p WHERE p.slot = d.slot AND p.colour = {colour})"
_NO_RATING: Final = "CAST(NULL AS smallint)"
_OF_KEYS: Final = _GROUPED.format(
    rows=_ROW.format(key="d.key", rating=_RATING.format(colour="(d.key & 2) / 2"))
    + " FROM archive_occurrence d WHERE {cold}"
)
_COLD: Final = "d.key = %s AND NOT EXISTS (SELECT 1 FROM archive_hotposition h WHERE h.key = %s)"
_KEPT_TOTALS: Final = f"""
    SELECT d.key, sum(d.n) FROM archive_hotmove d
    WHERE d.key IN ({{places}}) AND {{rows}} AND d.result <> {NOT_A_GAME} GROUP BY d.key
"""
_TOTALS: Final = f"""
    SELECT d.key, count(*) FROM archive_occurrence d
    WHERE {{cold}} AND {{rows}} AND d.result <> {NOT_A_GAME} GROUP BY d.key
"""
AT_ONCE: Final = 4
"""Up to so many keys are asked in one statement; of more it is looked up first which have counters."""


def _places(keys: Collection[int]) -> str:
    return ", ".join(["%s"] * len(keys))


def _split(cursor: CursorWrapper, keys: Sequence[int]) -> tuple[list[int], list[int]]:
    """Those of the keys that have counters, and the others. A key that gets some after this is counted from
    its rows, which are the same numbers."""
    hot = engine().hot(cursor, keys)
    return [key for key in keys if key in hot], [key for key in keys if key not in hot]


def counted(keys: Sequence[int]) -> list[Counted]:
    """All numbers under keys. Without counters a key has few rows (about HOT_GAMES), which are read.

    One statement, and so one state: a game that is moving from one version of the index to another is in it
    once.
    """
    return [Counted(*row) for row in _ask_both(keys, _KEPT, _OF_KEYS)]


def totals(keys: Sequence[int], lines: Lines) -> dict[int, int]:
    """How many games reach each key; those that none reaches are left out."""
    rows = ROWS[lines]
    return {key: int(n) for key, n in _ask_both(keys, _KEPT_TOTALS, _TOTALS, rows=rows)}


def _ask_both(keys: Sequence[int], kept: str, read: str, **parts: str) -> list[tuple[Any, ...]]:
    """What counters tell of those keys that have them, and rows of the others."""
    with connection.cursor() as cursor:
        both: list[Sql] = []
        if len(keys) <= AT_ONCE:
            for key in keys:
                both.append(Sql(kept.format(places="%s", **parts), (key,)))
                both.append(Sql(read.format(cold=_COLD, **parts), (key, key)))
        else:
            hot, cold = _split(cursor, keys)
            among = f"d.key IN ({_places(cold)})"
            both += [Sql(kept.format(places=_places(hot), **parts), tuple(hot))] if hot else []
            both += [Sql(read.format(cold=among, **parts), tuple(cold))] if cold else []
        if not both:
            return []
        cursor.execute(
            " UNION ALL ".join(sql.text for sql in both), [value for sql in both for value in sql.values]
        )
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


# --- with filters ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """How filtered rows are read: driven by a list (its number) or row by row; from `cut` on, the day and
    slot where a sample begins; with ratings or without."""

    driver: int | None = None
    rated: bool = True
    cut: tuple[int, int] | None = None
    sample: Sample | None = None


def filtered(asked: Asked, resolved: Resolved) -> tuple[list[Counted], Reading]:
    """The numbers of the games that the filters let through, and how they were read.

    Exact for up to `EXACT_ROWS` rows or games of a list; beyond that a sample of the newest `SAMPLE_ROWS`.
    """
    if resolved.nobody:
        return [], Reading()
    if not (resolved.probing or resolved.days()):
        kept = [row for row in counted(asked.keys) if _wanted(asked, resolved, row)]
        return kept, Reading()
    reading = choose(asked, resolved)
    pieces = [_rows(asked, resolved, key, reading) for key in asked.keys]
    sql = _GROUPED.format(rows=" UNION ALL ".join(piece.text for piece in pieces))
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for piece in pieces for value in piece.values])
        rows = [Counted(*row) for row in cursor.fetchall()]
    if not reading.rated:
        rows = [row._replace(rated=None, rating_sum=None) for row in rows]
    return rows, reading


def _wanted(asked: Asked, resolved: Resolved, row: Counted) -> bool:
    result = resolved.filters.result
    return result is None or asked.seen(row.result, row.key) == result


def rows_known(asked: Asked) -> tuple[int, int]:
    """How many rows the asked keys have that have counters, and how many of them count in totals: one for
    each game. The other keys have few."""
    wanted = f"d.key IN ({_places(asked.keys)}) AND {_of_lines(asked.lines)}"
    once = f"CASE WHEN {ROWS[asked.lines]} THEN d.n ELSE 0 END"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT coalesce(sum(d.n), 0), coalesce(sum({once}), 0) FROM archive_hotmove d WHERE {wanted}",
            asked.keys,
        )
        rows, games = cursor.fetchone()
    return int(rows), int(games)


def _of_lines(lines: Lines) -> str:
    """The rows that count: moves of forks too where all lines are asked for."""
    return f"(d.flags & {FORK}) = 0" if lines == "main" else "TRUE"


def choose(asked: Asked, resolved: Resolved) -> Reading:
    """The shortest way to the games that filters let through."""
    rows, games = rows_known(asked)
    if rows <= FEW_ROWS:
        return Reading()
    best = shortest(resolved, asked, min(rows, EXACT_ROWS) + 1)
    if best is not None and best[1] < rows:
        return Reading(driver=best[0], rated=best[1] <= RATED_ROWS)
    if rows > EXACT_ROWS and resolved.days():
        rows = _rows_among(asked, resolved)
    if rows > EXACT_ROWS:
        return _sampled(asked, resolved, games)
    return Reading(rated=rows <= RATED_ROWS)


def _rows_among(asked: Asked, resolved: Resolved) -> int:
    """How many rows have a day that is asked for; reads one more than `EXACT_ROWS`."""
    pieces = [_in_order(asked, resolved, key) for key in asked.keys]
    sql = f"SELECT count(*) FROM ({_limited(pieces, 'SELECT 1 AS one')} LIMIT %s) x"
    with connection.cursor() as cursor:
        cursor.execute(sql, [*(v for piece in pieces for v in piece.values), EXACT_ROWS + 1])
        return int(cursor.fetchone()[0])


def _limited(pieces: Sequence[Sql], select: str) -> str:
    return " UNION ALL ".join(f"{select} {piece.text}" for piece in pieces)


def _in_order(asked: Asked, resolved: Resolved, key: int) -> Sql:
    """The rows of a key within the days asked for, before anything else is asked."""
    return conjunction_from(
        "archive_occurrence d",
        [Sql("d.key = %s", (key,)), resolved.between("d"), Sql(_of_lines(asked.lines))],
    )


def conjunction_from(source: str, conditions: Sequence[Sql]) -> Sql:
    """FROM and WHERE."""
    where = conjunction(list(conditions))
    return Sql(f"FROM {source} WHERE {where.text}", where.values)


_NEWEST_OF: Final = """
    SELECT * FROM (
        SELECT d.played, d.slot, d.flags {rows} ORDER BY d.played DESC, d.slot DESC LIMIT {n}
    ) p{number}
"""
_NEWEST: Final = "ORDER BY played DESC, slot DESC"


def _sampled(asked: Asked, resolved: Resolved, games: int) -> Reading:
    """The newest `SAMPLE_ROWS` rows of all keys together: where they begin, and what days they are of."""
    pieces = [_in_order(asked, resolved, key) for key in asked.keys]
    newest = " UNION ALL ".join(
        _NEWEST_OF.format(rows=piece.text, n=SAMPLE_ROWS, number=n) for n, piece in enumerate(pieces)
    )
    values = [value for piece in pieces for value in piece.values]
    read = f"SELECT count(*), max(played) FROM ({newest}) d WHERE (played, slot) >= (%s, %s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT played, slot FROM ({newest}) x {_NEWEST} LIMIT 1 OFFSET {SAMPLE_ROWS - 1}", values
        )
        cut: tuple[int, int] = cursor.fetchone()
        cursor.execute(f"{read} AND {ROWS[asked.lines]}", [*values, *cut])
        number, until = cursor.fetchone()
    return Reading(None, SAMPLE_ROWS <= RATED_ROWS, cut, Sample(number, games, _day(cut[0]), _day(until)))


def _day(ordinal: int) -> date | None:
    return None if ordinal == UNKNOWN_DAY else date.fromordinal(ordinal)


def _rows(asked: Asked, resolved: Resolved, key: int, reading: Reading) -> Sql:
    """The rows of a key that the filters let through, one by one."""
    rating = _RATING.format(colour=mover(key)) if reading.rated else _NO_RATING
    select = _ROW.format(key=key, rating=rating)
    conditions = [Sql(_of_lines(asked.lines)), resolved.result_of(asked, key), resolved.probes(asked, key)]
    if reading.cut is not None:
        conditions.append(Sql("(d.played, d.slot) >= (%s, %s)", reading.cut))
    if reading.driver is None:
        conditions = [Sql("d.key = %s", (key,)), resolved.between("d"), *conditions]
        found = conjunction_from("archive_occurrence d", conditions)
    else:
        driver = driver_of(resolved, asked, key, reading.driver)
        source = engine().PROBED.format(list=driver.source, key=key)
        found = conjunction_from(source, [*driver.conditions, resolved.between("l"), *conditions])
    return Sql(f"{select} {found.text}", found.values)


def driver_of(resolved: Resolved, asked: Asked, key: int, number: int) -> Driver:
    """The list of this number, for a key."""
    return [*resolved.drivers(asked, key)][number]
