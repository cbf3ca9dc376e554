"""Print a tree as text, which `parsing.parse` parses to the same tree."""

from __future__ import annotations

import re
from typing import Final

from archive.queries.search.terms import (
    And,
    Between,
    EqualTo,
    HasPattern,
    Not,
    Or,
    ReachesPosition,
    Term,
    Word,
)

OPERATORS: Final = ("AND", "OR", "NOT", "かつ", "または", "除く")
"""Words that join terms; as texts they are quoted."""

QUOTED: Final = r'"(?>(?:[^"]|"")*)"|「[^」]*+」'
"""A quoted text, as a regular expression."""

_PLAIN: Final = re.compile(r"[^\s()\":,、「」@<>=≦≧≤≥~〜./]+")
"""Texts that need no quotation marks."""


def text_of(term: Term) -> str:
    """Return a query as text, in one of its equivalent spellings."""
    if isinstance(term, And):
        return " ".join(_within(inner, Or) for inner in term.terms)
    if isinstance(term, Or):
        return " OR ".join(text_of(inner) for inner in term.terms)
    if isinstance(term, Not):
        return f"NOT {_within(term.term, And, Or)}"
    if isinstance(term, Word):
        return quoted(term.text)
    if isinstance(term, ReachesPosition):
        return _position(term)
    if isinstance(term, HasPattern):
        return f'pattern:"{term.pattern}"'
    return f"{term.field}:{','.join(map(_value, term.any_of))}"


def _within(term: Term, *kinds: type[And] | type[Or]) -> str:
    """Return a term as text, in parentheses if it is of one of these kinds."""
    text = text_of(term)
    return f"({text})" if isinstance(term, kinds) else text


def _value(one: EqualTo | Between) -> str:
    return value_text(one.value) if isinstance(one, EqualTo) else f"{one.least}..{one.most}"


def _position(term: ReachesPosition) -> str:
    plies = f"/{_value(term.plies)}" if term.plies else ""
    match = f"/{term.match}" if term.match != "exact" else ""
    return f'reaches:"{term.code}"{match}{plies}'


_NUMBERS: Final = re.compile(r"\d+(-\d\d)*")


def value_text(text: str) -> str:
    """Return a value as text; numbers and days are never quoted."""
    return text if _NUMBERS.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Return a text, quoted unless it is one plain word."""
    return text if _PLAIN.fullmatch(text) and text not in OPERATORS else always_quoted(text)


def always_quoted(text: str) -> str:
    """Return a text in quotation marks."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
