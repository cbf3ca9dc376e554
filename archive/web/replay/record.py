"""A record for the replay page: the move list with its forks, and single nodes.

A node is identified by its ply and its fork path, as in `?ply=15&fork=12.0-14.1`: at ply 12 fork number 0, in
it at ply 14 fork number 1. Scripts identify nodes in the same way (static/archive/js/tree.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.utils.translation import ngettext

from archive.derive.issues import language
from archive.web.wording import entry_text, time_text
from kifu_core.games import of_record
from kifu_core.lines import fork_path

if TYPE_CHECKING:
    from archive.web.replay.folding import Piece, ShownEntry
    from archive.web.replay.notes import Note
    from archive.web.replay.score_notes import ScoreNote
    from kifu_core.jkf import MoveEntry, Record
    from kifu_core.messages import Language

_STEP: Final = re.compile(r"(\d{1,6})\.(\d{1,6})")
_PATH_LIMIT: Final = 2000
STRETCH: Final = 12
"""Rows of the main line in one list item, which browsers lay out and paint together."""


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
    score: ScoreNote | None = None


@dataclass(frozen=True, slots=True)
class Omission:
    """A link to a part of the record that the page leaves out."""

    query: str
    text: str


@dataclass(frozen=True, slots=True)
class MoveListPart:
    """A token of the move list: `item` and `end` of a row, `fork` and `fork-end`, `stretch` and `stretch-end`
    around every `STRETCH` rows of the piece's own line, `omission` for a part that is left out.

    The list is flat, so that rendering needs no recursion: forks may be nested a hundred deep.
    """

    name: str
    row: MoveListRow | None = None
    omission: Omission | None = None


class RecordLine(NamedTuple):
    """The main line or a fork: its path, its first ply and its entries."""

    path: str
    first: int
    entries: list[MoveEntry]


@dataclass(frozen=True, slots=True)
class RecordNode:
    """A node of a record, with its line and its continuations."""

    path: str
    ply: int
    line: tuple[MoveEntry, ...]
    """The entries from the start to this node."""
    following: tuple[tuple[str, int, MoveEntry], ...]
    """Path, ply and entry of each continuation, the line's own first."""
    end: tuple[str, int]
    """Path and ply of the last node of the line."""
    moves: int
    """Moves from the start to that end."""
    before: tuple[str, int] | None
    """Path and ply of the node before; None at the start."""
    lines: tuple[RecordLine, ...] = ()
    """The main line and the forks that lead here."""

    @property
    def key(self) -> str:
        return node_key(self.path, self.ply)

    @property
    def played(self) -> int:
        """Return the number of moves from the start."""
        return moves_to(self.ply, self.line[-1])


def moves_to(ply: int, entry: MoveEntry) -> int:
    """Return the number of moves up to an entry, which may be an ending."""
    return ply - ("special" in entry)


def node_key(path: str, ply: int) -> str:
    """Return the key of a node in the move list."""
    return f"{path}:{ply}"


def node_query(path: str, ply: int) -> str:
    """Return the query of a node's address with its `?`; empty for the start."""
    # Paths are digits, points and hyphens, which need no quoting.
    fork = f"fork={path}" if path else ""
    return f"?ply={ply}{'&' if path else ''}{fork}" if ply else f"?{fork}" if path else ""


def move_list(
    kind: str,
    piece: Piece,
    clock: Mapping[int, str] | None = None,
    notes: Mapping[str, Note] | None = None,
    scores: Mapping[int, ScoreNote] | None = None,
) -> Iterator[MoveListPart]:
    """Yield a piece of a record in reading order, each fork after the move it replaces. Linear in its size.

    `clock` and `scores` are the clock of the side that moved and the evaluation by ply of the main line,
    `notes` the comments by node.
    """
    texts = _RowBuilder(kind, clock or {}, notes or {}, scores or {}, language())
    if n := piece.first.ply:
        text = ngettext("%(n)s earlier move", "%(n)s earlier moves", n) % {"n": n}
        yield from (MoveListPart("stretch"), _omission(piece.above, n - 1, text), MoveListPart("stretch-end"))
    before = piece.before
    for first in range(0, len(piece.line), STRETCH):
        stretch = piece.line[first : first + STRETCH]
        yield MoveListPart("stretch")
        yield from _line_parts(stretch, piece.above if not first else piece.first.path, before, texts)
        yield MoveListPart("stretch-end")
        before = stretch[-1].entry


@dataclass(frozen=True, slots=True)
class _RowBuilder:
    kind: str
    clock: Mapping[int, str]
    notes: Mapping[str, Note]
    scores: Mapping[int, ScoreNote]
    language: Language

    def row(self, item: ShownEntry, previous: MoveEntry) -> MoveListRow:
        entry, path, ply = item.entry, item.path, item.ply
        time, key = entry.get("time"), node_key(path, ply)
        return MoveListRow(
            key=key,
            query=node_query(path, ply),
            ply=ply,
            text=entry_text(self.kind, entry, previous, self.language),
            time=time_text(time["now"]) if time else "",
            total=total_text(entry, ply, path, self.clock),
            note=self.notes.get(key),
            ending="special" in entry,
            score=None if path else self.scores.get(ply),
        )


def _line_parts(
    line: Iterable[ShownEntry], above: str, before: MoveEntry, texts: _RowBuilder
) -> Iterator[MoveListPart]:
    """Yield the parts of a line; `above` and `before` are path and entry of the preceding node."""
    for shown in line:
        yield MoveListPart("item", texts.row(shown, before))
        for fork in shown.forks.values():
            yield MoveListPart("fork")
            yield from _line_parts(fork, above, before, texts)
            yield MoveListPart("fork-end")
        if n := shown.omitted:
            text = ngettext("%(n)s more variation", "%(n)s more variations", n) % {"n": n}
            yield from (MoveListPart("fork"), _omission(above, shown.ply - 1, text), MoveListPart("fork-end"))
        yield MoveListPart("end")
        above, before = shown.path, shown.entry
        if shown.last:
            n = shown.last - shown.ply
            text = ngettext("%(n)s more move", "%(n)s more moves", n) % {"n": n}
            yield _omission(shown.path, shown.ply + 1, text)


def _omission(path: str, ply: int, text: str) -> MoveListPart:
    return MoveListPart("omission", omission=Omission(node_query(path, ply), text))


def total_text(entry: MoveEntry, ply: int, path: str, clock: Mapping[int, str]) -> str:
    """Return the clock of the side that moved; on forks, and without a clock, the total in the record."""
    if not path and ply in clock:
        return clock[ply]
    total = entry.get("time", {}).get("total")
    return time_text(total) if total else ""


def is_timed(record: Record) -> bool:
    """Return whether the record has times other than zeros, which programs without clocks write."""
    return any(any(entry["time"]["now"].values()) for entry in record["moves"] if "time" in entry)


def find_node(record: Record, path: str, ply: int) -> RecordNode:
    """Return the node of a ply on a fork path, the last one if the record is shorter, on the main line if the
    record has no such path."""
    lines = _lines(record, path)
    if lines is None:
        return find_node(record, "", ply)
    entries: list[MoveEntry] = []
    for _path, first, line in lines:
        entries[first:] = line
    ply = max(0, min(ply, len(entries) - 1))
    return _node(lines, entries, _path_at(lines, ply), ply)


def _path_at(lines: list[RecordLine], ply: int) -> str:
    """Return the path of the innermost line that begins at a ply or before."""
    return next((line.path for line in reversed(lines) if line.first <= ply), "")


def _lines(record: Record, path: str) -> list[RecordLine] | None:
    """Return the main line and each fork of a path; None for a wrong path."""
    line = RecordLine("", 0, record["moves"])
    lines = [line]
    for step in path[:_PATH_LIMIT].split("-") if path else ():
        match = _STEP.fullmatch(step)
        if match is None:
            return None
        ply, number = int(match[1]), int(match[2])
        at = ply - line.first
        if not 0 <= at < len(line.entries) or number >= len(line.entries[at].get("forks", ())):
            return None
        line = RecordLine(fork_path(line.path, ply, number), ply, line.entries[at]["forks"][number])
        lines.append(line)
    return lines


def _node(lines: list[RecordLine], entries: list[MoveEntry], path: str, ply: int) -> RecordNode:
    number = [line.path for line in lines].index(path)
    _path, first, line = lines[number]
    following: list[tuple[str, int, MoveEntry]] = []
    if ply + 1 - first < len(line):
        entry = line[ply + 1 - first]
        following = [(path, ply + 1, entry), *_forks_of(entry, path, ply + 1)]
    parent = path if ply > first else _path_at(lines[:number], ply - 1)
    return RecordNode(
        path=path,
        ply=ply,
        line=tuple(entries[: ply + 1]),
        following=tuple(following),
        end=(path, first + len(line) - 1),
        moves=moves_to(first + len(line) - 1, line[-1]),
        before=(parent, ply - 1) if ply else None,
        lines=tuple(lines[: number + 1]),
    )


def _forks_of(entry: MoveEntry, path: str, ply: int) -> Iterator[tuple[str, int, MoveEntry]]:
    for number, fork in enumerate(entry.get("forks", ())):
        if fork:
            own = fork_path(path, ply, number)
            yield own, ply, fork[0]
            yield from _forks_of(fork[0], own, ply)


def start_position(record: Record) -> Any:
    """Return the position at the start of a record of any game."""
    _ply, position, _move, _entry = next(of_record(record).replay.main_line(record))
    return position


def position_at(record: Record, node: RecordNode, ply: int | None = None) -> tuple[Any, int | None, int]:
    """Return the position at a node, the last packed move (None at the start), and the number of moves.

    `ply` selects an earlier node of the same line.
    """
    game, position = of_record(record), start_position(record)
    last, played = None, 0
    for entry in node.line if ply is None else node.line[: ply + 1]:
        if "move" in entry:
            last = game.replay.packed_move(entry["move"])
            position.do_move(last)
            played += 1
    return position, last, played
