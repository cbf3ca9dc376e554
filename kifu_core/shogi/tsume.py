"""Mate problems (詰将棋): whether a solution is sound, the shortest mate, keys of positions that are alike.

The rules are those of composers: the attacker gives check with every move, the defender has all pieces that
are neither on the board nor in the attacker's hand, and every move of the attacker is the only one that
mates.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from kifu_core.shogi import rules
from kifu_core.shogi.attacks import KING_LINES
from kifu_core.shogi.mate import LONGEST, MateResult, checking_moves, search_mate
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.pieces import FULL_SET, HAND_KINDS, IN_HAND, OU, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import MIRRORED

Verdict = Literal["sound", "cooked", "no-mate", "wrong-solution", "undecided"]
Defence = Literal["best", "longer", "undecided"]

NODES: Final = 20_000
"""Nodes of all searches of an examination, unless a caller has another number: some seconds."""

_MOST_COOKS: Final = 8
"""Cooks at one move of a solution that are listed."""
_MIRROR: Final = itemgetter(*MIRRORED)


CookKind = Literal["cook", "last", "detour", "spot"]


class Cook(NamedTuple):
    """Another move of the attacker that mates (余詰), instead of move `ply` of the solution, counted from 1.

    Only a `cook` spoils a problem. Composers tolerate the others: another `last` move; a `detour`, which
    mates only by leading back to a position of the solution; another `spot`, the same piece dropped elsewhere
    on the same line to the king, or moved with or without promotion.
    """

    ply: int
    move: int
    kind: CookKind


class Idle(NamedTuple):
    """A piece without which the problem is sound with the same solution: on a square, or in the attacker's
    hand (`square` is None)."""

    piece: int
    square: int | None


@dataclass(frozen=True, slots=True)
class Soundness:
    """What the mate search finds out about a problem and its solution.

    `verdict`: `no-mate` if no line of checks mates (不詰), `wrong-solution` if the solution is not a mate by
    checks, else `cooked` if there is a cook before the last move, `sound` if there is none, and `undecided`
    if the nodes did not suffice. `defence` is `longer` if the defender can hold out longer than in the
    solution. `unused` are the kinds of pieces left in the attacker's hand (駒余り), each as often as it is
    there. `undecided` has the moves of the solution, counted from 1, at which cooks may be missing.
    """

    verdict: Verdict
    defence: Defence = "undecided"
    cooks: tuple[Cook, ...] = ()
    unused: tuple[int, ...] = ()
    undecided: tuple[int, ...] = ()
    nodes: int = 0


def completed(position: Position) -> Position:
    """Return the position of a problem with all remaining pieces in the defender's hand.

    If the attacker has a king on the board, the hands are those of a game and stay.
    """
    position = position.copy()
    if signed(position.turn, OU) in position.board:
        return position
    attacker, defender = position.hands[position.turn], position.hands[position.turn ^ 1]
    on_board = [IN_HAND[piece] for piece in position.board]
    for kind in HAND_KINDS:
        defender[kind] = max(0, FULL_SET[kind] - attacker[kind] - on_board.count(kind))
    return position


def shortest_mate(position: Position, *, nodes: int = NODES) -> MateResult:
    """Return the shortest mate by checks, found with at most about `nodes` nodes.

    A mate whose shorter ones could not be excluded counts as `undecided`, with its moves.
    """
    spent, exact = 0, True
    longest = search_mate(position, nodes=nodes)
    if longest.verdict != "mate":
        return longest
    for plies in range(1, len(longest.moves), 2):
        result = search_mate(position, nodes=nodes - spent, plies=plies)
        spent += result.nodes
        if result.verdict == "mate":
            return MateResult("mate" if exact else "undecided", result.moves, longest.nodes + spent)
        exact = exact and spent < nodes
    return MateResult("mate" if exact else "undecided", longest.moves, longest.nodes + spent)


def soundness(position: Position, solution: Sequence[int], *, nodes: int = NODES) -> Soundness:
    """Examine a problem with the packed moves of its solution; `position` is unchanged afterwards.

    The searches expand about `nodes` positions in all. If these do not suffice, the result is undecided.
    """
    return _Examination(completed(position), solution, nodes).result()


def idle_pieces(position: Position, solution: Sequence[int], *, nodes: int = NODES) -> Iterator[Idle]:
    """Yield the pieces without which a sound problem is sound with the same solution (飾り駒).

    `nodes` are for each piece; one whose examination is undecided is left out.
    """
    position = completed(position)
    for idle, smaller in _without_one_piece(position):
        if soundness(completed(smaller), solution, nodes=nodes).verdict == "sound":
            yield idle


class _Examination:
    def __init__(self, position: Position, solution: Sequence[int], nodes: int) -> None:
        self.solution = solution
        self.budget = nodes
        self.nodes = 0
        self.line = _line(position, solution)
        self.mates = len(self.line) == len(solution) + 1 and _is_mate_by_checks(self.line)

    def result(self) -> Soundness:
        defence: Defence = self._defence() if self.mates else "undecided"
        if defence != "best":
            found = self._search(self.line[0])
            if found.verdict != "mate" or not self.mates:
                return Soundness(self._without_mate(found), defence, nodes=self.nodes)
        cooks, undecided = list[Cook](), list[int]()
        for ply in range(1, len(self.solution) + 1, 2):
            found_here, decided = self._cooks_at(ply)
            cooks += found_here
            if not decided:
                undecided.append(ply)
        last = self.line[-1]
        hand = last.hands[last.turn ^ 1]
        return Soundness(
            self._verdict(cooks, undecided),
            defence,
            tuple(cooks),
            tuple(kind for kind in HAND_KINDS for _one in range(hand[kind])),
            tuple(undecided),
            self.nodes,
        )

    def _without_mate(self, found: MateResult) -> Verdict:
        """Return the verdict on a problem whose solution is no mate, or does not mate by force."""
        if found.verdict == "mate":
            return "wrong-solution"
        return "no-mate" if found.verdict == "no-mate" else "undecided"

    def _verdict(self, cooks: Sequence[Cook], undecided: Sequence[int]) -> Verdict:
        if any(cook.kind == "cook" for cook in cooks):
            return "cooked"
        return "undecided" if any(ply < len(self.solution) for ply in undecided) else "sound"

    def _cooks_at(self, ply: int) -> tuple[list[Cook], bool]:
        """Return the cooks instead of a move, and whether these are all.

        First those that do not lead back to the solution, then one that does.
        """
        position, main = self.line[ply - 1], self.solution[ply - 1]
        others = [one for number, one in enumerate(self.line[::2]) if number * 2 != ply - 1]
        if ply == len(self.solution):
            moves = [move for move in checking_moves(position) if move != main and _mates(position, move)]
            return [Cook(ply, move, "last") for move in moves[:_MOST_COOKS]], True
        cooks = list[Cook]()
        for detours in (False, True):
            while len(cooks) < _MOST_COOKS:
                without = (main, *(cook.move for cook in cooks))
                found = self._search(position, without, () if detours else others)
                if found.verdict != "mate":
                    break
                move = found.moves[0]
                spot = _is_other_spot(position, main, move)
                cooks.append(Cook(ply, move, "spot" if spot else "detour" if detours else "cook"))
            if found.verdict == "undecided":
                return cooks, False
        return cooks, True

    def _defence(self) -> Defence:
        """Return whether there is a mate within the length of the solution against all defences."""
        longest = len(self.solution) + (futile_plies(self.line[-1]) or 0)
        found = self._search(self.line[0], plies=longest)
        if found.verdict == "mate":
            return "best"
        return "longer" if self.nodes < self.budget else "undecided"

    def _search(
        self,
        position: Position,
        without: Sequence[int] = (),
        avoid: Sequence[Position] = (),
        plies: int = LONGEST,
    ) -> MateResult:
        left = max(1, self.budget - self.nodes)
        found = search_mate(position, nodes=left, plies=plies, without=without, avoid=avoid)
        self.nodes += found.nodes
        return found


def _is_other_spot(position: Position, main: int, move: int) -> bool:
    """Return whether a move differs from the solution's only in the spot of the drop or in the promotion."""
    if main >> 8 <= DROP:
        return main | 1 == move | 1
    king = position.board.index(signed(position.turn ^ 1, OU))
    near, far = main >> 1 & 127, move >> 1 & 127
    lines = [line for line in KING_LINES[king] if near in line]
    return main >> 8 == move >> 8 and any(far in line for line in lines)


def _line(position: Position, solution: Sequence[int]) -> list[Position]:
    """Return the positions along a solution, up to its first illegal move."""
    line = [position.copy()]
    for move in solution:
        if not rules.is_legal(line[-1], move):
            break
        line.append(line[-1].copy())
        line[-1].do_move(move)
    return line


def _is_mate_by_checks(line: Sequence[Position]) -> bool:
    checked = line[1::2]
    return (
        len(line) % 2 == 0
        and all(rules.in_check(one, one.turn) for one in checked)
        and futile_plies(line[-1].copy()) is not None
    )


def futile_plies(position: Position, squares: int = 7) -> int | None:
    """Return by how many plies a checked side can put off its mate with futile interpositions (無駄合): drops
    that are captured with mate. 0 for a mate on the board; None if there is another defence.

    Books end a solution before such drops. Between a slider and a king there are at most 7 `squares`.
    `position` is unchanged afterwards.
    """
    plies = 0
    for drop in rules.legal_moves(position):
        if drop >> 8 <= DROP or not squares:
            return None
        captured = position.do_move(drop)
        longer = _captured_with_mate(position, drop >> 1 & 127, squares - 1)
        position.undo_move(drop, captured)
        if longer is None:
            return None
        plies = max(plies, 2 + longer)
    return plies


def _captured_with_mate(position: Position, square: int, squares: int) -> int | None:
    for move in checking_moves(position):
        if move >> 1 & 127 == square:
            captured = position.do_move(move)
            plies = futile_plies(position, squares)
            position.undo_move(move, captured)
            if plies is not None:
                return plies
    return None


def _mates(position: Position, move: int) -> bool:
    captured = position.do_move(move)
    mate = futile_plies(position) is not None
    position.undo_move(move, captured)
    return mate


# --- keys --------------------------------------------------------------------------------------------------


def problem_key(position: Position, *, mate: bool = True) -> int:
    """Return a key of 64 bits, signed, that is equal for a position and its mirror image, whichever colour is
    to move.

    That of a `mate` problem does not depend on the defender's hand, which books write or leave out.

    >>> one, other = "4k4/9/4P4/9/9/9/9/9/9 b G 1", "9/9/9/9/9/9/4p4/9/4K4 w g2R 1"
    >>> problem_key(Position.from_sfen(one)) == problem_key(Position.from_sfen(other))
    True
    """
    return _key(_facing(position), mate=mate)


def neighbour_keys(position: Position) -> set[int]:
    """Return the keys of a mate problem without one of its pieces: any on the board but kings, or one of the
    attacker's hand. At most 39."""
    return {_key(smaller) for _idle, smaller in _without_one_piece(_facing(position))}


def _facing(position: Position) -> Position:
    return position.turned() if position.turn else position


def _key(position: Position, *, mate: bool = True) -> int:
    hands = position.hands[0] if mate else position.hands[0] + position.hands[1]
    boards = min(position.board, [*_MIRROR(position.board)])
    return int.from_bytes(
        blake2b(array("b", boards + hands).tobytes(), digest_size=8).digest(), "big", signed=True
    )


def _without_one_piece(position: Position) -> Iterator[tuple[Idle, Position]]:
    """Yield a position without each of its pieces in turn; pieces of a kind in hand count once."""
    for square, piece in enumerate(position.board):
        if piece and abs(piece) != OU:
            smaller = position.copy()
            smaller.board[square] = 0
            yield Idle(piece, square), smaller
    for kind in HAND_KINDS:
        if position.hands[position.turn][kind]:
            smaller = position.copy()
            smaller.hands[position.turn][kind] -= 1
            yield Idle(signed(position.turn, kind), None), smaller
