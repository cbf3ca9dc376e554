"""Games: lists, one game, its downloads and its positions."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse
from msgspec import UNSET, convert
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint
from archive.api.errors import ApiError
from archive.api.formations import formation_in_game
from archive.api.games import existing_game, game_info
from archive.api.negotiation import JSON
from archive.api.operations import CURSORS, QUERIES, Example, Operation, merge_problems
from archive.api.pagination import (
    DEFAULT_GAMES,
    MOST_PLIES,
    PLIES,
    count_within,
    cursor_number,
    limit_of,
    next_url,
    sign_cursor,
    signed_cursor,
    total_info,
)
from archive.api.positions import sfen_of
from archive.api.serializers import ChangesQuery, FacetsQuery, GamesQuery, PageQuery, RecordQuery
from archive.api.series import clock_info, evaluation_info, score_info
from archive.api.shapes import games as shapes
from archive.caching.values import one_snapshot
from archive.derive import issues
from archive.derive.series import unpack
from archive.export.record_files import DOWNLOADS, UnencodableError, write
from archive.models import Entry, Game, GameSeries
from archive.project.garbage_collection import gc_paused
from archive.queries.games.analyses import add_evaluations
from archive.queries.games.changes import changes_after
from archive.queries.games.color_names import results_of
from archive.queries.games.excerpts import excerpts as excerpts_of
from archive.queries.games.excerpts import words_of
from archive.queries.games.facets import SAMPLE
from archive.queries.games.facets import facets as facets_of
from archive.queries.games.filters import game_filters
from archive.queries.games.listing import GameRow, find_games, game_by_id
from archive.queries.games.taken_down import (
    editions,
    game_called,
    game_shown,
    sees_deleted,
    uploads_with_hidden_names,
)
from archive.queries.games.totals import total
from archive.queries.games.twins import Twin, twins_of
from archive.queries.patterns.formation_counts import formations_of_game
from archive.queries.positions.novelty import novelty as first_new_ply
from archive.queries.scope import Scope, readable_spaces, scope_of
from archive.queries.sql import PreparedQuery
from archive.shapes.encoding import encode
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.evaluations import best

SOURCES: Final = 100
"""Editions in an answer; a game may have a thousand."""
FRACTIONS: Final = 10_000
_FORMAT: Final = "format"
EVALUATIONS: Final = 300_000
"""Approximate bytes of evaluations in one answer."""


@endpoint(
    "GET",
    query=GamesQuery,
    cached=True,
    operation=Operation(
        {200: shapes.GamesPage},
        merge_problems({400: CURSORS}, QUERIES),
        examples=(
            Example("The newest", query={"limit": 1}),
            Example("Of a player", query={"player": "大橋宗銀", "order": "oldest", "limit": 1}),
            Example(
                "Won by Black in these days",
                query={"from": "1709-01-01", "to": "1709-10-31", "result": "black"},
            ),
            Example(
                "By a query",
                query={"q": "player:大橋宗銀 (year:1709..1710 OR plies:>=150) NOT result:draw", "limit": 1},
            ),
            Example("Where words stand", query={"q": "御城", "excerpts": "1", "limit": 1}),
            Example("A query that is none", query={"q": "player:大橋宗銀 AND"}, status=400),
            Example("A parameter that is misspelt", query={"plaer": "大橋宗銀"}, status=400),
        ),
    ),
)
def games(request: Request, query: dict[str, Any]) -> Response:
    """List the games that match all filters, page by page."""
    page = find_games(
        scope_of(request),
        game_filters(query),
        query["order"],
        cursor=query.get("cursor"),
        limit=limit_of(query, DEFAULT_GAMES),
    )
    excerpts = _excerpts(scope_of(request), query.get("q"), page.items) if query["excerpts"] else None
    results = [
        game_info(
            shapes.ListedGame, row, request, excerpt=UNSET if excerpts is None else excerpts.get(row.id)
        )
        for row in page.items
    ]
    return Response(shapes.GamesPage(results, next_url(request, page.next), page.searching))


def _excerpts(scope: Scope, query: str | None, rows: Sequence[GameRow]) -> dict[int, shapes.ExcerptInfo]:
    words = words_of(query) if query else []
    by_game = excerpts_of(scope, [row.id for row in rows], words)
    return {pk: convert(one, shapes.ExcerptInfo, from_attributes=True) for pk, one in by_game.items()}


@endpoint(
    "GET",
    query=ChangesQuery,
    operation=Operation(
        {200: shapes.ChangesPage},
        {400: CURSORS},
        examples=(Example("The first", query={"limit": 2}),),
    ),
)
def changes(request: Request, query: dict[str, Any]) -> Response:
    """List games that were added, changed or removed, from a cursor on: for copies of the archive.

    `next_url` continues after these changes, also when there are more later. A change is listed some seconds
    after its commit. A cursor is invalid after the archive was restored, and with other spaces to read:
    begin anew then.
    """
    scope = scope_of(request)
    place = signed_cursor(query, "changes", scope=str(scope))
    page = changes_after(scope, int(place or 0), limit_of(query))
    games = [shapes.ChangedGameInfo(one.id, one.change, one.merged_into) for one in page.games]
    cursor = sign_cursor(str(page.last), "changes", scope=str(scope))
    return Response(shapes.ChangesPage(games, str(next_url(request, cursor)), page.complete))


@endpoint(
    "GET",
    query=FacetsQuery,
    operation=Operation(
        {200: shapes.FacetsInfo},
        QUERIES,
        examples=tuple(Example(f"Of {name}", query={"game": name}) for name in GAMES),
    ),
)
@one_snapshot()
def facets(request: Request, query: dict[str, Any]) -> Response:
    """Count the games that match all filters, and list the most frequent values of their properties."""
    filters = game_filters(query)
    counts = facets_of(scope_of(request), filters)
    number = total(scope_of(request), filters, counts, 0)
    results = results_of(GAMES[filters.game or SHOGI.name])
    unnamed = uploads_with_hidden_names(request, [pk for pk, _name, _n in counts.sources])
    return Response(
        shapes.FacetsInfo(
            total=total_info(number),
            counted=shapes.CountedGames(counts.games, SAMPLE if counts.sampled else None),
            players=[shapes.NamedGames(name, n) for _pk, name, n in counts.players],
            events=[shapes.NamedGames(name, n) for _pk, name, n in counts.events],
            places=[shapes.NamedGames(name, n) for _pk, name, n in counts.places],
            years=[shapes.YearGames(*one) for one in counts.years],
            results=[shapes.ResultGames(results[result], n) for result, n in counts.results],
            handicaps=[shapes.HandicapGames(*one) for one in counts.handicaps],
            endings=[shapes.EndingGames(*one) for one in counts.endings],
            openings=[shapes.OpeningGames(*one) for one in counts.openings],
            formations=[shapes.FormationGames(*one) for one in counts.formations],
            games=[shapes.KindGames(*one) for one in counts.boards],
            record_kinds=[shapes.RecordKindGames(*one) for one in counts.kinds],
            uploads=[
                shapes.UploadGames(
                    reverse("api:upload", [pk], request=request), "" if pk in unnamed else name, n
                )
                for pk, name, n in counts.sources
            ],
        )
    )


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: shapes.GameDetail, 301: None},
        examples=(
            Example("A game", {"pk": 1}),
            Example("One that is not there", {"pk": 99999}, status=404),
        ),
    ),
)
@gc_paused()
def detail(request: Request, pk: int) -> Response | HttpResponse:
    """Describe one game, with its downloads and its sources. A former id answers 301."""
    game = game_shown(request, pk, record=False)
    row = game_by_id(Scope((game.space,)), pk) if game else None
    if game is None or row is None:
        return _former(request, pk)
    header_data = game.header_data
    if "fractions" in header_data:
        header_data["fractions"] = dict(islice(header_data["fractions"].items(), FRACTIONS))
    # Reversing each route would take longer than all queries about the game.
    base = reverse("api:game-record", [pk, _FORMAT], request=request).removesuffix(_FORMAT)
    record_urls = {name: f"{base}{name}" for name in GAMES[row.kind].formats.names}
    sources, more_sources = _sources(pk, request)
    return Response(
        game_info(
            shapes.GameDetail,
            row,
            request,
            header_data=header_data,
            record_urls=record_urls,
            positions_url=reverse("api:game-positions", [pk], request=request),
            series_url=reverse("api:game-series", [pk], request=request),
            formations=[formation_in_game(one) for one in formations_of_game(game.slot)],
            twins=[_twin(twin, request) for twin in twins_of(scope_of(request), game)],
            sources=sources,
            more_sources=more_sources,
        )
    )


def _sources(pk: int, request: Request) -> tuple[list[shapes.SourceInfo], int]:
    deleted, spaces = sees_deleted(request), tuple(readable_spaces(request).values())
    shown = _first(spaces, deleted=deleted).rows(pk)
    more = editions(pk, spaces, deleted=deleted).count() - SOURCES if len(shown) > SOURCES else 0
    return [_source(row, request) for row in shown[:SOURCES]], more


@lru_cache(maxsize=64)
def _first(spaces: tuple[int, ...], *, deleted: bool) -> PreparedQuery:

    def rows(game: int) -> QuerySet[Entry, Any]:
        entries = editions(game, spaces, deleted=deleted)
        return entries.values_list("upload_id", *_SOURCE_COLUMNS)[: SOURCES + 1]

    return PreparedQuery(rows)


_SOURCE_COLUMNS: Final = ("seq", "state", "format", "encoding", "program")


def _former(request: Request, pk: int) -> HttpResponse:
    address = reverse("api:game", [game_called(request, pk)], request=request)
    return HttpResponse(status=301, headers={"Location": address})


def _twin(twin: Twin, request: Request) -> shapes.TwinInfo:
    return shapes.TwinInfo(twin.id, reverse("api:game", [twin.id], request=request), twin.reason)


def _source(row: tuple[Any, ...], request: Request) -> shapes.SourceInfo:
    upload, seq, *values = row
    upload_url = reverse("api:upload", [upload], request=request)
    return shapes.SourceInfo(
        upload_url, reverse("api:upload-entry", [upload, seq], request=request), seq, *values
    )


def _types(name: str, **_parts: Any) -> list[str]:
    return [DOWNLOADS[name].partition(";")[0]] if name in DOWNLOADS else [JSON, "text/plain"]


@endpoint(
    "GET",
    query=RecordQuery,
    types=_types,
    cached=True,
    operation=Operation(
        {200: dict[str, Any]},
        {400: ("invalid-ply", "too-many-plies"), 404: ("unknown-format",), 409: ("unencodable",)},
        examples=(
            Example("CSA", {"pk": 1, "name": "csa"}),
            Example("A position of it", {"pk": 1, "name": "sfen"}, {"ply": 10}),
            Example("JKF", {"pk": 1, "name": "jkf"}),
            Example("No such format", {"pk": 1, "name": "pdf"}, status=404),
        ),
    ),
)
@gc_paused()
def record(request: Request, pk: int, name: str, query: dict[str, Any]) -> HttpResponse:
    """Send the record as a file; `ply` is for formats of one position. An unknown format is 404."""
    game = existing_game(request, pk)
    formats = GAMES[game.kind].formats.names
    if name not in formats:
        raise ApiError("unknown-format", f"records are written as {', '.join(formats)}, not {name!r}", 404)
    if "ply" in query and "ply" not in GAMES[game.kind].formats.writer(name).options:
        raise ApiError("invalid-ply", f"a record as {name} is of the whole game", field="ply")
    if query["evaluations"]:
        add_evaluations(game)
    try:
        content = write(game, name, _ply(query.get("ply"), game))
    except UnencodableError as error:
        missing = [issues.as_json(issues.as_stored(issue)) for issue in error.issues]
        raise ApiError("unencodable", f"{error}; {name}u is the same in UTF-8", 409, missing) from error
    disposition = f'attachment; filename="kifu-{pk}.{name}"'
    return HttpResponse(content, content_type=DOWNLOADS[name], headers={"Content-Disposition": disposition})


def _ply(text: str | None, game: Game) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 6 or int(text) > game.plies:
        raise ApiError("invalid-ply", f"ply={text!r} is not a number from 0 to {game.plies}", field="ply")
    return int(text)


@endpoint(
    "GET",
    query=PageQuery,
    cached=True,
    operation=Operation(
        {200: shapes.SeriesPage},
        {400: CURSORS},
        examples=(Example("Two plies", {"pk": 20}, {"cursor": "40", "limit": 2}),),
    ),
)
def series(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """List engines' evaluations and clock times by ply, `limit` members of each list from the cursor on."""
    sides = GAMES[existing_game(request, pk).kind].rules.sides
    stored = GameSeries.objects.filter(pk=pk).values_list("series", flat=True).first()
    game_series, first = unpack(stored or b""), cursor_number(query) or 0
    most = limit_of(query, PLIES, MOST_PLIES)
    evaluations = [evaluation_info(one, sides) for one in game_series.evaluations[first : first + most]]
    sizes = (len(encode(one)) for one in evaluations)
    last = first + (count_within(sizes, EVALUATIONS) if evaluations else most)
    scores = best(game_series.evaluations)
    longest = max(len(scores), len(game_series.evaluations), len(game_series.clock))
    return Response(
        shapes.SeriesPage(
            scores=[score_info(one, sides) for one in scores[first:last]],
            evaluations=evaluations[: last - first],
            clock=[clock_info(tick, sides) for tick in game_series.clock[first:last]],
            next_url=next_url(request, str(last) if last < longest else None),
        )
    )


@endpoint(
    "GET",
    query=PageQuery,
    cached=True,
    operation=Operation(
        {200: shapes.PositionsPage}, {400: CURSORS}, examples=(Example("Two plies", {"pk": 1}, {"limit": 2}),)
    ),
)
@gc_paused()
def positions(request: Request, pk: int, query: dict[str, Any]) -> Response:
    """List the code of each ply of the main line from the cursor on, in shogi with the SFEN."""
    game = existing_game(request, pk)
    kind, first, most = GAMES[game.kind], cursor_number(query) or 0, limit_of(query, PLIES, MOST_PLIES)
    line = islice(kind.replay.main_line(game.jkf), first, first + most + 1)
    results = [
        shapes.PositionOfGame(ply, kind.codec.encode(position), sfen_of(kind, position, ply))
        for ply, position, _, _ in islice(line, most)
    ]
    more = next(line, None) is not None
    return Response(shapes.PositionsPage(results, next_url(request, str(first + most) if more else None)))


@endpoint(
    "GET",
    cached=True,
    operation=Operation(
        {200: shapes.NoveltyInfo}, examples=(Example("A game of many before it", {"pk": 20}),)
    ),
)
def novelty(request: Request, pk: int) -> Response:
    """Find the ply from which on no readable game of an earlier day had the positions of a game."""
    return Response(shapes.NoveltyInfo(first_new_ply(scope_of(request), existing_game(request, pk))))
