"""What each format loses: `losses` reports exactly what does not come back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kifu_core import dump, load, message
from kifu_core.errors import KifuError
from kifu_core.shogi.formats import FORMATS, losses
from kifu_core.shogi.specials import find
from tests.cases import each
from tests.kifu_core.random_games import random_record

FULL = """\
手合割：平手
先手：甲
後手：乙
棋戦：某
手数----指手---------消費時間--
*はじめの言葉
   1 ７六歩(77)   ( 0:16/00:00:16)
*注釈
&しおり
   2 ３四歩(33)   ( 0:00/00:00:00)+
   3 ２六歩(27)   ( 0:04/00:00:20)
   4 {ending}   ( 0:01/00:00:01)

変化：2手
   2 ８四歩(83)   ( 0:00/00:00:00)
   3 ２六歩(27)   ( 0:00/00:00:16)
"""


def full(ending="投了"):
    game = load(FULL.format(ending=ending)).games[0]
    return replace(game, fractions={1: "25"})


def dumped(game, file_format):
    options = {"ending": game.ending} if file_format[:2] in ("ki", "cs") else {}
    return dump(game.record, file_format, **options)


def kind(ending):
    """JKF's name of an ending, else the word of the table, else the word as it was written."""
    row = find(ending.word)
    return ending.special or (row.word if row else ending.word)


def parts(game):
    """The parts of a game as they can be compared, whatever the format calls them."""
    entries = game.record["moves"]
    forks = [fork for entry in entries for fork in entry.get("forks", ())]
    everything = [*entries, *(entry for fork in forks for entry in fork)]
    comments = [text for entry in everything for text in entry.get("comments", ())]
    return {
        "headers": set(game.record["header"].items()) - {("手合割", "平手")},
        "moves": [entry["move"] for entry in entries if "move" in entry],
        "times": [entry["time"] for entry in everything if "move" in entry and "time" in entry],
        "fractions": dict(game.fractions),
        "comments": [text for text in comments if not text.startswith("&")],
        "bookmarks": list(game.bookmarks) or [text for text in comments if text.startswith("&")],
        "forks": [[entry["move"] for entry in fork if "move" in entry] for fork in forks],
        "ending": game.ending and (kind(game.ending), game.ending.winner, game.ending.draw),
    }


def lost(game, file_format):
    """The parts that do not come back."""
    before, after = parts(game), parts(load(dumped(game, file_format), f"x.{file_format}").games[0])
    if file_format == "jkf" and after["bookmarks"]:
        before["bookmarks"] = after["bookmarks"]  # they stay among the comments with their sign
    if file_format == "csa":
        after["bookmarks"] = []  # a comment like any other
    return {part for part, value in before.items() if value != after[part]}


def parts_lost(game, file_format):
    """The parts that are reported as lost."""
    codes = {issue.code for issue in losses(game, file_format)}
    return {code.removeprefix("lost-") for code in codes if code.startswith("lost-")}


@each("file_format", FORMATS)
@each("ending", ["投了", "詰み", "千日手", "不戦敗", "反則負け", "入玉勝ち", "最大手数", "降参"])
def test_reported_losses_are_what_does_not_come_back(file_format, ending):
    game = full(ending)
    reported = parts_lost(game, file_format)
    assert reported == lost(game, file_format)


@each("file_format", FORMATS)
@each("seed", range(10))
def test_nothing_else_is_lost_of_any_game(file_format, seed):
    text = dump(random_record(seed), "kif")
    game = load(text).games[0]
    reported = parts_lost(game, file_format)
    assert lost(game, file_format) <= reported


def test_an_issue_says_how_much_is_lost():
    found = {issue.code: issue for issue in losses(full(), "sfen")}
    assert {code: issue.params["count"] for code, issue in found.items()} == {
        "lost-moves": 5, "lost-headers": 4, "lost-times": 6, "lost-fractions": 1, "lost-comments": 2,
        "lost-bookmarks": 1, "lost-forks": 1, "lost-ending": 1,
    }  # fmt: skip
    assert message(found["lost-forks"]) == "sfen 形式では 1 個の変化が失われます"
    assert message(found["lost-forks"], language="en") == "sfen loses 1 variation"


def test_an_unknown_ending_that_no_row_can_hold_is_lost():
    game = full()
    ending = replace(game.ending, special=None, word="(77) : *")
    record = {**game.record, "moves": [entry for entry in game.record["moves"] if "special" not in entry]}
    game = replace(game, record=record, ending=ending)
    assert "lost-ending" in {issue.code for issue in losses(game, "kif")}
    assert load(dumped(game, "kif")).games[0].ending is None


def test_csa_keeps_fractions_of_seconds_from_version_3_on():
    game = full()
    text = dump(game.record, "csa", version="3", fractions=game.fractions)
    assert text.startswith("'CSA encoding=UTF-8\nV3.0\nN+甲\nN-乙\n")
    assert "+7776FU\nT16.25\n" in text
    assert load(text).games[0].fractions == game.fractions
    assert dump(game.record, "csa", fractions=game.fractions) == dump(game.record, "csa")
    assert "lost-fractions" in {issue.code for issue in losses(game, "csa")}
    assert "lost-fractions" not in {issue.code for issue in losses(game, "csa", csa="3")}


def test_a_diagram_keeps_the_players_names():
    counts = {issue.code: issue.params["count"] for issue in losses(full(), "bod")}
    assert counts["lost-headers"] == 2
    text = dump(full().record, "bod")
    assert "先手：甲" in text and "後手：乙" in text and "某" not in text


def test_what_is_not_there_is_not_lost():
    game = load("startpos moves 7g7f").games[0]
    assert all(
        losses(game, file_format) == () for file_format in FORMATS if file_format not in ("sfen", "bod")
    )


def test_nothing_is_known_of_an_unknown_format():
    with pytest.raises(KifuError):
        losses(full(), "pgn")
