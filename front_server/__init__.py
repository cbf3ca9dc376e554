"""Serve a WSGI application behind an ASGI server, so that no slow client holds a thread."""

from front_server.app import FrontServer, plain_text
from front_server.interfaces import (
    Cancellation,
    Headers,
    Limits,
    NoCancellation,
    Refusal,
    Scope,
    WsgiApplication,
)

__all__ = [
    "Cancellation",
    "FrontServer",
    "Headers",
    "Limits",
    "NoCancellation",
    "Refusal",
    "Scope",
    "WsgiApplication",
    "plain_text",
]
