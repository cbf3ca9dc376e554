"""Corrections through the API: who proposes, who decides, and the history that everybody reads."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import hypothesis
import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import strategies as st
from rest_framework.test import APIClient

from archive import libraries, store
from archive.accounts import tokens
from archive.curation import corrections
from archive.intake import worker
from archive.models import AuditLine, Correction, Game, User, codec
from archive.store.verify import verify
from kifu_core.games import load
from kifu_core.shogi import annotations
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

RENAME = {"op": "header", "name": "先手", "old": "先手の人", "new": "羽生"}
DAY = {"op": "header", "name": "開始日時", "old": "2024/05/01", "new": "2024/05/02"}
COMMENT = {"op": "comments", "at": "1", "move": "7g7f", "old": [], "new": ["好手"]}


def program(name: str, role: str = "contributor") -> APIClient:
    user = User.objects.create_user(name, role=role)
    client = APIClient()
    key = tokens.create(user, "test", ["admin"], None)[1]
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def propose(client: APIClient, *operations: Any, of: int | None = None, **fields: Any) -> Any:
    pk = of or Game.objects.get().pk
    body = {"operations": [*operations]} if operations else {}
    return client.post(
        f"/api/v1/games/{pk}/corrections", body | {"reason": "a source"} | fields, format="json"
    )


def act(client: APIClient, answer: Any, action: str, reason: str = "") -> Any:
    return client.post(f"/api/v1/corrections/{answer.json()['id']}", {"action": action, "reason": reason})


def state(answer: Any) -> str:
    return str(answer.json()["state"])


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def black() -> str:
    return str(Game.objects.get().jkf["header"]["先手"])


@pytest.fixture(autouse=True)
def _game() -> None:
    stored(KIF)


@pytest.fixture
def anna() -> APIClient:
    return program("anna")


@pytest.fixture
def curator() -> APIClient:
    return program("clara", "curator")


def test_marks_circles_and_arrows_are_written_and_read_in_comments(curator):
    written = ["【好手】", "角道を開ける", "[%csl G7f]\n[%cal R2g2f]"]
    assert state(propose(curator, COMMENT | {"new": written})) == "applied"
    record = curator.get(f"/api/v1/games/{Game.objects.get().pk}/record.jkf").json()
    note = annotations.read(record["moves"][1]["comments"])
    assert note.mark is not None and (note.mark.sign, len(note.shapes)) == ("!", 2)
    assert note.lines == ["角道を開ける"]


def test_a_contributor_proposes_and_a_curator_accepts(anna, curator):
    proposal = propose(anna, RENAME)
    assert (proposal.status_code, state(proposal), black()) == (201, "proposed", "先手の人")
    assert proposal.json()["may"] == ["withdraw", "object"]
    assert code(act(anna, proposal, "accept")) == (403, "no-curator")
    accepted = act(curator, proposal, "accept")
    assert (state(accepted), accepted.json()["may"], black()) == ("applied", ["undo"], "羽生")
    assert [(event["event"], event["account"]) for event in accepted.json()["events"]] == [
        ("proposed", "anna"),
        ("applied", "clara"),
    ]
    _, _, values = AuditLine.objects.latest("pk").what.partition(": applied, ")
    assert json.loads(values) == [RENAME]


def test_a_stranger_reads_the_history_without_names_of_accounts(anna, curator):
    propose(curator, RENAME)
    history = APIClient().get(f"/api/v1/games/{Game.objects.get().pk}/corrections").json()["results"]
    assert [(one["state"], one["author"], one["may"]) for one in history] == [("applied", None, [])]
    assert {event["account"] for event in history[0]["events"]} == {None}
    assert code(propose(APIClient(), RENAME)) == (401, "not-authenticated")
    assert code(propose(program("rita", "reader"), RENAME)) == (403, "no-right")


def test_an_edited_record_becomes_typed_operations(curator):
    record = Game.objects.get().jkf
    record["header"]["後手"] = "森内"
    record["moves"][2]["comments"] = ["角道を開ける"]
    push = {"from": {"x": 2, "y": 7}, "to": {"x": 2, "y": 6}, "piece": "FU", "color": 0}
    record["moves"][1]["forks"] = [[{"move": push}]]
    answer = propose(curator, record=record)
    assert [one["op"] for one in answer.json()["operations"]] == ["header", "add-variation", "comments"]
    assert Game.objects.get().jkf["header"]["後手"] == "森内"
    assert Game.objects.get().jkf["moves"][8] == {"special": "TORYO"} | {"time": record["moves"][8]["time"]}
    assert code(propose(curator, record=Game.objects.get().jkf)) == (400, "nothing-changed")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"operations": [{"op": "other"}]}, (400, "malformed")),
        ({"operations": [RENAME | {"old": "別人"}]}, (409, "changed-since")),
        ({"operations": [COMMENT | {"at": "99"}]}, (409, "no-node")),
        ({"operations": [COMMENT | {"at": "first"}]}, (400, "no-address")),
        ({"record": "no record"}, (400, "unreadable-record")),
        ({"operations": [RENAME], "reason": ""}, (400, "invalid")),
        ({}, (400, "invalid")),
        ({"operations": [RENAME], "record": {}}, (400, "invalid")),
    ],
)
def test_what_cannot_be_applied_is_refused_with_its_reason(curator, fields, expected):
    assert code(propose(curator, **fields)) == expected
    assert not Correction.objects.exists()


def test_a_proposal_applies_when_nobody_has_objected_in_time(anna, settings):
    settings.ARCHIVE_OBJECTION_DAYS = 7
    first, second = propose(anna, RENAME), propose(anna, DAY)
    assert first.json()["due"]
    boris = program("boris")
    assert code(act(boris, second, "object")) == (400, "reason-missing")
    assert act(boris, second, "object", "not so").json()["due"] is None
    assert corrections.apply_due() == 0
    Correction.objects.exclude(due=None).update(due=timezone.now() - timedelta(seconds=1))
    assert corrections.apply_due() == 1
    assert (black(), str(Game.objects.get().played_from)) == ("羽生", "2024-05-01")


def test_additions_apply_at_once(anna):
    assert state(propose(anna, COMMENT)) == "applied"
    assert state(propose(anna, RENAME)) == "proposed"


def test_proposals_are_withdrawn_and_rejected_once(anna, curator):
    mine, other = propose(anna, RENAME), propose(anna, DAY)
    assert code(act(curator, mine, "withdraw")) == (403, "no-right")
    assert state(act(anna, mine, "withdraw")) == "withdrawn"
    assert state(act(curator, other, "reject", "wrong source")) == "rejected"
    assert code(act(curator, other, "reject")) == (409, "not-open")
    assert black() == "先手の人"


def test_every_state_is_compared_and_restored(curator):
    pk = Game.objects.get().pk
    propose(curator, RENAME)
    propose(curator, COMMENT)
    before = curator.get(f"/api/v1/games/{pk}/versions/0").json()["record"]
    between = curator.get(f"/api/v1/games/{pk}/versions/1").json()["record"]
    assert before["header"]["先手"] == "先手の人"
    assert (between["header"]["先手"], "comments" in between["moves"][1]) == ("羽生", False)
    assert curator.post(f"/api/v1/games/{pk}/versions/0").json() == {"game_id": pk, "undone": 2}
    assert Game.objects.get().jkf == before
    assert [one["state"] for one in curator.get("/api/v1/corrections").json()["results"]] == ["undone"] * 2


def test_a_game_of_a_library_is_corrected_by_those_who_own_it(anna, curator):
    user = User.objects.get(username="anna")
    space = libraries.own_library(user).pk
    upload, _ = store.create_upload("mine.kif", [KIF.encode()], user, "web", space=space)
    worker.work_off(upload.pk)
    own = Game.objects.get(space=space).pk
    assert propose(curator, RENAME, of=own).status_code == 404
    assert curator.get(f"/api/v1/games/{own}/corrections").status_code == 404
    answer = propose(anna, RENAME, of=own)
    assert (answer.status_code, state(answer)) == (201, "applied")
    assert curator.get(f"/api/v1/corrections/{answer.json()['id']}").status_code == 404
    assert not curator.get("/api/v1/corrections").json()["results"]


VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
KEYS = st.sampled_from(["m", "s", "now", "move", ""])
KEYS = st.sampled_from(["m", "s", "now", "move", ""])
VALUES |= st.lists(VALUES, max_size=3) | st.dictionaries(KEYS, VALUES)
OPERATIONS = [
    RENAME, DAY, COMMENT,
    {"op": "time", "at": "1", "move": "7g7f", "new": {"now": {"m": 1, "s": 2}},
     "old": {"now": {"m": 0, "s": 1}, "total": {"h": 0, "m": 0, "s": 1}}},
    {"op": "line", "at": "7", "old": ["4e3d", "%TORYO"], "new": [{"special": "CHUDAN"}]},
    {"op": "add-variation", "at": "7", "move": "4e3d", "index": 0, "line": [{"special": "TORYO"}]},
    {"op": "ending", "old": ["投了", "TORYO", 7, 0, False], "new": ["中断", "CHUDAN", 7, None, False]},
    {"op": "start", "old": {"preset": "HIRATE"}, "new": {"preset": "KA"}},
    {"op": "player", "colour": 0, "old": None, "new": None},
]  # fmt: skip


@st.composite
def odd_operations(draw: st.DrawFn) -> dict[str, Any]:
    """An operation with one member replaced."""
    operation = draw(st.sampled_from(OPERATIONS))
    return operation | {draw(st.sampled_from([*operation])): draw(VALUES)}


def test_odd_operations_are_refused_or_keep_the_record_sound(curator):
    statuses = set()

    @hypothesis.settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @hypothesis.given(odd_operations())
    def sound(operation: dict[str, Any]) -> None:
        with transaction.atomic():
            answer = propose(curator, operation)
            statuses.add(answer.status_code)
            assert answer.status_code in (201, 400, 409), answer.content
            game = Game.objects.get()
            _kind, again = load(codec.to_json(game.jkf), "again.jkf")
            assert again.games[0].record["moves"] == game.jkf["moves"]
            if answer.status_code == 201:
                assert not list(verify())
            transaction.set_rollback(True)

    sound()
    assert statuses == {201, 400, 409}


def test_a_curator_takes_a_game_down_and_restores_it(anna, curator):
    pk = Game.objects.get().pk
    address = f"/api/v1/games/{pk}"
    assert code(anna.post(f"{address}/take-down", {"reason": "a request"})) == (403, "no-right")
    assert code(curator.post(f"{address}/restore")) == (404, "not-taken-down")
    assert curator.post(f"{address}/take-down", {"reason": "a request", "hide": "1"}).status_code == 204
    assert curator.get(address).status_code == 410
    assert AuditLine.objects.latest("pk").what.endswith("(a request)")
    restored = curator.post(f"{address}/restore").json()["game_id"]
    assert restored == Game.objects.get().pk
    assert curator.get(address).status_code == 301
