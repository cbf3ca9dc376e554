"""What all records of the archive are made of, by kind of game and of record: two passes over the games, kept
for a while. The statistics and the facets of whole lists are told from the same numbers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from archive.queries.kept import kept
from archive.queries.scope import Scope
from archive.reading import connection

KEPT_SECONDS: Final = 600
FEW: Final = 20
"""An archive with no more games is counted anew every second: it has just begun and fills fast."""

MOST: Final = 500
"""Different openings or endings of a kind that are kept, the most frequent."""


@dataclass(slots=True)
class Records:
    """Records of one kind, by what they have; `undated` have no year."""

    games: int = 0
    undated: int = 0
    years: Counter[int] = field(default_factory=Counter)
    results: Counter[int] = field(default_factory=Counter)
    handicaps: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    openings: Counter[str] = field(default_factory=Counter)

    def add(self, result: int, handicap: str, special: str, opening: str, n: int) -> None:
        """Count so many records that have these values."""
        self.games += n
        self.results[result] += n
        self.handicaps[handicap] += n
        if special:
            self.endings[special] += n
        if opening:
            self.openings[opening] += n

    def add_day(self, played: int, n: int) -> None:
        """Count so many records that have this day."""
        if played:
            self.years[date.fromordinal(played).year] += n
        else:
            self.undated += n

    def cut(self) -> None:
        """Keep the most frequent of what may have any number of values."""
        self.endings = _most(self.endings)
        self.openings = _most(self.openings)


def _most(counted: Counter[str]) -> Counter[str]:
    """Return the most frequent in one order, whichever the database had: ties are in that of their names."""
    return Counter(dict(sorted(counted.items(), key=lambda row: (-row[1], row[0]))[:MOST]))


Whole = dict[tuple[str, str], Records]
"""By the kind of game and of record."""

_VALUES: Final = """
    SELECT kind, record_kind, result, handicap, special, opening, count(*) FROM archive_game g
    WHERE {readable} GROUP BY kind, record_kind, result, handicap, special, opening
"""
_DAYS: Final = """
    SELECT kind, record_kind, played, count(*) FROM archive_game g
    WHERE {readable} GROUP BY kind, record_kind, played
"""


def whole(scope: Scope) -> Whole:
    """Return all records added up, at most `KEPT_SECONDS` old, and without what was taken down since."""
    return kept(
        f"whole {scope}",
        lambda: count_whole(scope),
        lambda found: KEPT_SECONDS if sum(records.games for records in found.values()) > FEW else 1,
    )


def count_whole(scope: Scope) -> Whole:
    """Count all records now."""
    found: Whole = {}
    for kind, record_kind, *values in _rows(scope, _VALUES):
        found.setdefault((kind, record_kind), Records()).add(*values)
    for kind, record_kind, played, n in _rows(scope, _DAYS):
        found.setdefault((kind, record_kind), Records()).add_day(played, n)
    for records in found.values():
        records.cut()
    return found


def together(some: Iterable[Records]) -> Records:
    """Add up records of several kinds."""
    found = Records()
    for one in some:
        found.games += one.games
        found.undated += one.undated
        for name in ("years", "results", "handicaps", "endings", "openings"):
            getattr(found, name).update(getattr(one, name))
    return found


def _rows(scope: Scope, sql: str) -> list[tuple[Any, ...]]:
    readable = scope.condition("g")
    with connection.cursor() as cursor:
        cursor.execute(sql.format(readable=readable.text), readable.values)
        return list(cursor.fetchall())
