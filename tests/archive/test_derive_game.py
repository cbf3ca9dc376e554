"""What is made of a parsed game before the store sees it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from archive.derive.game import derive_game, digest, index_rows, row_result, storable
from archive.derive.headers import NO_DAY, played, player_name, read_day
from archive.index.schema import FIRST, FORK
from archive.models import codec
from kifu_core import load
from kifu_core.classes import key
from kifu_core.jkf import FORK_LEVELS
from kifu_core.record import Ending
from kifu_core.shogi.replay import visits
from tests.archive.builders import ROOKS, parsed, ready, record

GAME = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d"
NAMES = {"先手": "羽生善治", "後手": "谷川浩司", "開始日時": "1996/02/14 09:00:00"}


def identity(played: str = GAME, header: dict[str, str] | None = None, result: int = 0, **options) -> bytes:
    return digest(record(played, header=header or NAMES, **options), "shogi", result)


# --- identity --------------------------------------------------------------------------------------------


def test_editions_of_a_game_have_one_digest():
    assert identity() == identity(
        header={
            "先手": "羽生　善治 王将",
            "後手": "谷川浩司九段",
            "開始日時": "1996-02-14",
            "棋戦": "王将戦",
        },
        forks={3: [["6g6f"]]},
        special="CHUDAN",
    )


KIF = """開始日時：1996/02/14 09:00
棋戦：王将戦
手合割：平手
先手：羽生　善治 名人
後手：谷川　浩司 王将
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:16/00:00:16)
*長い一日
   2 ３四歩(33)   ( 0:00/00:00:00)
   3 ２二角成(88) ( 0:16/00:00:32)
   4 同　銀(31)   ( 0:00/00:00:00)
   5 投了         ( 0:03/00:00:35)

変化：3手
   3 ２六歩(27)   ( 0:00/00:00:16)
"""
CSA = """V2.2
N+羽生善治
N-谷川浩司
$START_TIME:1996/02/14 10:30:00
PI
+
+7776FU
-3334FU
+8822UM
-3122GI
%TORYO
"""


def test_the_same_game_as_kif_and_csa_has_one_digest():
    kif, csa = (
        derive_game(load(text.encode(encoding), name).games[0])
        for text, encoding, name in ((KIF, "cp932", "a.kif"), (CSA, "utf-8", "a.csa"))
    )
    assert kif.digest == csa.digest
    assert kif.players == csa.players == ("羽生善治", "谷川浩司")
    assert (kif.result, kif.plies, kif.played_from) == (1, 4, date(1996, 2, 14))
    assert len(kif.rows) == len(csa.rows) + 2


@pytest.mark.parametrize(
    "other",
    [
        identity(GAME + " 2h2d"),
        identity(result=1),
        identity(header=NAMES | {"先手": "羽生"}),
        identity(header=NAMES | {"開始日時": "1996/02/15"}),
        identity(header=NAMES | {"開始日時": "1996"}),
        identity(header={"先手": "谷川浩司", "後手": "羽生善治", "開始日時": "1996/02/14"}),
        digest(record(GAME, header=NAMES), "other", 0),
    ],
)
def test_other_games_have_other_digests(other):
    assert other != identity()


def test_the_digest_is_stable():
    """A digest that changes makes every game a new one: that needs a new DIGEST_VERSION."""
    assert identity().hex() == "0fc0baa7976238ecfab09878b35ed5bc"


def test_short_anonymous_records_are_the_same_only_with_the_same_text():
    plain, commented = record("7g7f 3c3d"), record("7g7f 3c3d")
    commented["moves"][1]["comments"] = ["良い手"]
    assert digest(plain, "shogi", 3) != digest(commented, "shogi", 3)
    for made in (plain, commented):
        made["header"] = {"先手": "甲"}
    assert digest(plain, "shogi", 3) == digest(commented, "shogi", 3)
    long, other = record(GAME), record(GAME)
    other["moves"][1]["comments"] = ["良い手"]
    assert digest(long, "shogi", 3) == digest(other, "shogi", 3)


# --- rows ------------------------------------------------------------------------------------------------


def test_the_main_line_has_a_row_for_the_first_visit_of_each_position():
    made = record("5i6i 5a4a 6i5i 4a5a 5i4i", start=ROOKS)
    rows = index_rows(made)[0]
    assert [row.ply for row in rows] == [0, 1, 2, 3, 5]
    assert {row.flags for row in rows} == {FIRST}
    assert rows[0].move == visits(made)[0].move and rows[-1].move == 0


def test_forks_have_a_row_for_each_new_move_of_a_position():
    made = record("7g7f 3c3d", {2: [["8c8d"], ["8c8d", "2g2f"], ["3c3d"]]})
    fork = [(row.ply, row.flags) for row in index_rows(made)[0]][3:]
    assert fork == [(1, FORK), (2, FORK | FIRST), (2, FORK), (3, FORK | FIRST)]


def test_rows_carry_the_key_of_their_code():
    rows, codes = index_rows(record(GAME), "shogi", 5)
    assert len(rows) == len(codes) == 11
    assert all(row.key == key(code, row.key & 3, "shogi", 5) for row, code in zip(rows, codes, strict=True))


# --- the rest --------------------------------------------------------------------------------------------


def test_a_game_is_ready_with_its_plain_headers():
    game = ready(GAME, black="羽生　善治 九段", event=" 王将戦 ", site="東京", day="1996/02/14")
    assert (game.players, game.event, game.site) == (("羽生善治", ""), "王将戦", "東京")
    assert (game.played_from, game.precision, game.played) == (date(1996, 2, 14), "day", 728703)
    assert (game.handicap, game.result, game.special, game.plies) == ("HIRATE", 0, "TORYO", 10)
    assert codec.unpack(game.record)["header"]["先手"] == "羽生　善治 九段"


@pytest.mark.parametrize(
    ("winner", "draw", "result"), [(0, False, 0), (1, False, 1), (None, True, 2), (None, False, 3)]
)
def test_the_result_follows_from_the_ending(winner, draw, result):
    assert derive_game(parsed(record(GAME), winner, draw=draw)).result == result


@pytest.mark.parametrize(
    ("word", "special"),
    [("上手の勝ち", "TORYO"), ("時間切れ負け", "TIME_UP"), ("連続王手千日手", "王手千日手"), ("謎", "謎")],
)
def test_an_ending_has_jkfs_name_whatever_the_record_calls_it(word, special):
    game = replace(parsed(record(GAME)), ending=Ending(word, None, 10, 0))
    assert derive_game(game).special == special


def test_only_games_have_results():
    assert ready(GAME, kind="problem", winner=0).result == 3
    assert [row_result(kind, 1) for kind in ("game", "tree", "problem", "position")] == [1, 4, 4, 4]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("羽生　善治", "羽生善治"),
        ("藤井聡太竜王・名人", "藤井聡太"),
        ("佐藤名人", "佐藤"),
        ("渡辺　明竜王", "渡辺明"),
        ("ＡＢＣ　三段", "ABC"),
        ("gps_l", "gps_l"),
        ("name (2級)", "name"),
        ("九段", "九段"),
        ("a\0b\ud800", "a b"),
        ("", ""),
    ],
)
def test_names_lose_titles_and_ranks(text, name):
    assert player_name(text) == name


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2005/11/29･30日", "2005-11-29"),
        ("２０２０年１月５日", "2020-01-05"),
        ("1743/00/00", "1743"),
        ("2024/05", "2024-05"),
        ("2020-02-30", ""),
        ("2020-13", ""),
        ("0000", ""),
        ("慶応2年", "1866"),
        ("20240501", "2024-05-01"),
        ("20241301", ""),
    ],
)
def test_days_are_read_as_precisely_as_they_are_known(text, day):
    assert read_day(text).text == day


def test_a_game_of_two_days_has_an_end():
    day = played({"開始日時": "2020/01/05", "終了日時": "2020/01/06 18:00"})
    assert (day.start, day.end) == (date(2020, 1, 5), date(2020, 1, 6))
    assert played({"開始日時": "2020/01/05", "終了日時": "2019/01/06"}).end == date(2020, 1, 5)
    assert played({"終了日時": "2020/01/06"}) == NO_DAY


def test_records_as_deep_as_they_may_be_are_kept():
    deep = record("7g7f")
    entries = deep["moves"]
    for _ in range(FORK_LEVELS):
        entries[1]["forks"] = [[{}, dict(entries[1])]]
        entries = entries[1]["forks"][0]
    assert codec.unpack(codec.pack(deep)) == deep


def test_a_record_with_half_a_surrogate_pair_comes_back_without_it():
    packed = codec.pack(record("7g7f", header={"x": "a\ud800\U0001f600\\ud800"}))
    assert codec.unpack(packed)["header"] == {"x": "a\ufffd\U0001f600\\ud800"}


def test_json_is_stored_without_what_databases_refuse():
    assert storable({"a\0": ["\ud800b", 1, None, ("x",)]}) == {"a\ufffd": ["\ufffdb", 1, None, ["x"]]}
