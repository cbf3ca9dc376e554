"""What an answer is: HEAD, OPTIONS, the type that a client asks for, what pages of other sites may read."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from archive.accounts import tokens
from archive.models import LABELS, Game, Upload, User
from tests.archive.games import KIF, stored
from tests.archive.routes import Route, routes
from tests.cases import each

pytestmark = pytest.mark.django_db

START = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
OTHER = {"Origin": "https://other.example"}


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture(scope="module", autouse=True)
def one_game(module_db: None) -> None:
    """A game in an upload, which no test changes."""
    stored(KIF.replace("開始日時", "場所：試しの会館\n開始日時"))


def address_of(route: Route) -> str:
    game = Game.objects.get()
    known: dict[str, Any] = {
        "pk": Upload.objects.get().pk if "uploads" in route.template else game.pk,
        "game_id": game.pk,
        "player_id": game.player0_id,
        "name_id": next(
            (getattr(game, f"{kind}_id") for kind in LABELS if f"/{kind}s/" in route.template),
            game.player0_id,
        ),
        "event_id": game.event_id,
        "place_id": game.place_id,
        "upload_id": Upload.objects.get().pk,
        "seq": 0,
        "kind": "shogi",
        "code": START,
        "name": "kif",
        "space": 1,
        "member": 1,
        "key": "x",
        "uidb36": "1",
        "token_id": 1,
        "hook_id": 1,
        "draft_id": 1,
        "names": "players",
        "what": "entity",
        "row": 1,
        "follow_id": 1,
        "own_name_id": 1,
        "note_id": 1,
        "repertoire_id": 1,
        "move_id": 1,
        "card_id": 1,
        "problem_id": 1,
        "collection": 1,
        "correction_id": 1,
        "batch_id": 1,
        "bench": "twins",
        "language": "ja",
        "analysis_id": 1,
        "claim": "0" * 32,
        "number": 0,
        "formation": "anaguma",
        "path": "engine.js",
        "invitation_id": 1,
        "passkey_id": 1,
        "dump": "2026-01-01T00-00-00Z",
        "file": "manifest.json",
    }
    return route.address(**{name: str(known[name]) for name in route.parts})


@pytest.mark.parametrize("route", routes(), ids=lambda route: route.template)
def test_head_works_wherever_get_does(client, route):
    address = address_of(route)
    read, head = client.get(address), client.head(address)
    assert head.status_code == read.status_code
    assert b"".join(head.streaming_content if head.streaming else [head.content]) == b""
    if read.status_code == 200:
        assert head["Content-Type"] == read["Content-Type"]
        if not read.streaming and route.template != "/metrics":  # which counts itself: no two are the same
            assert int(head["Content-Length"]) == len(read.content)


def test_head_makes_nothing_of_a_list_that_is_made_while_it_is_sent(client, django_assert_max_num_queries):
    upload = Upload.objects.get()
    with django_assert_max_num_queries(1):
        head = client.head(f"/api/v1/uploads/{upload.pk}/entries?format=csv")
        assert b"".join(head.streaming_content) == b""


@each("route", routes(), ids=lambda route: route.template)
def test_options_never_fails(client, route):
    answer = client.options(address_of(route))
    assert answer.status_code in (200, 302, 404, 405)
    if route.template.startswith("/api/"):
        assert answer.status_code == 200
        assert set(answer.json()) == {"methods", "parameters"}


# --- types -----------------------------------------------------------------------------------------------


@each(
    ("address", "accept", "content_type"),
    [
        ("uploads/{upload}/entries", "text/csv", "text/csv; charset=utf-8"),
        ("uploads/{upload}/entries", "application/x-ndjson", "application/x-ndjson"),
        ("uploads/{upload}/entries", "application/json", "application/json"),
        ("uploads/{upload}/entries", "application/json;q=0.5, text/csv", "text/csv; charset=utf-8"),
        ("uploads/{upload}/entries", "text/csv;q=0.5, application/json", "application/json"),
        ("uploads/{upload}/entries", "application/json;q=0, */*", "text/csv; charset=utf-8"),
        ("uploads/{upload}/entries", "text/*", "text/csv; charset=utf-8"),
        ("uploads/{upload}/entries?format=json", "text/csv", "application/json"),
        ("uploads/{upload}/entries/0/report", "text/plain", "text/plain; charset=utf-8"),
        ("uploads/{upload}/entries/0/source", "application/octet-stream", "application/octet-stream"),
        ("uploads/{upload}/source", "application/octet-stream", "application/octet-stream"),
        ("games/{game}/record.kif", "text/plain", "text/plain; charset=shift_jis"),
        ("games/{game}/record.kifu", "text/plain", "text/plain; charset=utf-8"),
        ("games/{game}/record.jkf", "application/json", "application/json"),
        ("positions/shogi/{code}.svg", "image/svg+xml", "image/svg+xml"),
        ("positions/shogi/{code}.svg", "image/*", "image/svg+xml"),
        ("games", "application/problem+json", "application/json"),
        ("games", "application/problem+json, application/json", "application/json"),
        ("games", "", "application/json"),
        ("games", "application/json; charset=utf-8", "application/json"),
        ("games", "image/png, */*;q=0.1", "application/json"),
    ],
)
def test_who_asks_for_a_type_that_there_is_gets_it(client, address, accept, content_type):
    upload = Upload.objects.get()
    filled = address.format(upload=upload.pk, game=Game.objects.get().pk, code=START)
    answer = client.get(f"/api/v1/{filled}", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)


@each("accept", ["*/*", BROWSER])
@each("route", routes(), ids=lambda route: route.template)
def test_who_takes_anything_gets_the_usual_type(client, route, accept):
    usual = client.get(address_of(route))
    answer = client.get(address_of(route), headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (usual.status_code, usual["Content-Type"])


@pytest.mark.parametrize(
    ("address", "accept"),
    [
        ("games", "image/png"),
        ("games", "text/csv"),
        ("games", "application/json;q=0"),
        ("uploads/{upload}/entries", "image/svg+xml"),
        ("positions/shogi/{code}.svg", "application/json"),
        ("games/{game}/record.kif", "application/json"),
        ("uploads/{upload}/source", "text/html"),
    ],
)
def test_who_asks_for_a_type_that_there_is_not_is_told_so(client, address, accept):
    upload = Upload.objects.get()
    filled = address.format(upload=upload.pk, game=Game.objects.get().pk, code=START)
    answer = client.get(f"/api/v1/{filled}", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (406, "application/problem+json")
    assert answer.json()["code"] == "not-acceptable"
    assert "Accept" in [name.strip() for name in answer["Vary"].split(",")]


def test_an_answer_that_depends_on_what_is_asked_for_says_so(client):
    upload = Upload.objects.get()
    for accept in ("application/json", "text/csv"):
        answer = client.get(f"/api/v1/uploads/{upload.pk}/entries", headers={"Accept": accept})
        assert "Accept" in [name.strip() for name in answer["Vary"].split(",")]


# --- other sites -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "methods"),
    [
        ("games", "GET, HEAD"),
        ("games/1/record.kif", "GET, HEAD"),
        ("players", "GET, HEAD"),
        ("events/1", "GET, HEAD"),
        ("statistics", "GET, HEAD"),
        ("openings", "GET, HEAD"),
        ("formations/anaguma", "GET, HEAD"),
        (f"positions/shogi/{START}", "GET, HEAD"),
        ("patterns", "GET, HEAD"),
        ("check", "POST"),
        ("convert", "POST"),
        ("positions/shogi/find", "POST"),
        ("positions/quoridor/batch", "POST"),
    ],
)
def test_browsers_are_told_beforehand_what_other_sites_may_do(client, address, methods):
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    answer = client.options(f"/api/v1/{address}", headers=OTHER | asking)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Access-Control-Allow-Methods"] == methods
    assert "Content-Type" in answer["Access-Control-Allow-Headers"]
    assert int(answer["Access-Control-Max-Age"]) > 0
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize(
    "address", ["/api/v1/uploads", "/api/v1/uploads/1", "/upload/", "/api/v1/checks", "/admin/"]
)
def test_nothing_that_stores_is_open_to_other_sites(client, address):
    asking = {"Access-Control-Request-Method": "POST"}
    answer = client.options(address, headers=OTHER | asking)
    assert not [name for name in answer.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("address", ["uploads", "uploads/1", "spaces", "hooks", "account", "games"])
@pytest.mark.parametrize("behind_login", [False, True])
def test_a_token_opens_all_addresses_to_other_sites(client, settings, address, behind_login):
    settings.ARCHIVE_LOGIN_REQUIRED = behind_login
    preflight = {"Access-Control-Request-Headers": "content-type, Authorization"}
    allowed = client.options(
        f"/api/v1/{address}", headers=OTHER | preflight | {"Access-Control-Request-Method": "POST"}
    )
    assert allowed["Access-Control-Allow-Methods"] == "GET, HEAD, POST, PUT, DELETE"
    assert "Authorization" in allowed["Access-Control-Allow-Headers"]
    key = tokens.create(User.objects.create_user("hanako"), "x", ["read-private", "hooks"], None)[1]
    for bearer, answered in ((key, {200, 404}), ("wrong", {401})):
        answer = client.get(f"/api/v1/{address}", headers=OTHER | {"Authorization": f"Bearer {bearer}"})
        assert answer.status_code in answered
        for one in (allowed, answer):
            assert one["Access-Control-Allow-Origin"] == "*"
            assert "Access-Control-Allow-Credentials" not in one


def test_a_page_of_another_site_uploads_with_a_token_and_not_without(client):
    user = User.objects.create_user("hanako")
    key = tokens.create(user, "x", ["upload"], None)[1]
    body = {"text": "手合割：平手\n"}
    assert client.post("/api/v1/uploads", body, headers=OTHER).status_code == 401
    client.force_login(user)
    headers = OTHER | {"Authorization": "Bearer wrong"}
    assert client.post("/api/v1/uploads", body, headers=headers).status_code == 401
    headers = OTHER | {"Authorization": f"Bearer {key}"}
    assert client.post("/api/v1/uploads", body, headers=headers).status_code == 202


@pytest.mark.parametrize("authorization", ["", "Basic aGFuYWtvOng=", "Bearer"])
def test_nothing_but_a_token_opens_other_addresses(client, authorization):
    answer = client.get("/api/v1/spaces", headers=OTHER | {"Authorization": authorization})
    assert "Access-Control-Allow-Origin" not in answer


@pytest.mark.parametrize(
    ("method", "address", "body", "status"),
    [
        ("GET", "games?plaer=x", "", 400),
        ("GET", "games/999", "", 404),
        ("DELETE", "games", "", 405),
        ("POST", "check", "{", 400),
        ("POST", "positions/shogi/find", '{"text": "x"}', 400),
        ("GET", "check", "", 405),
    ],
)
def test_scripts_of_other_sites_can_read_what_was_wrong(client, method, address, body, status):
    answer = client.generic(
        method, f"/api/v1/{address}", body, content_type="application/json", headers=OTHER
    )
    assert answer.status_code == status
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-ID" in answer["Access-Control-Expose-Headers"]
    assert "Retry-After" in answer["Access-Control-Expose-Headers"]


def test_behind_a_login_nothing_is_open_to_other_sites(client, settings):
    settings.ARCHIVE_LOGIN_REQUIRED = True
    asking = {"Access-Control-Request-Method": "POST"}
    for answer in (client.options("/api/v1/check", headers=OTHER | asking), client.get("/api/v1/games")):
        assert not [name for name in answer.headers if name.startswith("Access-Control")]


# --- what is not told ------------------------------------------------------------------------------------


def test_only_the_staff_is_told_of_the_interpreter():
    upload = Upload.objects.get()
    address = f"/api/v1/uploads/{upload.pk}/entries/0/report"
    visitor, staff = APIClient(), APIClient()
    staff.force_authenticate(User.objects.create_user("hana", is_staff=True))
    assert "Python" not in visitor.get(address).content.decode()
    assert "Python 3" in staff.get(address).content.decode()
