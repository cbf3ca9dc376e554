"""The curators' bench: what waits, its answers, and their undoing."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from archive.accounts.roles import Role, set_role
from archive.curation import bench, corrections
from archive.models import Correction, Entry, Game, Report, User
from tests.archive.games import KIF, UNREADABLE, stored
from tests.archive.html import tidy
from tests.archive.library_games import signed_in

pytestmark = pytest.mark.django_db

RESIGNS = "   8 投了         ( 0:08/00:00:20)\nまで7手で先手の勝ち\n"
LONG = KIF.replace(RESIGNS, "   8 ４四歩(43)\n   9 ９六歩(97)\n  10 ９四歩(93)\n  11 １六歩(17)\n")


def account(name: str, role: Role) -> User:
    user = User.objects.create_user(name)
    set_role(user, role)
    return user


@pytest.fixture
def curator() -> Client:
    return signed_in(account("clara", Role.CURATOR))


def page(client: Client, kind: str) -> str:
    answer = client.get(f"/curation/?kind={kind}", HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200
    return tidy(answer.content.decode())


def answer(client: Client, kind: str, name: str, pk: int) -> None:
    assert client.post("/curation/", {"kind": kind, "answer": name, "item": pk}).status_code == 302


def undo(client: Client) -> None:
    assert client.post("/curation/", {"answer": "undo"}).status_code == 302


def proposed() -> Correction:
    rename = {"op": "header", "name": "先手", "old": "先手の人", "new": "羽生"}
    anna = account("anna", Role.CONTRIBUTOR)
    return corrections.correct_game(anna, Game.objects.get(), [rename], "a source")


def state(row: Correction) -> str:
    row.refresh_from_db()
    return row.state


def test_only_curators_see_the_bench():
    assert Client().get("/curation/").status_code == 302
    assert signed_in(account("anna", Role.CONTRIBUTOR)).get("/curation/").status_code == 403


def test_proposals_are_answered_and_the_last_answer_is_undone(curator):
    stored(KIF)
    row = proposed()
    assert "<ins>羽生</ins>" in page(curator, "proposals")
    answer(curator, "proposals", "reject", row.pk)
    assert state(row) == "rejected" and "<ins>" not in page(curator, "proposals")
    undo(curator)
    assert state(row) == "proposed"
    answer(curator, "proposals", "accept", row.pk)
    assert (state(row), Game.objects.get().jkf["header"]["先手"]) == ("applied", "羽生")
    undo(curator)
    assert (state(row), Game.objects.get().jkf["header"]["先手"]) == ("undone", "先手の人")
    undo(curator)
    assert state(row) == "undone", "nothing is left to undo"


def test_reports_are_settled_and_opened_again(curator):
    stored(KIF)
    report = Report.objects.create(game=Game.objects.get().pk, reason="wrong", text="the day is wrong")
    assert "the day is wrong" in page(curator, "reports")
    answer(curator, "reports", "accept", report.pk)
    assert "the day is wrong" not in page(curator, "reports")
    undo(curator)
    assert "the day is wrong" in page(curator, "reports")


def test_reports_of_collections_lead_to_them(curator):
    Report.objects.create(collection=7, reason="abuse", text="the title")
    shown = page(curator, "reports")
    assert 'href="/collections/7/"' in shown and "the title" in shown


def test_records_that_could_not_be_read_are_read_again(curator):
    upload = stored(UNREADABLE, "broken.kif")
    entry = Entry.objects.get(upload=upload)
    assert entry.state == "failed" and "broken.kif" in page(curator, "entries")
    answer(curator, "entries", "accept", entry.pk)
    upload.refresh_from_db()
    assert upload.state == "received"


@pytest.mark.parametrize(
    ("kind", "records"),
    [
        ("days", [KIF.replace("開始日時：2024/05/01\n", "")]),
        ("twins", [LONG, LONG]),
        ("names", [KIF.replace("先手の人", "山田？")]),
        ("warnings", [KIF.replace("手合割：平手", "手合割：平手\n不明な行")]),
    ],
)
def test_what_looks_odd_is_listed(curator, kind, records):
    for at, record in enumerate(records):
        stored(record.replace("後手の人", f"後手{'甲乙'[at]}"), f"{at}.kif")
    assert bench.KINDS[kind].page(None).rows
    assert '<ol class="bench' in page(curator, kind)


def test_pages_go_on_where_the_last_one_ended(monkeypatch):
    monkeypatch.setattr(bench, "PAGE", 2)
    monkeypatch.setattr(bench, "EXAMINED", 3)
    for day in range(1, 6):
        stored(KIF.replace("2024/05/01", "").replace("後手の人", f"後手{day}"))
    for kind in ("days", "names"):
        seen: list[int] = []
        before = None
        while True:
            part = bench.KINDS[kind].page(before)
            seen += [row.pk for row in part.rows]
            before = part.next
            if before is None:
                break
        assert len(seen) == len(set(seen)) == 5, kind


def test_a_page_costs_the_same_number_of_queries_however_much_waits(curator):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page(curator, "days")
        return len(captured)

    stored(KIF.replace("2024/05/01", ""))
    few = queries()
    for at in range(5):
        stored(KIF.replace("2024/05/01", "").replace("後手の人", f"後手{at}"))
    assert queries() == few


def test_unknown_kinds_and_answers_are_not_there(curator):
    assert curator.get("/curation/?kind=nothing").status_code == 404
    fields: dict[str, Any] = {"kind": "reports", "answer": "nothing", "item": 1}
    assert curator.post("/curation/", fields).status_code == 404
    answer(curator, "reports", "accept", 12345)
