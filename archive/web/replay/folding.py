"""The part of a record that one page shows: all of it, or the part around a node if it is long.

A page is limited to so many bytes, whatever a record holds. What is left out can be reached from what is
shown: earlier and later plies by their addresses, forks through the continuations of the node before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from archive.web.replay.record import moves_to
from kifu_core.lines import fork_path

if TYPE_CHECKING:
    from archive.web.replay.record import Node
    from kifu_core.jkf import MoveEntry, Record

PIECE: Final = 600_000
"""Bytes that the rows of a page may take, in its list and in its data, without their comments."""
AHEAD: Final = 400
"""Plies shown behind the node where a record is folded; before it half as many."""
BESIDE: Final = 40
"""Rows that a fork, or a line which the shown one has left, may take where a record is folded."""
_ROW: Final = 310
_TIME: Final = 90
_NOTE: Final = 140
_SHARE: Final = 0.7
"""How much of the room the shown line may take before what stands beside it."""


@dataclass(slots=True)
class Shown:
    """An entry that the page shows, on the line `path`, with its forks by number.

    `left` counts its forks that are left out; `last` is the ply where its line ends if the page shows nothing
    of that line behind it, else 0, and `moves` then how many moves lead there.
    """

    ply: int
    path: str
    entry: MoveEntry
    forks: dict[int, list[Shown]] = field(default_factory=dict)
    left: int = 0
    last: int = 0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """What a page shows of a record: `line` begins with the start, or where that is left out with a later
    node; `above` is then the path of the node before it and `before` that node's entry."""

    line: list[Shown]
    above: str = ""
    before: MoveEntry = field(default_factory=lambda: cast("MoveEntry", {}))

    @property
    def first(self) -> Shown:
        """The node with which the piece begins."""
        return self.line[0]

    def rows(self) -> Iterator[Shown]:
        """Yield all entries, those of forks behind the one that they replace."""
        waiting = [iter(self.line)]
        while waiting:
            shown = next(waiting[-1], None)
            if shown is None:
                waiting.pop()
            else:
                yield shown
                waiting += [iter(fork) for fork in reversed(shown.forks.values())]

    def data(self) -> dict[str, Any]:
        """Return the piece as the browser builds its tree from it (static/archive/js/tree.js)."""
        first = self.first
        return {"path": first.path, "ply": first.ply, "above": self.above, "moves": _data(self.line)}


def _data(line: list[Shown]) -> list[dict[str, Any]]:
    """Return only what is needed to play the moves; texts, times and comments are in the list."""
    found: list[dict[str, Any]] = []
    for shown in line:
        data: dict[str, Any] = {}
        if "move" in shown.entry:
            move = shown.entry["move"].items()
            data["move"] = {name: value for name, value in move if name not in ("relative", "same")}
        if shown.forks:
            data["forks"] = {number: _data(fork) for number, fork in shown.forks.items()}
        if shown.left:
            data["left"] = shown.left
        if shown.last:
            data |= {"last": shown.last, "moves": shown.moves}
        found.append(data)
    return found


def piece_of(record: Record, node: Node) -> Piece:
    """Return what the page of a node shows. The time it takes grows with that, not with the record."""
    room = _Room()
    line = room.line(record["moves"], "", 0)
    return _Folded(node).piece() if room.is_full else Piece(line)


def _cost(entry: MoveEntry, path: str) -> int:
    """Estimate the bytes of a page that the row of an entry takes."""
    note = _NOTE + len(path) if "comments" in entry else 0
    return _ROW + 2 * len(path) + note + (_TIME if "time" in entry else 0)


class _Room:
    """Takes rows as long as there is room for them."""

    def __init__(self) -> None:
        self.left = PIECE
        self.is_full = False

    def take(self, entry: MoveEntry, path: str) -> bool:
        """Take one more row, and return whether there was room for it."""
        cost = _cost(entry, path)
        self.is_full = self.is_full or self.left < cost
        if not self.is_full:
            self.left -= cost
        return not self.is_full

    def line(
        self, entries: list[MoveEntry], path: str, first: int, begin: int = 0, most: int | None = None
    ) -> list[Shown]:
        """Take the entries of a line from `begin` on, with their forks: all of them, or `most` at most."""
        return self._line(entries, path, first, begin, [most])

    def _line(
        self, entries: list[MoveEntry], path: str, first: int, begin: int, most: list[int | None]
    ) -> list[Shown]:
        taken: list[Shown] = []
        for ply, entry in enumerate(islice(entries, begin, None), start=first + begin):
            if most[0] == 0 or not self.take(entry, path):
                break
            if most[0] is not None:
                most[0] -= 1
            shown = Shown(ply, path, entry)
            taken.append(shown)
            for number, fork in enumerate(entry.get("forks", ())):
                self.add_fork(shown, number, fork, most)
        close(taken, first, entries)
        return taken

    def add_fork(self, shown: Shown, number: int, fork: list[MoveEntry], most: list[int | None]) -> None:
        """Add a fork to an entry, or count it among those that are left out."""
        if not fork:
            return
        path = fork_path(shown.path, shown.ply, number)
        if inner := [] if self.is_full else self._line(fork, path, shown.ply, 0, most):
            shown.forks[number] = inner
        else:
            shown.left += 1


def close(line: list[Shown], first: int, entries: list[MoveEntry]) -> None:
    """Note at the end of a line's shown part where the line itself ends."""
    last = first + len(entries) - 1
    if line and line[-1].ply < last:
        line[-1].last, line[-1].moves = last, moves_to(last, entries[-1])


class _Folded:
    """Chooses what to show around a node of a long record: first its own line, then what is next to it."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.room = _Room()
        width = _ROW + _TIME + _NOTE + 3 * len(node.path)
        self.ahead = min(AHEAD, int(_SHARE * PIECE / width / 1.5))
        self.begin = max(0, node.ply - self.ahead // 2)
        self.parts: list[tuple[int, list[Shown]]] = []

    def piece(self) -> Piece:
        lines = self.node.lines
        index = next(number for number, one in _backwards(lines) if one[1] <= self.begin)
        line = self._line(index)
        self._add_forks()
        self._go_on()
        if not self.begin:
            return Piece(line)
        above = next(one[0] for _number, one in _backwards(lines) if one[1] < self.begin)
        return Piece(line, above, self.node.line[self.begin - 1])

    def _line(self, index: int) -> list[Shown]:
        """Return the shown part of a line that leads to the node; the next of these lines is its fork."""
        path, first, entries = self.node.lines[index]
        leaves = self.node.lines[index + 1] if index + 1 < len(self.node.lines) else None
        begin, end = max(self.begin, first), leaves[1] if leaves else self.node.ply + self.ahead
        line = []
        for ply, entry in enumerate(islice(entries, begin - first, end + 1 - first), start=begin):
            self.room.take(entry, path)
            line.append(Shown(ply, path, entry))
        close(line, first, entries)
        self.parts.append((index, line))
        if leaves:
            line[-1].forks[int(leaves[0].rpartition(".")[2])] = self._line(index + 1)
        return line

    def _add_forks(self) -> None:
        """Add the forks along the line, those near the node first.

        What replaces the first entry of all hangs on a node that is not shown.
        """
        rows = [shown for _index, line in self.parts for shown in line]
        for shown in sorted(rows[1:], key=lambda one: abs(one.ply - self.node.ply)):
            for number, fork in enumerate(shown.entry.get("forks", ())):
                if number not in shown.forks:
                    self.room.add_fork(shown, number, fork, [BESIDE])
            shown.forks = dict(sorted(shown.forks.items()))

    def _go_on(self) -> None:
        """Add what comes next in the lines that the shown one has left."""
        for index, line in self.parts[:-1]:
            path, first, entries = self.node.lines[index]
            left = line[-1]
            if more := self.room.line(entries, path, first, left.ply + 1 - first, BESIDE):
                left.last = 0
                line += more


def _backwards(lines: tuple[Any, ...]) -> Iterator[tuple[int, Any]]:
    return zip(reversed(range(len(lines))), reversed(lines), strict=True)
