"""Security headers: a strict Content-Security-Policy, private caching, CORS.

The policy allows nothing inline and nothing from other sites. Django's `xframe_options_exempt` marks views
that may be framed by other sites; it governs both X-Frame-Options and `frame-ancestors`.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.crypto import salted_hmac

from archive.caching.entity_tags import ALWAYS_ASK, NOBODY
from archive.queries.scope import has_read_private

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-src 'self'; manifest-src 'self'"
)
HEADER: Final = "Content-Security-Policy"


class ContentSecurityPolicy:
    """Adds the policy to every answer without one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        framed = "*" if getattr(response, "xframe_options_exempt", False) else "'none'"
        response.headers.setdefault(HEADER, f"{_POLICY}; frame-ancestors {framed}")
        return response


ISOLATED: Final = "engine"
"""The parameter of pages that run an engine in the browser."""
EMBEDDER_POLICY: Final = "Cross-Origin-Embedder-Policy"
RESOURCE_POLICY: Final = "Cross-Origin-Resource-Policy"


class IsolatedPages:
    """Isolates pages that run an engine in the browser from other sites: only then may it have threads that
    share memory. Does nothing without such an engine. Django sends the opener policy that this also needs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if settings.BROWSER_ENGINE is not None and request.GET.get(ISOLATED) == "1":
            response.headers[EMBEDDER_POLICY] = "require-corp"
        return response


_API: Final = "/api/"


class PrivateCaching:
    """Forbids caching of answers that contain private data, or that have no `Cache-Control` and may be for a
    user who is signed in; adds `Vary`, and to pages the mark of the account."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if has_read_private(request):
            response.headers["Cache-Control"] = NOBODY
            del response.headers["ETag"]
        elif "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = NOBODY if _may_be_signed_in(request) else ALWAYS_ASK
        if response.status_code == HTTPStatus.OK and response.headers["Content-Type"].startswith("text/html"):
            response.headers[ACCOUNT] = _mark_of(request)
        # Pages identify their visitors by cookies only.
        tokens = ("Authorization",) if request.path_info.startswith(_API) else ()
        patch_vary_headers(response, ("Cookie", *tokens))
        return response


ACCOUNT: Final = "Kifu-Account"
"""The header of a page by which the service worker tells accounts apart: `-` for strangers."""


def _mark_of(request: HttpRequest) -> str:
    user = request.user if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    return salted_hmac(ACCOUNT, str(user.pk)).hexdigest()[:16] if user and user.is_authenticated else "-"


def _may_be_signed_in(request: HttpRequest) -> bool:
    """Return whether a request has credentials. They are not checked: the database may be away."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers


class CrossOrigin:
    """CORS: lets pages of other sites read public records, positions and conversions, and errors about them.

    Such requests have no cookies, so they are anonymous, and they cannot store anything. A request with a
    token in `Authorization` may use the complete API within the token's rights. Answers preflights.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        methods = () if settings.ARCHIVE_LOGIN_REQUIRED else _open_methods(request.path_info)
        if request.path_info.startswith(_API) and _has_token(request, preflight=preflight):
            methods = _EVERY_METHOD
        if methods and preflight:
            return HttpResponse(status=204, headers=_ANY_SITE | _PREFLIGHT | {_METHODS: ", ".join(methods)})
        response = self.get_response(request)
        if methods:
            for name, value in _ANY_SITE.items():
                response.headers.setdefault(name, value)
        return response


def _has_token(request: HttpRequest, *, preflight: bool) -> bool:
    """Return whether a request has a token, or a preflight announces one."""
    if preflight:
        names = request.headers.get("Access-Control-Request-Headers", "").lower().split(",")
        return "authorization" in map(str.strip, names)
    return request.headers.get("Authorization", "").lower().startswith("bearer ")


def _open_methods(path: str) -> tuple[str, ...]:
    if _STATELESS.fullmatch(path):
        return ("POST",)
    if _RECONCILING.fullmatch(path):
        return ("GET", "HEAD", "POST")
    return ("GET", "HEAD") if path == _INDEX or path.startswith(_READABLE) else ()


_OPEN_NAMES: Final = (
    "games", "players", "events", "places", "statistics", "openings", "dumps", "positions", "schema",
    "about", "texts", "changes", "formations", "patterns", "reconcile",
)  # fmt: skip
_READABLE: Final = tuple(f"/api/v1/{name}" for name in _OPEN_NAMES)
_INDEX: Final = "/api/v1/"
_STATELESS: Final = re.compile("/api/v1/(?:convert|check|find|positions/[^/]+/(?:batch|find|verdicts))")
_RECONCILING: Final = re.compile("/api/v1/reconcile/[^/]+")
_EVERY_METHOD: Final = ("GET", "HEAD", "POST", "PUT", "DELETE")
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
