"""The ASGI application between granian and the archive: no slow visitor ever holds a thread.

First the whole body of a request is received, to disk if it is large, within a time limit. Then one of a
fixed pool of threads runs the WSGI application, so that connections to the database, and the plans kept on
them, live as long as their threads. An answer is sent piece by piece, as fast as the visitor takes it;
between two pieces no thread waits.

What is refused here never reaches Django: the refusal is a problem detail under `/api/` and for probes, and a
line of text elsewhere.
"""

import asyncio
import contextvars
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final
from urllib.parse import unquote_to_bytes

import orjson

from archive.api.problems import OF_STATUS, PROBLEM, Problem
from archive.http.limits.addresses import is_proxy
from archive.observing import logs
from archive.observing import requests as counted
from archive.project.disk import is_full
from archive.serving import sockets
from archive.serving.interrupting import PAUSE_SECONDS, Questions

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Any]

MIB: Final = 1024 * 1024
IN_MEMORY_BYTES: Final = MIB
"""A body beyond this goes to disk."""

ALL_IN_MEMORY_BYTES: Final = 64 * MIB
"""Waiting bodies take at most this much of a process's memory; beyond that each goes to disk."""

SMALL_BYTES: Final = 64 * 1024
"""Bodies up to this size always have room, so that one who sends much keeps nobody from signing in."""

BYTES_A_SECOND: Final = 8 * 1024
"""After its first seconds a body has to arrive this fast. Slow telephones do, and nothing waits for them."""

PIECE_BYTES: Final = 256 * 1024
"""An answer is taken from the application in pieces of about this size."""

PIECE_SECONDS: Final = 1.0
"""A piece also ends after the application has worked on it for so long: others wait for the thread."""

WAITING: Final = 500
"""How many requests may wait for a thread; further ones are asked to come again."""

PROBES: Final = ("/healthz", "/readyz", "/metrics")
"""Asked by whoever watches over the archive. Each has a thread of its own, so that it is answered even while
visitors keep all other threads busy, and so that it is in nobody's way while it waits for a database."""

PROBE_SECONDS: Final = 5.0
"""How long a probe may take: whoever watches does not wait any longer."""

LOOK_SECONDS: Final = 0.5
"""After so long it is looked whether the visitor who asked is still there."""

COME_AGAIN_SECONDS: Final = 5
STUCK: Final = 3
"""A process ends if all its threads have been busy with a request for this many times the limit."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on what one visitor may ask of a web process.

    `body_seconds` is the time for a body to arrive, longer for larger ones (`later`); `answer_seconds` the
    time until the application begins an answer, and for the visitor to take a piece of it; `request_bytes`
    the size of one body, `waiting_bytes` that of all bodies that have arrived or are arriving.
    """

    body_seconds: float = 30
    answer_seconds: float = 60
    request_bytes: int = 256 * MIB
    waiting_bytes: int = 1024 * MIB


class Refused(Exception):
    """A request that never reaches the application."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail


class Gone(Exception):
    """The visitor no longer takes the answer."""


# --- bodies ----------------------------------------------------------------------------------------------


class Room:
    """The bytes of bodies that have arrived or are arriving, of all requests of this process.

    One address may have half of the room, or as much as one body if that is more, so that nobody alone keeps
    all others out.
    """

    def __init__(self, limits: Limits) -> None:
        self.limit = limits.waiting_bytes
        self.limit_of_one = max(limits.waiting_bytes // 2, limits.request_bytes)
        self.taken = 0
        self.in_memory = 0
        self._taken_by: Counter[str] = Counter()

    def take(self, address: str, size: int, before: int) -> None:
        """Make room for more bytes of a body. Raises Refused if there is none."""
        full = self.taken + size > self.limit or self._taken_by[address] + size > self.limit_of_one
        if full and before + size > SMALL_BYTES:
            raise Refused(503, "busy", "too much is being sent here at once: try again later")
        self.taken += size
        self._taken_by[address] += size

    def give_back(self, address: str, size: int) -> None:
        """Give back the room that a body of an address had."""
        self.taken -= size
        self._taken_by[address] -= size
        if not self._taken_by[address]:
            del self._taken_by[address]


class Body:
    """The body of a request while it arrives, and then its file."""

    def __init__(self, room: Room, address: str, folder: str | None) -> None:
        self.room = room
        self.address = address
        self.size = 0
        self.kept = 0
        # It is closed with the request, which is not a block of code.
        self.file: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=folder)  # noqa: SIM115

    def add(self, data: bytes) -> None:
        """Keep bytes that have arrived. Raises Refused if there is no room for them."""
        self.room.take(self.address, len(data), self.size)
        self.size += len(data)
        self.file.write(data)
        self._count(self.size if self.size <= IN_MEMORY_BYTES else 0)
        if self.kept and self.room.in_memory > ALL_IN_MEMORY_BYTES:
            self.file.rollover()  # type: ignore[attr-defined]
            self._count(0)

    def _count(self, kept: int) -> None:
        self.room.in_memory += kept - self.kept
        self.kept = kept

    def close(self) -> None:
        """Close the file and give the room back."""
        self.room.give_back(self.address, self.size)
        self._count(0)
        self.file.close()


def later(deadline: float, size: int, now: float, seconds: float) -> float:
    """Return the time by which the next bytes of a body have to arrive, after some that arrived now.

    All bytes earn time (`BYTES_A_SECOND`), but it cannot be saved up: nobody who has sent much and then stops
    is waited for any longer than others are.
    """
    return min(deadline + size / BYTES_A_SECOND, now + seconds)


def _length(scope: Scope) -> int | None:
    """Return the length of the body according to the headers; 0 without a body, None if it comes in
    chunks.
    """
    length = 0
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return None
        if name == b"content-length" and value.isdigit() and len(value) < 19:
            length = int(value)
    return length


# --- the application in a thread -------------------------------------------------------------------------


def environ_of(scope: Scope, body: IO[bytes], size: int) -> dict[str, Any]:
    """Return the WSGI environment of a request whose body has arrived.

    Headers with an underscore in their name are left out: in the environment they would look like those with
    a hyphen, which a proxy watches over.
    """
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "REMOTE_ADDR": scope["client"][0],
        "CONTENT_LENGTH": str(size) if size else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").upper()
        if name == "CONTENT-TYPE":
            environ["CONTENT_TYPE"] = value.decode("latin-1")
        elif "_" not in name and name not in _OF_THE_BODY:
            key = f"HTTP_{name.replace('-', '_')}"
            text = value.decode("latin-1")
            between = "; " if name == "COOKIE" else ","
            environ[key] = f"{environ[key]}{between}{text}" if key in environ else text
    return environ


_OF_THE_BODY: Final = frozenset(("CONTENT-LENGTH", "TRANSFER-ENCODING", "EXPECT"))


class Answer:
    """The application's answer to one request; its methods run in a thread of the pool."""

    def __init__(self, application: Wsgi, environ: dict[str, Any]) -> None:
        self.application = application
        self.environ = environ
        self.status = 500
        self.headers: Headers = []
        self.began = 0.0
        self.questions = Questions()
        # What the application keeps for a request, such as the language, must be there for all its pieces.
        self.context = contextvars.copy_context()
        self._chunks: Iterator[bytes] = iter(())
        self._close: Callable[[], object] | None = None

    @property
    def only_reads(self) -> bool:
        """Return whether the application may be stopped half way: it changes nothing."""
        return self.environ["REQUEST_METHOD"] in ("GET", "HEAD")

    def begin(self) -> tuple[bytes, bool]:
        """Run the application; return the first piece of its answer, and whether there is more."""
        found = self.application(self.environ, self._start)
        self._close = getattr(found, "close", None)
        self._chunks = iter(found)
        return self.piece()

    def _start(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        self.status = int(status[:3])
        self.headers = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]

    def piece(self) -> tuple[bytes, bool]:
        """Return the next piece, and whether there is more; close the answer if there is not."""
        data, size, until = [], 0, time.monotonic() + PIECE_SECONDS
        try:
            for chunk in self._chunks:
                data.append(chunk)
                size += len(chunk)
                if size >= PIECE_BYTES or time.monotonic() > until:
                    return b"".join(data), True
        except BaseException:
            self.close()
            raise
        self.close()
        return b"".join(data), False

    def close(self) -> None:
        """Let the application know that nothing more is wanted."""
        close, self._close = self._close, None
        if close is not None:
            close()


Work = Future[tuple[bytes, bool]]
"""The first piece of an answer, and whether there is more, once a thread has made it."""


async def _waited(work: Work, seconds: float, receive: Receive | None) -> bool:
    """Wait for so long at most; return whether the visitor has left before, as `receive` tells."""
    coming = asyncio.wrap_future(work)
    first = seconds if receive is None else min(seconds, LOOK_SECONDS)
    done, _ = await asyncio.wait([coming], timeout=first)
    if done or receive is None:
        return False
    leaving = asyncio.ensure_future(_left(receive))
    try:
        both: list[asyncio.Future[Any]] = [coming, leaving]
        await asyncio.wait(both, timeout=seconds - first, return_when=asyncio.FIRST_COMPLETED)
        return leaving.done() and not work.done()
    finally:
        leaving.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        # One without a body tells of its end first.
        await asyncio.sleep(LOOK_SECONDS)


class Threads:
    """Some threads of a process; `asked` requests have one or wait for one, each for at most `seconds`."""

    def __init__(self, threads: int, name: str, seconds: float) -> None:
        self.executor = ThreadPoolExecutor(threads, name)
        self.seconds = seconds
        self.asked = 0


class Pool:
    """The threads that run the application, and the answers that they are working on."""

    def __init__(self, threads: int, limits: Limits) -> None:
        self.threads = threads
        self.limits = limits
        self.visitors = Threads(threads, "application", limits.answer_seconds)
        seconds = min(PROBE_SECONDS, limits.answer_seconds)
        self.probes = {path: Threads(1, path, seconds) for path in PROBES}
        self.running: set[Answer] = set()
        self.ending: set[asyncio.Future[None]] = set()

    async def begin(self, answer: Answer, receive: Receive) -> tuple[bytes, bool]:
        """Run the application; return the first piece of its answer, and whether there is more. Raises Gone
        where the visitor leaves meanwhile, and Refused where it takes too long."""
        threads = self.probes.get(answer.environ["PATH_INFO"], self.visitors)
        if threads.asked >= WAITING:
            raise Refused(503, "busy", "too much is asked of this archive at once: try again later")
        threads.asked += 1
        try:
            return await self._begun(answer, threads, receive)
        finally:
            threads.asked -= 1

    async def _begun(self, answer: Answer, threads: Threads, receive: Receive) -> tuple[bytes, bool]:
        # A probe that hangs does not count as a stuck thread: whoever asked it notices.
        step = partial(self._run, answer, answer.begin) if threads is self.visitors else answer.begin
        work = threads.executor.submit(answer.context.run, step)
        left = await _waited(work, threads.seconds, receive if answer.only_reads else None)
        if work.done():
            return work.result()
        # A thread cannot be stopped, so its answer is thrown away when it comes; what it asks the database is
        # ended, for others wait for the thread.
        if not work.cancel():
            work.add_done_callback(lambda _: answer.close())
            self.ending.add(task := asyncio.ensure_future(self._interrupt(answer, work)))
            task.add_done_callback(self.ending.discard)
        if left:
            raise Gone
        self._end_where_stuck()
        raise Refused(503, "too-slow", "the answer took too long: ask for less, or later")

    @staticmethod
    async def _interrupt(answer: Answer, work: Work) -> None:
        loop = asyncio.get_running_loop()
        while not work.done():
            await loop.run_in_executor(None, answer.questions.interrupt)
            await asyncio.sleep(PAUSE_SECONDS)

    def _run(self, answer: Answer, step: Callable[[], tuple[bytes, bool]]) -> tuple[bytes, bool]:
        answer.began = time.monotonic()
        answer.questions.begin()
        self.running.add(answer)
        try:
            return step()
        finally:
            self.running.discard(answer)
            answer.questions.end()

    async def piece(self, answer: Answer) -> tuple[bytes, bool]:
        """Return the next piece of an answer, from whichever thread is free."""
        work = self.visitors.executor.submit(answer.context.run, self._run, answer, answer.piece)
        return await asyncio.wrap_future(work)

    def forget(self, answer: Answer) -> None:
        """Close an answer that nobody takes any more."""
        self.visitors.executor.submit(answer.context.run, answer.close)

    def _end_where_stuck(self) -> None:
        """End this process if no thread has come back for long; granian starts another one."""
        since = time.monotonic() - STUCK * self.limits.answer_seconds
        if sum(answer.began < since for answer in tuple(self.running)) == self.threads:
            log.critical("no thread of this web process comes back: it ends, to be started anew")
            os._exit(1)


# --- the ASGI application --------------------------------------------------------------------------------


class Front:
    """The ASGI application, one for each process. `folder` is for bodies that go to disk."""

    def __init__(self, application: Wsgi, threads: int, limits: Limits, folder: str | None = None) -> None:
        self.application = application
        self.limits = limits
        self.folder = folder
        self.room = Room(limits)
        self.pool = Pool(threads, limits)
        self.listening = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not self.listening:
            # Only now is it certain that there is a socket: the server opens it after this object is made.
            self.listening = True
            sockets.end_untaken(self.limits.answer_seconds)
        body, began = Body(self.room, scope["client"][0], self.folder), time.monotonic()
        try:
            await self._take(scope, receive, body)
            body.file.seek(0)
            await self._answer(environ_of(scope, body.file, body.size), receive, send)
        except Refused as refusal:
            await _refuse(refusal, scope, send, began)
        except Gone:
            pass
        finally:
            body.close()

    async def _take(self, scope: Scope, receive: Receive, body: Body) -> None:
        """Receive the whole body. Raises Refused if it is too large, comes too slowly or breaks off."""
        length = _length(scope)
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
                raise Refused(408, "body-too-slow", "the body of the request came too slowly") from None
            if message["type"] == "http.disconnect":
                # A client that has only stopped sending still reads; granian would answer 500 in our place.
                raise Refused(400, "incomplete", "the body ended before its length was reached")
            data = message.get("body", b"")
            self._check_size(body.size + len(data))
            self._keep(body, data)
            deadline = later(deadline, len(data), loop.time(), seconds)
            more = message.get("more_body", False)

    @staticmethod
    def _keep(body: Body, data: bytes) -> None:
        """Keep bytes that have arrived. Raises Refused if there is no room for them, including on the
        disk.
        """
        try:
            body.add(data)
        except OSError as error:
            log.error("a body cannot be kept on disk: %s", error)
            if is_full(error):
                raise Refused(507, *OF_STATUS[507]) from None
            raise Refused(503, *OF_STATUS[503]) from None

    def _check_size(self, size: int) -> None:
        if size > self.limits.request_bytes:
            limit = self.limits.request_bytes
            raise Refused(413, "too-large", f"a request has at most {limit} bytes")

    async def _answer(self, environ: dict[str, Any], receive: Receive, send: Send) -> None:
        answer = Answer(self.application, environ)
        try:
            data, more = await self.pool.begin(answer, receive)
        except (Refused, Gone):
            raise
        except Exception:
            log.exception("the application failed at %r", environ["PATH_INFO"])
            raise Refused(500, "internal-error", "something went wrong here") from None
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            while more:
                if data:  # the application may not have produced anything yet
                    await self._send(send, data, more=True)
                data, more = await self.pool.piece(answer)
            await self._send(send, data, more=False)
        finally:
            if more:
                self.pool.forget(answer)

    async def _send(self, send: Send, data: bytes, more: bool) -> None:
        """Send a piece. Raises Gone if the visitor does not take it in time."""
        message = {"type": "http.response.body", "body": data, "more_body": more}
        try:
            async with asyncio.timeout(self.limits.answer_seconds):
                await send(message)
        except TimeoutError:
            raise Gone from None


async def _refuse(refusal: Refused, scope: Scope, send: Send, began: float) -> None:
    asked = {name: value.decode("latin-1") for name, value in scope["headers"]}
    identifier = logs.request_id(asked.get(b"x-request-id") if is_proxy(scope["client"][0]) else None)
    counted.count(counted.REFUSED, scope["method"], refusal.status, time.monotonic() - began)
    with logs.about(request=identifier):
        path = scope["path"]
        content_type, data = _told(refusal, as_json=path.startswith("/api/") or path in PROBES)
        if logs.visits_are_told():
            target = scope["raw_path"].decode("latin-1")
            visit = logs.Asked(scope["client"][0], scope["method"], target, asked.get(b"user-agent"))
            logs.tell_visit(visit, refusal.status, len(data), time.monotonic() - began)
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(data)).encode()),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", identifier.encode()),
        (b"cache-control", b"no-store"),
        # The rest of the body, if it ever comes, must not be taken for a request.
        (b"connection", b"close"),
    ]
    if refusal.status == 503:
        headers.append((b"retry-after", str(COME_AGAIN_SECONDS).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": data if scope["method"] != "HEAD" else b""})


def _told(refusal: Refused, as_json: bool) -> tuple[bytes, bytes]:
    """Return a refusal's content type and body."""
    if not as_json:
        return b"text/plain; charset=utf-8", f"{refusal.detail}\n".encode()
    problem = Problem(refusal.status, refusal.code, refusal.detail)
    return PROBLEM.encode(), orjson.dumps(problem.body())
