"""Patterns: the games in which they occur."""

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from archive.api.endpoints import endpoint
from archive.api.operations import CURSORS, QUERIES, Example, Operation, merge_problems
from archive.api.pagination import DEFAULT_GAMES, limit_of
from archive.api.patterns import PatternQuery, pattern_info
from archive.api.shapes.patterns import PatternInfo
from archive.queries.games.filters import game_filters
from archive.queries.patterns.summary import pattern_games
from archive.queries.scope import scope_of
from kifu_core.messages import TEXTS
from kifu_core.shogi.patterns import parse

_ERRORS: Final = tuple(code for code in TEXTS if code.startswith("pattern-"))
"""Codes of errors in a pattern."""


@endpoint(
    "GET",
    query=PatternQuery,
    cached=True,
    operation=Operation(
        {200: PatternInfo},
        merge_problems({400: (*_ERRORS, *CURSORS)}, QUERIES),
        examples=(
            Example("A king in his corner", query={"pattern": "K9i L9h", "limit": 1}),
            Example(
                "One after the other, of a player",
                query={"pattern": "P7f then<=20 P6f own:black", "player": "大橋宗銀", "limit": 1},
            ),
            Example("No square", query={"pattern": "P7f P0f"}, status=400),
        ),
    ),
)
def patterns(request: Request, query: dict[str, Any]) -> Response:
    """Find the games in which a pattern occurs, with their results, years, players and next moves."""
    pattern = parse(query["pattern"])
    summary = pattern_games(
        scope_of(request),
        pattern,
        game_filters(query),
        query["order"],
        cursor=query.get("cursor"),
        limit=limit_of(query, DEFAULT_GAMES),
    )
    return Response(pattern_info(summary, pattern, request))
