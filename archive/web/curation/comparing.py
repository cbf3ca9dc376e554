"""Records side by side: their headers and moves, with the differences marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _

from archive.web.game_registry import PAGES
from archive.web.wording import entry_text, time_text

if TYPE_CHECKING:
    from kifu_core.jkf import MoveEntry, Record

MOST: Final = 300
"""Rows of moves that a page shows."""
LONGEST: Final = 500
"""Characters of a value."""


@dataclass(frozen=True, slots=True)
class Row:
    """One header, or one ply, of all records."""

    name: str
    title: str
    values: tuple[str, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Records side by side. `more` rows of moves that differ are left out."""

    headers: list[Row]
    moves: list[Row]
    more: int

    @property
    def differences(self) -> int:
        """Return how many rows differ."""
        return sum(row.differs for row in (*self.headers, *self.moves)) + self.more


def compare(kind: str, records: Sequence[Record]) -> Comparison:
    """Return records of one kind of game side by side: all headers, and the plies that differ, with the
    neighbours of each. Linear in the main lines."""
    rows = list(_moves(kind, records))
    differing = [index for index, row in enumerate(rows) if row.differs]
    near = sorted({at for index in differing for at in (index - 1, index, index + 1) if 0 <= at < len(rows)})
    return Comparison(
        list(_headers(kind, records)),
        [rows[at] for at in near[:MOST]],
        sum(rows[at].differs for at in near[MOST:]),
    )


def _headers(kind: str, records: Sequence[Record]) -> Iterator[Row]:
    names = dict.fromkeys(name for record in records for name in record["header"])
    for name in names:
        values = tuple(record["header"].get(name, "") for record in records)
        if any(values):
            yield _row(name, PAGES[kind].header(name), values)


def _moves(kind: str, records: Sequence[Record]) -> Iterator[Row]:
    previous: list[MoveEntry | None] = [None] * len(records)
    lines = zip_longest(*(record["moves"] for record in records))
    for ply, entries in enumerate(lines):
        values = tuple(_entry(kind, entry, before) for entry, before in zip(entries, previous, strict=True))
        yield _row(str(ply), str(ply), values)
        previous = [entry or before for entry, before in zip(entries, previous, strict=True)]


def _entry(kind: str, entry: MoveEntry | None, before: MoveEntry | None) -> str:
    """Return a move with its time, its comments and the number of its variations."""
    if entry is None:
        return ""
    text = entry_text(kind, entry, before)
    if "time" in entry:
        text += f" ({time_text(entry['time']['now'])})"
    if forks := len(entry.get("forks", ())):
        text += " " + _("[variations: %(n)s]") % {"n": forks}
    return "\n".join([text, *(f"* {line}" for line in entry.get("comments", ()))])


def _row(name: str, title: str, values: tuple[str, ...]) -> Row:
    shown = tuple(text if len(text) <= LONGEST else f"{text[:LONGEST]}…" for text in values)
    return Row(name, title, shown, len(set(values)) > 1)
