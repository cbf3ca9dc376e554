"""shogi-server's summary and shogi-extend's headers against the ending of the record."""

from __future__ import annotations

import pytest

import kifu_core
from kifu_core.shogi.formats.summary import read_headers, read_summary
from tests.cases import each

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


# --- shogi-extend's headers ------------------------------------------------------------------------------


@each(
    ("winner", "color"),
    [
        ("▲", 0),
        ("☗", 0),
        ("▼", 0),
        (" 先手 ", 0),
        ("下手", 0),
        ("BLACK", 0),
        ("Sente", 0),
        ("△", 1),
        ("☖", 1),
        ("▽", 1),
        ("後手番", 1),
        ("上手", 1),
        ("white", 1),
        ("gote", 1),
        ("", None),
        ("甲", None),
    ],
)
def test_a_header_names_the_winner_of_an_interrupted_game(winner, color):
    head = f"N+A\nN-B\n$EVENT:将棋ウォーズ(10分切れ負け)\n$X_FINAL:切断\n$X_WINNER:{winner}\n"
    game = kifu_core.load(f"{head}+\n+7776FU,T2\n-3334FU,T0\n%CHUDAN\n", "a.csa").games[0]
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner, game.issues) == ("CHUDAN", color, ())
    assert game.record["header"]["X_WINNER"] == winner


@pytest.mark.parametrize(
    ("final", "winner", "special", "won"),
    [
        ("投了", "▲", "TORYO", 0),
        ("時間切れ", "▲", "TIME_UP", 0),
        ("詰み", "▲", "TSUMI", 0),
        ("入玉", "△", "KACHI", 1),
        ("千日手", "", "SENNICHITE", None),
        ("千日手", "▲", "ILLEGAL_MOVE", 0),
        ("TORYO", "▲", "TORYO", 0),
    ],
)
def test_headers_end_a_game_without_an_ending(final, winner, special, won):
    text = f"N+A\nN-B\n$X_FINAL:{final}\n$X_WINNER:{winner}\n+\n+7776FU\n-3334FU\n+2726FU\n"
    game = kifu_core.load(text, "a.csa").games[0]
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner, game.ending.draw) == (special, won, won is None)


def test_headers_that_contradict_the_ending_win_and_are_reported():
    text = "$X_FINAL:入玉\n$X_WINNER:△\n+\n+7776FU\n-3334FU\n%KACHI\n"
    game = kifu_core.load(text, "a.csa").games[0]
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner) == ("KACHI", 1)
    assert [issue.code for issue in game.issues] == ["result-mismatch"]


def test_the_start_of_a_game_may_have_a_shorter_key():
    """So write shogidb2's CSA files."""
    game = kifu_core.load("$START:2017-03-22T01:00:00.000Z\n+\n+7776FU\n", "a.csa").games[0]
    assert game.record["header"] == {"開始日時": "2017-03-22T01:00:00.000Z"}
    assert "$START_TIME:2017-03-22T01:00:00.000Z" in kifu_core.dump(game.record, "csa").splitlines()


def test_other_headers_say_nothing_of_the_result():
    for header in ({}, {"X_FINAL": ""}, {"X_FINAL": "謎", "X_WINNER": "甲"}, {"棋戦": "切断"}):
        assert read_headers(header) is None
    assert read_headers({"X_FINAL": "謎", "X_WINNER": "▲"}) == ("謎", 0)
