"""Receivers of webhooks on this machine, good and bad ones."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from archive.hooks import own_hooks
from archive.hooks.arrivals import number_arrivals
from archive.hooks.delivering import deliver, due_hooks
from archive.models import Hook, User
from archive.queries.scope import spaces_of

Answering = Callable[[socket.socket], None]


@dataclass
class Received:
    """A request: its first line, its headers by their names in lower case, its body."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """What a server was sent; `answers` is what it does, once for each request, the last of them for ever."""

    port: int
    secure: bool = False
    answers: list[Answering] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    connections: int = 0

    @property
    def address(self) -> str:
        return f"http{'s' if self.secure else ''}://localhost:{self.port}/games?x=1"


def status(code: int, *headers: str) -> Answering:
    """Answer with a status and nothing else."""

    def answer(to: socket.socket) -> None:
        lines = [f"HTTP/1.1 {code} Said", "Content-Length: 0", *headers, "", ""]
        to.sendall("\r\n".join(lines).encode())

    return answer


def silence(to: socket.socket) -> None:
    """Answer nothing until the other side goes away."""
    with contextlib.suppress(OSError):
        while to.recv(1024):
            pass


def drips(to: socket.socket) -> None:
    """Send a byte of an answer now and then, and never all of it."""
    with contextlib.suppress(OSError):
        to.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
        while True:
            to.sendall(b"a")
            time.sleep(0.05)


def floods(to: socket.socket) -> None:
    """Answer with far more than anybody wants."""
    with contextlib.suppress(OSError):
        to.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        for _ in range(100_000):
            to.sendall(b"x" * 65536)


def garbles(to: socket.socket) -> None:
    """Answer with what is no HTTP."""
    to.sendall(b"SSH-2.0-server\r\n")


@contextlib.contextmanager
def receiving(*answers: Answering, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver = Receiver(server.getsockname()[1], tls is not None, list(answers) or [status(204)])
        threading.Thread(target=_serve, args=(server, receiver, tls), daemon=True).start()
        yield receiver
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def _serve(server: socket.socket, receiver: Receiver, tls: ssl.SSLContext | None) -> None:
    while True:
        try:
            plain, _peer = server.accept()
        except OSError:
            return
        receiver.connections += 1
        with contextlib.suppress(OSError):
            one = tls.wrap_socket(plain, server_side=True) if tls else plain
            receiver.received.append(_read(one))
            answer = receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0]
            answer(one)
            one.close()


def _read(one: socket.socket) -> Received:
    data = b""
    while b"\r\n\r\n" not in data:
        data += one.recv(65536)
    head, _blank, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _colon, value in (text.partition(": ") for text in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        body += one.recv(65536)
    return Received(line, headers, body)


def hook_to(user: User, receiver: Receiver, query: str = "", scope: str = "public") -> Hook:
    return own_hooks.make_hook(user, receiver.address, query, scope, spaces_of(user))[0]


def deliver_due() -> None:
    """Make all deliveries that are due."""
    number_arrivals()
    for pk in due_hooks():
        deliver(pk)
