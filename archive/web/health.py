"""Two addresses for whoever watches over the archive."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from archive.upgrading import is_too_old


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process runs."""
    return _told("ok")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 where the database answers and has all its tables, else 503."""
    try:
        if is_too_old(connection):
            return _told("the tables are too old", 503)
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return _told("no database", 503)
    return _told("migrations are waiting", 503) if waiting else _told("ok")


def _told(text: str, status: int = 200) -> HttpResponse:
    headers = {"Cache-Control": "no-store", "Content-Type": "text/plain"}
    return HttpResponse(f"{text}\n", status=status, headers=headers)
