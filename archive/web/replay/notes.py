"""The comments that one page shows: all of them, or where they are long the beginning of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from archive.web.lists.rows import note_line
from archive.web.replay.engine_lines import Thought, other_lines
from archive.web.replay.record import node_key
from archive.web.wording import evaluation_text
from kifu_core.shogi.evaluations import floodgate

if TYPE_CHECKING:
    from archive.web.replay.folding import Shown

Line = str | Thought
"""What stands on a line of its own."""

NOTES: Final = 120_000
"""Bytes that the comments of a page's list may take."""
NOTE: Final = 50_000
"""Bytes of the comments of the node that the page is about, which stand there twice."""
_LONGEST: Final = 2000
"""Characters of an engine's line that are put into words."""
_MOST_PER_CHARACTER: Final = 12
"""Bytes that a character may take as HTML: addresses are written twice, with what makes them links."""


@dataclass(frozen=True, slots=True)
class Note:
    """Comments of one node, and what engines thought there; `cut` tells that there is more than `lines`."""

    lines: tuple[Line, ...] = ()
    cut: bool = False

    @property
    def words(self) -> str:
        """Return the first comment, as far as there is one."""
        return next((line for line in self.lines if isinstance(line, str)), "")


def notes_of(
    rows: Iterable[Shown], key: str, thoughts: Mapping[int, Sequence[Thought]] | None = None
) -> Mapping[str, Note]:
    """Return the comments of all rows by their keys; where there is no room for all, an equal share of each.

    The node `key` has a share of its own. `thoughts` are those about positions of the main line, by their
    plies: they stand for the lines that they were read from.
    """
    found = {
        node_key(row.path, row.ply): lines_of(comments, () if row.path else (thoughts or {}).get(row.ply, ()))
        for row in rows
        if (comments := row.entry.get("comments"))
    }
    own = found.pop(key, [])
    notes = {key: note_of(own, NOTE)} if own else {}
    whole = _all_of(found.values())
    for name, lines in found.items():
        notes[name] = Note(tuple(lines)) if whole else note_of(lines, NOTES // len(found))
    return notes


def lines_of(comments: Sequence[str], thoughts: Sequence[Thought] = ()) -> Sequence[Line]:
    """Return what a page shows of a node: its comments, and thoughts in place of those that tell of them."""
    if thoughts:
        return [*other_lines(comments), *thoughts]
    # To call a function for each of very many lines would take longer than all else.
    return [readable(line) if line[:1] == "*" else line for line in comments]


def readable(line: str) -> str:
    """Return a comment as pages show it.

    What a server has written for programs (`** 1704 +8594OU`) is put into words.
    """
    one = floodgate(line) if len(line) <= _LONGEST else None
    return line if one is None else evaluation_text(one)


def _all_of(comments: Iterable[Sequence[Line]]) -> bool:
    """Return whether there is room for all of these comments."""
    left = NOTES
    for lines in comments:
        for line in lines:
            left -= _size(line, left)
            if left < 0:
                return False
    return True


def note_of(lines: Sequence[Line], room: int) -> Note:
    """Return as much of a node's comments as there is room for, counted in bytes of a page."""
    taken: list[Line] = []
    for line in lines:
        size = _size(line, room)
        if size > room:
            part = line[: room // _MOST_PER_CHARACTER] if isinstance(line, str) else ""
            return Note(tuple([*taken, f"{part}…"] if part else taken), cut=True)
        room -= size
        taken.append(line)
    return Note(tuple(taken))


def _size(line: Line, most: int) -> int:
    """Return the bytes of a line as HTML. Of a line too long anyway, return some number above `most`."""
    if isinstance(line, str) and len(line) > most:
        return len(line)
    return len(note_line(line).encode(errors="replace"))
