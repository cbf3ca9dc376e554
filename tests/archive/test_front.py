"""What stands between granian and the application: bodies come whole or not at all, answers as fast as they
are taken, and nobody's slowness holds a thread."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from django.db import DatabaseError, OperationalError, connection

from archive.index.away import is_cancelled
from archive.observing import logs
from archive.serving import front
from archive.serving.front import MIB, PIECE_BYTES, Front, Limits

QUICK = Limits(body_seconds=0.2, answer_seconds=0.2, request_bytes=4 * MIB, waiting_bytes=6 * MIB)
PATIENT = Limits(body_seconds=60, answer_seconds=60, request_bytes=4 * MIB, waiting_bytes=6 * MIB)
FOREVER = 3600.0


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """An application that answers what it was asked."""
    body = environ["wsgi.input"].read()
    told = {name: value for name, value in environ.items() if isinstance(value, str)}
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(told | {"body": len(body), "begins": body[:20].decode("latin-1")}).encode()]


@dataclass
class Visit:
    """One request as the server hands it over, and what came back: pieces of its body, each after some
    seconds or an event; the visitor takes no piece of the answer before `takes`."""

    front: Front
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
            found = next(coming, None)
            if found is None:
                if self.leaves:
                    return {"type": "http.disconnect"}
                return {"type": "http.request", "body": b"", "more_body": False}
            pause = found[0]
            await (pause.wait() if isinstance(pause, asyncio.Event) else asyncio.sleep(pause))
            return {"type": "http.request", "body": found[1], "more_body": True}

        async def send(message: Any) -> None:
            self.sent.append(dict(message))
            if message["type"] == "http.response.body" and self.takes:
                await self.takes.wait()

        scope = {
            "type": "http", "method": self.method, "http_version": "1.1", "scheme": "http",
            "path": self.path.decode("latin-1"), "raw_path": self.path, "query_string": b"a=%20b",
            "server": ("127.0.0.1", "80"), "client": (self.address, "4711"), "headers": list(self.headers),
        }  # fmt: skip
        await self.front(scope, receive, send)
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
    """What comes of it, in a thread of its own: in this one the browser of other tests may have its loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def until(condition: Callable[[], bool]) -> None:
    """Let others run until something holds."""
    while not condition():
        await asyncio.sleep(0.001)


def visit(application: Any = echo, limits: Limits = PATIENT, threads: int = 2, **about: Any) -> Visit:
    """One request, alone."""
    return run(Visit(Front(application, threads, limits), **about).make())


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


def test_a_body_that_does_not_come_is_told_so_and_the_connection_ends():
    found = visit(path=b"/api/v1/check", body=[(0, b"x"), (FOREVER, b"y")], limits=QUICK)
    assert (found.status, found.json["code"]) == (408, "body-too-slow")
    assert found.header[b"connection"] == b"close"
    assert found.header[b"content-type"] == b"application/problem+json"


def test_a_body_that_trickles_is_not_waited_for_byte_by_byte():
    found = visit(body=((0.05, b"x") for _ in range(1000)), limits=QUICK)
    assert found.status == 408


def test_a_body_may_take_long_as_long_as_it_comes():
    rate, deadline, now = front.BYTES_A_SECOND, 30.0, 0.0
    for _ in range(1000):
        now += 1.0
        assert now < deadline
        deadline = front.later(deadline, rate, now, 30)
    assert deadline == pytest.approx(now + 30, abs=1)


def test_a_body_slower_than_that_has_an_end():
    deadline, now = 30.0, 0.0
    while now < deadline:
        now += 1.0
        deadline = front.later(deadline, front.BYTES_A_SECOND // 2, now, 30)
    assert 30 < now < 70


def test_who_has_sent_much_and_then_nothing_is_waited_for_no_longer_than_others(monkeypatch):
    monkeypatch.setattr(front, "BYTES_A_SECOND", 1)
    found = visit(body=[(0, bytes(2000)), (FOREVER, b"end")], limits=QUICK)
    assert found.status == 408


def test_a_body_that_says_it_is_too_large_is_refused_before_it_comes():
    headers = ((b"content-length", b"4194305"),)
    found = visit(path=b"/api/v1/uploads", headers=headers, body=[(FOREVER, b"never")])
    assert (found.status, found.json["code"]) == (413, "too-large")


def test_a_body_that_does_not_say_so_is_refused_when_it_has_become_too_large():
    found = visit(body=((0, bytes(MIB)) for _ in range(1000)))
    assert found.status == 413
    assert b"4194304" in found.data


def test_bodies_at_the_same_time_have_room_together_and_give_it_back():
    server, end = Front(echo, 2, PATIENT), asyncio.Event()
    large: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(3 * MIB)), (end, b"")]

    async def together() -> tuple[Visit, list[Visit]]:
        visits = [asyncio.create_task(Visit(server, body=large, address=one).make()) for one in "ab"]
        await until(lambda: server.room.taken == 6 * MIB)
        refused = await Visit(server, body=large).make()
        end.set()
        return refused, await asyncio.gather(*visits)

    refused, others = run(together())
    assert (refused.status, refused.header[b"retry-after"]) == (503, b"5")
    assert [one.status for one in others] == [200, 200]
    assert (server.room.taken, server.room.in_memory) == (0, 0)


def test_a_small_body_has_room_also_where_large_ones_have_taken_all_of_it():
    server, end = Front(echo, 2, PATIENT), asyncio.Event()

    async def together() -> tuple[Visit, Visit]:
        large: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(3 * MIB)), (end, b"")]
        visits = [asyncio.create_task(Visit(server, body=large, address=one).make()) for one in "ab"]
        await until(lambda: server.room.taken == 6 * MIB)
        small = await Visit(server, body=[(0, bytes(1000)), (0, bytes(1000))]).make()
        larger = await Visit(server, body=[(0, bytes(front.SMALL_BYTES)), (0, b"x")]).make()
        end.set()
        await asyncio.gather(*visits)
        return small, larger

    small, larger = run(together())
    assert (small.status, larger.status) == (200, 503)
    assert server.room.taken == 0


def test_one_address_leaves_half_of_the_room_to_others():
    limits = Limits(body_seconds=60, request_bytes=2 * MIB, waiting_bytes=6 * MIB)
    server, end = Front(echo, 2, limits), asyncio.Event()

    async def together() -> tuple[Visit, Visit]:
        large: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(MIB)), (end, b"")]
        visits = [asyncio.create_task(Visit(server, body=large, address="much").make()) for _ in range(3)]
        await until(lambda: server.room.taken == 3 * MIB)
        more = await Visit(server, body=large, address="much").make()
        end.set()
        other = await Visit(server, body=large, address="other").make()
        await asyncio.gather(*visits)
        return more, other

    more, other = run(together())
    assert (more.status, other.status) == (503, 200)
    assert run(Visit(server, body=[(0, bytes(2 * MIB))], address="much").make()).status == 200
    assert server.room.taken == 0


def test_a_body_that_no_disk_has_room_for_is_told_so_and_logged(monkeypatch, caplog):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(front.Body, "add", full)
    found = visit(path=b"/api/v1/uploads", body=[(0, b"x")])
    assert (found.status, found.json["code"]) == (507, "disk-full")
    assert "No space left" in caplog.text


def test_small_bodies_go_to_disk_where_there_are_too_many_of_them(monkeypatch, tmp_path):
    monkeypatch.setattr(front, "ALL_IN_MEMORY_BYTES", 1000)
    server, end = Front(echo, 2, PATIENT, folder=str(tmp_path)), asyncio.Event()

    async def together() -> tuple[int, list[Visit]]:
        body: list[tuple[float | asyncio.Event, bytes]] = [(0, bytes(900)), (end, b"")]
        visits = [asyncio.create_task(Visit(server, body=body).make()) for _ in range(5)]
        await until(lambda: server.room.taken == 5 * 900)
        held = server.room.in_memory
        end.set()
        return held, await asyncio.gather(*visits)

    held, visits = run(together())
    assert held == 900
    assert [one.json["body"] for one in visits] == [900] * 5


def test_a_body_that_breaks_off_is_no_request():
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
    monkeypatch.setattr(front, "PIECE_SECONDS", 0.0)

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
    server, take = Front(Streaming(100), 1, PATIENT), asyncio.Event()

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


def test_an_answer_that_is_never_taken_is_given_up_and_closed():
    application = Streaming(100)
    server = Front(application, 1, Limits(answer_seconds=0.2))
    run(Visit(server, method="GET", headers=(), takes=asyncio.Event()).make())
    server.pool.visitors.executor.shutdown()
    assert application.closed == 1


def test_an_answer_that_breaks_off_does_not_look_whole():
    application = Streaming(9, fails_at=5)
    with pytest.raises(ValueError, match="broken"):
        visit(application)
    assert application.closed == 1


def test_an_application_that_fails_is_told_and_logged(caplog):
    def failing(environ: Any, start_response: Any) -> list[bytes]:
        raise RuntimeError("secret")

    found = visit(failing, path=b"/api/v1/games")
    assert (found.status, found.json["code"]) == (500, "internal-error")
    assert b"secret" not in found.data
    assert found.json["request_id"].encode() == found.header[b"x-request-id"]
    assert "secret" in caplog.text


def test_what_is_refused_here_stands_in_the_access_log_too(caplog):
    def failing(environ: Any, start_response: Any) -> list[bytes]:
        raise RuntimeError

    with caplog.at_level(logging.INFO, logger=logs.ACCESS):
        found = visit(failing, path=b'/api/v1/"games')
    (line,) = [record for record in caplog.records if record.name == logs.ACCESS]
    expected = f'"POST /api/v1/\\"games" 500 {len(found.data)} '
    assert expected in line.getMessage()


def test_an_answer_that_takes_too_long_is_told_and_others_are_answered():
    release = threading.Event()

    def stuck(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/stuck":
            release.wait(60)
        return echo(environ, start_response)

    server = Front(stuck, 2, Limits(answer_seconds=0.2))
    slow = run(Visit(server, path=b"/stuck", method="GET", headers=()).make())
    server.pool.limits = PATIENT
    quick = run(Visit(server, method="GET", headers=()).make())
    assert not release.is_set()
    release.set()
    assert (slow.status, quick.status) == (503, 200)
    assert b"too long" in slow.data


ENDLESS: Final = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "postgresql": "SELECT pg_sleep(3600)",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("leaves", [False, True], ids=["too slow", "gone"])
def test_what_nobody_waits_for_any_more_is_ended_in_the_database(monkeypatch, leaves):
    monkeypatch.setattr(front, "LOOK_SECONDS", 0.01)
    ended: list[BaseException] = []

    def endless(environ: Any, start_response: Any) -> list[bytes]:
        with closing(connection), connection.cursor() as cursor:
            try:
                cursor.execute(ENDLESS[connection.vendor])
            except DatabaseError as error:
                ended.append(error)
                raise
        return echo(environ, start_response)

    server = Front(endless, 1, PATIENT if leaves else QUICK)

    async def request() -> Visit:
        found = await Visit(server, method="GET", headers=(), leaves=leaves).make()
        await until(lambda: bool(ended) and not server.pool.running)
        return found

    found = run(request())
    assert is_cancelled(ended[0])
    assert [message.get("status") for message in found.sent[:1]] == ([] if leaves else [503])


@pytest.mark.django_db
def test_what_was_cancelled_is_no_fault_of_the_archive(client, monkeypatch):
    def cancelled(*_args: Any) -> None:
        error = OperationalError("interrupted")
        error.__cause__ = sqlite3.OperationalError("interrupted")
        error.__cause__.sqlite_errorcode = sqlite3.SQLITE_INTERRUPT
        raise error

    monkeypatch.setattr("archive.web.pages.views.find_games", cancelled)
    assert client.get("/games/").status_code == 503


def test_a_process_none_of_whose_threads_comes_back_ends(monkeypatch):
    release, ended = threading.Event(), []

    def end(code: int) -> None:
        ended.append(code)
        release.set()

    monkeypatch.setattr(front.os, "_exit", end)
    monkeypatch.setattr(front, "STUCK", 0)

    def stuck(environ: Any, start_response: Any) -> list[bytes]:
        release.wait(60)
        return echo(environ, start_response)

    server = Front(stuck, 1, Limits(answer_seconds=0.1))
    run(Visit(server, method="GET", headers=()).make())
    assert ended == [1]


def test_a_thread_that_makes_a_later_piece_is_at_work_too():
    seen = []

    def application(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        for _ in range(2):
            seen.append(len(server.pool.running))
            yield bytes(PIECE_BYTES)

    server = Front(application, 1, PATIENT)
    run(Visit(server, method="GET", headers=()).make())
    assert seen == [1, 1]
    assert not server.pool.running


def test_who_watches_is_answered_while_all_threads_are_busy_and_another_probe_hangs(monkeypatch):
    monkeypatch.setattr(front, "PROBE_SECONDS", 0.2)
    monkeypatch.setattr(front, "WAITING", 1)
    release = threading.Event()

    def waiting(environ: Any, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] != "/healthz":
            release.wait(60)
        return echo(environ, start_response)

    server = Front(waiting, 1, PATIENT)

    async def beside() -> tuple[Visit, Visit, Visit, Visit]:
        visitor = asyncio.create_task(Visit(server, method="GET", headers=()).make())
        await until(lambda: bool(server.pool.running))
        hanging = await Visit(server, path=b"/readyz", method="GET", headers=()).make()
        again = await Visit(server, path=b"/readyz", method="GET", headers=()).make()
        alive = await Visit(server, path=b"/healthz", method="GET", headers=()).make()
        release.set()
        return hanging, again, alive, await visitor

    hanging, again, alive, visitor = run(beside())
    assert [(one.status, one.json["code"]) for one in (hanging, again)] == [(503, "too-slow")] * 2
    assert hanging.header[b"cache-control"] == b"no-store"
    assert (alive.status, visitor.status) == (200, 200)


def test_more_requests_than_can_wait_are_asked_to_come_again(monkeypatch):
    monkeypatch.setattr(front, "WAITING", 2)
    release = threading.Event()

    def waiting(environ: Any, start_response: Any) -> list[bytes]:
        release.wait(60)
        return echo(environ, start_response)

    server = Front(waiting, 1, PATIENT)

    async def many() -> tuple[Visit, list[Visit]]:
        visits = [asyncio.create_task(Visit(server, method="GET", headers=()).make()) for _ in range(2)]
        await until(lambda: server.pool.visitors.asked == 2)
        refused = await Visit(server, method="GET", headers=()).make()
        release.set()
        return refused, await asyncio.gather(*visits)

    refused, others = run(many())
    assert refused.status == 503
    assert [one.status for one in others] == [200, 200]
