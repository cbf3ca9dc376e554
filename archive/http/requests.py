"""What happens around every request: its id, its line in the access log, what is refused before any view."""

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
from archive.http.errors import bad_request, failure, filled, unavailable
from archive.http.limits.addresses import client_address
from archive.models import LARGEST_ID
from archive.observing import logs
from archive.observing import requests as counted

HEADER: Final = "X-Request-ID"
_STATIC: Final = "static"
"""The route of static files, which are answered before there is any."""
_TYPES: Final = {
    400: ("content-type", "`Content-Type` makes no sense"),
    415: ("charset", "the `charset` in `Content-Type` is none that is read here: send UTF-8"),
}
"""What is wrong with types of bodies, by status."""

log = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class Traced:
    """Gives a request its id, and sees to it that its line and its faults are logged with it.

    An answer to HEAD loses its body here, so that nothing is made that nobody gets.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        identifier = logs.request_id(request.headers.get(HEADER))
        with logs.about(request=identifier), audit.visit(client_address(request)):
            visit = _Visit(request)
            response = self.get_response(request)
            response.headers[HEADER] = identifier
            if request.method == "HEAD":
                _without_body(response)
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = _Watched(iter(response), response, visit)
            else:
                visit.ended(response.status_code, len(getattr(response, "content", b"")))
        return response


def _without_body(response: HttpResponseBase) -> None:
    """Take the body out of a response. Its headers stay, the length of the body among them."""
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = ()
    elif isinstance(response, HttpResponse):
        response.content = b""


class _Visit:
    """One request, for the access log and for what is counted."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.began = time.perf_counter()

    def ended(self, status: int, size: int) -> None:
        """Count the visit, and write its line: address, method, path, status, bytes, milliseconds, client."""
        request, seconds = self.request, time.perf_counter() - self.began
        counted.count(_route(request), request.method, status, seconds)
        if logs.has_access_log():
            agent = request.headers.get("User-Agent")
            accessed = logs.AccessedTarget(
                client_address(request), request.method, logs.without_keys(request.get_full_path()), agent
            )
            logs.log_access(accessed, status, size, seconds)


def _route(request: HttpRequest) -> str:
    """Return the name of the route that answered, of which there are as many as there are in `urls`."""
    if match := request.resolver_match:
        return match.view_name
    return _STATIC if request.path_info.startswith(settings.STATIC_URL) else counted.NONE


class _Watched(Iterator[bytes]):
    """An answer that is made while it is sent: what goes wrong is logged, and at the end how much it was.

    A client that goes away closes it, which is no fault.
    """

    def __init__(self, chunks: Iterator[bytes], response: StreamingHttpResponse, visit: _Visit) -> None:
        self.chunks = chunks
        self.response = response
        self.visit: _Visit | None = visit
        self.size = 0
        # Whoever sends the answer does so after the middleware has returned.
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
        """Write the answer's line once it is sent, or nobody wants it any more."""
        visit, self.visit = self.visit, None
        if visit is not None:
            self.context.run(visit.ended, self.response.status_code, self.size)


class Refusing:
    """Refuses what no view could make sense of, and gives errors without a body the body of their kind.

    A body in chunks that the server has not read has no length; Django would take it for none. A NUL belongs
    in no cookie, and PostgreSQL would fail on a session's.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            return failure(request, 411)
        if status := request.META.get(REFUSED):
            return failure(request, status, *_TYPES[status])
        for name in [name for name, value in request.COOKIES.items() if "\0" in name + value]:
            del request.COOKIES[name]
        return filled(request, self.get_response(request))

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Answer 404 for a number in an address that no row can have: SQLite fails on it."""
        numbers = (value for value in kwargs.values() if isinstance(value, int))
        return failure(request, 404) if any(number > LARGEST_ID for number in numbers) else None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer 400 for a client that went away while it sent its body, which is no fault; 503 where a part
        of the archive is away."""
        if isinstance(exception, UnreadablePostError):
            return bad_request(request, exception)
        return unavailable(request, exception)
