"""Drafts: stored for their account, replaced only from their present version, saved as games."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from archive import libraries
from archive.drafts import own_drafts
from archive.drafts.saving import file_of
from archive.intake import worker
from archive.models import Draft, Entry, Game, Upload, User
from archive.web.accounts.leaving import account_data, end_account
from kifu_core.games import SHOGI
from kifu_core.jkf import FORK_LEVELS

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = {"move": {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}}, "comments": ["【好手】"]}
SECOND = {"move": {"from": {"x": 3, "y": 3}, "to": {"x": 3, "y": 4}}}
RECORD: dict[str, Any] = {
    "header": {"先手": "甲野", "後手": "乙山", "棋戦": "道場戦"},
    "moves": [{}, FIRST, SECOND, {"special": "TORYO"}],
}


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def api(anna: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(anna)
    return client


def created(api: APIClient, record: dict[str, Any] | None = None) -> dict[str, Any]:
    answer = api.post("/api/v1/drafts", {"record": record or RECORD}, format="json")
    assert answer.status_code == 201, answer.content
    return json.loads(answer.content)


def replaced(api: APIClient, address: str, record: Any, version: int) -> Any:
    return api.put(address, {"record": record, "version": version}, format="json")


def test_a_draft_is_listed_by_its_players_and_read_again(api):
    draft = created(api)
    (listed,) = api.get("/api/v1/drafts").json()["results"]
    assert (listed["title"], listed["version"]) == ("甲野 – 乙山 · 道場戦", 1)
    assert "record" not in listed
    assert api.get(draft["url"]).json()["record"] == RECORD


def test_an_earlier_version_does_not_replace_a_later_one(api):
    address = created(api)["url"]
    assert replaced(api, address, {"header": {"先手": "丙"}, "moves": [{}]}, 1).json()["version"] == 2
    late = replaced(api, address, RECORD, 1)
    assert (late.status_code, late.json()["code"]) == (412, "draft-changed")
    assert api.get(address).json()["title"] == "丙 – ?"
    assert replaced(api, address, RECORD, 2).json()["version"] == 3


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"header": {}}, "jkf-missing"),
        ({"header": {}, "moves": [{"move": {"to": {"x": 10, "y": 1}}}]}, "jkf-value"),
        ([], "invalid"),
        ({"header": {"備考": "あ" * 400_000}, "moves": [{}]}, "too-large"),
    ],
)
def test_what_is_no_record_is_refused(api, record, code):
    answer = api.post("/api/v1/drafts", {"record": record}, format="json")
    assert answer.json()["code"] == code
    assert not Draft.objects.exists()


def test_variations_nest_as_deep_as_records_have_them(api):
    line = [FIRST]
    for _ in range(FORK_LEVELS):
        line = [{**FIRST, "forks": [line]}]
    created(api, {"header": {}, "moves": [{}, *line]})
    deeper = {"header": {}, "moves": [{}, {**FIRST, "forks": [line]}]}
    assert api.post("/api/v1/drafts", {"record": deeper}, format="json").status_code == 400


def test_an_account_has_so_many_drafts(api, monkeypatch):
    monkeypatch.setattr(own_drafts, "MOST", 1)
    created(api)
    answer = api.post("/api/v1/drafts", {"record": RECORD}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "too-many-drafts")


def test_a_draft_that_is_saved_makes_room_for_another_one_unless_it_has_changed_since(api, monkeypatch):
    monkeypatch.setattr(own_drafts, "MOST", 2)
    addresses = [created(api)["url"], created(api, {"header": {"先手": "丙"}, "moves": [{}, FIRST]})["url"]]
    for address in addresses:
        worker.work_off(api.post(f"{address}/save", {"space": "mine"}, format="json").json()["upload_id"])
    replaced(api, addresses[0], {"header": {"先手": "丁"}, "moves": [{}]}, 1)
    created(api)
    assert [api.get(address).status_code for address in addresses] == [200, 404]
    answer = api.post("/api/v1/drafts", {"record": RECORD}, format="json")
    assert answer.json()["code"] == "too-many-drafts"


def test_a_draft_becomes_a_game_and_is_the_same_upload_when_it_is_saved_again(api, anna):
    address = created(api)["url"]
    first = api.post(f"{address}/save", {"space": "mine"}, format="json")
    assert first.status_code == 202
    worker.work_off(first.json()["upload_id"])
    entry = Entry.objects.get()
    assert entry.game is not None
    assert entry.game.space == libraries.own_library(anna).pk
    assert entry.game.jkf["moves"][1]["comments"] == ["【好手】"]
    again = api.post(f"{address}/save", {"space": "mine"}, format="json")
    assert (again.status_code, again.json()) == (200, first.json())
    replaced(api, address, {**RECORD, "moves": RECORD["moves"][:2]}, 1)
    third = api.post(f"{address}/save", {"space": "mine"}, format="json").json()
    assert third["replaced_upload_id"] == first.json()["upload_id"]
    assert Upload.objects.count() == 2 and Game.objects.count() == 1


def test_wrong_moves_are_told_with_their_ply_and_not_saved(api):
    wrong = {"move": {"from": {"x": 5, "y": 5}, "to": {"x": 5, "y": 4}}}
    address = created(api, {"header": {}, "moves": [{}, FIRST, wrong]})["url"]
    answer = api.post(f"{address}/save", {"space": "mine"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "wrong-moves")
    assert [error["ply"] for error in answer.json()["errors"]] == [2]
    assert not Upload.objects.exists()


def test_a_reader_drafts_but_does_not_save(api, anna):
    User.objects.filter(pk=anna.pk).update(role=User.Role.READER)
    api.force_authenticate(User.objects.get(pk=anna.pk))
    assert api.post(f"{created(api)['url']}/save", {}, format="json").status_code == 403


def test_drafts_are_in_the_data_of_their_account_and_go_with_it(api, anna):
    created(api)
    assert account_data(anna)["drafts"][0]["record"] == RECORD
    end_account(anna)
    assert not Draft.objects.exists()


def test_the_file_of_a_draft_is_a_normalized_record(api):
    created(api)
    data, errors = file_of(Draft.objects.get())
    record = SHOGI.formats.load(data.decode()).games[0].record
    assert errors == [] and record["moves"][1]["move"]["piece"] == "FU"
