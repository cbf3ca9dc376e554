"""Analyses of games by engines, and the accuracies of players of a rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.caching.values import cached
from archive.derive.calibration import Band
from archive.derive.comment_analysis import CommentAnalysis
from archive.derive.game_analysis import StoredAnalysis, with_evaluations
from archive.derive.series import unpack
from archive.derive.text import EVALUATIONS
from archive.models import Engine, GameAnalysis, GameSeries, codec
from archive.queries.positions.verdicts import SOURCES, EngineInfo
from archive.queries.scope import Scope
from archive.queries.sql import PreparedQuery, Sql
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from archive.derive.game_analysis import Analysis
    from archive.models import Game
    from kifu_core.game import Evaluation

RATING_BAND: Final = 100
"""Rating points of one band; ratings of a band and of its two neighbours count as about the same."""
FEWEST_RATED: Final = 20
"""Fewer games of players of a rating are no basis for a comparison."""
COMMENTS: Final = EngineInfo(0, Engine.Source.RECORD, "", "", "", {})
"""Whoever evaluated a game in its comments."""
_CACHE_SECONDS: Final = 600
_OF_GAME: Final = PreparedQuery(
    lambda game: GameAnalysis.objects.filter(game=game).values_list(
        "content", "made", "accuracy0", "accuracy1", *(f"engine__{name}" for name in EngineInfo._fields)
    )
)
_ACCURACIES: Final = """
    SELECT count(*), avg(x.accuracy) FROM (
        SELECT CASE p.colour WHEN 0 THEN a.accuracy0 ELSE a.accuracy1 END AS accuracy
        FROM archive_gameanalysis a JOIN archive_game g ON g.id = a.game_id
        JOIN archive_gameplayer p ON p.slot = g.slot
        WHERE a.engine_id = %s AND p.rating BETWEEN %s AND %s AND {sql} LIMIT 10000
    ) x WHERE x.accuracy IS NOT NULL
"""


@dataclass(frozen=True)
class GameReport:
    """An engine's analysis of a game, and the accuracies of both sides; `made` is None for the evaluations in
    comments."""

    engine: EngineInfo
    made: datetime | None
    accuracies: tuple[float | None, float | None]
    stored: StoredAnalysis | CommentAnalysis

    @property
    def analysis(self) -> Analysis:
        return self.stored.analysis

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        return self.stored.evaluations


class RatedAccuracy(NamedTuple):
    """The mean accuracy of `games` games of players with about the same rating."""

    accuracy: float
    games: int


def analyses_of_game(game: int) -> list[GameReport]:
    """Return the analyses of a game that the visitor may read: by engines first, then by networks. One
    statement."""
    reports = [
        GameReport(EngineInfo.from_row(engine), made, (first, second), StoredAnalysis(content))
        for content, made, first, second, *engine in _OF_GAME.rows(game)
    ]
    return sorted(reports, key=_preference)


def evaluations_of_game(game: Game) -> tuple[Evaluation, ...]:
    """Return the evaluations in the comments of a game. One statement if it has any evaluations."""
    if not game.features & EVALUATIONS:
        return ()
    stored = GameSeries.objects.filter(pk=game.pk).values_list("series", flat=True).first()
    return unpack(stored or b"").evaluations


def report_of_comments(game: Game, in_comments: Sequence[Evaluation]) -> GameReport | None:
    """Return the report of a game by the evaluations in its comments; None if no two of them can be compared
    (`archive.derive.comment_analysis`). Its accuracies are computed when they are read."""
    if game.kind != SHOGI.name:
        return None
    stored = CommentAnalysis(game.jkf, in_comments)
    return GameReport(COMMENTS, None, (None, None), stored) if stored.costs else None


def _preference(report: GameReport) -> tuple[int, int, int]:
    """Return a tuple by which reports are sorted: of those from one source the longest search goes first."""
    return SOURCES[report.engine.source], -report.stored.nodes, report.engine.pk


def calibrations(reports: Iterable[GameReport]) -> dict[int, list[Band]]:
    """Return how the winning chances of the engines of reports agree with results, by engine; empty before a
    scale is fitted. One statement."""
    engines = {one.engine.pk for one in reports}
    rows = Engine.objects.filter(pk__in=engines).values_list("pk", "calibration") if engines else ()
    return {pk: [Band(*band) for band in bands] for pk, bands in rows}


def accuracy_of_rated(scope: Scope, engine: int, rating: int) -> RatedAccuracy | None:
    """Return the mean accuracy, by an engine, of players rated about the same, over at most 10,000
    games of a scope; None for fewer than `FEWEST_RATED`. Stays in use for some minutes."""
    ratings = similar_ratings(rating)
    return cached(
        f"accuracy {scope} {engine} {ratings[0]}",
        lambda: _accuracy_of_rated(scope, engine, ratings),
        lambda _value: _CACHE_SECONDS,
    ).value


def similar_ratings(rating: int) -> tuple[int, int]:
    """Return the lowest and the highest rating that count as about the same as a rating.

    >>> similar_ratings(1540)
    (1400, 1699)
    """
    band = rating // RATING_BAND * RATING_BAND
    return band - RATING_BAND, band + 2 * RATING_BAND - 1


def _accuracy_of_rated(scope: Scope, engine: int, ratings: tuple[int, int]) -> RatedAccuracy | None:
    condition = scope.condition("g")
    values = (engine, *ratings, *condition.values)
    ((games, accuracy),) = Sql(_ACCURACIES.format(sql=condition.text), values).rows()
    return RatedAccuracy(accuracy, games) if games >= FEWEST_RATED else None


def preferred_evaluations(game: Game) -> tuple[Evaluation, ...]:
    """Return the evaluations of the main line of a game that pages show: none if its comments have some. One
    statement for a game that counts as evaluated."""
    report = _preferred(game)
    return report.evaluations if report else ()


def _preferred(game: Game) -> GameReport | None:
    """Return the first analysis of a game whose comments have no evaluations."""
    if not game.features & EVALUATIONS or GAMES[game.kind].replay.evaluations(game.jkf):
        return None
    reports = analyses_of_game(game.pk)
    return reports[0] if reports else None


def add_evaluations(game: Game) -> None:
    """Put the evaluations of a game's first analysis into the comments of its record in memory, unless these
    have some; nothing is stored."""
    if report := _preferred(game):
        record = with_evaluations(game.jkf, report.analysis, report.engine.title)
        game.stored.record = codec.pack(record)
