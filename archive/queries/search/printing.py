"""A tree as text: what `parsing.parse` reads as the same tree."""

from __future__ import annotations

import re
from typing import Final

from archive.queries.search.terms import (
    And,
    Between,
    EqualTo,
    FieldIs,
    HasPattern,
    Not,
    Or,
    ReachesPosition,
    Term,
    Word,
)

OPERATORS: Final = ("AND", "OR", "NOT", "かつ", "または", "除く")
"""Words that join terms; as texts they stand in quotation marks."""

QUOTED: Final = r'"(?>(?:[^"]|"")*)"|「[^」]*+」'
"""How a text stands in quotation marks, for expressions."""

_PLAIN: Final = re.compile(r"[^\s()\":,、「」@<>=≦≧≤≥~〜./]+")
"""Texts that need no quotation marks."""


def text_of(term: Term) -> str:
    """Return a query as text, in one spelling of those that mean the same."""
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
    return _asked(term)


def _within(term: Term, *kinds: type[And] | type[Or]) -> str:
    """Return a term as text, in parentheses where it is of one of these kinds."""
    text = text_of(term)
    return f"({text})" if isinstance(term, kinds) else text


def _asked(term: FieldIs) -> str:
    values = ",".join(_value(one) for one in term.any_of)
    return f"{term.field}:{values}"


def _value(one: EqualTo | Between) -> str:
    return value_text(one.value) if isinstance(one, EqualTo) else f"{one.least}..{one.most}"


def _position(term: ReachesPosition) -> str:
    plies = f"/{_value(term.plies)}" if term.plies else ""
    match = f"/{term.match}" if term.match != "exact" else ""
    return f'reaches:"{term.code}"{match}{plies}'


_NUMBERS: Final = re.compile(r"\d+(-\d\d)*")


def value_text(text: str) -> str:
    """Return a value as text: numbers and days never stand in quotation marks."""
    return text if _NUMBERS.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Return a text with quotation marks where it would not be one word otherwise."""
    if _PLAIN.fullmatch(text) and text not in OPERATORS:
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
