"""A stored record as the replay page needs it: the move list with its forks, and one node of it.

A node is named by its ply and its fork path, as in `?ply=15&fork=12.0-14.1`: at ply 12 the fork number 0,
in it at ply 14 the fork number 1. The browser names nodes in the same way (static/archive/js/tree.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from archive.web.wording import ending_text, move_text, quoridor_move, time_text
from kifu_core.games import of_record

if TYPE_CHECKING:
    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.quoridor import record as quoridor_record

_STEP: Final = re.compile(r"(\d{1,5})\.(\d{1,5})")
_PATH_LIMIT: Final = 2000
STRETCH: Final = 12
"""Rows of the main line that browsers lay out and paint together; those out of sight cost a step nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """One node in the move list."""

    key: str
    query: str
    ply: int
    text: str
    time: str
    total: str
    comments: tuple[str, ...]
    ending: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the move list in writing order: `item` (a row begins), `end` (it ends), `fork`, `fork-end`;
    around every `STRETCH` rows of the main line `stretch`, `stretch-end`.

    Flat, so that the template needs no recursion: forks may lie a hundred deep."""

    name: str
    row: Row | None = None


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
    before: tuple[str, int] | None

    @property
    def key(self) -> str:
        return node_key(self.path, self.ply)


def node_key(path: str, ply: int) -> str:
    """The name of a node in the move list."""
    return f"{path}:{ply}"


def node_query(path: str, ply: int) -> str:
    """The query that leads to a node, with its `?`; empty for the start."""
    fields = ({"ply": str(ply)} if ply else {}) | ({"fork": path} if path else {})
    return f"?{urlencode(fields)}" if fields else ""


def move_list(record: Record, clock: Mapping[int, str] | None = None) -> Iterator[Part]:
    """The whole record in reading order, forks after the move they replace. Linear in its size.

    `clock` tells by ply of the main line what the side that moved has used.
    """
    entries = record["moves"]
    before: MoveEntry = {}
    for first in range(0, len(entries), STRETCH):
        stretch = entries[first : first + STRETCH]
        yield Part("stretch")
        yield from _line_parts(stretch, "", first, clock or {}, before)
        yield Part("stretch-end")
        before = stretch[-1]


def _line_parts(
    entries: list[MoveEntry], path: str, first: int, clock: Mapping[int, str], before: MoveEntry
) -> Iterator[Part]:
    for ply, entry in enumerate(entries, start=first):
        yield Part("item", _row(entry, path, ply, clock, before))
        for number, fork in enumerate(entry.get("forks", ())):
            yield Part("fork")
            yield from _line_parts(fork, _fork_path(path, ply, number), ply, clock, before)
            yield Part("fork-end")
        yield Part("end")
        before = entry


def _fork_path(path: str, ply: int, number: int) -> str:
    step = f"{ply}.{number}"
    return f"{path}-{step}" if path else step


def total_text(entry: MoveEntry, ply: int, path: str, clock: Mapping[int, str]) -> str:
    """What the side that moved has used: by the clock on the main line, else by the record's own totals."""
    if not path and ply in clock:
        return clock[ply]
    total = entry.get("time", {}).get("total")
    return time_text(total) if total else ""


def _row(entry: MoveEntry, path: str, ply: int, clock: Mapping[int, str], before: MoveEntry) -> Row:
    time = entry.get("time")
    return Row(
        key=node_key(path, ply),
        query=node_query(path, ply),
        ply=ply,
        text=entry_text(entry, before),
        time=time_text(time["now"]) if time else "",
        total=total_text(entry, ply, path, clock),
        comments=tuple(entry.get("comments", ())),
        ending="special" in entry,
    )


def is_timed(record: Record) -> bool:
    """Whether the record's times say anything: programs without clocks write zeros."""
    return any(any(entry["time"]["now"].values()) for entry in record["moves"] if "time" in entry)


def entry_text(entry: MoveEntry, before: MoveEntry | None = None) -> str:
    """A move, an ending, or the start in words; `before` is the entry that comes before it in its line."""
    if "move" in entry:
        move = entry["move"]
        if "piece" not in cast("Mapping[str, object]", move):
            return quoridor_move(cast("quoridor_record.Move", move))
        return move_text(move, (before or {}).get("move"))
    return ending_text(entry["special"]) if "special" in entry else _("Start position")


def find_node(record: Record, path: str, ply: int) -> Node:
    """The node of a ply on a fork path; the nearest one there is where the record is shorter.

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
    """Path, first ply and entries of the main line and each fork on the way; None for a wrong path."""
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
        own, first = _fork_path(own, ply, number), ply
        lines.append((own, first, line))
    return lines


def _node(
    lines: list[tuple[str, int, list[MoveEntry]]], entries: list[MoveEntry], path: str, ply: int
) -> Node:
    line_path, first, line = next(known for known in lines if known[0] == path)
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
        before=before,
    )


def _forks_of(entry: MoveEntry, path: str, ply: int) -> Iterator[tuple[str, int, MoveEntry]]:
    for number, fork in enumerate(entry.get("forks", ())):
        if fork:
            own = _fork_path(path, ply, number)
            yield own, ply, fork[0]
            yield from _forks_of(fork[0], own, ply)


def _parent_path(lines: list[tuple[str, int, list[MoveEntry]]], path: str, ply: int) -> str:
    """The path of the node before a fork's first move: the innermost line that reaches that ply."""
    place = [own for own, _first, _line in lines].index(path)
    return next((own for own, first, _line in reversed(lines[:place]) if first <= ply), "")


def start(record: Record) -> Any:
    """The position where a record of any game begins."""
    _ply, position, _move, _entry = next(of_record(record).main_line(record))
    return position


def position_at(record: Record, node: Node) -> tuple[Any, int | None, int]:
    """The position at a node, the packed move that made it (None at the start), and the moves played."""
    game = of_record(record)
    position = start(record)
    last = None
    played = 0
    for entry in node.line:
        if "move" in entry:
            last = game.packed_move(entry["move"])
            position.do_move(last)
            played += 1
    return position, last, played
