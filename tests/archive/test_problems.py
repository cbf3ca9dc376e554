"""Errors: problem details below /api/, pages of the site elsewhere, and none that fails by itself."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db.utils import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.test import Client, override_settings
from django.urls import include, path
from django.utils import translation
from rest_framework import exceptions
from rest_framework.test import APIClient

from archive.api.errors import ApiError, describe
from archive.api.negotiation import PROBLEM
from archive.api.problems import OF_STATUS
from archive.models import User
from archive.project.reading import PRIMARY, read_from
from archive.project.settings import MIDDLEWARE
from kifu_core.errors import KifuError
from kifu_core.messages import TEXTS
from tests.archive.games import KIF, stored
from tests.archive.routes import routes
from tests.cases import each

MANY = "&".join(f"a{number}=1" for number in range(1001))
HERE = override_settings(ROOT_URLCONF="tests.archive.test_problems")
JSON = "application/json"


def problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    """The members of an answer that is a problem detail of that status and code."""
    assert (answer.status_code, answer["Content-Type"]) == (status, PROBLEM)
    data: dict[str, Any] = answer.json()
    assert (data["status"], data["code"]) == (status, code)
    assert {"type", "title", "status", "detail", "code", "errors"} <= set(data)
    return data


# --- below /api/ -----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("/api/v1/nowhere", 404, "not-found"),
        ("/api/", 404, "not-found"),
        ("/api/v1/games/" + "9" * 5000, 404, "not-found"),
        ("/api/v1/games/99999999999999999999", 404, "not-found"),
        (f"/api/v1/games?{MANY}", 400, "too-many-parameters"),
        (f"/api/v1/nowhere?{MANY}", 404, "not-found"),
        ("/api/v1/games?player=%00", 400, "invalid"),
        ("/api/v1/games?%00=x", 400, "invalid"),
        ("/api/v1/positions/shogi/%00", 400, "bad-char"),
        ("/api/v1/%00", 404, "not-found"),
    ],
)
def test_an_address_that_is_none_is_a_problem(client, address, status, code):
    problem(client.get(address), status, code)


def test_a_host_that_is_not_ours_is_a_problem(client):
    problem(client.get("/api/v1/games", headers={"Host": "evil.example"}), 400, "unknown-host")
    problem(client.get("/api/v1/games", headers={"Host": "a b:c:d"}), 400, "unknown-host")


OTHER_METHODS = {("PUT", "/api/v1/drafts/{draft_id}")}
"""Methods beside GET, POST and DELETE that addresses have."""


@each("method", ["PUT", "PATCH", "TRACE", "FOO"])
@each("route", [route for route in routes() if "/api/" in route.template], ids=str)
def test_other_methods_are_told_which_there_are(client, route, method):
    if (method, route.template) in OTHER_METHODS:
        return
    values = {"kind": "shogi", "code": "x", "name": "kif"}
    address = route.address(**{name: values.get(name, "1") for name in route.parts})
    answer = client.generic(method, address)
    problem(answer, 405, "method-not-allowed")
    assert answer["Allow"]


@pytest.mark.django_db
def test_what_cannot_be_read_is_a_problem(client):
    address = "/api/v1/check"
    response = problem(client.post(address, "x", content_type="text/x"), 415, "unsupported-media-type")
    assert "application/json" in response["detail"]
    response = problem(client.get("/api/v1/about", headers={"accept": "text/html"}), 406, "not-acceptable")
    assert "application/json" in response["detail"]
    problem(client.post(address, "{", content_type=JSON), 400, "parse-error")
    problem(client.post(address, b"x", content_type="multipart/form-data"), 400, "parse-error")
    problem(client.post(address, b"x", content_type="multipart/form-data; boundary=\xff"), 400, "parse-error")
    form = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 1001 + b"--x--\r\n"
    answer = client.post(address, form, content_type="multipart/form-data; boundary=x")
    problem(answer, 400, "too-many-parameters")


@pytest.mark.django_db
def test_json_that_is_too_large_is_not_read_to_its_end(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    body = json.dumps({"text": "x" * 1000})
    for address in ("check", "uploads", "positions/shogi/find"):
        problem(client.post(f"/api/v1/{address}", body, content_type=JSON), 413, "too-large")


@HERE
@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        ("fault", 500, "internal-error"),
        ("http404", 404, "not-found"),
        ("denied", 403, "forbidden"),
        ("suspicious", 400, "bad-request"),
        ("bad", 400, "bad-request"),
        ("big", 413, "too-large"),
        ("unreadable", 400, "incomplete"),
        ("status410", 410, "gone"),
        ("status429", 429, "throttled"),
        ("status418", 418, "bad-request"),
        ("status503", 503, "unavailable"),
    ],
)
def test_what_views_raise_and_answer_is_a_problem_or_a_page(raised, status, code):
    client = Client(raise_request_exception=False)
    problem(client.get(f"/api/{raised}"), status, code)
    page = client.get(f"/{raised}")
    assert (page.status_code, page["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert "<h1>" in page.content.decode()


@HERE
def test_headers_of_an_error_without_a_body_stay():
    for address in ("/api/status429", "/status429"):
        answer = Client().get(address)
        assert answer["Retry-After"] == "7"
        assert answer.cookies["a"].value == "b"
        assert int(answer["Content-Length"]) == len(answer.content) > 0


@HERE
def test_a_fault_tells_nothing_but_its_number():
    text = problem(Client(raise_request_exception=False).get("/api/fault"), 500, "internal-error")
    assert "secret" not in json.dumps(text)
    assert re.fullmatch("[0-9a-f]{16}", text["request_id"])


@pytest.mark.django_db
def test_a_session_without_its_token_is_a_problem(settings):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("taro"))
    response = problem(client.post("/api/v1/uploads", {"text": KIF}), 403, "permission-denied")
    assert response["detail"].startswith("CSRF Failed")


# --- one language ----------------------------------------------------------------------------------------

KANA = re.compile("[ぁ-んァ-ヶ]")
RAISED: list[Callable[[], Exception]] = [
    exceptions.AuthenticationFailed,
    exceptions.NotAuthenticated,
    partial(exceptions.NotAuthenticated, "sign in to upload"),
    exceptions.PermissionDenied,
    partial(exceptions.PermissionDenied, "許可されていません"),
    exceptions.NotFound,
    partial(exceptions.MethodNotAllowed, "PUT"),
    exceptions.NotAcceptable,
    partial(exceptions.UnsupportedMediaType, "a/b"),
    partial(exceptions.Throttled, 3),
    exceptions.ParseError,
    exceptions.APIException,
    partial(Http404, "棋譜がありません"),
    partial(PermissionDenied, "許可されていません"),
    BadRequest,
    SuspiciousOperation,
    RequestDataTooBig,
    UnreadablePostError,
    *(partial(ApiError, code, detail, status) for status, (code, detail) in OF_STATUS.items()),
    *(partial(KifuError, code, params={"text": "x"}) for code in TEXTS),
]


@each("raised", RAISED, ids=str)
def test_the_detail_of_every_code_is_english_whatever_is_asked_for(raised):
    details = set()
    for language in ("ja", "en"):
        with translation.override(language):
            result = describe(raised())
        assert result is not None
        details.add(result.detail)
    (detail,) = details
    assert detail and not KANA.search(detail)


def test_the_api_has_no_japanese_words_of_its_own():
    files = sorted((Path(settings.BASE_DIR) / "archive" / "api").rglob("*.py"))
    assert len(files) > 10
    assert [file.name for file in files if KANA.search(file.read_text())] == []


BAD_REQUESTS = [
    "games?plaer=x",
    "games?result=x",
    "games?from=x",
    "games?min_plies=x",
    "games?min_plies=-1",
    "games?player=",
    "games?player=" + "x" * 300,
    "games?limit=x",
    "games?cursor=x",
    "games/1/record.pdf",
    "positions/shogi/zzz",
    "positions/go/x",
    "positions/shogi?sfen=x",
    "positions/shogi",
    "uploads/7/entries",
]


@pytest.mark.django_db
@pytest.mark.parametrize("address", BAD_REQUESTS)
def test_details_of_answers_are_english_whatever_is_asked_for(client, address):
    stored(KIF)
    response = [
        client.get(f"/api/v1/{address}", headers={"Accept-Language": language}).json()
        for language in ("ja", "en")
    ]
    assert response[0]["detail"] == response[1]["detail"]
    texts = [
        response[0]["detail"],
        *(error["detail"] for error in response[0]["errors"] if "detail" in error),
    ]
    assert not [text for text in texts if KANA.search(text)]


@pytest.mark.django_db
def test_what_a_reading_found_is_told_in_the_language_that_is_asked_for(client):
    for language, text in (("ja", "コードが途中で"), ("en", "the code ends")):
        answer = client.get("/api/v1/positions/shogi/zzz", headers={"Accept-Language": language})
        assert text in problem(answer, 400, "truncated")["errors"][0]["message"]


# --- pages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "status", "japanese", "english"),
    [
        (f"/games/?{MANY}", 400, "読み取れませんでした", "Bad request"),
        (f"/nowhere/?{MANY}", 404, "ページが見つかりません", "Page not found"),
    ],
)
def test_pages_of_errors_ask_nothing_of_what_is_wrong(client, address, status, japanese, english):
    for language, text in (("ja", japanese), ("en", english)):
        answer = client.get(address, headers={"Accept-Language": language})
        assert answer.status_code == status
        page = answer.content.decode()
        assert text in page and f'<html lang="{language}"' in page
        assert "<form" not in page.replace('<form class="site-search"', "")


@HERE
@pytest.mark.parametrize(
    ("status", "japanese", "english"),
    [
        (403, "許可されていません", "not allowed"),
        (405, "できない操作", "Not possible here"),
        (410, "公開を終了しました", "No longer available"),
        (413, "大きすぎます", "Too large"),
        (429, "多すぎます", "Too many requests"),
        (500, "サーバーで問題", "went wrong"),
    ],
)
def test_every_error_has_a_page_in_both_languages(client, status, japanese, english):
    for language, text in (("ja", japanese), ("en", english)):
        page = client.get(f"/status{status}", headers={"Accept-Language": language}).content.decode()
        assert text in page
        assert '<a class="button"' in page


def test_a_page_that_takes_no_form_says_so_and_what_it_takes(client):
    answer = client.post("/games/", {"a": "b"})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert "<h1>" in answer.content.decode()


def test_a_page_of_an_error_keeps_the_theme(client):
    client.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in client.get("/nowhere/").content.decode()


@HERE
@override_settings(MIDDLEWARE=[*MIDDLEWARE, f"{__name__}.Broken"])
def test_a_fault_of_a_middleware_has_the_page_too():
    answer = Client(raise_request_exception=False).get("/games/")
    assert answer.status_code == 500
    assert "<h1>" in answer.content.decode()


@pytest.mark.django_db
def test_a_session_cookie_that_no_database_takes_is_none(client):
    client.cookies.load('sessionid="\\000\\000\\000\\000\\000\\000\\000\\000\\000"')
    assert client.get("/sign-in/").status_code == 200
    assert client.get("/upload/").status_code == 200


# --- bodies in chunks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["/", "/find/", "/upload/", "/nowhere/", "/sign-in/", "/api/v1/check", "/api/v1/games"]
)
@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
def test_a_body_in_chunks_that_was_not_read_is_refused_everywhere(client, address, method):
    answer = client.generic(method, address, headers={"Transfer-Encoding": "chunked"})
    assert answer.status_code == 411
    if address.startswith("/api/"):
        problem(answer, 411, "length-required")


@pytest.mark.django_db
def test_a_body_that_the_server_has_read_has_a_length(client):
    headers = {"Transfer-Encoding": "chunked"}
    answer = client.post("/api/v1/check", json.dumps({"text": KIF}), content_type=JSON, headers=headers)
    assert answer.status_code == 200


# --- what is asked for above -----------------------------------------------------------------------------


class Broken:
    """A middleware with a fault."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        raise RuntimeError("broken")


def raising(error: Exception) -> Any:
    def view(_request: HttpRequest) -> HttpResponse:
        raise error

    return view


def of_status(_request: HttpRequest, status: int) -> HttpResponse:
    """An error without a body."""
    answer = HttpResponse(status=status, headers={"Retry-After": "7"})
    answer.set_cookie("a", "b")
    return answer


VIEWS = {
    "fault": RuntimeError("secret"),
    "http404": Http404("secret"),
    "denied": PermissionDenied("secret"),
    "suspicious": SuspiciousOperation("secret"),
    "bad": BadRequest("secret"),
    "big": RequestDataTooBig("secret"),
    "unreadable": UnreadablePostError("secret"),
}
urlpatterns = [
    *(path(f"{before}{name}", raising(error)) for before in ("", "api/") for name, error in VIEWS.items()),
    *(path(f"{before}status<int:status>", of_status) for before in ("", "api/")),
    path("", include("archive.project.urls")),
]
handler400 = "archive.http.errors.bad_request"
handler403 = "archive.http.errors.permission_denied"
handler404 = "archive.http.errors.not_found"
handler500 = "archive.http.errors.server_error"


@pytest.mark.one_engine
@pytest.mark.parametrize(
    ("cause", "alias", "status"),
    [
        (psycopg.OperationalError("the connection is closed"), PRIMARY, 503),
        (psycopg.errors.AdminShutdown("terminating connection"), PRIMARY, 503),
        (psycopg.errors.ProtocolViolation("query_wait_timeout"), PRIMARY, 503),
        (psycopg.OperationalError("the connection is closed"), "replica1", None),
        (psycopg.errors.ProtocolViolation("query_wait_timeout"), "replica1", None),
        (psycopg.errors.QueryCanceled("it took too long"), PRIMARY, 503),
        (sqlite3.OperationalError("no such table"), PRIMARY, None),
    ],
)
def test_a_database_that_is_away_is_503_and_other_errors_and_replicas_are_not(cause, alias, status):
    error = OperationalError("it failed")
    error.__cause__ = cause
    with read_from(alias):
        result = describe(error)
    assert (result and result.status) == status
