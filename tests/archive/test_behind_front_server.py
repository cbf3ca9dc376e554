"""The archive behind the front server: problem details, request ids, the access log, cancelled queries."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from typing import Any, Final

import pytest
from django.db import DatabaseError, OperationalError, connection

from archive.index.availability import is_cancelled
from archive.observing import logs
from archive.serving.cancelling import QueryCancellation
from archive.serving.refusals import render
from front_server import FrontServer, threads
from tests.front_server.visits import PATIENT, QUICK, Visit, echo, run, until


def refused_visit(application: Any, path: bytes) -> Visit:
    """One request to an archive with this application."""
    return run(Visit(FrontServer(application, 1, PATIENT, render=render), path=path).make())


def test_a_refusal_is_a_line_of_text_outside_of_the_api():
    def failing(environ: Any, start_response: Any) -> list[bytes]:
        raise RuntimeError

    refused = refused_visit(failing, path=b"/games/")
    assert (refused.status, refused.header[b"content-type"]) == (500, b"text/plain; charset=utf-8")
    assert refused.header[b"content-security-policy"].startswith(b"default-src 'none'")


def test_a_failing_application_is_answered_with_a_problem_and_logged(caplog):
    def failing(environ: Any, start_response: Any) -> list[bytes]:
        raise RuntimeError("secret")

    found = refused_visit(failing, path=b"/api/v1/games")
    assert (found.status, found.json["code"]) == (500, "internal-error")
    assert b"secret" not in found.data
    assert found.json["request_id"].encode() == found.header[b"x-request-id"]
    assert "secret" in caplog.text


def test_a_refused_request_is_in_the_access_log(caplog):
    def failing(environ: Any, start_response: Any) -> list[bytes]:
        raise RuntimeError

    with caplog.at_level(logging.INFO, logger=logs.ACCESS):
        found = refused_visit(failing, path=b'/api/v1/"games')
    (line,) = [record for record in caplog.records if record.name == logs.ACCESS]
    expected = f'"POST /api/v1/\\"games" 500 {len(found.data)} '
    assert expected in line.getMessage()


def test_the_access_log_has_no_key_of_a_refused_request(caplog):
    def failing(environ: Any, start_response: Any) -> list[bytes]:
        raise RuntimeError

    with caplog.at_level(logging.INFO, logger=logs.ACCESS):
        refused_visit(failing, path=b"/shared/Ab-1_x/")
    (line,) = [record for record in caplog.records if record.name == logs.ACCESS]
    assert '"POST /shared/…/" 500 ' in line.getMessage()


ENDLESS: Final = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "postgresql": "SELECT pg_sleep(3600)",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("leaves", [False, True], ids=["too slow", "client left"])
def test_a_query_that_nobody_waits_for_is_cancelled_in_the_database(monkeypatch, leaves):
    monkeypatch.setattr(threads, "LOOK_SECONDS", 0.01)
    ended: list[BaseException] = []

    def endless(environ: Any, start_response: Any) -> list[bytes]:
        with closing(connection), connection.cursor() as cursor:
            try:
                cursor.execute(ENDLESS[connection.vendor])
            except DatabaseError as error:
                ended.append(error)
                raise
        return echo(environ, start_response)

    server = FrontServer(endless, 1, PATIENT if leaves else QUICK, cancellation=QueryCancellation)

    async def request() -> Visit:
        found = await Visit(server, method="GET", headers=(), leaves=leaves).make()
        await until(lambda: bool(ended) and not server.pool.running)
        return found

    found = run(request())
    assert is_cancelled(ended[0])
    assert [message.get("status") for message in found.sent[:1]] == ([] if leaves else [503])


@pytest.mark.django_db
def test_a_cancelled_query_is_no_fault_of_the_archive(client, monkeypatch):
    def cancelled(*_args: Any) -> None:
        error = OperationalError("interrupted")
        error.__cause__ = sqlite3.OperationalError("interrupted")
        error.__cause__.sqlite_errorcode = sqlite3.SQLITE_INTERRUPT
        raise error

    monkeypatch.setattr("archive.web.pages.views.find_games", cancelled)
    assert client.get("/games/").status_code == 503
