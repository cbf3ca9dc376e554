"""Forced mates: mate in one, and a search for mates by checks (詰み) with proof numbers.

The search is depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
applications", 2002). A node has two numbers, from the viewpoint of the side to move, which succeeds if it
mates (as attacker) or escapes (as defender): `effort` estimates the work to prove that it succeeds,
`resistance` the work to prove that it fails. The effort of a node is the least resistance of its children.
Its resistance is the sum of their efforts in the textbook; here it is the largest of them, plus one for each
other child ("weak" proof numbers, T. Ueda and others, 2008), since interposing on one square would otherwise
count once for each piece.

A line that repeats a position of its own path counts as a failure of the attacker, since a shortest mate has
no repetition. Such a failure holds only while that position is on the path, so it is not stored for the
positions below it (A. Kishimoto and M. Mueller, 2004).
"""

from __future__ import annotations

from array import array
from collections.abc import Collection
from dataclasses import dataclass
from operator import le
from typing import Final, Literal, NamedTuple

from kifu_core.deadline import check_time
from kifu_core.shogi import rules
from kifu_core.shogi.attacks import BETWEEN, KING_LINES, RAYS, SLIDERS, STEPS, is_dead
from kifu_core.shogi.moves import DROP, pack
from kifu_core.shogi.pieces import FU, HAND_KINDS, KE, OU, PROMOTED, signed
from kifu_core.shogi.position import Position

LONGEST: Final = 400
"""The maximum length of a mate, in plies. The search does not decide whether longer lines mate."""

_ENDLESS: Final = 1 << 40
_NEVER: Final = 1 << 20
"""Stands for the depth of a position if a failure depends on none of the path; greater than all depths."""
_TOO_DEEP: Final = -1
"""Stands for the depth of a position if a failure is due to the limit of plies; less than all depths."""


@dataclass(frozen=True, slots=True)
class MateResult:
    """The result of a search.

    `verdict` is `mate`, `no-mate` (no line of checks mates) or `undecided` (a limit was reached). `moves` are
    the packed moves of a mate, with the longest defence that the search has found; there may be a shorter
    mate. `nodes` is the number of expanded positions.
    """

    verdict: Literal["mate", "no-mate", "undecided"]
    moves: tuple[int, ...]
    nodes: int


def mate_in_one(position: Position) -> int | None:
    """Return a packed move that mates; None if there is none. `position` is unchanged afterwards."""
    for move in checking_moves(position):
        captured = position.do_move(move)
        mate = not rules.legal_moves(position)
        position.undo_move(move, captured)
        if mate:
            return move
    return None


def checking_moves(position: Position) -> list[int]:
    """Return the legal moves that give check, packed; none unless the other side has exactly one king."""
    board, color = position.board, position.turn
    king = signed(color ^ 1, OU)
    if board.count(king) != 1:
        return []
    square = board.index(king)
    moves = _board_checks(board, color, square) + _dropped_checks(position, square)
    if -king in board:
        moves = [move for move in moves if not rules.exposes(position, move)]
    return [move for move in moves if _is_allowed(position, move)]


def _is_allowed(position: Position, move: int) -> bool:
    """Return whether a check is not an illegal mate by a dropped pawn (打ち歩詰め)."""
    return move >> 8 != DROP + FU or not rules.mates(position, move)


def _board_checks(board: list[int], color: int, king: int) -> list[int]:
    shields = _shields(board, color, king)
    moves = []
    for move in rules.board_moves(board, color, 0):
        origin, to = move >> 8, move >> 1 & 127
        if origin in shields and to not in shields[origin]:
            moves.append(move)
            continue
        piece = PROMOTED[board[origin]] if move & 1 else board[origin]
        between = BETWEEN[piece][to * 81 + king]
        if between is not None and not any(board[one] for one in between if one != origin):
            moves.append(move)
    return moves


def _shields(board: list[int], color: int, king: int) -> dict[int, tuple[int, ...]]:
    """Return the squares of pieces that stand alone between the king and a slider of their own colour.

    The values are the squares from the king to the slider: a move to any other square uncovers a check.
    """
    sign = -1 if color else 1
    shields: dict[int, tuple[int, ...]] = {}
    for direction, line in enumerate(KING_LINES[king]):
        shield = -1
        for distance, origin in enumerate(line):
            piece = board[origin] * sign
            if not piece:
                continue
            if piece < 0:
                break
            if shield < 0:
                shield = origin
                continue
            if board[origin] in SLIDERS[direction]:
                shields[shield] = line[: distance + 1]
            break
    return shields


def _dropped_checks(position: Position, king: int) -> list[int]:
    board, color = position.board, position.turn
    moves: list[int] = []
    for kind in HAND_KINDS:
        if not position.hands[color][kind]:
            continue
        piece = signed(color, kind)
        squares = [to for to in STEPS[-piece][king] if not board[to]]
        for line in RAYS[-piece][king]:
            for to in line:
                if board[to]:
                    break
                squares.append(to)
        if kind == FU:
            squares = [to for to in squares if piece not in board[to % 9 :: 9]]
        if kind <= KE:
            squares = [to for to in squares if not is_dead(piece, to)]
        moves += [pack(DROP + kind, to) for to in squares]
    return moves


class _Entry(NamedTuple):
    """The numbers of a position. For a mate, `plies` is its length and `move` the best move."""

    effort: int
    resistance: int
    plies: int = 0
    move: int = 0


_UNSEEN: Final = _Entry(1, 1)
_FAILED: Final = _Entry(_ENDLESS, 0)
_SUCCEEDED: Final = _Entry(0, _ENDLESS)


def search_mate(
    position: Position,
    *,
    nodes: int = 100_000,
    plies: int = LONGEST,
    without: Collection[int] = (),
    avoid: Collection[Position] = (),
) -> MateResult:
    """Search for a mate by checks for the side to move, of at most `plies` plies.

    Expands at most `nodes` positions, and takes about 300 bytes for each. `position` is unchanged afterwards.
    Finds no mate if the other side has no king or several. The mate does not begin with one of the packed
    moves `without`, and no line of it leads to one of the positions `avoid`, with the same side to move.
    """
    search = _Search(position.copy(), nodes, min(plies, LONGEST), frozenset(without), avoid)
    entry, loop = search.run()
    if entry.effort == 0:
        return MateResult("mate", tuple(search.line()), search.nodes)
    failed = entry.resistance == 0 and loop != _TOO_DEEP
    return MateResult("no-mate" if failed else "undecided", (), search.nodes)


class _Table:
    """The numbers of the positions with one side to move, by their keys.

    All pieces that are neither on the board nor in the attacker's hand are in the defender's hand. So an
    attacker who mates with some pieces in hand also mates with more; one who fails also fails with fewer.
    """

    __slots__ = ("entries", "failures", "mates", "side")

    def __init__(self, side: int) -> None:
        self.side = side
        self.entries: dict[bytes, _Entry] = {}
        self.mates: dict[bytes, list[tuple[bytes, _Entry]]] = {}
        self.failures: dict[bytes, list[bytes]] = {}

    def store(self, key: bytes, entry: _Entry) -> None:
        self.entries[key] = entry
        if self.is_mate(entry):
            self.mates.setdefault(key[:81], []).append((key[81:], entry))
        elif not (entry.effort and entry.resistance):
            self.failures.setdefault(key[:81], []).append(key[81:])

    def is_mate(self, entry: _Entry) -> bool:
        return not (entry.resistance if self.side else entry.effort)

    def complete(self, keys: list[bytes]) -> None:
        """Add entries for keys that have none but follow from entries with the same board and other hands."""
        for key in keys:
            if key not in self.entries and (entry := self._implied(key[:81], key[81:])):
                self.entries[key] = entry

    def _implied(self, board: bytes, hand: bytes) -> _Entry | None:
        for smaller, entry in self.mates.get(board, ()):
            if all(map(le, smaller, hand)):
                return entry
        if any(all(map(le, hand, larger)) for larger in self.failures.get(board, ())):
            return _SUCCEEDED if self.side else _FAILED
        return None


def _key_of(position: Position, attacker: int) -> bytes:
    return array("b", position.board + position.hands[attacker]).tobytes()


class _Search:
    """One search. As no piece leaves the game, the board and the attacker's hand identify a position.

    `tables` and `paths` have two members, for positions with the attacker and with the defender to move.
    `paths` has the depths of the positions on the current path, by their keys. Positions to avoid are there
    too, for good: they fail whatever the path is.
    """

    def __init__(
        self,
        position: Position,
        budget: int,
        plies: int,
        without: frozenset[int],
        avoid: Collection[Position],
    ) -> None:
        self.position = position
        self.plies = plies
        self.without = without
        self.attacker = position.turn
        self.budget = budget
        self.nodes = 0
        self.tables = (_Table(0), _Table(1))
        avoided = {_key_of(one, self.attacker): _NEVER for one in avoid}
        self.paths: tuple[dict[bytes, int], dict[bytes, int]] = (avoided, {})

    def run(self) -> tuple[_Entry, int]:
        return self.expand(self.key(), 0, _ENDLESS, _ENDLESS)

    def key(self) -> bytes:
        return _key_of(self.position, self.attacker)

    def key_after(self, move: int) -> bytes:
        captured = self.position.do_move(move)
        key = self.key()
        self.position.undo_move(move, captured)
        return key

    def expand(self, key: bytes, depth: int, most_effort: int, most_resistance: int) -> tuple[_Entry, int]:
        """Search below the current position until one of its numbers reaches its limit.

        Return the numbers, and the least depth of those positions on the path on which a failure of the
        attacker depends; `_NEVER` if there are none.
        """
        self.nodes += 1
        check_time()
        side = depth & 1
        moves = rules.legal_moves(self.position) if side else checking_moves(self.position)
        if not depth and self.without:
            moves = [move for move in moves if move not in self.without]
        if not moves:
            self.tables[side].store(key, _FAILED)
            return _FAILED, _NEVER
        if depth >= self.plies:
            return (_SUCCEEDED if side else _FAILED), _TOO_DEEP
        self.paths[side][key] = depth
        node = _Node(moves, [self.key_after(move) for move in moves], self.paths[side ^ 1], side)
        self.tables[side ^ 1].complete(node.keys)
        if not side:
            self._count_defences(node)
        entry, loop = self._search_children(node, depth, most_effort, most_resistance)
        del self.paths[side][key]
        if loop < depth:
            return entry, loop
        self.tables[side].store(key, entry)
        return entry, _NEVER

    def _count_defences(self, node: _Node) -> None:
        """Estimate the resistance of unseen positions after checks by the number of replies.

        So checks with few replies are tried first.
        """
        table = self.tables[1]
        for move, key in zip(node.moves, node.keys, strict=True):
            if key not in table.entries:
                captured = self.position.do_move(move)
                count = len(rules.legal_moves(self.position))
                self.position.undo_move(move, captured)
                table.store(key, _Entry(1, count) if count else _FAILED)

    def _search_children(
        self, node: _Node, depth: int, most_effort: int, most_resistance: int
    ) -> tuple[_Entry, int]:
        table = self.tables[depth & 1 ^ 1].entries
        while True:
            numbers = node.numbers(table)
            if (
                numbers.effort >= most_effort
                or numbers.resistance >= most_resistance
                or self.nodes >= self.budget
            ):
                return node.entry(numbers, table)
            index = numbers.child
            captured = self.position.do_move(node.moves[index])
            child, loop = self.expand(
                node.keys[index],
                depth + 1,
                most_resistance - numbers.others,
                min(most_effort, numbers.second + numbers.second // 4 + 1),
            )
            self.position.undo_move(node.moves[index], captured)
            if loop != _NEVER:
                node.by_path[index] = child, loop

    def line(self) -> list[int]:
        """Return the moves of a mate that the search has proved, and leave the position at its end."""
        moves: list[int] = []
        while (move := self._longest_defence() if len(moves) & 1 else self._mating_move()) is not None:
            moves.append(move)
            self.position.do_move(move)
        return moves

    def _mating_move(self) -> int | None:
        self.tables[0].complete([key := self.key()])
        return self.tables[0].entries[key].move

    def _longest_defence(self) -> int | None:
        moves = rules.legal_moves(self.position)
        keys = [self.key_after(move) for move in moves]
        self.tables[0].complete(keys)
        plies = [self.tables[0].entries[key].plies for key in keys]
        return moves[plies.index(max(plies))] if moves else None


class _Numbers(NamedTuple):
    """The numbers of a node, computed from those of its children.

    `child` is the index of the child to search next, which has the least resistance; `second` is the second
    least resistance. `others` is the part of `resistance` that counts the other children.
    """

    effort: int
    resistance: int
    child: int
    second: int
    others: int


class _Node:
    """A position on the path and its children.

    `by_path` has the results of children that depend on the path, by index, with the depth on which they
    depend. Moves with the same value in `groups` count as one child.
    """

    __slots__ = ("by_path", "groups", "keys", "moves", "side")

    def __init__(self, moves: list[int], keys: list[bytes], path: dict[bytes, int], side: int) -> None:
        self.moves = moves
        self.keys = keys
        self.side = side
        self.groups = [move & 255 if side and move >> 8 > DROP else move for move in moves]
        repeated = _FAILED if side else _SUCCEEDED
        self.by_path = {
            index: (repeated, depth) for index, key in enumerate(keys) if (depth := path.get(key)) is not None
        }

    def children(self, table: dict[bytes, _Entry]) -> list[_Entry]:
        entries = [table.get(key, _UNSEEN) for key in self.keys]
        for index, (entry, _) in self.by_path.items():
            entries[index] = entry
        return entries

    def numbers(self, table: dict[bytes, _Entry]) -> _Numbers:
        effort = second = _ENDLESS
        largest = child = 0
        groups = set[int]()
        for index, (easy, hard, *_) in enumerate(self.children(table)):
            if hard < effort:
                effort, second, child = hard, effort, index
            elif hard < second:
                second = hard
            if easy:
                groups.add(self.groups[index])
                if easy > largest:
                    largest = easy
        if effort == 0:
            return _Numbers(0, _ENDLESS, child, second, 0)
        others = max(0, len(groups) - 1)
        return _Numbers(effort, largest + others, child, second, others)

    def entry(self, numbers: _Numbers, table: dict[bytes, _Entry]) -> tuple[_Entry, int]:
        """Return the node's entry and the depth on which it depends."""
        effort, resistance = numbers.effort, numbers.resistance
        if effort and resistance:
            return _Entry(effort, resistance), _NEVER
        if bool(effort) == bool(self.side):
            return self._mate(effort, resistance, table), _NEVER
        if not self.side:
            return _Entry(effort, resistance), min(
                (loop for _, loop in self.by_path.values()), default=_NEVER
            )
        return _Entry(effort, resistance), self.by_path.get(numbers.child, (None, _NEVER))[1]

    def _mate(self, effort: int, resistance: int, table: dict[bytes, _Entry]) -> _Entry:
        """Return the entry of a mate: the shortest if the attacker is to move, else the longest."""
        children = self.children(table)
        if self.side:
            plies, index = max((one.plies, index) for index, one in enumerate(children))
        else:
            plies, index = min((one.plies, index) for index, one in enumerate(children) if not one.resistance)
        return _Entry(effort, resistance, plies + 1, self.moves[index])
