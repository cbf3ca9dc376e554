"""What programs look for at fixed addresses: what a robot should leave alone, and whom to tell of a hole."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from archive.http.errors import failure

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
    """Tell robots what to leave alone (RFC 9309): what is endless or costs much.

    Behind a login that is everything.
    """
    return HttpResponse(_CLOSED if settings.ARCHIVE_LOGIN_REQUIRED else _ROBOTS, content_type=_TEXT)


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Say whom to tell of a hole (RFC 9116); answer 404 where nobody is named.

    The text is good for half a year from today.
    """
    if not settings.SECURITY_CONTACT:
        return failure(request, 404)
    expires = (timezone.now() + _VALID).strftime("%Y-%m-%dT00:00:00Z")
    text = f"Contact: {settings.SECURITY_CONTACT}\nExpires: {expires}\nPreferred-Languages: ja, en\n"
    return HttpResponse(text, content_type=_TEXT)
