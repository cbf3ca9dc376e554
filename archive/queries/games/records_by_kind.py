"""Counts of all records by kind of game and kind of record, from three passes over the games.

The home page, the statistics and the facets of unfiltered lists share these counts.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from archive.caching.values import RECOUNT_LIMIT, Cached, cached
from archive.queries.scope import Scope

GAMES_A_SECOND: Final = 2_000
"""Counts of a large archive are cached for a second per so many games: a hundred times as long as counting
takes."""

CACHE_SECONDS: Final = 600
"""How long counts are cached at most."""

STEP: Final = 20
"""Plies in one class of lengths."""

MOST: Final = 500
"""Openings or endings of a kind that are counted, the most frequent."""


@dataclass(slots=True)
class RecordCounts:
    """Numbers of records of one kind; `undated` have no year.

    `positions` is the number of their rows in the index; `lengths` are numbers by the first ply of a class of
    `STEP`.
    """

    games: int = 0
    positions: int = 0
    undated: int = 0
    years: Counter[int] = field(default_factory=Counter)
    results: Counter[int] = field(default_factory=Counter)
    handicaps: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    openings: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    def add(self, result: int, handicap: str, special: str, opening: str, n: int, positions: int) -> None:
        """Count `n` records with these values."""
        self.games += n
        self.positions += positions
        self.results[result] += n
        self.handicaps[handicap] += n
        if special:
            self.endings[special] += n
        if opening:
            self.openings[opening] += n

    def add_day(self, played: int, n: int) -> None:
        """Count `n` records with this day."""
        if played:
            self.years[date.fromordinal(played).year] += n
        else:
            self.undated += n

    def cut(self) -> None:
        """Drop all but the most frequent endings and openings, which may be any number."""
        self.endings = _most_common(self.endings)
        self.openings = _most_common(self.openings)


def _most_common(counted: Counter[str]) -> Counter[str]:
    """Return the most frequent values; ties are ordered by name, not as the database returns them."""
    return Counter(dict(sorted(counted.items(), key=lambda row: (-row[1], row[0]))[:MOST]))


RecordsByKind = dict[tuple[str, str], RecordCounts]
"""Counts by the kinds of game and of record."""

_VALUES: Final = """
    SELECT kind, record_kind, result, handicap, special, opening, count(*), sum(index_rows)
    FROM archive_game g
    WHERE {sql} GROUP BY kind, record_kind, result, handicap, special, opening
"""
_DAYS: Final = """
    SELECT kind, record_kind, played, count(*) FROM archive_game g
    WHERE {sql} GROUP BY kind, record_kind, played
"""
_LENGTHS: Final = f"""
    SELECT kind, record_kind, plies / {STEP}, count(*) FROM archive_game g
    WHERE {{sql}} GROUP BY kind, record_kind, plies / {STEP}
"""


def records_by_kind(scope: Scope) -> Cached[RecordsByKind]:
    """Return the counts of all readable records: exact up to `RECOUNT_LIMIT` games, else at most
    `CACHE_SECONDS` old."""
    return cached(f"records by kind {scope}", lambda: count_records_by_kind(scope), _seconds)


def _seconds(counts: RecordsByKind) -> float:
    games = sum(records.games for records in counts.values())
    return min(CACHE_SECONDS, games / GAMES_A_SECOND) if games > RECOUNT_LIMIT else 0


def count_records_by_kind(scope: Scope) -> RecordsByKind:
    """Count all records now."""
    counts: RecordsByKind = {}
    readable = scope.condition("g")
    for kind, record_kind, *values in readable.embed(_VALUES).rows():
        counts.setdefault((kind, record_kind), RecordCounts()).add(*values)
    for kind, record_kind, played, n in readable.embed(_DAYS).rows():
        counts.setdefault((kind, record_kind), RecordCounts()).add_day(played, n)
    for kind, record_kind, steps, n in readable.embed(_LENGTHS).rows():
        counts.setdefault((kind, record_kind), RecordCounts()).lengths[steps * STEP] += n
    for records in counts.values():
        records.cut()
    return counts


def summed(some: Iterable[RecordCounts]) -> RecordCounts:
    """Add up records of several kinds."""
    total = RecordCounts()
    for one in some:
        total.games += one.games
        total.undated += one.undated
        total.positions += one.positions
        for name in ("years", "results", "handicaps", "endings", "openings", "lengths"):
            getattr(total, name).update(getattr(one, name))
    return total
