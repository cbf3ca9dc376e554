"""Forced mates: mate in one, and a search of mates by checks (詰み) with proof numbers.

The search is depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
applications", 2002). A node's numbers are from the side to move: `effort` estimates the work to show that it
succeeds (the attacker mates, the defender escapes), `resistance` the work to show that it fails. Where the
textbook adds the children's efforts, the largest is taken plus one for each other child ("weak" proof
numbers, T. Ueda and others, 2008): interpositions would otherwise count once for each piece.

A line that comes back to a position of its own path proves nothing: a shortest mate repeats none. Such a
failure holds only below that position and is not stored elsewhere (A. Kishimoto and M. Mueller, 2004).
"""

from __future__ import annotations

from array import array
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
"""Plies of a mate; deeper lines count as not mating within the search's means."""

_ENDLESS: Final = 1 << 40
_NEVER: Final = 1 << 20
"""A depth below every path: the failure depends on no position of the path."""
_TOO_DEEP: Final = -1
"""A depth above every path: the failure is due to `LONGEST`."""


@dataclass(frozen=True, slots=True)
class MateResult:
    """The result of a search.

    `verdict` is `mate`, `no-mate` (no line of checks mates) or `undecided` (the nodes were used up). `moves`
    is a mating line, packed, with the longest defence in the search; a shorter mate may exist. `nodes` is the
    number of expanded positions.
    """

    verdict: Literal["mate", "no-mate", "undecided"]
    moves: tuple[int, ...]
    nodes: int


def mate_in_one(position: Position) -> int | None:
    """Return the first packed move that mates, None if there is none. `position` is unchanged afterwards."""
    for move in checking_moves(position):
        captured = position.do_move(move)
        mate = not rules.legal_moves(position)
        position.undo_move(move, captured)
        if mate:
            return move
    return None


def checking_moves(position: Position) -> list[int]:
    """Return the legal moves that attack the other side's only king, packed."""
    board, color = position.board, position.turn
    king = signed(color ^ 1, OU)
    if board.count(king) != 1:
        return []
    square = board.index(king)
    moves = _board_checks(board, color, square) + _dropped_checks(position, square)
    if -king in board:
        moves = [move for move in moves if not rules.exposes(position, move)]
    return [move for move in moves if _is_fair(position, move)]


def _is_fair(position: Position, move: int) -> bool:
    """Tell whether a check is no mate by a dropped pawn."""
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
    """Return the pieces of `color` that stand between a king and a slider of their own, with that line."""
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
    """The numbers of a position; for a mate also its plies and the best move."""

    effort: int
    resistance: int
    plies: int = 0
    move: int = 0


_UNSEEN: Final = _Entry(1, 1)
_FAILED: Final = _Entry(_ENDLESS, 0)
_SUCCEEDED: Final = _Entry(0, _ENDLESS)


def search_mate(position: Position, *, nodes: int = 100_000, plies: int = LONGEST) -> MateResult:
    """Search a mate by checks for the side to move, within numbers of expanded nodes and of plies.

    Takes about 300 bytes a node. `position` is unchanged afterwards. A side with several kings, or a side to
    mate without one, has no mate.
    """
    search = _Search(position.copy(), nodes, min(plies, LONGEST))
    entry, loop = search.run()
    if entry.effort == 0:
        return MateResult("mate", tuple(search.line()), search.nodes)
    failed = entry.resistance == 0 and loop != _TOO_DEEP
    return MateResult("no-mate" if failed else "undecided", (), search.nodes)


_BOARD: Final = slice(0, 81)
_HAND: Final = slice(81, None)


class _Table:
    """The numbers of all positions with one side to move, by their keys.

    A mate with some pieces in the attacker's hand is a mate with more, and a failure is one with fewer: the
    rest of the set is in the defender's hand.
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
            self.mates.setdefault(key[_BOARD], []).append((key[_HAND], entry))
        elif not (entry.effort and entry.resistance):
            self.failures.setdefault(key[_BOARD], []).append(key[_HAND])

    def is_mate(self, entry: _Entry) -> bool:
        return not (entry.resistance if self.side else entry.effort)

    def complete(self, keys: list[bytes]) -> None:
        """Add the entries that follow from other hands with the same board."""
        for key in keys:
            if key not in self.entries and (entry := self._implied(key[_BOARD], key[_HAND])):
                self.entries[key] = entry

    def _implied(self, board: bytes, hand: bytes) -> _Entry | None:
        for smaller, entry in self.mates.get(board, ()):
            if all(map(le, smaller, hand)):
                return entry
        if any(all(map(le, hand, larger)) for larger in self.failures.get(board, ())):
            return _SUCCEEDED if self.side else _FAILED
        return None


class _Search:
    """One search. The material is constant, so the board and the attacker's hand make a position's key.

    `tables` are those of the attacker's and the defender's positions; `paths` are the depths of the positions
    on the path.
    """

    def __init__(self, position: Position, budget: int, plies: int) -> None:
        self.position = position
        self.plies = plies
        self.attacker = position.turn
        self.budget = budget
        self.nodes = 0
        self.tables = (_Table(0), _Table(1))
        self.paths: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})

    def run(self) -> tuple[_Entry, int]:
        return self.expand(self.key(), 0, _ENDLESS, _ENDLESS)

    def key(self) -> bytes:
        position = self.position
        return array("b", position.board + position.hands[self.attacker]).tobytes()

    def key_after(self, move: int) -> bytes:
        captured = self.position.do_move(move)
        key = self.key()
        self.position.undo_move(move, captured)
        return key

    def expand(self, key: bytes, depth: int, most_effort: int, most_resistance: int) -> tuple[_Entry, int]:
        """Search below the present position until one of its numbers reaches its limit.

        Return the numbers and the least depth of the position that a failure of the attacker depends on.
        """
        self.nodes += 1
        check_time()
        side = depth & 1
        moves = rules.legal_moves(self.position) if side else checking_moves(self.position)
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
        """Estimate the resistance of unseen checks by their answers: few answers are tried first."""
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
        """Return the moves of a mate from the present position, which the search has proved."""
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
    """A node's numbers from those of its children: the child to search next, the second best resistance, and
    the part of the node's resistance that other children make up."""

    effort: int
    resistance: int
    child: int
    second: int
    others: int


class _Node:
    """A position on the path with its children; `by_path` are the results that depend on the path."""

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
        """Return the node's entry and the depth that it depends on."""
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
        """Return the entry of a mate: the attacker's shortest, the defender's longest."""
        children = self.children(table)
        if self.side:
            plies, index = max((one.plies, index) for index, one in enumerate(children))
        else:
            plies, index = min((one.plies, index) for index, one in enumerate(children) if not one.resistance)
        return _Entry(effort, resistance, plies + 1, self.moves[index])
