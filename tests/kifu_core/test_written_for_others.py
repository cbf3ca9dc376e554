"""Forms of KIF and KI2 that every program reads, and that we read them again."""

from __future__ import annotations

import pytest

from kifu_core import dump, load, message
from kifu_core.shogi.formats import losses

HEAD = "手合割：平手\n手数----指手--\n"
ROWS = "   1 ７六歩(77)\n   2 ３四歩(33)\n"


def game(rows, head=HEAD):
    return load(head + rows).games[0]


def dumped(one, file_format):
    return dump(one.record, file_format, ending=one.ending)


def again(one, file_format="ki2"):
    (found,) = load(dumped(one, file_format), f"x.{file_format}").games
    return found


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("投了", "まで2手で後手の勝ち"),
        ("切れ負け", "まで2手で時間切れにより後手の勝ち"),
        ("持将棋", "まで2手で持将棋"),
        ("封じ手", "まで2手で封じ手"),
        ("入玉勝ち", "まで2手で先手の勝ち"),
        ("不戦敗", "まで2手で後手の勝ち"),
        ("最大手数", "   3 最大手数    "),
        ("待った", "   3 待った      "),
        ("Flagged", "   3 Flagged     "),
    ],
)
def test_kif_ends_with_a_sentence_that_programs_know_or_with_a_row(word, line):
    one = game(ROWS + f"   3 {word}\n")
    assert dumped(one, "kif").splitlines()[-1] == line
    assert again(one, "kif").ending == one.ending
    assert {issue.code for issue in again(one, "kif").issues} <= {"unknown-ending"}


@pytest.mark.parametrize(
    "word", ["入玉勝ち", "引き分け", "最大手数", "待った", "不戦勝", "王手千日手", "Flagged"]
)
def test_ki2_writes_an_ending_without_a_sentence_as_a_remark(word):
    one = game(ROWS + f"   3 {word}\n")
    assert dumped(one, "ki2").splitlines()[-1].startswith("#まで2手で")
    found = again(one).ending
    assert (found.winner, found.draw, found.ply) == (one.ending.winner, one.ending.draw, 2)
    losses_by_code = {issue.code: issue for issue in losses(one, "ki2")}
    assert message(losses_by_code["ending-in-remark"], language="en") == (
        "ki2 tells 1 of the endings in remarks, which other programs do not read"
    )
    assert "ending-in-remark" not in {issue.code for issue in losses(one, "kif")}


def test_the_remark_is_of_its_own_game_where_another_follows():
    one = game(ROWS + "   3 入玉勝ち\n")
    both = load(dumped(one, "ki2") + "\n" + dumped(game(ROWS), "ki2"), "x.ki2").games
    assert [found.ending and found.ending.special for found in both] == ["KACHI", None]


def test_comments_of_an_ending_are_written_before_it_and_stay_its_own():
    one = game(ROWS + "*手の\n&印\n   3 投了\n*終局の\n*二行\n")
    assert dumped(one, "ki2").splitlines()[-6:] == [
        "*手の", "#終局のコメント", "*終局の", "*二行", "&印", "まで2手で後手の勝ち",
    ]  # fmt: skip
    assert again(one).record["moves"][2:] == [
        {**one.record["moves"][2], "comments": ["手の", "&印"]},
        {"special": "TORYO", "comments": ["終局の", "二行"]},
    ]
    assert again(one).bookmarks == one.bookmarks


def test_comments_of_an_ending_that_is_not_there_are_the_last_moves():
    (one,) = load("▲７六歩\n*手の\n#終局のコメント\n*後の\n", "x.ki2").games
    assert one.record["moves"][1]["comments"] == ["手の", "後の"]
    (one,) = load("▲７六歩\n#終局のコメント\n*後の\n\n変化：1手\n▲２六歩\n", "x.ki2").games
    assert one.record["moves"][1]["comments"] == ["後の"]


def test_a_bookmark_follows_the_comments_and_further_ones_are_comments():
    one = game("   1 ７六歩(77)\n&一\n*注\n&二\n   2 ３四歩(33)\n")
    assert dumped(one, "ki2").splitlines()[2:6] == ["▲７六歩", "*注", "*&一", "&二"]
    assert again(one).record["moves"][1]["comments"] == ["注", "&一", "&二"]
    (issue,) = losses(one, "ki2")
    assert (issue.code, issue.params["count"]) == ("lost-bookmarks", 1)


@pytest.mark.parametrize("comment", ["棋戦：順位戦", "この将棋を見た人はこう言った：すごい", "*ある：こと"])
@pytest.mark.parametrize("head", ["手合割：平手\n", "先手：甲\n", ""])
def test_a_comment_that_looks_like_a_header_has_an_empty_one_before_it(comment, head):
    one = game(ROWS, f"{head}手数----指手--\n*{comment}\n*二\n")
    assert f"#開始時のコメント\n*\n*{comment}\n*二\n" in dumped(one, "ki2")
    assert again(one).record["moves"][0] == {"comments": [comment, "二"]}


def test_an_empty_comment_of_the_start_is_kept():
    for texts in (["", "棋戦：順位戦"], ["", "", "a"], ["", "棋戦：順位戦", ""]):
        one = load(f"{HEAD}*\n{ROWS}").games[0]
        record = {**one.record, "moves": [{"comments": texts}, *one.record["moves"][1:]]}
        assert load(dump(record, "ki2"), "x.ki2").games[0].record["moves"][0]["comments"] == texts


def test_ki2_without_headers_begins_with_its_moves():
    one = game(ROWS, "")
    assert dumped(one, "ki2").startswith("▲７六歩")
    assert again(one).record["moves"] == one.record["moves"]


NESTED = (
    ROWS
    + """\
   3 ２二角成(88)
   4 同　銀(31)

変化：3手
   3 ２二角成(88)
   4 同　飛(82)

変化：3手
   3 ２二角不成(88)
   4 同　銀(31)

変化：4手
   4 同　飛(82)
"""
)


def test_a_variation_of_a_variations_second_move_names_its_square():
    one = load(HEAD + NESTED).games[0]
    text = dumped(one, "ki2")
    assert text.endswith("変化：4手\n△２二飛\n") and text.count("同　飛") == 1
    assert again(one).record["moves"] == load(dump(one.record, "jkf")).games[0].record["moves"]


@pytest.mark.parametrize("preset", ["三枚落ち", "五枚落ち", "左五枚落ち", "左七枚落ち", "右七枚落ち"])
def test_handicaps_that_not_all_programs_know_are_drawn_too(preset):
    one = game("   1 ３四歩(33)\n", f"手合割：{preset}\n手数----指手--\n")
    for file_format in ("kif", "ki2"):
        text = dumped(one, file_format)
        assert text.startswith(f"手合割：{preset}\n上手の持駒：なし\n  ９ ８ ７")
        assert again(one, file_format).record["initial"] == one.record["initial"]
        assert again(one, file_format).issues == ()


def test_a_problems_mate_is_a_sentence_in_ki2():
    ranks = [" ・ ・ ・ ・v玉 ・ ・ ・ ・", " ・" * 9, " ・ ・ ・ ・ 歩 ・ ・ ・ ・", *[" ・" * 9] * 6]
    text = "先手の持駒：金\n" + "".join(f"|{rank}|\n" for rank in ranks)
    one = load(text + "   1 ５二金打\n   2 詰み\n").games[0]
    assert dumped(one, "kif").splitlines()[-1] == "まで1手詰"
    assert dumped(one, "ki2").splitlines()[-1] == "まで1手で詰"
    assert again(one).ending.winner is None
