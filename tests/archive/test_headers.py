"""What is read out of headers: real values of many programs, most from records of the corpus."""

from __future__ import annotations

import io
import json
from datetime import date

import pytest
from django.core.management import call_command

import kifu_core
from archive.derive import headers
from archive.derive.game import derive_game
from archive.derive.headers import TimeLimit
from tests.cases import each
from tests.shared import CORPUS, GOLDEN

# --- days ------------------------------------------------------------------------------------------------


@each(
    ("text", "day", "precision", "calendar"),
    [
        ("2005/11/29･30日", "2005-11-29", "day", "gregorian"),
        ("2017/03/13 ??:??", "2017-03-13", "day", "gregorian"),
        ("2014/09/13 14：59", "2014-09-13", "day", "gregorian"),
        ("2026/03/08 9:56:06", "2026-03-08", "day", "gregorian"),
        ("2008/12/20(土)", "2008-12-20", "day", "gregorian"),
        ("２０２０年１月５日", "2020-01-05", "day", "gregorian"),
        ("2017/??/??", "2017", "year", "gregorian"),
        ("2008年２月", "2008-02", "month", "gregorian"),
        ("1967年2月号", "1967-02", "month", "gregorian"),
        ("1743/00/00", "1743", "year", "lunisolar"),
        ("1711/03/00", "1711-03", "month", "lunisolar"),
        ("慶応2年9月", "1866-09", "month", "lunisolar"),
        ("宝永八年二月三十日", "1711-02-30", "month", "lunisolar"),
        ("天保元年", "1830", "year", "lunisolar"),
        ("明治5年12月2日", "1872-12-02", "day", "lunisolar"),
        ("明治6年1月1日", "1873-01-01", "day", "gregorian"),
        ("昭和23年(1948年)5月", "1948", "year", "gregorian"),
        ("令和元年5月1日", "2019-05-01", "day", "gregorian"),
        ("R6.5.1", "2024-05-01", "day", "gregorian"),
        ("H25/06/19", "2013-06-19", "day", "gregorian"),
        ("May 1, 2024", "2024-05-01", "day", "gregorian"),
        ("1st May 2024", "2024-05-01", "day", "gregorian"),
        ("2024-05-01T10:00:00+09:00", "2024-05-01", "day", "gregorian"),
        (" 13:28:35", "", "", ""),
        ("2020-02-30", "", "", ""),
        ("1711/02/31", "", "", ""),
        ("2020/13/01", "", "", ""),
        ("0000/01/01", "", "", ""),
        ("20240501", "2024-05-01", "day", "gregorian"),
        ("20241301", "", "", ""),
        ("202405010", "", "", ""),
        ("春", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_days_are_read_with_their_precision_and_calendar(text, day, precision, calendar):
    found = headers.read_day(text)
    assert (found.text, found.precision, found.calendar) == (day, precision, calendar)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2005/11/29･30日", date(2005, 11, 30)),
        ("2005/11/30-12/1", date(2005, 12, 1)),
        ("2005年11月29日、30日", date(2005, 11, 30)),
        ("2005/12/31～2006/01/01", date(2006, 1, 1)),
        ("2005/11/29(火)・30(水)", date(2005, 11, 30)),
        ("2005/11/29 10:00", date(2005, 11, 29)),
        ("2005/11/29-28", date(2005, 11, 29)),
        ("2005/11/29-31", date(2005, 11, 29)),
    ],
)
def test_a_header_of_two_days_has_an_end(text, end):
    assert headers.read_day(text).end == end


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2014/09/13 14：59", "14:59"),
        ("2026/03/08 9:56:06", "09:56:06"),
        ("2024年5月1日 午後3時30分", "15:30"),
        ("2024/05/01 3 PM", ""),
        ("2017/03/13 ??:??", ""),
        (" 13:28:35", "13:28:35"),
        ("2024/05/01 99:99", ""),
    ],
)
def test_the_time_of_day_is_kept(text, time):
    assert headers.read_day(text).time == time


@each(
    ("text", "day", "time"),
    [
        ("2013-01-05T15:00:00.000Z", "2013-01-06", ""),
        ("2013-01-06T00:00:00.000Z", "2013-01-06", ""),
        ("2017-03-22T01:00:00Z", "2017-03-22", "10:00"),
        ("2017/03/22 23:30:05 UTC", "2017-03-23", "08:30:05"),
        ("2024-12-31T15:30Z", "2025-01-01", "00:30"),
        ("2024-05-01T09:00:00+09:00", "2024-05-01", "09:00"),
        ("2024-05-01 09:00:00 +0900", "2024-05-01", "09:00"),
        ("2024-05-01T23:00:00-05:00", "2024-05-02", "13:00"),
        ("2024-05-01T20:00:00+0000", "2024-05-02", "05:00"),
        ("2024-05-01 20:00 JST", "2024-05-01", "20:00"),
        ("1743-05-01T00:00:00.000Z", "1743-05-01", ""),
        ("2024-05-01T20:00:00", "2024-05-01", "20:00:00"),
        ("2024-05-01T25:00:00Z", "2024-05-01", ""),
        ("9999-12-31T23:00:00Z", "9999-12-31", "23:00:00"),
    ],
)
def test_an_instant_is_of_the_day_in_japan(text, day, time):
    found = headers.read_day(text)
    assert (found.text, found.time) == (day, time)
    assert headers.played({"開始日時": text}).text == day


def test_days_of_the_moon_that_no_gregorian_month_has_are_kept_as_text():
    day = headers.read_day("1711/02/30")
    assert (day.start, day.end, day.text) == (date(1711, 2, 1), date(1711, 2, 28), "1711-02-30")
    assert headers.header_data({"開始日時": "1711/02/30"}) == {"day": "1711-02-30"}
    assert headers.read_day("享和3年閏1月5日").leap_month


def test_a_beginning_without_a_day_falls_back_on_other_headers():
    event = "wdoor+floodgate-600-10F+a+b+20160614033003"
    assert headers.played({"開始日時": " 03:30:03", "棋戦": event}).text == "2016-06-14"
    assert headers.played({"開始日時": "不明", "対局日": "2026/08/06"}).text == "2026-08-06"
    assert headers.played({"開始日時": " 03:30:03"}).time == "03:30:03"


# --- players ---------------------------------------------------------------------------------------------


@each(
    ("text", "name", "titles", "rank", "handicap", "rating"),
    [
        ("羽生善治 九段", "羽生善治", (), "九段", "", None),
        ("羽生善治九段（先手）", "羽生善治", (), "九段", "", None),
        ("中原誠元名人", "中原誠", ("元名人",), "", "", None),
        ("渡辺　明竜王", "渡辺明", ("竜王",), "", "", None),
        ("藤井聡太竜王・名人", "藤井聡太", ("竜王", "名人"), "", "", None),
        ("Shimi8266 1級", "Shimi8266", (), "1級", "", None),
        ("加藤一二三九段", "加藤一二三", (), "九段", "", None),
        ("name (2級)", "name", (), "2級", "", None),
        ("sandanokoi2(815)", "sandanokoi2", (), "", "", 815),
        ("name (R1523)", "name", (), "", "", 1523),
        ("name R1523", "name", (), "", "", 1523),
        ("Apery (2016)", "Apery (2016)", (), "", "", None),
        ("name (R2016)", "name", (), "", "", 2016),
        ("天野宗歩（角落ち）", "天野宗歩", (), "", "角落ち", None),
        ("伊藤宗印 左香落", "伊藤宗印", (), "", "左香落", None),
        ("▲羽生善治王将", "羽生善治", ("王将",), "", "", None),
        ("谷川名人", "谷川", ("名人",), "", "", None),
        ("羽生七冠", "羽生", ("七冠",), "", "", None),
        ("森竜王", "森", ("竜王",), "", "", None),
        ("大山十五世名人", "大山", ("十五世名人",), "", "", None),
        ("米長永世棋聖", "米長", ("永世棋聖",), "", "", None),
        ("里見女流名人・女流王座", "里見", ("女流名人", "女流王座"), "", "", None),
        ("名人", "名人", (), "", "", None),
        ("女流名人", "女流名人", (), "", "", None),
        ("竜王 名人", "竜王", ("名人",), "", "", None),
        ("森さん", "森さん", (), "", "", None),
        ("羽生先生", "羽生先生", (), "", "", None),
        ("山田将棋 Version 2.18 (LEVEL5)", "山田将棋 Version 2.18 (LEVEL5)", (), "", "", None),
        ("gpsfish_Corei7-4771_4c", "gpsfish_Corei7-4771_4c", (), "", "", None),
        ("詰方", "", (), "", "", None),
        ("玉方", "", (), "", "", None),
        ("九段", "九段", (), "", "", None),
        ("", "", (), "", "", None),
    ],
)
def test_titles_ranks_handicaps_and_ratings_are_split_off_and_kept(
    text, name, titles, rank, handicap, rating
):
    person = headers.read_player(text)
    assert (person.name, person.titles, person.rank, person.handicap, person.rating) == (
        name, titles, rank, handicap, rating,
    )  # fmt: skip


def test_ratings_come_from_names_headers_and_remarks():
    remarks = ["Max_Moves:256", "black_rate:yyr+0f8a:3749.0", "white_rate:tenuki+99:2811.4"]
    assert headers.ratings({"先手": "yyr", "後手": "tenuki"}, remarks) == (3749, 2811)
    assert headers.ratings({"先手": "a(815)", "後手レーティング": "1500"}, []) == (815, 1500)
    assert headers.ratings({"先手": "a"}, ["black_rate:a:99999"]) == (None, None)


def test_ranks_come_from_headers_of_their_own():
    black, white = headers.people({"先手": "a", "先手段級": "初段", "後手": "b 三段", "後手段級": "2級"})
    assert (black.rank, white.rank) == ("初段", "三段")


# --- events ----------------------------------------------------------------------------------------------


@each(
    ("text", "name", "stage", "edition"),
    [
        ("第50期棋王戦コナミグループ杯五番勝負第３局", "第50期棋王戦コナミグループ杯", "五番勝負 第3局", 50),
        ("第２７期竜王戦挑戦者決定三番勝負　第２局", "第27期竜王戦", "挑戦者決定三番勝負 第2局", 27),
        ("第64期順位戦Ｃ級２組２回戦", "第64期順位戦", "C級2組 2回戦", 64),
        ("第18回銀河戦本戦Hブロック05回戦", "第18回銀河戦", "本戦 Hブロック 05回戦", 18),
        ("第74期棋聖戦1次予選", "第74期棋聖戦", "1次予選", 74),
        (
            "第３５回将棋日本シリーズ　ＪＴプロ公式戦二回戦第三局　熊本大会",
            "第35回将棋日本シリーズ JTプロ公式戦", "二回戦 第三局 熊本大会", 35,
        ),
        ("第11回朝日杯将棋オープン戦本戦", "第11回朝日杯将棋オープン戦", "本戦", 11),
        ("wdoor+floodgate-300-10F+yyr+tenuki+20180722050000", "floodgate-300-10F", "", 0),
        ("将棋ウォーズ(10分切れ負け)", "将棋ウォーズ", "", 0),
        ("その他の棋戦", "その他の棋戦", "", 0),
        ("王位戦", "王位戦", "", 0),
        ("13th World Computer Shogi Championship", "13th World Computer Shogi Championship", "", 0),
        ("", "", "", 0),
    ],
)  # fmt: skip
def test_events_are_told_from_their_rounds(text, name, stage, edition):
    found = headers.read_event(text)
    assert (found.name, found.round, found.edition) == (name, stage, edition)


@pytest.mark.parametrize(
    ("written", "opening"),
    [("YAGURA", "矢倉"), ("Yagura", "矢倉"), ("相振飛車", "相振り飛車"), ("相振り飛車", "相振り飛車"),
     ("その他の戦型", "その他"), ("雁木", "雁木"), ("", "")],
)  # fmt: skip
def test_an_opening_has_one_spelling(written, opening):
    assert headers.opening({"OPENING": written}) == headers.opening({"戦型": written}) == opening


# --- times -----------------------------------------------------------------------------------------------


@each(
    ("text", "limit"),
    [
        ("15分+60秒", TimeLimit(900, 60)),
        ("6時間", TimeLimit(21600)),
        ("各５時間", TimeLimit(18000)),
        ("0時間40分", TimeLimit(2400)),
        ("一時間半", TimeLimit(5400)),
        ("10分切れ負け", TimeLimit(600)),
        ("60分 切れたら1分将棋", TimeLimit(3600, 60)),
        ("15分＋30秒＋（考慮時間10分）", TimeLimit(900, 30, 0, 10)),
        ("なし（初手より１手30秒未満）", TimeLimit(0, 30)),
        ("5分+5秒追加", TimeLimit(300, 0, 5)),
        ("30+0+5", TimeLimit(30, 0, 5)),
        ("600+30+0", TimeLimit(600, 30)),
        ("00:25+00", TimeLimit(1500)),
        ("00:30+05", TimeLimit(1800, 5)),
        (" 0:00+10", TimeLimit(0, 10)),
        ("0分", TimeLimit(0)),
        ("各30分60秒", TimeLimit(1800, 60)),
        ("15分30秒", TimeLimit(900, 30)),
        ("20分26秒", TimeLimit(1226)),
        ("持ち時間10分切れ負け", TimeLimit(600)),
        ("持時間：各６時間", TimeLimit(21600)),
        ("15分＋秒読み60秒", TimeLimit(900, 60)),
        ("各1時間、秒読み30秒", TimeLimit(3600, 30)),
        ("各5時間（1分将棋）", TimeLimit(18000, 60)),
        ("15分（切れたら60秒）", TimeLimit(900, 60)),
        ("持ち時間は各15分、使い切ったら60秒", TimeLimit(900, 60)),
        ("1時間（チェスクロック使用）", TimeLimit(3600)),
        ("各８時間（2日制）", TimeLimit(28800)),
        ("早指し 10分 30秒", TimeLimit(600, 30)),
        ("10分切れ", TimeLimit(600)),
        ("1時間、秒読みなし", TimeLimit(3600)),
        ("フィッシャー 5分+10秒", TimeLimit(300, 0, 10)),
        ("5分＋5秒（フィッシャールール）", TimeLimit(300, 0, 5)),
        ("5分10秒加算", TimeLimit(300, 0, 10)),
        ("25分 + 1手 10秒加算", TimeLimit(1500, 0, 10)),
        ("600+10", TimeLimit(600, 10)),
        ("30 min + 60 sec", TimeLimit(1800, 60)),
        ("5m+10s", TimeLimit(300, 10)),
        ("1手30秒", TimeLimit(0, 30)),
        ("30秒将棋", TimeLimit(0, 30)),
        ("秒読み30秒", TimeLimit(0, 30)),
        ("10分/10分", TimeLimit(600)),
        ("60分/60秒", TimeLimit(3600, 60)),
        ("25分/10分", None),
        ("5+10", None),
        ("早指し", None),
        ("なし", None),
        ("3", None),
        ("一億年", None),
        ("", None),
    ],
)
def test_time_limits_are_read_as_seconds(text, limit):
    assert headers.read_limit(text) == limit


@pytest.mark.parametrize(
    "text", ["25分/10分", "▲25分△10分", "先手：25分、後手：10分", "☗25分 ☖10分", "下手25分 上手10分"]
)
def test_one_header_may_tell_the_limits_of_both_sides(text):
    assert headers.limits({"持ち時間": text}) == (TimeLimit(1500), TimeLimit(600))
    assert headers.header_data({"持ち時間": text})["time_limits"][1]["main"] == 600
    assert headers.limits({"持ち時間": text, "後手持ち時間": "1時間"}) == (TimeLimit(1500), TimeLimit(3600))


def test_limits_come_from_several_places():
    wars = {"棋戦": "将棋ウォーズ(10分切れ負け)"}
    floodgate = {"棋戦": "wdoor+floodgate-300-10F+a+b+20180722050000"}
    byoyomi = {"棋戦": "wdoor+floodgate-600-10+a+b+20150304190003"}
    assert headers.limits(wars) == (TimeLimit(600),) * 2
    assert headers.limits(floodgate) == (TimeLimit(300, 0, 10),) * 2
    assert headers.limits(byoyomi) == (TimeLimit(600, 10),) * 2
    assert headers.limits({"持ち時間": "10分", "秒読み": "60秒"}) == (TimeLimit(600, 60),) * 2
    assert headers.limits({"TIME_LIMIT": "00:10+00"}, ["Increment:10"]) == (TimeLimit(600, 0, 10),) * 2
    own = {"先手持ち時間": "600+0+10", "後手持ち時間": "600+30+0"}
    assert headers.limits(own) == (TimeLimit(600, 0, 10), TimeLimit(600, 30))
    assert headers.limits({}) == (None, None)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("117▲268△283", {"plies": 117, "black": 16080, "white": 16980}),
        ("▲4時間39分△4時間01分", {"black": 16740, "white": 14460}),
        ("▲359△359", {"black": 21540, "white": 21540}),
        ("長い", None),
    ],
)
def test_used_times_are_read_as_seconds(text, used):
    assert headers.read_used(text) == used


# --- the rest --------------------------------------------------------------------------------------------


def test_a_problem_keeps_what_is_said_of_it():
    header = {
        "作者": "伊藤看寿", "発表誌": "将棋図巧", "発表年月": "1755年3月", "受賞": "塚田賞", "手数": "7手詰",
        "完全性": "",
    }  # fmt: skip
    assert headers.header_data(header) == {
        "problem": {
            "author": "伊藤看寿", "published_in": "将棋図巧", "published": "1755-03", "award": "塚田賞",
            "plies": 7,
        }
    }  # fmt: skip


def test_details_hold_only_what_there_is():
    assert headers.header_data({}) == {}
    found = headers.header_data(
        {"先手": "羽生善治 九段", "後手": "甲", "棋戦": "第66期王位戦", "開始日時": "2024/05/01 10:00"}
    )
    assert found == {"players": [{"rank": "九段"}, {}], "edition": 66, "time": "10:00"}
    json.dumps(found)


def test_the_command_prints_readings_and_what_was_not_understood(tmp_path):
    (tmp_path / "a.kif").write_text("先手：甲 九段\n開始日時：慶応2年9月\n持ち時間：一億年\n1 ７六歩(77)\n")
    (tmp_path / "b.kif").write_text("nothing")
    (tmp_path / "c.png").write_text("先手：乙\n1 ７六歩(77)\n")
    out = io.StringIO()
    call_command("header_readings", str(tmp_path), stdout=out)
    text = out.getvalue()
    assert "'慶応2年9月': 1866-09 lunisolar" in text
    assert "time limits: 0 of 1 distinct values understood (0.0 %)" in text
    assert "'甲 九段': 甲 | 九段" in text and "乙" not in text


@pytest.mark.shared
def test_the_headers_of_the_corpus_are_understood():
    out = io.StringIO()
    call_command("header_readings", str(CORPUS), "--unread", stdout=out)
    unread = [line.strip() for line in out.getvalue().splitlines() if line.startswith("  ")]
    assert unread == ["'3': (not understood)", "'一億年': (not understood)"]


TITLES = ("九段", " 竜王", "（五段）", "　名人")


def _decorated(name: str, number: int) -> str:
    """The name with a title where that says nothing new."""
    bare = headers.player_name(name)
    return bare + TITLES[number % len(TITLES)] if len(bare) > 2 and not bare.isascii() else name


@pytest.mark.shared
def test_fifteen_real_games_have_one_digest_each_in_every_format_and_dress():
    rows = [json.loads(line) for line in (GOLDEN / "jkf" / "xformat.jsonl").read_text().splitlines()]
    assert len(rows) == 15
    found = [_digests(row) for row in rows]
    assert [len(digests) for digests in found] == [1] * 15
    assert len(set.union(*found)) == 15


def _digests(row: dict[str, str]) -> set[bytes]:
    """Digests of a game's editions. Their CSA texts lack the day, so all are given the same."""
    digests = set()
    for number, name in enumerate(("kif", "ki2", "csa")):
        game = kifu_core.load(row[name], f"game.{name}").games[0]
        header = game.record["header"]
        problem = game.record_kind == "problem"
        for day in header.keys() & {"開始日時", "終了日時"}:
            del header[day]
        if not problem:
            header["開始日時"] = ("2014/09/02", "2014-09-02 10:00", "平成26年9月2日")[number]
        digests.add(derive_game(game).digest)
        for side in header.keys() & {"先手", "後手", "上手", "下手"}:
            header[side] = _decorated(header[side], number)
        digests.add(derive_game(game).digest)
    return digests
