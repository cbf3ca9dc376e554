"""What of a record is searched as text, and which sorts of things are in it: pure functions.

Both follow from the record that is shown, the union of a game's editions. Names of players and events that
stand in headers as they are listed are looked for there, not in every game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from archive.derive import headers
from archive.names.search_text import together
from kifu_core.jkf import MoveEntry, Record
from kifu_core.lines import nodes_of
from kifu_core.shogi.evaluations import is_evaluation

COMMENTS: Final = 1
EVALUATIONS: Final = 2
TIMES: Final = 4
FORKS: Final = 8
FEATURES: Final = {"comments": COMMENTS, "evals": EVALUATIONS, "times": TIMES, "forks": FORKS}
"""Bits of `Game.features`, and what programs call them."""


def features(record: Record, *, evaluated: bool) -> int:
    """Return what is in a record, as bits: comments beside those of engines, times and forks in any line;
    and whether its main line was `evaluated`. Programs that keep no times write 0:00 beside every move:
    one move has to have taken a second."""
    found = EVALUATIONS if evaluated else 0
    entries = _entries(record)
    if entries is not record["moves"]:
        found |= FORKS
    if any("time" in entry and any(entry["time"].get("now", {}).values()) for entry in entries):
        found |= TIMES
    if any("comments" in entry and any(said(entry)) for entry in entries):
        found |= COMMENTS
    return found


def _entries(record: Record) -> Sequence[MoveEntry]:
    """Return the entries of all lines in reading order: without forks those of the record itself."""
    moves = record["moves"]
    if not any("forks" in entry for entry in moves):
        return moves
    return [entry for _path, _ply, entry in nodes_of(moves)]


def text(record: Record, read: headers.Parts | None = None) -> str:
    """Return the text of a record as `archive.names.search_text` has it: its headers, then the comments of
    all lines in reading order, without those of engines. Cut at `search_text.LONGEST`. `read` are
    the parts of its header, where they are at hand."""
    return together(_lines(record, read or headers.read_parts(record["header"])))


def _lines(record: Record, read: headers.Parts) -> Iterator[str]:
    listed = {*read.names, read.event.name}
    for value in record["header"].values():
        yield from (line for line in value.splitlines() if headers.plain(line) not in listed)
    for entry in _entries(record):
        if "comments" in entry:
            yield from said(entry)


def said(entry: MoveEntry) -> Iterator[str]:
    """Yield the lines of an entry's comments that are no engine's."""
    for comment in entry.get("comments", ()):
        yield from (line for line in comment.splitlines() if line.strip() and not is_evaluation(line))
