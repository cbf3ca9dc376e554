"""Rate limits for pages, and `RateLimit` headers on all answers."""

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from archive.http.errors import error_page
from archive.http.limits.throttling import (
    LimitReachedError,
    charge_route,
    leave_place,
    quota_states,
    settle_charges,
)

_API: Final = "api:"


class Throttles:
    """Charges requests for pages and answers 429 with a page. The headers are those of
    draft-ietf-httpapi-ratelimit-headers-10."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            response = self.get_response(request)
        finally:
            leave_place(request)
        settle_charges(request, response.status_code)
        if states := quota_states(request):
            response.headers["RateLimit-Policy"] = ", ".join(state.policy for state in states)
            response.headers["RateLimit"] = ", ".join(state.limit for state in states)
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
    response = error_page(request, 429, str(error.detail))
    response.headers["Retry-After"] = str(error.seconds)
    return response
