"""The front server takes complete bodies or none and sends answers as fast as clients take them; no slow
client holds a thread."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import pytest

from front_server import FrontServer, Refusal, Scope, ServerLimits, bodies, threads, wsgi
from front_server.bodies import next_deadline
from front_server.interfaces import MIB, Headers
from front_server.wsgi import PIECE_BYTES
from tests.front_server.visits import PATIENT, QUICK, Visit, echo, run, until, visit
from tests.serving import ANSWER_SECONDS, START_SECONDS, free_port, wait_for

FOREVER = 3600.0


# --- bodies ----------------------------------------------------------------------------------------------


def test_the_application_sees_a_whole_body_with_its_length_also_where_it_came_in_chunks():
    found = visit(body=[(0, b"first "), (0, b"second")], headers=((b"transfer-encoding", b"chunked"),))
    assert found.status == 200
    assert (found.json["CONTENT_LENGTH"], found.json["body"], found.json["begins"]) == (
        "12",
        12,
        "first second",
    )
    assert not any("TRANSFER" in name for name in found.json)


def test_a_request_without_a_body_is_not_waited_for():
    found = visit(method="GET", headers=(), body=[(FOREVER, b"never")])
    assert found.status == 200
    assert found.json["CONTENT_LENGTH"] == ""


def test_a_request_whose_body_does_not_come_is_refused_and_its_connection_closed():
    found = visit(body=[(0, b"x"), (FOREVER, b"y")], limits=QUICK)
    assert (found.status, found.data) == (408, b"the body of the request came too slowly\n")
    assert found.header[b"connection"] == b"close"
    assert found.header[b"content-type"] == b"text/plain; charset=utf-8"


def test_a_body_that_trickles_is_not_waited_for_byte_by_byte():
    found = visit(body=((0.05, b"x") for _ in range(1000)), limits=QUICK)
    assert found.status == 408


def test_a_body_may_take_long_as_long_as_it_comes():
    rate, deadline, now = bodies.BYTES_A_SECOND, 30.0, 0.0
    for _ in range(1000):
        now += 1.0
        assert now < deadline
        deadline = next_deadline(deadline, rate, now, 30)
    assert deadline == pytest.approx(now + 30, abs=1)


def test_a_body_slower_than_that_has_an_end():
    deadline, now = 30.0, 0.0
    while now < deadline:
        now += 1.0
        deadline = next_deadline(deadline, bodies.BYTES_A_SECOND // 2, now, 30)
    assert 30 < now < 70


def test_a_client_that_sends_much_and_then_stops_gets_no_more_time_than_others(monkeypatch):
    monkeypatch.setattr(bodies, "BYTES_A_SECOND", 1)
    found = visit(body=[(0, bytes(2000)), (FOREVER, b"end")], limits=QUICK)
    assert found.status == 408


def test_a_body_that_says_it_is_too_large_is_refused_before_it_comes():
    headers = ((b"content-length", b"4194305"),)
    found = visit(headers=headers, body=[(FOREVER, b"never")])
    assert (found.status, found.data) == (413, b"a request has at most 4194304 bytes\n")


def test_a_body_that_does_not_say_so_is_refused_when_it_has_become_too_large():
    found = visit(body=((0, bytes(MIB)) for _ in range(1000)))
    assert found.status == 413
    assert b"4194304" in found.data


def test_simultaneous_bodies_share_a_budget_and_return_it():
    server, end = FrontServer(echo, 2, PATIENT), asyncio.Event()
    large: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(3 * MIB)), (end, b"")]

    async def together() -> tuple[Visit, list[Visit]]:
        visits = [asyncio.create_task(Visit(server, body=large, address=one).make()) for one in "ab"]
        await until(lambda: server.budget.used == 6 * MIB)
        refused = await Visit(server, body=large).make()
        end.set()
        return refused, await asyncio.gather(*visits)

    refused, others = run(together())
    assert (refused.status, refused.header[b"retry-after"]) == (503, b"5")
    assert [one.status for one in others] == [200, 200]
    assert (server.budget.used, server.budget.in_memory) == (0, 0)


def test_a_small_body_is_accepted_when_large_ones_have_used_the_budget():
    server, end = FrontServer(echo, 2, PATIENT), asyncio.Event()

    async def together() -> tuple[Visit, Visit]:
        large: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(3 * MIB)), (end, b"")]
        visits = [asyncio.create_task(Visit(server, body=large, address=one).make()) for one in "ab"]
        await until(lambda: server.budget.used == 6 * MIB)
        small = await Visit(server, body=[(0, bytes(1000)), (0, bytes(1000))]).make()
        larger = await Visit(server, body=[(0, bytes(bodies.SMALL_BYTES)), (0, b"x")]).make()
        end.set()
        await asyncio.gather(*visits)
        return small, larger

    small, larger = run(together())
    assert (small.status, larger.status) == (200, 503)
    assert server.budget.used == 0


def test_one_address_leaves_half_of_the_budget_to_others():
    limits = ServerLimits(body_seconds=60, request_bytes=2 * MIB, waiting_bytes=6 * MIB)
    server, end = FrontServer(echo, 2, limits), asyncio.Event()

    async def together() -> tuple[Visit, Visit]:
        large: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(MIB)), (end, b"")]
        visits = [asyncio.create_task(Visit(server, body=large, address="much").make()) for _ in range(3)]
        await until(lambda: server.budget.used == 3 * MIB)
        more = await Visit(server, body=large, address="much").make()
        end.set()
        other = await Visit(server, body=large, address="other").make()
        await asyncio.gather(*visits)
        return more, other

    more, other = run(together())
    assert (more.status, other.status) == (503, 200)
    assert run(Visit(server, body=[(0, bytes(2 * MIB))], address="much").make()).status == 200
    assert server.budget.used == 0


def test_a_body_that_does_not_fit_on_the_disk_is_refused_and_the_error_logged(monkeypatch, caplog):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(bodies.RequestBody, "add", full)
    found = visit(body=[(0, b"x")])
    assert (found.status, b"disk is full" in found.data) == (507, True)
    assert "No space left" in caplog.text


def test_small_bodies_go_to_disk_when_there_are_too_many_in_memory(monkeypatch, tmp_path):
    monkeypatch.setattr(bodies, "ALL_IN_MEMORY_BYTES", 1000)
    server, end = FrontServer(echo, 2, PATIENT, folder=str(tmp_path)), asyncio.Event()

    async def together() -> tuple[int, list[Visit]]:
        body: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(900)), (end, b"")]
        visits = [asyncio.create_task(Visit(server, body=body).make()) for _ in range(5)]
        await until(lambda: server.budget.used == 5 * 900)
        held = server.budget.in_memory
        end.set()
        return held, await asyncio.gather(*visits)

    held, visits = run(together())
    assert held == 900
    assert [one.json["body"] for one in visits] == [900] * 5


def test_a_request_with_an_incomplete_body_never_reaches_the_application():
    asked = []
    found = visit(lambda environ, start: asked.append(environ), body=[(0, b"x")], leaves=True)
    assert (asked, found.status) == ([], 400)


# --- the request -----------------------------------------------------------------------------------------


def test_paths_and_headers_reach_the_application_as_wsgi_has_them():
    headers = (
        (b"host", b"kifu.example"), (b"content-type", b"text/plain"), (b"cookie", b"a=1"),
        (b"cookie", b"b=2"), (b"x-forwarded-for", b"1"), (b"x-forwarded-for", b"2"),
        (b"x-name", "é".encode("latin-1")),
    )  # fmt: skip
    told = visit(method="GET", path=b"/games/%E3%81%82%FF/", headers=headers).json
    assert told["PATH_INFO"].encode("latin-1") == b"/games/\xe3\x81\x82\xff/"
    assert told["QUERY_STRING"] == "a=%20b"
    assert told["REMOTE_ADDR"] == "192.0.2.7"
    assert (told["HTTP_HOST"], told["CONTENT_TYPE"]) == ("kifu.example", "text/plain")
    assert (told["HTTP_COOKIE"], told["HTTP_X_FORWARDED_FOR"]) == ("a=1; b=2", "1,2")
    assert told["HTTP_X_NAME"] == "é"


def test_a_header_with_an_underscore_cannot_pass_for_one_with_a_hyphen():
    told = visit(method="GET", headers=((b"x_forwarded_for", b"203.0.113.1"),)).json
    assert not any("FORWARDED" in name for name in told)


# --- answers ---------------------------------------------------------------------------------------------

LANGUAGE: ContextVar[str] = ContextVar("language", default="none")


@dataclass
class Streaming:
    """An application whose answer comes in pieces."""

    pieces: int
    closed: int = 0
    fails_at: int = -1

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Streaming:
        LANGUAGE.set("ja")
        start_response("200 OK", [("Content-Type", "text/plain")])
        return self

    def __iter__(self) -> Iterator[bytes]:
        for number in range(self.pieces):
            if number == self.fails_at:
                raise ValueError("broken")
            yield LANGUAGE.get().encode() * (PIECE_BYTES // 4)

    def close(self) -> None:
        self.closed += 1


def test_a_long_answer_is_sent_whole_in_pieces_and_closed():
    application = Streaming(9)
    found = visit(application)
    assert found.data == b"ja" * (9 * (PIECE_BYTES // 4))
    assert all(len(message["body"]) <= 2 * PIECE_BYTES for message in found.sent[1:])
    assert [message["more_body"] for message in found.sent[1:]][-2:] == [True, False]
    assert application.closed == 1


def test_an_answer_that_takes_its_time_gives_its_thread_back_now_and_then(monkeypatch):
    monkeypatch.setattr(wsgi, "PIECE_SECONDS", 0.0)

    def slow(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        start_response("200 OK", [("Content-Type", "text/plain")])
        for chunk in (b"", b"", b"one", b"", b"two"):
            time.sleep(0.001)
            yield chunk

    answered = visit(slow)
    assert answered.data == b"onetwo"
    pieces = [message["body"] for message in answered.sent if message["type"] == "http.response.body"]
    assert pieces == [b"one", b"two", b""]


def test_a_short_answer_is_sent_at_once():
    found = visit(Streaming(1))
    assert [message["type"] for message in found.sent] == ["http.response.start", "http.response.body"]


def test_an_answer_that_nobody_takes_holds_no_thread():
    server, take = FrontServer(Streaming(100), 1, PATIENT), asyncio.Event()

    async def beside() -> tuple[Visit, Visit]:
        slow = Visit(server, method="GET", headers=(), takes=take)
        waiting = asyncio.create_task(slow.make())
        await until(lambda: len(slow.sent) == 2)
        server.application = echo
        quick = await Visit(server, method="GET", headers=()).make()
        assert not waiting.done()
        take.set()
        return await waiting, quick

    slow, quick = run(beside())
    assert quick.status == 200
    assert len(slow.data) == 100 * PIECE_BYTES // 2


def test_an_answer_that_is_never_taken_is_closed():
    application = Streaming(100)
    server = FrontServer(application, 1, ServerLimits(answer_seconds=0.2))
    run(Visit(server, method="GET", headers=(), takes=asyncio.Event()).make())
    server.pool.clients.executor.shutdown()
    assert application.closed == 1


def test_an_answer_that_breaks_off_does_not_look_whole():
    application = Streaming(9, fails_at=5)
    with pytest.raises(ValueError, match="broken"):
        visit(application)
    assert application.closed == 1


def test_a_slow_answer_is_refused_while_others_are_answered():
    release = threading.Event()

    def stuck(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/stuck":
            release.wait(60)
        return echo(environ, start_response)

    server = FrontServer(stuck, 2, ServerLimits(answer_seconds=0.2))
    slow = run(Visit(server, path=b"/stuck", method="GET", headers=()).make())
    server.pool.limits = PATIENT
    quick = run(Visit(server, method="GET", headers=()).make())
    assert not release.is_set()
    release.set()
    assert (slow.status, quick.status) == (503, 200)
    assert b"too long" in slow.data


def test_a_process_exits_when_all_its_threads_are_stuck(monkeypatch):
    release, ended = threading.Event(), []

    def end(code: int) -> None:
        ended.append(code)
        release.set()

    monkeypatch.setattr(threads.os, "_exit", end)
    monkeypatch.setattr(threads, "STUCK", 0)

    def stuck(environ: Any, start_response: Any) -> list[bytes]:
        release.wait(60)
        return echo(environ, start_response)

    server = FrontServer(stuck, 1, ServerLimits(answer_seconds=0.1))
    run(Visit(server, method="GET", headers=()).make())
    assert ended == [1]


def test_a_thread_that_makes_a_later_piece_counts_as_running():
    seen = []

    def application(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        for _ in range(2):
            seen.append(len(server.pool.running))
            yield bytes(PIECE_BYTES)

    server = FrontServer(application, 1, PATIENT)
    run(Visit(server, method="GET", headers=()).make())
    assert seen == [1, 1]
    assert not server.pool.running


def test_a_probe_is_answered_while_all_threads_are_busy_and_another_probe_hangs(monkeypatch):
    monkeypatch.setattr(threads, "WAITING", 1)
    release = threading.Event()

    def waiting(environ: Any, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] != "/healthz":
            release.wait(60)
        return echo(environ, start_response)

    limits = ServerLimits(answer_seconds=60, probe_seconds=0.2)
    server = FrontServer(waiting, 1, limits, probes=("/healthz", "/readyz"))

    async def beside() -> tuple[Visit, Visit, Visit, Visit]:
        visitor = asyncio.create_task(Visit(server, method="GET", headers=()).make())
        await until(lambda: bool(server.pool.running))
        hanging = await Visit(server, path=b"/readyz", method="GET", headers=()).make()
        again = await Visit(server, path=b"/readyz", method="GET", headers=()).make()
        alive = await Visit(server, path=b"/healthz", method="GET", headers=()).make()
        release.set()
        return hanging, again, alive, await visitor

    hanging, again, alive, visitor = run(beside())
    assert [(one.status, b"took too long" in one.data) for one in (hanging, again)] == [(503, True)] * 2
    assert hanging.header[b"cache-control"] == b"no-store"
    assert (alive.status, visitor.status) == (200, 200)


def test_requests_beyond_those_that_may_wait_are_refused(monkeypatch):
    monkeypatch.setattr(threads, "WAITING", 2)
    release = threading.Event()

    def waiting(environ: Any, start_response: Any) -> list[bytes]:
        release.wait(60)
        return echo(environ, start_response)

    server = FrontServer(waiting, 1, PATIENT)

    async def many() -> tuple[Visit, list[Visit]]:
        visits = [asyncio.create_task(Visit(server, method="GET", headers=()).make()) for _ in range(2)]
        await until(lambda: server.pool.clients.pending == 2)
        refused = await Visit(server, method="GET", headers=()).make()
        release.set()
        return refused, await asyncio.gather(*visits)

    refused, others = run(many())
    assert refused.status == 503
    assert [one.status for one in others] == [200, 200]


# --- what the caller passes in ---------------------------------------------------------------------------


def test_the_caller_renders_refusals():
    def teapot(refusal: Refusal, scope: Scope, seconds: float) -> tuple[Headers, bytes]:
        return [(b"x-code", refusal.code.encode())], scope["path"].encode()

    server = FrontServer(echo, 1, QUICK, render=teapot)
    refused = run(Visit(server, path=b"/slow", body=[(FOREVER, b"x")]).make())
    assert (refused.status, refused.header[b"x-code"], refused.data) == (408, b"body-too-slow", b"/slow")


@pytest.mark.parametrize("leaves", [False, True], ids=["too slow", "client left"])
def test_work_that_nobody_waits_for_is_cancelled(monkeypatch, leaves):
    monkeypatch.setattr(threads, "LOOK_SECONDS", 0.01)
    cancelled = threading.Event()

    class Cancelling:
        def begin(self) -> None:
            pass

        def end(self) -> None:
            pass

        def cancel(self) -> None:
            cancelled.set()

    def endless(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        assert cancelled.wait(60)
        return echo(environ, start_response)

    server = FrontServer(endless, 1, PATIENT if leaves else QUICK, cancellation=Cancelling)
    answered = run(Visit(server, method="GET", headers=(), leaves=leaves).make())
    assert cancelled.wait(60)
    assert [message.get("status") for message in answered.sent[:1]] == ([] if leaves else [503])


def test_granian_serves_a_plain_wsgi_application_with_it():
    port, module = free_port(), "tests.front_server.visits:application"
    command = ["granian", "--interface", "asginl", "--port", str(port), "--no-ws", module]
    with subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.PIPE) as server:
        try:
            wait_for(lambda: answers(port), START_SECONDS)
            with closing(HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)) as client:
                client.request("POST", "/echo", body=bytes(3 * MIB))
                answered = json.loads(client.getresponse().read())
        finally:
            server.terminate()
    assert (answered["PATH_INFO"], answered["body"]) == ("/echo", 3 * MIB)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def test_the_package_needs_the_standard_library_only():
    code = "import sys, front_server; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) & {"archive", "django", "granian", "kifu_core"} == set()
