"""Several headers on a line."""

from __future__ import annotations

import pytest

from kifu_core.shogi.formats.joined_headers import split_header


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("先手", "甲　後手：乙", {"先手": "甲", "後手": "乙"}),
        ("先手", "甲野 太郎 九段 後手:乙山 次郎", {"先手": "甲野 太郎 九段", "後手": "乙山 次郎"}),
        ("下手", "甲、上手：乙", {"下手": "甲", "上手": "乙"}),
        ("先手", "　後手：", {"先手": "", "後手": ""}),
        ("先手", "後手：乙", {"先手": "", "後手": "乙"}),
        (
            "開始日時",
            "2024/05/01 10:00 棋戦：某戦 第1局　先手：甲 後手：乙",
            {"開始日時": "2024/05/01 10:00", "棋戦": "某戦 第1局", "先手": "甲", "後手": "乙"},
        ),
        ("手合割", "平手　　", {"手合割": "平手　　"}),
        ("先手", "甲 先手：乙", {"先手": "甲 先手：乙"}),
        ("先手", "甲（後手：乙）", {"先手": "甲（後手：乙）"}),
        ("備考", "感想 先手：甲 後手：乙", {"備考": "感想 先手：甲 後手：乙"}),
    ],
)
def test_a_line_of_headers_is_split(name, value, found):
    assert split_header(name, value) == found


@pytest.mark.parametrize(
    "value",
    [
        "甲 vs 乙",
        "甲ＶＳ乙",
        "甲 対 乙",
        "甲－乙",
        "▲甲　△乙",
        "☗甲 ☖乙",
        "▲甲 対 △乙",
        "先手 甲、後手 乙",
        "先手：甲 後手：乙",
    ],
)
def test_one_header_names_both_players(value):
    assert split_header("対局者", value) == {"対局者": value, "先手": "甲", "後手": "乙"}


@pytest.mark.parametrize("value", ["", "甲", "甲 乙", "対乙", " 対 ", "x" * 100 + " 対 乙"])
def test_what_names_no_two_players_stays(value):
    assert split_header("対局者", value) == {"対局者": value}


def test_long_lines_are_split_at_once():
    value = "甲 " + "後手 " * 200_000
    assert split_header("先手", value) == {"先手": value}
    value = " 、" * 200_000
    assert split_header("先手", value) == {"先手": value}
    assert split_header("対局", "対" * 200_000) == {"対局": "対" * 200_000}
