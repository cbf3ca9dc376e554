"""The search language as text: what it means, how it is printed, what is wrong with it and where."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from django.utils import translation

from archive.queries.games.filters import FILTERS, RANGES
from archive.queries.search.errors import EXPECTED, TEXTS, QueryError
from archive.queries.search.fields import BY_KEY, FIELDS
from archive.queries.search.parsing import DEEPEST, LONGEST, parse
from archive.queries.search.printing import OPERATORS, text_of
from archive.queries.search.terms import (
    NOTHING,
    And,
    Between,
    EqualTo,
    FieldIs,
    Not,
    Or,
    ReachesPosition,
    Word,
)
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.cases import each
from tools import queries

START = shogi64.encode(Position.initial())
BOARD = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


def field_is(field: str, *values: str | Between) -> FieldIs:
    return FieldIs(field, tuple(one if isinstance(one, Between) else EqualTo(one) for one in values))


@each(
    ("text", "printed"),
    [
        ("羽生", "羽生"), ("  ", ""), ('"名人 戦"', '"名人 戦"'), ("「名人 戦」", '"名人 戦"'),
        ("羽生 森内", "羽生 森内"), ("羽生 AND 森内", "羽生 森内"), ("羽生 かつ 森内", "羽生 森内"),
        ("羽生 または 森内", "羽生 OR 森内"), ("除く 羽生", "NOT 羽生"), ("NOT NOT 羽生", "羽生"),
        ("a b OR c d", "a b OR c d"), ("a (b OR c)", "a (b OR c)"), ("((a))", "a"),
        ("NOT (a b)", "NOT (a b)"), ("a AND (b AND c)", "a b c"), ("a OR (b OR c)", "a OR b OR c"),
        ("@羽生善治", "player:羽生善治"), ('＠"A B"', 'player:"A B"'), ("ｐｌａｙｅｒ：羽生", "player:羽生"),
        ("対局者：羽生、森内", "player:羽生,森内"), ("player:(羽生, 森内)", "player:羽生,森内"),
        ("Player: 羽生", "player:羽生"), ("先手:羽生", "first:羽生"), ("棋戦：名人戦", "event:名人戦"),
        ("plies:120", "plies:120"), ("手数：１００〜１５０", "plies:100..150"),
        ("plies:>=120", "plies:120.."),
        ("plies:>120", "plies:121.."), ("plies:＜120", "plies:..119"), ("plies:≦120", "plies:..120"),
        ("plies:150..100", "plies:100..150"), ("plies:(1..2,>=9)", "plies:1..2,9.."),
        ("year:2014..2016", "date:2014..2016"), ("日付:2014年5月3日", "date:2014-05-03"),
        ("date:>2014", "date:2015-01-01.."), ("date:<2014/5", "date:..2014-04-30"),
        ("年:2014年", "date:2014"),
        ("date:2014.5..2014.6", "date:2014-05..2014-06"), ("from:2014-05", "from:2014-05"),
        ("result:引き分け", "result:draw"), ("結果:先手勝ち", "result:first"),
        ("RESULT:Black", "result:black"),
        ("終わり方:千日手", "special:SENNICHITE"), ("手合割:角落ち", "handicap:KA"),
        ("kind:詰将棋", "record_kind:problem"), ("ゲーム:コリドール", "game:quoridor"),
        ("has:分岐", "has:forks"),
        ("戦型:矢倉", "opening:矢倉"), ("upload:007", "upload:7"),
        ("出典:名局集.zip", "source:\"名局集.zip\""), ("format:KIF", "format:kif"),
        ("rating:>=2000", "rating:2000.."), ("uploaded:2024", "uploaded:2024"), ("場所:天童", "place:天童"),
        (f"sfen:\"{BOARD}\"", f'reaches:"{START}"'), ("pos:startpos", f'reaches:"{START}"'),
        ("局面:平手/mirror/10..20", None), (f'reaches:"{START}"/any/..9', f'reaches:"{START}"/any/..9'),
        (f'reaches:"{START}"/3', f'reaches:"{START}"/3..3'), ('"AND"', '"AND"'), ("AND1", "AND1"),
        ('player:"a ""b"" c"', 'player:"a ""b"" c"'), ("and or not", "and or not"),
        ("-囲い:穴熊", "NOT formation:anaguma"),
        ("羽生 －囲い：穴熊、美濃", "羽生 NOT formation:anaguma,mino"),
        ("−結果:引き分け -形:9九玉", 'NOT result:draw NOT pattern:"K9i"'), ("NOT -player:a", "player:a"),
        ("-羽生", '-羽生'), ("a-player:b", None), ("-", "-"), ('"-player:a"', '"-player:a"'),
        ("先手囲い:穴熊 後手囲い:美濃", "black_formation:anaguma white_formation:mino"),
        ("black_castle:anaguma -white_castle:mino", "black_formation:anaguma NOT white_formation:mino"),
        ("形:9九玉その後20手以内に9八玉", 'pattern:"K9i then<=20 K9h"'),
        ("部分図:「持駒：角」", 'pattern:"hand:B"'),
    ],
)  # fmt: skip
def test_a_query_is_read_and_printed_in_one_spelling(text, printed):
    if printed is None:
        with pytest.raises(QueryError):
            parse(text)
        return
    assert text_of(parse(text)) == printed
    assert parse(printed) == parse(text)


def test_a_tree_says_how_terms_are_joined():
    assert parse("") == NOTHING
    assert parse("a b OR NOT player:c") == Or((And((Word("a"), Word("b"))), Not(field_is("player", "c"))))
    assert parse("plies:..5") == field_is("plies", Between("", "5"))
    assert parse(f"reaches:{START}") == ReachesPosition("shogi", START)


@each(
    ("text", "code", "position", "expected"),
    [
        ("(羽生", "query-syntax", 3, "closing"), ("羽生)", "query-syntax", 2, "end"),
        ("羽生 OR", "query-syntax", 5, "term"), ("NOT", "query-syntax", 3, "term"),
        ("AND a", "query-syntax", 0, "term"), ("a AND OR b", "query-syntax", 6, "term"),
        ("()", "query-syntax", 1, "term"), ('a "b', "query-syntax", 4, "quote"),
        ("「b", "query-syntax", 2, "quote"), ('""', "query-syntax", 1, "text"),
        ("player:", "query-syntax", 7, "text"), ("player:(a", "query-syntax", 9, "closing"),
        ("player:a,", "query-syntax", 9, "text"), ("player:AND", "query-syntax", 7, "text"),
        ("@", "query-syntax", 1, "text"), ("a plies:abc", "query-syntax", 8, "number"),
        ("plies:1x", "query-syntax", 6, "number"), ("date:gestern", "query-syntax", 5, "day"),
        ("plaer:x", "query-field", 0, "player"), ("a b:c", "query-field", 2, "event"),
        ("result:foo", "query-value", 7, "draw"), ("result:black,foo", "query-value", 13, "draw"),
        ("year:2014-13", "query-value", 5, "day"), ("plies:>2147483647", "query-value", 6, "number"),
        ("-囲い:穴熊熊", "query-value", 4, "formation"), ("-囲い:", "query-syntax", 4, "text"),
        ("-無い:穴熊", "query-field", 0, None), ("形:9九玉9八香八", "query-pattern", 8, None),
        ("plies:<0", "query-value", 6, "number"), ("min_plies:x", "query-value", 10, "one number"),
        ("from:2014..2015", "query-value", 5, "one day"), ("pos:花", "query-value", 4, "position"),
        ("date:>9999", "query-value", 5, "day"), ("羽\x00生", "query-character", 1, None),
        ("羽\ud800生", "query-character", 1, None), ("(" * 9, "query-too-deep", 8, None),
        ("a" * 1001, "query-too-long", None, None), ("a " * 51, "query-too-many", None, None),
        ("player:" + "a,b," * 25 + "c", None, None, None),
        ("plies:" + ",".join(map(str, range(51))), "query-too-many", None, None),
    ],
)  # fmt: skip
def test_an_error_points_at_the_character_and_says_what_was_expected(text, code, position, expected):
    if code is None:
        assert text_of(parse(text)) == "player:a,b,c"
        return
    with pytest.raises(QueryError) as result:
        parse(text)
    error = result.value
    assert (error.code, error.position) == (code, position)
    assert expected is None or expected in error.expected
    for language in ("en", "ja"):
        assert error.message(language)


def test_errors_speak_the_readers_language():
    texts = {}
    for language in ("en", "ja"):
        with translation.override(language), pytest.raises(QueryError) as result:
            parse("羽生 (森内")
        with translation.override(language):
            texts[language] = result.value.message()
    assert texts["en"] == "character 7: expected a closing parenthesis"
    assert texts["ja"] == "7文字目：閉じ括弧が必要です"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_field_that_is_not_there_is_told_the_names_of_those_that_are(language):
    with pytest.raises(QueryError) as result:
        parse("nosuch:1")
    assert " / ".join(one.name for one in FIELDS) in result.value.message(language)


def test_all_texts_of_errors_are_translated():
    for text in (*TEXTS.values(), *EXPECTED.values()):
        with translation.override("en"):
            english = str(text)
        with translation.override("ja"):
            assert str(text) != english


def test_every_filter_is_a_field_under_its_name_and_its_keys():
    for one in FILTERS:
        if one.value not in ("ids", "query"):
            assert all(BY_KEY[key].name == one.name for key in (one.name, *one.keys))
    for span in RANGES:
        assert all(BY_KEY[key].name == span.name for key in (span.name, *span.keys))


def test_no_two_fields_are_called_the_same():
    keys = [key.lower() for one in FIELDS for key in {one.name, *one.keys}]
    assert sorted(keys) == sorted({*keys})


def test_the_fields_that_were_promised_are_there():
    promised = """player black white event date year result handicap ending plies opening rating site has
        source format program uploaded pos sfen reaches kind game"""
    assert {*promised.split()} <= BY_KEY.keys()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000, "(" * LONGEST, "(a " * DEEPEST + ")" * DEEPEST, "NOT " * (LONGEST // 4), '"' * LONGEST,
        "a " * (LONGEST // 2), "a OR " * (LONGEST // 5), "「" * LONGEST, "plies:" + "1" * (LONGEST - 6),
        "." * LONGEST, "~" * LONGEST, "a:" * (LONGEST // 2), "player:" + "a," * 490, '""' * (LONGEST // 2),
        "NOT (a " * DEEPEST + ")" * DEEPEST, "reaches:" + "76歩34歩" * 150, "@" * LONGEST,
        "player:(" * (LONGEST // 8), "year:" + "2014.." * 160, ">" * LONGEST, ":" * LONGEST, "\\" * LONGEST,
        "(" * DEEPEST + "a" + ")" * DEEPEST, "a:" + "b" * 998, "年:" * 333, "+7776FU-3334FU" * 71,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_queries_are_read_or_refused_at_once(text):
    """Counted in calls, not in seconds."""
    with calls() as created:
        try:
            assert parse(text) is not None
        except QueryError as error:
            assert error.position is None or 0 <= error.position <= len(text)
    assert created.count("call") < 200_000


@contextmanager
def calls() -> Iterator[list[str]]:
    """What the interpreter tells of the calls that the body makes."""
    parse.cache_clear()
    result: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda _frame, event, _argument: result.append(event))
    try:
        yield result
    finally:
        sys.setprofile(before)


PIECES = [
    *OPERATORS, *sorted(BY_KEY)[::2], "(", ")", '"', "「", "」", ":", "：", ",", "、", "..", "〜", ">=",
    "<", "＞", " ", "　", " ", "@", "/", "mirror", "羽生", "羽生善治", "名人戦", "draw", "TORYO",
    "kif", "2014", "2014-05", "2014年5月", "120", "9" * 30, START, "76歩", "startpos", "\x00", "\ud800", "\n",
    "é", "😀", "-", "%", "_", "!", "'", ";", "\\", "NULL", "１２０", "Ａ", "²", "٣", "²014", "٢٠١٤",
    "ß", "İ", "ſ", "K",
]  # fmt: skip


def drawn(random: Random) -> str:
    joined = random.choice(["", " ", "", ":"])
    return joined.join(random.choice(PIECES) for _ in range(random.randrange(1, 12)))


def check_drawn(number: int, seed: int) -> int:
    """Parse so many drawn texts; how many of them are queries."""
    random, read = Random(seed), 0
    for _ in range(number):
        text = drawn(random)
        try:
            term = parse(text)
        except QueryError as error:
            assert error.position is None or 0 <= error.position <= len(text), text
            assert error.message("ja") and error.message("en")
            continue
        read += 1
        printed = text_of(term)
        assert parse(printed) == term, (text, printed)
    return read


def test_drawn_texts_raise_nothing_but_the_error_and_print_back():
    assert check_drawn(3_000, 1) > 200


@pytest.mark.parametrize("page", queries.PAGES.values(), ids=lambda page: page.name)
def test_the_fields_of_the_language_are_described(page):
    """Otherwise: `python -m tools.queries`."""
    assert page.read_text(encoding="utf-8") == queries.pages()[page]


@pytest.mark.parametrize("page", queries.PAGES.values(), ids=lambda page: page.name)
def test_the_queries_that_are_shown_can_be_asked(page):
    shown = page.read_text(encoding="utf-8")
    part = shown[shown.index("(api-reference.md#filters)") : shown.index("<!-- fields -->")]
    examples = re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE)
    assert len(examples) == 10
    for text in examples:
        assert parse(text_of(parse(text))) == parse(text)
