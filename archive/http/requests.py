"""Middleware for every request: its id, its line in the access log, and refusals before any view."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from typing import Any, Final

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
    UnreadablePostError,
)

from archive.accounts import audit
from archive.http.content_types import REFUSED
from archive.http.errors import bad_request, error_response, unavailable, with_body
from archive.http.limits.addresses import client_address
from archive.models import LARGEST_ID
from archive.observing import logs, requests

HEADER: Final = "X-Request-ID"
_STATIC: Final = "static"
"""The route name of static files, which are answered before URL resolution."""
_TYPES: Final = {
    400: ("content-type", "`Content-Type` makes no sense"),
    415: ("charset", "the `charset` in `Content-Type` is none that is read here: send UTF-8"),
}
"""Codes and details of refused content types, by status."""

log = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class RequestLog:
    """Gives a request its id, logs it with that id and counts it. Also removes the body from answers to HEAD,
    so that streamed ones are not computed."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        identifier = logs.request_id(request.headers.get(HEADER))
        with logs.context(request=identifier), audit.visit(client_address(request)):
            visit = _Visit(request)
            response = self.get_response(request)
            response.headers[HEADER] = identifier
            if request.method == "HEAD":
                _without_body(response)
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = _LoggedStream(iter(response), response, visit)
            else:
                visit.ended(response.status_code, len(getattr(response, "content", b"")))
        return response


def _without_body(response: HttpResponseBase) -> None:
    """Remove the body from a response; its headers, with the length of the body, stay."""
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = ()
    elif isinstance(response, HttpResponse):
        response.content = b""


class _Visit:
    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.began = time.perf_counter()

    def ended(self, status: int, size: int) -> None:
        """Count the request, and write its line to the access log."""
        request, seconds = self.request, time.perf_counter() - self.began
        requests.count(_route(request), request.method, status, seconds)
        if logs.has_access_log():
            agent = request.headers.get("User-Agent")
            target = request.get_full_path()
            accessed = logs.AccessedUrl(client_address(request), request.method, target, agent)
            logs.log_access(accessed, status, size, seconds)


def _route(request: HttpRequest) -> str:
    if match := request.resolver_match:
        return match.view_name
    return _STATIC if request.path_info.startswith(settings.STATIC_URL) else requests.NONE


class _LoggedStream(Iterator[bytes]):
    """A streamed answer: logs its errors, and at its end the request. A client that leaves closes it, without
    an error."""

    def __init__(self, chunks: Iterator[bytes], response: StreamingHttpResponse, visit: _Visit) -> None:
        self.chunks = chunks
        self.response = response
        self.visit: _Visit | None = visit
        self.size = 0
        # The answer is sent after the middleware has returned.
        self.context = copy_context()

    def __next__(self) -> bytes:
        chunk = self.context.run(self._next)
        self.size += len(chunk)
        return chunk

    def _next(self) -> bytes:
        try:
            return next(self.chunks)
        except StopIteration:
            raise
        except Exception:
            path = self.visit.request.path if self.visit else "-"
            log.exception("an answer broke off after %d bytes: %s", self.size, path)
            raise

    def close(self) -> None:
        """Log the request when its answer is complete, or its client has left."""
        visit, self.visit = self.visit, None
        if visit is not None:
            self.context.run(visit.ended, self.response.status_code, self.size)


class InvalidRequests:
    """Refuses requests that no view could read, and adds bodies to errors without one.

    A chunked body that the server has not decoded has no length, and Django would take it for empty. Cookies
    with a NUL are dropped, because PostgreSQL would fail on a session's.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            return error_response(request, 411)
        if status := request.META.get(REFUSED):
            return error_response(request, status, *_TYPES[status])
        for name in [name for name, value in request.COOKIES.items() if "\0" in name + value]:
            del request.COOKIES[name]
        return with_body(request, self.get_response(request))

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Answer 404 for a number in the URL that is too large for an id: SQLite would fail on it."""
        numbers = (value for value in kwargs.values() if isinstance(value, int))
        return error_response(request, 404) if any(number > LARGEST_ID for number in numbers) else None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer 400 if the client left while it sent its body, and database errors as `unavailable` does."""
        if isinstance(exception, UnreadablePostError):
            return bad_request(request, exception)
        return unavailable(request, exception)
