"""The lines of a record of any kind of game: its main line, and every node that it visits."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from kifu_core.deadline import watched

NO_MOVE: Final = 0


def fork_path(path: str, ply: int, number: int) -> str:
    """Return the path of the fork `number` at `ply` of the line `path` (empty for the main line).

    >>> fork_path("", 3, 0), fork_path("3.0", 5, 1)
    ('3.0', '3.0-5.1')
    """
    step = f"{ply}.{number}"
    return f"{path}-{step}" if path else step


def nodes_of(moves: Sequence[Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield path, ply and entry of every node: the main line, then forks, each before its own forks.

    >>> [(path, ply) for path, ply, _ in nodes_of([{}, {"forks": [[{}, {}]]}, {}])]
    [('', 0), ('', 1), ('', 2), ('1.0', 1), ('1.0', 2)]
    """
    lines: list[tuple[str, int, Sequence[Any]]] = [("", 0, moves)]
    while lines:
        path, first, line = lines.pop()
        forks: list[tuple[str, int, Sequence[Any]]] = []
        for ply, entry in enumerate(line, first):
            yield path, ply, entry
            for number, fork in enumerate(entry.get("forks", ())):
                forks.append((fork_path(path, ply, number), ply, fork))
        lines += reversed(forks)


class Visit(NamedTuple):
    """A node of a record: a position, and the move that the record plays there.

    `ply` counts from 0, `fork` is whether the line is a variation. `code`, `orientation` and `symmetric`
    are the position's class (see `classes.Canonical`); `move` is packed and turned to the orientation of the
    class, `NO_MOVE` at the end of a line.
    """

    ply: int
    fork: bool
    code: str
    orientation: int
    symmetric: bool
    move: int


class Playable(Protocol):
    """A position that moves are played in."""

    def do_move(self, move: int) -> int: ...


P = TypeVar("P")
Q = TypeVar("Q", bound=Playable)


class Branch(NamedTuple, Generic[P]):
    """A line of a record: its entries, the position and ply before them, and whether it is a variation."""

    entries: list[Any]
    position: P
    ply: int
    fork: bool


LineVisitor = Callable[[Branch[P], list[Visit], list[Branch[P]]], None]
"""Adds the nodes of one line to the visits, and its forks to the branches."""


def main_line_from(
    position: Q, moves: list[Any], packed_move: Callable[[Any], int], can_play: Callable[[Q, int], bool]
) -> Iterator[tuple[int, Q, int, Any]]:
    """Yield ply, position, next move and entry along a main line from its start, in any kind of game.

    The position is one and the same object, changed between the steps. The line ends, with `NO_MOVE`, at the
    first move that cannot be played.
    """
    entry: Any = moves[0] if moves else {}
    ply = 0
    for following in watched(moves[1:]):
        if "move" not in following:
            continue
        move = packed_move(following["move"])
        if not can_play(position, move):
            break
        yield ply, position, move, entry
        position.do_move(move)
        entry = following
        ply += 1
    yield ply, position, NO_MOVE, entry


def visit_all(moves: list[Any], position: P, add_visits: LineVisitor[P]) -> list[Visit]:
    """Return the nodes of a record of any game, in the order of `visits`."""
    visits: list[Visit] = []
    branches = [Branch(moves[1:], position, 0, False)]
    while branches:
        forks: list[Branch[P]] = []
        add_visits(branches.pop(), visits, forks)
        branches += reversed(forks)
    return visits
