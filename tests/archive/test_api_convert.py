"""Converting and checking: nothing is stored, everything is bounded."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

import kifu_core
from archive.models import Upload
from kifu_core.shogi.formats import FORMATS
from tests.archive.games import BROKEN, CSA, KIF, UNREADABLE

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> APIClient:
    return APIClient(enforce_csrf_checks=True)


def post(client: APIClient, what: str, **fields):
    return client.post(f"/api/v1/{what}", fields, format="json")


@pytest.mark.parametrize("to", FORMATS)
def test_a_record_comes_back_in_every_format_and_is_not_stored(client, to):
    answer = post(client, "convert", text=KIF, to=to).json()
    assert (answer["format"], answer["to"]) == ("kif", to)
    (game,) = answer["games"]
    if to == "jkf":
        assert game["record"] == kifu_core.load(KIF).games[0].record
    elif to not in ("sfen", "bod"):
        (again,) = kifu_core.load(game["record"]).games
        assert len([entry for entry in again.record["moves"] if "move" in entry]) == 7
    assert not Upload.objects.exists()


def test_what_a_format_has_no_place_for_is_named(client):
    (game,) = post(client, "convert", text=KIF, to="usi").json()["games"]
    assert "lost-headers" in [loss["code"] for loss in game["losses"]]
    assert all(loss["message"] for loss in game["losses"])


def test_a_file_is_read_in_its_own_encoding(client):
    file = SimpleUploadedFile("a.kif", KIF.encode("cp932"))
    answer = client.post("/api/v1/convert", {"file": file, "to": "csa"}, format="multipart").json()
    assert answer["encoding"] == "cp932"
    assert "N+先手の人" in answer["games"][0]["record"]


def test_a_file_of_several_games_gives_several(client):
    assert len(post(client, "convert", text=f"{CSA}/\n{CSA}", to="kif").json()["games"]) == 2


def test_a_check_tells_what_a_record_holds(client):
    (game,) = post(client, "check", text=KIF).json()["games"]
    assert (game["record_kind"], game["plies"], game["special"], game["winner"]) == ("game", 7, "TORYO", 0)
    assert game["header"]["先手"] == "先手の人"
    assert game["issues"] == []


def test_a_check_names_line_and_reason(client):
    (game,) = post(client, "check", text=BROKEN).json()["games"]
    issue = next(issue for issue in game["issues"] if issue["severity"] == "error")
    assert (issue["code"], issue["line"], issue["ply"]) == ("no-piece", 4, 2)
    assert issue["message"]


def test_a_check_finds_what_the_rules_forbid(client):
    moves = ["７六歩(77)", "３四歩(33)", "１六歩(17)", "８八角成(22)", "１五歩(16)", "５五歩打", "投了"]
    text = "手合割：平手\n" + "".join(f"{ply} {move}\n" for ply, move in enumerate(moves, 1))
    issues = post(client, "check", text=text).json()["games"][0]["issues"]
    assert [issue["ply"] for issue in issues if issue["severity"] == "error"] != []


def test_a_record_of_which_nothing_can_be_read_says_why(client):
    answer = post(client, "check", text=UNREADABLE).json()
    assert answer["games"] == []
    assert any(issue["severity"] == "error" and issue["line"] == 1 for issue in answer["issues"])


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"text": "hello", "to": "kif"}, 400, "unknown-format"),
        ({"text": KIF, "to": "pdf"}, 400, "unknown-format"),
        ({"text": KIF}, 400, "unknown-format"),
        ({"to": "kif"}, 400, "nothing-to-read"),
        ({"text": 5, "to": "kif"}, 400, "invalid"),
        ({"text": ["a"], "to": "kif"}, 400, "invalid"),
        ({"file": "a record", "to": "kif"}, 400, "invalid"),
    ],
)
def test_a_request_that_makes_no_sense_is_told_so(client, fields, status, code):
    response = post(client, "convert", **fields)
    assert (response.status_code, response.json()["code"]) == (status, code)


def test_what_is_too_large_is_refused(client, settings):
    settings.ARCHIVE_MAX_CONVERT_BYTES = 100
    assert post(client, "check", text=KIF).status_code == 413


def test_one_address_converts_so_much_a_minute(client, throttled):
    throttled.ARCHIVE_CONVERT_BYTES_PER_MINUTE = 3000
    statuses = [post(client, "check", text=KIF).status_code for _ in range(10)]
    assert statuses[0] == 200
    assert statuses[-1] == 429
    response = post(client, "check", text=KIF)
    assert response.json()["code"] == "throttled"
    assert 0 < float(response["Retry-After"]) <= 60
