"""Headers hold any text at all: reading one never fails, ends soon and gives what a database takes."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from archive.derive import headers
from archive.derive.game import storable

_WORDS = """
令和 慶応 明治 天保 H R 年 月 日 閏 元 初 十 二十 〇 九 / - . : ･ 〜 ( ) （ ） 土 0 1 12 31 99 2024 1711
9999 0000 午後 May 時間 分 秒 半 + 各 切れ負け 切れたら なし 初手より 1手 考慮時間 追加 ▲ △ 九段 竜王 ・
名人 香落ち R1500 [1500] (815) 第 期 局 回戦 戦 決勝 予選 +20240501000000 wdoor floodgate-300-10F ² ① ٣ 一 世
"""
WORDS = [*_WORDS.split(), " ", "　", "\0", "\ud800"]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=14).map("".join))
NAMES = (
    *headers.BEGINNINGS, *headers.ENDS, *headers.EVENTS, *headers.SITES, *headers.LIMITS, *headers.OPENINGS,
    "先手", "後手", "上手", "下手", "先手段級", "後手レーティング", "秒読み", "消費時間", "TIME+",
    "先手の戦型", "作者", "発表年月", "手数", "受賞", "完全性", "表題",
)  # fmt: skip


@given(texts)
@settings(max_examples=1500, deadline=None)
def test_no_value_of_a_header_is_too_strange(text):
    day = headers.read_day(text)
    assert day.start is None or (day.end is not None and day.start <= day.end)
    assert len(headers.read_player(text).name) <= headers.TEXT_LIMIT
    limit = headers.read_limit(text)
    assert limit is None or limit.main >= 0
    headers.read_event(text)
    headers.read_used(text)
    headers.read_opening(text)


@given(st.dictionaries(st.sampled_from(NAMES), texts, max_size=8), st.lists(texts, max_size=3))
@settings(max_examples=500, deadline=None)
def test_no_set_of_headers_is_too_strange(header, remarks):
    told = storable(headers.header_data(header, remarks))
    json.dumps(told).encode()
    assert headers.played(header).precision in ("", "day", "month", "year")
    assert all(rating is None or abs(rating) < 2**15 for rating in headers.ratings(header, remarks))


@given(texts)
@example("・△△様")
@example("▲▲")
@example("¨¸")
@settings(max_examples=500, deadline=None)
def test_a_name_is_read_the_same_when_it_is_read_again(text):
    name = headers.player_name(text)
    assert headers.player_name(name) == name


@pytest.mark.parametrize(
    "text", ["天保十十年", "天保二年十十月", "十十時間", "第十十期", "〇〇分", "天保十〇年"]
)
def test_numerals_that_are_no_number_are_passed_over(text):
    assert headers.read_day(text).precision in ("", "year")
    assert headers.read_limit(text) is None or text == "〇〇分"
    assert headers.read_event(text).edition == 0


@pytest.mark.parametrize(
    "part", ["2024/", "九段", "(815)", "第3局", "時間", "+30秒", "▲", " ", "令和", "1手", "1:"]
)
def test_long_values_are_read_in_no_time(part):
    text = part * (100_000 // len(part))
    begin = time.process_time()
    for read in (
        headers.read_day,
        headers.read_player,
        headers.read_limit,
        headers.read_event,
        headers.read_used,
    ):
        read(text)
    headers.limits({"棋戦": text, "持ち時間": text})
    headers.ratings({}, [f"black_rate:{text}"])
    assert time.process_time() - begin < 2
