"""Report errors to Sentry, without personal data.

An event has the log record's text without its arguments, the exception's type and traceback, and the ids of
request, upload and task. Messages of exceptions are removed: those of databases quote rows, others quote
paths with keys.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import sentry_sdk
from sentry_sdk.utils import event_from_exception

from kifu_core import __version__

if TYPE_CHECKING:
    from sentry_sdk.types import Event

CLOSING_SECONDS: Final = 2.0
"""How long a process that ends waits for unsent events."""


class Faults(logging.Handler):
    """Sends error records to the Sentry of a DSN, in a thread of its own."""

    def __init__(self, dsn: str) -> None:
        super().__init__(logging.ERROR)
        self.client = sentry_sdk.Client(
            dsn=dsn,
            release=__version__,
            server_name="",
            # The library's integrations would report requests, visitors and this machine.
            default_integrations=False,
            auto_enabling_integrations=False,
            auto_session_tracking=False,
            include_local_variables=False,
            max_breadcrumbs=0,
        )

    def emit(self, record: logging.LogRecord) -> None:
        event: Event = {}
        if record.exc_info and record.exc_info[0] is not None:
            event, _hint = event_from_exception(record.exc_info, client_options=self.client.options)
            for error in event["exception"]["values"]:
                error["value"] = ""
        event["level"] = "fatal" if record.levelno >= logging.CRITICAL else "error"
        event["logger"] = record.name
        event["logentry"] = {"message": str(record.msg)}
        context = record.__dict__["context"]._asdict()
        event["tags"] = {name: str(value) for name, value in context.items() if value}
        self.client.capture_event(event)

    def close(self) -> None:
        """Send unsent events for up to `CLOSING_SECONDS`."""
        self.client.close(timeout=CLOSING_SECONDS)
        super().close()
