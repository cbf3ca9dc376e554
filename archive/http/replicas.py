"""Answer reading requests from a streaming replica that has replayed enough of the WAL."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.db import close_old_connections
from django.db.utils import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponseBase

from archive.http.limits.addresses import client_address
from archive.http.routes import View, route_of
from archive.index import citus
from archive.observing.standbys import end_of_wal, standbys
from archive.project.reading import PRIMARY, read_from

WAL_COOKIE: Final = "seen"
"""The cookie with the WAL position up to which its visitor has seen the archive."""
_SECONDS: Final = 60 * 60
_MISSING: Final = (404, 410)
_FAULT: Final = 500


class ReadFromReplicas:
    """The last middleware: chooses the database that a view reads, and updates the visitor's cookie.

    Authentication has read the primary before. Routes without `replica`, and requests with a token, read only
    the primary.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if standbys.replicas and response.status_code < _FAULT and _has_seen(request):
            response.set_cookie(
                WAL_COOKIE,
                str(end_of_wal()),
                max_age=_SECONDS,
                httponly=True,
                samesite="Lax",
                secure=settings.SESSION_COOKIE_SECURE,
            )
        return response

    def process_view(
        self, request: HttpRequest, view: View, args: tuple[Any, ...], parts: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Return the view's answer from a replica. None means that the primary must answer, also if the
        replica fails or does not have the row."""
        alias = _database_for(request)
        if alias == PRIMARY:
            return None
        try:
            with read_from(alias):
                response = view(request, *args, **parts)
                if hasattr(response, "render") and callable(response.render):
                    response = response.render()
        except (OperationalError, InterfaceError) as error:
            standbys.leave_out(alias, error)
            close_old_connections()
            return None
        except Http404:  # The row may not have reached the replica.
            return None
        return None if response.status_code in _MISSING else response


def _database_for(request: HttpRequest) -> str:
    # A standby of the Citus coordinator would query nodes that are ahead of it.
    if (
        not standbys.replicas
        or citus.was_distributed()
        or request.method not in ("GET", "HEAD")
        or "Authorization" in request.headers
        or not route_of(request).replica
    ):
        return PRIMARY
    visitor = request.COOKIES.get(settings.SESSION_COOKIE_NAME) or client_address(request) or ""
    return standbys.usable(zlib.crc32(visitor.encode()), _seen(request))


def _seen(request: HttpRequest) -> int:
    """Return the WAL position in the visitor's cookie; 0 if there is none."""
    text = request.COOKIES.get(WAL_COOKIE, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _has_seen(request: HttpRequest) -> bool:
    """Return whether a request may have written, or shows the work of workers."""
    return request.method not in ("GET", "HEAD", "OPTIONS") or route_of(request).progress
