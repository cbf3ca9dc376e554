"""Problems of shogi, attempts at them, and own progress."""

from datetime import datetime
from typing import Annotated

from archive.models import Problem
from archive.problems.solving import REASONS, RESULTS
from archive.queries.problems.known import LIKENESSES
from archive.shapes.common import About, Address, JSONObject, NextUrl, Number, SpaceName

ProblemKind = Annotated[str, About("What is to be found.", title="ProblemKind", enum=Problem.Kind.values)]


class ProblemSourceInfo(JSONObject):
    """A place in a game, or the record of a problem, that has the position."""

    game_id: Number
    path: Annotated[str, About("The variation, as in `fork` of a game's page; empty for the main line.")]
    ply: Number


class CookInfo(JSONObject):
    """Another move that mates. Only one of the kind `cook` spoils the problem."""

    ply: Annotated[int, About("The move of the solution that it replaces, from 1.", minimum=1)]
    move: str
    kind: Annotated[
        str,
        About(
            "`detour` leads back to the solution; `spot` is the same piece dropped elsewhere on the line, or "
            "with another choice of promotion.",
            enum=["cook", "last", "detour", "spot"],
        ),
    ]


class SoundnessInfo(JSONObject):
    """What the mate search says of a mate and its solution."""

    verdict: Annotated[str, About(enum=["sound", "cooked", "no-mate", "wrong-solution", "undecided"])]
    defence: Annotated[
        str,
        About("Whether the defender can hold out longer.", enum=["best", "longer", "undecided"]),
    ]
    cooks: list[CookInfo]
    unused: Annotated[list[str], About("Pieces left in the attacker's hand at the end.")]
    idle: Annotated[list[str], About("Squares, or pieces in hand as `G*`, that the problem does not need.")]
    undecided: Annotated[list[int], About("Moves of the solution at which cooks may be missing.")]
    nodes: Annotated[int, About("Positions that were searched.", minimum=0)]


class ProblemInfo(JSONObject):
    """A problem. `moves` is the solution."""

    id: Number
    url: Address
    kind: ProblemKind
    space: SpaceName
    sfen: str
    moves: Annotated[list[str], About("The solution in USI; its first move is the claimed one.")]
    accepted: Annotated[list[str], About("Other first moves that are accepted.")]
    plies: Annotated[int, About("The length of the solution.", minimum=1)]
    themes: list[str]
    rating: Annotated[float, About("Its difficulty by Glicko-2.")]
    deviation: Annotated[float, About("Of the rating; 350 before anybody has tried.", minimum=0)]
    attempts: Annotated[int, About("Accounts that have tried it.", minimum=0)]
    solved: Annotated[int, About("Accounts that solved it at the first attempt.", minimum=0)]
    engine: Annotated[str, About("The engine that claims the move; empty for records of problems.")]
    nodes: Annotated[int, About("Of the engine's verdict.", minimum=0)]
    gap: Annotated[float, About("By how much the second-best move is worse, in winning chances.", minimum=0)]
    soundness: Annotated[SoundnessInfo | None, About("Null for best moves, and before a mate was examined.")]
    sources: Annotated[list[ProblemSourceInfo], About("At most five games.")]


class ProblemsPage(JSONObject):
    """Problems, the shortest first."""

    results: list[ProblemInfo]
    next_url: NextUrl


class AttemptInfo(JSONObject):
    """What moves at a problem are worth, and the account's progress if this was its first attempt."""

    result: Annotated[str, About(enum=[*RESULTS])]
    reply: Annotated[str, About("The other side's move: the best defence, or a refutation; empty for none.")]
    alternative: Annotated[bool, About("Whether the moves are right, but not the solution's.")]
    reason: Annotated[str, About("Why; empty without a reason.", enum=["", *REASONS])]
    rating_before: float | None
    rating: Annotated[float | None, About("The account's rating after its first attempt; null otherwise.")]
    streak: Annotated[int | None, About("Problems solved in a row; null without an account.")]


class KnownProblemInfo(JSONObject):
    """A problem that is like a position."""

    likeness: Annotated[
        str,
        About(
            "`same` also for a mirror image; the problem has one piece `fewer`, `more`, or an `other` one.",
            enum=[*LIKENESSES],
        ),
    ]
    problem: ProblemInfo


class KnownProblems(JSONObject):
    """The problems that are like a position, the most alike first, at most 20."""

    results: list[KnownProblemInfo]


class OwnAttemptInfo(JSONObject):
    """An account's attempts at a problem."""

    problem_id: Number
    first: Annotated[bool, About("Whether the first attempt solved it.")]
    solved: Annotated[bool, About("Whether any attempt solved it.")]
    attempts: Number
    rating: Annotated[float, About("The account's rating after the first attempt.")]
    begun: datetime
    last: datetime


class ProblemProgress(JSONObject):
    """An account's progress at problems. Nobody else reads it."""

    rating: float | None
    deviation: float | None
    streak: Number
    best_streak: Number
    results: Annotated[list[OwnAttemptInfo], About("The latest first.")]
    next_url: NextUrl
