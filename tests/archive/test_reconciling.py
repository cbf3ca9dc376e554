"""The reconciliation service, as OpenRefine and the specification (version 0.2) use it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from archive.models import Player
from archive.store import correct_name
from tests.archive.builders import ingest, ready
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db

PLAYERS = "/api/v1/reconcile/players"


@pytest.fixture(autouse=True)
def _games() -> None:
    ingest(
        ready("7g7f", black="羽生善治", white="谷川浩司", event="王位戦", site="陣屋"),
        ready("2g2f", black="羽生善冶", white="藤井聡太"),
        ready("5g5f", black="藤井猛"),
    )


def player(name: str) -> Player:
    return Player.objects.get(key=name)


def describe(name: str, **facts: str) -> None:
    row = player(name)
    operations = [{"op": "field", "name": field, "old": "", "new": new} for field, new in facts.items()]
    correct_name("player", row.pk, operations, None, apply=True)


def reconcile(client: Client, address: str = PLAYERS, **queries: Any) -> Any:
    answer = client.post(address, {"queries": json.dumps(queries)})
    assert answer.status_code == 200, answer.content
    return answer.json()


def is_candidate(one: dict[str, Any]) -> bool:
    """Whether a candidate has the members that the schema of the specification demands."""
    types = all(set(kind) == {"id", "name"} for kind in one["type"])
    return (
        types
        and isinstance(one["id"], str)
        and isinstance(one["name"], str)
        and one["match"] in (True, False)
    )


def test_the_manifest_has_what_clients_need(client):
    manifest = client.get(PLAYERS).json()
    assert manifest["versions"] == ["0.2"] and manifest["defaultTypes"] == [
        {"id": "player", "name": "Player"}
    ]
    assert {"name", "identifierSpace", "schemaSpace"} <= manifest.keys()
    pk = player("羽生善治").pk
    for address in (manifest["view"]["url"], manifest["preview"]["url"]):
        assert client.get(address.replace("{{id}}", str(pk))).status_code == 200
    for service in (manifest["suggest"]["entity"], manifest["suggest"]["property"]):
        answer = client.get(service["service_url"] + service["service_path"], {"prefix": "羽生"})
        assert answer.status_code == 200
    extend = manifest["extend"]["propose_properties"]
    listed = client.get(extend["service_url"] + extend["service_path"], {"type": "player"}).json()
    assert {"id": "latin", "name": "Latin letters"} in listed["properties"]


def test_a_batch_of_names_is_matched(client):
    answer = reconcile(client, q0={"query": "谷川浩司"}, q1={"query": "羽生"}, q2={"query": "誰か別"})
    assert answer.keys() == {"q0", "q1", "q2"}
    (one,) = answer["q0"]["result"]
    assert (one["name"], one["score"], one["match"]) == ("谷川浩司", 100, True)
    names = [one["name"] for one in answer["q1"]["result"]]
    assert sorted(names) == ["羽生善冶", "羽生善治"]
    assert not any(one["match"] for one in answer["q1"]["result"])
    assert answer["q2"]["result"] == []
    assert all(is_candidate(one) for part in answer.values() for one in part["result"])


def test_any_spelling_matches_and_facts_tell_candidates_apart(client):
    add_spelling(player("羽生善治"), "Habu Y.")
    describe("羽生善治", latin="Habu Yoshiharu", born="1970-09-27")
    assert reconcile(client, q={"query": "Habu Y."})["q"]["result"][0]["match"] is True
    for born, match in (("1970-09-27", True), ("1985", False)):
        query = {"query": "羽生善治", "properties": [{"pid": "born", "v": born}]}
        result = reconcile(client, q=query)["q"]["result"]
        assert (result[0]["name"], result[0]["match"]) == ("羽生善治", match) or not match


def test_mistyped_names_have_candidates_and_limits_hold(client):
    assert reconcile(client, q={"query": "谷川浩同"})["q"]["result"][0]["name"] == "谷川浩司"
    assert len(reconcile(client, q={"query": "藤井", "limit": 1})["q"]["result"]) == 1


def test_facts_of_players_extend_a_table(client):
    describe("羽生善治", latin="Habu Yoshiharu")
    pk = str(player("羽生善治").pk)
    extend = {"ids": [pk, "999999", "x"], "properties": [{"id": "latin"}, {"id": "games"}]}
    answer = client.get(PLAYERS, {"extend": json.dumps(extend)}).json()
    assert [one["id"] for one in answer["meta"]] == ["latin", "games"]
    assert answer["rows"][pk] == {"latin": [{"str": "Habu Yoshiharu"}], "games": [{"int": 1}]}
    assert answer["rows"]["999999"] == answer["rows"]["x"] == {"latin": [], "games": []}


@pytest.mark.parametrize(("kind", "name"), [("event", "王位戦"), ("place", "陣屋")])
def test_events_and_places_are_matched_too(client, kind, name):
    address = f"/api/v1/reconcile/{kind}s"
    (one,) = reconcile(client, address, q={"query": name})["q"]["result"]
    assert (one["name"], one["match"], one["type"][0]["id"]) == (name, True, kind)
    extend = {"ids": [one["id"]], "properties": [{"id": "games"}, {"id": "url"}]}
    row = client.get(address, {"extend": json.dumps(extend)}).json()["rows"][one["id"]]
    assert row == {"games": [{"int": 1}], "url": [{"str": f"http://testserver/{kind}s/{one['id']}/"}]}


@pytest.mark.parametrize(
    "fields",
    [
        {}, {"queries": "x"}, {"queries": "[]"}, {"queries": '{"q": {}}'},
        {"queries": '{"q": {"query": ""}}'},
        {"queries": json.dumps({str(n): {"query": "甲"} for n in range(51)})},
        {"extend": '{"ids": ["1"], "properties": [{"id": "password"}]}'}, {"extend": "{}"},
        {"queries": '{"q": {"query": "甲", "limit": 0}}'}, {"other": "1"},
    ],
)  # fmt: skip
def test_what_is_no_query_is_refused(client, fields):
    assert client.post(PLAYERS, fields).status_code == 400


def test_names_of_libraries_and_names_without_games_are_no_candidates(client):
    Player.objects.create(name="羽生秘密", space=9)
    Player.objects.create(name="羽生無人")
    names = [one["name"] for one in reconcile(client, q={"query": "羽生", "limit": 25})["q"]["result"]]
    assert sorted(names) == ["羽生善冶", "羽生善治"]
    assert client.get(f"{PLAYERS}/preview/{Player.objects.get(name='羽生無人').pk}").status_code == 404


def test_other_sites_may_ask_and_frame_the_preview(client):
    answer = client.post(PLAYERS, {"queries": "{}"}, headers={"Origin": "https://refine.example"})
    assert answer["Access-Control-Allow-Origin"] == "*"
    preview = client.get(f"{PLAYERS}/preview/{player('羽生善治').pk}")
    assert (
        "frame-ancestors *" in preview["Content-Security-Policy"] and "羽生善治" in preview.content.decode()
    )
    assert client.get("/api/v1/reconcile/nothing").status_code == 404
