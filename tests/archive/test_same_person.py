"""Players who may be the same person, and authority tables that describe them."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from archive.models import Correction, Game, Player
from archive.queries.names.same_person import Career, Described, same_person, score_of
from archive.queries.scope import PUBLIC
from archive.store import correct_name
from tests.archive.builders import ingest, ready
from tests.archive.test_api_corrections import code, program

pytestmark = pytest.mark.django_db

TABLE = (
    "name,kana,latin,born\n羽生善治,はぶ よしはる,Habu Yoshiharu,1970-09-27\n無名,,Mumei,\n谷川浩司,漢字,,\n"
)


@pytest.fixture(autouse=True)
def _games() -> None:
    ingest(
        ready("7g7f", black="羽生善治", white="谷川浩司", day="1990/01/01"),
        ready("2g2f", black="羽生善冶", white="藤井聡太", day="1991/01/01"),
        ready("5g5f", black="谷川浩志", white="谷川浩司", day="1992/01/01"),
        ready("1g1f", black="大橋宗桂", day="1650/01/01"), ready("9g9f", black="大橋宗佳", day="1980/01/01"),
    )  # fmt: skip


def player(name: str) -> Player:
    return Player.objects.get(key=name)


def pairs() -> list[tuple[str, str]]:
    return [(pair.one.name, pair.other.name) for pair in same_person(PUBLIC)]


def test_players_with_nearly_one_name_are_a_pair_unless_they_met_or_lived_apart():
    assert [{*pair} for pair in pairs()] == [{"羽生善冶", "羽生善治"}]


@pytest.mark.parametrize(
    ("one", "other", "career", "score"),
    [
        ({"name": "羽生善治"}, {"name": "羽生善冶"}, Career(1990, 2000), 45),
        ({"name": "羽生善治"}, {"name": "羽生善冶"}, Career(2010, 2020), 30),
        ({"name": "羽生善治"}, {"name": "羽生善冶"}, Career(2090, 2100), 0),
        ({"name": "羽生", "kana": "はぶ"}, {"name": "ハブ", "kana": "ハブ"}, Career(1990, 2000), 55),
        ({"name": "甲", "latin": "Ko"}, {"name": "乙", "latin": "Otsu"}, Career(0, 0), 0),
    ],
)  # fmt: skip
def test_the_score_adds_what_is_alike(one, other, career, score):
    usual = {"id": 1, "kana": "", "latin": "", "titles": frozenset()}
    assert (
        score_of(Described(**usual | one), Described(**usual | other), Career(1985, 2005), career)[0] == score
    )


def test_a_pair_about_which_somebody_decided_does_not_come_again():
    curator, anna = program("curt", "curator"), program("anna")
    (pair,) = anna.get("/api/v1/players/same").json()["results"]
    body = {"one": pair["one"]["id"], "other": pair["other"]["id"], "reason": "father and son"}
    assert code(anna.post("/api/v1/players/same", body | {"same": False})) == (403, "no-curator")
    answer = curator.post("/api/v1/players/same", body | {"same": False})
    assert (answer.status_code, answer.json()["state"]) == (201, "rejected")
    assert APIClient().get("/api/v1/players/same").json() == {"count": 0, "results": []}
    assert curator.post("/api/v1/players/same", body | {"same": True}).json()["state"] == "applied"
    assert player("羽生善冶").root_id == player("羽生善治").root_id


def test_a_namesake_that_was_split_off_is_no_pair():
    ingest(ready("3g3f", black="羽生善治", day="1993/01/01"))
    row, game = player("羽生善治"), Game.objects.latest("pk")
    seat = {"op": "split", "games": [{"game": game.pk, "colour": 0}]}
    correct_name("player", row.pk, [seat], None, apply=True)
    assert ("羽生善治", "羽生善治") not in pairs()


def test_an_authority_table_describes_players_and_leaves_what_curators_entered():
    row = player("羽生善治")
    by_hand = {"op": "field", "name": "latin", "old": "", "new": "Y. Habu"}
    correct_name("player", row.pk, [by_hand], None, apply=True)
    curator, anna = program("curt", "curator"), program("anna")
    body = {"table": TABLE, "reason": "人名典拠"}
    assert anna.post("/api/v1/players/authority", body).status_code == 403
    outcome = curator.post("/api/v1/players/authority", body).json()
    assert outcome == {"set": 1, "same": 0, "unknown": 1, "ambiguous": 0, "refused": 1}
    row.refresh_from_db()
    assert (row.kana, row.latin, row.born) == ("はぶ よしはる", "Y. Habu", "1970-09-27")
    assert row.set_by == {"kana": "authority", "latin": "curator", "born": "authority"}
    assert curator.post("/api/v1/players/authority", body).json()["same"] == 1
    assert Correction.objects.filter(reason="人名典拠").count() == 1


def test_the_command_reads_a_table(tmp_path, capsys):
    (tmp_path / "names.csv").write_text(TABLE)
    call_command("import_names", tmp_path / "names.csv", "--reason", "人名典拠")
    assert capsys.readouterr().out == "refused 1\nset 1\nunknown 1\n"


@pytest.mark.parametrize("table", ["", "latin\nHabu\n", "name,secret\n甲,1\n", "name\n" + "甲\n" * 201])
def test_what_is_no_table_is_refused(table):
    body = {"table": table, "reason": "x"}
    answer = program("curt", "curator").post("/api/v1/players/authority", body)
    assert answer.status_code == 400
