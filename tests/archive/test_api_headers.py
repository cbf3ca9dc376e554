"""What the API tells of a game's headers, and lists filtered by it."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from archive.models import Game, GamePlayer
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

RICH = """手合割：平手
先手：先手の人 九段
後手：後手の人(1523)
棋戦：第66期王位戦七番勝負第６局
開始日時：慶応2年9月
持ち時間：15分+60秒
消費時間：3▲1△2
戦型：相振飛車
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:02/00:00:02)
   3 ６六歩(67)   ( 0:03/00:00:04)
   4 千日手       ( 0:00/00:00:02)
"""


@pytest.fixture
def client() -> APIClient:
    return APIClient()


def list_ids(client: APIClient, **query: str | int) -> list[int]:
    answer = client.get("/api/v1/games", query)
    assert answer.status_code == 200, answer.content
    return [game["id"] for game in answer.json()["results"]]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"min_plies": 3}, 2),
        ({"min_plies": 4}, 1),
        ({"max_plies": 6}, 1),
        ({"min_plies": 4, "max_plies": 6}, 0),
        ({"special": "SENNICHITE"}, 1),
        ({"special": "TORYO"}, 1),
        ({"special": "KACHI"}, 0),
        ({"opening": "相振飛車"}, 1),
        ({"opening": "相振り飛車"}, 1),
        ({"opening": "矢倉"}, 0),
        ({"opening": "相振り飛車", "special": "TORYO"}, 0),
    ],
)
def test_lists_are_filtered_by_plies_ending_and_opening(client, query, count):
    stored(KIF)
    stored(RICH)
    assert len(list_ids(client, **query)) == count


@pytest.mark.parametrize("query", [{"min_plies": "-1"}, {"max_plies": "many"}, {"min_plies": 2**40}])
def test_plies_that_make_no_sense_are_refused(client, query):
    assert client.get("/api/v1/games", query).status_code == 400


def test_a_game_tells_what_its_headers_say(client):
    stored(RICH)
    game = Game.objects.get()
    answer = client.get(f"/api/v1/games/{game.pk}").json()
    assert (answer["black"], answer["white"], answer["event"]) == ("先手の人", "後手の人", "第66期王位戦")
    assert (answer["round"], answer["opening"]) == ("七番勝負 第6局", "相振り飛車")
    assert (answer["date"], answer["calendar"]) == ("1866-09", "lunisolar")
    assert answer["header_data"] == {
        "players": [{"rank": "九段"}, {}],
        "edition": 66,
        "time_limit": {"main": 900, "byoyomi": 60, "increment": 0, "periods": 0},
        "time_used": {"plies": 3, "black": 60, "white": 120},
    }
    assert game.jkf["header"]["先手"] == "先手の人 九段"


def test_ratings_are_kept_with_the_player_of_a_game():
    stored(RICH)
    assert sorted(GamePlayer.objects.values_list("colour", "rating")) == [(0, None), (1, 1523)]


def test_ratings_of_a_server_stand_in_its_comments():
    stored(CSA.replace("\n+\n", "\n+\n'black_rate:a+1f:3749.0\n'white_rate:b+2e:2811.9\n"), "a.csa")
    assert sorted(GamePlayer.objects.values_list("colour", "rating")) == [(0, 3749), (1, 2811)]
