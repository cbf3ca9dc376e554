"""The ASGI application that granian serves: the WSGI one behind `archive.serving.front`."""

from django.conf import settings

from archive.observing import logs
from archive.project.wsgi import application as wsgi_application
from archive.serving.front import Front, Limits

logs.begin_process("web")
application = Front(
    wsgi_application,
    settings.WEB_THREADS,
    Limits(
        body_seconds=settings.BODY_SECONDS,
        answer_seconds=settings.ANSWER_SECONDS,
        request_bytes=settings.ARCHIVE_MAX_REQUEST_BYTES,
        waiting_bytes=settings.ARCHIVE_MAX_WAITING_BYTES,
    ),
    folder=str(settings.DATA_DIR / "tmp"),
)
