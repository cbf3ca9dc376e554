"""What a reading gives: games, each a normalized JKF record with what JKF cannot hold beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from kifu_core.errors import Issue
from kifu_core.jkf import Record

RecordKind = Literal["game", "problem", "tree", "position"]


@dataclass(frozen=True, slots=True)
class Ending:
    """How the main line ended.

    `word` is the ending as the source wrote it, `special` JKF's name for it or None where JKF has none,
    `ply` the half-moves played before it, `winner` the winning colour or None (draw, unknown, no result).
    `draw` tells a drawn game from an unknown result.
    """

    word: str
    special: str | None
    ply: int
    winner: int | None
    draw: bool = False


@dataclass(frozen=True, slots=True)
class ParsedGame:
    """One game of a source. `record` is normalized JKF; nobody changes it after the reading.

    Equal moves, squares and times are the same objects in this record and in others: whoever wants to change
    a record makes one of its own first, by `json.loads(dump(record, "jkf"))`.

    `bookmarks` names plies of the main line (KIF `&`), `unread` is the text that could not be played,
    `index` the place among the source's games from 0, `first_line` the line where the game begins, from 1.
    `fractions` are seconds beyond the whole ones of a ply's time, as the source wrote them; `remarks` are
    lines that formats do not count among the record (`#` in KIF, `'` before the moves in CSA). `place` gives
    an issue about a ply of the main line its line in the text, where the record came from one.
    """

    record: Record
    record_kind: RecordKind
    ending: Ending | None
    issues: tuple[Issue, ...] = ()
    bookmarks: tuple[tuple[int, str], ...] = ()
    unread: str = ""
    index: int = 0
    first_line: int = 1
    fractions: Mapping[int, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    place: Callable[[Issue], Issue] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ParseResult:
    """All that a source held. `issues` are the findings about the source as a whole and about games that
    could not be read at all; `program` is the software that wrote it, or an empty text."""

    encoding: str
    format: str
    program: str
    games: tuple[ParsedGame, ...]
    issues: tuple[Issue, ...] = ()


TREE_FORKS: Final = 5
"""A record without players is a tree if so many plies of its main line have alternatives."""


def has_players(header: dict[str, str]) -> bool:
    """Tell whether headers name a player."""
    return any(header.get(side, "").strip(" 　") for side in ("先手", "後手", "上手", "下手"))
