"""The explorer through the API: what it tells of moves, filters, many positions at once, trees."""

from __future__ import annotations

from datetime import date

import pytest
from rest_framework.test import APIClient

from archive.queries.positions import opening_tree as walk
from archive.queries.positions import reading_plan
from archive.queries.scope import PUBLIC
from kifu_core.shogi import moves
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, rated, ready
from tests.archive.games import START

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture(scope="module")
def games(module_db: None) -> None:
    lines = ["7g7f 3c3d 2g2f 8c8d", "7g7f 3c3d 2g2f 4c4d", "7g7f 8c8d 2g2f 3c3d", "2g2f 3c3d 7g7f 8c8d"]
    for number, line in enumerate(lines):
        game = ready(
            line, winner=number % 2, black="甲", white=f"乙{number}", event="王位戦", day=f"202{number}/01/01"
        )
        ingest(rated(game, 1500 + 100 * number, 1500))


def after(line: str) -> str:
    position = Position.initial()
    for usi in line.split():
        position.do_move(moves.from_usi(usi))
    return shogi64.encode(position)


def explore(client: APIClient, code: str, **query: object):
    return client.get(f"/api/v1/positions/shogi/{code}", query)


def test_a_move_comes_with_all_that_is_known_of_it(client, games):
    answer = explore(client, START).json()
    move = answer["moves"][0]
    assert (move["move"], move["games"], move["share"], move["points_share"]) == ("7g7f", 3, 0.75, 0.666667)
    assert (move["rating"], move["rated"], move["last_year"], move["reached"]) == (1600, 3, 2022, 3)
    low, high = move["interval"]
    assert 0.2 < low < move["points_share"] < high < 1 and answer["confidence"] == 0.95
    assert answer["sample"] is None and "transpositions" not in answer


def test_moves_that_nobody_played_are_told_when_asked_for(client, games):
    answer = explore(client, after("2g2f 8c8d"), transpositions=1).json()
    assert answer["games"] == 0
    assert [(move["move"], move["reached"]) for move in answer["transpositions"]] == [("7g7f", 1)]


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ({"player": "乙1"}, 1),
        ({"black": "甲"}, 4),
        ({"white": "甲"}, 0),
        ({"event": "王位戦"}, 4),
        ({"event": "名人戦"}, 0),
        ({"from": "2021-01-01"}, 3),
        ({"from": "2021-01-01", "to": "2021-12-31"}, 1),
        ({"result": "black"}, 2),
        ({"handicap": "HIRATE"}, 4),
        ({"handicap": "KY"}, 0),
        ({"min_rating": 1500}, 4),
        ({"min_rating": 1501}, 0),
        ({"upload": 999}, 0),
    ],
)
def test_filters_narrow_the_answer_and_the_list_of_games_alike(client, games, query, total):
    answer = explore(client, START, **query).json()
    assert answer["games"] == total
    listed = client.get(f"/api/v1/positions/shogi/{START}/games", query).json()
    assert len(listed["results"]) == total


def test_an_answer_from_a_sample_says_so(client, games, monkeypatch, hot_at_three):
    ingest(*(ready("7g7f", black=f"丙{number}", day="2019/01/01") for number in range(3)))
    for name, value in (("FEW_ROWS", 0), ("EXACT_ROWS", 3), ("SAMPLE_ROWS", 2)):
        monkeypatch.setattr(reading_plan, name, value)
    answer = explore(client, START, min_rating=1).json()
    assert answer["sample"] == {"read": 2, "of": 7, "window": {"from": "2022-01-01", "to": "2023-01-01"}}
    assert answer["games"] == 2 and answer["first"] is None
    assert answer["latest"]["date"] == date(2023, 1, 1).isoformat()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": "yesterday"}, "from"),
        ({"result": "victory"}, "result"),
        ({"handicap": "QUEEN"}, "handicap"),
        ({"min_rating": "high"}, "min_rating"),
        ({"upload": "x"}, "upload"),
        ({"transpositions": "perhaps"}, "transpositions"),
    ],
)
def test_a_filter_that_makes_no_sense_is_named(client, query, field):
    answer = explore(client, START, **query)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


# --- many at once ----------------------------------------------------------------------------------------


def batch(client: APIClient, **body: object):
    return client.post("/api/v1/positions/shogi/batch", body, format="json")


def test_many_positions_are_answered_in_the_order_asked(client, games):
    codes = [after("7g7f"), START, after("9g9f"), START]
    answer = batch(client, codes=codes).json()
    assert [result["code"] for result in answer["results"]] == codes
    assert [result["games"] for result in answer["results"]] == [3, 4, 0, 4]
    assert answer["results"][0]["moves"][0]["move"] == "3c3d"


def test_an_invalid_code_among_many_has_its_error_in_its_place(client, games):
    first, second, third = batch(client, codes=[START, "xx", ""], match="any").json()["results"]
    assert first["games"] == 4
    assert (second["code"], second["error"]["code"]) == ("xx", "truncated")
    assert third["error"]["code"] == "empty"


@pytest.mark.parametrize("codes", [None, [], [START] * 101, "x", [{}]])
def test_a_batch_has_one_to_a_hundred_codes(client, codes):
    answer = batch(client, codes=codes)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "codes"


# --- the tree --------------------------------------------------------------------------------------------


def tree(client: APIClient, code: str = START, **query: object):
    return client.get(f"/api/v1/positions/shogi/{code}/tree", query)


def lines(nodes: list[dict]) -> list[str]:
    """The moves of a tree as lines, each with its games."""
    result = []
    for node in nodes:
        result += [
            f"{node['move']}:{node['games']}",
            *(f"{node['move']} {line}" for line in lines(node["moves"])),
        ]
    return result


def test_a_tree_holds_what_enough_games_played(client, games):
    answer = tree(client, depth=3, min_games=2).json()
    assert lines(answer["moves"]) == ["7g7f:3", "7g7f 3c3d:2", "7g7f 3c3d 2g2f:2"]
    assert (answer["games"], answer["nodes"], answer["cut"]) == (4, 3, None)


def test_a_position_reached_in_two_ways_goes_on_in_one_of_them(client, games):
    answer = tree(client, depth=4, min_games=1).json()
    result = lines(answer["moves"])
    assert "2g2f 3c3d 7g7f:1" in result and "2g2f 3c3d 7g7f 8c8d:1" not in result
    assert "7g7f 3c3d 2g2f 8c8d:2" in result
    (second,) = [node for node in answer["moves"] if node["move"] == "2g2f"]
    (again,) = second["moves"][0]["moves"]
    assert (again["move"], again["again"], again["open"]) == ("7g7f", True, False)


def test_a_tree_that_grows_too_large_says_that_it_was_cut(client, games, monkeypatch):
    monkeypatch.setattr(walk, "MOST_NODES", 2)
    answer = tree(client, depth=3, min_games=1).json()
    assert (answer["nodes"], answer["cut"]) == (2, "nodes")
    assert all(node["open"] for node in answer["moves"])


def test_a_tree_that_takes_too_long_says_that_it_was_cut(games):
    result = walk.build_tree(PUBLIC, "shogi", START, 5, 1, seconds=0)
    assert result.cut == "time" and result.root.explorer.total == 4


@pytest.mark.parametrize(
    ("name", "value"), [("depth", 0), ("depth", 41), ("min_games", 0), ("depth", "deep")]
)
def test_a_tree_has_a_sensible_size(client, name, value):
    answer = tree(client, **{name: value})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == name
