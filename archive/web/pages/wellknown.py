"""Files at fixed addresses: robots.txt and security.txt."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from archive.http.errors import error_response

_TEXT: Final = "text/plain; charset=utf-8"
_VALID: Final = timedelta(days=180)
_ROBOTS: Final = """\
User-agent: *
# One page of each thing, and the list of games from its beginning to its end.
Allow: /games/?cursor=
Disallow: /*?
# Positions have no end: every one leads to some hundred others.
Disallow: /positions/
Disallow: /embed/
Disallow: /find/
Disallow: /dumps/
Disallow: /upload
Disallow: /api/
Disallow: /admin/
"""
_CLOSED: Final = "User-agent: *\nDisallow: /\n"


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Return robots.txt (RFC 9309), which excludes endless and expensive pages; all pages behind a login."""
    return HttpResponse(_CLOSED if settings.ARCHIVE_LOGIN_REQUIRED else _ROBOTS, content_type=_TEXT)


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Return security.txt (RFC 9116), valid for half a year from today; 404 without a contact."""
    if not settings.SECURITY_CONTACT:
        return error_response(request, 404)
    expires = (timezone.now() + _VALID).strftime("%Y-%m-%dT00:00:00Z")
    text = f"Contact: {settings.SECURITY_CONTACT}\nExpires: {expires}\nPreferred-Languages: ja, en\n"
    return HttpResponse(text, content_type=_TEXT)
