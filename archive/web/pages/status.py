"""The status page for the staff: the data of probes and metrics in words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from archive.derive.issues import text_of
from archive.models import Entry, Upload, User
from archive.observing import measures, outstanding, readiness, replicas, tally
from archive.observing.heartbeats import LATELY
from archive.observing.versions import versions
from archive.project.disk import disk_spaces
from archive.web.accounts.own import own

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

_PARTS: Final[Mapping[str, "_StrPromise"]] = {
    readiness.DATABASE: _("database"),
    readiness.MIGRATIONS: _("tables"),
    readiness.BROKER: _("broker"),
    readiness.WORKER: _("worker"),
    readiness.DISK: _("disk"),
    readiness.WORK: _("work after an update"),
}
_STATES: Final[Mapping[str, "_StrPromise"]] = {
    readiness.OK: _("in order"),
    readiness.AWAY: _("away"),
    readiness.UNKNOWN: _("unknown"),
    readiness.WAITING: _("have to be brought up to date"),
    readiness.OTHER_VERSION: _("of another version"),
    readiness.NOT_HEARD: _("not heard of"),
    readiness.FULL: _("full"),
    readiness.WORK_LEFT: _("left to be done"),
}
_FOLDERS: Final[Mapping[str, "_StrPromise"]] = {
    "data": _("data"),
    "columns": _("columns of positions"),
    "dumps": _("dumps"),
}
_LEFT: Final[Mapping[str, "_StrPromise"]] = {
    outstanding.INDEX: _("games to be indexed again"),
    outstanding.READINGS: _("uploads to be read again"),
    outstanding.FORMATIONS: _("games whose castles and openings are to be found"),
    outstanding.COLUMNS: _("games that are in no column"),
}
_OUTCOMES: Final[Mapping[str, "_StrPromise"]] = {
    "success": _("done"),
    "failure": _("failed"),
    "retry": _("tried again"),
}


@own("GET", "HEAD")
def status(request: HttpRequest, user: User) -> HttpResponse:
    """Show the state of each part of the archive, queues, failures and disk space."""
    if not user.is_staff:
        raise PermissionDenied
    context = {
        "parts": [
            (_PARTS[part], _STATES[state], state == readiness.OK)
            for part, state in readiness.checks().items()
        ],
        "left": [(_LEFT[name], n) for name, n in measures.work_left().items()],
        "processes": measures.processes(),
        "heard_since": timezone.now() - LATELY,
        "queue": measures.queue(),
        "uploads": _in_words(Upload.State, measures.uploads_by_state()),
        "failures": _failures(),
        "entries": _in_words(Entry.State, measures.entries_by_state()),
        "tasks": [
            (one.label, str(_OUTCOMES.get(one.outcome, one.outcome)), n, seconds / n if n else 0.0)
            for one, n, seconds in tally.sums()
            if one.what == tally.TASKS
        ],
        "rooms": [(_FOLDERS[name], space) for name, space in disk_spaces().items()],
        "index_rows": measures.index_rows(),
        "segments": measures.segments(),
        "replicas": replicas.lags(),
        "versions": versions(),
    }
    return render(request, "archive/status.html", context)


def _failures() -> list[tuple[measures.Failure, str]] | None:
    """Return the newest failures with their messages in the visitor's language."""
    failures = measures.newest_failures()
    return None if failures is None else [(one, text_of(one.code, dict(one.params))) for one in failures]


def _in_words(
    states: type[Upload.State | Entry.State], counted: Mapping[str, int] | None
) -> list[tuple[str, int]] | None:
    return None if counted is None else [(str(states(one).label), n) for one, n in counted.items()]
