"""Parse the text of a query to a tree: check its length and depth, then apply the grammar."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from archive.queries.search.errors import QueryError
from archive.queries.search.fields import folded
from archive.queries.search.printing import QUOTED
from archive.queries.search.terms import NOTHING, FieldIs, Term, leaves

LONGEST: Final = 1000
"""Characters of a query."""
DEEPEST: Final = 8
"""Nested parentheses: each takes about forty stack frames to parse."""
MOST: Final = 50
"""Terms and values of a query."""

_SCANNED: Final = re.compile(f'{QUOTED}|[()"「]')
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@lru_cache(maxsize=256)
def parse(text: str) -> Term:
    """Return the tree of a query; `NOTHING` for blanks. Raises QueryError."""
    if len(text) > LONGEST:
        raise QueryError("query-too-long", limit=LONGEST)
    if forbidden := _FORBIDDEN.search(text):
        raise QueryError("query-character", forbidden.start())
    folded_text = folded(text)
    _check_depth(folded_text)
    if not folded_text.strip():
        return NOTHING
    # Most processes parse no query; web processes import the grammar at their start.
    from archive.queries.search.grammar import QUERY

    (tree,) = QUERY.parse_string(folded_text, parse_all=False)
    term: Term = tree
    values = sum(len(one.any_of) if isinstance(one, FieldIs) else 1 for one in leaves(term))
    if values > MOST:
        raise QueryError("query-too-many", limit=MOST)
    return term


def _check_depth(text: str) -> None:
    depth = 0
    for match in _SCANNED.finditer(text):
        if match[0] in ('"', "「"):
            raise QueryError("query-syntax", len(text), ("quote",))
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth > DEEPEST:
            raise QueryError("query-too-deep", match.start(), limit=DEEPEST)
