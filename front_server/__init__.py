"""Serve a WSGI application behind an ASGI server, so that no slow client holds a thread."""

from front_server.app import FrontServer, plain_text
from front_server.interfaces import (
    Cancellation,
    Headers,
    NoCancellation,
    Refusal,
    Scope,
    ServerLimits,
    WsgiApplication,
)

__all__ = [
    "Cancellation", "FrontServer", "Headers", "NoCancellation", "Refusal", "Scope", "ServerLimits",
    "WsgiApplication", "plain_text",
]  # fmt: skip
