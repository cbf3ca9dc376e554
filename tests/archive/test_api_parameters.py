"""Parameters of the API: what is unknown, repeated or badly typed is named, and is never an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from archive.models import Game, Upload
from tests.archive.games import KIF, stored
from tests.archive.routes import Route, routes

pytestmark = pytest.mark.django_db

START = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"
API = [route for route in routes() if route.template.startswith("/api/")]
POSTED = ("uploads", "convert", "check", "positions/shogi/batch", "positions/shogi/find", "find",
          "players/authority", "positions/shogi/verdicts")  # fmt: skip


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture(scope="module", autouse=True)
def one_game(module_db: None) -> None:
    """A game in an upload, which no test changes."""
    stored(KIF.replace("開始日時", "場所：試しの会館\n開始日時"))


def address_of(route: Route) -> str:
    """The address of something that is there."""
    game = Game.objects.get()
    known = {"pk": Upload.objects.get().pk if "uploads" in route.template else game.pk}
    known |= {
        "player_id": game.player0_id or 0,
        "event_id": game.event_id or 0,
        "place_id": game.place_id or 0,
    }
    values = known | {
        "seq": 0,
        "kind": "shogi",
        "code": START,
        "name": "kif",
        "hook_id": 1,
        "draft_id": 1,
        "names": "players",
        "what": "entity",
        "row": 1,
        "correction_id": 1,
        "number": 0,
        "follow_id": 1,
        "own_name_id": 1,
        "note_id": 1,
        "repertoire_id": 1,
        "move_id": 1,
        "card_id": 1,
        "problem_id": 1,
        "batch_id": 1,
        "bench": "twins",
        "analysis_id": 1,
        "claim": "0" * 32,
        "collection": 1,
        "game_id": game.pk,
        "space": 1,
        "member": 1,
        "formation": "anaguma",
    }
    return route.address(**{name: str(values[name]) for name in route.parts})


def request_of(client: APIClient, route: Route, query: str) -> Any:
    address = f"{address_of(route)}?{query}"
    return client.post(address, {}, format="json") if address_is_posted(route) else client.get(address)


DEEDS = (
    *POSTED, "test", "save", "enable", "move", "join", "invitations", "{space}", "{member}", "parts",
    "search", "{game_id}", "seen", "take-down", "restore", "preview",
    "analyse", "acquire", "{claim}", "abort", "soundness", "attempts", "cards", "review",
)  # fmt: skip


READ = ("{pk}/verdicts", "{code}/verdicts")
"""Addresses that end like one of these, and are read."""


def address_is_posted(route: Route) -> bool:
    posted = any(route.template.endswith(f"/{name.rpartition('/')[2]}") for name in DEEDS)
    return posted and not route.template.endswith(READ)


def wrong_fields(answer: Any) -> list[str]:
    """The fields that an answer says are wrong."""
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), answer.content
    return [error["field"] for error in answer.json()["errors"]]


@pytest.mark.parametrize("route", API, ids=lambda route: route.template)
def test_every_address_names_a_parameter_that_it_does_not_know(client, route):
    missing = {"sfen"} if route.template.endswith(("/shogi", "/oddities", "/known")) else set()
    missing |= {"pattern"} if route.template.endswith("/patterns") else set()
    assert {*wrong_fields(request_of(client, route, "plaer=x"))} - missing == {"plaer"}
    assert {*wrong_fields(request_of(client, route, "b=1&a=2&a=3"))} - missing == {"a", "b"}


@pytest.mark.parametrize(
    ("address", "hint"),
    [("games?plaer=x", "player"), ("players?q=x", "name"), ("games?qwxyz=1", "")],
)
def test_an_unknown_parameter_is_answered_with_similar_ones_or_with_all_of_few(client, address, hint):
    text = client.get(f"/api/v1/{address}").content.decode()
    assert (hint in text.partition("; there are: ")[2]) if hint else "there are" not in text


@pytest.mark.parametrize("route", API, ids=lambda route: route.template)
def test_every_address_names_a_parameter_that_is_repeated(client, route):
    data = client.options(address_of(route)).json()
    for name in data["parameters"]:
        assert name in wrong_fields(request_of(client, route, f"{name}=1&{name}=1"))


def test_every_list_of_parameters_is_known():
    client = APIClient()
    parameters = client.options("/api/v1/games").json()["parameters"]
    assert "from" in parameters and "limit" in parameters


@pytest.mark.parametrize(
    ("address", "query", "field"),
    [
        ("games", "min_plies=²", "min_plies"),
        ("games", "min_plies=1_0", "min_plies"),
        ("games", "min_plies=１０", "min_plies"),
        ("games", "min_plies=+1", "min_plies"),
        ("games", "max_plies=10.0", "max_plies"),
        ("games", "max_plies=" + "9" * 5000, "max_plies"),
        ("games", "from=２０２４-０１-０１", "from"),
        ("games", "from=20240101", "from"),
        ("games", "from=2024-W01-1", "from"),
        ("games", "to=2024-02-30", "to"),
        ("games", "order=up", "order"),
        ("games", "game=chess", "game"),
        ("games", "record_kind=shogi", "record_kind"),
        ("games", "kind=shogi", "kind"),
        ("games", "player=", "player"),
        (f"positions/shogi/{START}", "match=%F0%9F%98%80", "match"),
        (f"positions/shogi/{START}", "transpositions=maybe", "transpositions"),
        (f"positions/shogi/{START}", "order=oldest", "order"),
        (f"positions/shogi/{START}", "upload=99999999999999999999", "upload"),
        (f"positions/shogi/{START}/tree", "player=x", "player"),
        (f"positions/shogi/{START}/tree", "depth=0", "depth"),
        (f"positions/shogi/{START}/games", "transpositions=1", "transpositions"),
        (f"positions/shogi/{START}.svg", "flip=yes", "flip"),
        ("positions/shogi", "", "sfen"),
    ],
)
def test_a_parameter_of_another_type_is_named(client, address, query, field):
    assert wrong_fields(client.get(f"/api/v1/{address}?{query}")) == [field]


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("cursor=--5", "invalid-cursor", "cursor"),
        ("cursor=%C2%B2", "invalid-cursor", "cursor"),
        ("cursor=-1", "invalid-cursor", "cursor"),
        ("cursor=" + "1" * 30, "invalid-cursor", "cursor"),
        ("limit=" + "9" * 4301, "invalid-limit", "limit"),
        ("limit=%D9%A1", "invalid-limit", "limit"),
        ("limit=0", "invalid-limit", "limit"),
        ("format=xlsx", "unknown-format", "format"),
    ],
)
def test_pages_of_entries_name_what_is_wrong(client, query, code, field):
    upload = Upload.objects.get()
    answer = client.get(f"/api/v1/uploads/{upload.pk}/entries?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert len(answer.content) < 1000


@pytest.mark.parametrize("query", ["format=csv&limit=5", "format=ndjson&cursor=5"])
def test_a_list_to_keep_has_no_pages(client, query):
    upload = Upload.objects.get()
    assert len(wrong_fields(client.get(f"/api/v1/uploads/{upload.pk}/entries?{query}"))) == 1


# --- bodies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", POSTED)
@pytest.mark.parametrize("kind", ["json", "multipart"])
def test_every_body_names_a_field_that_it_does_not_know(client, settings, address, kind):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    answer = client.post(f"/api/v1/{address}", {"txet": "x", "text": "x"}, format=kind)
    assert "txet" in wrong_fields(answer)


@pytest.mark.parametrize("address", ["uploads", "convert", "check"])
def test_a_form_names_a_field_that_is_repeated(client, settings, address):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    assert wrong_fields(client.post(f"/api/v1/{address}", {"text": ["a", "b"]}, format="multipart")) == [
        "text"
    ]


def test_a_file_under_another_name_is_named(client, settings):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    other = KIF.replace("先手の人", "別の人").encode()
    answer = client.post("/api/v1/uploads", {"files": SimpleUploadedFile("a.kif", other)})
    assert wrong_fields(answer) == ["files"]
    assert Upload.objects.count() == 1


def test_a_form_of_a_page_may_bring_its_token(client):
    assert client.post("/api/v1/check", {"text": KIF, "csrfmiddlewaretoken": "x"}).status_code == 200


@pytest.mark.parametrize(
    ("address", "sent", "field"),
    [
        ("positions/shogi/find", {"text": 5}, "text"),
        ("positions/shogi/find", {"game_id": True}, "game_id"),
        ("positions/shogi/find", {"game_id": 1.5}, "game_id"),
        ("positions/shogi/find", {"game_id": 10**25}, "game_id"),
        ("positions/shogi/find", {"game_id": [1]}, "game_id"),
        ("positions/shogi/find", {"text": "x", "ply": 1.0}, "ply"),
        ("positions/shogi/find", {"position": []}, "position"),
        ("positions/shogi/batch", {"codes": [5]}, "codes"),
        ("positions/shogi/batch", {"codes": ["x"] * 101}, "codes"),
        ("positions/shogi/batch", {"codes": ["x"], "match": ["any"]}, "match"),
        ("positions/shogi/verdicts", {"positions": ["x"] * 101}, "positions"),
        ("positions/shogi/verdicts", {"positions": ["x"], "engine": "x"}, "engine"),
        ("check", {"text": KIF, "name": 5}, "name"),
        ("convert", {"text": KIF, "to": ["kif"]}, "to"),
    ],
)
def test_a_field_of_another_type_is_named(client, address, sent, field):
    assert wrong_fields(client.post(f"/api/v1/{address}", sent, format="json")) == [field]


@pytest.mark.parametrize("address", POSTED)
@pytest.mark.parametrize("body", ["null", "5", "[]", '"x"'])
def test_a_body_is_an_object(client, settings, address, body):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    answer = client.post(f"/api/v1/{address}", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        '{"text": "\\ud800"}',
        '{"match": "\\udfff\\ud800"}',
        '{"game_id": NaN}',
        '{"game_id": Infinity}',
        '{"game_id": 1e400}',
        '{"text":' + "[" * 5000 + "]" * 5000 + "}",
        '{"text":' + "[" * 400 + "]" * 400 + "}",
        '{"a":' * 5000 + "1" + "}" * 5000,
        '{"game_id": ' + "9" * 5000 + "}",
        '{"text": "7g7f", "text": "2g2f"}',
        '{"position": {"turn": true, "turn": false}}',
        '{"text":' + "[" * 1000 + "]" * 1000 + ', "text": ""}',
    ],
)
@pytest.mark.parametrize("address", POSTED)
def test_what_is_no_json_or_nests_too_deep_is_refused(client, settings, address, body):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    answer = client.post(f"/api/v1/{address}", body, content_type="application/json")
    if body == "":
        assert answer.status_code == 400
    else:
        assert (answer.status_code, answer.json()["code"]) == (400, "parse-error")


def test_halves_of_pairs_within_a_record_do_not_keep_its_answer(client):
    record = '{"header":{"a":"\\ud800b"},"moves":[{"comments":["\\udfff \\ud83d\\ude00"]}]}'
    for address in ("check", "convert"):
        sent = {"text": record} | ({"to": "jkf"} if address == "convert" else {})
        answer = client.post(f"/api/v1/{address}", json.dumps(sent), content_type="application/json")
        assert answer.status_code == 200
        json.loads(answer.content.decode("utf-8"))
    data = answer.json()["games"][0]["record"]
    assert data["header"]["a"] == "\ufffdb"
    assert data["moves"][0]["comments"] == ["\ufffd \U0001f600"]


# --- pages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "/games/?utm_source=x&fbclid=y",
        "/games/?from=x&min_plies=²&upload=" + "9" * 5000,
        "/games/?player=x&player=y",
        "/players/?name=%FF&after=%F0%9F%98%80",
        "/upload/?sent=1-99999999999,²,-5",
        f"/positions/shogi/{START}/?match=x&min_rating=x&order=x&flip=x",
        "/positions/shogi/edit/?sfen=%F0%9F%98%80",
        "/statistics/?game=x",
        "/embed/games/1/?ply=" + "9" * 5000,
    ],
)
def test_pages_ignore_what_they_do_not_know_and_never_fail(client, address):
    assert client.get(address).status_code in (200, 400, 404)
