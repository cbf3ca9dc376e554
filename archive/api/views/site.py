"""The archive itself, the spaces that a visitor may read, and the search box."""

import re
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from django.conf import settings
from django.utils.translation import get_language
from msgspec import UNSET, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import account_of
from archive.api.bodies.site import SearchedBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.findings import issue_list
from archive.api.operations import QUERIES, READING, Example, Operation
from archive.api.pagination import total_info
from archive.api.positions import position_url
from archive.api.serializers import FacetsQuery
from archive.api.shapes import site as shapes
from archive.derive import issues
from archive.http.limits.text_limits import check_body, check_search_text, limited_reading
from archive.intake.permissions import may_upload
from archive.models import Token
from archive.queries import site_texts
from archive.queries.games.filters import filters_of, game_filters
from archive.queries.games.game_addresses import AddressedGame, game_at
from archive.queries.games.listing import find_games
from archive.queries.games.totals import Total
from archive.queries.positions import position_lookup
from archive.queries.scope import (
    Scope,
    read_private,
    scope_of,
)
from archive.queries.search import box as search_box
from archive.queries.search import suggestions as offers
from archive.queries.search.days import first_day, last_day, read_day
from archive.queries.search.parsing import LONGEST
from archive.shapes.common import IssueInfo
from kifu_core import __version__, games
from kifu_core.errors import KifuError
from kifu_core.games import GAMES, SHOGI, GameKind
from kifu_core.record import ParseResult

_DAYS: Final = {"day": first_day, "last day": last_day}
_LEAST_ENTRIES: Final = 2
"""Entries of a record with a move: the first is the start."""
_LINE_END: Final = re.compile(r"[\n\r]")
_RECORD_STARTS: Final = ("{", "~")
"""Beginnings of records of a single line, which no other text has: JKF and other JSON, USEN."""


_COLLECTIONS: Final = (
    "games", "games-export", "changes", "players", "events", "places", "formations", "openings", "statistics",
    "patterns", "uploads", "spaces", "collections", "follows", "notes", "hooks", "dumps",
)  # fmt: skip


@endpoint("GET", operation=Operation({200: shapes.IndexInfo}, examples=(Example("The index"),)))
def index(request: Request) -> Response:
    """List the addresses of collections, documentation and terms, and the version of the archive."""

    def url(name: str) -> str:
        return str(reverse(f"api:{name}", request=request))

    return Response(
        shapes.IndexInfo(
            version=__version__,
            documentation_url=url("docs"),
            contract_url=url("schema"),
            terms_url=url("texts"),
            about_url=url("about"),
            account_url=url("account"),
            device_authorization_url=str(reverse("device-authorization", request=request)),
            token_url=str(reverse("device-token", request=request)),
            collections={name: url(name) for name in _COLLECTIONS},
        )
    )


@endpoint("GET", operation=Operation({200: shapes.AboutInfo}, examples=(Example("What it takes and gives"),)))
def about(request: Request) -> Response:
    """Describe the formats that the archive reads and writes, its limits, and whether the visitor may
    upload."""
    return Response(
        shapes.AboutInfo(
            uploads=may_upload(request),
            limits=shapes.RequestLimits(
                files=settings.ARCHIVE_MAX_FILES_PER_REQUEST,
                request=settings.ARCHIVE_MAX_REQUEST_BYTES,
                file=settings.ARCHIVE_MAX_UPLOAD_BYTES,
                text=settings.ARCHIVE_MAX_TEXT_BYTES,
                convert=settings.ARCHIVE_MAX_CONVERT_BYTES,
                find=settings.ARCHIVE_MAX_FIND_BYTES,
            ),
            formats=[_formats(game) for game in GAMES.values()],
        )
    )


def _formats(game: GameKind[Any]) -> shapes.GameFormats:
    language = get_language()
    writers = game.formats.writers.values()
    return shapes.GameFormats(
        game=game.name,
        reads=list(game.formats.readers),
        writes=[
            shapes.WriterInfo(writer.name, writer.called(language), writer.position_only)
            for writer in writers
        ],
    )


@endpoint(
    "GET", operation=Operation({200: shapes.SiteTexts}, examples=(Example("Of an archive without any"),))
)
def texts(request: Request) -> Response:
    """List the texts of the archive's owner: terms of use, privacy, contact."""
    texts = [site_texts.site_text(page, issues.language()) for page in site_texts.site_texts()]
    results = [
        shapes.SiteTextInfo(text.page, text.get_page_display(), text.language, text.text, text.changed)
        for text in texts
        if text is not None
    ]
    return Response(shapes.SiteTexts(results))


@endpoint(
    "GET", operation=Operation({200: shapes.AccountInfo}, examples=(Example("Of a stranger", status=401),))
)
def account(request: Request) -> Response:
    """Return the account and the token of the request, and their rights."""
    user = account_of(request)
    read_private(request)
    token = request.auth if isinstance(request.auth, Token) else None
    return Response(
        shapes.AccountInfo(
            name=user.username,
            role=user.role,
            token=token.name if token else None,
            scopes=token.scopes if token else ["admin"],
            expires=token.expires if token else None,
        )
    )


# --- the search box --------------------------------------------------------------------------------------


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.SearchTarget},
        READING,
        SearchedBody,
        examples=(
            Example("A name", body={"text": "大橋宗銀 1709"}),
            Example("A query", body={"text": "player:大橋宗銀 AND plies:>=100"}),
            Example("A position", body={"text": "startpos moves 7g7f"}),
            Example("A game", body={"text": "/games/1/?ply=10"}),
        ),
    ),
)
def find(request: Request) -> Response:
    """Find the target of a text from a search box: a game, a position, or a list of games.

    A text of several lines is read as a record or a drawn board.
    """
    check_body(request, settings.ARCHIVE_MAX_FIND_BYTES)
    text, scope = body(SearchedBody, request)["text"].strip(), scope_of(request)
    check_search_text(text)
    if own := game_at(scope, text, request.get_host()):
        return Response(_game(own, request))
    with limited_reading():
        if _LINE_END.search(text):
            return Response(_of_record(scope, text, request))
        if resolved := position_lookup.position_of_words(text):
            return Response(_of_words(resolved, text, request))
        if len(text) > LONGEST:  # no query, and no name, has so many characters
            return Response(_of_record(scope, text, request))
        if text.startswith(_RECORD_STARTS) and (reading := _read(text)) is not None:
            return Response(_of_reading(scope, *reading, request))
    if search_box.is_query(text) or search_box.is_phrase(scope, text):
        return Response(_games({"q": text}, request))
    return Response(_games(_valid(search_box.filters_of_words(scope, text)), request))


def _of_words(resolved: position_lookup.GamePosition, text: str, request: Request) -> shapes.SearchTarget:
    faults = issue_list(position_lookup.reading_errors(resolved.game, text, resolved.position))
    return _position(resolved.game, resolved.game.codec.encode(resolved.position), request, faults)


def _of_record(scope: Scope, text: str, request: Request) -> shapes.SearchTarget:
    """Return the target of a record, or the position of a drawn board. Raises KifuError for other texts."""
    if (reading := _read(text)) is not None:
        return _of_reading(scope, *reading, request)
    return _of_words(
        position_lookup.GamePosition(SHOGI, position_lookup.position_of_text(SHOGI, text)), text, request
    )


def _of_reading(
    scope: Scope, kind: GameKind[Any], result: ParseResult, request: Request
) -> shapes.SearchTarget:
    """Return the stored game of a record, or else the last of its positions that any game reaches.

    Issues are those of the part that could not be read.
    """
    record, faults = result.games[0].record, issue_list(position_lookup.errors_of(result))
    if (game := position_lookup.stored_game(scope, record)) is not None:
        return _game(AddressedGame(game), request, faults)
    code = position_lookup.last_reached_code(scope, record)
    end = code or kind.codec.encode(position_lookup.position_of_record(kind, record))
    return _position(kind, end, request, faults)


def _read(text: str) -> tuple[GameKind[Any], ParseResult] | None:
    """Read a text; return its kind of game, too, or None for a text that is not a record with moves."""
    try:
        kind, result = games.load(text)
    except KifuError:
        return None
    entries = len(result.games[0].record["moves"]) if result.games else 0
    return (kind, result) if entries >= (_LEAST_ENTRIES if kind is SHOGI else 1) else None


def _game(
    game: AddressedGame, request: Request, faults: list[IssueInfo] | UnsetType = UNSET
) -> shapes.SearchTarget:
    ply = parse_qs(game.query).get("ply", [""])[0]
    return shapes.SearchTarget(
        kind="game",
        url=reverse("api:game", [game.id], request=request),
        game_id=game.id,
        ply=int(ply) if _is_ply(ply) else UNSET,
        issues=faults,
    )


def _is_ply(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def _position(
    game: GameKind[Any], code: str, request: Request, faults: list[IssueInfo]
) -> shapes.SearchTarget:
    url = position_url(game, code, request)
    return shapes.SearchTarget("position", url, game=game.name, code=code, issues=faults)


def _games(filters: dict[str, str], request: Request) -> shapes.SearchTarget:
    address = reverse("api:games", request=request)
    url = f"{address}?{urlencode(filters)}" if filters else address
    return shapes.SearchTarget("games", url, filters=filters)


def _valid(filters: dict[str, str]) -> dict[str, str]:
    """Return filters as `GET games` takes them: a month or a year becomes its first or last day.

    Raises ApiError for a text that is not a day.
    """
    kinds = {filter_.name: filter_.value for filter_ in filters_of("games")}
    return {name: _day(name, value, kinds.get(name, "text")) for name, value in filters.items()}


def _day(name: str, value: str, kind: str) -> str:
    if kind not in _DAYS:
        return value
    day = read_day(value)
    if day is None:
        raise ApiError("invalid", "a day, a month or a year is 2024-03-15, 2024-03 or 2024", field=name)
    return str(_DAYS[kind](day).isoformat())


@endpoint(
    "GET",
    query=FacetsQuery,
    cached=True,
    operation=Operation(
        {200: shapes.Suggestions},
        QUERIES,
        examples=(
            Example("Of a name that is mistyped", query={"player": "伊東印達"}),
            Example("Of a word of an event", query={"player": "御城"}),
        ),
    ),
)
def suggestions(request: Request, query: dict[str, Any]) -> Response:
    """Suggest other searches if few games match these filters: names, other filters, texts."""
    scope = scope_of(request)
    page = find_games(scope, game_filters(query), limit=offers.FEW)
    few, nothing = offers.is_short(page), not page.items and page.next is None
    names = offers.similar_names(scope, query, apart=nothing) if few else []
    return Response(
        shapes.Suggestions(
            few=few,
            names=[
                shapes.SuggestedName(
                    kind, one.id, one.name, reverse(f"api:{kind}", [one.id], request=request)
                )
                for kind, one in names
            ],
            similar=[shapes.SimilarName(*one) for one in offers.similar_players(scope, query)]
            if nothing
            else [],
            other_filters=offers.other_filters(query) if nothing else [],
            in_text=_text_matches(offers.text_search(scope, query, len(page.items))) if few else None,
        )
    )


def _text_matches(search: offers.TextSearch | None) -> shapes.TextMatches | None:
    if search is None:
        return None
    total = None if search.games is None else total_info(Total(search.games, exact=not search.more))
    return shapes.TextMatches(search.query, search.words, total)
