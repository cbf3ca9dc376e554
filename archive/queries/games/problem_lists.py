"""Problems: their number by length, a page from the shortest on, the next one, and one at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.caching.values import cached_until_commit
from archive.models import Game
from archive.queries.scope import Scope
from archive.queries.sql import Sql

if TYPE_CHECKING:
    from kifu_core.jkf import Record

LONGEST: Final = 32_767
"""Plies of the longest possible record."""


class ProblemLengths(NamedTuple):
    """The least and the most moves that a problem may have."""

    least: int = 0
    most: int = LONGEST


@dataclass(frozen=True, slots=True)
class ListedProblem:
    """A problem with its record, which has the solution."""

    id: int
    plies: int
    record: Record


# SQLite uses the index of problems only if its condition is part of the query.
_IS_PROBLEM: Final = Sql("g.record_kind = 'problem'")
_BY_LENGTH: Final = "SELECT g.plies, count(*) {sql} GROUP BY g.plies ORDER BY g.plies"
_IDS: Final = "SELECT g.id {sql} ORDER BY g.plies, g.id LIMIT %s OFFSET %s"


def lengths(scope: Scope) -> tuple[tuple[int, int], ...]:
    """Return the lengths of problems, the shortest first, each with its number of problems."""
    return cached_until_commit(
        f"problems {scope}", lambda: tuple((plies, n) for plies, n in _rows(scope, _BY_LENGTH))
    )


def problems(scope: Scope, lengths: ProblemLengths, after: int | None, limit: int) -> list[ListedProblem]:
    """Return problems from the shortest on, or those after another one; none after a game that is no
    problem."""
    pks = _problem_ids(scope, lengths, after, limit)
    games = Game.objects.select_related("stored").in_bulk(pks)
    return [ListedProblem(pk, games[pk].plies, games[pk].jkf) for pk in pks if pk in games]


def next_problem(scope: Scope, lengths: ProblemLengths, after: int) -> int | None:
    """Return the problem after another one; None after the last."""
    return next(iter(_problem_ids(scope, lengths, after, 1)), None)


def nth_problem(scope: Scope, lengths: ProblemLengths, number: int) -> int | None:
    """Return the problem with a number, from 0; None if there are not so many."""
    return next(iter(_problem_ids(scope, lengths, None, 1, number)), None)


def _problem_ids(
    scope: Scope, lengths: ProblemLengths, after: int | None, limit: int, offset: int = 0
) -> list[int]:
    conditions = [Sql("g.plies BETWEEN %s AND %s", lengths)]
    if after is not None:
        place = _rows(scope, "SELECT g.plies {sql}", [Sql("g.id = %s", (after,))])
        if not place:
            return []
        conditions.append(Sql("(g.plies, g.id) > (%s, %s)", (place[0][0], after)))
    return [pk for (pk,) in _rows(scope, _IDS, conditions, limit, offset)]


def _rows(scope: Scope, select: str, conditions: Sequence[Sql] = (), *values: int) -> list[tuple[int, ...]]:
    problems = Sql("FROM archive_game g").where([_IS_PROBLEM, scope.condition("g"), *conditions])
    return problems.embed(select, *values).rows()
