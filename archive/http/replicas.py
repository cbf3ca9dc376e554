"""Requests that only read are answered from a streaming replica, where there is one that knows enough."""

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

SEEN: Final = "seen"
"""The cookie that tells up to which byte of the WAL its visitor has seen the archive."""
_SECONDS: Final = 60 * 60
_MISSING: Final = (404, 410)
_FAULT: Final = 500


class ReadFromReplicas:
    """Chooses the database that a view reads, and keeps what its visitor has seen.

    It is the last of the middlewares: who somebody is has been asked of the first database, which is read for
    every route that does not say `replica`, and for all requests of programs with a token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if standbys.known and response.status_code < _FAULT and _has_seen(request):
            response.set_cookie(
                SEEN,
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
        """Return the view's answer from a replica; None where the first database is to be asked: also where
        the replica fails, or does not know what is asked for."""
        return self._asked(request, view, args, parts, _database_for(request))

    def _asked(
        self, request: HttpRequest, view: View, args: tuple[Any, ...], parts: dict[str, Any], alias: str
    ) -> HttpResponseBase | None:
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
        except Http404:  # It may be what the replica does not know yet.
            return None
        return None if response.status_code in _MISSING else response


def _database_for(request: HttpRequest) -> str:
    # A standby of the coordinator alone would ask nodes that know more than it does.
    if (
        not standbys.known
        or citus.was_distributed()
        or request.method not in ("GET", "HEAD")
        or "Authorization" in request.headers
        or not route_of(request).replica
    ):
        return PRIMARY
    visitor = request.COOKIES.get(settings.SESSION_COOKIE_NAME) or client_address(request) or ""
    return standbys.usable(zlib.crc32(visitor.encode()), _seen(request))


def _seen(request: HttpRequest) -> int:
    """Return up to which byte of the WAL a visitor has seen the archive, by the cookie."""
    text = request.COOKIES.get(SEEN, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _has_seen(request: HttpRequest) -> bool:
    """Return whether a request may have written, or shows what workers have written."""
    return request.method not in ("GET", "HEAD", "OPTIONS") or route_of(request).progress
