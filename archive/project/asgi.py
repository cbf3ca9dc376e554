"""The ASGI application that granian serves: the WSGI application behind `front_server`."""

from django.conf import settings

from archive.observing import logs
from archive.project.wsgi import application as wsgi_application
from archive.serving.cancelling import QueryCancellation
from archive.serving.refusals import PROBES, render
from front_server import FrontServer, ServerLimits

logs.begin_process("web")
application = FrontServer(
    wsgi_application,
    settings.WEB_THREADS,
    ServerLimits(
        body_seconds=settings.BODY_SECONDS,
        answer_seconds=settings.ANSWER_SECONDS,
        request_bytes=settings.ARCHIVE_MAX_REQUEST_BYTES,
        waiting_bytes=settings.ARCHIVE_MAX_WAITING_BYTES,
    ),
    folder=str(settings.DATA_DIR / "tmp"),
    probes=PROBES,
    render=render,
    cancellation=QueryCancellation,
)
