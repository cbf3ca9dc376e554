"""Visitors of a server that cost little: each keeps a connection and has one request on its way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

ANSWER_SECONDS: Final = 60.0
EMPTY: Final = {204, 304}
"""Statuses of answers that have no body, whatever their headers say."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: the kind of what was asked, its status (0 for none), seconds, length as it came, tag."""

    kind: str
    path: str
    status: int
    seconds: float
    size: int
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its kind, its path with the query, and the tag of the answer that a visitor has."""

    kind: str
    path: str
    tag: str = ""


async def visit(
    address: str, asked: Iterator[Asked], until: float, told: Callable[[Answered], None], pause: float = 0.0
) -> None:
    """Ask one request after another over one connection until that moment, with so many seconds between an
    answer and the next request; a connection that breaks counts as an error, and the next request has another
    one."""
    site = urlsplit(address)
    host, port = site.hostname or "", site.port or 80
    head = f"Host: {site.netloc}\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nAccept-Language: en\r\n"
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    while time.perf_counter() < until:
        one = next(asked)
        condition = f"If-None-Match: {one.tag}\r\n" if one.tag else ""
        request = f"GET {one.path} HTTP/1.1\r\n{head}{condition}\r\n".encode()
        began = time.perf_counter()
        status, size, tag = 0, 0, ""
        try:
            if streams is None:
                streams = await asyncio.open_connection(host, port)
            streams[1].write(request)
            status, size, tag = await asyncio.wait_for(_answer(streams[0]), ANSWER_SECONDS)
        except (OSError, EOFError, ValueError, TimeoutError):
            _close(streams)
            streams = None
        told(Answered(one.kind, one.path, status, time.perf_counter() - began, size, tag))
        if pause:
            await asyncio.sleep(pause)
    _close(streams)


def _close(streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None) -> None:
    if streams is not None:
        streams[1].close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, int, str]:
    """Read one whole answer: its status, the bytes of its body, its tag. Raises EOFError for half of one."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")
    status, headers = int(lines[0].split(" ", 2)[1]), {}
    for line in lines[1:]:
        name, _colon, value = line.partition(":")
        headers[name.lower()] = value.strip()
    size = 0
    if status not in EMPTY:
        if headers.get("transfer-encoding", "") == "chunked":
            size = await _chunks(reader)
        else:
            size = len(await reader.readexactly(int(headers["content-length"])))
    return status, size, headers.get("etag", "")


async def _chunks(reader: asyncio.StreamReader) -> int:
    size = 0
    while length := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        await reader.readexactly(length + 2)
        size += length
    await reader.readuntil(b"\r\n")
    return size
