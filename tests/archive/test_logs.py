"""Log lines: a fault is never without one, and nobody but the program writes them."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path

from archive.http.requests import RequestLog
from archive.observing import logs
from archive.project import env
from tests.archive.routes import routes

# Closing an answer looks after the connections to the database.
pytestmark = [pytest.mark.django_db, pytest.mark.one_engine]

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "a\r\nb\x1b[31m\x00\u2028\u202e\x85 c"
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ([A-Z]+) (\S+) \[(\S+)\] (.*)")


@pytest.fixture
def log_output() -> Iterator[io.StringIO]:
    """What the log of this process says meanwhile, with the access log."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.TextFormatter())
    with _handling(handler):
        yield out


@pytest.fixture
def objects() -> Iterator[io.StringIO]:
    """The same, as objects in JSON."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.JsonFormatter())
    with _handling(handler):
        yield out


@contextmanager
def _handling(handler: logging.Handler) -> Iterator[None]:
    handler.addFilter(logs.ContextFilter())
    handler.addFilter(logs.ServerErrorsOnly())
    access = logging.getLogger(logs.ACCESS)
    before = access.level
    access.setLevel(logging.INFO)
    logging.getLogger().addHandler(handler)
    yield
    logging.getLogger().removeHandler(handler)
    access.setLevel(before)


def lines(log_output: io.StringIO) -> list[tuple[str, ...]]:
    """Level, logger, id and text of every line but those of tracebacks."""
    found = [
        LINE.fullmatch(line) for line in log_output.getvalue().split("\n") if not line.startswith("    ")
    ]
    assert all(found[:-1]) and found[-1] is None, log_output.getvalue()
    return [match.groups() for match in found if match]


@pytest.mark.parametrize("place", ["%s", "a %s b"])
def test_a_record_is_one_line_whatever_is_in_it(place):
    record = logging.LogRecord("archive.x", logging.ERROR, __file__, 1, place, (HOSTILE + "\ud800",), None)
    assert logs.ContextFilter().filter(record)
    match = LINE.fullmatch(logs.TextFormatter().format(record))
    assert match is not None
    assert match[4] == place % r"a\r\nb\x1b[31m\x00\u2028\u202e\x85 c\ud800"


def test_no_line_of_a_traceback_begins_a_record(log_output):
    try:
        raise ValueError("\n2026-01-01 00:00:00.000 ERROR archive.x [-] \x1b[2Jforged")
    except ValueError:
        logging.getLogger("archive.x").exception("it failed")
    assert [text for *_, text in lines(log_output)] == ["it failed"]
    assert "\x1b" not in log_output.getvalue()
    assert "forged" in log_output.getvalue()


@pytest.mark.parametrize("proposed", ["0123abcd", "a.b-c_d-1", "F" * 64])
def test_an_id_that_a_proxy_gave_is_kept(proposed):
    assert logs.request_id(proposed) == proposed


@pytest.mark.parametrize(
    "proposed", [None, "", "short", "F" * 65, "a b c d e", "abcdefgh\n", "日本語日本語日本", "-" * 9]
)
def test_an_id_that_is_not_well_formed_is_replaced(proposed):
    made = logs.request_id(proposed)
    assert made != proposed
    assert re.fullmatch("[0-9a-f]{16}", made)


def test_an_answer_tells_the_id_of_its_request(client: Client, settings: Any) -> None:
    settings.TRUSTED_PROXIES = env.networks("ARCHIVE_X", ["127.0.0.0/8"])
    assert client.get("/healthz", headers={"X-Request-ID": "proxy-1234"})["X-Request-ID"] == "proxy-1234"
    assert client.get("/healthz")["X-Request-ID"] != client.get("/healthz")["X-Request-ID"]
    assert logs.current_request() == ""


def test_an_id_that_a_stranger_gives_is_not_taken(client):
    assert client.get("/healthz", headers={"X-Request-ID": "proxy-1234"})["X-Request-ID"] != "proxy-1234"


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
@pytest.mark.parametrize("address", ["/fault/", "/api/v1/fault"])
def test_a_fault_has_a_line_with_its_traceback_and_the_id_that_the_answer_tells(log_output, address):
    answer = Client(raise_request_exception=False).get(address)
    assert answer.status_code == 500
    faults = [line for line in lines(log_output) if line[0] == "ERROR"]
    assert [identifier for _, _, identifier, _ in faults] == [answer["X-Request-ID"]]
    assert "RuntimeError: out of order" in log_output.getvalue()
    assert answer["X-Request-ID"] in answer.content.decode()
    assert "out of order" not in answer.content.decode()


@override_settings(
    ROOT_URLCONF="tests.archive.test_logs",
    MIDDLEWARE=["archive.http.requests.RequestLog", f"{__name__}.Broken"],
)
def test_a_fault_of_a_middleware_has_a_line(log_output):
    answer = Client(raise_request_exception=False).get("/healthz")
    assert answer.status_code == 500
    assert "RuntimeError: broken" in log_output.getvalue()


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
def test_an_answer_that_breaks_off_has_a_line_with_the_id_of_its_request(log_output):
    answer = Client().get("/breaking/")
    with pytest.raises(RuntimeError):
        b"".join(answer.streaming_content)
    answer.close()
    (fault,) = [line for line in lines(log_output) if line[0] == "ERROR"]
    assert fault[2] == answer["X-Request-ID"]
    assert fault[3] == "an answer broke off after 3 bytes: /breaking/"
    assert "RuntimeError: midway" in log_output.getvalue()


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
def test_a_client_that_goes_away_is_no_error(log_output):
    answer = Client().get("/breaking/")
    next(iter(answer.streaming_content))
    answer.close()
    assert [line for line in lines(log_output) if line[0] != "INFO"] == []


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
def test_mistakes_of_visitors_stand_in_the_access_log_only(log_output, client):
    for address in ("/nowhere/", "/games/?" + "&".join(f"a{n}=1" for n in range(1001))):
        client.get(address)
    client.get("/healthz", headers={"Host": "evil.example"})
    assert {name for _, name, _, _ in lines(log_output)} == {logs.ACCESS}


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
def test_the_access_log_has_a_line_for_every_request(log_output, client):
    client.get("/healthz", {"a": '"\n'}, headers={"User-Agent": 'x"y\\\x1b[0m\u202e'})
    answer = client.get("/counted/")
    b"".join(answer.streaming_content)
    answer.close()
    first, second = [text for _, _, _, text in lines(log_output)]
    assert re.fullmatch(r'127\.0\.0\.1 "GET /healthz\?a=%22%0A" 200 16 \d+ms ".*"', first)
    assert r"x\"y\\\x1b[0m" in first
    assert re.match(r'127\.0\.0\.1 "GET /counted/" 200 6 ', second)


def test_the_access_log_has_no_keys_of_links(log_output):
    """Routes name their secrets `key`."""
    with_key = [route for route in routes() if "key" in route.parts]
    assert len(with_key) > 4
    key = "Ab-1_x"
    addresses = [route.address(**dict.fromkeys(route.parts, "3f") | {"key": key}) for route in with_key]
    addresses += [f"/games/1/?ply=2&key={key}", f"/device/?user_code={key}"]
    for address in addresses:
        for target in (address, f"/sign-in/?next={address}", f"/sign-in/?next={quote(address, safe='')}&a=b"):
            logs.log_access(logs.AccessedUrl("::1", "GET", target, None), 200, 0, 0)
    logged = [text for *_, text in lines(log_output)]
    assert len(logged) == 3 * len(addresses)
    assert [text for text in logged if key in text or "…" not in text] == []


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
def test_lines_about_faults_have_no_keys_of_links(log_output, objects):
    Client(raise_request_exception=False).get("/shared/Ab-1_x/fault/")
    for output in (log_output, objects):
        assert "out of order" in output.getvalue()
        assert "Ab-1_x" not in output.getvalue()


def test_no_header_and_no_path_writes_a_line_of_its_own(log_output):
    request = RequestFactory().generic("GET\r\nx", "/\r\n\x1b[31m/", QUERY_STRING="a=\r\nb\x00")
    request.META["HTTP_USER_AGENT"] = request.META["REMOTE_ADDR"] = HOSTILE
    RequestLog(lambda _: HttpResponse("x"))(request)
    assert len(lines(log_output)) == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", log_output.getvalue())


def records(objects: io.StringIO) -> list[dict[str, Any]]:
    """What the lines say; none tells more than the documentation does."""
    told = [json.loads(line) for line in objects.getvalue().splitlines()]
    assert all(record.keys() <= FIELDS for record in told)
    return told


def documented() -> set[str]:
    """The fields that the documentation names in its table."""
    table = (ROOT / "docs" / "operations.md").read_text().partition("\n| field | what |\n")[2]
    return set(
        re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in table.split("\n\n")[0].split("\n")))
    )


FIELDS = documented()


def test_a_record_as_an_object_is_one_line_of_ascii_whatever_is_in_it():
    text = HOSTILE + "\ud800"
    record = logging.LogRecord("archive.x", logging.ERROR, __file__, 1, "a %s b", (text,), None)
    with logs.context(request="0123abcd", upload=7):
        assert logs.ContextFilter().filter(record)
    line = logs.JsonFormatter().format(record)
    assert line.isascii() and line.isprintable()
    told = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", told.pop("time"))
    assert isinstance(told.pop("pid"), int)
    assert told == {
        "level": "error", "logger": "archive.x", "process": "manage", "request": "0123abcd", "upload": 7,
        "message": f"a {text} b",
    }  # fmt: skip


def test_a_visit_as_an_object_has_its_parts_by_name(objects, client):
    answer = client.get("/healthz", {"a": '"'}, headers={"User-Agent": 'x"y'})
    (told,) = records(objects)
    assert told["request"] == answer["X-Request-ID"]
    assert (told["address"], told["method"], told["target"]) == ("127.0.0.1", "GET", "/healthz?a=%22")
    assert (told["status"], told["bytes"], told["agent"]) == (200, 16, 'x"y')
    assert told["milliseconds"] >= 0
    assert {name for name in documented() if name not in told} == {"upload", "task", "task_id", "traceback"}


@override_settings(ROOT_URLCONF="tests.archive.test_logs")
def test_a_fault_as_an_object_has_its_traceback(objects):
    answer = Client(raise_request_exception=False).get("/fault/")
    (told,) = [told for told in records(objects) if told["level"] == "error"]
    assert told["request"] == answer["X-Request-ID"]
    assert told["traceback"].startswith("Traceback") and "RuntimeError: out of order" in told["traceback"]


def test_an_error_is_told_with_what_it_happened_in_wherever_it_is_told(objects):
    try:
        with logs.context(request="0123abcd"), logs.context(upload=7):
            raise ValueError("it broke")
    except ValueError:
        logging.getLogger("archive.x").exception("told later")
    logging.getLogger("archive.x").error("of something else")
    later, other = records(objects)
    assert (later["request"], later["upload"]) == ("0123abcd", 7)
    assert not {"request", "upload"} & other.keys()


def test_the_access_log_is_by_choice():
    for access, level in ((True, "INFO"), (False, "CRITICAL")):
        assert logs.configuration("error", access=access)["loggers"][logs.ACCESS]["level"] == level
    assert logs.configuration("error", access=True)["root"]["level"] == "ERROR"


class Broken:
    """A middleware with a fault."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        raise RuntimeError("broken")


def fault(_request: HttpRequest) -> HttpResponse:
    """A view with a fault."""
    raise RuntimeError("out of order")


def breaking(_request: HttpRequest) -> StreamingHttpResponse:
    """An answer with a fault in its middle."""

    def chunks() -> Iterator[bytes]:
        yield b"abc"
        raise RuntimeError("midway")

    return StreamingHttpResponse(chunks())


def counted(_request: HttpRequest) -> StreamingHttpResponse:
    """An answer of six bytes."""
    return StreamingHttpResponse(iter([b"abc", b"def"]))


urlpatterns = [
    path("fault/", fault),
    path("api/v1/fault", fault),
    path("shared/Ab-1_x/fault/", fault),
    path("breaking/", breaking),
    path("counted/", counted),
    path("", include("archive.project.urls")),
]
handler400 = "archive.http.errors.bad_request"
handler404 = "archive.http.errors.not_found"
handler500 = "archive.http.errors.server_error"
