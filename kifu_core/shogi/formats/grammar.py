"""What the formats' grammars share.

A grammar describes the structure of a file; its leaves are lines or blocks of lines, each one compiled
expression, because an element per token would cost a hundred times as much. Expressions use possessive
quantifiers of characters and atomic groups, so that no text makes them backtrack. Python 3.11.2 misreads
possessive quantifiers of groups (https://github.com/python/cpython/issues/106052).

A grammar is compiled when it reads its first text: most processes read few of the formats, and many read
none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Protocol

LeafItem = tuple[str, re.Match[str]]
"""The name of a leaf and what it matched."""

Matcher = tuple[str, Callable[[str, int], re.Match[str] | None]]
"""The name of a leaf and what looks for it at a place of a text."""


class LeafMatch(Protocol):
    """The match of a leaf: its groups, and its place in the text."""

    def __getitem__(self, group: int, /) -> str: ...
    def start(self) -> int: ...
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RewrittenMatch:
    """The match of a line that was put in other words, at the place of the line itself."""

    match: re.Match[str]
    begin: int
    stop: int

    def __getitem__(self, group: int, /) -> str:
        return self.match[group]

    def start(self) -> int:
        """Return where the line begins in the text."""
        return self.begin

    def end(self) -> int:
        """Return where the line ends in the text."""
        return self.stop


class Leaf(NamedTuple):
    """A leaf of a grammar: an expression with a name. Spaces are not skipped."""

    name: str
    pattern: str


class LineGrammar:
    """Any number of leaves in any order; the first that matches is taken.

    It reads as pyparsing would, which raises and catches an exception for every alternative that does not
    match. This asks the leaves' expressions one after the other: a line nobody knows costs a microsecond
    instead of forty.
    """

    def __init__(self, leaves: tuple[Leaf, ...]) -> None:
        self.leaves = leaves

    @cached_property
    def matchers(self) -> list[Matcher]:
        """The leaves' expressions in the order in which they are tried."""
        return [(leaf.name, re.compile(leaf.pattern).match) for leaf in self.leaves]

    def each(self, text: str, loc: int) -> Iterator[LeafItem]:
        """Yield the leaves from `loc` on one by one.

        All their matches at once would take ten times the memory of the text.
        """
        end, matchers = len(text), self.matchers
        while loc < end:
            for name, match_at in matchers:
                match = match_at(text, loc)
                if match is not None:
                    yield name, match
                    loc = match.end()
                    break
            else:
                break


BLANKS: Final = r"[^\S\n]*+"
"""Any blanks within a line, also full-width and no-break ones."""

EOL: Final = r"[ \t]*+(?:\n|\Z)"

REMARK: Final = Leaf("remark", r"[ \t]*+#([^\n]*+)(?:\n|\Z)")
BLANK: Final = Leaf("blank", r"\s++")
UNKNOWN: Final = Leaf("unknown", r"[^\n]++(?:\n|\Z)")
"""Leaves of formats that are lists of lines."""


def repeated(*leaves: Leaf) -> LineGrammar:
    """Return a grammar of any number of the leaves in any order. Every leaf takes at least one character."""
    return LineGrammar(leaves)


def expected(grammar: LineGrammar) -> str:
    """Return the names of the lines that a grammar knows, with commas between.

    They tell what an unknown line is not.
    """
    return ",".join(leaf.name for leaf in grammar.leaves if leaf.name not in ("blank", "unknown"))


def items(grammar: LineGrammar, text: str, begin: int = 0) -> Iterator[LeafItem]:
    """Iterate over the leaves of a text in order, from an offset on.

    Every grammar has a leaf for lines it does not know, so the whole text is read.
    """
    return grammar.each(text, begin)
