"""What browsers may do on our pages: a strict Content-Security-Policy on every answer.

Nothing inline, nothing from elsewhere. A view that may stand in frames of other sites is marked with Django's
`xframe_options_exempt`, which governs both the old header and `frame-ancestors`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

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


class OpenToOtherSites:
    """Lets pages of other sites read what is public here anyway: records, positions and conversions.

    Without credentials, so that they see what a stranger sees; nothing that stores is open to them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        reading = request.method in ("GET", "HEAD") and request.path.startswith(_READABLE)
        if not settings.ARCHIVE_LOGIN_REQUIRED and (reading or request.path in _STATELESS):
            response.headers.setdefault("Access-Control-Allow-Origin", "*")
        return response


_READABLE: Final = ("/api/v1/games", "/api/v1/positions")
_STATELESS: Final = frozenset(["/api/v1/convert", "/api/v1/check"])
