"""The ASGI application."""

import asyncio
import errno
import logging
import time
from collections.abc import Callable, Collection
from typing import Any, Final

from front_server import sockets
from front_server.bodies import BodyBudget, RequestBody, content_length, next_deadline
from front_server.interfaces import (
    Cancellation,
    ClientLeft,
    Headers,
    NoCancellation,
    Receive,
    Refusal,
    RefusalRenderer,
    Scope,
    Send,
    ServerLimits,
    WsgiApplication,
)
from front_server.threads import AnswerPool
from front_server.wsgi import WsgiAnswer, environ_of

RETRY_SECONDS: Final = 5
"""`Retry-After` of a refusal with status 503."""

_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)

log = logging.getLogger(__name__)


def plain_text(refusal: Refusal, _scope: Scope, _seconds: float) -> tuple[Headers, bytes]:
    """Render a refusal as a line of text."""
    return [(b"content-type", b"text/plain; charset=utf-8")], f"{refusal.detail}\n".encode()


class FrontServer:
    """An ASGI application that serves a WSGI application; one object for each process.

    `threads` run the application. `folder` takes large request bodies (default: the system's folder for
    temporary files). Each path in `probes` has a thread of its own. `render` makes the answers to refused
    requests. `cancellation` makes an object for each answer that can end the work of its thread.
    """

    def __init__(
        self,
        application: WsgiApplication,
        threads: int,
        limits: ServerLimits,
        *,
        folder: str | None = None,
        probes: Collection[str] = (),
        render: RefusalRenderer = plain_text,
        cancellation: Callable[[], Cancellation] = NoCancellation,
    ) -> None:
        self.application = application
        self.limits = limits
        self.folder = folder
        self.render = render
        self.cancellation = cancellation
        self.budget = BodyBudget(limits)
        self.pool = AnswerPool(threads, limits, probes)
        self._sockets_limited = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not self._sockets_limited:
            # The ASGI server opens its socket after this object is made.
            self._sockets_limited = True
            sockets.limit_untaken(self.limits.answer_seconds)
        body, began = RequestBody(self.budget, scope["client"][0], self.folder), time.monotonic()
        try:
            await self._receive_body(scope, receive, body)
            body.file.seek(0)
            await self._answer(environ_of(scope, body.file, body.size), receive, send)
        except Refusal as refusal:
            await self._refuse(refusal, scope, send, began)
        except ClientLeft:
            pass
        finally:
            body.close()

    async def _receive_body(self, scope: Scope, receive: Receive, body: RequestBody) -> None:
        """Receive the whole body. Raises Refusal if it is too large, too slow or incomplete."""
        length = content_length(scope)
        if length == 0:
            return
        self._check_size(length or 0)
        loop = asyncio.get_running_loop()
        seconds = self.limits.body_seconds
        deadline = loop.time() + seconds
        more = True
        while more:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise Refusal(408, "body-too-slow", "the body of the request came too slowly") from None
            if message["type"] == "http.disconnect":
                # A client that has only stopped sending still reads.
                raise Refusal(400, "incomplete", "the body ended before its length was reached")
            data = message.get("body", b"")
            self._check_size(body.size + len(data))
            _append(body, data)
            deadline = next_deadline(deadline, len(data), loop.time(), seconds)
            more = message.get("more_body", False)

    def _check_size(self, size: int) -> None:
        if size > self.limits.request_bytes:
            limit = self.limits.request_bytes
            raise Refusal(413, "too-large", f"a request has at most {limit} bytes")

    async def _answer(self, environ: dict[str, Any], receive: Receive, send: Send) -> None:
        answer = WsgiAnswer(self.application, environ, self.cancellation())
        try:
            data, more = await self.pool.begin(answer, receive)
        except (Refusal, ClientLeft):
            raise
        except Exception:
            log.exception("the application failed at %r", environ["PATH_INFO"])
            raise Refusal(500, "internal-error", "something went wrong here") from None
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            while more:
                if data:  # a piece may end before the application has produced anything
                    await self._send(send, data, more=True)
                data, more = await self.pool.next_piece(answer)
            await self._send(send, data, more=False)
        finally:
            if more:
                self.pool.abandon(answer)

    async def _send(self, send: Send, data: bytes, more: bool) -> None:
        """Send a piece. Raises ClientLeft if the client does not take it in time."""
        message = {"type": "http.response.body", "body": data, "more_body": more}
        try:
            async with asyncio.timeout(self.limits.answer_seconds):
                await send(message)
        except TimeoutError:
            raise ClientLeft from None

    async def _refuse(self, refusal: Refusal, scope: Scope, send: Send, began: float) -> None:
        headers, data = self.render(refusal, scope, time.monotonic() - began)
        headers = [
            *headers,
            (b"content-length", str(len(data)).encode()),
            (b"cache-control", b"no-store"),
            # The rest of the body must not be read as a further request.
            (b"connection", b"close"),
        ]
        if refusal.status == 503:
            headers.append((b"retry-after", str(RETRY_SECONDS).encode()))
        await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await send({"type": "http.response.body", "body": data if scope["method"] != "HEAD" else b""})


def _append(body: RequestBody, data: bytes) -> None:
    """Append bytes to a body. Raises Refusal beyond the budget, and if the disk does not take them."""
    try:
        body.add(data)
    except OSError as error:
        log.error("a request body cannot be written to disk: %s", error)
        if error.errno in _DISK_FULL:
            raise Refusal(507, "disk-full", "the server's disk is full: nothing was stored") from None
        raise Refusal(503, "unavailable", "the server cannot answer this at present") from None
