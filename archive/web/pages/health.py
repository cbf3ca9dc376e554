"""Addresses for programs that watch over the archive."""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from archive.http.errors import failure
from archive.http.limits.addresses import comes_from
from archive.observing.metrics import exposition
from archive.observing.readiness import CHECKS, LEFT, OK, checks

UNAVAILABLE: Final = "unavailable"


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process runs. Nothing else is looked at."""
    return _told({"status": OK})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 where everything is there that the archive works with, else 503; tell of each part.

    `exclude` leaves parts out, as for a proxy that is to go on asking while only a worker is missing.
    """
    excluded = {name for value in request.GET.getlist("exclude") for name in value.split(",")}
    if not excluded <= {*CHECKS}:
        return _told({"status": "invalid", "exclude": [*CHECKS]}, 400)
    found = checks(tuple(name for name in CHECKS if name not in excluded))
    ready = all(state in (OK, LEFT) for state in found.values())
    return _told({"status": OK if ready else UNAVAILABLE, "checks": found}, 200 if ready else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Tell what is counted and measured, in the format that Prometheus asks for; 403 for other addresses."""
    if not comes_from(request, settings.ARCHIVE_METRICS_FROM):
        return failure(request, 403)
    content, content_type = exposition(request.headers.get("Accept", ""))
    return HttpResponse(content, content_type=content_type, headers={"Cache-Control": "no-store"})


def _told(answer: dict[str, object], status: int = 200) -> HttpResponse:
    response = JsonResponse(answer, status=status, headers={"Cache-Control": "no-store"})
    # Probes ask every few seconds, and Django would log each of these answers as a fault of the server.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
