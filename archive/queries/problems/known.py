"""Whether a mate problem is known: by its position, mirrored, and with one piece more, fewer or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from archive.models import Problem, ProblemNeighbour
from kifu_core.shogi.tsume import completed, neighbour_keys, problem_key

if TYPE_CHECKING:
    from archive.queries.scope import Scope
    from kifu_core.shogi.position import Position

MOST: Final = 20
"""Problems that are listed."""

Likeness = Literal["same", "fewer", "more", "other"]
LIKENESSES: Final[tuple[Likeness, ...]] = ("same", "fewer", "more", "other")


class KnownProblem(NamedTuple):
    """A problem that is like a position. It is the `same`, also mirrored or with the colours exchanged; or it
    lacks one piece (`fewer`), has one `more`, or one `other` or elsewhere."""

    problem: Problem
    likeness: Likeness


def known_problems(scope: Scope, position: Position) -> list[KnownProblem]:
    """Return the problems of a scope that are like a position, the most alike first, at most `MOST`.

    Three look-ups in indexes by at most 40 keys each.
    """
    position = completed(position)
    own = {problem_key(position), problem_key(position, mate=False)}
    smaller = sorted(neighbour_keys(position))
    by_key = Problem.objects.filter(space__in=scope.spaces)
    found: dict[int, KnownProblem] = {}
    for likeness, problems in (
        ("same", by_key.filter(key__in=own)),
        ("fewer", by_key.filter(key__in=smaller, kind=Problem.Kind.MATE)),
        ("more", by_key.filter(pk__in=_neighbours([problem_key(position)]))),
        ("other", by_key.filter(pk__in=_neighbours(smaller))),
    ):
        if len(found) < MOST:
            for problem in problems.order_by("pk")[:MOST]:
                found.setdefault(problem.pk, KnownProblem(problem, likeness))  # type: ignore[arg-type]
    return list(found.values())[:MOST]


def _neighbours(keys: list[int]) -> list[int]:
    rows = ProblemNeighbour.objects.filter(key__in=keys).order_by("problem_id")
    return list(rows.values_list("problem_id", flat=True)[: 10 * MOST])
