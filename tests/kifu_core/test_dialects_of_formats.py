"""Records of other programs that were invented, and formats whose users have nothing else.

The texts are our own; those of `golden/dialect-lines-2.jsonl` that belong here are read from there.
"""

from __future__ import annotations

import json

import pytest

from kifu_core import ParsedGame, ParseResult, dump, load
from kifu_core.handicaps import HANDICAPS, is_other_game
from tests.shared import GOLDEN

FILE = GOLDEN / "dialect-lines-2.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()] if FILE.is_file() else []


def golden(source: str) -> ParseResult:
    """The reading of the golden line that was seen there."""
    row = next(row for row in ROWS if row["source"].startswith(source))
    return load(row["input"].encode(), row["name"])


def plies(game: ParsedGame) -> int:
    return sum("move" in entry for entry in game.record["moves"])


def codes(result: ParseResult) -> list[str]:
    """The issues of a reading, those of its games behind its own."""
    return [issue.code for issue in (*result.issues, *(one for game in result.games for one in game.issues))]


def start_of(game: ParsedGame) -> str:
    return dump(game.record, "sfen").rsplit(" ", 1)[0]


# --- statements on one line ------------------------------------------------------------------------------

BOOK = """\
'a book
PI, +, +7776FU, -8384FU, %TORYO, /
PI, +, +2726FU, -8384FU, +2625FU, %TORYO, /

PI, +, +5756FU,
-3334FU, %TORYO, /
"""


def test_a_book_of_bonanza_is_a_line_of_an_opening_for_each_of_its_lines():
    result = load(BOOK, "book.csa")
    assert [plies(game) for game in result.games] == [2, 3, 2]
    assert [game.kind for game in result.games] == ["tree"] * 3
    assert [game.first_line for game in result.games] == [1, 3, 5]
    assert codes(result) == []


def test_short_games_with_players_are_no_book():
    text = "N+A\nN-B\nPI,+,+7776FU,%TORYO,/\nN+A\nN-B\nPI,+,+2726FU,%TORYO\n"
    assert [game.kind for game in load(text).games] == ["game", "game"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V2.2,PI,+,+7776FU\n", [1]),
        ("V2,PI,+,+7776FU,T1,-3334FU,T2,%TORYO\n", [2]),
        ("V2.2,PI,+,+7776FU,%TORYO\nV2.2,PI,+,+2726FU,-3334FU\n", [1, 2]),
        ("PI,+,+7776FU,-3334FU\nPI,+,+2726FU\n", [2, 1]),
        ("PI,+,+7776FU,/,PI,+,+2726FU,-3334FU,/\n", [1, 2]),
        ("PI,+,+7776FU,'said, / no\n-3334FU\n", [2]),
    ],
)
def test_statements_with_commas_between_are_games(text, expected):
    result = load(text, "a.csa")
    assert [plies(game) for game in result.games] == expected
    assert codes(result) == []


def test_players_on_a_line_of_statements_end_where_the_next_statement_begins():
    game = load("V2.2,N+Smith, John,N-B,$EVENT:one, two,PI,+,+7776FU,T3,%TORYO\n").games[0]
    assert game.record["header"] == {"先手": "Smith, John", "後手": "B", "棋戦": "one, two"}
    assert plies(game) == 1
    assert game.record["moves"][1]["time"]["now"] == {"m": 0, "s": 3}


def test_no_header_that_we_write_is_read_as_a_statement():
    record = load("N+a\nPI\n+\n+7776FU\n").games[0].record
    told = {**record, "header": {"先手": "a,PI,+", "棋戦": "b, +7776FU"}}
    again = load(dump(told, "csa")).games
    assert [plies(game) for game in again] == [1]
    assert again[0].record["header"] == {"先手": "a，PI，+", "棋戦": "b， +7776FU"}


@pytest.mark.shared
def test_the_golden_books_and_lines_are_read():
    book = golden("LeegleechN")
    assert [plies(game) for game in book.games] == [2, 3, 2]
    assert [game.ending.word for game in book.games if game.ending] == ["TORYO"] * 3
    line = golden('a probe "csa: comma in header"')
    assert [plies(game) for game in line.games] == [1]
    assert codes(book) == codes(line) == []


# --- ranks -----------------------------------------------------------------------------------------------

RANKS = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n{}\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n"


@pytest.mark.shared
def test_a_rank_of_nine_cells_and_a_full_stop_is_a_rank():
    result = golden("mogproject/mog-core-scala blob 081da205")
    assert [(plies(game), game.record["initial"]["preset"]) for game in result.games] == [(7, "HIRATE")]
    assert codes(result) == []


def test_a_full_stop_behind_nine_cells_says_nothing():
    result = load(RANKS.format("P2 * -HI *  *  *  *  * -KA *.") + "+\n%CHUDAN\n")
    assert start_of(result.games[0]).startswith("lnsgkgsnl/1r5b1/ppppppppp/9/")
    assert codes(result) == []


@pytest.mark.parametrize(
    "rank",
    [
        "P2 * -HI *  *  ?  *  * -KA * ",
        "P2 * -HI * -XX *  *  * -KA * ",
        "P2 * -HI *  *  *  *  * -KA * ..",
        "P2 x",
    ],
)
def test_a_rank_that_cannot_be_read_is_not_an_empty_one(rank):
    result = load(RANKS.format(rank) + "+\n-8384FU\n", "a.csa")
    assert result.games == ()
    assert [issue.line for issue in result.issues if issue.severity == "error"] == [2]
    assert "unreadable-rank" in codes(result)


# --- other games of the family ---------------------------------------------------------------------------

SMALL = """\
後手の持駒：なし
  ５ ４ ３ ２ １
+---------------+
|v飛v角v銀v金v玉|一
| ・ ・ ・ ・v歩|二
| ・ ・ ・ ・ ・|三
| 歩 ・ ・ ・ ・|四
| 玉 金 銀 角 飛|五
+---------------+
先手の持駒：なし
"""
EVEN = (
    "  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n|v香v桂v銀v金v玉v金v銀v桂v香|一\n"
    "| ・v飛 ・ ・ ・ ・ ・v角 ・|二\n|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n"
    + "".join(f"| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n" for rank in "四五六")
    + "| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七\n| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n| 香 桂 銀 金 玉 金 銀 桂 香|九\n"
    "+---------------------------+\n"
)
OTHERS = (
    "5五将棋", "５五将棋", "五々将棋", "5五", "京都将棋", "京都", "中将棋", "禽将棋", "鵞鳥将棋", "安南将棋",
    "アンナン将棋", "王手将棋", "チェック将棋", "大将棋", "どうぶつしょうぎ", "minishogi", "Kyotoshogi",
)  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("board", ["", SMALL, EVEN])
@pytest.mark.parametrize("rows", ["手数----指手---------消費時間--\n   1 ７六歩(77)\n", "▲７六歩\n"])
def test_another_game_is_refused_by_its_name_whatever_is_drawn(name, board, rows):
    result = load(f"手合割：{name}\n先手：A\n後手：B\n{board}{rows}")
    assert result.games == ()
    assert [issue.params["name"] for issue in result.issues if issue.code == "unknown-handicap"] == [name]


def test_no_start_of_shogi_is_called_another_game():
    names = [name for one in HANDICAPS for name in (one.name, *one.aliases)]
    more = [
        "詰将棋",
        "双玉詰将棋",
        "本将棋",
        "実戦詰将棋",
        "その他",
        "次の一手",
        "七枚落ち",
        "香得",
        "裸玉",
        "handicap",
        "",
    ]
    assert [name for name in (*names, *more) if is_other_game(name)] == []


def test_a_problem_keeps_its_board():
    result = load("手合割：詰将棋\n" + EVEN + "手数----指手---------消費時間--\n   1 ７六歩(77)\n")
    assert [(game.kind, plies(game)) for game in result.games] == [("problem", 1)]


def test_a_whole_board_of_another_size_is_another_game():
    result = load(f"先手：A\n後手：B\n{SMALL}手数----指手---------消費時間--\n   1   ２四金(25)\n")
    assert result.games == ()
    found = [issue for issue in result.issues if issue.code == "other-board"]
    assert [issue.params for issue in found] == [{"width": 5, "height": 5}]


@pytest.mark.shared
def test_the_golden_game_of_5x5_is_refused_by_name():
    result = golden("WandererXII/scalashogi KifModelTest")
    assert result.games == ()
    assert [issue.params["name"] for issue in result.issues if issue.code == "unknown-handicap"] == [
        "5五将棋"
    ]
