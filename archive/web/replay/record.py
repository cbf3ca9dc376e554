"""A stored record as the replay page needs it: the move list with its forks, and one node of it.

A node is named by its ply and its fork path, as in `?ply=15&fork=12.0-14.1`: at ply 12 the fork number 0,
in it at ply 14 the fork number 1. The browser names nodes in the same way (static/archive/js/tree.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import ngettext

from archive.derive.issues import language
from archive.web.wording import entry_text, time_text
from kifu_core.games import of_record
from kifu_core.lines import fork_path

if TYPE_CHECKING:
    from archive.web.replay.folding import Piece, Shown
    from archive.web.replay.notes import Note
    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.messages import Language

_STEP: Final = re.compile(r"(\d{1,6})\.(\d{1,6})")
_PATH_LIMIT: Final = 2000
STRETCH: Final = 12
"""Rows of the main line that browsers lay out and paint together; those out of sight cost a step nothing."""


@dataclass(frozen=True, slots=True)
class MoveListRow:
    """One node in the move list."""

    key: str
    query: str
    ply: int
    text: str
    time: str
    total: str
    note: Note | None
    ending: bool
    score: str = ""


@dataclass(frozen=True, slots=True)
class More:
    """What a page leaves out of a record: how much of what, and where that is shown."""

    query: str
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the move list in writing order: `item` (a row begins), `end` (it ends), `fork`, `fork-end`;
    around every `STRETCH` rows of the piece's own line `stretch`, `stretch-end`; `more` for what is left out.

    Flat, so that the template needs no recursion: forks may lie a hundred deep."""

    name: str
    row: MoveListRow | None = None
    more: More | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its line up to here, what can follow, and where its line ends."""

    path: str
    ply: int
    line: tuple[MoveEntry, ...]
    """The entries from the start to this node."""
    following: tuple[tuple[str, int, MoveEntry], ...]
    """Path, ply and entry of each continuation, the line's own first."""
    end: tuple[str, int]
    moves: int
    """How many moves lead to that end."""
    before: tuple[str, int] | None
    lines: tuple[tuple[str, int, list[MoveEntry]], ...] = ()
    """Path, first ply and entries of the lines that lead here: the main line, forks, this node's own."""

    @property
    def key(self) -> str:
        return node_key(self.path, self.ply)

    @property
    def played(self) -> int:
        """Return how many moves lead here."""
        return moves_to(self.ply, self.line[-1])


def moves_to(ply: int, entry: MoveEntry) -> int:
    """Return how many moves lead to an entry: an ending is none."""
    return ply - ("special" in entry)


def node_key(path: str, ply: int) -> str:
    """Return the name of a node in the move list."""
    return f"{path}:{ply}"


def node_query(path: str, ply: int) -> str:
    """Return the query that leads to a node, with its `?`; empty for the start."""
    # Paths are digits, points and hyphens: nothing in them needs to be hidden in an address.
    fork = f"fork={path}" if path else ""
    return f"?ply={ply}{'&' if path else ''}{fork}" if ply else f"?{fork}" if path else ""


def move_list(
    kind: str,
    piece: Piece,
    clock: Mapping[int, str] | None = None,
    notes: Mapping[str, Note] | None = None,
    scores: Mapping[int, str] | None = None,
) -> Iterator[Part]:
    """Yield a piece of a record in reading order, each fork after the move it replaces. Linear in its size.

    `clock` tells by ply of the main line what the side that moved has used and `scores` how the position was
    evaluated, `notes` the comments by node.
    """
    texts = _Texts(kind, clock or {}, notes or {}, scores or {}, language())
    if piece.first.ply:
        words = ngettext("%(n)s earlier move", "%(n)s earlier moves", piece.first.ply) % {
            "n": piece.first.ply
        }
        yield from (Part("stretch"), _more(piece.above, piece.first.ply - 1, words), Part("stretch-end"))
    before = piece.before
    for first in range(0, len(piece.line), STRETCH):
        stretch = piece.line[first : first + STRETCH]
        yield Part("stretch")
        yield from _line_parts(stretch, piece.above if not first else piece.first.path, before, texts)
        yield Part("stretch-end")
        before = stretch[-1].entry


@dataclass(frozen=True, slots=True)
class _Texts:
    """The moves of a list, and what stands beside them."""

    kind: str
    clock: Mapping[int, str]
    notes: Mapping[str, Note]
    scores: Mapping[int, str]
    spoken: Language

    def row(self, shown: Shown, before: MoveEntry) -> MoveListRow:
        """Return the row of an entry, which stands behind the entry `before`."""
        entry, path, ply = shown.entry, shown.path, shown.ply
        time, key = entry.get("time"), node_key(path, ply)
        return MoveListRow(
            key=key,
            query=node_query(path, ply),
            ply=ply,
            text=entry_text(self.kind, entry, before, self.spoken),
            time=time_text(time["now"]) if time else "",
            total=total_text(entry, ply, path, self.clock),
            note=self.notes.get(key),
            ending="special" in entry,
            score="" if path else self.scores.get(ply, ""),
        )


def _line_parts(line: Iterable[Shown], above: str, before: MoveEntry, texts: _Texts) -> Iterator[Part]:
    """Yield the parts of a line; `above` and `before` are path and entry of the node before it."""
    for shown in line:
        yield Part("item", texts.row(shown, before))
        for fork in shown.forks.values():
            yield Part("fork")
            yield from _line_parts(fork, above, before, texts)
            yield Part("fork-end")
        if shown.left:
            words = ngettext("%(n)s more variation", "%(n)s more variations", shown.left) % {"n": shown.left}
            yield from (Part("fork"), _more(above, shown.ply - 1, words), Part("fork-end"))
        yield Part("end")
        above, before = shown.path, shown.entry
        if shown.last:
            count = shown.last - shown.ply
            words = ngettext("%(n)s more move", "%(n)s more moves", count) % {"n": count}
            yield _more(shown.path, shown.ply + 1, words)


def _more(path: str, ply: int, text: str) -> Part:
    return Part("more", more=More(node_query(path, ply), text))


def total_text(entry: MoveEntry, ply: int, path: str, clock: Mapping[int, str]) -> str:
    """Return what the side that moved has used.

    On the main line the clock tells it, else the record's own totals.
    """
    if not path and ply in clock:
        return clock[ply]
    total = entry.get("time", {}).get("total")
    return time_text(total) if total else ""


def is_timed(record: Record) -> bool:
    """Return whether the record's times say anything: programs without clocks write zeros."""
    return any(any(entry["time"]["now"].values()) for entry in record["moves"] if "time" in entry)


def find_node(record: Record, path: str, ply: int) -> Node:
    """Return the node of a ply on a fork path, or the nearest one there where the record is shorter.

    A path that the record does not have leads to the main line.
    """
    lines = _lines(record, path)
    if lines is None:
        return find_node(record, "", ply)
    entries: list[MoveEntry] = []
    for own, first, line in lines:
        entries[first:] = line
        path = own
    ply = max(0, min(ply, len(entries) - 1))
    path = next((own for own, first, _line in reversed(lines) if ply >= first), "")
    return _node(lines, entries, path, ply)


def _lines(record: Record, path: str) -> list[tuple[str, int, list[MoveEntry]]] | None:
    """Return path, first ply and entries of the main line and each fork on the way; None for a wrong path."""
    line = record["moves"]
    lines: list[tuple[str, int, list[MoveEntry]]] = [("", 0, line)]
    own, first = "", 0
    for step in path[:_PATH_LIMIT].split("-") if path else ():
        match = _STEP.fullmatch(step)
        if match is None:
            return None
        ply, number = int(match[1]), int(match[2])
        if not 0 <= ply - first < len(line) or number >= len(line[ply - first].get("forks", ())):
            return None
        line = line[ply - first]["forks"][number]
        own, first = fork_path(own, ply, number), ply
        lines.append((own, first, line))
    return lines


def _node(
    lines: list[tuple[str, int, list[MoveEntry]]], entries: list[MoveEntry], path: str, ply: int
) -> Node:
    number, (line_path, first, line) = next(known for known in enumerate(lines) if known[1][0] == path)
    here = ply - first
    following: list[tuple[str, int, MoveEntry]] = []
    if here + 1 < len(line):
        following.append((path, ply + 1, line[here + 1]))
        following.extend(_forks_of(line[here + 1], path, ply + 1))
    before = None if ply == 0 else (path if ply > first else _parent_path(lines, path, ply - 1), ply - 1)
    return Node(
        path=line_path,
        ply=ply,
        line=tuple(entries[: ply + 1]),
        following=tuple(following),
        end=(path, first + len(line) - 1),
        moves=moves_to(first + len(line) - 1, line[-1]),
        before=before,
        lines=tuple(lines[: number + 1]),
    )


def _forks_of(entry: MoveEntry, path: str, ply: int) -> Iterator[tuple[str, int, MoveEntry]]:
    for number, fork in enumerate(entry.get("forks", ())):
        if fork:
            own = fork_path(path, ply, number)
            yield own, ply, fork[0]
            yield from _forks_of(fork[0], own, ply)


def _parent_path(lines: list[tuple[str, int, list[MoveEntry]]], path: str, ply: int) -> str:
    """Return the path of the node before a fork's first move: the innermost line that reaches that ply."""
    place = [own for own, _first, _line in lines].index(path)
    return next((own for own, first, _line in reversed(lines[:place]) if first <= ply), "")


def start(record: Record) -> Any:
    """Return the position where a record of any game begins."""
    _ply, position, _move, _entry = next(of_record(record).replay.main_line(record))
    return position


def position_at(record: Record, node: Node, ply: int | None = None) -> tuple[Any, int | None, int]:
    """Return the position at a node, the packed move that made it (None at the start), and the moves played.

    With `ply`, return those of an earlier node on the way there.
    """
    game = of_record(record)
    position = start(record)
    last = None
    played = 0
    for entry in node.line if ply is None else node.line[: ply + 1]:
        if "move" in entry:
            last = game.replay.packed_move(entry["move"])
            position.do_move(last)
            played += 1
    return position, last, played
