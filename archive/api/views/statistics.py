"""Totals over the whole archive."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlencode

from django.core.signing import BadSignature, Signer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.errors import ApiError
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import address_with, limit_of, total_info
from archive.api.serializers import OpeningsQuery, StatisticsQuery
from archive.api.shapes.games import (
    EndingGames,
    KindGames,
    OpeningGames,
    RecordKindGames,
    ResultGames,
    YearGames,
)
from archive.api.shapes.statistics import (
    ArchiveTotals,
    DurationGames,
    LengthGames,
    OpeningListed,
    OpeningsPage,
    StatisticsInfo,
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
"""A name and its number of games."""


@endpoint(
    "GET",
    query=StatisticsQuery,
    cached=True,
    operation=Operation(
        {200: StatisticsInfo},
        examples=(Example("Of all"), *(Example(f"Of {name}", query={"game": name}) for name in GAMES)),
    ),
)
@one_snapshot()
def statistics(request: Request, query: dict[str, Any]) -> Response:
    """Return totals over the games of a kind. Those of a large archive are at most ten minutes old."""
    scope = scope_of(request)
    found = queries.statistics(scope, query.get("game"))
    game = GAMES[found.kind]
    start = game.codec.path_code(game.codec.encode(game.rules.initial()))
    return Response(
        StatisticsInfo(
            game=found.kind,
            exact=found.exact,
            games=found.games,
            undated=found.undated,
            years=[YearGames(*one) for one in found.years],
            results=[ResultGames(*one) for one in zip(results_of(game), found.results, strict=True)],
            lengths=[LengthGames(first, first + STEP - 1, n) for first, n in found.lengths],
            durations=[DurationGames(first, _BELOW.get(first), n) for first, n in found.durations],
            endings=[EndingGames(*one) for one in found.endings],
            openings=[OpeningGames(*one) for one in found.openings],
            by_game=[KindGames(*one) for one in found.kinds],
            holdings=_archive_totals(scope),
            start_url=reverse("api:position", [found.kind, start], request=request),
        )
    )


_BELOW: Final = dict(pairwise(DURATIONS))
"""Where a class of durations ends."""


def _archive_totals(scope: Scope) -> ArchiveTotals:
    found = queries.counts(scope)
    kinds = [RecordKindGames(*one) for one in found.kinds]
    return ArchiveTotals(found.exact, found.games, found.positions, kinds)


@endpoint(
    "GET",
    query=OpeningsQuery,
    cached=True,
    operation=Operation(
        {200: OpeningsPage}, {400: CURSORS}, examples=(Example("The most frequent", query={"limit": 2}),)
    ),
)
def openings(request: Request, query: dict[str, Any]) -> Response:
    """List the openings that games name, most frequent first, page by page."""
    kind, found = queries.openings(scope_of(request), query.get("game"))
    limit, after = limit_of(query), _after(kind, query)
    following = [one for one in found if after is None or _place(one) > _place(after)]
    page, games = following[:limit], reverse("api:games", request=request)
    return Response(
        OpeningsPage(
            game=kind,
            total=total_info(Total(len(found), exact=len(found) < MOST)),
            results=[
                OpeningListed(name, n, f"{games}?{urlencode({'game': kind, 'opening': name})}")
                for name, n in page
            ],
            next_url=address_with(request, _cursor(kind, page[-1]) if len(following) > limit else None),
        )
    )


def _place(one: Sequence[Any]) -> tuple[int, str]:
    """Return the place of an opening in the list."""
    name, n = one
    return -n, name


def _signer(kind: str) -> Signer:
    return Signer(salt=f"openings {kind}")


def _cursor(kind: str, last: Opening) -> str:
    return _signer(kind).sign(json.dumps(last, ensure_ascii=False))


def _after(kind: str, query: dict[str, Any]) -> Opening | None:
    """Return the opening after which the list is to continue; None for its beginning. Raises ApiError."""
    if "cursor" not in query:
        return None
    try:
        name, n = json.loads(_signer(kind).unsign(query["cursor"]))
    except BadSignature:
        text = f"this cursor was not made here, or not for game={kind}"
        raise ApiError("invalid-cursor", text, field="cursor") from None
    return name, n
