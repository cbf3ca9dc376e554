"""Records of other programs that were invented, and formats whose users have nothing else.

The texts are our own; those of `golden/dialect-lines-2.jsonl` that belong here are read from there.
"""

from __future__ import annotations

import json

import pytest

from kifu_core import ParsedGame, ParseResult, dump, load
from kifu_core.shogi.detect import detect
from kifu_core.shogi.evaluations import evaluations
from kifu_core.shogi.formats import book_trees
from kifu_core.shogi.handicaps import HANDICAPS, is_other_game
from tests.cases import each
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
    """The issues of a reading: its own, then those of its games."""
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
    assert [game.record_kind for game in result.games] == ["tree"] * 3
    assert [game.first_line for game in result.games] == [1, 3, 5]
    assert codes(result) == []


def test_short_games_with_players_are_no_book():
    text = "N+A\nN-B\nPI,+,+7776FU,%TORYO,/\nN+A\nN-B\nPI,+,+2726FU,%TORYO\n"
    assert [game.record_kind for game in load(text).games] == ["game", "game"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V2.2,PI,+,+7776FU\n", [1]),
        ("V2,PI,+,+7776FU,T1,-3334FU,T2,%TORYO\n", [2]),
        ("V2.2,PI,+,+7776FU,%TORYO\nV2.2,PI,+,+2726FU,-3334FU\n", [1, 2]),
        ("PI,+,+7776FU,-3334FU\nPI,+,+2726FU\n", [2, 1]),
        ("PI,+,+7776FU,/,PI,+,+2726FU,-3334FU,/\n", [1, 2]),
        ("PI,+,+7776FU,'said, / no\n-3334FU\n", [2]),
        ("PI\n+\n+7776FU\n'said,/ no\n-3334FU\n", [2]),
        ("PI\n+\n+7776FU\nT1\n\n'said,/ no\n'again ,/\n-3334FU,/\nPI\n+2726FU\n", [2, 1]),
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
    renamed = {**record, "header": {"先手": "a,PI,+", "棋戦": "b, +7776FU"}}
    again = load(dump(renamed, "csa")).games
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


@each("name", OTHERS)
@each("board", ["", SMALL, EVEN])
@each("rows", ["手数----指手---------消費時間--\n   1 ７六歩(77)\n", "▲７六歩\n"])
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
    assert [(game.record_kind, plies(game)) for game in result.games] == [("problem", 1)]


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


# --- sets of CSA on one line -----------------------------------------------------------------------------

SET = """\
1 2003/09/08 甲野太郎 乙野次郎 2 4 某位戦 その他の戦型
7776FU3334FU2726FU4132KI
2 ----/--/-- A B 1 4 某王戦 相 矢倉
7776FU3334FU8822UM3122GI

3 2004/01/02 A B 0 2
2726FU8384FU%SENNICHITE
"""


def test_a_set_of_csa_is_two_lines_a_game():
    result = load(SET, "games.csa1")
    assert (result.format, codes(result)) == ("csa1", [])
    assert [plies(game) for game in result.games] == [4, 4, 2]
    assert result.games[0].record["header"] == {
        "棋譜番号": "1", "開始日時": "2003/09/08", "先手": "甲野太郎", "後手": "乙野次郎", "棋戦": "某位戦",
        "戦型": "その他の戦型",
    }  # fmt: skip
    assert result.games[1].record["header"]["戦型"] == "相 矢倉"
    assert "開始日時" not in result.games[1].record["header"]
    endings = [game.ending for game in result.games if game.ending]
    assert [(one.special, one.winner, one.draw) for one in endings] == [
        ("TORYO", 1, False), (None, 0, False), ("SENNICHITE", None, True),
    ]  # fmt: skip


def test_a_set_of_csa_tells_what_is_wrong_with_its_games():
    def wrong(moves: str, said: int = 3) -> tuple[list[int], list[str]]:
        result = load(f"1 2003/09/08 A B 1 {said}\n{moves}\n")
        return [plies(game) for game in result.games], codes(result)

    assert wrong("7776FU3334FU", 126) == ([2], ["other-move-count"])
    assert wrong("7776FU3334FU2726F") == ([2], ["other-move-count", "unreadable-move"])
    assert wrong("7776FU3334FU0055TO") == ([2], ["bad-drop"])
    assert wrong("7776FU0000FU0055OU") == ([1], ["unreadable-move"])
    assert wrong("7776FU3334FU5544KI") == ([2], ["no-piece"])
    assert load("1 x A B 1 1\n7776FU\n2 x A B 1 3\n").issues[0].code == "no-moves"
    assert load("1 x A B 1 1\n7776FU\nwhat\n").issues[0].code == "unknown-line"


@pytest.mark.shared
def test_the_golden_set_of_csa_is_a_game_that_white_won():
    (game,) = golden("CSA one-line sets").games
    assert (plies(game), game.ending and game.ending.winner) == (4, 1)


# --- books of YaneuraOu ----------------------------------------------------------------------------------

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"
AFTER_76 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -"
DB = f"""\
#YANEURAOU-DB2016 1.00
# made by hand
sfen {START} 1
7g7f 3c3d 51 32 2
# the usual one
2g2f 8c8d 40 30 1
sfen {AFTER_76} 2
3c3d 2g2f -45 32 1
8c8d none -60 12
"""


def lines(entries: list, here: tuple[str, ...] = ()) -> list[str]:
    """Every way through a record, as the squares moved to."""
    found, path = [], list(here)
    for entry in entries:
        for fork in entry.get("forks", []):
            found += lines(fork, tuple(path))
        if "move" in entry:
            path.append("{x}{y}".format(**entry["move"]["to"]))
    return [" ".join(path), *found]


def test_a_book_of_yaneuraou_is_a_tree():
    result = load(DB, "book.db")
    assert (result.format, codes(result)) == ("db", [])
    (game,) = result.games
    assert (game.record_kind, start_of(game)) == ("tree", START)
    assert sorted(lines(game.record["moves"])) == ["26 84", "76 34 26", "76 84"]
    assert game.remarks == ("made by hand",)
    assert game.record["moves"][1]["comments"] == [
        "#評価値=51", "#深さ=32", "#読み筋=3c3d", "採用数=2", "the usual one",
    ]  # fmt: skip
    assert [(one.ply, one.score, one.depth) for one in evaluations(game.record)] == [(1, 51, 32), (2, 45, 32)]


def test_a_book_made_of_games_has_no_scores():
    (game,) = load(f"#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f none 0 32 2\n").games
    assert game.record["moves"][1]["comments"] == ["採用数=2"]
    assert evaluations(game.record) == []


def test_a_position_of_a_book_that_two_ways_lead_to_is_played_out_once():
    both = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w -"
    first, other = (
        f"lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/{rank} b -"
        for rank in ("2P6/PP1PPPPPP/1B5R1/LNSGKGSNL", "7P1/PPPPPPP1P/1B5R1/LNSGKGSNL")
    )
    moves = ((first, "2g2f"), (other, "7g7f"), (both, "8c8d"))
    text = "#YANEURAOU-DB2016 1.00\n" + "".join(f"sfen {place} 1\n{move} none\n" for place, move in moves)
    result = load(text)
    assert [lines(game.record["moves"]) for game in result.games] == [["26 84"], ["76"]]


def test_a_book_that_goes_round_ends():
    round_trip = "\n".join(
        f"sfen {place} 1\n{move} none 0 1"
        for place, move in (
            ("r8/9/9/9/9/9/9/9/8R b -", "1i2i"), ("r8/9/9/9/9/9/9/9/7R1 w -", "9a8a"),
            ("1r7/9/9/9/9/9/9/9/7R1 b -", "2i1i"), ("1r7/9/9/9/9/9/9/9/8R w -", "8a9a"),
        )
    )  # fmt: skip
    (game,) = load(round_trip).games
    assert (game.record_kind, plies(game)) == ("tree", 4)


def test_a_large_book_is_several_trees_and_loses_nothing(monkeypatch):
    monkeypatch.setattr(book_trees, "PLACES_A_RECORD", 1)
    text = DB + f"sfen {AFTER_76.replace('9/9/2P6', '9/9/2P6')} 2\n1c1d none\n"
    after = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"
    result = load(text + f"sfen {after}\n6g6f none 1 1\n")
    assert [sorted(lines(game.record["moves"])) for game in result.games] == [
        ["26 84", "76 14", "76 34", "76 84"], ["66"],
    ]  # fmt: skip


def test_a_move_that_cannot_be_played_is_left_out_of_a_book_and_told_of():
    moves = "7g7e none 0\nP*5e none\n7g7f 7g7f 0\n5i5i none\n"
    text = f"#YANEURAOU-DB2016 1.00\nsfen {START} 1\n{moves}sfen x\nwhat\n"
    result = load(text)
    assert [lines(game.record["moves"]) for game in result.games] == [["76"]]
    assert codes(result) == ["book-move", "book-move", "bad-usi-move", "sfen-fields", "unknown-line"]


def test_a_book_without_its_first_line_is_known_by_its_moves():
    assert load(DB.split("\n", 2)[2]).format == "db"
    assert load(f"sfen {START} 1\nsfen {AFTER_76} 2\n").format == "usi"


@pytest.mark.shared
def test_the_golden_book_is_a_tree():
    (game,) = golden("YaneuraOu book format").games
    assert game.record_kind == "tree"
    assert sorted(lines(game.record["moves"])) == ["26 84", "76 34"]


# --- shogidb2 --------------------------------------------------------------------------------------------

FROM_SITE = {
    "開始日時": "2013-01-06T00:00:00.000Z", "終了日時": None, "棋戦": "某会", "棋戦詳細": "某会 第1局",
    "手合割": "平手", "先手": "甲", "後手": "乙", "youtubes": [], "tournament": "某会",
    "start_at": "2013-01-06T00:00:00.000Z",
    "player1": "甲", "player2": "乙", "result": "gote_win", "place": None,
    "moves": [
        {"sfen": f"{AFTER_76} 2", "move": "７六歩(77)", "csa": "+7776FU", "comments": []},
        {"move": "３四歩(33)", "csa": "-3334FU", "comments": ["角道"]},
    ],
}  # fmt: skip


def site(**changes: object) -> ParseResult:
    return load(json.dumps({**FROM_SITE, **changes}, ensure_ascii=False), "27180.json")


def test_a_game_of_shogidb2_is_a_game():
    result = site()
    assert (result.format, codes(result)) == ("shogidb2", [])
    (game,) = result.games
    assert game.record["header"] == {
        "開始日時": "2013/01/06", "棋戦": "某会", "棋戦詳細": "某会 第1局", "手合割": "平手", "先手": "甲",
        "後手": "乙",
    }  # fmt: skip
    assert plies(game) == 2
    assert game.record["moves"][2]["comments"] == ["角道"]
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner) == ("TORYO", 1)


def test_english_names_of_shogidb2_are_taken_where_the_japanese_are_missing():
    english = {name: value for name, value in FROM_SITE.items() if name.isascii()}
    (game,) = load(json.dumps([english | {"start_at": "1975-05-21T05:30:00.000Z"}])).games
    assert game.record["header"] == {
        "先手": "甲",
        "後手": "乙",
        "開始日時": "1975/05/21 14:30",
        "棋戦": "某会",
    }


@pytest.mark.parametrize(
    ("changes", "winner", "draw"),
    [
        ({"result": "sente_win"}, 0, False),
        ({"result": "draw"}, None, True),
        ({"result": "sennichite"}, None, True),
        ({"result": "jishogi"}, None, True),
        ({"result": "chudan"}, None, False),
        ({"result": "resign"}, 1, False),
        ({"moves": [{"csa": "+7776FU"}, {"csa": "%TORYO"}], "result": "sente_win"}, 0, False),
        ({"moves": [{"csa": "+7776FU"}, {"move": "投了"}], "result": None}, 0, False),
    ],
)
def test_results_of_shogidb2(changes, winner, draw):
    (game,) = site(**changes).games
    assert game.ending is not None
    assert (game.ending.winner, game.ending.draw) == (winner, draw)


def test_a_game_of_shogidb2_tells_what_is_wrong_with_it():
    move = {"csa": "+7776FU"}
    assert codes(site(moves=[move, {"csa": "-0055TO"}])) == ["bad-drop"]
    assert site(moves=[move, {"csa": "-0055TO"}]).games[0].unread == '[{"csa": "-0055TO"}]'
    assert codes(site(moves=[move, {"csa": "-3334"}])) == ["unreadable-move"]
    assert codes(site(moves=[move, {"csa": "+3334FU"}])) == ["side-mark"]
    assert codes(site(moves=[move, 7])) == ["jkf-type"]
    assert codes(site(moves=[move, {"csa": "-3334FU", "comments": 7}])) == ["jkf-type"]
    assert codes(site(手合割="五五将棋")) == ["unknown-handicap"]
    assert site(手合割="五五将棋").games == ()
    assert [(one.code, one.severity) for one in site(手合割="なぞ").games[0].issues] == [
        ("unknown-handicap", "warning")
    ]
    assert site(手合割="なぞ", moves=[{"csa": "+3334FU"}]).games == ()
    assert site(手合割="裸玉", moves=[{"csa": "-5152OU"}]).games[0].issues == ()
    assert codes(site(result="whatever")) == ["unknown-ending"]
    assert codes(load(json.dumps([FROM_SITE, 3], ensure_ascii=False))) == ["jkf-type"]
    assert "json" in codes(load(json.dumps(FROM_SITE, ensure_ascii=False)[:-20]))


# --- PSN -------------------------------------------------------------------------------------------------

TAGS = """[Sente "Kono Taro"]
[Gote "Otsuno Jiro"]
[Date "19900712"]
[Event "1st Test"]
[Venue " "]
[Result "{}"]
"""
SAME_GAME = "7g7f 3c3d 8h2b+ 3a2b B*4e 6a5b 4i5h 2b3c"
"""What each of the texts below plays."""
DIALECTS = (
    "P7g-7f P3c-3d B8hx2b+ S3ax2b B'4e G6a-5b G4i-5h S2b-3c",
    "1.P7g-7f P3c-3d 2.B8hx2b+ S3ax2b\n3.B*4e G6a-5b 4.G4i-5h S2b-3c",
    "1.P7f P3d 2.Bx2b+ xS 3.B*4e G65b 4.G45h S3c",
    "1.P7f 2.P3d 3.Bx2b+ 4.Sx 5.B4e 6.G6a5b 7.G4i5h 8.S3c",
    "1.P7g-7f (0:05/0:00:05)\n2.P3c-3d (0:07/0:00:07)\n3.B8hx2b+ (0:01/0:00:06)\n4.S3ax2b\n5.B*4e\n6.G6a-5b\n"
    "7.G4i-5h\n8.S2b-3c",
    "1. 7g7f 2. 3c3d 3. 8h2b+ 4. 3a2b 5. B*4e 6. 6a5b 7. 4i5h 8. 2b3c",
    "1. . . P7f! P3d {said (not\nplayed} 2. Bx2b+ xS (2...R3b) 3. B'4e G65b 4. G45h S3c=",
)


@pytest.mark.parametrize("text", DIALECTS)
def test_every_dialect_of_psn_plays_the_same_game(text):
    result = load(TAGS.format("1-0") + text + "\n", "a.psn")
    assert (result.format, codes(result)) == ("psn", [])
    (game,) = result.games
    assert dump(game.record, "usi") == f"position startpos moves {SAME_GAME}\n"
    assert game.record["header"] == {
        "先手": "Kono Taro", "後手": "Otsuno Jiro", "開始日時": "1990/07/12", "棋戦": "1st Test",
    }  # fmt: skip
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner) == (None, 0)


def test_times_comments_and_variations_of_psn_are_kept():
    (timed,) = load(TAGS.format("*") + DIALECTS[4]).games
    assert [entry["time"]["now"]["s"] for entry in timed.record["moves"] if "time" in entry] == [5, 7, 1]
    (renamed,) = load(TAGS.format("*") + DIALECTS[6]).games
    entries = renamed.record["moves"]
    assert (entries[1]["comments"], entries[2]["comments"]) == (["!"], ["said (not", "played"])
    assert [one["move"]["to"] for fork in entries[4]["forks"] for one in fork] == [{"x": 3, "y": 2}]


@pytest.mark.parametrize(
    ("tag", "tail", "special", "winner", "draw"),
    [
        ("0-1", "", "TORYO", 1, False),
        (" ", "{Resigns}", "TORYO", 1, False),
        ("*", "Resigns", "TORYO", 1, False),
        ("*", "0-1", "TORYO", 1, False),
        ("Sennichite", "", "SENNICHITE", None, True),
        (" ", "{Jishogi}", "JISHOGI", None, True),
        ("1/2-1/2", "", "HIKIWAKE", None, True),
        ("*", "Timeup", "TIME_UP", 1, False),
    ],
)
def test_how_games_in_psn_end(tag, tail, special, winner, draw):
    (game,) = load(TAGS.format(tag) + f"P7g-7f P3c-3d {tail}\n").games
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner, game.ending.draw) == (special, winner, draw)


def test_several_games_of_psn_are_told_apart_by_their_tags():
    result = load((TAGS.format("1-0") + "\nP7g-7f\n\n") * 3, "many.psn")
    assert [(plies(game), game.first_line) for game in result.games] == [(1, 1), (1, 10), (1, 19)]


def test_starts_of_psn():
    named = load('[Sente "A"]\n[Handicap "2 pieces"]\nK5a-6b P7g-7f\n').games[0]
    assert named.record["initial"] == {"preset": "2"}
    drawn = load('[Black "A"]\n[SFEN "4k4/9/9/9/9/9/9/9/4K4 b P 1"]\nP*5e\n').games[0]
    assert start_of(drawn) == "4k4/9/9/9/9/9/9/9/4K4 b P"
    assert codes(load('[Sente "A"]\n[Handicap "no knights"]\nP7g-7f\n')) == ["unknown-handicap"]
    assert codes(load('[Sente "A"]\n[SFEN "x"]\nP7g-7f\n')) == ["sfen-board"]


@pytest.mark.parametrize(
    ("moves", "kept", "expected"),
    [
        ("P7g-7f P'5e", 1, "not-in-hand"),
        ("P7g-7f K'5e", 1, "bad-drop"),
        ("P7g-7f +P3c-3d", 1, "piece-mismatch"),
        ("P7g-7f P3c-3d B8hx2b+ xK", 3, "no-piece"),
        ("xP P7g-7f", 0, "same-without-move"),
        ("P7g-7f P3d G5h", 2, "ambiguous"),
        ("P7g-7f P3z", 1, "unreadable-move"),
        ("P7g-7f P3c-3d)", 2, "unknown-line"),
        ("P7g-7f (P2f P2f", 1, "no-piece"),
        ("P7g-7f P3c3", 1, "unreadable-move"),
    ],
)
def test_a_game_of_psn_tells_what_is_wrong_with_it(moves, kept, expected):
    result = load(TAGS.format("*") + moves + "\n")
    assert expected in codes(result)
    assert [plies(game) for game in result.games] in ([kept], [kept + 1], [])


def test_another_game_in_psn_is_refused_by_name():
    result = load('[Sente "A"]\n[Variant "Minishogi"]\nP7g-7f\n')
    assert ([*result.games], codes(result)) == ([], ["unknown-handicap"])
    assert len(load('[Sente "A"]\n[Variant "Standard"]\nP7g-7f\n').games) == 1


def test_chess_and_lists_of_quoridor_are_no_psn():
    for text in ('[White "A"]\n[Black "B"]\n1. e4 e5 2. Nf3 Nc6 1-0\n', '[White "A"]\n1. e2 e8 2. e3h e7\n'):
        assert detect(text)[0] != "psn"


@pytest.mark.shared
def test_the_golden_game_of_psn_was_won_by_white():
    (game,) = golden("AndrewMasalski").games
    assert (plies(game), game.ending and game.ending.winner) == (8, 1)
