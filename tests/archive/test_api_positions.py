"""Positions through the API: how often, what next, which games; and what is no position."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.games import CSA, KIF, START, stored

pytestmark = pytest.mark.django_db

AFTER_76 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
DRAWN = CSA.replace("%TORYO", "%SENNICHITE").replace("先手の人", "四人目")


@pytest.fixture
def client() -> APIClient:
    return APIClient()


def explore(client: APIClient, code: str, **query: str):
    return client.get(f"/api/v1/positions/shogi/{code}", query)


def test_a_position_tells_how_many_games_reach_it_and_what_they_played(client):
    stored(KIF)
    stored(DRAWN, "drawn.csa")
    answer = explore(client, START).json()
    assert answer["games"] == 2
    assert answer["outcomes"] == {"black": 1, "white": 0, "draw": 1, "unknown": 0}
    (move,) = answer["moves"]
    assert (move["move"], move["text"], move["games"]) == ("7g7f", "７六歩", 2)
    assert explore(client, move["code"]).json()["sfen"] == AFTER_76.replace(" 2", " 1")


def test_it_gives_the_position_as_the_codes_description_does(client):
    position = explore(client, START).json()["position"]
    assert position["turn"] is True
    assert position["board"][:9] == [-2, -3, -4, -5, -8, -5, -4, -3, -2]
    assert position["hands"] == {
        side: {"FU": 0, "KY": 0, "KE": 0, "GI": 0, "KI": 0, "KA": 0, "HI": 0} for side in ("black", "white")
    }


def test_a_position_that_nobody_reached_has_zero_games(client):
    answer = explore(client, START)
    assert answer.status_code == 200
    assert (answer.json()["games"], answer.json()["moves"], answer.json()["first"]) == (0, [], None)


@pytest.mark.parametrize(("match", "total"), [("exact", 0), ("mirror", 1), ("color", 0), ("any", 1)])
def test_a_mirrored_board_is_found_where_it_is_asked_for(client, match, total):
    stored(KIF)
    position = Position.from_sfen(AFTER_76).mirrored()
    answer = explore(client, shogi64.encode(position), match=match).json()
    assert answer["games"] == total
    assert [move["move"] for move in answer["moves"]] == ["7c7d"] * total


@pytest.mark.parametrize(("match", "total"), [("exact", 0), ("mirror", 0), ("color", 1), ("any", 1)])
def test_a_board_with_colours_exchanged_turns_the_results(client, match, total):
    stored(KIF)
    position = Position.from_sfen(AFTER_76).turned()
    answer = explore(client, shogi64.encode(position), match=match).json()
    assert answer["games"] == total
    assert answer["outcomes"]["white"] == total
    assert [move["move"] for move in answer["moves"]] == ["7g7f"] * total


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("xx", "truncated"),
        (START + "A", "trailing-chars"),
        (START[:-1] + "B", "nonzero-padding"),
        (START + "=", "bad-char"),
        ("A" * 161, "too-long"),
        ("a/b", "bad-char"),
    ],
)
def test_an_invalid_code_is_a_problem_with_the_decoders_name(client, code, error):
    for address in (code, f"{code}/games"):
        answer = client.get(f"/api/v1/positions/shogi/{address}")
        assert answer.status_code == 400
        assert answer.json()["code"] == error
        assert answer["Content-Type"] == "application/problem+json"


def test_the_games_through_a_position_come_in_pages_newest_first(client):
    for day in ("2024/05/01", "2023/01/01", "2025/12/31"):
        stored(KIF.replace("2024/05/01", day), "game.kif")
    address, dates = f"/api/v1/positions/shogi/{START}/games?limit=2", []
    while address:
        page = client.get(address).json()
        dates += [game["date"] for game in page["results"]]
        address = page["next_url"]
    assert dates == ["2025-12-31", "2024-05-01", "2023-01-01"]


def test_a_game_through_a_position_tells_its_ply_and_what_it_played_there(client):
    stored(KIF)
    code = shogi64.encode(Position.from_sfen(AFTER_76))
    (game,) = client.get(f"/api/v1/positions/shogi/{code}/games").json()["results"]
    assert (game["ply"], game["move"], game["fork"], game["turned"]) == (1, "3c3d", False, False)


def test_an_sfen_leads_to_the_position(client):
    answer = client.get("/api/v1/positions/shogi", {"sfen": AFTER_76})
    assert answer.status_code == 303
    assert answer["Location"].endswith(shogi64.encode(Position.from_sfen(AFTER_76)))


@pytest.mark.parametrize("sfen", ["", "nonsense", "9/9/9/9/9/9/9/9/9 x -", "9/9 b -"])
def test_what_is_no_sfen_is_a_problem(client, sfen):
    answer = client.get("/api/v1/positions/shogi", {"sfen": sfen})
    assert answer.status_code == 400
    assert answer.json()["code"].startswith("sfen-")


def test_a_position_has_a_picture(client):
    answer = client.get(f"/api/v1/positions/shogi/{START}.svg", {"flip": "1"})
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer.content.startswith(b"<svg")


@pytest.mark.parametrize(
    ("query", "field"),
    [({"match": "turned"}, "match"), ({"lines": "some"}, "lines"), ({"order": "x"}, "order")],
)
def test_a_parameter_that_makes_no_sense_is_named(client, query, field):
    answer = explore(client, START, **query)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


@pytest.mark.parametrize("limit", ["0", "501", "-1", "many", "٣"])
def test_a_page_has_a_sensible_size(client, limit):
    answer = client.get(f"/api/v1/positions/shogi/{START}/games", {"limit": limit})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-limit")


def test_a_cursor_that_was_not_made_here_is_refused(client):
    answer = client.get(f"/api/v1/positions/shogi/{START}/games", {"cursor": "made-up"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-cursor")


def test_another_game_is_not_known_here(client):
    answer = client.get("/api/v1/positions/chess/xyz")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-game")
