"""Analyses of games by engines, and the accuracies of players of a rating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from archive.caching.values import cached
from archive.derive.game_analysis import Analysis, unpack
from archive.models import GameAnalysis
from archive.queries.positions.verdicts import SOURCES, EngineInfo, engines_by_id
from archive.queries.scope import Scope
from archive.queries.sql import PreparedQuery, Sql

if TYPE_CHECKING:
    from datetime import datetime

RATING_BAND: Final = 100
"""Ratings up to so many points higher and lower count as the same."""
FEWEST_RATED: Final = 20
"""Fewer games of players of a rating are no basis for a comparison."""
_CACHE_SECONDS: Final = 600
_OF_GAME: Final = PreparedQuery(
    lambda game: GameAnalysis.objects.filter(game=game).values_list("engine_id", "content", "made")
)
_ACCURACIES: Final = """
    SELECT count(*), avg(x.accuracy) FROM (
        SELECT CASE p.colour WHEN 0 THEN a.accuracy0 ELSE a.accuracy1 END AS accuracy
        FROM archive_gameanalysis a JOIN archive_game g ON g.id = a.game_id
        JOIN archive_gameplayer p ON p.slot = g.slot
        WHERE a.engine_id = %s AND p.rating BETWEEN %s AND %s AND {sql} LIMIT 10000
    ) x WHERE x.accuracy IS NOT NULL
"""


class GameReport(NamedTuple):
    """An engine's analysis of a game."""

    engine: EngineInfo
    analysis: Analysis
    made: datetime


class RatedAccuracy(NamedTuple):
    """The mean accuracy of `games` games of players with about the same rating."""

    accuracy: float
    games: int


def analyses_of_game(game: int) -> list[GameReport]:
    """Return the analyses of a game that the visitor may read: by engines first, then by networks. Two
    statements, one for a game without any."""
    rows = _OF_GAME.rows(game)
    if not rows:
        return []
    engines = engines_by_id({pk for pk, _content, _made in rows})
    reports = [GameReport(engines[pk], unpack(bytes(content)), made) for pk, content, made in rows]
    return sorted(reports, key=lambda one: (SOURCES[one.engine.source], -one.engine.pk))


def accuracy_of_rated(scope: Scope, engine: int, rating: int) -> RatedAccuracy | None:
    """Return the mean accuracy, by an engine, of players rated about the same, over at most 10,000
    games of a scope; None for fewer than `FEWEST_RATED`. Stays in use for some minutes."""
    band = rating // RATING_BAND * RATING_BAND
    return cached(
        f"accuracy {scope} {engine} {band}",
        lambda: _accuracy_of_rated(scope, engine, band),
        lambda _value: _CACHE_SECONDS,
    ).value


def _accuracy_of_rated(scope: Scope, engine: int, band: int) -> RatedAccuracy | None:
    condition = scope.condition("g")
    values = (engine, band - RATING_BAND, band + 2 * RATING_BAND - 1, *condition.values)
    ((games, accuracy),) = Sql(_ACCURACIES.format(sql=condition.text), values).rows()
    return RatedAccuracy(accuracy, games) if games >= FEWEST_RATED else None
