"""Requests to a front server, without sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from front_server import FrontServer, ServerLimits
from front_server.interfaces import MIB

QUICK = ServerLimits(body_seconds=0.2, answer_seconds=0.2, request_bytes=4 * MIB, waiting_bytes=6 * MIB)
PATIENT = ServerLimits(body_seconds=60, answer_seconds=60, request_bytes=4 * MIB, waiting_bytes=6 * MIB)


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """A plain WSGI application that answers with its environment and the length of the body."""
    body = environ["wsgi.input"].read()
    texts = {name: value for name, value in environ.items() if isinstance(value, str)}
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(texts | {"body": len(body), "begins": body[:20].decode("latin-1")}).encode()]


@dataclass
class Visit:
    """One request as the ASGI server hands it over, and its answer. Each piece of the body comes after some
    seconds or an event; the client takes no piece of the answer before `takes`."""

    server: FrontServer
    body: Iterable[tuple[float | asyncio.Event, bytes]] = ()
    path: bytes = b"/"
    method: str = "POST"
    headers: tuple[tuple[bytes, bytes], ...] = ((b"transfer-encoding", b"chunked"),)
    takes: asyncio.Event | None = None
    address: str = "192.0.2.7"
    leaves: bool = False
    sent: list[dict[str, Any]] = field(default_factory=list)

    async def make(self) -> Visit:
        coming = iter(self.body)

        async def receive() -> dict[str, Any]:
            piece = next(coming, None)
            if piece is None:
                if self.leaves:
                    return {"type": "http.disconnect"}
                return {"type": "http.request", "body": b"", "more_body": False}
            pause = piece[0]
            await (pause.wait() if isinstance(pause, asyncio.Event) else asyncio.sleep(pause))
            return {"type": "http.request", "body": piece[1], "more_body": True}

        async def send(message: Any) -> None:
            self.sent.append(dict(message))
            if message["type"] == "http.response.body" and self.takes:
                await self.takes.wait()

        scope = {
            "type": "http", "method": self.method, "http_version": "1.1", "scheme": "http",
            "path": self.path.decode("latin-1"), "raw_path": self.path, "query_string": b"a=%20b",
            "server": ("127.0.0.1", "80"), "client": (self.address, "4711"), "headers": list(self.headers),
        }  # fmt: skip
        await self.server(scope, receive, send)
        return self

    @property
    def status(self) -> int:
        return self.sent[0]["status"]

    @property
    def data(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def header(self) -> dict[bytes, bytes]:
        return dict(self.sent[0]["headers"])


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine, run in a thread of its own: in this thread the browser of other tests may
    have its event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def until(condition: Callable[[], bool]) -> None:
    """Let others run until something holds."""
    while not condition():
        await asyncio.sleep(0.001)


def visit(application: Any = echo, limits: ServerLimits = PATIENT, threads: int = 2, **about: Any) -> Visit:
    """One request, alone."""
    return run(Visit(FrontServer(application, threads, limits), **about).make())


application = FrontServer(echo, 2, PATIENT)
"""For a real ASGI server."""
