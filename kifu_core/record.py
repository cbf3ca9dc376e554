"""Results of reading: games, each a normalized JKF record with the data that JKF cannot hold."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from kifu_core.errors import Issue
from kifu_core.jkf import Record

RecordKind = Literal["game", "problem", "tree", "position"]


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a main line.

    `word` is the ending as the source wrote it, `special` its name in JKF, or None if JKF has none. `ply` is
    the number of half-moves before it. `winner` is the winning colour, None if nobody won or the result is
    unknown; `draw` distinguishes the two.
    """

    word: str
    special: str | None
    ply: int
    winner: int | None
    draw: bool = False


@dataclass(frozen=True, slots=True)
class ParsedGame:
    """One game of a source. `record` is normalized JKF, and must not be changed.

    Equal moves, squares and times are the same objects in this and other records. To change a record, copy it
    first by `json.loads(dump(record, "jkf"))`.

    `bookmarks` names plies of the main line (KIF `&`), `unread` is the text that could not be played, `index`
    the game's place in the source from 0, `first_line` the line where the game begins, from 1. `fractions`
    are the decimals of a ply's time as the source wrote them; `remarks` are lines outside the record (`#` in
    KIF, `'` before the moves in CSA). `place` returns an issue about a ply of the main line with its line in
    the text, if the record came from a text.
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
    """The content of a source. `issues` are about the source as a whole and about games that could not be
    read; `program` is the software that wrote the source, or an empty text."""

    encoding: str
    format: str
    program: str
    games: tuple[ParsedGame, ...]
    issues: tuple[Issue, ...] = ()


TREE_FORKS: Final = 5
"""A record without players is a tree if so many plies of its main line have forks."""


_SIDES: Final = (("先手", "下手"), ("後手", "上手"))
"""The headers of the players of colours 0 and 1."""


def players(header: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of the players of colours 0 and 1; empty if unknown."""
    first, second = (
        next((text for name in names if (text := header.get(name, "").strip(" 　"))), "") for names in _SIDES
    )
    return first, second


_RATE_LINE: Final = re.compile(r"(black|white)_rate:(.*):\s*(-?[0-9]{1,5})(?:\.[0-9]*)?\s*$")
_LONGEST_RATE: Final = 1000


def rates(remarks: Iterable[str]) -> dict[int, int]:
    """Return the ratings in remarks by colour, rounded down.

    floodgate writes `black_rate:name+hash:3749.0`.
    """
    matches = (_RATE_LINE.match(remark[:_LONGEST_RATE].strip()) for remark in remarks)
    return {int(match[1] == "white"): int(match[3]) for match in matches if match}


def has_players(header: Mapping[str, str]) -> bool:
    """Return whether headers name a player."""
    return any(players(header))
