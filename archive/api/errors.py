"""Errors as HTTP answers: problem details (RFC 9457).

`detail` is for developers and always English; `code` is stable. The texts for readers are the `message`s in
`errors`, in the language of `Accept-Language`.
"""

import logging
from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    DisallowedHost,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.http import Http404, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from archive.api.problems import PROBLEM, TOKEN, Problem, problem
from archive.derive import issues
from archive.index.availability import (
    RETRY_SECONDS,
    UndecidedError,
    is_cancelled,
    is_connection_lost,
    is_unreachable,
)
from archive.models import UploadChunk
from archive.project.disk import is_full
from archive.project.reading import PRIMARY, read_now
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.taken_down import GoneError
from archive.queries.scope import UnknownScopeError
from archive.queries.search.errors import QueryError
from archive.shapes.encoding import encode
from kifu_core.errors import KifuError

_MOST_FIELDS: Final = 20
"""Wrong fields in an answer."""
_LONGEST_NAME: Final = 100
_UNAVAILABLE: Final = 503

log = logging.getLogger(__name__)

STATUSES: Final = {"too-large": 413, "too-slow": 422}
"""The statuses of errors in texts, if they are not 400."""

_CODES: Final[dict[type[exceptions.APIException], str]] = {
    exceptions.AuthenticationFailed: "authentication-failed",
    exceptions.NotAuthenticated: "not-authenticated",
    exceptions.PermissionDenied: "permission-denied",
    exceptions.ParseError: "parse-error",
}
"""Codes of the framework's errors that differ from those of their status."""

_WITH_DETAIL: Final = (
    exceptions.AuthenticationFailed,
    exceptions.NotAuthenticated,
    exceptions.PermissionDenied,
    exceptions.ParseError,
    exceptions.NotAcceptable,
)
"""Errors of the framework that are raised with a detail in English."""


class ApiError(exceptions.APIException):
    """An error with a stable code of ours and an English `detail`.

    `errors` describes single fields or findings; `field` is the name of the wrong parameter if there is one.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        status_code: int = 400,
        errors: list[dict[str, Any]] | None = None,
        *,
        field: str = "",
    ) -> None:
        super().__init__(detail, code)
        self.code = code
        self.status_code = status_code
        self.errors = errors or ([{"field": field, "detail": detail}] if field else [])


def problem_response(described: Problem) -> HttpResponse:
    """Return a problem as a response, outside of the API's views."""
    return HttpResponse(encode(described), status=described.status, content_type=PROBLEM)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer to an error: DRF's exception handler. None, for our own faults, is a logged 500."""
    described = describe(error)
    if described is None:
        return None
    set_rollback()
    response = Response(described, status=described.status)
    response.content_type = PROBLEM
    for name, header in (("auth_header", "WWW-Authenticate"), ("wait", "Retry-After")):
        if value := getattr(error, name, None):
            response[header] = str(value)
    if described.status == _UNAVAILABLE:
        response["Retry-After"] = str(RETRY_SECONDS)
    if isinstance(error, exceptions.NotAcceptable):
        response["Vary"] = "Accept"
    return response


def describe(error: Exception) -> Problem | None:
    """Return the problem that describes an error to the client; None for our own faults."""
    if isinstance(error, KifuError):
        errors = [issues.as_json(issues.as_stored(error.issue()))]
        return problem(STATUSES.get(error.code, 400), error.code, issues.detail_of(error, "en"), errors)
    if isinstance(error, QueryError):
        return _of_query(error)
    if isinstance(error, InvalidCursorError):
        return problem(400, "invalid-cursor", str(error), [{"field": "cursor", "detail": str(error)}])
    # The bytes of an upload are deleted with it: it was deleted while they were read.
    if isinstance(error, GoneError | UploadChunk.DoesNotExist):
        return problem(410)
    if is_cancelled(error):
        return problem(503, "too-slow")
    if is_full(error):
        log.error("a disk is full: %s", error)
        return problem(507)
    if isinstance(error, UndecidedError):
        return problem(503, error.code)
    # If a replica is down, archive/http/replicas.py repeats the request on the primary database.
    if read_now() == PRIMARY and (is_unreachable(error) or is_connection_lost(error)):
        log.warning("the database, or a server with a part of the tables, does not answer: %s", error)
        return problem(503)
    if isinstance(error, ApiError):
        return problem(error.status_code, error.code, str(error.detail), error.errors)
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    if isinstance(error, Http404):
        return problem(404, detail=str(error) if isinstance(error, UnknownScopeError) else "")
    if isinstance(error, DjangoPermissionDenied):
        return problem(403)
    if isinstance(error, BadRequest | SuspiciousOperation | MultiPartParserError | UnreadablePostError):
        return _unreadable(error)
    return None


def query_error(error: QueryError, field: str) -> ApiError:
    """Return the error of a query that was sent in another parameter than `q`."""
    described = _of_query(error, field)
    return ApiError(described.code, described.detail, described.status, described.errors)


def _of_query(error: QueryError, field: str = "q") -> Problem:
    """Return the problem of a query, with the wrong character, counted from 1, and the expected ones."""
    mistake = {
        "field": field,
        "detail": error.message("en"),
        "message": error.message(),
        "position": None if error.position is None else error.position + 1,
        "expected": [*error.expected],
    }
    return problem(error.status, error.code, error.message("en"), [mistake])


def _unreadable(error: Exception) -> Problem:
    if isinstance(error, TooManyFilesSent):
        limit = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return problem(413, "too-many-files", f"a request has at most {limit} files")
    if isinstance(error, RequestDataTooBig):
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return problem(413, "too-large", f"beside its files a request has at most {limit} bytes")
    if isinstance(error, TooManyFieldsSent):
        limit = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        return problem(400, "too-many-parameters", f"a request has at most {limit} parameters")
    if isinstance(error, DisallowedHost):
        return problem(400, "unknown-host", "this server is not known by the name in `Host`")
    if isinstance(error, UnreadablePostError):
        return problem(400, "incomplete", "the body ended before its length was reached")
    return problem(400)


def _of_framework(error: exceptions.APIException) -> Problem:
    """Return the problem of an error of the framework, whose own texts follow Accept-Language."""
    if isinstance(error, exceptions.ValidationError):
        return problem(400, "invalid", "some parameters are not as they should be", _fields(error.detail))
    detail = str(error.detail) if isinstance(error, _WITH_DETAIL) else ""
    if detail == str(error.default_detail) or not detail.isascii():
        detail = ""
    if isinstance(error, exceptions.AuthenticationFailed) and error.get_codes() != TOKEN:
        detail = "these credentials are not those of anybody"
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "")
    return problem(error.status_code, code, detail)


def _fields(detail: Any) -> list[dict[str, Any]]:
    fields = [{"field": name[:_LONGEST_NAME], "detail": text} for name, text in _leaves(detail, "")]
    return fields[:_MOST_FIELDS]


def _leaves(detail: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield the name of the field and the text of each error, also inside lists and objects."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from _leaves(inner, name or str(key))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _leaves(inner, name)
    else:
        yield name, str(detail)
