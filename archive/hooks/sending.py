"""One request to one address: to an IP address that was looked at, once, and over in a bounded time.

No redirect is followed, no proxy asked, and of the answer nothing is read but its status and headers.
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

from archive.hooks.addresses import Target

SECONDS: Final = 10.0
"""For all of it: connecting, sending, waiting for the head of the answer."""
CONNECT_SECONDS: Final = 4.0
TRIED: Final = 3
"""IP addresses of one host that are tried one after the other."""

_REDIRECTS: Final = range(300, 400)
_GOOD: Final = range(200, 300)
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request: the status that was answered, or an error in its place or beside it. `wait`
    is for how many seconds the receiver wants to be left alone."""

    status: int | None = None
    error: str = ""
    wait: int = 0

    @property
    def good(self) -> bool:
        """Tell whether what was sent was taken."""
        return self.status in _GOOD


class _Pinned(HTTPConnection):
    """A connection to an IP address that asks for a host of a name, whose certificate it wants to see."""

    sock: socket.socket | None

    def __init__(self, target: Target, address: str) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_SECONDS)
        self.target = target
        self.address = address
        self.connected = False

    def connect(self) -> None:
        # Not by a function that takes names: nothing is looked up here.
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self.sock = sock = socket.socket(family, socket.SOCK_STREAM)
        sock.settimeout(CONNECT_SECONDS)
        sock.connect((self.address, self.port))
        self.connected = True
        sock.settimeout(SECONDS)
        if self.target.secure:
            wrapped = _trusting().wrap_socket(
                sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            # Known before the handshake: that can be ended, too.
            self.sock = wrapped
            wrapped.do_handshake()

    def end(self) -> None:
        """Let whoever waits for the other side wait no longer; called by another thread."""
        if self.sock is not None:
            with suppress(OSError):
                # Not TLS's own, which takes the socket apart while the other thread reads.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


@cache
def _trusting() -> ssl.SSLContext:
    """Return what this machine trusts, read once."""
    return ssl.create_default_context()


def post(target: Target, addresses: Sequence[str], headers: Mapping[str, str], body: bytes) -> Outcome:
    """Send a body to the first of the IP addresses that can be connected to; return what became of it."""
    until = time.monotonic() + SECONDS
    outcome = Outcome(error="connection")
    for address in addresses[:TRIED]:
        left = until - time.monotonic()
        if left <= 0:
            return Outcome(error="timeout")
        connection = _Pinned(target, address)
        outcome = _asked(connection, headers, body, left)
        if connection.connected:
            break
    return outcome


def _asked(connection: _Pinned, headers: Mapping[str, str], body: bytes, seconds: float) -> Outcome:
    own = {"Host": connection.target.authority, "Accept-Encoding": "identity", "Connection": "close"}
    with _ending(connection.end, seconds) as is_over:
        try:
            connection.connect()
            connection.request("POST", connection.target.path, body, {**headers, **own})
            answer = connection.getresponse()
            if is_over():
                return Outcome(error="timeout")
            return _told(answer.status, answer.headers.get("Retry-After", ""))
        except ssl.SSLError:
            return Outcome(error="timeout" if is_over() else "tls")
        except TimeoutError:
            return Outcome(error="timeout")
        except OSError:
            return Outcome(error="timeout" if is_over() else "connection")
        except (HTTPException, ValueError):
            return Outcome(error="timeout" if is_over() else "answer")
        finally:
            if connection.sock is not None:
                connection.sock.close()


def _told(status: int, retry_after: str) -> Outcome:
    return Outcome(status, "redirect" if status in _REDIRECTS else "", _seconds(retry_after))


@contextmanager
def _ending(end: Callable[[], None], seconds: float) -> Iterator[Callable[[], bool]]:
    """Call `end` when the time is over before the body is; give a function that tells whether it was.

    A time limit of a socket is one for each piece: who sends a byte now and then never reaches it.
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
    """Return what `Retry-After` says in seconds from now; 0 for nothing that makes sense."""
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return int(text)
    try:
        return max(0, int(parsedate_to_datetime(text).timestamp() - time.time()))
    except (ValueError, TypeError, OverflowError):
        return 0
