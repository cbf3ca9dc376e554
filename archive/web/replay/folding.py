"""The part of a record that one page shows: all of it, or the part around a node if it is long.

The size of a page is limited. The rest of the record can be reached from the shown part: earlier and later
plies by their addresses, forks through the continuations of the node before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from archive.web.replay.record import moves_to
from kifu_core.lines import fork_path

if TYPE_CHECKING:
    from archive.web.replay.record import RecordNode
    from kifu_core.jkf import MoveEntry, Record

PIECE: Final = 600_000
"""Bytes of the rows of a page, in its list and in its data, without comments."""
AHEAD: Final = 400
"""Plies shown after the node of a folded record, and half as many before it."""
FORK_ROWS: Final = 40
"""Rows of a fork, or of a line that the shown one leaves, in a folded record."""
_ROW: Final = 310
_TIME: Final = 90
_NOTE: Final = 140
_SHARE: Final = 0.7
"""The part of `PIECE` that the shown line may take; forks get the rest."""


@dataclass(slots=True)
class ShownEntry:
    """An entry of a line that the page shows."""

    ply: int
    path: str
    """The path of the line."""
    entry: MoveEntry
    forks: dict[int, list[ShownEntry]] = field(default_factory=dict)
    """The forks from this entry by their numbers."""
    omitted: int = 0
    """The number of forks that are not shown."""
    last: int = 0
    """If the page omits the rest of the line: the ply with which the line ends. Otherwise 0."""
    moves: int = 0
    """If the page omits the rest of the line: the number of moves up to there. Otherwise 0."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a record on a page. If `line` does not begin with the start, `above` and `before` are path
    and entry of the node before it."""

    line: list[ShownEntry]
    above: str = ""
    before: MoveEntry = field(default_factory=lambda: cast("MoveEntry", {}))

    @property
    def first(self) -> ShownEntry:
        return self.line[0]

    def rows(self) -> Iterator[ShownEntry]:
        """Yield all entries, those of forks after the one that they replace."""
        stack = [iter(self.line)]
        while stack:
            if (shown := next(stack[-1], None)) is None:
                stack.pop()
            else:
                yield shown
                stack += [iter(fork) for fork in reversed(shown.forks.values())]

    def data(self) -> dict[str, Any]:
        """Return the data from which scripts build their tree (static/archive/js/tree.js)."""
        first = self.first
        return {"path": first.path, "ply": first.ply, "above": self.above, "moves": _data(self.line)}


def _data(line: list[ShownEntry]) -> list[dict[str, Any]]:
    """Return the data for playing the moves; texts, times and comments are in the list."""
    moves: list[dict[str, Any]] = []
    for shown in line:
        data: dict[str, Any] = {}
        if "move" in shown.entry:
            move = shown.entry["move"].items()
            data["move"] = {name: value for name, value in move if name not in ("relative", "same")}
        if shown.forks:
            data["forks"] = {number: _data(fork) for number, fork in shown.forks.items()}
        if shown.omitted:
            data["left"] = shown.omitted
        if shown.last:
            data |= {"last": shown.last, "moves": shown.moves}
        moves.append(data)
    return moves


def piece_of(record: Record, node: RecordNode) -> Piece:
    """Return the piece for the page of a node. Linear in the piece, not in the record."""
    budget = _Budget()
    line = budget.line(record["moves"], "", 0)
    return _FoldedPiece(node).piece() if budget.is_full else Piece(line)


def _cost(entry: MoveEntry, path: str) -> int:
    """Estimate the bytes of an entry's row."""
    note = _NOTE + len(path) if "comments" in entry else 0
    return _ROW + 2 * len(path) + note + (_TIME if "time" in entry else 0)


@dataclass(slots=True)
class _RowLimit:
    """The number of rows that a line may still take together with its forks."""

    rows: int = FORK_ROWS


class _Budget:
    """Takes rows until `PIECE` bytes are used."""

    def __init__(self) -> None:
        self.left = PIECE
        self.is_full = False

    def take(self, entry: MoveEntry, path: str) -> bool:
        """Take a row if it fits, and return whether it does."""
        cost = _cost(entry, path)
        self.is_full = self.is_full or self.left < cost
        if not self.is_full:
            self.left -= cost
        return not self.is_full

    def line(
        self, entries: list[MoveEntry], path: str, first: int, begin: int = 0, limit: _RowLimit | None = None
    ) -> list[ShownEntry]:
        """Take the entries of a line from `begin` on, with their forks."""
        line: list[ShownEntry] = []
        for ply, entry in enumerate(islice(entries, begin, None), start=first + begin):
            if (limit is not None and not limit.rows) or not self.take(entry, path):
                break
            if limit is not None:
                limit.rows -= 1
            shown = ShownEntry(ply, path, entry)
            line.append(shown)
            for number, fork in enumerate(entry.get("forks", ())):
                self.add_fork(shown, number, fork, limit)
        mark_end(line, first, entries)
        return line

    def add_fork(
        self, shown: ShownEntry, number: int, fork: list[MoveEntry], limit: _RowLimit | None
    ) -> None:
        """Add a fork to an entry, or count it as omitted."""
        if not fork:
            return
        path = fork_path(shown.path, shown.ply, number)
        if line := [] if self.is_full else self.line(fork, path, shown.ply, limit=limit):
            shown.forks[number] = line
        else:
            shown.omitted += 1


def mark_end(line: list[ShownEntry], first: int, entries: list[MoveEntry]) -> None:
    """Record the end of the line at the last shown entry, if entries follow it."""
    last = first + len(entries) - 1
    if line and line[-1].ply < last:
        line[-1].last, line[-1].moves = last, moves_to(last, entries[-1])


class _FoldedPiece:
    """Selects the part of a long record around a node: first its own line, then forks next to it."""

    def __init__(self, node: RecordNode) -> None:
        self.node = node
        self.budget = _Budget()
        width = _ROW + _TIME + _NOTE + 3 * len(node.path)
        self.ahead = min(AHEAD, int(_SHARE * PIECE / width / 1.5))
        self.begin = max(0, node.ply - self.ahead // 2)
        self.parts: list[tuple[int, list[ShownEntry]]] = []

    def piece(self) -> Piece:
        lines = self.node.lines
        line = self._line(max(index for index, line in enumerate(lines) if line.first <= self.begin))
        self._add_forks()
        self._continue_lines()
        if not self.begin:
            return Piece(line)
        above = next(line.path for line in reversed(lines) if line.first < self.begin)
        return Piece(line, above, self.node.line[self.begin - 1])

    def _line(self, index: int) -> list[ShownEntry]:
        """Return the shown part of one of the node's lines, with the next of these lines as its fork."""
        path, first, entries = self.node.lines[index]
        fork = self.node.lines[index + 1] if index + 1 < len(self.node.lines) else None
        begin, end = max(self.begin, first), fork.first if fork else self.node.ply + self.ahead
        line = []
        for ply, entry in enumerate(islice(entries, begin - first, end + 1 - first), start=begin):
            self.budget.take(entry, path)
            line.append(ShownEntry(ply, path, entry))
        mark_end(line, first, entries)
        self.parts.append((index, line))
        if fork:
            line[-1].forks[int(fork.path.rpartition(".")[2])] = self._line(index + 1)
        return line

    def _add_forks(self) -> None:
        """Add the forks along the line, those near the node first. Alternatives to the first shown entry
        belong to a node that is not shown."""
        rows = [shown for _index, line in self.parts for shown in line]
        for shown in sorted(rows[1:], key=lambda row: abs(row.ply - self.node.ply)):
            for number, fork in enumerate(shown.entry.get("forks", ())):
                if number not in shown.forks:
                    self.budget.add_fork(shown, number, fork, _RowLimit())
            shown.forks = dict(sorted(shown.forks.items()))

    def _continue_lines(self) -> None:
        """Add the next entries of the lines that the shown one leaves."""
        for index, line in self.parts[:-1]:
            path, first, entries = self.node.lines[index]
            end = line[-1]
            if following := self.budget.line(entries, path, first, end.ply + 1 - first, _RowLimit()):
                end.last = 0
                line += following
