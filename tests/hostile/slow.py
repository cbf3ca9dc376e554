"""Connections that are slow or never end, held open beside everything else."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tests.hostile.known import CSRF

TICK_SECONDS: Final = 1.0

_HELLO: Final = bytes.fromhex("16030100c8010000c40303") + bytes(range(32)) + bytes(157)
"""How a browser begins to speak TLS."""


@dataclass(frozen=True)
class Manner:
    """What is sent at once, and what each second after it."""

    title: str
    first: bytes
    each: bytes = b""
    shut: bool = False
    """Whether our side of the connection is closed at once."""
    receive: int = 65_536
    """Bytes of answers that may wait unread."""


def manners(host: str, pages: list[str]) -> list[Manner]:
    """All of them, two in three of them bodies; `pages` are addresses with long answers."""
    name, json = f"Host: {host}\r\n", "application/json"
    form, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
    token = f"Cookie: csrftoken={CSRF}\r\n"  # without one, forms are refused unread
    unread = "".join(f"GET {page} HTTP/1.1\r\n{name}\r\n" for page in pages * 20).encode()

    def body(path: str, kind: str, first: bytes = b"{", each: bytes = b" ", size: int = 5000) -> Manner:
        head = f"POST {path} HTTP/1.1\r\n{name}{token}Content-Length: {size}\r\nContent-Type: {kind}\r\n\r\n"
        return Manner(f"a body of a byte a second to {path}", head.encode() + first, each)

    chunked = (
        f"POST /api/v1/convert HTTP/1.1\r\n{name}Transfer-Encoding: chunked\r\nContent-Type: {json}\r\n\r\n"
    )
    return [
        body("/api/v1/check", json, size=100),
        body("/sign-in/", form, b"u", b"a"),
        body("/api/v1/convert", json),
        Manner("headers that never end", f"GET / HTTP/1.1\r\n{name}".encode(), b"X-A: b\r\n"),
        body("/api/v1/uploads", parts, b"--x\r\n" * 2000, b"", 60_000_000),
        body("/api/v1/positions/shogi/find", json),
        body("/api/v1/check", json, size=100),
        Manner("an answer never read", unread, receive=1024),
        body("/theme/", form, b"t", b"h"),
        body(
            "/upload/", parts, b"--x\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n", b"x"
        ),
        body("/api/v1/uploads", json, size=16_000_000),
        Manner("chunks that never end", chunked.encode(), b"1\r\n \r\n"),
        Manner("an idle connection", f"GET /healthz HTTP/1.1\r\n{name}\r\n".encode()),
        body("/find/", form, b"text=", b"a"),
        Manner("the hello of TLS", _HELLO),
        body("/api/v1/games", json),
        Manner("half a request, half closed", f"GET / HTTP/1.1\r\n{name[:9]}".encode(), shut=True),
        body("/api/v1/nothing", json),
        Manner("a first line of a byte a second", b"G", b"E"),
        Manner("nothing at all", b""),
    ]


@dataclass
class _Open:
    manner: Manner
    connection: socket.socket


@dataclass
class SlowConnections:
    """Holds `number` of them open until told to stop; one that the server closed is opened again."""

    place: tuple[str, int]
    number: int
    manners: list[Manner]
    closed: Counter[str] = field(default_factory=Counter)
    """By manner, how many the server has closed."""
    open: list[_Open] = field(default_factory=list)
    refused: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Open all of them."""
        for number in range(self.number):
            self._connect(self.manners[number % len(self.manners)])
        self._thread = threading.Thread(target=self._run, name="slow connections", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close all of them."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for one in self.open:
            one.connection.close()
        self.open.clear()

    def _run(self) -> None:
        while not self._stop.wait(TICK_SECONDS):
            alive: list[_Open] = []
            gone: list[_Open] = []
            for one in self.open:
                (alive if self._goes_on(one) else gone).append(one)
            self.open = alive
            for one in gone:
                one.connection.close()
                self.closed[one.manner.title] += 1
                self._connect(one.manner)

    def _goes_on(self, one: _Open) -> bool:
        """Send what is due; False where the other side has closed."""
        try:
            if one.manner.each:
                one.connection.send(one.manner.each)
            if one.manner.receive > 4096:
                return one.connection.recv(4096) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True

    def _connect(self, manner: Manner) -> None:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, manner.receive)
        connection.settimeout(2)
        try:
            connection.connect(self.place)
            connection.setblocking(False)
            with suppress(BlockingIOError):
                connection.send(manner.first)
            if manner.shut:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            self.refused += 1
            connection.close()
            return
        self.open.append(_Open(manner, connection))
