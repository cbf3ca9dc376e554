"""The tree of a query. Its values are checked and in one spelling, as they are printed; names are not looked
up yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Word:
    """A free text, which a name or the game's text contains."""

    text: str


@dataclass(frozen=True, slots=True)
class EqualTo:
    """One value: a name, a word of a choice, a number, a day, month or year."""

    value: str


@dataclass(frozen=True, slots=True)
class Between:
    """From one value to another, both of them included; an empty one is no bound."""

    least: str = ""
    most: str = ""


@dataclass(frozen=True, slots=True)
class FieldIs:
    """A field that has any of the values; `field` is its name in `archive.queries.search.fields`."""

    field: str
    any_of: tuple[EqualTo | Between, ...]


@dataclass(frozen=True, slots=True)
class ReachesPosition:
    """A position that the main line reaches, at some plies if there are any."""

    game: str
    code: str
    match: str = "exact"
    plies: Between | None = None


@dataclass(frozen=True, slots=True)
class HasPattern:
    """A pattern that occurs on the board, as `kifu_core.shogi.patterns` prints it."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a term."""

    term: Term


@dataclass(frozen=True, slots=True)
class And:
    """The conjunction of at least two terms, none of which is an `And` itself."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """The disjunction of at least two terms, none of which is an `Or` itself."""

    terms: tuple[Term, ...]


Leaf = Word | FieldIs | ReachesPosition | HasPattern
Term = Leaf | Not | And | Or

NOTHING: Final = And(())
"""The query without a term, which every game matches."""


def together(kind: type[And] | type[Or], terms: list[Term]) -> Term:
    """Return terms joined. A single term stays as it is, and an inner term joined in the same way is
    merged."""
    if len(terms) == 1:
        return terms[0]
    flat = (inner for term in terms for inner in (term.terms if isinstance(term, kind) else (term,)))
    return kind(tuple(flat))


def negated(term: Term) -> Term:
    """Return the negation of a term; the negation of a `Not` is its term."""
    return term.term if isinstance(term, Not) else Not(term)


def positive_leaves(term: Term) -> Iterator[Leaf]:
    """Yield the leaves that are not under a NOT, from left to right."""
    if isinstance(term, And | Or):
        for inner in term.terms:
            yield from positive_leaves(inner)
    elif not isinstance(term, Not):
        yield term


def leaves(term: Term) -> Iterator[Leaf]:
    """Yield the leaves of a term, from left to right."""
    if isinstance(term, Not):
        yield from leaves(term.term)
    elif isinstance(term, And | Or):
        for inner in term.terms:
            yield from leaves(inner)
    else:
        yield term
