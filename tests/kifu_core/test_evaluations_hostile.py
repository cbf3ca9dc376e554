"""Comments hold any text at all: looking for evaluations never fails and ends soon."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kifu_core
from kifu_core.jkf import Record
from kifu_core.shogi.clock import TimeLimit, ticks
from kifu_core.shogi.evaluations import best, evaluations

SAMPLE = Path(__file__).parents[1] / "data" / "evaluations" / "floodgate.csa"
_WORDS = """
* ** # *# 評価値= 評価値 詰み= 先手勝ち 後手勝ち : 手 読み筋= 読み筋 深さ= 深さ ノード数= エンジン= 対局 解析
検討 Engine 候補1 時間 00:15.9 10/17 0 -30000 99999999 1e9 +7776FU -3334FU 7g7f P*5e B*4e+ ▲７六歩 △同　銀
☗同 (77) #指し手[ #推奨手[ 72 ] #形勢[ 成 打 右上 詰 -詰 ↑ \ud800 ² ٣
"""
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*_WORDS.split(), " ", "\n", "　"]), max_size=14).map("".join),
)


def commented(comments: list[str]) -> Record:
    record = kifu_core.load(SAMPLE.read_bytes(), SAMPLE.name).games[0].record
    for entry in record["moves"]:
        entry["comments"] = comments
    return record


@given(st.lists(texts, max_size=3))
@settings(max_examples=400, deadline=None)
def test_no_comment_is_too_strange(comments):
    record = commented(comments)
    found = evaluations(record)
    assert all(0 <= one.ply <= 4 for one in found)
    assert len({one.ply for one in best(found)}) == len(best(found))
    ticks(record, (TimeLimit(10, 30, 5, 2), None))


@pytest.mark.parametrize(
    "part",
    [
        "* 1 +7776FU ", "* 1 ", "#評価値=", "*解析 評価値 ", "*解析 候補1 時間 ", "#指し手[1]▲７六歩△３四歩",
        " ", "*", "評価値 1 ",
        "*対局 深さ 1 評価値 1 読み筋 ▲",
    ],
)  # fmt: skip
def test_long_comments_are_read_in_no_time(part):
    begin = time.process_time()
    evaluations(commented([part * (200_000 // len(part)), "*解析 " + part * (200_000 // len(part))]))
    assert time.process_time() - begin < 5
