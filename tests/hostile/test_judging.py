"""An attack tells every sort of fault from good answers."""

from __future__ import annotations

import gzip
import http.server
import json
import platform
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.hostile import client
from tests.hostile.campaign import errors
from tests.hostile.client import Answer, exchange
from tests.hostile.judging import LARGEST_PAGE, faults
from tests.hostile.requests import Request
from tests.hostile.values import MARK_HEADER, MARKUP

GOOD = [
    (b"X-Request-ID", b"1"),
    (b"Content-Security-Policy", b"default-src 'none'"),
    (b"X-Content-Type-Options", b"nosniff"),
]
PROBLEM = {"type": "urn:x", "title": "x", "status": 404, "detail": "x", "code": "x"}


def kinds(answer: Answer, target: str = "/", method: str = "GET") -> list[str]:
    request = Request(method, target.encode(), (("Host", b"localhost"),))
    return [fault.kind for fault in faults(request, answer)]


def answered(
    status: int = 200, body: bytes = b"", kind: str = "text/html", *more: tuple[bytes, bytes]
) -> Answer:
    return Answer(status, [*GOOD, (b"Content-Type", kind.encode()), *more], body)


def problem(**changed: object) -> bytes:
    return json.dumps(PROBLEM | changed).encode()


def test_a_good_answer_has_no_fault():
    page = f"<p title='{MARKUP.replace('<', '&lt;').replace(chr(39), '&#39;')}'>".encode()
    assert kinds(answered(200, page)) == []
    assert kinds(answered(404, problem(), "application/problem+json"), "/api/v1/x") == []
    assert kinds(answered(302, b"", "text/html", (b"Location", b"/games/"))) == []


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (answered(500), "5xx"),
        (answered(503), "5xx"),
        (Answer(problem="out of time"), "no answer"),
        (Answer(problem="cut off: 7 bytes are missing"), "no answer"),
        (answered(200, f"<p>{MARKUP}".encode()), "unescaped"),
        (answered(200, b"<p title='' onkifumark=1>"), "unescaped"),
        (answered(200, f"<svg>{MARKUP}".encode(), "image/svg+xml"), "unescaped"),
        (answered(200, b"<a href=' javascript:x'>"), "unescaped"),
        (
            answered(200, gzip.compress(MARKUP.encode()), "text/html", (b"Content-Encoding", b"gzip")),
            "unescaped",
        ),
        (answered(200, b"", "text/html", (MARK_HEADER.encode(), b"1")), "header injection"),
        (answered(200, b"", "text/html", (b"X-A", b"1\rX-B: 2")), "header injection"),
        (answered(302, b"", "text/html", (b"Location", b"//kifu-mark.example/")), "redirect elsewhere"),
        (answered(302, b"", "text/html", (b"Location", b"/\\kifu-mark.example/")), "redirect elsewhere"),
        (answered(302, b"", "text/html", (b"Location", b"javascript:x")), "redirect elsewhere"),
        (answered(200, b"x" * (LARGEST_PAGE + 1)), "large page"),
        (answered(200, b"Traceback (most recent call last):", "text/plain"), "traceback shown"),
        (answered(200, platform.python_version().encode(), "text/plain"), "version shown"),
        (Answer(200, GOOD[1:]), "missing header"),
        (answered(405, b"", "text/html", (b"Allow", b"GET, OPTIONS")), "HEAD refused"),
    ],
)
def test_each_fault_is_told(answer, kind):
    assert kind in kinds(answer, method="HEAD" if kind == "HEAD refused" else "GET")


@pytest.mark.parametrize(
    "answer",
    [
        answered(404, b"<h1>Not Found</h1>"),
        answered(404, b"{}", "application/problem+json"),
        answered(404, b"[", "application/problem+json"),
        answered(404, problem(status=400), "application/problem+json"),
        answered(404, problem(), "application/json"),
    ],
)
def test_errors_of_the_api_are_problem_details(answer):
    assert kinds(answer, "/api/v1/x") == ["no problem details"]
    assert kinds(answer, "/games/x") == []


@pytest.fixture
def place() -> Iterator[tuple[str, int]]:
    """A server that breaks off in the middle of a body."""

    class Broken(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Broken) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield ("127.0.0.1", server.server_port)
        finally:
            server.shutdown()
            thread.join()


def test_an_answer_in_pieces_takes_as_long_as_the_longest_wait_for_one(monkeypatch):
    clock = SimpleNamespace(now=10.0)
    pieces = iter([(1, b"1\r\n"), (3, b"1\r\n"), (2, b"0\r\n"), (0, b"\r\n")])

    def line() -> bytes:
        seconds, found = next(pieces)
        clock.now += seconds
        return found

    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: clock.now))
    answer = Answer(began=10.0)
    reader: Any = SimpleNamespace(line=line, take=lambda size: b"x" * size, until=14.0, patience=4.0)
    assert client._chunks(reader, answer) == b"xx"
    assert (answer.seconds, answer.began) == (3, 11)
    assert reader.until == 18, "there is patience for each piece"


def test_an_answer_that_breaks_off_is_no_answer(place):
    answer = exchange(Request("GET", b"/", (("Host", b"localhost"),)), place)
    assert answer.problem == "cut off: 5 bytes are missing"
    assert kinds(answer) == ["no answer"]


@pytest.mark.parametrize("indent", ["", "    "])
def test_tracebacks_in_a_log_are_told_by_their_last_line(indent):
    trace = 'Traceback (most recent call last):\n  File "x.py", line 1, in x\n    fall()\nOSError: no\n'
    log = "a line\n" + "".join(f"{indent}{line}\n" for line in trace.splitlines()) + "another\n"
    assert list(errors(log)) == ["OSError: no"]
    assert list(errors("thread panicked at x\nan ordinary line\n")) == ["thread panicked at x"]
