"""Statistics of the archive."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Final

from archive.caching.values import cached
from archive.derive.series import unpack
from archive.derive.text import TIMES
from archive.models import Game, GameSeries
from archive.queries.games.records_by_kind import (
    CACHE_SECONDS,
    STEP,
    RecordCounts,
    RecordsByKind,
    records_by_kind,
)
from archive.queries.names.people import MOST_LISTED, without_gaps
from archive.queries.scope import Scope
from kifu_core.games import SHOGI

_MINUTE: Final = 60
DURATIONS: Final = (0, *(minutes * _MINUTE for minutes in (1, 5, 10, 20, 30, 60, 120, 240, 480, 960)))
"""The first seconds of the classes of durations: from games of programs to those of two days."""

MOST_TIMED: Final = 1_000
"""Games whose clocks are read: about 0.2 s."""


@dataclass(frozen=True, slots=True)
class ArchiveCounts:
    """The numbers of games and other records, and of their positions in the index. `kinds` are the numbers of
    records by kind, in the order of `Game.RecordKind`. Unless `exact`, there are at least so many."""

    games: int
    positions: int
    kinds: tuple[tuple[str, int], ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of games of one kind. Problems, opening trees and positions are not counted."""

    games: int
    years: tuple[tuple[int, int], ...]
    undated: int
    results: tuple[int, ...]
    lengths: tuple[tuple[int, int], ...]
    """Numbers of games by length: by the first ply of a class of `STEP`."""
    endings: tuple[tuple[str, int], ...]
    openings: tuple[tuple[str, int], ...]
    """Numbers of games by opening, as the records name it."""
    durations: tuple[tuple[int, int], ...] = ()
    """Numbers of games by the total time of both sides: by the first second of a class of `DURATIONS`, among
    the newest `MOST_TIMED` games with times."""
    kind: str = SHOGI.name
    kinds: tuple[tuple[str, int], ...] = ()
    """Numbers of games by kind, the most frequent first."""
    exact: bool = True
    """If False, recent games are missing."""


def counts(scope: Scope) -> ArchiveCounts:
    """Return the numbers of games, records and positions; deleted ones do not count."""
    records = records_by_kind(scope)
    kinds = Counter[str]()
    for (_game, kind), counted in records.value.items():
        kinds[kind] += counted.games
    return ArchiveCounts(
        games=kinds.total(),
        positions=sum(counted.positions for counted in records.value.values()),
        kinds=tuple((kind, kinds[kind]) for kind in Game.RecordKind.values if kind in kinds),
        exact=records.exact,
    )


def statistics(scope: Scope, kind: str | None = None) -> Statistics:
    """Return the statistics of a kind of game (None: the most frequent); deleted games do not count."""
    records = records_by_kind(scope)
    games = _games(records.value)
    kind = kind or _most_frequent(games)
    counts = games.get(kind, RecordCounts())
    steps = range(0, max(counts.lengths, default=-1) + 1, STEP)
    return Statistics(
        games=counts.games,
        years=without_gaps(counts.years),
        undated=counts.undated,
        results=tuple(counts.results[result] for result in Game.Result.values),
        lengths=tuple((first, counts.lengths[first]) for first in steps),
        endings=tuple(counts.endings.most_common(MOST_LISTED)),
        openings=tuple(counts.openings.most_common(MOST_LISTED)),
        durations=_durations(scope, kind),
        kind=kind,
        kinds=tuple((name, one.games) for name, one in games.items()),
        exact=records.exact,
    )


def openings(scope: Scope, kind: str | None = None) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return a kind of game (None: the most frequent) and its openings as the records name them, at most
    `MOST` of them, the most frequent first."""
    games = _games(records_by_kind(scope).value)
    kind = kind or _most_frequent(games)
    return kind, tuple(games.get(kind, RecordCounts()).openings.most_common())


def _games(records: RecordsByKind) -> dict[str, RecordCounts]:
    """Return the counts of games without other records, by kind, the most frequent first."""
    games = {name: counts for (name, kind), counts in records.items() if kind == Game.RecordKind.GAME}
    return dict(sorted(games.items(), key=lambda row: -row[1].games))


def _most_frequent(games: dict[str, RecordCounts]) -> str:
    return next(iter(games), SHOGI.name)


_TIMED: Final = f"""
    SELECT g.id FROM archive_game g WHERE {{sql}} AND g.kind = %s AND (g.features & {TIMES}) <> 0
    ORDER BY g.played DESC, g.slot DESC LIMIT %s
"""


def _durations(scope: Scope, kind: str) -> tuple[tuple[int, int], ...]:
    """Count games by class of their total time, without empty classes at the ends."""
    counted = cached(
        f"durations {scope} {kind}",
        lambda: _clocks(scope, kind),
        lambda counted: CACHE_SECONDS if counted.total() == MOST_TIMED else 0,
    ).value
    places = range(min(counted, default=0), max(counted, default=-1) + 1)
    return tuple((DURATIONS[place], counted[place]) for place in places)


def _clocks(scope: Scope, kind: str) -> Counter[int]:
    games = [pk for (pk,) in scope.condition("g").embed(_TIMED, kind, MOST_TIMED).rows()]
    stored = GameSeries.objects.filter(pk__in=games).values_list("series", flat=True)
    clocks = [unpack(series).clock for series in stored]
    # The last tick of a side has the total of all before it.
    totals = (sum({tick.color: tick.total for tick in clock}.values()) for clock in clocks if clock)
    return Counter(bisect_right(DURATIONS, seconds) - 1 for seconds in totals)
