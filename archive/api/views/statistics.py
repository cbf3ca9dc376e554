"""Totals of the archive."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import limit_of, next_url, sign_cursor, signed_cursor, total_info
from archive.api.serializers import OpeningsQuery, StatisticsQuery
from archive.api.shapes import statistics as shapes
from archive.api.shapes.games import (
    EndingGames,
    KindGames,
    OpeningGames,
    RecordKindGames,
    ResultGames,
    YearGames,
)
from archive.caching.values import one_snapshot
from archive.queries.games import statistics as queries
from archive.queries.games.color_names import results_of
from archive.queries.games.records_by_kind import MOST, STEP
from archive.queries.games.statistics import DURATIONS
from archive.queries.games.totals import Total
from archive.queries.scope import Scope, scope_of
from kifu_core.games import GAMES

Opening = tuple[str, int]
"""The name of an opening and the number of its games."""


@endpoint(
    "GET",
    query=StatisticsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.StatisticsInfo},
        examples=(Example("Of all"), *(Example(f"Of {name}", query={"game": name}) for name in GAMES)),
    ),
)
@one_snapshot()
def statistics(request: Request, query: dict[str, Any]) -> Response:
    """Return totals of the games of a kind; in a large archive they are up to ten minutes old."""
    scope = scope_of(request)
    totals = queries.statistics(scope, query.get("game"))
    game = GAMES[totals.kind]
    start = game.codec.path_code(game.codec.encode(game.rules.initial()))
    return Response(
        shapes.StatisticsInfo(
            game=totals.kind,
            exact=totals.exact,
            games=totals.games,
            undated=totals.undated,
            years=[YearGames(*one) for one in totals.years],
            results=[ResultGames(*one) for one in zip(results_of(game), totals.results, strict=True)],
            lengths=[shapes.LengthGames(first, first + STEP - 1, n) for first, n in totals.lengths],
            durations=[shapes.DurationGames(first, _BELOW.get(first), n) for first, n in totals.durations],
            endings=[EndingGames(*one) for one in totals.endings],
            openings=[OpeningGames(*one) for one in totals.openings],
            by_game=[KindGames(*one) for one in totals.kinds],
            holdings=_archive_totals(scope),
            start_url=reverse("api:position", [totals.kind, start], request=request),
        )
    )


_BELOW: Final = dict(pairwise(DURATIONS))
"""The upper bound of each class of durations."""


def _archive_totals(scope: Scope) -> shapes.ArchiveTotals:
    counts = queries.counts(scope)
    kinds = [RecordKindGames(*one) for one in counts.kinds]
    return shapes.ArchiveTotals(counts.exact, counts.games, counts.positions, kinds)


@endpoint(
    "GET",
    query=OpeningsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.OpeningsPage},
        {400: CURSORS},
        examples=(Example("The most frequent", query={"limit": 2}),),
    ),
)
def openings(request: Request, query: dict[str, Any]) -> Response:
    """List the openings that games name, most frequent first, page by page."""
    kind, counts = queries.openings(scope_of(request), query.get("game"))
    limit, cursor = limit_of(query), signed_cursor(query, "openings", game=kind)
    after = json.loads(cursor) if cursor else None
    following = [one for one in counts if after is None or _place(one) > _place(after)]
    page, games = following[:limit], reverse("api:games", request=request)
    last = json.dumps(page[-1], ensure_ascii=False) if len(following) > limit else None
    return Response(
        shapes.OpeningsPage(
            game=kind,
            total=total_info(Total(len(counts), exact=len(counts) < MOST)),
            results=[
                shapes.OpeningListed(name, n, f"{games}?{urlencode({'game': kind, 'opening': name})}")
                for name, n in page
            ],
            next_url=next_url(request, last and sign_cursor(last, "openings", game=kind)),
        )
    )


def _place(one: Sequence[Any]) -> tuple[int, str]:
    name, n = one
    return -n, name
