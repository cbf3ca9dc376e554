"""The opening explorer: totals and results of a position, and statistics of each move played."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from math import sqrt
from typing import Any, Final, NamedTuple

from archive.index import versions
from archive.index.schema import BLACK_WINS, DRAW, FIRST, FORK, NOT_A_GAME, UNKNOWN, UNKNOWN_DAY, WHITE_WINS
from archive.queries.games.filters import GameFilters
from archive.queries.positions.counting import RowCount, count_filtered, count_games, count_rows, read_counts
from archive.queries.positions.position_filters import space_queries
from archive.queries.positions.position_games import GameThrough, first_and_latest, first_and_latest_filtered
from archive.queries.positions.position_query import Lines, PositionKeys, position_keys, position_query
from archive.queries.positions.reading_plan import Sample
from archive.queries.scope import Scope
from kifu_core.classes import Match
from kifu_core.games import GAMES
from kifu_core.lines import NO_MOVE

CONFIDENCE: Final = 0.95
_Z: Final = 1.959963984540054
"""The quantile of the normal distribution with 2.5 % on either side."""

BATCH: Final = 100
"""Positions of one query at most."""

_CACHED_POSITIONS: Final = 256
"""Positions for which the keys after each move are cached: computing them takes a third of a query."""


@dataclass(frozen=True, slots=True)
class Results:
    """Numbers of games by result; `first` and `second` are wins of colours 0 and 1 of the queried board."""

    first: int = 0
    second: int = 0
    draw: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        return self.first + self.second + self.draw + self.unknown


class Interval(NamedTuple):
    """The Wilson interval of a score, with `CONFIDENCE`."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MoveStats:
    """A move that was played from the position, on the queried board."""

    move: int
    """The packed move."""
    name: str
    """The move in the game's own notation (for shogi, USI)."""
    text: str
    """The move as people write it (for shogi, KI2)."""
    total: int
    """The number of games in which it was played from this position."""
    results: Results
    others: int
    """The number of problems, opening trees and positions with this move. They are counted nowhere else."""
    code: str
    """The position after the move."""
    share: float
    """The share of `total` in the games that reach the position."""
    score: float | None
    """The score of the side to move: 1 for a win and a half for a draw. None without decided games."""
    interval: Interval | None
    """The Wilson interval of the score."""
    rating: float | None
    """The average rating of the players who moved; None if ratings were not looked up."""
    rated: int | None
    """The number of games with such a rating; None if ratings were not looked up."""
    last_year: int | None
    """The year of the newest game with a date."""
    reached: int | None = None
    """The number of games that reach the position after the move by any order of moves, with the same match
    and lines. None with filters, and in batches."""


@dataclass(frozen=True, slots=True)
class UnplayedMove:
    """A legal move that no game played from the position, though `reached` games reach the position after
    it."""

    move: int
    name: str
    text: str
    code: str
    reached: int


@dataclass(frozen=True, slots=True)
class Explorer:
    """The statistics of a position."""

    kind: str
    code: str
    match: Match
    lines: Lines
    total: int
    results: Results
    others: int
    moves: tuple[MoveStats, ...]
    """All moves that were played, the most frequent first."""
    first: GameThrough | None = None
    """The first game with a date; None with a `sample`."""
    latest: GameThrough | None = None
    """The latest game with a date."""
    sample: Sample | None = None
    """If set, all numbers are those of this sample."""
    unplayed: tuple[UnplayedMove, ...] | None = None
    """None without `transpositions`."""


def explore(
    scope: Scope,
    kind: str,
    code: str,
    match: Match = "exact",
    lines: Lines = "main",
    filters: GameFilters | None = None,
    *,
    transpositions: bool = False,
) -> Explorer:
    """Return the statistics of a position.

    `main` counts main lines, `all` variations too: then `total` counts games, and each move the games that
    have it anywhere. Raises DecodeError for a code that is not strictly valid, and ValueError for an unknown
    kind, match or lines. Without filters it reads at most about HOT_GAMES rows of each key; with filters the
    fewest rows possible, see `counting.count_filtered`.
    """
    query = position_query(scope, kind, code, match, lines)
    if filters:
        rows, parts = count_filtered(space_queries(scope, query, filters))
        first, latest = first_and_latest_filtered(parts, rows)
        sample = parts[0].plan.sample if parts else None
        return replace(_explorer(query, kind, code, match, rows), first=first, latest=latest, sample=sample)
    counts = read_counts(query.keys)
    explorer = _explorer(query, kind, code, match, counts.counts)
    explorer, unplayed = _with_reached(scope, query, explorer, transpositions=transpositions)
    first, latest = first_and_latest(query, counts)
    return replace(explorer, first=first, latest=latest, unplayed=unplayed)


def count_reaching(scope: Scope, kind: str, code: str, match: Match) -> int:
    """Return how many games reach a position on their main line: the total of `explore` without filters, for
    the cost of a count. Raises the same errors."""
    return sum(count_games(position_query(scope, kind, code, match).keys, "main").values())


def explore_many(
    scope: Scope, kind: str, codes: Sequence[str], match: Match = "exact", lines: Lines = "main"
) -> list[Explorer]:
    """Return the statistics of up to `BATCH` positions at once, without games and without `reached`. Raises
    as `explore`, ValueError for too many positions."""
    if len(codes) > BATCH:
        raise ValueError(f"at most {BATCH} positions at once, not {len(codes)}")
    queries = [position_query(scope, kind, code, match, lines) for code in codes]
    return explore_queries(queries, kind, codes, match)


def explore_queries(
    queries: Sequence[PositionKeys], kind: str, codes: Sequence[str], match: Match
) -> list[Explorer]:
    """Return the statistics for several queries from one count."""
    by_key: dict[int, list[RowCount]] = {}
    keys = sorted({key for query in queries for key in query.keys})
    for row in count_rows(keys) if keys else ():
        by_key.setdefault(row.key, []).append(row)
    return [
        _explorer(query, kind, code, match, [row for key in query.keys for row in by_key.get(key, ())])
        for query, code in zip(queries, codes, strict=True)
    ]


# --- sums ------------------------------------------------------------------------------------------------


class _Count:
    """Sums of counted rows."""

    def __init__(self) -> None:
        self.by_result = [0] * (NOT_A_GAME + 1)
        self.rated: int | None = 0
        self.rating_sum = 0
        self.last = UNKNOWN_DAY

    def add(self, result: int, row: RowCount) -> None:
        self.by_result[result] += row.n
        if result == NOT_A_GAME:
            return
        self.last = max(self.last, row.last_played)
        if self.rated is None or row.rated is None:
            self.rated = None
        else:
            self.rated += row.rated
            self.rating_sum += int(row.rating_sum or 0)

    @property
    def results(self) -> Results:
        numbers = self.by_result
        return Results(numbers[BLACK_WINS], numbers[WHITE_WINS], numbers[DRAW], numbers[UNKNOWN])

    @property
    def others(self) -> int:
        return self.by_result[NOT_A_GAME]


def _explorer(query: PositionKeys, kind: str, code: str, match: Match, rows: Iterable[RowCount]) -> Explorer:
    total, by_move = _Count(), dict[int, _Count]()
    for row in rows:
        if row.flags & (FORK if query.lines == "main" else 0):
            continue
        result = query.seen(row.result, row.key)
        if row.flags & FIRST:
            total.add(result, row)
        if row.move != NO_MOVE:
            by_move.setdefault(query.move(row.move), _Count()).add(result, row)
    reached = total.results.total
    moves = [_move_stats(query, move, count, reached) for move, count in by_move.items()]
    moves.sort(key=lambda stats: (-stats.total, -stats.others, stats.move))
    return Explorer(kind, code, match, query.lines, reached, total.results, total.others, tuple(moves))


def _move_stats(query: PositionKeys, move: int, count: _Count, reached: int) -> MoveStats:
    game, position, results = query.game, query.position, count.results
    wins = results.second if position.turn else results.first
    decided = results.first + results.second + results.draw
    return MoveStats(
        move, game.text.move_name(move), game.text.move_text(position, move),
        results.total, results, count.others,
        code=game.codec.encode(_after(position, move)),
        share=results.total / reached if reached else 0.0,
        score=(wins + results.draw / 2) / decided if decided else None,
        interval=wilson(wins + results.draw / 2, decided) if decided else None,
        rating=count.rating_sum / count.rated if count.rated else None,
        rated=count.rated,
        last_year=None if count.last == UNKNOWN_DAY else date.fromordinal(count.last).year,
    )  # fmt: skip


def wilson(points: float, games: int) -> Interval:
    """Return the Wilson score interval of a share of points, with `CONFIDENCE`; `games` is at least 1. It is
    within 0 and 1 and wide for few games (E. B. Wilson, 1927).

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    share, weight = points / games, _Z * _Z / games
    middle = share + weight / 2
    spread = _Z * sqrt(share * (1 - share) / games + weight / (4 * games))
    return Interval(max(0.0, (middle - spread) / (1 + weight)), min(1.0, (middle + spread) / (1 + weight)))


def _after(position: Any, move: int) -> Any:
    after = position.copy()
    after.do_move(move)
    return after


# --- transpositions --------------------------------------------------------------------------------------


def _with_reached(
    scope: Scope, query: PositionKeys, explorer: Explorer, *, transpositions: bool
) -> tuple[Explorer, tuple[UnplayedMove, ...] | None]:
    """Return the explorer with how many games reach the position after each move, in one count. With
    `transpositions`, also return the legal moves that no game played though games reach the position after
    them."""
    played = [stats.move for stats in explorer.moves]
    unplayed_moves = _never_played(query, played) if transpositions else []
    reached = _reached(scope, query, explorer, [*played, *unplayed_moves])
    moves = tuple(replace(stats, reached=reached[stats.move]) for stats in explorer.moves)
    answer = replace(explorer, moves=moves)
    if not transpositions:
        return answer, None
    unplayed = [_unplayed(query, move, reached[move]) for move in unplayed_moves if reached[move]]
    return answer, tuple(sorted(unplayed, key=lambda move: (-move.reached, move.move)))


def _never_played(query: PositionKeys, played: Sequence[int]) -> list[int]:
    """Return the legal moves that were not played; of two mirrored moves on a symmetric board, only one."""
    legal = query.game.rules.legal_moves(query.position)
    if query.folds:
        legal = [move for move in legal if move <= query.game.codec.orient(move, 1)]
    played_set = set(played)
    return [move for move in legal if move not in played_set]


def _reached(
    scope: Scope, query: PositionKeys, explorer: Explorer, moves: Sequence[int]
) -> Mapping[int, int]:
    keys = _keys_after(
        scope, explorer.kind, explorer.code, tuple(moves), explorer.match, versions.queried_versions()
    )
    counts = count_games(sorted({key for found in keys for key in found}), query.lines)
    return {move: sum(counts.get(key, 0) for key in found) for move, found in zip(moves, keys, strict=True)}


@lru_cache(maxsize=_CACHED_POSITIONS)
def _keys_after(
    scope: Scope, kind: str, code: str, moves: tuple[int, ...], match: Match, _versions: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """Return the keys of the position after each move. The versions are only part of the cache's key."""
    position = GAMES[kind].codec.decode(code)
    return tuple(position_keys(scope, [_after(position, move) for move in moves], match, kind))


def _unplayed(query: PositionKeys, move: int, reached: int) -> UnplayedMove:
    game, position = query.game, query.position
    after = game.codec.encode(_after(position, move))
    return UnplayedMove(move, game.text.move_name(move), game.text.move_text(position, move), after, reached)
