"""The comments of a page: all of them, or the beginning of each if they are too long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from archive.web.lists.rows import note_line
from archive.web.replay.engine_lines import Thought, other_lines
from archive.web.replay.record import node_key
from archive.web.wording import evaluation_text
from kifu_core.shogi.annotations import read as read_annotations
from kifu_core.shogi.evaluations import floodgate

if TYPE_CHECKING:
    from archive.web.replay.folding import ShownEntry
    from kifu_core.shogi.annotations import Mark, Shape

Line = str | Thought
"""One line of a note."""

NOTES: Final = 120_000
"""Bytes of all comments in a page's list of moves."""
NOTE: Final = 50_000
"""Bytes of the comments of the shown node, which a page has twice."""
_LONGEST: Final = 2000
"""Characters of an engine's line that is translated into words."""
_MOST_PER_CHARACTER: Final = 12
"""The most bytes of a character as HTML: addresses become links, which have them twice."""


@dataclass(frozen=True, slots=True)
class Note:
    """Comments and thoughts of one node; `cut` if `lines` are not all. `mark` and `shapes` were in the
    comments, too."""

    lines: tuple[Line, ...] = ()
    cut: bool = False
    mark: Mark | None = None
    shapes: tuple[Shape, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Return whether it has anything to read."""
        return bool(self.lines or self.cut or self.mark)

    @property
    def words(self) -> str:
        """Return the first comment; empty if there is none."""
        return next((line for line in self.lines if isinstance(line, str)), "")


def notes_of(
    rows: Iterable[ShownEntry], key: str, thoughts: Mapping[int, Sequence[Thought]] | None = None
) -> Mapping[str, Note]:
    """Return the comments of all rows by key, cut to equal shares if they are too long together.

    The node `key` has a share of its own. `thoughts` are those about positions of the main line, by ply; they
    replace the lines of comments that they were read from.
    """
    complete = {
        node_key(row.path, row.ply): complete_note(
            comments, () if row.path else (thoughts or {}).get(row.ply, ())
        )
        for row in rows
        if (comments := row.entry.get("comments"))
    }
    own = complete.pop(key, None)
    notes = {key: shortened(own, NOTE)} if own else {}
    if _fit(note.lines for note in complete.values()):
        return notes | complete
    return notes | {name: shortened(note, NOTES // len(complete)) for name, note in complete.items()}


def complete_note(comments: Sequence[str], thoughts: Sequence[Thought] = ()) -> Note:
    """Return the note of a node: its comments without the annotations, with thoughts in place of the lines
    that hold them."""
    mark, shapes, text = read_annotations(comments)
    if thoughts:
        lines: Sequence[Line] = [*other_lines(text), *thoughts]
    else:
        # A call for each of very many lines would take longer than all else.
        lines = [readable(line) if line[:1] == "*" else line for line in text]
    return Note(tuple(lines), mark=mark, shapes=shapes)


def readable(line: str) -> str:
    """Return a comment, with floodgate's evaluations (`** 1704 +8594OU`) translated into words."""
    one = floodgate(line) if len(line) <= _LONGEST else None
    return line if one is None else evaluation_text(one)


def _fit(comments: Iterable[Sequence[Line]]) -> bool:
    """Return whether all comments fit into `NOTES`."""
    left = NOTES
    for line in chain.from_iterable(comments):
        left -= _size(line, left)
        if left < 0:
            return False
    return True


def shortened(note: Note, size: int) -> Note:
    """Return a note with the lines that fit into `size` bytes of HTML."""
    fitting: list[Line] = []
    for line in note.lines:
        line_size = _size(line, size)
        if line_size > size:
            part = line[: size // _MOST_PER_CHARACTER] if isinstance(line, str) else ""
            return replace(note, lines=tuple([*fitting, f"{part}…"] if part else fitting), cut=True)
        size -= line_size
        fitting.append(line)
    return note


def _size(line: Line, limit: int) -> int:
    """Return the bytes of a line as HTML; of a line with more than `limit` characters, their number."""
    if isinstance(line, str) and len(line) > limit:
        return len(line)
    return len(note_line(line).encode(errors="replace"))
