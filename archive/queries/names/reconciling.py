"""Candidates for a name from somebody's table, best first, for the reconciliation service of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rapidfuzz.distance import OSA

from archive.models import AnyName, NameKind
from archive.names.search_text import search_form
from archive.queries.names.ids_of_names import ids_of_name
from archive.queries.names.name_matching import match_name
from archive.queries.names.people import shown_rows
from archive.queries.names.similar_names import similar_spellings
from archive.queries.scope import Scope

LONGEST: Final = 200
"""Characters of a name."""
MOST_COMPARED: Final = 100
"""Rows that are compared with a name."""
_LONGEST_COMPARED: Final = 40
_CONTRADICTION: Final = 30
"""Points that a candidate loses for each fact that differs."""
_AGREEMENT: Final = 5

FACTS: Final[Mapping[NameKind, tuple[str, ...]]] = {
    "player": ("kana", "latin", "born", "died"),
    "event": ("kana", "latin", "place"),
    "place": ("kana", "latin"),
}
"""The fields by which candidates can be told apart."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that a name may mean. `score` is 100 for one of its spellings; `match` says that no
    other one has the name, and no fact differs."""

    row: AnyName
    score: int
    match: bool


def candidates(
    scope: Scope, kind: NameKind, text: str, limit: int, facts: Mapping[str, str]
) -> list[Candidate]:
    """Return up to `limit` candidates for a name, of those whose games are shown. `facts` are values of
    `FACTS` that the right one should have."""
    text = text[:LONGEST]
    exact = set(ids_of_name(scope, kind, text) or ())
    ids = exact | {*match_name(scope, kind, text).ids[:MOST_COMPARED]}
    for spelling in similar_spellings(scope, kind, text):
        ids |= {*(ids_of_name(scope, kind, spelling) or ())}
    rows: list[Any] = [*shown_rows(scope, kind, sorted(ids)[:MOST_COMPARED])]
    alone = len([row for row in rows if row.pk in exact]) == 1
    scored = [_candidate(row, text, row.pk in exact, alone, facts) for row in rows]
    return sorted(scored, key=lambda one: (-one.score, one.row.pk))[:limit]


def _candidate(row: AnyName, text: str, exact: bool, alone: bool, facts: Mapping[str, str]) -> Candidate:
    likeness = 100 if exact else min(99, round(100 * _likeness(row, text)))
    known = [(getattr(row, name), value) for name, value in facts.items() if getattr(row, name)]
    wrong = sum(search_form(mine) != search_form(value) for mine, value in known)
    score = likeness - _CONTRADICTION * wrong
    if not exact:
        score = min(99, score + _AGREEMENT * (len(known) - wrong))
    return Candidate(row, max(0, score), exact and alone and not wrong)


def _likeness(row: AnyName, text: str) -> float:
    """Return the likeness of a text to the most similar spelling of a row, from 0 to 1."""
    form = search_form(text)[:_LONGEST_COMPARED]
    forms = [one[:_LONGEST_COMPARED] for one in row.searched.split("\n")[:MOST_COMPARED]]
    return max((OSA.normalized_similarity(form, one) for one in forms), default=0)
