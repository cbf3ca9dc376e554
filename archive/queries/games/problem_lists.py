"""Problems: how many there are of each length, a page of them from the shortest on, the next one, and one at
random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.caching.values import cached_until_commit
from archive.models import Game
from archive.project.reading import connection
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction

if TYPE_CHECKING:
    from kifu_core.jkf import Record

LONGEST: Final = 32_767
"""Plies of the longest record there can be."""


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


# As the index of problems has it, so that SQLite knows that it may use it.
_OF_PROBLEMS: Final = Sql("g.record_kind = 'problem'")
_COUNTED: Final = (
    "SELECT g.plies, count(*) FROM archive_game g WHERE {where} GROUP BY g.plies ORDER BY g.plies"
)
_FROM: Final = "SELECT g.id FROM archive_game g WHERE {where} ORDER BY g.plies, g.id LIMIT %s OFFSET %s"
_PLACE: Final = "SELECT g.plies FROM archive_game g WHERE {where}"


def lengths(scope: Scope) -> tuple[tuple[int, int], ...]:
    """Return the lengths of problems, the shortest first, each with the number of problems that have it."""
    return cached_until_commit(
        f"problems {scope}", lambda: tuple((plies, n) for plies, n in _rows(scope, _COUNTED))
    )


def problems(scope: Scope, asked: ProblemLengths, after: int | None, limit: int) -> list[ListedProblem]:
    """Return problems from the shortest on, or those behind another one; none behind what is no problem."""
    numbers = _numbers(scope, asked, after, limit)
    found = {one.pk: one for one in Game.objects.filter(pk__in=numbers).select_related("stored")}
    return [ListedProblem(pk, found[pk].plies, found[pk].jkf) for pk in numbers if pk in found]


def next_problem(scope: Scope, asked: ProblemLengths, after: int) -> int | None:
    """Return the problem behind another one; None behind the last."""
    return next(iter(_numbers(scope, asked, after, 1)), None)


def nth_problem(scope: Scope, asked: ProblemLengths, number: int) -> int | None:
    """Return the problem with a number, from 0; None if there are not so many."""
    return next(iter(_numbers(scope, asked, None, 1, number)), None)


def _numbers(
    scope: Scope, asked: ProblemLengths, after: int | None, limit: int, skipped: int = 0
) -> list[int]:
    where = [Sql("g.plies BETWEEN %s AND %s", asked)]
    if after is not None:
        place = _rows(scope, _PLACE, Sql("g.id = %s", (after,)))
        if not place:
            return []
        where.append(Sql("(g.plies, g.id) > (%s, %s)", (place[0][0], after)))
    return [pk for (pk,) in _rows(scope, _FROM, *where, more=(limit, skipped))]


def _rows(scope: Scope, statement: str, *where: Sql, more: Sequence[Any] = ()) -> list[tuple[int, ...]]:
    condition = conjunction([_OF_PROBLEMS, scope.condition("g"), *where])
    with connection.cursor() as cursor:
        cursor.execute(statement.format(where=condition.text), [*condition.values, *more])
        return list(cursor.fetchall())
