"""Completions in the search box; their numbers agree with the lists."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from archive.models import Game, Player
from archive.problems import finding
from archive.queries.scope import PUBLIC
from archive.queries.search import completions as queries
from archive.queries.search.completions import completions
from tests.archive.builders import ingest, ready

pytestmark = pytest.mark.django_db

MATE = "4k4/9/4P4/9/9/9/9/9/9 b G 1"


@pytest.fixture(autouse=True)
def archive() -> None:
    ingest(
        ready("7g7f", black="羽生善治", white="谷川浩司", event="第17期棋王戦第1局", site="陣屋"),
        ready("2g2f", black="羽生善治", white="佐藤康光", event="第20期棋王戦"),
        ready("5g5f", black="佐藤康光", white="佐藤天彦", event="第20期棋王戦"),
        ready("9g9f", black="羽生善治", white="羽生善治"),
        ready("G*5b", kind="problem", start=MATE, black="羽生善治"),
    )
    finding.find(Game.objects.filter(record_kind="problem").values_list("pk", flat=True))


def offered(text: str) -> list[tuple[str, str, int | None]]:
    return [(one.kind, one.name, one.games) for one in completions(PUBLIC, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("羽生", [("player", "羽生善治", 3)]), ("はぶ", [("player", "羽生善治", 3)]), ("は", []),
        ("はぶ よし", [("player", "羽生善治", 3)]), ("hab", [("player", "羽生善治", 3)]),
        ("Habu Yoshi", [("player", "羽生善治", 3)]), ("habu akira", []),
        ("佐藤", [("player", "佐藤康光", 2), ("player", "佐藤天彦", 1)]),
        ("棋王", [("event", "第20期棋王戦", 2), ("event", "第17期棋王戦", 1)]),
        ("陣屋", [("place", "陣屋", 1)]),
        ("1手詰", [("problem", "1手詰", 1)]), ("3手詰", []), ("誰か", []), ("", []), ("羽" * 101, []),
    ],
)  # fmt: skip
def test_names_that_hold_a_text_are_offered_with_their_games_the_most_frequent_first(text, expected):
    assert offered(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("羽生 対 谷", [("羽生 対 ", "谷川浩司", 1)]),
        ("羽生善治　vs.　たに", [("羽生善治　vs.　", "谷川浩司", 1)]),
        ("羽生対佐藤", [("羽生対", "佐藤康光", 1)]), ("Habu vs Sato Y", [("Habu vs ", "佐藤康光", 1)]),
        ("佐藤康 × さとう", [("佐藤康 × ", "佐藤天彦", 1)]), ("はぶ 対 天彦", []), ("羽生 対 羽", []),
        ("誰か 対 谷", []), ("羽生 対", []), ("羽生 対 ", []), ("対 谷", []), ("対", []),
        ("羽生\0 対 谷\0", []), ('"羽生" 対 谷', []),
    ],
)  # fmt: skip
def test_the_opponents_of_a_player_are_offered_behind_the_first_name(text, expected):
    assert [(one.before, one.name, one.games) for one in completions(PUBLIC, text)] == expected


def test_a_name_of_too_many_players_has_no_opponents(monkeypatch):
    monkeypatch.setattr(queries, "_MOST_ALIKE", 1)
    assert [one.name for one in completions(PUBLIC, "佐藤 対 羽生")] == []
    assert [one.name for one in completions(PUBLIC, "佐藤康 対 羽生")] == ["羽生善治"]


def test_castles_and_openings_are_offered_by_any_of_their_names():
    lines = "7g7f 3c3d 6g6f 8c8d 2h6h 8d8e 8h7g 5a4b 7i7h 4b3b 5i4h 7a6b 4h3h 5c5d 3h2h 6a5b 3i3h"
    ingest(ready(lines, black="甲", white="乙"))
    for text in ("四間飛", "しけん", "shiken", "Fourth"):
        assert ("formation", "shikenbisha", 1) in offered(text), text


def test_names_of_other_spaces_are_not_offered():
    Player.objects.create(name="羽生秘密", space=9)
    assert offered("羽生") == [("player", "羽生善治", 3)]


def test_the_numbers_are_those_of_the_lists_to_which_the_rows_lead(client: Client) -> None:
    for text in ("羽生", "佐藤", "棋王", "1手詰", "羽生 対 谷", "佐藤 対 羽生"):
        rows = client.get("/complete/", {"q": text}, headers={"Accept-Language": "en"}).content.decode()
        matches = re.findall(r'data-href="([^"]+)".*?(\d+) (?:game|problem)', rows, re.S)
        assert matches, text
        for href, games in matches:
            page = client.get(unescape(href)).content.decode()
            assert page.count('class="game-row"') + page.count('class="task"') == int(games), href


def test_names_are_read_out_to_who_reads_no_japanese(client: Client) -> None:
    def rows(language: str) -> str:
        return client.get("/complete/", {"q": "羽生"}, headers={"Accept-Language": language}).content.decode()

    assert "Habu Yoshiharu" in rows("en") and "3 games" in " ".join(rows("en").split())
    assert "Habu" not in rows("ja") and "3局" in rows("ja")


def test_of_many_games_it_is_said_that_there_are_more(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(text: str) -> str:
        return client.get("/complete/", {"q": text}, headers={"Accept-Language": "en"}).content.decode()

    monkeypatch.setattr(queries, "COUNT_LIMIT", 2)
    assert offered("羽生") == [("player", "羽生善治", None)]
    assert "games and more" in rows("羽生")
    monkeypatch.setattr(queries, "COUNT_LIMIT", 0)
    assert "problems and more" in rows("1手詰") and "games and more" not in rows("1手詰")


def test_what_is_typed_is_escaped_and_nothing_is_answered_with_nothing(client: Client) -> None:
    answer = client.get("/complete/", {"q": "<b>x"})
    assert answer.status_code == 200 and not answer.content.strip()
    assert client.get("/complete/").status_code == 200
