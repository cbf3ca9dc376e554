"""The other doors to a position: whatever names it leads to its code."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from archive import store
from archive.models import Game, GameAlias
from kifu_core.shogi import draw
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, ready
from tests.archive.games import CSA, KIF, START

pytestmark = pytest.mark.django_db

AFTER_76 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -"
KINGS = "4k4/9/9/9/9/9/9/9/4K4 b G"
CSA_BOARD = """P1 *  *  *  * -OU *  *  *  * 
P2 *  *  *  *  *  *  *  *  * 
P3 *  *  *  *  *  *  *  *  * 
P4 *  *  *  *  *  *  *  *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  *  *  *  *  *  *  *  * 
P7 *  *  *  *  *  *  *  *  * 
P8 *  *  *  *  *  *  *  *  * 
P9 *  *  *  * +OU *  *  *  * 
P+00KI
+
"""  # noqa: W291 - the format's empty squares


@pytest.fixture
def client() -> APIClient:
    return APIClient()


def find(client: APIClient, **body: object):
    return client.post("/api/v1/positions/shogi/find", body, format="json")


def sfen_found(answer) -> str:
    assert answer.status_code == 303, answer.content
    data = answer.json()
    assert answer["Location"] == data["url"] and data["url"].endswith(f"/positions/shogi/{data['code']}")
    assert shogi64.decode(data["code"]) == Position.from_sfen(data["sfen"])
    return Position.from_sfen(data["sfen"]).sfen(None)


@pytest.mark.parametrize(
    ("text", "sfen"),
    [
        (f"{KINGS} 1", KINGS),
        (KINGS, KINGS),
        (f"  {KINGS} 33\n", KINGS),
        (f"sfen {KINGS} 1", KINGS),
        (f"position sfen {KINGS} 1", KINGS),
        ("startpos", Position.initial().sfen(None)),
        ("startpos moves 7g7f", AFTER_76),
        ("position startpos moves 7g7f", AFTER_76),
        (draw.text(Position.from_sfen(KINGS)), KINGS),
        (CSA_BOARD, KINGS),
        ("PI\n+\n", Position.initial().sfen(None)),
        ("手合割：平手\n", Position.initial().sfen(None)),
    ],
)
def test_a_text_that_is_a_position_leads_to_it(client, text, sfen):
    assert sfen_found(find(client, text=text)) == Position.from_sfen(sfen).sfen(None)


@pytest.mark.parametrize("text", [KIF, CSA, "startpos moves 7g7f 3c3d 8h2b+"])
def test_a_record_leads_to_the_position_after_so_many_moves(client, text):
    assert sfen_found(find(client, text=text, ply=1)) == AFTER_76
    assert sfen_found(find(client, text=text, ply=0)) == Position.initial().sfen(None)


def test_a_record_without_a_ply_leads_to_its_last_position(client):
    assert sfen_found(find(client, text=KIF)) == sfen_found(find(client, text=KIF, ply=7))


def test_a_game_with_a_ply_leads_to_the_position(client):
    ingest(ready("7g7f 3c3d"))
    pk = Game.objects.get().pk
    assert sfen_found(find(client, game_id=pk, ply=1)) == AFTER_76
    GameAlias.objects.create(pk=pk + 100, game_id=pk)
    assert sfen_found(find(client, game_id=pk + 100, ply=1)) == AFTER_76


def test_a_position_object_leads_back_to_where_it_came_from(client):
    for sfen in (AFTER_76, KINGS):
        code = shogi64.encode(Position.from_sfen(sfen))
        data = client.get(f"/api/v1/positions/shogi/{code}").json()["position"]
        assert sfen_found(find(client, **data)) == Position.from_sfen(sfen).sfen(None)
        assert sfen_found(find(client, position=data)) == Position.from_sfen(sfen).sfen(None)


def test_hands_that_are_left_out_are_empty(client):
    data = {"turn": True, "board": [0] * 81, "hands": {"white": {"FU": 2}}}
    assert sfen_found(find(client, **data)) == "9/9/9/9/9/9/9/9/9 b 2p"


def test_a_position_that_no_game_reaches_is_found_all_the_same(client):
    answer = find(client, text=KINGS)
    shown = client.get(answer["Location"])
    assert (shown.status_code, shown.json()["games"]) == (200, 0)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "no-position"),
        ({"text": KINGS, "game_id": 1}, 400, "no-position"),
        ({"text": "hello"}, 400, "unknown-format"),
        ({"text": "9/9 b -"}, 400, "sfen-board"),
        ({"text": KIF, "ply": 8}, 400, "ply-out-of-range"),
        ({"game_id": 4711, "ply": 0}, 404, "game-not-found"),
        ({"text": KIF, "ply": -1}, 400, "invalid"),
        ({"ply": 1}, 400, "no-position"),
        ({"board": [0] * 80, "turn": True}, 400, "bad-position-object"),
        ({"board": [15] * 81, "turn": True}, 400, "bad-position-object"),
        ({"board": [True] * 81, "turn": True}, 400, "bad-position-object"),
        ({"board": [0] * 81, "turn": 1}, 400, "bad-position-object"),
        ({"board": [0] * 81, "turn": True, "hands": {"gote": {}}}, 400, "bad-position-object"),
        ({"board": [0] * 81, "turn": True, "hands": {"black": {"OU": 1}}}, 400, "bad-position-object"),
        ({"board": [0] * 81, "turn": True, "hands": {"black": {"FU": 19}}}, 400, "bad-position-object"),
        ({"board": None, "turn": True, "hands": []}, 400, "bad-position-object"),
    ],
)
def test_what_names_no_position_is_a_problem_with_a_code(client, body, status, code):
    answer = find(client, **body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_ply_that_is_not_there_is_told_in_the_language_asked_for(client):
    body = {"text": KIF, "ply": 8}
    answer = client.post("/api/v1/positions/shogi/find", body, format="json", HTTP_ACCEPT_LANGUAGE="ja")
    assert answer.json()["detail"] == "there is no ply 8: the main line has plies 0 to 7"
    assert answer.json()["errors"][0]["message"] == "8手目はありません（本譜は7手目まで）"


def test_a_game_that_was_deleted_is_not_there(client):
    ingest(ready("7g7f 3c3d"))
    pk = Game.objects.get().pk
    store.delete_games([pk])
    assert find(client, game_id=pk).json()["code"] == "game-not-found"


def test_the_initial_position_has_its_code(client):
    assert find(client, text="startpos").json()["code"] == START


def test_moves_of_usi_one_to_a_line_lead_to_the_last(client):
    lines, line = (
        client.post("/api/v1/find", {"text": text}, format="json").json()
        for text in ("7g7f\n3c3d\n2g2f", "7g7f 3c3d 2g2f")
    )
    assert (lines["kind"], lines["code"]) == ("position", line["code"])
