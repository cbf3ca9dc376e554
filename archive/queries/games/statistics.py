"""What the whole archive adds up to."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Final

from archive.caching.values import cached
from archive.derive.series import unpack
from archive.derive.text import TIMES
from archive.models import Game, GameSeries
from archive.project.reading import connection
from archive.queries.games.records_by_kind import (
    CACHE_SECONDS,
    STEP,
    RecordCounts,
    RecordsByKind,
    records_by_kind,
)
from archive.queries.names.people import LISTED, without_gaps
from archive.queries.scope import Scope
from kifu_core.games import SHOGI

_MINUTE: Final = 60
DURATIONS: Final = (0, *(minutes * _MINUTE for minutes in (1, 5, 10, 20, 30, 60, 120, 240, 480, 960)))
"""Where the classes of durations begin, in seconds: from games of programs to those of two days."""

TIMED: Final = 1_000
"""Games whose clocks are read: about 0.2 s."""


@dataclass(frozen=True, slots=True)
class ArchiveCounts:
    """How much there is: games and other records, and positions in their rows of the index. `kinds` is how
    many records there are of each kind that has any, in the order of `Game.RecordKind`. If they are not
    `exact`, there are at least so many."""

    games: int
    positions: int
    kinds: tuple[tuple[str, int], ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Statistics:
    """Games of one kind (problems, trees and positions left out) by year, result, length, ending and named
    opening. `kind` is that kind, `kinds` how many games there are of each, the most frequent first. If they
    are not `exact`, games that came lately are missing.

    `lengths` are numbers by the first ply of a class of `STEP`; `durations` by the first second of a class of
    `DURATIONS`, of the seconds that both sides used, over the newest `TIMED` games whose times are known.
    """

    games: int
    years: tuple[tuple[int, int], ...]
    undated: int
    results: tuple[int, ...]
    lengths: tuple[tuple[int, int], ...]
    endings: tuple[tuple[str, int], ...]
    openings: tuple[tuple[str, int], ...]
    durations: tuple[tuple[int, int], ...] = ()
    kind: str = SHOGI.name
    kinds: tuple[tuple[str, int], ...] = ()
    exact: bool = True


def counts(scope: Scope) -> ArchiveCounts:
    """Return how much there is, without what was taken down since."""
    records = records_by_kind(scope)
    kinds = Counter[str]()
    for (_game, kind), found in records.value.items():
        kinds[kind] += found.games
    return ArchiveCounts(
        games=kinds.total(),
        positions=sum(found.positions for found in records.value.values()),
        kinds=tuple((kind, kinds[kind]) for kind in Game.RecordKind.values if kind in kinds),
        exact=records.exact,
    )


def statistics(scope: Scope, kind: str | None = None) -> Statistics:
    """Return the archive's games of a kind added up (None: the most frequent), without what was taken down
    since."""
    records = records_by_kind(scope)
    games = _games(records.value)
    kind = kind or _most_frequent(games)
    found = games.get(kind, RecordCounts())
    steps = range(0, max(found.lengths, default=-1) + 1, STEP)
    return Statistics(
        games=found.games,
        years=without_gaps(found.years),
        undated=found.undated,
        results=tuple(found.results[result] for result in Game.Result.values),
        lengths=tuple((first, found.lengths[first]) for first in steps),
        endings=tuple(found.endings.most_common(LISTED)),
        openings=tuple(found.openings.most_common(LISTED)),
        durations=_durations(scope, kind),
        kind=kind,
        kinds=tuple((name, one.games) for name, one in games.items()),
        exact=records.exact,
    )


def openings(scope: Scope, kind: str | None = None) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return the openings that games of a kind (None: the most frequent) name, the most frequent first and
    at most `MOST` of them, as `statistics` tells the first; and that kind."""
    games = _games(records_by_kind(scope).value)
    kind = kind or _most_frequent(games)
    return kind, tuple(games.get(kind, RecordCounts()).openings.most_common())


def _games(records: RecordsByKind) -> dict[str, RecordCounts]:
    """Return what is known of the games among all records, by kind, the most frequent first."""
    games = {name: found for (name, kind), found in records.items() if kind == Game.RecordKind.GAME}
    return dict(sorted(games.items(), key=lambda row: -row[1].games))


def _most_frequent(games: dict[str, RecordCounts]) -> str:
    return next(iter(games), SHOGI.name)


_TIMED: Final = f"""
    SELECT g.id FROM archive_game g WHERE {{readable}} AND g.kind = %s AND (g.features & {TIMES}) <> 0
    ORDER BY g.played DESC, g.slot DESC LIMIT %s
"""


def _durations(scope: Scope, kind: str) -> tuple[tuple[int, int], ...]:
    """Count games by class of the time that both sides used together, without empty classes at the ends."""
    found = cached(
        f"durations {scope} {kind}",
        lambda: _clocks(scope, kind),
        lambda found: CACHE_SECONDS if found.total() == TIMED else 0,
    ).value
    places = range(min(found, default=0), max(found, default=-1) + 1)
    return tuple((DURATIONS[place], found[place]) for place in places)


def _clocks(scope: Scope, kind: str) -> Counter[int]:
    """Count the newest games with times by the place of their class."""
    with connection.cursor() as cursor:
        readable = scope.condition("g")
        cursor.execute(_TIMED.format(readable=readable.text), [*readable.values, kind, TIMED])
        games = [pk for (pk,) in cursor.fetchall()]
    stored = GameSeries.objects.filter(pk__in=games).values_list("series", flat=True)
    clocks = [unpack(series).clock for series in stored]
    # The last tick of a side has the total of all before it.
    totals = (sum({tick.color: tick.total for tick in clock}.values()) for clock in clocks if clock)
    return Counter(bisect_right(DURATIONS, seconds) - 1 for seconds in totals)
