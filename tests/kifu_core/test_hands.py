"""Hands with more pieces than any set has: a hundred of a kind are refused, what is kept can be written."""

from __future__ import annotations

import json

import pytest

from kifu_core import dump, load
from kifu_core.shogi.formats import FORMATS
from kifu_core.shogi.pieces import MOST_IN_HAND
from kifu_core.shogi.replay import start

BARE = "|" + " ・" * 9 + "|一\n"


def as_jkf(count: int) -> str:
    data = {"color": 0, "board": [], "hands": [{"FU": count}, {}]}
    return json.dumps({"header": {}, "initial": {"preset": "OTHER", "data": data}, "moves": [{}]})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("先手の持駒：歩１００\n" + BARE * 9, "bad-hand"),
        ("先手の持駒：飛　歩九十九　歩\n" + BARE * 9, "bad-hand"),
        ("P-" + "00FU" * (MOST_IN_HAND + 1) + "\n+\n", "bad-piece"),
        ("sfen 9/9/9/9/9/9/9/9/9 b 50P50P 1\n", "sfen-hands"),
        (as_jkf(100), "jkf-value"),
    ],
)
def test_a_hundred_pieces_of_a_kind_are_no_hand(text, code):
    result = load(text)
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    assert [issue.code for issue in issues] == [code]
    for game in result.games:
        assert all(count <= MOST_IN_HAND for hand in start(game.record).hands for count in hand)


@pytest.mark.parametrize("file_format", FORMATS)
def test_the_fullest_hand_is_written_and_read_back(file_format):
    game = load(as_jkf(MOST_IN_HAND)).games[0]
    again = load(dump(game.record, file_format), f"x.{file_format}").games[0]
    assert start(again.record) == start(game.record)


def test_a_hand_that_grew_by_captures_is_written():
    board = ["|" + " ・" * 8 + "v歩|一\n", "|" + " ・" * 8 + " 飛|二\n", *[BARE] * 7]
    text = "先手の持駒：歩９９\n" + "".join(board) + "1 １一飛(12)\n"
    assert "先手の持駒：歩100" in dump(load(text).games[0].record, "bod", ply=None)
