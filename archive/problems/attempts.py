"""Attempts of accounts at problems: the first one is rated, both the account and the problem, by Glicko-2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction

from archive.accounts.roles import may_read_private
from archive.models import Problem, ProblemAttempt, ProblemRating, ProblemSolver, User
from archive.problems.glicko import Outcome, Rating, rated
from archive.problems.solving import SOLVED, Judgement, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from archive.accounts.roles import AnyUser
    from archive.queries.scope import Scope


class Attempted(NamedTuple):
    """The judgement of an attempt, and the account's progress if the attempt is at its end and counts: its
    rating before and after it, and its streak."""

    judgement: Judgement
    before: float | None = None
    after: float | None = None
    streak: int | None = None


def attempt(
    user: AnyUser, scope: Scope, problem: Problem, moves: Sequence[str], *, helped: bool = False
) -> Attempted:
    """Judge moves at a problem; at the end of the first attempt of an account, rate both.

    With `helped`, a hint or the solution was shown: the attempt counts as not solved. Without moves the
    account gives up. Nothing of visitors is stored. Raises ProblemError.
    """
    judgement = judge(scope, problem, moves) if moves or not helped else Judgement("wrong")
    if not (judgement.is_final and isinstance(user, User) and may_read_private(user)):
        return Attempted(judgement)
    return _counted(user, problem, judgement, solved=judgement.result == SOLVED and not helped)


def _counted(user: User, problem: Problem, judgement: Judgement, *, solved: bool) -> Attempted:
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        solver, _new = ProblemSolver.objects.get_or_create(user=user, defaults=Rating()._asdict())
        before = ProblemAttempt.objects.filter(user=user, problem=problem).first()
        if before is not None:
            before.attempts += 1
            before.solved = before.solved or solved
            before.save(update_fields=["attempts", "solved", "last"])
            return Attempted(judgement, streak=solver.streak)
        old = solver.rating
        _rate(solver, problem, solved=solved)
        ProblemAttempt.objects.create(
            user=user, problem=problem, first=solved, solved=solved, rating=solver.rating
        )
    return Attempted(judgement, old, solver.rating, solver.streak)


def _rate(solver: ProblemSolver, problem: Problem, *, solved: bool) -> None:
    difficulty = ProblemRating.objects.select_for_update().get(problem=problem)
    account, problems = _rating(solver), _rating(difficulty)
    _write(solver, rated(account, [Outcome(problems, float(solved))]))
    _write(difficulty, rated(problems, [Outcome(account, float(not solved))]))
    solver.streak = solver.streak + 1 if solved else 0
    solver.best_streak = max(solver.best_streak, solver.streak)
    difficulty.attempts += 1
    difficulty.solved += solved
    solver.save()
    difficulty.save()


def _rating(row: ProblemSolver | ProblemRating) -> Rating:
    return Rating(row.rating, row.deviation, row.volatility)


def _write(row: ProblemSolver | ProblemRating, rating: Rating) -> None:
    row.rating, row.deviation, row.volatility = rating


def solver_of(user: AnyUser) -> ProblemSolver | None:
    """Return the progress of an account; None before its first attempt."""
    return ProblemSolver.objects.filter(user=user.pk).first() if may_read_private(user) else None


def attempts_of(user: AnyUser) -> QuerySet[ProblemAttempt]:
    """Return the attempts of an account, the latest first."""
    if not may_read_private(user):
        return ProblemAttempt.objects.none()
    return ProblemAttempt.objects.filter(user=user.pk).select_related("problem").order_by("-last", "-pk")
