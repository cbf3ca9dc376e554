"""The one place where errors become HTTP answers: problem details as in RFC 9457.

`detail` is for developers and always English; `code` is stable. The texts for readers are the `message`s in
`errors`, in the language that the request asks for.
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
from django.http import Http404, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from archive.api.problems import PROBLEM, TOKEN, Problem
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
from archive.queries.games.taken_down import GoneError
from archive.queries.scope import UnknownScopeError
from archive.queries.search.errors import QueryError
from kifu_core.errors import KifuError

_MOST_NAMED: Final = 20
"""Fields with mistakes that an answer lists."""
_LONGEST_NAME: Final = 100
_UNAVAILABLE: Final = 503

log = logging.getLogger(__name__)

STATUSES: Final = {"too-large": 413, "too-slow": 422}
"""The statuses of errors of texts that are not 400."""

_CODES: Final[dict[type[exceptions.APIException], str]] = {
    exceptions.AuthenticationFailed: "authentication-failed",
    exceptions.NotAuthenticated: "not-authenticated",
    exceptions.PermissionDenied: "permission-denied",
    exceptions.ParseError: "parse-error",
}
"""Codes of the framework's errors that are not those of their status."""

_SPOKEN: Final = (
    exceptions.AuthenticationFailed,
    exceptions.NotAuthenticated,
    exceptions.PermissionDenied,
    exceptions.ParseError,
    exceptions.NotAcceptable,
)
"""Errors of the framework that are raised with words of their own, which are English."""


class ApiError(exceptions.APIException):
    """An error with a stable code of ours; `errors` lists single fields or lines if there are several.

    `detail` is English. `field` is the name of the wrong parameter, if it is a parameter.
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


def answer(found: Problem) -> HttpResponse:
    """Return the problem as an answer, outside of the API's views."""
    return JsonResponse(found.body(), status=found.status, content_type=PROBLEM)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer to an error: DRF's exception handler. It is None (a logged 500) for our own
    faults.
    """
    found = describe(error)
    if found is None:
        return None
    set_rollback()
    response = Response(found.body(), status=found.status)
    response.content_type = PROBLEM
    for name, header in (("auth_header", "WWW-Authenticate"), ("wait", "Retry-After")):
        if value := getattr(error, name, None):
            response[header] = str(value)
    if found.status == _UNAVAILABLE:
        response["Retry-After"] = str(RETRY_SECONDS)
    if isinstance(error, exceptions.NotAcceptable):
        response["Vary"] = "Accept"
    return response


def describe(error: Exception) -> Problem | None:
    """Return the problem that describes an error to the client; None for our own faults."""
    if isinstance(error, KifuError):
        found = [issues.as_json(issues.as_stored(error.issue()))]
        return Problem(STATUSES.get(error.code, 400), error.code, issues.detail_of(error, "en"), found)
    if isinstance(error, QueryError):
        return _of_query(error)
    # Bytes go only with their upload; here it went while they were read.
    if isinstance(error, GoneError | UploadChunk.DoesNotExist):
        return Problem.of_status(410)
    if is_cancelled(error):
        return Problem.of_status(503, "too-slow")
    if is_full(error):
        log.error("a disk is full: %s", error)
        return Problem.of_status(507)
    if isinstance(error, UndecidedError):
        return Problem.of_status(503, error.code)
    # If a replica is down, archive/http/replicas.py repeats the request on the primary database.
    if read_now() == PRIMARY and (is_unreachable(error) or is_connection_lost(error)):
        log.warning("the database, or a server with a part of the tables, does not answer: %s", error)
        return Problem.of_status(503)
    if isinstance(error, ApiError):
        return Problem(error.status_code, error.code, str(error.detail), error.errors)
    if isinstance(error, exceptions.APIException):
        return _of_framework(error)
    if isinstance(error, Http404):
        return Problem.of_status(404, detail=str(error) if isinstance(error, UnknownScopeError) else "")
    if isinstance(error, DjangoPermissionDenied):
        return Problem.of_status(403)
    if isinstance(error, BadRequest | SuspiciousOperation | MultiPartParserError | UnreadablePostError):
        return _unreadable(error)
    return None


def query_error(error: QueryError, field: str) -> ApiError:
    """Return the error of a query that was sent in another parameter than `q`."""
    found = _of_query(error, field)
    return ApiError(found.code, found.detail, found.status, found.errors)


def _of_query(error: QueryError, field: str = "q") -> Problem:
    """Return the problem of a query: the wrong character, counted from 1, and what was expected there."""
    mistake = {
        "field": field,
        "detail": error.message("en"),
        "message": error.message(),
        "position": None if error.position is None else error.position + 1,
        "expected": [*error.expected],
    }
    return Problem(error.status, error.code, error.message("en"), [mistake])


def _unreadable(error: Exception) -> Problem:
    """Return the problem of a request that Django could not parse."""
    if isinstance(error, TooManyFilesSent):
        limit = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return Problem(413, "too-many-files", f"a request has at most {limit} files")
    if isinstance(error, RequestDataTooBig):
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return Problem(413, "too-large", f"beside its files a request has at most {limit} bytes")
    if isinstance(error, TooManyFieldsSent):
        limit = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        return Problem(400, "too-many-parameters", f"a request has at most {limit} parameters")
    if isinstance(error, DisallowedHost):
        return Problem(400, "unknown-host", "this server is not known by the name in `Host`")
    if isinstance(error, UnreadablePostError):
        return Problem(400, "incomplete", "the body ended before its length was reached")
    return Problem.of_status(400)


def _of_framework(error: exceptions.APIException) -> Problem:
    """Return the problem of an error of the framework, whose own words follow Accept-Language."""
    if isinstance(error, exceptions.ValidationError):
        return Problem(400, "invalid", "some parameters are not as they should be", _fields(error.detail))
    detail = str(error.detail) if isinstance(error, _SPOKEN) else ""
    if detail == str(error.default_detail) or not detail.isascii():
        detail = ""
    if isinstance(error, exceptions.AuthenticationFailed) and error.get_codes() != TOKEN:
        detail = "these credentials are not those of anybody"
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "")
    return Problem.of_status(error.status_code, code, detail)


def _fields(detail: Any) -> list[dict[str, Any]]:
    found = [{"field": name[:_LONGEST_NAME], "detail": text} for name, text in _leaves(detail, "")]
    return found[:_MOST_NAMED]


def _leaves(detail: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield every mistake with the name of its field, including mistakes inside lists and objects."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from _leaves(inner, name or str(key))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _leaves(inner, name)
    else:
        yield name, str(detail)
