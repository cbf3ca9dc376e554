"""The rules of Quoridor a second time, slowly and without the library: sets of squares and of edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Square = tuple[int, int]
Wall = tuple[str, int, int]

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass(frozen=True)
class Board:
    pawns: tuple[Square, Square] = ((4, 0), (4, 8))
    walls: tuple[frozenset[Wall], frozenset[Wall]] = (frozenset(), frozenset())
    turn: int = 0
    edges: frozenset[frozenset[Square]] = field(default=frozenset())


def blocked(wall: Wall) -> Iterator[frozenset[Square]]:
    """The two edges between squares on which a wall lies."""
    orientation, x, y = wall
    if orientation == "h":
        yield from (frozenset([(x + i, y), (x + i, y + 1)]) for i in (0, 1))
    else:
        yield from (frozenset([(x, y + i), (x + 1, y + i)]) for i in (0, 1))


def with_wall(board: Board, wall: Wall, owner: int) -> Board:
    owned = list(board.walls)
    owned[owner] = owned[owner] | {wall}
    return replace(board, walls=(owned[0], owned[1]), edges=board.edges | frozenset(blocked(wall)))


def is_open(board: Board, a: Square, b: Square) -> bool:
    on_board = all(0 <= coordinate <= 8 for coordinate in b)
    return on_board and frozenset([a, b]) not in board.edges


def plus(square: Square, step: Square, times: int = 1) -> Square:
    return square[0] + times * step[0], square[1] + times * step[1]


def pawn_targets(board: Board) -> set[Square]:
    me, other = board.pawns[board.turn], board.pawns[1 - board.turn]
    found = set()
    for step in STEPS:
        to = plus(me, step)
        if not is_open(board, me, to):
            continue
        if to != other:
            found.add(to)
        elif is_open(board, other, plus(other, step)):
            found.add(plus(other, step))
        else:
            for side in ((step[1], step[0]), (-step[1], -step[0])):
                if is_open(board, other, plus(other, side)):
                    found.add(plus(other, side))
    return found


def can_reach_goal(board: Board, color: int) -> bool:
    goal, seen, waiting = (8, 0)[color], {board.pawns[color]}, [board.pawns[color]]
    while waiting:
        at = waiting.pop()
        if at[1] == goal:
            return True
        for step in STEPS:
            to = plus(at, step)
            if to not in seen and is_open(board, at, to):
                seen.add(to)
                waiting.append(to)
    return False


def wall_targets(board: Board) -> set[Wall]:
    if len(board.walls[board.turn]) >= 10:
        return set()
    all_walls = board.walls[0] | board.walls[1]
    found = set()
    for orientation in "hv":
        for x in range(8):
            for y in range(8):
                wall = (orientation, x, y)
                crossing = any((other, x, y) in all_walls for other in "hv")
                overlapping = not board.edges.isdisjoint(blocked(wall))
                if crossing or overlapping:
                    continue
                after = with_wall(board, wall, board.turn)
                if can_reach_goal(after, 0) and can_reach_goal(after, 1):
                    found.add(wall)
    return found


def is_over(board: Board) -> bool:
    return board.pawns[0][1] == 8 or board.pawns[1][1] == 0


def move_names(board: Board) -> set[str]:
    """The legal moves by their names."""
    if is_over(board):
        return set()
    pawns = {f"{'abcdefghi'[x]}{y + 1}" for x, y in pawn_targets(board)}
    walls = {f"{'abcdefgh'[x]}{y + 1}{orientation}" for orientation, x, y in wall_targets(board)}
    return pawns | walls


def played(board: Board, name: str) -> Board:
    x, y = "abcdefghi".index(name[0]), int(name[1]) - 1
    if len(name) == 2:
        pawns = list(board.pawns)
        pawns[board.turn] = (x, y)
        return replace(board, pawns=(pawns[0], pawns[1]), turn=1 - board.turn)
    return replace(with_wall(board, (name[2], x, y), board.turn), turn=1 - board.turn)


def count_lines(board: Board, depth: int) -> int:
    names = move_names(board)
    return len(names) if depth == 1 else sum(count_lines(played(board, name), depth - 1) for name in names)
