"""What the whole archive adds up to. Every answer reads all games once, so callers keep it for a while."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.core.cache import cache
from django.db import connection

from archive.models import Game
from archive.queries.people import LISTED, without_gaps

KEPT_SECONDS: Final = 600
COUNTS_SECONDS: Final = 60
STEP: Final = 20
"""Plies in one class of lengths."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is: games and other records, and positions in their rows of the index."""

    games: int
    positions: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Games (records of other kinds left out) by year, result, length, ending and named opening.

    `lengths` are numbers by the first ply of a class of `STEP`.
    """

    games: int
    years: tuple[tuple[int, int], ...]
    undated: int
    results: tuple[int, ...]
    lengths: tuple[tuple[int, int], ...]
    endings: tuple[tuple[str, int], ...]
    openings: tuple[tuple[str, int], ...]


def counts() -> Counts:
    """How much there is, at most `COUNTS_SECONDS` old."""
    found: Counts | None = cache.get("counts")
    if found is None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*), coalesce(sum(index_rows), 0) FROM archive_game WHERE space = 0")
            found = Counts(*map(int, cursor.fetchone()))
        # An archive that has just begun fills fast; a large one hardly changes.
        cache.set("counts", found, COUNTS_SECONDS if found.games > LISTED else 1)
    return found


def statistics() -> Statistics:
    """The archive's games added up, at most `KEPT_SECONDS` old."""
    found: Statistics | None = cache.get("statistics")
    if found is None:
        found = add_up()
        cache.set("statistics", found, KEPT_SECONDS if found.games > LISTED else 1)
    return found


def add_up() -> Statistics:
    """The archive's games added up now: three passes over the table of games."""
    years: Counter[int] = Counter()
    results: Counter[int] = Counter()
    undated = 0
    for played, result, n in _grouped("played, result"):
        results[result] += n
        if played:
            years[date.fromordinal(played).year] += n
        else:
            undated += n
    lengths = Counter({plies * STEP: n for plies, n in _grouped(f"plies / {STEP}")})
    endings, openings = (
        Counter({str(text): n for text, n in _grouped(column) if text}) for column in ("special", "opening")
    )
    return Statistics(
        games=results.total(),
        years=without_gaps(years),
        undated=undated,
        results=tuple(results[result] for result in Game.Result.values),
        lengths=tuple((first, lengths[first]) for first in range(0, max(lengths, default=-1) + 1, STEP)),
        endings=tuple(endings.most_common(LISTED)),
        openings=tuple(openings.most_common(LISTED)),
    )


def _grouped(columns: str) -> list[tuple[Any, ...]]:
    sql = f"""
        SELECT {columns}, count(*) FROM archive_game
        WHERE space = 0 AND record_kind = 'game' GROUP BY {columns}
    """
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
