"""Faults are told to a Sentry where one is named: all that finds them, and nothing of anybody."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from archive.observing import logs
from archive.observing.sentry import Faults
from archive.project import env
from tests.archive.test_deployment import run
from tests.archive.test_log_of_processes import role
from tests.serving import START_SECONDS, wait_for

pytestmark = pytest.mark.one_engine

SECRET = "of nobody's business"


@dataclass
class Receiver:
    """A Sentry of our own: what it was sent, as text and as events."""

    address: str
    texts: list[str] = field(default_factory=list)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(text.splitlines()[2]) for text in self.texts]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            # The library takes Brotli where that happens to be installed.
            unpacking = {"gzip": "gzip", "br": "brotli"}[self.headers["Content-Encoding"]]
            found.texts.append(import_module(unpacking).decompress(body).decode())
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_arguments: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Receiver(f"http://key@127.0.0.1:{server.server_port}/1")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def log(receiver: Receiver) -> Iterator[logging.Logger]:
    """A logger whose errors are told; all are when the test has closed its handler."""
    handler = Faults(receiver.address)
    handler.addFilter(logs.ContextFilter())
    handler.addFilter(logs.ServerErrorsOnly())
    log = logging.getLogger("archive.of_a_test")
    log.addHandler(handler)
    yield log
    log.removeHandler(handler)
    handler.close()


def test_an_error_is_told_with_its_places_and_numbers_and_without_its_words(log, receiver):
    def broken(password: str) -> None:
        raise ValueError(f"{password} is in a row")

    try:
        with logs.context(request="proxy-1234", upload=7):
            broken(SECRET)
    except ValueError:
        log.exception("failed for %s", SECRET)
    log.handlers[0].close()
    (event,) = receiver.events
    assert event["tags"] == {"request": "proxy-1234", "upload": "7"}
    assert event["logentry"]["message"] == "failed for %s"
    (error,) = event["exception"]["values"]
    assert error["type"] == "ValueError"
    assert error["stacktrace"]["frames"][-1]["function"] == "broken"
    assert SECRET not in receiver.texts[0]
    assert not {"request", "user", "breadcrumbs", "modules", "extra"} & event.keys()


def test_what_is_no_error_is_not_told(log, receiver):
    log.warning("it is late")
    log.handlers[0].close()
    assert receiver.texts == []


def test_a_sentry_that_is_away_is_no_fault(caplog):
    handler = Faults("http://key@127.0.0.1:9/1")
    handler.addFilter(logs.ContextFilter())
    log = logging.getLogger("archive.of_a_test")
    log.addHandler(handler)
    log.error("it failed")
    handler.close()
    log.removeHandler(handler)
    faults = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert faults == ["it failed"]


@pytest.mark.worker
def test_a_task_that_fails_is_told_by_its_worker(tmp_path, receiver):
    with role("worker", tmp_path, SENTRY_DSN=receiver.address), role("scheduler", tmp_path) as log:
        wait_for(lambda: "archive.sweep" in "".join(receiver.texts), START_SECONDS, log)
    event = next(event for event in receiver.events if event["tags"].get("task") == "archive.sweep")
    assert event["exception"]["values"][-1]["type"] == "OperationalError"
    assert "no such table" not in "".join(receiver.texts)


def test_nothing_of_it_is_loaded_where_none_is_named(tmp_path):
    program = (
        "import sys, django; django.setup(); from archive.project import celery; "
        "print('sentry_sdk' in sys.modules)"
    )
    assert run(tmp_path, "-c", program).stdout == "False\n"
    assert run(tmp_path, "-c", program, SENTRY_DSN="http://key@127.0.0.1:9/1").stdout == "True\n"


@pytest.mark.parametrize(
    "value", ["sentry.example", "https://sentry.example/1", "https://secret@sentry.example/", "https://[/1"]
)
def test_an_address_that_is_none_is_refused_without_its_key(monkeypatch, value):
    monkeypatch.setenv("SENTRY_DSN", value)
    with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN is not") as error:
        env.sentry("SENTRY_DSN")
    assert "secret" not in str(error.value)


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setenv("SENTRY_DSN", "https://key@sentry.example/1")
    monkeypatch.setattr(env, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match="pip install 'sentry-sdk"):
        env.sentry("SENTRY_DSN")
