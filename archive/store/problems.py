"""Stored problems: those that the games of the archive have, each once in a space.

A problem stays as long as a game has it; its solutions and ratings stay with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from archive.derive.problems import MATE, VERSION, FoundProblem
from archive.models import (
    Game,
    Problem,
    ProblemNeighbour,
    ProblemRating,
    ProblemSource,
    ProblemTheme,
)
from archive.store.existing import batched

RATING: Final = 1_500.0
"""The rating of a problem of one or two moves before anybody has tried it."""
RATING_PER_MOVE: Final = 75.0
"""By how much each further move of the solver makes it more difficult."""
_LONGEST: Final = 15
"""Moves of the solver from which on difficulty is not estimated higher."""
DEVIATION: Final = 350.0
VOLATILITY: Final = 0.06


@dataclass(frozen=True)
class GameProblems:
    """The problems of a game as it was read: `digest` is that of its moves then."""

    game: int
    space: int
    digest: bytes
    problems: Sequence[tuple[FoundProblem, int | None]]
    """With the id of the engine that claims the move; None for records of problems."""


def write_problems(games: Iterable[GameProblems]) -> int:
    """Replace the problems of games, each in a transaction of its own; return their number.

    A game that got other moves or moved meanwhile is left out. A problem whose verdict has more nodes
    replaces the stored one of the same key, whose attempts and difficulty stay. Linear in the problems.
    """
    return sum(_write(one) for one in games)


def _write(found: GameProblems) -> int:
    with transaction.atomic():
        same = Game.objects.select_for_update(of=("self",))
        if not same.filter(pk=found.game, space=found.space, digest=found.digest).exists():
            return 0
        stored = [_write_one(found, problem, engine) for problem, engine in found.problems]
        old = ProblemSource.objects.filter(game=found.game).exclude(problem__in=stored)
        _drop(list(old.values_list("problem_id", flat=True)), [found.game])
        return len(stored)


def _write_one(found: GameProblems, problem: FoundProblem, engine: int | None) -> int:
    """Store a problem and its source; return its id."""
    columns = {
        "kind": problem.kind, "sfen": problem.sfen, "moves": " ".join(problem.moves),
        "accepted": " ".join(problem.accepted), "plies": len(problem.moves), "engine_id": engine,
        "nodes": problem.nodes, "gap": problem.gap, "version": VERSION,
    }  # fmt: skip
    row, created = Problem.objects.get_or_create(space=found.space, key=problem.key, defaults=columns)
    if created:
        _add_details(row, problem)
    elif _replaces(found.game, problem, engine, row) and any(
        getattr(row, name) != columns[name] for name in columns
    ):
        Problem.objects.filter(pk=row.pk).update(**columns, soundness=None)
        ProblemTheme.objects.filter(problem=row).delete()
        _add_themes(row, problem)
    ProblemSource.objects.update_or_create(
        problem=row, game=found.game, defaults={"path": problem.path, "ply": problem.ply}
    )
    return row.pk


def _differs(row: Problem, columns: Mapping[str, object]) -> bool:
    return any(getattr(row, name) != value for name, value in columns.items())


def _replaces(game: int, problem: FoundProblem, engine: int | None, row: Problem) -> bool:
    """Return whether a problem of a game replaces the stored one: records go before engines, then nodes
    decide, then the first game."""
    if (engine is None) != (row.engine_id is None):
        return engine is None
    if problem.nodes != row.nodes:
        return problem.nodes > row.nodes
    return not row.sources.filter(game__lt=game).exists()


def _add_details(row: Problem, problem: FoundProblem) -> None:
    _add_themes(row, problem)
    neighbours = [ProblemNeighbour(key=key, problem=row) for key in sorted(problem.neighbours)]
    ProblemNeighbour.objects.bulk_create(neighbours)
    ProblemRating.objects.create(
        problem=row, rating=first_rating(row.plies), deviation=DEVIATION, volatility=VOLATILITY
    )


def _add_themes(row: Problem, problem: FoundProblem) -> None:
    ProblemTheme.objects.bulk_create(
        ProblemTheme(theme=theme, problem=row) for theme in sorted(problem.themes)
    )


def first_rating(plies: int) -> float:
    """Return the estimated difficulty of a problem that nobody has tried, by the length of its solution.

    >>> first_rating(1), first_rating(5)
    (1500.0, 1650.0)
    """
    return RATING + RATING_PER_MOVE * (min((plies + 1) // 2, _LONGEST) - 1)


def write_soundness(problem: int, moves: str, soundness: dict[str, object]) -> None:
    """Store the examination of a mate problem, unless it got another solution meanwhile."""
    Problem.objects.filter(pk=problem, moves=moves, kind=MATE).update(soundness=soundness)


def forget_problems(games: Collection[int]) -> None:
    """Remove games, by id, as sources of problems, with the problems that no other game has."""
    for part in batched(sorted(games)):
        sources = ProblemSource.objects.filter(game__in=part)
        _drop(list(sources.values_list("problem_id", flat=True).distinct()), part)


def _drop(problems: Sequence[int], games: Sequence[int]) -> None:
    """Remove games as sources of some problems, and the problems that no game has any longer."""
    if not problems:
        return
    for part in batched(problems):
        ProblemSource.objects.filter(problem__in=part, game__in=games).delete()
        sources = ProblemSource.objects.filter(problem=OuterRef("pk"))
        Problem.objects.filter(pk__in=part).exclude(Exists(sources)).delete()
