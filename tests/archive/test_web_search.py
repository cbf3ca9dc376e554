"""The search box: openings, moves in every notation that people type, addresses, names in other spellings."""

from __future__ import annotations

from random import Random
from urllib.parse import parse_qs

import pytest
from django.db import connection
from django.test import Client

from archive.models import Game
from kifu_core.shogi import moves, rules
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.notation import next_move_label
from kifu_core.shogi.position import Position
from kifu_core.shogi.typed_moves import position_after
from tests.archive import builders
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

LISHOGI = "https://lishogi.org/151jxej8"


def after(line: str) -> Position:
    position = Position.initial()
    for usi in line.split():
        position.do_move(moves.from_usi(usi))
    return position


def search(client: Client, words: str) -> str:
    answer = client.get("/games/", {"q": words})
    assert answer.status_code == 302
    return answer.headers["Location"]


# --- moves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("P-7f", "7g7f"), ("P-7f P-3d", "7g7f 3c3d"), ("▲P-7f △P-3d", "7g7f 3c3d"),
        ("P-76 P-34", "7g7f 3c3d"),
        ("P7f, P3d", "7g7f 3c3d"),
        ("1. P-7f 2. P-3d 3. Bx2b+", "7g7f 3c3d 8h2b+"),
        ("1.P-7f 2...P-3d", "7g7f 3c3d"), ("P-7f P-3d Bx2b+ Sx2b B*4e", "7g7f 3c3d 8h2b+ 3a2b B*4e"),
        ("P-7f P-3d Bx2b= Sx2b B'45", "7g7f 3c3d 8h2b 3a2b B*4e"), ("G4i-5h", "4i5h"), ("+7776FU", "7g7f"),
        ("+7776FU -3334FU", "7g7f 3c3d"), ("+7776FU,-3334FU,+8822UM", "7g7f 3c3d 8h2b+"),
        ("76歩", "7g7f"), ("7六歩", "7g7f"), ("７六歩", "7g7f"), ("76歩 34歩", "7g7f 3c3d"),
        ("７六歩３四歩", "7g7f 3c3d"), ("７六歩、３四歩、２二角成、同銀", "7g7f 3c3d 8h2b+ 3a2b"),
        ("1.▲７六歩 2.△３四歩", "7g7f 3c3d"), ("▲ ７六歩 △ ３四歩", "7g7f 3c3d"),
        ("7776FU3334FU8822UM", "7g7f 3c3d 8h2b+"), ("+7776FU,T12 -3334FU,T3", "7g7f 3c3d"),
    ],
)  # fmt: skip
def test_moves_lead_to_the_position_after_them(client, words, line):
    assert search(client, words) == f"/positions/shogi/{shogi64.encode(after(line))}/"


@pytest.mark.parametrize(
    "words",
    [
        "76歩 76歩",
        "55角",
        "４八",
        "同歩",
        "７六歩から",
        "P-7f P-7f",
        "P-5e",
        "+7775FU",
        "G-5h",
        "-3334FU",
        "+7776FU +2726FU",
        "B4",
        "R2D2",
        "K9",
        "P-0a",
    ],
)
def test_what_cannot_be_played_is_a_name(client, words):
    assert search(client, words).startswith("/games/?player=")


def test_what_the_pages_write_of_any_game_is_read_again():
    random, position, written = Random(17), Position.initial(), list[str]()
    for _ in range(120):
        legal = sorted(rules.legal_moves(position))
        if not legal:
            break
        move = random.choice(legal)
        written.append(next_move_label(position, move, "", "en"))
        position.do_move(move)
    assert position_after(" ".join(written)) == position


@pytest.mark.parametrize("words", ["{board}", "{board} b", "{board} b -", "sfen {board}"])
def test_a_board_needs_neither_side_nor_hands(client, words):
    board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
    start = shogi64.encode(Position.initial())
    assert search(client, words.format(board=board)) == f"/positions/shogi/{start}/"


def test_a_line_of_more_moves_than_any_game_has_is_not_played():
    assert position_after("P-7f " * 600) is None


# --- addresses -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("http://testserver/games/{pk}/", ""),
        ("http://testserver/games/{pk}/?ply=5&flip=1", "?ply=5&flip=1"),
        ("/games/{pk}/", ""), ("/games/{pk}", ""), ("https://testserver/games/{pk}/?ply=3#replay", "?ply=3"),
    ],
)  # fmt: skip
def test_the_archives_own_addresses_lead_to_the_game(client, words, expected):
    stored(KIF)
    pk = Game.objects.get().pk
    assert search(client, words.format(pk=pk)) == f"/games/{pk}/{expected}"


@pytest.mark.parametrize(
    "words", ["https://elsewhere.example/games/1/", "/games/x/", "/games/", f"{LISHOGI}x"]
)
def test_other_addresses_lead_nowhere(client, words):
    stored(KIF)
    assert search(client, words).startswith("/games/?player=")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (LISHOGI, ""), (f"{LISHOGI}/", ""), (f"{LISHOGI}/gote", ""), (f"{LISHOGI}/sente#5", "?ply=5"),
        (f"{LISHOGI}AbCd", ""), (f"{LISHOGI}#x", ""), ("https://lishogi.org/embed/151jxej8?theme=a", ""),
    ],
)  # fmt: skip
def test_an_address_of_lishogi_leads_to_the_game_that_was_played_there(client, words, expected):
    stored(KIF.replace("棋戦：試しの棋戦", f"場所：{LISHOGI}"))
    assert search(client, words) == f"/games/{Game.objects.get().pk}/{expected}"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a plan of SQLite")
def test_addresses_are_looked_up_by_an_index():
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN QUERY PLAN SELECT min(id) FROM archive_game WHERE site IN (%s, %s) AND NOT (site = '')",
            ["a", "b"],
        )
        assert "game_site" in " ".join(str(row) for row in cursor.fetchall())


# --- openings and names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("矢倉", {"formation": "yagura"}), ("四間飛車", {"formation": "shikenbisha"}),
        ("yagura", {"formation": "yagura"}),
        ("相掛り 甲", {"formation": "aigakari", "player": "甲"}), ("甲 矢倉 名人戦", {
            "formation": "yagura", "player": "甲", "event": "名人戦"}),
        ("穴熊", {"formation": "anaguma"}), ("あなぐま", {"formation": "anaguma"}),
        ("美濃", {"formation": "mino"}),
        ("elmo囲い", {"formation": "elmo"}), ("Ishida", {"player": "Ishida"}), ("四間飛車 穴熊", {
            "q": "formation:shikenbisha formation:anaguma"}),
        ("囲い:矢倉 棒銀戦法", {"q": "formation:yagura formation:bogin"}),
        ("角換わり右玉", {"opening": "角換わり右玉"}), ("戦型:四間飛車", {"opening": "四間飛車"}),
        ("opening:雁木 矢倉", {"opening": "雁木", "formation": "yagura"}), ("棒銀", {"player": "棒銀"}),
        ("hefeWEIZEN", {"player": "Hefeweizen"}), ("やまだ", {"player": "ヤマダ"}),
        ("さくら", {"player": "さくら"}),
        ("サクラ", {"player": "さくら"}), ("@hefeWEIZEN", {"player": "hefeWEIZEN"}),
    ],
)  # fmt: skip
def test_words_are_a_castle_or_an_opening_or_a_name_in_another_spelling(client, words, expected):
    builders.ingest(
        builders.ready("7g7f", black="甲", white="棒銀", event="名人戦"),
        builders.ready("2g2f", black="Hefeweizen", white="ヤマダ"),
        builders.ready("5g5f", black="さくら"),
    )
    result = parse_qs(search(client, words).partition("?")[2])
    assert result == {name: [text] for name, text in expected.items()}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("羽生", {"player": "羽生"}), ("はぶ", {"player": "はぶ"}), ("Habu", {"player": "Habu"}),
        ("Yoshiharu Habu", {"player": "Yoshiharu Habu"}), ("羽生 善治", {"player": "羽生 善治"}),
        ("棋王戦", {"event": "棋王戦"}), ("羽生 棋王戦", {"player": "羽生", "event": "棋王戦"}),
        ("棋王戦 誰か", {"player": "誰か", "event": "棋王戦"}), ("誰か", {"player": "誰か"}),
        ("羽生 陣屋", {"player": "羽生", "place": "陣屋"}),
        ("棋王戦 陣屋旅館", {"event": "棋王戦", "place": "陣屋旅館"}),
        ("羽生善治 対 谷川浩司", {"q": "player:羽生善治 player:谷川浩司"}),
        ("羽生対谷川", {"q": "player:羽生 player:谷川"}),
        ("羽生　ＶＳ　谷川", {"q": "player:羽生 player:谷川"}),
        ("Habu vs. Tanigawa", {"q": "player:Habu player:Tanigawa"}),
        ("Yoshiharu Habu vs Koji Tanigawa", {"q": 'player:"Yoshiharu Habu" player:"Koji Tanigawa"'}),
        ("羽生 谷川 棋王戦", {"q": "player:羽生 player:谷川", "event": "棋王戦"}),
        ("羽生 対 谷川 棋王戦 矢倉", {
            "q": "player:羽生 player:谷川", "event": "棋王戦", "formation": "yagura"}),
        ("対馬", {"player": "対馬"}), ("山対川", {"player": "山対川"}),
        ("羽生 妙手", {"q": "player:羽生 AND 妙手"}), ("@羽生 谷川", {"player": "羽生 谷川"}),
    ],
)  # fmt: skip
def test_words_are_parts_of_names(client, words, expected):
    builders.ingest(
        builders.ready(
            "7g7f", black="羽生善治", white="谷川浩司", event="第17期棋王戦第1局", site="陣屋旅館"
        ),
        builders.ready("2g2f", black="山対川", white="丙"),
    )
    result = parse_qs(search(client, words).partition("?")[2])
    assert result == {name: [text] for name, text in expected.items()}


@pytest.mark.parametrize("words", ["羽生 対 谷川", "谷川 vs 羽生", "habu tanigawa", "羽生 第17期"])
def test_both_players_are_found_by_the_words(client, words):
    builders.ingest(
        builders.ready("7g7f", black="羽生善治", white="谷川浩司", event="第17期棋王戦第1局"),
        builders.ready("2g2f", black="羽生善治", white="丙"),
    )
    page = client.get("/games/", {"q": words}, follow=True).content.decode()
    assert page.count('class="game-row"') == 1 and "谷川浩司" in page


def test_a_family_name_that_some_record_has_alone_means_the_family(client):
    builders.ingest(
        builders.ready("7g7f", black="羽生", white="甲"),
        builders.ready("2g2f", black="羽生善治", white="谷川"),
        builders.ready("5g5f", black="甲野", white="甲"),
    )
    assert parse_qs(search(client, "羽生").partition("?")[2]) == {"player": ["羽生*"]}
    assert parse_qs(search(client, "谷川").partition("?")[2]) == {"player": ["谷川"]}
    assert parse_qs(search(client, "甲").partition("?")[2]) == {"player": ["甲"]}
    assert client.get("/games/", {"q": "羽生"}, follow=True).content.decode().count('class="game-row"') == 2
    assert client.get("/games/", {"player": "羽生"}).content.decode().count('class="game-row"') == 1


# --- what a game is, in a word ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("2018", {"from": "2018", "to": "2018"}), ("2018年", {"from": "2018年", "to": "2018年"}),
        ("2018-05-04", {"from": "2018-05-04", "to": "2018-05-04"}),
        ("2018/5/4", {"from": "2018/5/4", "to": "2018/5/4"}),
        ("2018年5月4日", {"from": "2018年5月4日", "to": "2018年5月4日"}), ("2018-13", {"player": "2018-13"}),
        ("角落ち", {"handicap": "KA"}), ("二枚落", {"handicap": "2"}), ("平手", {"handicap": "HIRATE"}),
        ("千日手", {"special": "SENNICHITE"}), ("投了", {"special": "TORYO"}),
        ("引き分け", {"result": "draw"}), ("先手勝ち", {"result": "black"}),
        ("後手の勝ち", {"result": "white"}),
        ("詰将棋", {"record_kind": "problem"}), ("詰め将棋", {"record_kind": "problem"}),
        ("定跡", {"record_kind": "tree"}), ("手詰", {"player": "手詰"}),
        ("コリドール", {"game": "quoridor"}), ("Quoridor", {"game": "quoridor"}),
        ("コリドール 先手勝ち", {"game": "quoridor", "result": "white"}),
        ("甲 2018 千日手", {"player": "甲", "from": "2018", "to": "2018", "special": "SENNICHITE"}),
        ("開始日:2017 2018", {"from": "2017", "player": "2018"}), ("@2018", {"player": "2018"}),
        ("先手", {"player": "先手"}), ("対局", {"player": "対局"}), ("9999", {"player": "9999"}),
        ("投了 太郎", {"special": "TORYO", "player": "太郎"}), ("1999", {"player": "1999"}),
    ],
)  # fmt: skip
def test_a_word_that_says_what_a_game_is_asks_for_such_games(client, words, expected):
    builders.ingest(builders.ready("7g7f", black="1999", white="甲"))
    result = parse_qs(search(client, words).partition("?")[2])
    assert result == {name: [text] for name, text in expected.items()}


@pytest.mark.parametrize("words", ["13手詰", "13手詰め", "１３手詰", "十三手詰", "１３手つめ"])
def test_problems_of_a_length_are_shown_as_diagrams(client, words):
    assert search(client, words) == "/problems/?length=13"
    parameters = {"record_kind": ["problem"], "min_plies": ["13"], "max_plies": ["13"], "player": ["甲"]}
    assert parse_qs(search(client, f"{words} @甲").partition("?")[2]) == parameters


def test_the_day_that_was_asked_for_in_a_word_is_that_of_the_games(client):
    builders.ingest(builders.ready("7g7f", black="甲", white="乙"))
    page = client.get("/games/", {"q": "2018年5月4日"}, follow=True).content.decode()
    assert "2018年5月4日" in page and "errorlist" not in page
