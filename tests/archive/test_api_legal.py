"""Legal moves through the API: what a free board needs to know of the rules."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from kifu_core.shogi import moves, rules
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.games import START

BOTH_DROPS_AND_MATES = "7lk/9/8S/9/9/9/9/9/4K4 b P2G 1"
PROMOTING = "4k4/9/4P4/9/9/9/9/9/4K4 b - 1"
MATED = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"
MOST_MOVES = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"


def legal(sfen: str) -> list[dict[str, object]]:
    code = shogi64.encode(Position.from_sfen(sfen))
    answer = APIClient().get(f"/api/v1/positions/shogi/{code}/legal")
    assert answer.status_code == 200
    assert answer.json()["code"] == code
    return answer.json()["moves"]


@pytest.mark.parametrize("sfen", [Position.initial().sfen(), BOTH_DROPS_AND_MATES, PROMOTING, MOST_MOVES])
def test_every_legal_move_comes_with_the_code_of_what_it_leads_to(sfen):
    position = Position.from_sfen(sfen)
    moves_by_name = {move["move"]: move["code"] for move in legal(sfen)}
    assert moves_by_name.keys() == {moves.to_usi(move) for move in rules.legal_moves(position)}
    for usi, code in moves_by_name.items():
        after = position.copy()
        after.do_move(moves.from_usi(usi))
        assert shogi64.decode(code) == after


def test_a_choice_of_promotion_is_two_moves():
    moves_by_name = {
        move["move"]: (move["text"], move["promotes"], move["piece"]) for move in legal(PROMOTING)
    }
    assert moves_by_name["5c5b+"] == ("５二歩成", True, "FU")
    assert moves_by_name["5c5b"] == ("５二歩不成", False, "FU")


def test_a_capture_is_told():
    moves_by_name = {move["move"]: move["captured"] for move in legal("4k4/9/4p4/4P4/9/9/9/9/4K4 b - 1")}
    assert moves_by_name["5d5c"] == moves_by_name["5d5c+"] == "FU"
    assert moves_by_name["5i5h"] is None


def test_no_two_moves_of_a_position_have_the_same_text():
    texts = [move["text"] for move in legal(MOST_MOVES)]
    assert len(texts) == len(set(texts)) == 593


def test_a_mate_has_no_legal_moves():
    assert legal(MATED) == []


def test_an_invalid_code_is_refused_with_the_decoders_error():
    for code, error in ((START + "A", "trailing-chars"), ("xx", "truncated")):
        answer = APIClient().get(f"/api/v1/positions/shogi/{code}/legal")
        assert (answer.status_code, answer.json()["code"]) == (400, error)


def test_another_game_is_not_known_here():
    answer = APIClient().get("/api/v1/positions/chess/xyz/legal")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-game")
