"""What browsers may do on our pages: a strict Content-Security-Policy on every answer.

Nothing inline, nothing from elsewhere. A view that may stand in frames of other sites is marked with Django's
`xframe_options_exempt`, which governs both the old header and `frame-ancestors`.
"""

import re
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from archive.caching.entity_tags import ALWAYS_ASK, NOBODY
from archive.queries.scope import has_read_private

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-src 'self'",
        "manifest-src 'self'",
    )
)
HEADER: Final = "Content-Security-Policy"


class ContentSecurityPolicy:
    """Adds the policy to every answer that has none of its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        framed = "*" if getattr(response, "xframe_options_exempt", False) else "'none'"
        response.headers.setdefault(HEADER, f"{_POLICY}; frame-ancestors {framed}")
        return response


_API: Final = "/api/"


class KeptByNobody:
    """Forbids caches to keep an answer that may contain something that is not public, or that has no rule of
    its own and may be for somebody who is signed in; and tells caches what distinguishes visitors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if has_read_private(request):
            response.headers["Cache-Control"] = NOBODY
            del response.headers["ETag"]
        elif "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = NOBODY if _may_be_signed_in(request) else ALWAYS_ASK
        # Pages know their visitors by cookies alone.
        programs = ("Authorization",) if request.path_info.startswith(_API) else ()
        patch_vary_headers(response, ("Cookie", *programs))
        return response


def _may_be_signed_in(request: HttpRequest) -> bool:
    """Return whether a request says who sends it. Nothing is looked up: the database may be away."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers


class OpenToOtherSites:
    """Lets pages of other sites read what is public here anyway: records, positions and conversions.

    They send no cookies, so they see what a stranger sees, and nothing that stores is open to them. A page
    that sends a token in `Authorization` may do on all addresses of the API what its token may. What
    browsers ask beforehand (preflights) is answered here. Answers that tell of errors can be read, too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        asking = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        methods = () if settings.ARCHIVE_LOGIN_REQUIRED else _open_methods(request.path_info)
        if request.path_info.startswith(_API) and _has_token(request, asking=asking):
            methods = _EVERY_METHOD
        if methods and asking:
            return HttpResponse(status=204, headers=_ANY_SITE | _PREFLIGHT | {_METHODS: ", ".join(methods)})
        response = self.get_response(request)
        if methods:
            for name, value in _ANY_SITE.items():
                response.headers.setdefault(name, value)
        return response


def _has_token(request: HttpRequest, *, asking: bool) -> bool:
    """Return whether a request has a token, or asks whether it may have one."""
    if asking:
        names = request.headers.get("Access-Control-Request-Headers", "").lower().split(",")
        return "authorization" in map(str.strip, names)
    return request.headers.get("Authorization", "").lower().startswith("bearer ")


def _open_methods(path: str) -> tuple[str, ...]:
    """Return the methods that an address takes from pages of other sites."""
    if _STATELESS.fullmatch(path):
        return ("POST",)
    return ("GET", "HEAD") if path.startswith(_READABLE) else ()


_OPEN_NAMES: Final = (
    "games", "players", "events", "statistics", "openings", "dumps", "positions", "schema",
    "about", "texts", "formations", "patterns",
)  # fmt: skip
_READABLE: Final = tuple(f"/api/v1/{name}" for name in _OPEN_NAMES)
_STATELESS: Final = re.compile("/api/v1/(?:convert|check|find|positions/[^/]+/(?:batch|find))")
_EVERY_METHOD: Final = ("GET", "HEAD", "POST", "DELETE")
_METHODS: Final = "Access-Control-Allow-Methods"
_ANY_SITE: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Allow, Content-Disposition, ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
    ),
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Headers": (
        "Accept, Accept-Language, Authorization, Content-Type, If-Match, If-None-Match, X-Request-ID"
    ),
    "Access-Control-Max-Age": "86400",
}
