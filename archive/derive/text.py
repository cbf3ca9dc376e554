"""The searchable text of a record, and bits for its kinds of content.

Both follow from the union of a game's editions. The names of players and the event are searched through their
own tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from archive.derive import headers
from archive.names.search_text import joined_forms
from kifu_core.jkf import MoveEntry, Record
from kifu_core.lines import nodes_of
from kifu_core.shogi.annotations import without_shapes
from kifu_core.shogi.evaluations import is_evaluation

COMMENTS: Final = 1
EVALUATIONS: Final = 2
TIMES: Final = 4
FORKS: Final = 8
FEATURES: Final = {"comments": COMMENTS, "evals": EVALUATIONS, "times": TIMES, "forks": FORKS}
"""Bits of `Game.features` by their names in the API."""


def features(record: Record, *, evaluated: bool) -> int:
    """Return the bits of a record's content: comments of people, times and forks in any line, and
    `evaluated`. Times count if one move took at least a second, since some programs write 0:00 at every
    move."""
    bits = EVALUATIONS if evaluated else 0
    entries = _entries(record)
    if entries is not record["moves"]:
        bits |= FORKS
    if any("time" in entry and any(entry["time"].get("now", {}).values()) for entry in entries):
        bits |= TIMES
    if any("comments" in entry and any(comment_lines(entry)) for entry in entries):
        bits |= COMMENTS
    return bits


def _entries(record: Record) -> Sequence[MoveEntry]:
    moves = record["moves"]
    if not any("forks" in entry for entry in moves):
        return moves
    return [entry for _path, _ply, entry in nodes_of(moves)]


def text(record: Record, parts: headers.HeaderParts | None = None) -> str:
    """Return the searchable text of a record (`archive.names.search_text`): its headers, then people's
    comments in reading order, cut at `search_text.LONGEST`. `parts` are those of its header, if the caller
    has them."""
    return joined_forms(_lines(record, parts or headers.header_parts(record["header"])))


def _lines(record: Record, parts: headers.HeaderParts) -> Iterator[str]:
    listed = {*parts.names, parts.event.name}
    for value in record["header"].values():
        yield from (line for line in value.splitlines() if headers.plain(line) not in listed)
    for entry in _entries(record):
        if "comments" in entry:
            yield from comment_lines(entry)


def comment_lines(entry: MoveEntry) -> Iterator[str]:
    """Yield the lines of an entry's comments that are not an engine's, without circles and arrows."""
    for comment in entry.get("comments", ()):
        lines = map(without_shapes, comment.splitlines())
        yield from (line for line in lines if line.strip() and not is_evaluation(line))
