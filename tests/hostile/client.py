"""Sends one request over a connection of its own and reads the answer byte by byte, trusting nothing."""

from __future__ import annotations

import gzip
import socket
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field

from tests.hostile.requests import Request

LARGEST_HEAD = 1 << 20
LARGEST_ANSWER = 1 << 28
PIECES = 10
"""An answer that comes in pieces has the patience for each of them, and so many times it for all."""


class NoAnswer(Exception):
    """The connection ended, or the time did, before a whole answer; the text says which."""


@dataclass
class Answer:
    """What came back: `problem` says why nothing did, or not all of it; `seconds` is from the last byte of
    the request to the end of the answer, `began` on the clock of `time.monotonic`. Of an answer that comes
    in pieces, as what exports a whole upload does, both are of the longest wait for one."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    problem: str = ""
    began: float = 0.0
    seconds: float = 0.0
    head: bytes = b""

    def header(self, name: str) -> str:
        """The first header of that name; an empty text if there is none."""
        wanted = name.lower().encode()
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == wanted), "")

    @property
    def kind(self) -> str:
        """The media type without parameters."""
        return self.header("Content-Type").partition(";")[0].strip().lower()

    @property
    def text(self) -> bytes:
        """The body unpacked."""
        with suppress(OSError, EOFError, zlib.error):
            if self.header("Content-Encoding") == "gzip":
                return gzip.decompress(self.body)
        return self.body


def exchange(request: Request, place: tuple[str, int], patience: float = 30) -> Answer:
    """Send it and read what comes within so many seconds; never raises."""
    answer = Answer(began=time.monotonic())
    try:
        with socket.create_connection(place, timeout=patience) as connection:
            # Whoever answers before all was sent may also close: the answer is read nevertheless.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(request.raw())
                if request.broken:
                    connection.shutdown(socket.SHUT_WR)
            answer.began = time.monotonic()
            _read(_Reader(connection, patience), request, answer)
    except (NoAnswer, OSError) as error:
        answer.problem = str(error) or type(error).__name__
    if not answer.seconds:
        answer.seconds = time.monotonic() - answer.began
    return answer


class _Reader:
    """Reads from a connection for so many seconds from now on."""

    def __init__(self, connection: socket.socket, patience: float) -> None:
        self.connection, self.patience, self.rest = connection, patience, bytearray()
        self.until = time.monotonic() + patience

    def more(self) -> bool:
        """Read some; False at the end."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise NoAnswer("out of time")
        self.connection.settimeout(left)
        try:
            data = self.connection.recv(1 << 18)
        except TimeoutError:
            raise NoAnswer("out of time") from None
        self.rest += data
        return bool(data)

    def line(self) -> bytes:
        """Up to and with the next newline."""
        while (at := self.rest.find(b"\n")) < 0:
            if len(self.rest) > LARGEST_HEAD:
                raise NoAnswer("a line without an end")
            if not self.more():
                raise NoAnswer("cut off in a line" if self.rest else "closed without an answer")
        return self.take(at + 1)

    def take(self, size: int) -> bytes:
        """So many bytes."""
        while len(self.rest) < size:
            if not self.more():
                raise NoAnswer(f"cut off: {size - len(self.rest)} bytes are missing")
        found = bytes(self.rest[:size])
        del self.rest[:size]
        return found

    def all(self) -> bytes:
        """Up to the end of the connection."""
        while len(self.rest) < LARGEST_ANSWER and self.more():
            pass
        return bytes(self.rest)


def _read(reader: _Reader, request: Request, answer: Answer) -> None:
    _read_head(reader, answer)
    while answer.status in {100, 102, 103}:
        _read_head(reader, answer)
    if request.method == "HEAD" or answer.status in {204, 304}:
        return
    if answer.header("Transfer-Encoding").lower() == "chunked":
        answer.body = _chunks(reader, answer)
    elif size := answer.header("Content-Length"):
        answer.body = reader.take(min(int(size), LARGEST_ANSWER))
    else:
        answer.body = reader.all()


def _read_head(reader: _Reader, answer: Answer) -> None:
    first = reader.line()
    words = first.split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise NoAnswer(f"no answer of HTTP: {first[:80]!r}")
    answer.status, answer.headers, answer.head = int(words[1]), [], first
    while (line := reader.line()) not in {b"\r\n", b"\n"}:
        answer.head += line
        name, _, value = line.rstrip(b"\r\n").partition(b":")
        answer.headers.append((name, value.strip()))


def _chunks(reader: _Reader, answer: Answer) -> bytes:
    body, last = bytearray(), answer.began
    waits: list[tuple[float, float]] = []
    while size := int(reader.line().split(b";")[0], 16):
        waits.append((time.monotonic() - last, last))
        last = time.monotonic()
        reader.until = max(reader.until, min(last + reader.patience, answer.began + PIECES * reader.patience))
        body += reader.take(size + 2)[:-2]
    while reader.line() not in {b"\r\n", b"\n"}:
        pass
    waits.append((time.monotonic() - last, last))
    answer.seconds, answer.began = max(waits)
    return bytes(body)
