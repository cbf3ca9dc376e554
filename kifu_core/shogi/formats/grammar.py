"""What the formats' pyparsing grammars share.

A grammar describes the structure of a file; its leaves are lines or blocks of lines, each one compiled
expression, because an element per token would cost a hundred times as much. Expressions use possessive
quantifiers throughout, so that no text makes them backtrack.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

import pyparsing as pp

Item = tuple[str, re.Match[str]]
"""The name of a leaf and what it matched."""


def leaf(name: str, pattern: str) -> pp.ParserElement:
    """Return a leaf of a grammar: a named expression that gives an `Item`. Spaces are not skipped."""

    def named(tokens: pp.ParseResults) -> tuple[str, Any]:
        return name, tokens[0]

    element = pp.Regex(pattern, as_match=True).leave_whitespace()
    return element.set_parse_action(named).set_name(name.replace("_", " "))


class Lines(pp.ZeroOrMore):
    """Any number of leaves in any order; the first that matches is taken.

    The same as `ZeroOrMore(MatchFirst(leaves))`, which it is for everything that looks at a grammar. Where
    pyparsing raises and catches an exception for every alternative that does not match, this asks the
    leaves' expressions one after the other: a line nobody knows costs a microsecond instead of forty.
    """

    def __init__(self, leaves: tuple[pp.ParserElement, ...]) -> None:
        super().__init__(pp.MatchFirst(leaves).leave_whitespace())
        self.matchers = [
            (leaf.name.replace(" ", "_"), re.compile(str(leaf.pattern)).match)
            for leaf in leaves
            if isinstance(leaf, pp.Regex)
        ]

    def parseImpl(self, instring: str, loc: int, do_actions: bool = True) -> tuple[int, list[Item]]:
        """Return where the leaves from `loc` on end, and all of them; name and signature are pyparsing's."""
        found = list(self.each(instring, loc))
        return found[-1][1].end() if found else loc, found

    def each(self, text: str, loc: int) -> Iterator[Item]:
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


EOL: Final = r"[ \t]*+(?:\n|\Z)"

REMARK: Final = leaf("remark", r"[ \t]*+#([^\n]*+)(?:\n|\Z)")
BLANK: Final = leaf("blank", r"[ \t\f\v]*+\n|[ \t\f\v]++\Z")
UNKNOWN: Final = leaf("unknown", r"[^\n]++(?:\n|\Z)")
"""Leaves of formats that are lists of lines."""


def repeated(*leaves: pp.ParserElement) -> Lines:
    """Return a grammar of any number of the leaves in any order. Every leaf takes at least one character."""
    grammar = Lines(leaves)
    grammar.leave_whitespace().parse_with_tabs()
    return grammar


def expected(grammar: pp.ParserElement) -> str:
    """Return the names of the lines that a grammar knows, with commas between.

    They tell what an unknown line is not.
    """
    names = (name for name, _ in cast(Lines, grammar).matchers)
    return ",".join(name for name in names if name not in ("blank", "unknown"))


def items(grammar: pp.ParserElement, text: str, begin: int = 0) -> Iterator[Item]:
    """Iterate over the leaves of a text in order, from an offset on, for a grammar made by `repeated`.

    Every grammar has a leaf for lines it does not know, so the whole text is read. This gives the same as
    `grammar.parse_string(text)` without its preparations, which cost more than a short game.
    """
    return cast(Lines, grammar).each(text, begin)
