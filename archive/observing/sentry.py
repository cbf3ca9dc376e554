"""Faults told to a Sentry, where one is named: what went wrong and where, and nothing of anybody.

Of an error in the log goes its text without what stands in its places, the kind of what was raised, where in
our sources, and the numbers of request, upload and task. What was raised says nothing: the words of a
database quote rows, those of others paths with keys in them.
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
"""How long a process that ends goes on to send what it has to tell."""


class Faults(logging.Handler):
    """Sends records that are errors to the Sentry of that address, from a thread of its own."""

    def __init__(self, dsn: str) -> None:
        super().__init__(logging.ERROR)
        self.client = sentry_sdk.Client(
            dsn=dsn,
            release=__version__,
            server_name="",
            # Those of the library would tell of requests, of visitors and of this machine.
            default_integrations=False,
            auto_enabling_integrations=False,
            auto_session_tracking=False,
            include_local_variables=False,
            max_breadcrumbs=0,
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Hand over a record; that it cannot be sent is no fault of who writes it."""
        event: Event = {}
        if record.exc_info and record.exc_info[0] is not None:
            event, _hint = event_from_exception(record.exc_info, client_options=self.client.options)
            for error in event["exception"]["values"]:
                error["value"] = ""
        event["level"] = "fatal" if record.levelno >= logging.CRITICAL else "error"
        event["logger"] = record.name
        event["logentry"] = {"message": str(record.msg)}
        told = record.__dict__["subject"]._asdict()
        event["tags"] = {name: str(value) for name, value in told.items() if value}
        self.client.capture_event(event)

    def close(self) -> None:
        """Send what waits, for a while."""
        self.client.close(timeout=CLOSING_SECONDS)
        super().close()
