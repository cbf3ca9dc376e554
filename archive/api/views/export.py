"""Games in bulk: a search as lines of JSON, a table, a ZIP of files, an opening book or training data."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.http import content_disposition_header, parse_etags
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.endpoints import endpoint, preferred_type
from archive.api.errors import ApiError
from archive.api.fields import ChoiceField, FlagField, TextField, WholeNumberField
from archive.api.operations import CURSORS, QUERIES, Example, Operation, merge_problems
from archive.api.pagination import limit_of
from archive.api.positions import shogi_position
from archive.api.serializers import FacetsQuery, with_collection
from archive.caching.entity_tags import ALWAYS_ASK, is_known, not_modified, of_parts
from archive.export.engine_files import TRAINING, book_file_of_position
from archive.export.file_names import name_part
from archive.export.gzipped import gzipped
from archive.export.opening_books import MIN_GAMES, MOST_PLIES, PLIES, book_of_position
from archive.export.streams import BOOK_FORMS, FORMS, stream
from archive.export.zips import FILES
from archive.http.limits.at_once import LimitedStream, StreamLimiter
from archive.http.limits.throttling import mark_unchanged, visitor_key
from archive.index.changes import public_revision
from archive.models import LARGEST_ID, Collection
from archive.queries.games.bulk import read_in_bulk
from archive.queries.games.filters import FILTERS, game_filters
from archive.queries.games.game_json import GameInfo, ToGameInfo
from archive.queries.names.ids_of_names import readable_collections
from archive.queries.scope import Scope, has_read_private, scope_of, space_name
from kifu_core.games import SHOGI
from kifu_core.shogi.training import POSITION_OPTIONS, TrainingFilter

NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"
ZIP: Final = "application/zip"
BOOK: Final = "text/plain"

_FORM_OF_TYPE: Final = {NDJSON: "ndjson", CSV: "csv", ZIP: "kif", BOOK: "db"}
_CONTENT_TYPES: Final = {"ndjson": NDJSON, "csv": f"{CSV}; charset=utf-8", "db": f"{BOOK}; charset=utf-8"}
_NAMES: Final = {"ndjson": "kifu-games.ndjson", "csv": "kifu-games.csv", "db": "kifu-book.db"}
_BOOK_PARAMETERS: Final = ("position", "plies", "min_games", "scores")
_CACHING: Final = {"Cache-Control": ALWAYS_ASK, "Vary": "Accept-Language, Accept-Encoding"}
_MOST: Final = 999_999_999
_AT_ONCE: Final = StreamLimiter()


class ExportQuery(FacetsQuery):
    """Parameters of `GET games/export` besides `as`, which is a keyword of Python."""

    cursor = TextField(required=False, help_text="The number of the game after which to continue.")
    order = ChoiceField(
        required=False,
        choices=("added", "collection"),
        help_text="The order of the games: of their numbers, or of the collection.",
    )
    limit = TextField(
        required=False,
        schema={"type": "integer", "minimum": 1, "maximum": _MOST},
        help_text="The largest number of games.",
    )
    position = TextField(
        required=False,
        max_length=1000,
        help_text="For a book: code or SFEN of the position from which it starts.",
    )
    plies = WholeNumberField(
        required=False,
        min_value=1,
        max_value=MOST_PLIES,
        help_text=f"For a book: its depth in half-moves; {PLIES} if missing.",
    )
    min_games = WholeNumberField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=f"For a book: games that must have played a move; {MIN_GAMES} if missing.",
    )
    scores = FlagField(
        required=False, help_text="For a book: back-propagated scores of its moves by an engine's verdicts."
    )

    evaluations = FlagField(
        required=False,
        help_text="Whether records without evaluations have those of an engine's analysis as comments.",
    )
    first_ply = WholeNumberField(
        required=False,
        min_value=0,
        max_value=_MOST,
        help_text="For training data: only positions after at least so many half-moves.",
    )
    last_ply = WholeNumberField(
        required=False,
        min_value=0,
        max_value=_MOST,
        help_text="For training data: only positions after at most so many half-moves.",
    )
    unscored = FlagField(
        required=False,
        help_text="For training data: also positions without an evaluation, with the score 0.",
    )
    unique = FlagField(required=False, help_text="For training data: each position once.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters. Raises ValidationError for the order of a collection without one."""
        return with_collection(attrs)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        text = "The format of the answer; `Accept` can ask for it, too."
        return super().get_fields() | {"as": ChoiceField(required=False, choices=FORMS, help_text=text)}


@dataclass(frozen=True, slots=True)
class _Export:
    """An export that has been checked: `stream` begins it, once its body is needed."""

    content_type: str
    file_name: str
    stream: Callable[[], Iterator[bytes]]


@endpoint(
    "GET",
    query=ExportQuery,
    types=[NDJSON, CSV, ZIP, BOOK],
    operation=Operation(
        {200: None},
        merge_problems(
            {400: CURSORS, 412: ("changed",)},
            {400: ("sfen-fields", "sfen-board", "sfen-turn", "sfen-hands", "sfen-number")},
            {400: tuple(dict.fromkeys(SHOGI.codec.errors))},
            QUERIES,
        ),
        examples=(
            Example("As lines of JSON", query={"limit": 1}),
            Example("As a table", query={"player": "大橋宗銀", "limit": 2}, accept=CSV),
            Example("An opening book", query={"as": "db", "plies": 3, "min_games": 10}, accept=BOOK),
            Example("No such cursor", query={"cursor": "x"}, status=400),
        ),
    ),
)
def games(request: Request, query: dict[str, Any]) -> HttpResponseBase:
    """Send all games that match the filters, with their records.

    The answer is written while it is sent. It has at most as many games as the archive allows, and can be
    continued after any of them.
    """
    chosen = query.get("as") or _FORM_OF_TYPE[preferred_type(request)]
    scope = scope_of(request)
    tag = _tag(request, chosen, scope)
    _check(request, tag)
    if tag and is_known(request._request, tag):
        mark_unchanged(request._request)
        return not_modified(tag, _CACHING)
    export = _export(request, query, chosen, scope)
    if request.method == "HEAD":
        response = StreamingHttpResponse((), content_type=export.content_type)
    else:
        response = _stream(request, export)
    response["Content-Disposition"] = content_disposition_header(True, export.file_name)
    for name, value in _CACHING.items():
        response[name] = value
    if tag:
        response["ETag"] = tag
    return response


def _tag(request: Request, chosen: str, scope: Scope) -> str:
    """Return the entity tag of the complete export, whatever part of it is requested.

    It is empty if the revision is unknown, or if the export may not be public. Changes in libraries do not
    affect it.
    """
    if has_read_private(request._request):
        return ""
    revision = public_revision()
    parameters = {name: value for name, value in request.query_params.items() if name not in ("cursor", "as")}
    if revision is None:
        return ""
    return of_parts(revision, sorted(parameters.items()), chosen, str(scope), request.build_absolute_uri("/"))


def _check(request: Request, tag: str) -> None:
    """Raise ApiError `changed` if `If-Match` has another tag, because the archive has changed since.

    Tags are compared weakly, as in `If-None-Match`, since proxies may have compressed the earlier part.
    """
    if not tag or (header := request.headers.get("If-Match")) is None:
        return
    expected = [one.removeprefix("W/") for one in parse_etags(header)]
    if expected != ["*"] and tag.removeprefix("W/") not in expected:
        raise ApiError("changed", "the archive has changed since; without If-Match it is sent as it is", 412)


def _stream(request: Request, export: _Export) -> StreamingHttpResponse:
    most = settings.ARCHIVE_EXPORTS_AT_ONCE if settings.ARCHIVE_THROTTLE else sys.maxsize
    who = visitor_key(request._request, request.user)
    chunks = export.stream()
    accepts_gzip = re_accepts_gzip.search(request.headers.get("Accept-Encoding", ""))
    compress = export.content_type != ZIP and accepts_gzip
    counted = LimitedStream(gzipped(chunks) if compress else chunks, _AT_ONCE, who, most)
    response = StreamingHttpResponse(counted, content_type=export.content_type)
    if compress:
        response["Content-Encoding"] = "gzip"
    else:
        # Keep Django's middleware from compressing it.
        request._request.META["HTTP_ACCEPT_ENCODING"] = "identity"
    return response


def _export(request: Request, query: dict[str, Any], chosen: str, scope: Scope) -> _Export:
    """Check the parameters, and read the first games. Raises ApiError, ValidationError, and the errors of
    `read_in_bulk`."""
    _check_parameters(query, chosen)
    if "position" in query:
        return _book_of_position(query, chosen, scope)
    most = min(limit_of(query, _MOST, _MOST), settings.ARCHIVE_EXPORT_GAMES)
    if chosen in FILES:
        most = min(most, settings.ARCHIVE_EXPORT_FILES)
    collection = _collection(query, scope)
    games = read_in_bulk(scope, game_filters(query), _cursor(query), most, collection)
    games.evaluations = query.get("evaluations", False)
    options: dict[str, Any] = {
        name: query[name] for name in ("plies", "min_games", "scores") if name in query
    }
    if chosen in TRAINING:
        options["chosen"] = TrainingFilter(
            **{name: query[name] for name in POSITION_OPTIONS if name in query}
        )
    to_info = _to_info(request)
    return _Export(
        _CONTENT_TYPES.get(chosen, ZIP),
        _file_name(chosen, collection),
        lambda: stream(games, to_info, chosen, **options),
    )


def _collection(query: dict[str, Any], scope: Scope) -> Collection | None:
    """Return the collection in whose order games are sent, if that is the order and the scope has it."""
    if query.get("order") != "collection":
        return None
    return readable_collections(scope).filter(pk=query["collection"]).first()


def _file_name(chosen: str, collection: Collection | None = None) -> str:
    name = _NAMES.get(chosen) or f"kifu-{'book' if chosen in BOOK_FORMS else 'games'}-{chosen}.zip"
    title = name_part(collection.title) if collection else ""
    return name.replace("kifu-games", title) if title else name


def _check_parameters(query: dict[str, Any], chosen: str) -> None:
    """Raise ValidationError for parameters of books or of training data in other exports."""
    wrong: dict[str, list[str]] = {}
    if chosen not in TRAINING:
        text = f"only training data has this: as={', '.join(TRAINING)}"
        wrong = {name: [text] for name in POSITION_OPTIONS if name in query}
    if chosen not in BOOK_FORMS:
        text = f"only a book has this: as={', '.join(BOOK_FORMS)}"
        wrong |= {name: [text] for name in _BOOK_PARAMETERS if name in query}
    elif "position" in query:
        others = ("limit", *(filter_.name for filter_ in FILTERS))
        wrong |= {name: ["a book of a position is of all games"] for name in others if name in query}
    if chosen not in ("ndjson", *FILES) and "evaluations" in query:
        wrong["evaluations"] = ["only records have this"]
    if chosen in BOOK_FORMS and "cursor" in query:
        wrong["cursor"] = ["a book is whole"]
    if wrong:
        raise ValidationError(wrong)


def _book_of_position(query: dict[str, Any], chosen: str, scope: Scope) -> _Export:
    code = SHOGI.codec.encode(shogi_position(query["position"]))
    plies, least = query.get("plies", PLIES), query.get("min_games", MIN_GAMES)
    scores = query.get("scores", False)
    if chosen == "db":
        return _Export(
            _CONTENT_TYPES["db"],
            _NAMES["db"],
            lambda: book_of_position(scope, code, plies, least, scores=scores),
        )
    return _Export(
        ZIP,
        _file_name(chosen),
        lambda: book_file_of_position(scope, code, chosen, plies, least, scores=scores),
    )


def _cursor(query: dict[str, Any]) -> int:
    text = query.get("cursor", "0")
    if not (text.isascii() and text.isdigit() and len(text) <= 19) or int(text) > LARGEST_ID:
        raise ApiError("invalid-cursor", "a cursor is the number of a game", field="cursor")
    return int(text)


def _to_info(request: Request) -> ToGameInfo:
    """Return the builder of games. The route is reversed once, since that takes longer than a record."""
    base = reverse("api:game", [0], request=request).removesuffix("0")
    return lambda row: GameInfo.from_row(row, f"{base}{row.id}", space_name(request, row.space))
