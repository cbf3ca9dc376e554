"""Numbers of games that reach a position, by year."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Final

from archive.index.engine import engine
from archive.index.schema import FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.queries.names.people import by_year
from archive.queries.positions.position_query import position_query
from archive.queries.scope import Scope
from kifu_core.classes import Match

NEWEST: Final = 2000
"""The newest games of each orientation are counted: one short scan of the index."""

_DAYS: Final = f"""
    SELECT x.played, count(*) FROM (
        SELECT d.played, d.slot FROM archive_occurrence d
        WHERE d.key = %s AND d.played > {UNKNOWN_DAY} AND (d.flags & {FORK}) = 0 AND d.result <> {NOT_A_GAME}
        ORDER BY d.played DESC, d.slot DESC LIMIT %s
    ) x GROUP BY x.played
"""


@dataclass(frozen=True, slots=True)
class Trend:
    """Games by year, without gaps. `complete` says that no older games were left out."""

    years: tuple[tuple[int, int], ...]
    complete: bool


def trend(scope: Scope, kind: str, code: str, match: Match = "exact") -> Trend:
    """Count by year the games with a day that reach a position on their main line.

    If an orientation has more than `NEWEST` games, only years that are complete for all orientations are
    returned. Raises DecodeError and ValueError as `explore`.
    """
    keys = position_query(scope, kind, code, match, "main").keys
    days: Counter[int] = Counter()
    first = 0
    for key in keys:
        counts = Counter(dict(engine().fetch_prepared(_DAYS, [key, NEWEST])))
        days += counts
        if counts.total() == NEWEST:
            first = max(first, min(counts))
    # Not all games of the first counted day's year were counted.
    cut = date.fromordinal(first).year if first else 0
    return Trend(tuple((year, n) for year, n in by_year(days) if year > cut), complete=first == 0)
