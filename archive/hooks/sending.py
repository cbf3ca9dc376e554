"""One request in bounded time, to an IP address that has been checked.

No redirect is followed, no proxy is used, and only status and headers of the response are read.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPConnection, HTTPException
from typing import Final

from archive.hooks.addresses import HookTarget

SECONDS: Final = 10.0
"""For all: connecting, sending, waiting for the headers of the response."""
CONNECT_SECONDS: Final = 4.0
MOST_ADDRESSES: Final = 3
"""IP addresses of one host that are tried one after the other."""

_REDIRECTS: Final = range(300, 400)
_GOOD: Final = range(200, 300)
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class PostResult:
    """The outcome of a request: the status of the response, an error, or both. `wait` is `Retry-After` in
    seconds."""

    status: int | None = None
    error: str = ""
    wait: int = 0

    @property
    def good(self) -> bool:
        return self.status in _GOOD


class _PinnedConnection(HTTPConnection):
    """A connection to an IP address for a host name, whose certificate it checks."""

    sock: socket.socket | None

    def __init__(self, target: HookTarget, address: str) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_SECONDS)
        self.target = target
        self.address = address
        self.connected = False

    def connect(self) -> None:
        # The superclass would look the host name up again.
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self.sock = sock = socket.socket(family, socket.SOCK_STREAM)
        sock.settimeout(CONNECT_SECONDS)
        sock.connect((self.address, self.port))
        self.connected = True
        sock.settimeout(SECONDS)
        if self.target.secure:
            wrapped = _ssl_context().wrap_socket(
                sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            # Assigned before the handshake, so that `end` can end that, too.
            self.sock = wrapped
            wrapped.do_handshake()

    def end(self) -> None:
        """End waiting for the receiver; called by another thread."""
        if self.sock is not None:
            with suppress(OSError):
                # The shutdown of SSLSocket would unwrap TLS while the other thread reads.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


_ssl_context: Final = cache(ssl.create_default_context)


def post(target: HookTarget, addresses: Sequence[str], headers: Mapping[str, str], body: bytes) -> PostResult:
    """Send a body to the first of the IP addresses that accepts a connection."""
    until = time.monotonic() + SECONDS
    outcome = PostResult(error="connection")
    for address in addresses[:MOST_ADDRESSES]:
        left = until - time.monotonic()
        if left <= 0:
            return PostResult(error="timeout")
        connection = _PinnedConnection(target, address)
        outcome = _post(connection, headers, body, left)
        if connection.connected:
            break
    return outcome


def _post(
    connection: _PinnedConnection, headers: Mapping[str, str], body: bytes, seconds: float
) -> PostResult:
    own = {"Host": connection.target.authority, "Accept-Encoding": "identity", "Connection": "close"}
    with _ending(connection.end, seconds) as is_over:
        try:
            connection.connect()
            connection.request("POST", connection.target.path, body, {**headers, **own})
            response = connection.getresponse()
            if is_over():
                return PostResult(error="timeout")
            error = "redirect" if response.status in _REDIRECTS else ""
            return PostResult(response.status, error, _seconds(response.headers.get("Retry-After", "")))
        except ssl.SSLError:
            return PostResult(error="timeout" if is_over() else "tls")
        except TimeoutError:
            return PostResult(error="timeout")
        except OSError:
            return PostResult(error="timeout" if is_over() else "connection")
        except (HTTPException, ValueError):
            return PostResult(error="timeout" if is_over() else "answer")
        finally:
            if connection.sock is not None:
                connection.sock.close()


@contextmanager
def _ending(end: Callable[[], None], seconds: float) -> Iterator[Callable[[], bool]]:
    """Call `end` if the body of the statement takes longer than that; yield a function that tells whether it
    did.

    The timeout of a socket does not suffice, since it is one for each piece of a response.
    """
    timer = threading.Timer(seconds, end)
    until = time.monotonic() + seconds
    timer.daemon = True
    timer.start()
    try:
        yield lambda: time.monotonic() >= until
    finally:
        timer.cancel()


def _seconds(text: str) -> int:
    """Return `Retry-After` in seconds from now; 0 if it is invalid."""
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return int(text)
    try:
        return max(0, int(parsedate_to_datetime(text).timestamp() - time.time()))
    except (ValueError, TypeError, OverflowError):
        return 0
