"""What a text that is typed or pasted into a search box leads to, by the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from archive.models import Game
from kifu_core.games import SHOGI
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.games import KIF, stored
from tests.cases import each

pytestmark = pytest.mark.django_db

AFTER_76 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1"
WRONG_BOARD = """後手の持駒：なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九
+---------------------------+
先手の持駒：なし
"""
KIF_THAT_ENDS_EARLY = "手合割：平手\n   1 ７六歩(77)\n   2 ５五歩(54)\n"


@pytest.fixture(scope="module", autouse=True)
def one_game(module_db: None) -> None:
    stored(KIF.encode())


def find(text: str) -> Any:
    answer = APIClient().post("/api/v1/find", {"text": text}, format="json", HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200, answer.content
    return answer.json()


@each("text", ["7g7f\0", "甲\0乙", KIF.replace("*", "\0*") + "\0"])
@each(
    "method, address, field",
    [
        ("post", "/api/v1/find", "text"), ("post", "/api/v1/positions/shogi/find", "text"),
        ("post", "/find/", "text"), ("post", "/positions/shogi/edit/", "text"), ("get", "/games/", "q"),
    ],
)  # fmt: skip
def test_no_search_takes_a_nul(method, address, field, text):
    answer = getattr(APIClient(), method)(address, {field: text}, HTTP_ACCEPT_LANGUAGE="en")
    assert (answer.status_code, "a NUL character (U+0000)" in answer.content.decode()) == (400, True)
    if "/api/" in address:
        assert answer.json()["code"] == "nul-character"


def as_jkf(**how: Any) -> str:
    return json.dumps(Game.objects.get().jkf, **how)


@pytest.mark.parametrize("host", ["http://testserver", ""])
def test_the_address_that_the_api_gives_of_a_game_is_an_address_of_it(host):
    game = Game.objects.get()
    target = find(f"{host}/api/v1/games/{game.pk}")
    assert (target["kind"], target["game_id"]) == ("game", game.pk)


@pytest.mark.parametrize(
    "text",
    [
        lambda: as_jkf(),
        lambda: as_jkf(ensure_ascii=False),
        lambda: as_jkf(indent=1),
        lambda: SHOGI.formats.writer("usen").dump(Game.objects.get().jkf),
        lambda: KIF.replace("\n", "\r"),
    ],
    ids=["a line of JKF", "JKF in kanji", "JKF in lines", "USEN", "lines of old Macs"],
)
def test_a_record_leads_to_its_game_however_few_lines_it_has(text):
    target = find(text())
    assert (target["kind"], target.get("game_id")) == ("game", Game.objects.get().pk)


def test_a_long_line_of_moves_leads_to_its_end():
    there_and_back = "2h3h 8b7b 3h2h 7b8b "
    target = find(f"startpos moves {there_and_back * 60}7g7f")
    assert shogi64.decode(target["code"]) == Position.from_sfen(AFTER_76)
    assert target["issues"] == []


def test_a_line_that_is_too_long_for_a_name_or_a_query_is_told_to_be_no_record():
    answer = APIClient().post("/api/v1/find", {"text": "no record " * 101}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown-format")


def test_a_name_that_begins_as_a_record_does_is_a_name():
    assert find("{braces}")["filters"] == {"player": "{braces}"}
    assert find("~tilde~")["filters"] == {"player": "~tilde~"}


@pytest.mark.parametrize(
    ("text", "code", "ply"),
    [
        ("7g7f 3c3c", "unreadable-move", 2),
        ("startpos moves 7g7f 7g7f", "no-piece", 2),
        ("▲７六歩△７六歩", "no-piece", 2),
        (KIF_THAT_ENDS_EARLY, "no-piece", 2),
    ],
)
def test_moves_that_cannot_be_played_are_told_beside_the_position_before_them(text, code, ply):
    target = find(text)
    assert shogi64.decode(target["code"]) == Position.from_sfen(AFTER_76)
    assert [(one["code"], one["ply"]) for one in target["issues"]] == [(code, ply)]
    assert target["issues"][0]["message"]


def test_what_is_wrong_with_a_drawn_board_is_told():
    target = find(WRONG_BOARD)["issues"]
    assert [one["code"] for one in target] == ["bad-board", "bad-board-rank"]
    assert (target[1]["line"], target[1]["message"]) == (4, "rank 1 has 10 squares")


@pytest.mark.parametrize(
    "text",
    [
        "7g7f 3c3d",
        "P-7f P-3d",
        "76歩 34歩",
        "+7776FU",
        "startpos",
        AFTER_76,
        "e2 e8",
        KIF,
        WRONG_BOARD.replace(" ・|一", "|一"),
    ],
)
def test_a_text_that_is_read_whole_has_no_errors(text):
    assert find(text)["issues"] == []


def test_find_of_positions_tells_the_same():
    def issues_of(**body: object) -> Any:
        answer = APIClient().post("/api/v1/positions/shogi/find", body, format="json")
        assert answer.status_code == 303, answer.content
        return [one["code"] for one in answer.json()["issues"]]

    assert issues_of(text="7g7f 3c3c") == ["unreadable-move"]
    assert issues_of(text=KIF_THAT_ENDS_EARLY, ply=1) == ["no-piece"]
    assert issues_of(text=WRONG_BOARD) == ["bad-board", "bad-board-rank"]
    assert (
        issues_of(text="7g7f 3c3d")
        == issues_of(text=AFTER_76)
        == issues_of(game_id=Game.objects.get().pk)
        == []
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN b - 1", "sfen-board"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNX b - 1", "sfen-board"),
        ("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "sfen-board"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x -", "sfen-turn"),
        ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b 2Q 1", "sfen-hands"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL_b_-_0x", "sfen-number"),
    ],
)
def test_an_sfen_that_is_wrong_is_told_so_and_taken_for_no_name(text, code):
    answer = APIClient().post("/api/v1/find", {"text": text}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    page = APIClient().get("/games/", {"q": text})
    assert (page.status_code, "location" in page.headers) == (400, False)
    query = APIClient().get("/api/v1/games", {"q": f'reaches:"{text}"'})
    assert (query.status_code, query.json()["errors"][0]["field"]) == (400, "q")


def test_an_sfen_with_underscores_for_blanks_is_one():
    target = find("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL_w_-_2")
    assert shogi64.decode(target["code"]) == Position.from_sfen(AFTER_76)


@pytest.mark.parametrize("text", ["A/B b - 1", "甲/乙/丙", "1/2/3/4/5/6/7/8/9"])
def test_slashes_alone_make_no_sfen(text):
    assert find(text)["kind"] == "games"


_SLASHES = "j7Ek/xDIBoAAA"


@pytest.mark.parametrize(
    "address",
    [
        f"https://example.org/positions/quoridor/{_SLASHES}/",
        f"/positions/quoridor/{_SLASHES}/?match=any#moves",
        "/positions/quoridor/j7Ek%2FxDIBoAAA/",
        f"https://example.org/api/v1/positions/quoridor/{_SLASHES}/games?limit=5",
        "/api/v1/positions/quoridor/j7Ek_xDIBoAAA.svg",
        f"https://example.org/positions/quoridor/{_SLASHES}/ e2",
    ],
)
def test_an_address_of_a_position_leads_there_however_its_code_is_written(address):
    target = find(address)
    assert (target["kind"], target.get("code")) == ("position", _SLASHES)


@pytest.mark.parametrize("query", ["ply=3", "ply=3&flip=1", "flip=1&ply=3"])
def test_an_address_of_a_game_tells_the_ply_wherever_it_stands(query):
    assert find(f"/games/{Game.objects.get().pk}/?{query}")["ply"] == 3
