"""Moves of a reader at a problem: right, another good one, or wrong, with the best defence as the reply.

A mate is answered by the solution's defence as long as the reader follows the solution, and by that of the
mate search elsewhere: every move that still mates is right. A best move is compared with the claimed one,
with those that are accepted, with the engine's verdict on the position after it, and with what is often
played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from archive.derive.chances import ACCEPTED, PONANZA, chance
from archive.models import Problem
from archive.problems.errors import MOST_MOVES, ProblemError
from archive.queries.games.mistakes import OFTEN, OFTEN_SHARE
from archive.queries.positions.explorer import explore_many
from archive.queries.positions.verdicts import verdicts_at
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi import rules
from kifu_core.shogi.mate import search_mate
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.tsume import futile_plies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from archive.queries.scope import Scope

NODES: Final = 3_000
"""Nodes of the mate searches on one attempt: about two seconds."""
_REFUTATION_NODES: Final = 300

RIGHT, SOLVED, WRONG, UNDECIDED = "right", "solved", "wrong", "undecided"
RESULTS: Final = (RIGHT, SOLVED, WRONG, UNDECIDED)


class Judgement(NamedTuple):
    """What a reader's last move is worth.

    `result`: `right` if the solution goes on, `solved`, `wrong`, or `undecided` if the mate search did not
    finish. `reply` is the other side's move in USI: the best defence, or one that refutes a wrong move.
    `alternative` is whether the moves are right, but others than the solution's, and `reason` says why a move
    is accepted or wrong: a word of `REASONS`.
    """

    result: str
    reply: str = ""
    alternative: bool = False
    reason: str = ""

    @property
    def is_final(self) -> bool:
        """Return whether the attempt is at its end."""
        return self.result in (SOLVED, WRONG)


NO_CHECK, ESCAPES, OTHER_MATE, LOSES, IS_PLAYED, AS_GOOD, NOT_RECORDED = (
    "no-check", "escapes", "other-mate", "loses", "played", "as-good", "not-recorded",
)  # fmt: skip
REASONS: Final = (NO_CHECK, ESCAPES, OTHER_MATE, LOSES, IS_PLAYED, AS_GOOD, NOT_RECORDED)


def judge(scope: Scope, problem: Problem, moves: Sequence[str]) -> Judgement:
    """Judge the last of a reader's moves in USI, with the replies between them. Raises ProblemError for moves
    that cannot be played, and for replies that this function does not give."""
    if not moves or len(moves) > MOST_MOVES or len(moves) % 2 == 0:
        raise ProblemError("too-many-moves")
    position, solution = Position.from_sfen(problem.sfen), problem.moves.split()
    if problem.kind == Problem.Kind.MATE:
        return _Mating(position, solution).judge(moves)
    if problem.kind == Problem.Kind.NEXT_MOVE:
        return _by_record(position, solution, moves)
    _play(position.copy(), moves[0], 1)
    return _best_move(scope, problem, position, moves[0])


def _play(position: Position, name: str, ply: int) -> int:
    """Play a move if it is legal. Raises ProblemError."""
    try:
        move = from_usi(name)
    except KifuError as error:
        raise ProblemError("problem-move", ply=ply) from error
    if not rules.is_legal(position, move):
        raise ProblemError("problem-move", ply=ply)
    position.do_move(move)
    return move


# --- mates -------------------------------------------------------------------------------------------------


class _Mating:
    """The judgement of an attempt at a mate, move by move; the replies must be those of this search."""

    def __init__(self, position: Position, solution: Sequence[str]) -> None:
        self.position = position
        self.solution = solution
        self.follows = True
        """Whether all moves are the solution's."""
        self.nodes = NODES

    def judge(self, moves: Sequence[str]) -> Judgement:
        for at in range(0, len(moves), 2):
            judgement = self._step(moves[at], at)
            if at + 1 == len(moves):
                return judgement
            if judgement.result != RIGHT or judgement.reply != moves[at + 1]:
                raise ProblemError("problem-reply", ply=at + 2)
            _play(self.position, moves[at + 1], at + 2)
        raise AssertionError

    def _step(self, name: str, at: int) -> Judgement:
        before = self.position.copy()
        move = _play(self.position, name, at + 1)
        self.follows = self.follows and at < len(self.solution) and self.solution[at] == name
        if self.follows and at + 2 < len(self.solution):
            return Judgement(RIGHT, self.solution[at + 1])
        if self.follows and at + 1 == len(self.solution):
            return Judgement(SOLVED)
        if not rules.in_check(self.position, self.position.turn):
            return Judgement(WRONG, reason=NO_CHECK)
        if futile_plies(self.position.copy()) is not None:
            return Judgement(SOLVED, alternative=True, reason=OTHER_MATE)
        return self._searched(before, move)

    def _searched(self, before: Position, move: int) -> Judgement:
        others = [one for one in rules.legal_moves(before) if one != move]
        found = search_mate(before, nodes=max(1, self.nodes), without=others)
        self.nodes -= found.nodes
        if found.verdict == "mate":
            return Judgement(RIGHT, to_usi(found.moves[1]), alternative=True, reason=OTHER_MATE)
        if found.verdict == "undecided":
            return Judgement(UNDECIDED)
        return Judgement(WRONG, self._refutation(), reason=ESCAPES)

    def _refutation(self) -> str:
        """Return a reply after which no mate is left; empty if none was found in a short search."""
        for reply in rules.legal_moves(self.position):
            captured = self.position.do_move(reply)
            found = search_mate(self.position, nodes=_REFUTATION_NODES)
            self.position.undo_move(reply, captured)
            if found.verdict == "no-mate":
                return to_usi(reply)
        return ""


# --- best moves --------------------------------------------------------------------------------------------


def _by_record(position: Position, solution: Sequence[str], moves: Sequence[str]) -> Judgement:
    """Return the judgement of moves by a record, which has one line."""
    for ply, name in enumerate(moves, start=1):
        _play(position, name, ply)
    at = len(moves)
    if [*moves[: at - 1]] != [*solution[: at - 1]]:
        raise ProblemError("problem-reply", ply=max(2, at - 1))
    if at > len(solution) or moves[-1] != solution[at - 1]:
        return Judgement(WRONG, reason=NOT_RECORDED)
    return Judgement(RIGHT, solution[at]) if at + 1 < len(solution) else Judgement(SOLVED)


def _best_move(scope: Scope, problem: Problem, position: Position, name: str) -> Judgement:
    if name == problem.moves.split()[0]:
        return Judgement(SOLVED)
    if name in problem.accepted.split() or _is_as_good(scope, problem, position, name):
        return Judgement(SOLVED, alternative=True, reason=AS_GOOD)
    if _is_played(scope, position, name):
        return Judgement(SOLVED, alternative=True, reason=IS_PLAYED)
    return Judgement(WRONG, reason=LOSES)


def _is_as_good(scope: Scope, problem: Problem, position: Position, name: str) -> bool:
    """Return whether the problem's engine judges the position after a move as not much worse than before."""
    after = position.copy()
    _play(after, name, 1)
    before, later = (
        next((one for one in at if one.engine.pk == problem.engine_id and not one.game), None)
        for at in verdicts_at(scope, SHOGI.name, [position, after])
    )
    if before is None or later is None:
        return False
    scale, sign = before.engine.scale or PONANZA, -1 if position.turn else 1
    own, left = (sign * chance(one.lines[0].score, one.lines[0].winner, scale) for one in (before, later))
    return own - left <= ACCEPTED


def _is_played(scope: Scope, position: Position, name: str) -> bool:
    """Return whether a move is often played: by five games, and a tenth of those of the archive."""
    (explored,) = explore_many(scope, SHOGI.name, [SHOGI.codec.encode(position)])
    return any(one.name == name and one.total >= OFTEN and one.share >= OFTEN_SHARE for one in explored.moves)
