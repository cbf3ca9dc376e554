"""Evaluations in comments: a sample of every dialect, its series, and text that only looks like scores."""

from __future__ import annotations

from pathlib import Path

import pytest

import kifu_core
from kifu_core.game import Evaluation
from kifu_core.jkf import Record
from kifu_core.shogi.evaluations import best, evaluations
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.pv import read_line
from tests.cases import each
from tests.shared import CORPUS

DATA = Path(__file__).parents[1] / "data" / "evaluations"


def record(path: Path) -> Record:
    return kifu_core.load(path.read_bytes(), path.name).games[0].record


def sample(name: str) -> list[Evaluation]:
    return evaluations(record(DATA / name))


def commented(comment: str) -> list[Evaluation]:
    made = record(DATA / "floodgate.csa")
    for entry in made["moves"]:
        entry.pop("comments", None)
    made["moves"][2]["comments"] = [comment]
    return evaluations(made)


# --- series of each dialect ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "series"),
    [
        # (ply, score from Black's side, winner, plies to mate)
        (
            "floodgate.csa",
            [(1, 130, None, None), (2, 0, None, None), (3, -2150, None, None), (4, 30000, 0, None)],
        ),
        ("denryusen_usi.csa", [(1, 130, None, None), (2, -7, None, None), (3, -31111, 1, None)]),
        ("csa3_nodes.csa", [(2, -35, None, None), (4, 120, None, None)]),
        (
            "shogihome.kif",
            [(1, 12, None, None), (2, -300, None, None), (3, None, 0, 15), (4, 0, 1, None)],
        ),
        ("shogihome.csa", [(1, 12, None, None), (2, -36, None, None), (3, None, 1, 8)]),
        (
            "shogigui.kif",
            [(1, 88, None, None), (2, 207, None, None), (3, None, 1, 12), (4, 30000, 0, None)],
        ),
        ("piyo_shogi.kif", [(1, 72, None, None), (2, -62, None, None), (3, 100000, 0, None)]),
        ("kishin_analytics.kif", [(1, 64, None, None), (2, -120, None, None)]),
    ],
)  # fmt: skip
def test_every_dialect_has_a_series(name, series):
    assert [(one.ply, one.score, one.winner, one.mate) for one in best(sample(name))] == series


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("floodgate.csa", ["3c3d 8h2b+", "2g2f 8c8d", "3a2b", ""]),
        ("denryusen_usi.csa", ["3c3d 8h2b+", "2g2f 8c8d", "3a2b"]),
        ("csa3_nodes.csa", ["2g2f", ""]),
        ("shogihome.kif", ["3c3d 2g2f 8c8d", "8h2b+ 3a2b 7i8h", "", "", ""]),
        ("shogihome.csa", ["3c3d 2g2f", "8h2b+", ""]),
        ("shogigui.kif", ["3c3d 2g2f", "8h2b+ 3a2b B*4e", "2g2f", "3a2b", ""]),
        ("piyo_shogi.kif", ["3c3d 8h2b+ 3a2b 8i7g", "6g6f", "8c8d 6i7h", ""]),
        ("kishin_analytics.kif", ["3c3d 2g2f", "2g2f"]),
    ],
)
def test_lines_of_play_are_read_as_far_as_they_can_be_played(name, lines):
    assert [" ".join(one.moves) for one in sample(name)] == lines


def test_what_else_engines_write_is_kept():
    home, _, analysis, *_ = sample("shogihome.kif")
    assert (home.role, home.depth, home.nodes, home.engine) == ("analysis", 21, 1000495, "Engine 1")
    assert analysis.role == "analysis"
    gui = sample("shogigui.kif")
    assert [(one.role, one.candidate, one.time, one.depth) for one in gui[:4]] == [
        ("player", 0, 0.8, 22),
        ("analysis", 1, 15.9, 54),
        ("analysis", 2, 15.9, 54),
        ("analysis", 1, 3602.5, 10),
    ]
    assert [one.nodes for one in sample("csa3_nodes.csa")] == [12345, 18000]
    assert sample("kishin_analytics.kif")[0].engine == "suisho Version Suisho5/YaneuraOu-V7.50"


def test_a_line_that_was_not_played_belongs_to_the_position_before():
    found = [one for one in sample("piyo_shogi.kif") if one.role == "alternative"]
    assert [(one.ply, one.score) for one in found] == [(1, 29)]


def test_two_evaluations_of_a_ply_are_both_there():
    found = [one for one in sample("shogihome.kif") if one.ply == 2]
    assert [(one.role, one.score) for one in found] == [("player", -315), ("analysis", -300)]


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir()))
def test_reading_leaves_the_record_as_it_was(name):
    made = record(DATA / name)
    before = record(DATA / name)
    evaluations(made)
    assert made == before


# --- what looks like a score and is none ------------------------------------------------------------------


@each(
    "comment",
    [
        "14時19分の着手。", "4", "2002年７月19日生まれ", "-500", "+2000", " 123", "30000",
        "【有料中継・評価値｜囲碁将棋プラス】", "ABEMAで表示されている評価値は、先手53％、後手47％。",
        "*4手目の変化", "* 2手目△３四歩が本筋", "** 100点の手", "*評価値", "#評価値=", "#評価値=互角",
        "評価値=120", "#定跡: △８五歩   △３四歩", "#推奨手△４二銀", "#詰み", "*詰み=なし",
        "*解析 候補1 時間 00:15.9 深さ 54 読み筋 ▲同　歩(87)", "* 12-3", "* 130 良い手", "* 1.5時間",
        "#1 good move", "*先手有利", "&読み込み時表示", "", "*", "#深さ=12",
    ],
)  # fmt: skip
def test_text_that_looks_like_a_score_and_is_none(comment):
    assert commented(comment) == []


@pytest.mark.parametrize(
    ("score", "winner"),
    [
        (0, None), (14999, None), (15000, 0), (-15000, 1), (15001, None), (28999, None), (29998, 0),
        (30000, 0), (-30000, 1), (-100000, 1),
    ],
)  # fmt: skip
def test_constants_like_mates_name_a_winner(score, winner):
    (found,) = commented(f"* {score}")
    assert (found.score, found.winner) == (score, winner)


# --- lines -----------------------------------------------------------------------------------------------


@each(
    ("text", "usi"),
    [
        ("▲７六歩△３四歩▲２二角成△同　銀▲４五角打", "7g7f 3c3d 8h2b+ 3a2b B*4e"),
        ("▲７六歩(77) △３四歩(33) ▲６八銀(79)", "7g7f 3c3d 7i6h"),
        ("☗７六歩 ☖３四歩", "7g7f 3c3d"),
        ("７六歩 ３四歩", "7g7f 3c3d"),
        ("7g7f 3c3d 8h2b+ 3a2b B*4e", "7g7f 3c3d 8h2b+ 3a2b B*4e"),
        ("+7776FU -3334FU +8822UM -3122GI +0045KA", "7g7f 3c3d 8h2b+ 3a2b B*4e"),
        ("▲７六歩 △５五歩 ▲２六歩", "7g7f"),
        ("▲７六歩 まで", "7g7f"),
        ("△３四歩", ""),
        ("+7776XX", ""),
        ("B*4e", ""),
        ("▲５八金", ""),
        ("▲５八金右", "4i5h"),
        ("", ""),
    ],
)
def test_lines_end_where_a_token_is_no_move(text, usi):
    assert " ".join(map(to_usi, read_line(text, Position.initial()))) == usi


def test_a_line_may_begin_on_the_square_of_the_move_before():
    position = Position.from_sfen("lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4")
    assert list(map(to_usi, read_line("△同銀", position, 16))) == ["3a2b"]
    assert read_line("△同銀", position) == []


# --- real files ------------------------------------------------------------------------------------------


def corpus(pattern: str) -> Record:
    (path,) = CORPUS.glob(pattern)
    return record(path)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("pattern", "source", "count", "series"),
    [
        ("csa/*/sample-141b51.csa", "floodgate", 81, [(1, 0), (2, 0), (3, 0), (4, 83), (5, 0), (6, 74)]),
        ("csa/*/v2-2deb76.csa", "floodgate", 196, [(1, 104), (2, 0), (3, 85), (4, 0), (5, 56), (6, 0)]),
        ("csa/*/dr1test1*.csa", "floodgate", 400, [(1, 130), (2, 50), (3, 106), (4, 50), (5, 104)]),
        ("kif/*/record-f14de2.kifu", "floodgate", 3, [(2, -35), (4, 120), (6, -8)]),
        ("kif/*/src01-2be436.kifu", "shogihome", 3, [(5, -102), (6, -97), (7, -101)]),
        ("kif/*/src03-d9a3c6.kifu", "shogihome", 2, [(9, None), (10, None)]),
        ("kif/*/record-1daa03.kifu", "shogihome", 79, [(12, 8), (14, -12), (16, 0), (18, 0), (20, 29)]),
        ("csa/*/record-99ecac.csa", "shogihome", 3, [(2, -35), (4, 120), (6, -8)]),
        ("jkf/*/sample04-d727e0.jkf", "shogihome", 67, [(11, 159), (13, 146), (15, 269), (16, 3)]),
        ("kif/*/record-f96d0a.kifu", "shogigui", 3, [(2, -35), (4, 120), (6, -8)]),
    ],
)
def test_real_files_have_their_series(pattern, source, count, series):
    found = evaluations(corpus(pattern))
    assert {one.source for one in found} == {source}
    assert len(found) == count
    assert [(one.ply, one.score) for one in best(found)][: len(series)] == series


@pytest.mark.shared
@pytest.mark.parametrize(
    "pattern",
    [
        "csa/*/sample-141b51.csa",
        "csa/*/dr1test1*.csa",
        "csa/*/v2-2deb76.csa",
        "kif/*/record-1daa03.kifu",
    ],
)
def test_scores_of_decided_games_end_on_the_winners_side(pattern):
    """The sign rule is Black's side: the last scores of a game agree with who won it."""
    (path,) = CORPUS.glob(pattern)
    game = kifu_core.load(path.read_bytes(), path.name).games[0]
    assert game.ending is not None and game.ending.winner is not None
    scores = [one.score for one in best(evaluations(game.record))[-6:] if one.score]
    assert {int(score < 0) for score in scores} == {game.ending.winner}
