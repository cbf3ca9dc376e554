"""The types that a front server, its ASGI server and its WSGI application share."""

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Any]

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of one process."""

    body_seconds: float = 30
    """The time for a request body. Each received byte extends it (`front_server.bodies.next_deadline`)."""
    answer_seconds: float = 60
    """The time until the application begins its answer, and the time for the client to take each piece of
    it."""
    probe_seconds: float = 5
    """The time until the application begins its answer to a probe."""
    request_bytes: int = 256 * MIB
    """The size of one request body."""
    waiting_bytes: int = 1024 * MIB
    """The total size of all request bodies in the process."""


class Refusal(Exception):
    """The front server answers a request itself: with an HTTP status, a code for programs and a sentence."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail


class ClientLeft(Exception):
    """The client closed the connection or does not take the answer."""


RefusalRenderer = Callable[[Refusal, Scope, float], tuple[Headers, bytes]]
"""Makes headers and body of a refusal. The float is the age of the request in seconds. The renderer is also
the place to log and count refusals: the application never sees these requests."""


class Cancellation(Protocol):
    """Ends the work of one answer's thread, such as database queries, when nobody waits for it any more."""

    def begin(self) -> None:
        """Register the current thread: it now works on the answer."""

    def end(self) -> None:
        """Unregister the current thread: its next work belongs to another answer."""

    def cancel(self) -> None:
        """Cancel the work of the registered thread, from another thread. May be called several times."""


class NoCancellation:
    """A cancellation that lets the thread finish its work."""

    def begin(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""

    def cancel(self) -> None:
        """Do nothing."""
