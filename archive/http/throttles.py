"""Limit requests for pages, and tell all visitors how much of their quota is left."""

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from archive.http.errors import page
from archive.http.limits.throttling import LimitReachedError, charge_route, leave_place, settle, standings

_API: Final = "api:"


class Throttles:
    """Counts requests for pages, answers 429 in words, and tells all visitors how they stand.

    The headers are those of draft-ietf-httpapi-ratelimit-headers-10.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            response = self.get_response(request)
        finally:
            leave_place(request)
        settle(request, response.status_code)
        if told := standings(request):
            response.headers["RateLimit-Policy"] = ", ".join(one.policy for one in told)
            response.headers["RateLimit"] = ", ".join(one.limit for one in told)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if request.resolver_match is None or request.resolver_match.view_name.startswith(_API):
            return None
        try:
            charge_route(request, request.user)
        except LimitReachedError as error:
            return _page(request, error)
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return _page(request, error) if isinstance(error, LimitReachedError) else None


def _page(request: HttpRequest, error: LimitReachedError) -> HttpResponse:
    response = page(request, 429, str(error.detail))
    response.headers["Retry-After"] = str(error.seconds)
    return response
