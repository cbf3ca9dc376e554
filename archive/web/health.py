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
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 where the database answers and has all its tables, else 503."""
    try:
        if is_too_old(connection):
            return HttpResponse("the tables are too old\n", content_type="text/plain", status=503)
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return HttpResponse("no database\n", content_type="text/plain", status=503)
    if waiting:
        return HttpResponse("migrations are waiting\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n", content_type="text/plain")
