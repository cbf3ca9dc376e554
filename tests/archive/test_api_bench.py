"""The curators' bench through the API: the questions and answers of its page, with the same rights."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from archive.accounts import tokens
from archive.accounts.roles import Role, set_role
from archive.curation import bench
from archive.models import AuditLine, Game, Report, User
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

UNDATED = KIF.replace("開始日時：2024/05/01\n", "")


def program(role: Role, *scopes: str) -> APIClient:
    user = User.objects.create_user(f"account-{role.value}-{len(scopes)}")
    set_role(user, role)
    client = APIClient()
    key = tokens.create(user, "test", [*scopes], None)[1]
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


@pytest.fixture
def curator() -> APIClient:
    return program(Role.CURATOR, "admin")


def rows(client: APIClient, kind: str) -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/bench/{kind}")
    assert answer.status_code == 200
    return list(answer.json()["results"])


def give(client: APIClient, kind: str, **fields: Any) -> Any:
    return client.post(f"/api/v1/bench/{kind}", fields, format="json")


def test_only_curators_with_the_rights_for_it_read_and_answer():
    strangers = {
        401: APIClient(),
        403: program(Role.CONTRIBUTOR, "admin"),
    }
    reading = program(Role.CURATOR, "read")
    for status, client in (*strangers.items(), (403, reading)):
        assert client.get("/api/v1/bench").status_code == status
        assert client.get("/api/v1/bench/days").status_code == status
        assert give(client, "days", key=[1], answer="fine").status_code == status


def test_every_kind_of_the_page_is_listed_with_its_answers(curator):
    listed = curator.get("/api/v1/bench").json()["results"]
    assert {one["kind"]: (one["answers"], one["undo"]) for one in listed} == {
        name: ([*kind.answers], [*kind.undo]) for name, kind in bench.KINDS.items()
    }
    for one in listed:
        assert rows(curator, one["kind"]) == []


def test_a_game_that_is_fine_leaves_the_bench_until_the_answer_is_undone(curator):
    stored(UNDATED)
    (row,) = rows(curator, "days")
    assert row["key"] == [Game.objects.get().pk] and row["answers"] == ["fine", "later"]
    assert Client().get(row["url"]).status_code == 200
    for answer in row["answers"]:
        assert give(curator, "days", key=row["key"], answer=answer).status_code == 204
        assert rows(curator, "days") == []
        assert give(curator, "days", key=row["key"], answer=answer, undo=True).status_code == 204
        assert rows(curator, "days") == [row]
    lines = AuditLine.objects.filter(event="correct").order_by("pk").values_list("what", flat=True)
    pk = row["key"][0]
    fine, later = f"bench: days {pk} is fine", f"bench: days {pk} is put off"
    back = f"bench: days {pk} is open again"
    assert [*lines] == [fine, back, later, back]


def test_a_game_is_taken_down_and_restored_by_the_report_about_it(curator):
    stored(KIF)
    game = Game.objects.get().pk
    report = Report.objects.create(game=game, reason="wrong", text="the day is wrong")
    (row,) = rows(curator, "reports")
    assert row["text"] == "wrong: the day is wrong" and row["url"].endswith(f"/api/v1/games/{game}")
    assert give(curator, "reports", key=[report.pk], answer="hide").status_code == 204
    assert Client().get(f"/games/{game}/").status_code == 410
    assert give(curator, "reports", key=[report.pk], answer="hide").json()["code"] == "not-open"
    assert give(curator, "reports", key=[report.pk], answer="hide", undo=True).status_code == 204
    assert Game.objects.count() == 1 and rows(curator, "reports")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"key": [1], "answer": "burn"}, "answer"), ({"key": [1, 2], "answer": "fine"}, "key"),
        ({"key": [], "answer": "fine"}, "key"), ({"answer": "fine"}, "key"),
        ({"key": [1], "answer": "accept", "undo": True}, "answer"),
    ],
)  # fmt: skip
def test_answers_that_the_kind_does_not_have_are_refused(curator, fields, field):
    answer = give(curator, "days", **fields)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert {error["field"].partition(".")[0] for error in answer.json()["errors"]} == {field}
    assert give(curator, "nothing", key=[1], answer="fine").status_code == 404
