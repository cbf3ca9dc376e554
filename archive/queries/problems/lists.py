"""Problems by their filters: lists, lengths, the next one, one at random, the one of a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Count, Exists, Max, Min, OuterRef, Q

from archive.index.engine import engine
from archive.models import Problem, ProblemAttempt, ProblemSource, ProblemTheme
from archive.queries.games.filters import GameFilters, stored_filters
from archive.queries.games.list_query import over_all_games, query_of
from archive.queries.search.patience import time_limited
from archive.queries.sql import Sql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import QuerySet

    from archive.queries.scope import Scope

LONGEST: Final = 2_000
"""Plies of the longest solution."""
LEVELS: Final = {"easy": (0.0, 1_500.0), "medium": (1_500.0, 1_800.0), "hard": (1_800.0, 9_999.0)}
"""The ratings of problems of each level: from the first number to below the second."""
PROGRESS: Final = ("new", "failed", "solved")
"""Problems that the account has not tried, has tried without success, has solved."""
MOST_GAMES: Final = 2_000
"""Games of a search whose problems are listed, the newest."""
_GAMES: Final = "SELECT g.id FROM {sql} ORDER BY g.id DESC LIMIT %s"
_WITH_PROBLEMS: Final = Sql("d.id IN (SELECT s.game FROM archive_problemsource s)")


@dataclass(frozen=True, slots=True)
class ProblemFilters:
    """Which problems are listed; an empty value does not filter. `theme` is a number of
    `archive.derive.themes`, `level` one of `LEVELS`, `progress` one of `PROGRESS`; `search` has the
    parameters of a list of games (`stored_parameters`) whose problems are listed."""

    kind: str = ""
    theme: int | None = None
    least: int = 1
    most: int = LONGEST
    level: str = ""
    progress: str = ""
    search: Mapping[str, Any] | None = None


def problems(scope: Scope, filters: ProblemFilters) -> QuerySet[Problem]:
    """Return the problems of a scope, the shortest first. Raises QueryError."""
    found = Problem.objects.filter(
        space__in=scope.spaces, plies__range=(filters.least, filters.most)
    ).select_related("difficulty")
    if filters.kind:
        found = found.filter(kind=filters.kind)
    if filters.theme is not None:
        found = found.filter(_exists(ProblemTheme.objects.filter(theme=filters.theme)))
    if filters.level:
        lowest, highest = LEVELS[filters.level]
        found = found.filter(difficulty__rating__gte=lowest, difficulty__rating__lt=highest)
    if filters.progress:
        found = found.filter(_tried(scope, filters.progress))
    if filters.search:
        games = _games_with_problems(scope, stored_filters(filters.search))
        found = found.filter(_exists(ProblemSource.objects.filter(game__in=games)))
    return found.order_by("plies", "pk")


def _exists(rows: QuerySet[Any]) -> Q:
    return Q(Exists(rows.filter(problem=OuterRef("pk"))))


def _tried(scope: Scope, progress: str) -> Q:
    own = ProblemAttempt.objects.filter(user=scope.account)
    if progress == "new":
        return ~_exists(own)
    return _exists(own.filter(solved=progress == "solved"))


def _games_with_problems(scope: Scope, filters: GameFilters) -> list[int]:
    """Return the newest games of a search that have problems, at most `MOST_GAMES`. Raises QueryError."""
    with time_limited(filters):
        if query_of(scope, filters) is None:
            return []
        games = over_all_games(scope, filters, "id").among(_WITH_PROBLEMS)
        rows = engine().fetch_prepared(*games.embed(_GAMES, MOST_GAMES), keep=False)
        return [pk for (pk,) in rows]


def lengths(scope: Scope, filters: ProblemFilters) -> list[tuple[int, int]]:
    """Return the lengths of problems, the shortest first, with their numbers of problems. Raises
    QueryError."""
    rows = problems(scope, filters).order_by("plies").values_list("plies").annotate(Count("pk"))
    return [(plies, n) for plies, n in rows]


def after(scope: Scope, filters: ProblemFilters, pk: int | None) -> QuerySet[Problem]:
    """Return the problems after another one, which need not match; all for None. Raises QueryError."""
    found = problems(scope, filters)
    if pk is None:
        return found
    plies = Problem.objects.filter(pk=pk, space__in=scope.spaces).values_list("plies", flat=True).first()
    if plies is None:
        return found.none()
    return found.filter(Q(plies__gt=plies) | Q(plies=plies, pk__gt=pk))


def problem_shown(scope: Scope, pk: int) -> Problem | None:
    """Return a problem of a scope by its id, with difficulty and engine."""
    found = Problem.objects.filter(pk=pk, space__in=scope.spaces)
    return found.select_related("difficulty", "engine").first()


def problem_of_game(scope: Scope, game: int) -> int | None:
    """Return the first problem that a game has."""
    found = Problem.objects.filter(space__in=scope.spaces, sources__game=game)
    return found.order_by("pk").values_list("pk", flat=True).first()


def problem_of_day(scope: Scope, day: date) -> Problem | None:
    """Return the problem of a day, the same for all who read the scope: one that was there before the day, or
    any if there was none. Later problems do not change it."""
    begun = datetime.combine(day, time(), UTC)
    found = Problem.objects.filter(space__in=scope.spaces)
    before = found.filter(made__lt=begun)
    found = before if before.exists() else found
    ends = found.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return None
    drawn = int.from_bytes(blake2b(day.isoformat().encode(), digest_size=8).digest(), "big")
    at = ends["first"] + drawn % (ends["last"] - ends["first"] + 1)
    return found.filter(pk__gte=at).select_related("difficulty").order_by("pk").first()
