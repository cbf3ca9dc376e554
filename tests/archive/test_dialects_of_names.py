"""Names, events, days and limits as real files write them: the whole of a header is read, or it stays text.

The golden cases of `dialect-lines-2.jsonl` that belong here, and others of the same kinds.
"""

from __future__ import annotations

import json

import pytest

from archive.derive import headers
from archive.derive.headers import EventName, TimeLimit
from tests.cases import each
from tests.shared import GOLDEN, need_shared

FILE = GOLDEN / "dialect-lines-2.jsonl"


def told(text: str, site: str = "") -> tuple[str, tuple[str, ...], str, str, int | None]:
    """Name, titles, rank, place and rating of a player's header."""
    person, _ = headers.people({"先手": text, "場所": site})
    return person.name, person.titles, person.rank, person.place, person.rating


# --- the golden cases ------------------------------------------------------------------------------------

OPENINGS = {
    "先手": "kifu_a 二段", "後手": "kifu_b 二段", "先手の戦法": "原始棒銀, 棒銀", "後手の戦法": "雁木戦法",
    "先手の囲い": "中住まい",
}  # fmt: skip
CASES = {
    "event: 第76回　全日本アマ名人戦県大会 決勝": EventName("第76回 全日本アマ名人戦県大会", "決勝", 76),
    "event: 第25回朝日アマ名人戦全国大会": EventName("第25回朝日アマ名人戦全国大会", "", 25),
    "event: 第49回　小学生名人戦県大会　A級決勝": EventName("第49回 小学生名人戦県大会", "A級 決勝", 49),
    "player: taro81[13K]": ("taro81", (), "13級", "", None),
    "player: 四段　山田　実(福島)": ("山田実", (), "四段", "福島", None),
    "player: 佐藤実三段(花巻)": ("佐藤実", (), "三段", "花巻", None),
    "player: taro81(1980)": ("taro81", (), "", "", 1980),
    "limit: 15分＋30秒＋10回": TimeLimit(900, 30, 0, 10),
    "day: 12/30/2018 10:29:48 PM": ("2018-12-30", "22:29:48"),
    f"header: {json.dumps(OPENINGS, ensure_ascii=False)}": [["原始棒銀", "棒銀"], ["雁木戦法"]],
}
READERS = {
    "event": headers.read_event,
    "player": lambda text: told(text, "81Dojo"),
    "limit": headers.read_limit,
    "day": lambda text: ((day := headers.read_day(text)).text, day.time),
    "header": lambda text: headers.header_data(json.loads(text))["openings"],
}


@pytest.mark.shared
def test_every_golden_case_of_a_header_stands_here():
    need_shared()
    rows = [json.loads(line)["input"] for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert {row for row in rows if row.partition(":")[0] in READERS} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_golden_case_reads_as_stated(case):
    kind, _, text = case.partition(": ")
    assert READERS[kind](text) == CASES[case]


# --- players ---------------------------------------------------------------------------------------------


@each(
    ("text", "name", "titles", "rank", "place"),
    [
        ("taro81[2D]", "taro81", (), "2段", ""),
        ("taro81 [5k]", "taro81", (), "5級", ""),
        ("taro81 (3-dan)", "taro81", (), "3段", ""),
        ("佐藤実[三段]", "佐藤実", (), "三段", ""),
        ("五段　鈴木　一郎（盛岡）", "鈴木一郎", (), "五段", "盛岡"),
        ("佐藤実(花巻)三段", "佐藤実", (), "三段", "花巻"),
        ("佐藤実三段 [花巻市]", "佐藤実", (), "三段", "花巻市"),
        ("アマ四段　高橋健", "高橋健", (), "アマ四段", ""),
        ("九段 塚田正夫", "塚田正夫", (), "九段", ""),
        ("名人 大山康晴", "大山康晴", ("名人",), "", ""),
        ("渡辺明(竜王)", "渡辺明", ("竜王",), "", ""),
        ("谷川浩司(兵庫)", "谷川浩司", (), "", "兵庫"),
        ("伊藤　太郎(東京支部)", "伊藤太郎", (), "", "東京支部"),
    ],
)
def test_what_stands_beside_a_name_is_split_off_and_kept(text, name, titles, rank, place):
    assert told(text) == (name, titles, rank, place, None)


@each(
    "text",
    [
        "Apery (2016)", "taro81(1980)", "Chess (3D)", "激指(弱)", "技巧(改)", "柿木将棋(最強)",
        "東大将棋(定跡)", "羽生善治(挑戦者)", "佐藤実(高校生)", "山田(先手)", "ponanza(電王)", "三段(花巻)",
        "四段", "竜王(王将", "Lower (Black)", "山田将棋 Version 2.18 (LEVEL5)", "加藤一二三",
    ],
)  # fmt: skip
def test_what_may_be_part_of_a_name_stays_in_it(text):
    assert told(text) == (text, (), "", "", None)


def test_a_number_behind_a_name_is_a_rating_where_people_are_rated():
    assert told("taro81(1980)", "81Dojo (ver.2016/03/20)") == ("taro81", (), "", "", 1980)
    assert told("taro81(2010)", "将棋倶楽部24") == ("taro81", (), "", "", 2010)
    assert told("Apery (2016)", "ラップトップ") == ("Apery (2016)", (), "", "", None)


def test_the_place_of_a_player_is_told_in_the_details():
    found = headers.header_data({"先手": "佐藤実三段(花巻)", "後手": "鈴木"})
    assert found == {"players": [{"rank": "三段", "place": "花巻"}, {}]}


# --- events ----------------------------------------------------------------------------------------------


@each(
    ("text", "name", "stage"),
    [
        ("第30回支部対抗戦決勝戦", "第30回支部対抗戦", "決勝戦"),
        ("第10回朝日杯準々決勝戦", "第10回朝日杯", "準々決勝戦"),
        ("第10回朝日杯　準決勝戦", "第10回朝日杯", "準決勝戦"),
        ("第5回国際大会3位決定戦", "第5回国際大会", "3位決定戦"),
        ("第66期王位戦紅組リーグ", "第66期王位戦", "紅組リーグ"),
        ("第66期順位戦A級プレーオフ", "第66期順位戦", "A級 プレーオフ"),
        ("第30期竜王戦ランキング戦5組昇級者決定戦", "第30期竜王戦ランキング戦", "5組 昇級者決定戦"),
        ("第12期オープン予備予選", "第12期オープン", "予備予選"),
        ("将棋日本シリーズ 熊本大会", "将棋日本シリーズ", "熊本大会"),
        ("高校選手権 男子団体 県大会 決勝リーグ", "高校選手権 男子団体 県大会", "決勝リーグ"),
        ("第49回小学生名人戦県大会B級予選リーグ", "第49回小学生名人戦県大会", "B級 予選 リーグ"),
        ("職団戦S級準決勝", "職団戦", "S級 準決勝"),
        ("第3回支部名人戦東日本大会3回戦", "第3回支部名人戦東日本大会", "3回戦"),
    ],
)
def test_a_round_behind_an_event_is_split_off(text, name, stage):
    found = headers.read_event(text)
    assert (found.name, found.round) == (name, stage)


@each(
    "text",
    [
        "第25回全国大会", "第5回 県大会", "小学生名人戦県大会", "小学生名人戦県予選", "全日本戦",
        "関白リーグ", "第60回奨励会三段リーグ戦", "女流王位リーグ", "ランキング戦16組", "第1234局", "WCSC28R",
        "SHOGIA級",
    ],
)  # fmt: skip
def test_no_event_is_cut_inside_a_word(text):
    found = headers.read_event(text)
    assert (found.name, found.round) == (text, "")


# --- days and limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day", "time"),
    [
        ("1/5/2019 9:05:00 AM", "2019-01-05", "09:05:00"),
        ("12/30/2018 12:05:00 AM", "2018-12-30", "00:05:00"),
        ("12/30/2018 12:05 PM", "2018-12-30", "12:05"),
        ("30/12/2018 22:29:48", "2018-12-30", "22:29:48"),
        ("12-30-2018", "2018-12-30", ""),
        ("1.5.2019", "2019-05-01", ""),
        ("5/5/2019", "2019-05-05", ""),
    ],
)
def test_days_with_the_year_last_are_read(text, day, time):
    found = headers.read_day(text)
    assert (found.text, found.time) == (day, time)


@pytest.mark.parametrize(
    "text",
    ["03/04/2018", "13/13/2018", "0/3/2018 1:00 AM", "12/30/2018 foo", "13/30/2018 1:00 PM", "対局 13:28"],
)
def test_days_that_could_be_others_or_are_not_read_whole_are_none(text):
    assert headers.read_day(text) == headers.NO_DAY


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("10分＋30秒＋考慮時間1分×10回", TimeLimit(600, 30, 0, 10)),
        ("15分+30秒+考慮時間10回", TimeLimit(900, 30, 0, 10)),
        ("10分 30秒 5回", TimeLimit(600, 30, 0, 5)),
        ("15分＋30秒＋秘密", None),
        ("10回", None),
    ],
)
def test_periods_of_consideration_may_be_counted(text, limit):
    assert headers.read_limit(text) == limit


def test_castles_of_each_side_are_told_beside_their_openings():
    found = headers.header_data(OPENINGS | {"後手の囲い": "美濃囲い、穴熊"})
    assert found["castles"] == [["中住まい"], ["美濃囲い", "穴熊"]]
    assert headers.header_data({"先手の戦型": "棒銀", "先手の戦法": "右玉"})["openings"] == [["棒銀"], []]
