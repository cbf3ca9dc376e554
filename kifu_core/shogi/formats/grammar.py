"""The grammars of formats.

A grammar describes the structure of a file. Its leaves are lines or blocks of lines, each one compiled
expression: an element per token would cost a hundred times as much. Expressions use possessive quantifiers of
characters and atomic groups, so that no text makes them backtrack. Python 3.11.2 misreads possessive
quantifiers of groups (https://github.com/python/cpython/issues/106052).

A grammar is compiled when it reads its first text: most processes read few formats, many read none.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

LeafItem = tuple[str, re.Match[str]]
"""The name of a leaf and its match."""

Matcher = tuple[str, Callable[[str, int], re.Match[str] | None]]
"""The name of a leaf and the function that matches it at an offset."""


class LeafMatch(Protocol):
    """The match of a leaf: its groups and its offsets."""

    def __getitem__(self, group: int, /) -> str | Any: ...
    def start(self) -> int: ...
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RewrittenMatch:
    """The match of a line that was rewritten, at the offsets of the original line."""

    match: re.Match[str]
    begin: int
    stop: int

    def __getitem__(self, group: int, /) -> str | Any:
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

    Every leaf matches at least one character, and the last one any line, so that whole texts are read. The
    result is that of pyparsing, which raises and catches an exception for every alternative that does not
    match. Here an unknown line costs a microsecond instead of forty.
    """

    def __init__(self, *leaves: Leaf) -> None:
        self.leaves = leaves

    @cached_property
    def matchers(self) -> list[Matcher]:
        """The leaves' expressions in the order of trials."""
        return [(leaf.name, re.compile(leaf.pattern).match) for leaf in self.leaves]

    @cached_property
    def expected(self) -> str:
        """The names of the lines, separated by commas, for issues about unknown lines."""
        return ",".join(leaf.name for leaf in self.leaves if leaf.name not in ("blank", "unknown"))

    def items(self, text: str, offset: int = 0) -> Iterator[LeafItem]:
        """Yield the leaves of a text from an offset on; a list would take ten times the text's memory."""
        end, matchers = len(text), self.matchers
        while offset < end:
            for name, match_at in matchers:
                match = match_at(text, offset)
                if match is not None:
                    yield name, match
                    offset = match.end()
                    break
            else:
                break


BLANKS: Final = r"[^\S\n]*+"
"""Blanks within a line, also full-width and no-break ones."""

EOL: Final = r"[ \t]*+(?:\n|\Z)"

REMARK: Final = Leaf("remark", r"[ \t]*+#([^\n]*+)(?:\n|\Z)")
BLANK: Final = Leaf("blank", r"\s++")
UNKNOWN: Final = Leaf("unknown", r"[^\n]++(?:\n|\Z)")
"""Leaves of formats that are lists of lines."""
