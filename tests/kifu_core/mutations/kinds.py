"""Kinds of mutations: functions from a text to the same record in another form, each with the reading that
is expected of it.

Texts are those of our own writers, so simple expressions take a row of KIF, a move of KI2 and a line of CSA
apart. A function does not apply to a text that it leaves as it is, or for which it returns None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, NamedTuple

Change = Callable[[str], str | bytes | None]
Written = str | Callable[[re.Match[str]], str]


class Expected(Enum):
    """What is expected of the reading of a mutated text, compared with the reading of the text itself."""

    SAME_GAME = "moves, variations, endings, times, comments and headers are the same"
    SAME_MOVES = "moves and ending are the same, and no line is lost"
    BEGINNING = "the moves are the same as far as the text goes, and no line is lost"
    REPORTED = "it is the same game, or an issue names a line; no line is lost"
    REFUSED = "there is no game, and an error says so"


class Kind(NamedTuple):
    """A kind of mutation. `games` is how many games the mutated text holds for each of the text's."""

    name: str
    formats: tuple[str, ...]
    expected: Expected
    change: Change
    games: int = 1

    def __str__(self) -> str:
        return f"{' '.join(self.formats)}: {self.name}"

    def mutate(self, text: str) -> str | bytes | None:
        """Return the mutated text, None if the kind does not apply to it."""
        changed = self.change(text)
        return None if changed == text else changed


KINDS: Final[list[Kind]] = []
ALL: Final = "kif ki2 csa usi bod"
KAKINOKI: Final = "kif ki2"
SAME_GAME, SAME_MOVES, BEGINNING, REPORTED, REFUSED = Expected


def kind(
    formats: str, name: str, expected: Expected = SAME_GAME, games: int = 1
) -> Callable[[Change], Change]:
    """Register a function as a kind of mutation of these formats."""

    def register(change: Change) -> Change:
        KINDS.append(Kind(name, tuple(formats.split()), expected, change, games))
        return change

    return register


def table(formats: str, expected: Expected, kinds: Mapping[str, Change]) -> None:
    """Register functions by the names of their kinds."""
    for name, change in kinds.items():
        kind(formats, name, expected)(change)


def put(pattern: str, written: Written, most: int = 0) -> Change:
    """Replace what an expression matches, everywhere or so many times."""
    return lambda text: re.sub(pattern, written, text, count=most, flags=re.MULTILINE)


def each_line(form: str) -> Change:
    """Write every line in a form: `{line}`, and `{number}`."""
    return lambda text: "".join(
        form.format(line=line, number=number) + "\n" for number, line in enumerate(text.splitlines(), 1)
    )
