"""Pages for programs that monitor the archive: health, readiness and metrics."""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from archive.http.errors import error_response
from archive.http.limits.addresses import comes_from
from archive.observing.metrics import exposition
from archive.observing.readiness import CHECKS, OK, WORK_LEFT, checks

UNAVAILABLE: Final = "unavailable"


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200. It checks nothing: an answer shows that the process runs."""
    return _json_response({"status": OK})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer with the state of each component: 200 if all of them are available, otherwise 503.

    The parameter `exclude` names components that are not checked. A proxy may exclude the worker, for
    example, in order to keep using the site while no worker runs.
    """
    excluded = {name for value in request.GET.getlist("exclude") for name in value.split(",")}
    if not excluded <= {*CHECKS}:
        return _json_response({"status": "invalid", "exclude": [*CHECKS]}, 400)
    states = checks(tuple(name for name in CHECKS if name not in excluded))
    ready = all(state in (OK, WORK_LEFT) for state in states.values())
    return _json_response({"status": OK if ready else UNAVAILABLE, "checks": states}, 200 if ready else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics in a format of Prometheus, or 403 for an address that is not allowed."""
    if not comes_from(request, settings.ARCHIVE_METRICS_FROM):
        return error_response(request, 403)
    content, content_type = exposition(request.headers.get("Accept", ""))
    return HttpResponse(content, content_type=content_type, headers={"Cache-Control": "no-store"})


def _json_response(answer: dict[str, object], status: int = 200) -> HttpResponse:
    response = JsonResponse(answer, status=status, headers={"Cache-Control": "no-store"})
    # Probes come every few seconds, and Django would log each 503 as an error.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
