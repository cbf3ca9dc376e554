"""Rows of KIF and lines of KI2 as people type, copy and put them together."""

from __future__ import annotations

import random
import string
from contextlib import suppress

import pytest

from kifu_core import load
from kifu_core.errors import UnknownFormatError
from kifu_core.shogi.formats.usi import main_moves
from tests.cases import each

HEAD = "手合割：平手\n手数----指手---------消費時間--\n"
THREE = "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n"


def moves(text):
    """The main lines of a text's games, and the codes of all issues."""
    result = load(text)
    issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    return [" ".join(main_moves(game.record)) for game in result.games], [issue.code for issue in issues]


@each(
    "row",
    [
        "\u00a01\u00a0７六歩(77)",
        "１　７六歩(77)",
        "1. ７六歩(77)",
        "１手目 ７六歩(77)",
        "1７六歩(77)",
        "７六歩(77)",
        "1 七六歩(77)",
        "1 76歩(77)",
        "1 ７六P(77)",
        "1 ☗７六歩(77)",
        "1 ７六歩（７七）",
        "1 ７六歩[77]",
        "1\u200b ７六歩(77)\u200b",
        "1 ７六步(77) [ 0:01/00:00:01]",
        "1 ７六歩(77) 0:01/00:00:01",
        "| 1 | ７六歩(77) |",
        "① ７六歩(77)",
        "一手目　７六歩(77)",
        "1。７六歩(77)",
        "1 - ７六歩(77)",
        "#1 ７六歩(77)",
        "1,７六歩(77),0:01",
        "1|７六歩(77)|0:01",
        "1 ７ 六 歩 ( 7 7 )",
        "1 ７六歩(7,7)",
    ],
)
def test_a_row_may_be_typed_otherwise(row):
    assert moves(f"{HEAD}{row}\n2 ３四歩(33)\n") == (["7g7f 3c3d"], [])


@pytest.mark.parametrize(
    ("behind", "comment"),
    [(" *好手", "好手"), (" !?", "!?"), (" [ 0:01/00:00:01] 好手", "好手"), ("<br>", None)],
)
def test_words_behind_a_move_are_its_comment(behind, comment):
    (game,) = load(f"{HEAD}1 ７六歩(77)\n2 ５五角打{behind}\n").games
    (other,) = load(f"{HEAD}1 ７六歩(77){behind}\n2 ３四歩(33)\n").games
    assert other.record["moves"][1].get("comments") == (None if comment is None else [comment])
    assert [issue.code for issue in game.issues] == ["not-in-hand"]


@pytest.mark.parametrize(
    "rows",
    [
        "1 ７六歩(77) 2 ３四歩(33)\n3 ２二角成(88) 4 ２二同銀(31)\n",
        "1 ７六歩(77) 2 ３四歩(33) (0:02)\n3 ２二角(88)成 4 同２二銀(31)\n",
        "1,７六歩(77),0:01\n2,３四歩(33),0:01\n3,22B+(88),0:01\n4,同S(31),0:01\n",
        "<table><tr><td>1</td><td>７六歩(77)</td></tr><tr><td>2</td><td>３四歩(33)</td></tr>"
        "<tr><td>3</td><td>２二角成(88)</td></tr><tr><td>4</td><td>同　銀(31)</td></tr></table>",
    ],
)
def test_rows_may_share_a_line_or_a_table(rows):
    assert moves(rows) == (["7g7f 3c3d 8h2b+ 3a2b"], [])


def test_a_clock_belongs_to_the_row_before_it():
    (game,) = load(f"{HEAD}1 ７六歩(77) 2 ３四歩(33) (0:02)\n").games
    assert [entry.get("time", {}).get("now") for entry in game.record["moves"][1:]] == [
        None,
        {"m": 0, "s": 2},
    ]


@pytest.mark.parametrize(
    "ending",
    [
        "4 【投了】",
        "4 (投了)",
        "投了 ありがとうございました",
        "まで3手で先手の勝ち！",
        "後手投了",
        "先手の勝ち",
    ],
)
def test_an_ending_may_be_typed_otherwise(ending):
    (game,) = load(f"{HEAD}{THREE}{ending}\n").games
    assert (game.ending.special, game.ending.ply, game.ending.winner, game.issues) == ("TORYO", 3, 0, ())


def test_a_result_may_name_a_player():
    (game,) = load(f"先手：甲野\n後手：乙山\n{HEAD}{THREE}まで3手で甲野の勝ち\n").games
    assert (game.ending.special, game.ending.winner) == ("TORYO", 0)


@pytest.mark.parametrize("rows", ["⑴ ＡＢＣ\n⑵ ＤＥＦ\n", "1: xx\n2: yy\n"])
def test_lines_with_numbers_that_are_no_rows_are_no_position(rows):
    result = load(HEAD + rows)
    assert result.games == ()
    assert "no-moves" in {issue.code for issue in result.issues}


@pytest.mark.parametrize("rows", ["1 ＡＢＣ (0:01)\n2 ＤＥＦ (0:02)\n", "1 xx(77)\n2 yy(33)\n"])
def test_rows_of_which_none_can_be_read_are_an_error(rows):
    result = load(HEAD + rows)
    assert result.games == ()
    assert {issue.code for issue in result.issues} == {"no-moves", "unknown-ending"}


@pytest.mark.parametrize(
    ("text", "games", "codes"),
    [
        (THREE + HEAD[7:] + "4 ８四歩(83)\n", ["7g7f 3c3d 2g2f 8c8d"], []),  # the head of another page
        (THREE + "4 投了\n1 ２六歩(27)\n2 投了\n", ["7g7f 3c3d 2g2f", "2g2f"], []),
        ("７六歩(77)\n投了\n２六歩(27)\n", ["7g7f", "2g2f"], []),
        ("７六歩(77)\n封じ手\n３四歩(33)\n", ["7g7f 3c3d"], []),
        ("７六歩(77)\n指し掛け\n３四歩(33)\n", ["7g7f 3c3d"], []),
        (THREE + "\n1 ２六歩(27)\n", ["7g7f 3c3d 2g2f", "2g2f"], ["game-without-head"]),
        (THREE + "先手：甲\n4 ８四歩(83)\n", ["7g7f 3c3d 2g2f 8c8d"], []),
        (THREE + "4 投了\n4 ８四歩(83)\n", ["7g7f 3c3d 2g2f 8c8d"], ["after-ending"]),
        (THREE + "4 封じ手\n4 ８四歩(83)\n5 投了\n", ["7g7f 3c3d 2g2f 8c8d"], []),
        (THREE + "3 ２五歩(26)\n", ["7g7f 3c3d 2g2f"], ["row-order", "wrong-side"]),
        (THREE + "6 ８四歩(83)\n", ["7g7f 3c3d 2g2f 8c8d"], ["rows-missing"]),
    ],
)
def test_numbers_tell_where_another_game_begins(text, games, codes):
    assert moves(HEAD + text) == (games, codes)


def test_moves_of_ki2_behind_a_result_are_another_game():
    text = "▲７六歩 △３四歩\nまで2手で後手の勝ち\n\n▲２六歩 △８四歩\nまで2手で後手の勝ち\n"
    assert moves(text) == (["7g7f 3c3d", "2g2f 8c8d"], [])


@pytest.mark.parametrize(
    "line", ["変化：２手", "変化 2手", "変化：二手", "【変化】2手", "変化：手", "変(化：2手"]
)
def test_a_variation_is_never_read_into_the_main_line(line):
    (game,) = load(f"{HEAD}{THREE}\n{line}\n2 ８四歩(83)\n3 ２六歩(27)\n").games
    assert main_moves(game.record) == ["7g7f", "3c3d", "2g2f"]
    assert [len(fork) for fork in game.record["moves"][2]["forks"]] == [2]


def test_variations_may_be_in_ascending_order():
    text = f"{HEAD}{THREE}変化：2手\n2 ８四歩(83)\n変化：3手\n3 ６六歩(67)\n"
    (game,) = load(text).games
    assert [len(entry.get("forks", ())) for entry in game.record["moves"]] == [0, 0, 1, 1] or game.record[
        "moves"
    ][2]["forks"][0][0]["move"]["to"] == {"x": 8, "y": 4}


def test_an_adjournment_that_play_goes_on_behind_becomes_a_comment():
    (game,) = load(f"{HEAD}{THREE}4 封じ手\n4 ８四歩(83)\n5 投了\n").games
    assert (game.ending.special, game.ending.ply, game.ending.winner) == ("TORYO", 4, 1)
    assert game.record["moves"][3]["comments"] == ["封じ手"]


def test_repeated_headers_are_joined_and_lines_with_a_colon_are_comments():
    (game,) = load("備考：一\n備考：二\n" + HEAD + "1 ７六歩(77)\n評価値：10\n2 ３四歩(33)\n").games
    assert game.record["header"]["備考"] == "一\n二"
    assert game.record["moves"][1]["comments"] == ["評価値：10"]
    assert [issue.code for issue in game.issues] == ["repeated-header"]


@each(
    "text",
    [
        "▲７六歩(77) △３四歩(33) ▲２六歩(27)\n",
        "▲７六歩→△３四歩→▲２六歩\n",
        "▲７六歩～△３四歩～▲２六歩\n",
        "７六歩→３四歩→２六歩\n",
        "７六歩△３四歩▲２六歩\n",
        "１▲７六歩２△３四歩３▲２六歩\n",
        "①▲７六歩②△３四歩③▲２六歩\n",
        "先手▲７六歩 後手△３四歩 先手▲２六歩\n",
        "▴７六歩 ▵３四歩 ▴２六歩\n",
        "`▲７六歩 △３四歩 ▲２六歩`\n",
        "▲７六歩、△３四歩、▲２六歩まで\n",
        "先手７六歩 後手３四歩 先手２六歩\n",
        "●７六歩 ○３四歩 ●２六歩\n",
        "☗７六歩 ⛉３四歩 ⛊２六歩\n",
        "▲7六P △3四P ▲2六P\n",
        "▲七六歩 △三四歩 ▲ニ六歩\n",
        "先手：甲 後手：乙 ▲７六歩 △３四歩 ▲２六歩 まで3手で中断",
    ],
)
def test_ki2_may_be_typed_otherwise(text):
    assert moves(text)[0] == ["7g7f 3c3d 2g2f"]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: text.replace("\n", "\\n"),
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: text.replace("\n", "<br>"),
        lambda text: text.replace("\n", "\u2028"),
        lambda text: f'"{text}"',
        lambda text: f"```\n{text}```\n",
        lambda text: f"<pre>\n{text}</pre>\n",
    ],
)
def test_a_text_out_of_a_mail_a_page_or_json_is_made_plain(wrap):
    assert moves(wrap(HEAD + THREE)) == (["7g7f 3c3d 2g2f"], [])


def test_a_text_without_line_ends_is_read_and_reported():
    assert moves(" ".join((HEAD + THREE).split("\n"))) == (["7g7f 3c3d 2g2f"], ["no-line-ends"])


def test_rows_outrank_lines_that_begin_with_a_mark():
    result = load("今日の将棋です。\n▲７六歩から始まりました。\n" + HEAD + THREE)
    assert (result.format, main_moves(result.games[0].record)) == ("kif", ["7g7f", "3c3d", "2g2f"])


def test_moves_of_a_variation_without_its_number_are_text_in_ki2():
    (game,) = load("▲７六歩 △３四歩 ▲２六歩\n\n変化：\n△８四歩 ▲７七角\n").games
    assert main_moves(game.record) == ["7g7f", "3c3d", "2g2f"]
    assert "△８四歩" in game.unread


def test_the_variation_behind_one_without_its_number_is_read_in_ki2():
    text = "▲７六歩 △３四歩 ▲２六歩\n\n変化：\n△８四歩\nまで2手で中断\n\n変化：2手\n△８四歩 ▲７七角\n"
    (game,) = load(text).games
    assert main_moves(game.record) == ["7g7f", "3c3d", "2g2f"]
    assert [len(fork) for fork in game.record["moves"][2]["forks"]] == [2]


def test_random_lines_are_no_game():
    chars = random.Random(5)
    printable = string.ascii_letters + string.digits + "!#$%&'+-;?@^_~" + " \n\n"
    for _ in range(200):
        text = "".join(chars.choices(printable, k=1500)) + "\n+\nPI\n%Ab c\n"
        with suppress(UnknownFormatError):
            assert load(text).games == ()


@pytest.mark.parametrize(
    "text",
    [
        "ＰＩ\n＋\n＋７７７６ＦＵ\n－３３３４ＦＵ\n％ＴＯＲＹＯ\n",
        "PI\n+\n1 +7776FU\n2 -3334FU\n%TORYO\n",
        "PI\n+\n+7776FU\n-3334FU\n%TORYO 残念\n",
    ],
)
def test_csa_may_be_typed_otherwise(text):
    (game,) = load(text).games
    assert (main_moves(game.record), game.ending.special) == (["7g7f", "3c3d"], "TORYO")


@pytest.mark.parametrize("between", ["", "\n\n", ",\n"])
def test_several_records_of_json_may_follow_each_other(between):
    one = '{"header":{},\n"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}}}]}'
    assert moves(one + between + one) == (["7g7f", "7g7f"], [])
