"""shogi-server's summary against the ending of the record."""

from __future__ import annotations

import pytest

import kifu_core
from kifu_core.shogi.formats.summary import read_summary

GAME = "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n"


@pytest.mark.parametrize(
    ("text", "word", "winner"),
    [
        ("summary:toryo:A win:B lose", "TORYO", 0),
        ("summary:toryo:A lose:B win", "TORYO", 1),
        ("summary:toryo:B win:A lose", "TORYO", 1),
        ("summary:time up:A win:B lose", "TIME_UP", 0),
        ("summary:abnormal:A lose:B win", "abnormal", 1),
        ("summary:max_moves:A draw:B draw", "MAX_MOVES", None),
        ("summary:oute_sennichite:A win:B lose", "OUTE_SENNICHITE", 0),
        ("summary:toryo:x y win:z lose", "TORYO", 0),
        ("summary:chudan:A lose:B lose", "CHUDAN", None),
    ],
)
def test_a_summary_names_the_winner(text, word, winner):
    assert read_summary(text, "A", "B") == (word, winner)


@pytest.mark.parametrize(
    "text", ["summary:", "summary:toryo", "a summary:toryo:A win:B lose", "summary:a:b:c"]
)
def test_other_comments_are_no_summary(text):
    assert read_summary(text, "A", "B") is None


def test_players_of_one_name_are_taken_in_order():
    assert read_summary("summary:toryo:A lose:A win", "A", "A") == ("TORYO", 1)


def codes(text: str) -> list[tuple[str, int | None]]:
    return [(issue.code, issue.line) for issue in kifu_core.load(text, "a.csa").games[0].issues]


def test_a_summary_that_contradicts_the_ending_is_an_issue():
    assert codes(GAME + "%TORYO\n'summary:toryo:A win:B lose\n") == [("result-mismatch", 11)]
    assert codes(GAME + "%TORYO\n'summary:toryo:A lose:B win\n") == []
    assert codes(GAME + "%CHUDAN\n'summary:abnormal:A lose:B win\n") == []


def test_a_game_without_an_ending_ends_as_its_summary_says():
    won = kifu_core.load(GAME + "'summary:abnormal:A win:B lose\n", "a.csa").games[0].ending
    assert won is not None
    assert (won.word, won.special, won.ply, won.winner, won.draw) == ("abnormal", None, 2, 0, False)
    drawn = kifu_core.load(GAME + "'summary:max_moves:A draw:B draw\n", "a.csa").games[0].ending
    assert drawn is not None
    assert (drawn.word, drawn.winner, drawn.draw) == ("MAX_MOVES", None, True)


def test_the_summary_stays_a_comment():
    record = kifu_core.load(GAME + "%TORYO\n'summary:toryo:A lose:B win\n", "a.csa").games[0].record
    assert record["moves"][-1] == {"special": "TORYO", "comments": ["summary:toryo:A lose:B win"]}
