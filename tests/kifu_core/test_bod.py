"""BOD: one position as a text diagram."""

from __future__ import annotations

import pytest

from kifu_core import dump, load
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import start
from tests.cases import each
from tests.kifu_core.golden import lines
from tests.kifu_core.random_games import random_record

DIAGRAM = """\
後手の持駒：飛　歩十八\u3000
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・ ・v玉|一
| ・ ・ ・ ・ ・ ・ ・v杏 ・|二
| ・ ・ ・ ・ ・ ・ 歩 ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ 馬 ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| 玉 ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金\u3000
手数＝171  ▲６二角成  まで

後手番
"""
SFEN = "8k/7+l1/6P2/9/9/2+B6/9/9/K8 w Gr18p"


def only(text, name=None):
    result = load(text, name)
    assert len(result.games) == 1
    return result.games[0]


def test_a_diagram_is_a_position():
    game = only(DIAGRAM)
    assert (load(DIAGRAM).format, game.record_kind, game.ending, game.issues) == ("bod", "position", None, ())
    assert start(game.record).sfen(None) == SFEN
    assert game.remarks == ("手数＝171  ▲６二角成  まで",)


def test_a_diagram_saved_as_kif_is_recognised_by_its_name():
    assert load(DIAGRAM, "diagram.kif").format == "kif"
    assert load(DIAGRAM, "diagram.bod").format == "bod"
    assert load(DIAGRAM, "diagram.txt").format == "bod"


def test_names_and_other_headers_may_surround_a_diagram():
    game = only(
        "# ----  Kifu for Windows V7 局面ファイル  ----\n表題：図\n" + DIAGRAM + "先手：甲\n後手：乙\n"
    )
    assert game.record["header"] == {"表題": "図", "先手": "甲", "後手": "乙"}
    assert start(game.record).sfen(None) == SFEN


def test_a_diagram_with_one_king_is_a_position_too():
    assert only(DIAGRAM.replace(" 玉", " ・")).record_kind == "position"


def test_faults_of_a_board_are_reported():
    game = only(DIAGRAM.replace("| ・ ・ ・ ・ ・ ・ 歩 ・ ・|三\n", ""))
    assert [issue.code for issue in game.issues] == ["bad-board"]


@pytest.mark.parametrize(("rank", "count"), [("| ・ 歩|三", 2), ("|" + " ・" * 10 + "|三", 10)])
def test_a_rank_that_has_not_nine_squares_is_named_with_its_line(rank, count):
    text = DIAGRAM.replace("| ・ ・ ・ ・ ・ ・ 歩 ・ ・|三", rank)
    issues = only(text).issues
    assert [issue.code for issue in issues] == ["bad-board", "bad-board-rank"]
    assert issues[1].source_line == rank and text.splitlines()[(issues[1].line or 0) - 1] == rank
    assert (issues[1].params["rank"], issues[1].params["count"]) == (3, count)


def test_it_writes_the_position_of_a_ply_with_the_move_before_it():
    header = {"先手": "甲", "後手": "乙", "棋戦": "某"}
    record = only("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e").record | {"header": header}
    lines_of = [dump(record, "bod", ply=ply).splitlines() for ply in (0, 3, 4, None)]
    assert [text[14:] for text in lines_of] == [
        ["先手：甲", "後手：乙"],
        ["手数＝3  ▲２二角成  まで", "後手番", "先手：甲", "後手：乙"],
        ["手数＝4  △２二銀  まで", "先手：甲", "後手：乙"],
        ["手数＝5  ▲４五角打  まで", "後手番", "先手：甲", "後手：乙"],
    ]
    assert lines_of[2][0] == "後手の持駒：角　"


def test_the_sides_of_a_handicap_game_have_their_own_names():
    text = dump(only("手合割：角落ち\n   1 ８四歩(83)\n").record, "bod")
    assert text.startswith("上手の持駒：なし\n")
    assert text.endswith("+\n下手の持駒：なし\n上手番\n")


@each("seed", range(30))
def test_the_position_of_any_ply_survives(seed):
    record = random_record(seed)
    for ply in (0, 10, None):
        text = dump(record, "bod", ply=ply)
        sfen = dump(record, "sfen", ply=ply).rsplit(maxsplit=1)[0]
        game = only(text)
        assert not game.issues
        assert start(game.record) == Position.from_sfen(sfen)


# A place within a variation; and a silver that changed sides when tsshogi took back a move of the wrong one.
ELSEWHERE = {"record: record usen/branches", "file: files/kif/fork-test.kif"}


@pytest.mark.shared
def test_diagrams_show_the_positions_of_tsshogi_s():
    """It writes hands from the pawns up, the side to move before the last move, and both sides."""
    compared = 0
    for row in lines("tsshogi.jsonl"):
        if "error" in row or row["name"] in ELSEWHERE:
            continue
        game = only(row["bod"])
        theirs = {row[name].rsplit(maxsplit=1)[0] for name in ("sfen", "final_sfen")}
        assert start(game.record).sfen(None) in theirs, row["name"]
        ours = dump(game.record, "bod").splitlines()
        assert ours[1:13] == row["bod"].splitlines()[1:13]
        compared += 1
    assert compared > 260
