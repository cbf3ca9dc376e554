"""Limits of requests: what costs is counted for each visitor, told in headers, and refused beyond a quota."""

from __future__ import annotations

import base64
import re
from importlib import import_module

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from django.urls import URLPattern
from rest_framework.test import APIClient

from archive.api import urls as api_urls
from archive.api.positions import FilterQuery, MatchQuery, PositionQuery
from archive.http.limits import counting, rules
from archive.http.limits.counting import StoreAwayError
from archive.http.limits.rules import body_bytes
from archive.http.routes import ROUTES, Route
from archive.models import Upload, User
from archive.web import urls as web_urls
from kifu_core.games import GAMES
from tests.archive import builders
from tests.archive.games import KIF

pytestmark = pytest.mark.django_db

START = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"
LIMIT = re.compile(r'"([a-z-]+)";r=(\d+);t=(\d+)')
POLICY = re.compile(r'"([a-z-]+)";q=(\d+)(?:;qu="content-bytes")?;w=(\d+)')


@pytest.fixture
def client() -> APIClient:
    return APIClient(enforce_csrf_checks=True)


def left(response) -> dict[str, int]:
    """What remains of each quota, from the header."""
    return {name: int(rest) for name, rest, _seconds in LIMIT.findall(response["RateLimit"])}


def spent(client, address: str, **options) -> dict[str, int]:
    """What a GET costs, from the headers."""
    response = client.get(address, **options)
    quotas = {name: int(quota) for name, quota, _window in POLICY.findall(response["RateLimit-Policy"])}
    return {name: quotas[name] - rest for name, rest in left(response).items()}


def check(client, text: str = KIF, **headers):
    return client.post("/api/v1/check", {"text": text}, format="json", headers=headers)


# --- headers and refusals --------------------------------------------------------------------------------


def test_an_answer_tells_the_quota_and_what_is_left(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 100
    response = client.get("/api/v1/games")
    assert response["RateLimit-Policy"] == '"work";q=100;w=60'
    assert re.fullmatch(r'"work";r=98;t=\d+', response["RateLimit"])
    assert left(client.get("/api/v1/games")) == {"work": 96}


def test_several_quotas_are_told_together(client, throttled):
    response = check(client)
    size = int(response.wsgi_request.META["CONTENT_LENGTH"])
    assert response["RateLimit-Policy"] == '"work";q=1200;w=60, "reading";q=8388608;qu="content-bytes";w=60'
    assert left(response) == {"work": 1195, "reading": 8388608 - size}


def test_beyond_the_quota_the_api_answers_429_with_a_problem_and_when_to_come_back(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 4
    assert [client.get("/api/v1/games").status_code for _ in range(3)] == [200, 200, 429]
    response = client.get("/api/v1/games")
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "throttled"
    assert 0 < int(response["Retry-After"]) <= 60
    assert left(response) == {"work": 0}


@pytest.mark.parametrize(("language", "words"), [("ja", "秒後に"), ("en", "Try again in")])
def test_pages_say_it_in_words(client, throttled, language, words):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    client.get("/games/")
    response = client.get("/games/", headers={"Accept-Language": language})
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert words in response.content.decode()
    assert "Content-Security-Policy" in response


def test_pages_and_api_share_a_quota(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 4
    client.get("/games/")
    client.get("/api/v1/games")
    assert client.get("/").status_code == client.get("/api/v1/games").status_code == 429


def test_a_large_request_passes_where_anything_is_left_and_none_after_it(client, throttled):
    throttled.ARCHIVE_CONVERT_BYTES_PER_MINUTE = 50
    assert [check(client).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/nothing", "/admin/"])
def test_what_costs_nothing_is_not_counted(client, throttled, path):
    assert "RateLimit" not in client.get(path)


def test_a_preflight_is_not_counted(client, throttled):
    assert "RateLimit" not in client.options("/api/v1/check")


def test_a_quota_of_zero_is_none_and_the_whole_can_be_switched_off(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 0
    assert "RateLimit" not in client.get("/api/v1/games")
    throttled.ARCHIVE_THROTTLE_WORK = 1
    throttled.ARCHIVE_THROTTLE = False
    assert {client.get("/api/v1/games").status_code for _ in range(5)} == {200}


def test_a_store_that_is_away_is_no_error_and_no_open_door(client, throttled, monkeypatch):
    throttled.ARCHIVE_THROTTLE_WORK = 4

    def fail(*_: object) -> None:
        raise StoreAwayError("gone")

    monkeypatch.setattr(counting.counter().store, "add", fail)
    assert [client.get("/api/v1/games").status_code for _ in range(3)] == [200, 200, 429]


# --- who is counted --------------------------------------------------------------------------------------


def statuses(client, times: int, **options) -> list[int]:
    return [client.get("/api/v1/games", **options).status_code for _ in range(times)]


def test_addresses_are_counted_apart(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    assert statuses(client, 2, REMOTE_ADDR="198.51.100.1") == [200, 429]
    assert statuses(client, 2, REMOTE_ADDR="198.51.100.2") == [200, 429]


def test_another_address_of_the_same_network_of_64_bits_is_the_same_visitor(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    assert statuses(client, 1, REMOTE_ADDR="2001:db8::1") == [200]
    assert statuses(client, 1, REMOTE_ADDR="2001:db8::ffff:1") == [429]
    assert statuses(client, 1, REMOTE_ADDR="2001:db8:0:1::1") == [200]


def test_a_header_of_the_visitors_resets_nothing(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    forged = [{"X-Forwarded-For": f"198.51.100.{n}", "Forwarded": f"for=198.51.100.{n}"} for n in range(4)]
    answers = [client.get("/api/v1/games", headers=headers).status_code for headers in forged]
    assert answers == [200, 429, 429, 429]


def test_a_user_has_more_than_a_stranger_and_the_staff_more_than_a_user(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    throttled.ARCHIVE_THROTTLE_USERS = 2
    throttled.ARCHIVE_THROTTLE_STAFF = 3
    for name, staff, expected in (("taro", False, [200] * 2 + [429]), ("hanako", True, [200] * 3 + [429])):
        client.force_login(User.objects.create_user(name, is_staff=staff))
        assert statuses(client, len(expected)) == expected
        client.logout()


def test_a_user_is_counted_wherever_the_request_comes_from(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    throttled.ARCHIVE_THROTTLE_USERS = 1
    client.force_login(User.objects.create_user("taro"))
    assert statuses(client, 1, REMOTE_ADDR="198.51.100.1") == [200]
    assert statuses(client, 1, REMOTE_ADDR="198.51.100.2") == [429]


def test_a_program_that_signs_in_with_basic_is_its_user(client, throttled):
    throttled.ARCHIVE_BASIC_AUTH = True
    throttled.ARCHIVE_THROTTLE_WORK = 2
    throttled.ARCHIVE_THROTTLE_USERS = 10
    User.objects.create_user("taro", password="opensesame")
    token = base64.b64encode(b"taro:opensesame").decode()
    assert statuses(client, 3, headers={"Authorization": f"Basic {token}"}) == [200] * 3


def test_who_sits_at_the_machine_has_more(client, throttled):
    throttled.ARCHIVE_THROTTLE_WORK = 2
    throttled.ARCHIVE_THROTTLE_LOOPBACK = 100
    assert statuses(client, 20) == [200] * 20
    assert statuses(client, 2, REMOTE_ADDR="198.51.100.1") == [200, 429]


# --- what costs ------------------------------------------------------------------------------------------


FREE = {"pieces", "theme", "set_language", "quoridor-board", "engine-file"}
"""Pages that cost nothing: they change a cookie, or are the same for everybody."""


def cost(pattern: URLPattern) -> object:
    return ROUTES.get(pattern.callback, Route()).cost


def test_every_address_costs_something_but_for_few_pages():
    assert {pattern.name for pattern in api_urls.urlpatterns if not cost(pattern)} == set()
    pages = [web_urls, *(import_module(f"archive.web.{name}.urls") for name in GAMES)]
    patterns = (one for module in pages for one in module.urlpatterns if isinstance(one, URLPattern))
    assert {one.name for one in patterns if not cost(one)} == FREE


@pytest.mark.parametrize(
    ("address", "units"),
    [
        (f"/api/v1/positions/shogi/{START}", 2),
        (f"/api/v1/positions/shogi/{START}?player=x", 10),
        (f"/api/v1/positions/shogi/{START}?transpositions=1", 10),
        (f"/api/v1/positions/shogi/{START}/games?from=2020", 10),
        (f"/api/v1/positions/shogi/{START}/tree", 20),
        (f"/positions/shogi/{START}/", 2),
        (f"/positions/shogi/{START}/?player=x", 10),
        (f"/positions/shogi/{START}/?part=moves", 1),
        ("/games/", 2),
        ("/games/?q=x", 5),
        ("/", 1),
    ],
)
def test_an_expensive_address_costs_more_than_a_cheap_one(client, throttled, address, units):
    assert spent(client, address) == {"work": units}


def upload(name: str = "a.kif") -> Upload:
    builders.ingest(builders.ready("7g7f 3c3d", black="甲", white="乙"))
    return Upload.objects.create(name=name, size=0, sha256="0" * 64)


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("source", "*/*"),
        ("entries/0/source", "*/*"),
        ("entries?format=csv", "*/*"),
        ("entries?format=ndjson", "*/*"),
        ("entries", "TEXT/CSV"),
        ("entries", "text/*"),
        ("entries", "application/*, application/json;q=0"),
        ("entries", "*/*, application/json;q=0"),
    ],
)
def test_sources_and_lists_to_keep_have_a_quota_of_their_own(client, throttled, path, accepted):
    address = f"/api/v1/uploads/{upload().pk}/{path}"
    throttled.ARCHIVE_THROTTLE_SOURCES = 2
    answers = [client.get(address, headers={"Accept": accepted}) for _ in range(3)]
    assert [left(answer)["sources"] for answer in answers] == [1, 0, 0]
    assert answers[1].status_code != 429
    assert answers[2].status_code == 429


def test_uploads_are_counted_by_files_and_bytes(client, throttled):
    throttled.ARCHIVE_ANONYMOUS_UPLOAD = True
    throttled.ARCHIVE_THROTTLE_UPLOADS = 3
    files = [SimpleUploadedFile(f"{n}.kif", f"{KIF}*{n}\n".encode()) for n in range(2)]
    response = client.post("/api/v1/uploads", {"file": files}, format="multipart")
    assert response.status_code == 202
    assert left(response)["uploads"] == 1
    assert left(response)["upload-bytes"] < 256 * 1024 * 1024 - 2 * len(KIF)
    assert client.post("/api/v1/uploads", {"text": KIF}, format="json").status_code == 202
    refused = client.post("/api/v1/uploads", {"text": f"{KIF}*\n"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert Upload.objects.count() == 3


def test_bytes_of_uploads_are_counted_before_they_are_read(client, throttled):
    throttled.ARCHIVE_ANONYMOUS_UPLOAD = True
    throttled.ARCHIVE_THROTTLE_UPLOAD_BYTES = 10
    answers = [client.post("/api/v1/uploads", {"text": KIF}, format="json") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 429]
    assert "uploads" not in left(answers[1])


def test_the_upload_page_counts_the_same(throttled, client):
    throttled.ARCHIVE_ANONYMOUS_UPLOAD = True
    throttled.ARCHIVE_THROTTLE_UPLOADS = 1
    page = APIClient()
    answers = [page.post("/upload/", {"text": f"{KIF}*{n}\n"}) for n in range(2)]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert client.post("/api/v1/uploads", {"text": KIF}, format="json").status_code == 429


@pytest.mark.parametrize("address", ["/find/", "/positions/shogi/edit/"])
def test_pages_that_read_a_record_count_its_bytes_with_the_api(client, throttled, address):
    throttled.ARCHIVE_CONVERT_BYTES_PER_MINUTE = 10
    page = APIClient()
    assert [page.post(address, {"text": KIF}).status_code for _ in range(2)] == [302, 429]
    assert check(client).status_code == 429
    found = client.post("/api/v1/positions/shogi/find", {"text": KIF}, format="json")
    assert found.status_code == 429


@pytest.mark.parametrize(
    ("told", "counted"),
    [("", 1), ("x", 1), ("-5", 1), ("0", 1), ("12", 12), ("9" * 400, 1), ("１２", 1), ("²", 1), (None, 1)],
)
def test_a_length_that_is_none_counts_as_a_byte(told, counted):
    request = RequestFactory().get("/", CONTENT_LENGTH=told)
    assert body_bytes(request) == counted


def test_every_filter_of_a_position_costs_what_looking_through_its_games_does():
    filters = PositionQuery().fields.keys() - MatchQuery().fields.keys()
    assert FilterQuery().fields.keys() - MatchQuery().fields.keys() <= filters
    for name in filters:
        asked = RequestFactory().get("/", {name: "1"})
        assert rules.explorer(asked) == [(rules.WORK, 10)], name
