"""The threads that run the application."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from front_server.interfaces import ClientLeft, Receive, Refusal, ServerLimits
from front_server.wsgi import WsgiAnswer

WAITING: Final = 500
"""Requests that may wait for a thread; further ones are refused."""

LOOK_SECONDS: Final = 0.5
"""Time after which the server watches whether the client is still connected."""

CANCEL_SECONDS: Final = 0.2
"""Pause between two cancellations of one answer, which may start new work after each."""

STUCK: Final = 3
"""The process ends if all its threads have been busy for this many times the limit."""

log = logging.getLogger(__name__)

Piece = tuple[bytes, bool]
"""A piece of an answer, and whether there are more."""


class ThreadGroup:
    """Threads for one kind of request. `pending` requests run or wait; each may take `seconds`."""

    def __init__(self, threads: int, name: str, seconds: float) -> None:
        self.executor = ThreadPoolExecutor(threads, name)
        self.seconds = seconds
        self.pending = 0


class AnswerPool:
    """Runs answers of the application in a fixed number of threads.

    Every path in `probes` has a thread of its own: monitoring gets answers while all other threads are busy,
    and a probe that waits for a database keeps no client waiting.
    """

    def __init__(self, threads: int, limits: ServerLimits, probes: Iterable[str]) -> None:
        self.threads = threads
        self.limits = limits
        self.clients = ThreadGroup(threads, "application", limits.answer_seconds)
        seconds = min(limits.probe_seconds, limits.answer_seconds)
        self.probes = {path: ThreadGroup(1, path, seconds) for path in probes}
        self.running: set[WsgiAnswer] = set()
        self.cancelling: set[asyncio.Future[None]] = set()

    async def begin(self, answer: WsgiAnswer, receive: Receive) -> Piece:
        """Run the application; return the first piece of its answer. Raises ClientLeft if the client leaves
        meanwhile, Refusal if the answer takes too long or too many requests wait."""
        group = self.probes.get(answer.environ["PATH_INFO"], self.clients)
        if group.pending >= WAITING:
            raise Refusal(503, "busy", "too many requests are waiting here: try again later")
        group.pending += 1
        try:
            return await self._first_piece(answer, group, receive)
        finally:
            group.pending -= 1

    async def _first_piece(self, answer: WsgiAnswer, group: ThreadGroup, receive: Receive) -> Piece:
        # A probe that hangs does not count as a stuck thread: monitoring notices it.
        step = partial(self._run, answer, answer.begin) if group is self.clients else answer.begin
        work = group.executor.submit(answer.context.run, step)
        left = await _client_left(work, group.seconds, receive if answer.is_safe else None)
        if work.done():
            return work.result()
        # Threads cannot be stopped. The late answer is closed, and its work is cancelled to free the thread.
        if not work.cancel():
            work.add_done_callback(lambda _: answer.close())
            self.cancelling.add(task := asyncio.ensure_future(_cancel(answer, work)))
            task.add_done_callback(self.cancelling.discard)
        if left:
            raise ClientLeft
        self._exit_if_stuck()
        raise Refusal(503, "too-slow", "the answer took too long: ask for less, or later")

    def _run(self, answer: WsgiAnswer, step: Callable[[], Piece]) -> Piece:
        answer.began = time.monotonic()
        answer.cancellation.begin()
        self.running.add(answer)
        try:
            return step()
        finally:
            self.running.discard(answer)
            answer.cancellation.end()

    async def next_piece(self, answer: WsgiAnswer) -> Piece:
        """Return the next piece of an answer, from any free thread."""
        work = self.clients.executor.submit(answer.context.run, self._run, answer, answer.next_piece)
        return await asyncio.wrap_future(work)

    def abandon(self, answer: WsgiAnswer) -> None:
        """Close an answer whose client left."""
        self.clients.executor.submit(answer.context.run, answer.close)

    def _exit_if_stuck(self) -> None:
        """End this process if no thread has come back for long; the ASGI server starts another one."""
        since = time.monotonic() - STUCK * self.limits.answer_seconds
        if sum(answer.began < since for answer in tuple(self.running)) == self.threads:
            log.critical("all threads of this process are stuck: it exits, to be restarted")
            os._exit(1)


async def _client_left(work: Future[Piece], seconds: float, receive: Receive | None) -> bool:
    """Wait until the work is done, at most `seconds`. Return True if the client leaves first, which `receive`
    reports."""
    done_work = asyncio.wrap_future(work)
    first = seconds if receive is None else min(seconds, LOOK_SECONDS)
    done, _ = await asyncio.wait([done_work], timeout=first)
    if done or receive is None:
        return False
    leaving = asyncio.ensure_future(_disconnect(receive))
    try:
        both: list[asyncio.Future[Any]] = [done_work, leaving]
        await asyncio.wait(both, timeout=seconds - first, return_when=asyncio.FIRST_COMPLETED)
        return leaving.done() and not work.done()
    finally:
        leaving.cancel()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        # A request without a body first reports the end of its body.
        await asyncio.sleep(LOOK_SECONDS)


async def _cancel(answer: WsgiAnswer, work: Future[Piece]) -> None:
    loop = asyncio.get_running_loop()
    while not work.done():
        await loop.run_in_executor(None, answer.cancellation.cancel)
        await asyncio.sleep(CANCEL_SECONDS)
