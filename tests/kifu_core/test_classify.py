"""Games, problems, positions and trees are recognised in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifu_core import dump, load
from kifu_core.shogi.classify import mates
from tests.cases import each

DATA = Path(__file__).parents[1] / "data"
MATE = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1 moves G*5b"
MIDDLE = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4"
HEAD = "手合割：平手\n手数----指手--\n"
SHUFFLE = ("５八金(49)", "５二金(41)", "４八金(58)", "４二金(52)", "５八金(48)", "５二金(42)")


def kinds(text: str, name: str | None = None) -> list[str]:
    return [game.record_kind for game in load(text, name).games]


@each("file_format", ["kif", "ki2", "csa", "jkf", "usi", "usen"])
@each(
    ("line", "kind"),
    [
        (MATE, "problem"),
        (f"sfen {MIDDLE} moves 8c8d", "problem"),
        (f"sfen {MIDDLE} moves 8c8d 2f2e", "game"),
        (f"sfen {MIDDLE}", "position"),
        ("startpos moves 7g7f", "game"),
    ],
)
def test_a_record_is_of_the_same_kind_in_every_format(line, kind, file_format):
    record = load(line).games[0].record
    assert kinds(dump(record, file_format), f"x.{file_format}") == [kind]


def test_a_mate_by_checks_alone_is_a_problem():
    moves = "sfen 8k/9/7GP/9/9/9/9/9/4K4 b G 1 moves G*2b 1a2b"
    assert kinds(moves) == ["game"]
    assert kinds("sfen 7nk/9/7GP/9/9/9/9/4K4/9 b G 1 moves 1c1b+ 1a1b G*1c") == ["game"]
    assert kinds("sfen 8k/9/7SG/9/9/9/9/9/4K4 b 2G 1 moves G*1b 1a2a G*2b") == ["problem"]
    assert kinds("sfen 8k/9/7SG/9/9/9/9/9/4K4 b 2G 1 moves G*3b 1a2a G*2b") == ["game"]


def test_a_game_with_an_ending_is_no_problem():
    text = dump(load(f"sfen {MIDDLE} moves 8c8d").games[0].record, "kif") + "   2 投了\n"
    assert kinds(text) == ["game"]


def test_headers_and_kings_make_a_problem():
    game = load((DATA / "kif" / "problem.kif").read_bytes()).games[0]
    assert (game.record_kind, game.ending.winner) == ("problem", None)
    assert kinds("詰方：甲\n1 ７六歩(77)\n2 ３四歩(33)\n") == ["problem"]
    assert kinds("sfen 4k4/9/9/9/9/9/9/9/9 b G 1 moves G*6b 5a4b") == ["problem"]
    board = (DATA / "kif" / "position.kif").read_text(encoding="utf-8")
    assert kinds(board.replace(" 金 歩|三", " 玉 歩|三")) == ["position"]


@pytest.mark.parametrize(
    "text",
    [
        "sfen 4k4/9/9/9/9/9/9/9/9 b G 1",
        "詰方：甲\n手合割：平手\n手数----指手--\n",
        dump(load("sfen 4k4/9/9/9/9/9/9/9/9 b G 1").games[0].record, "kif") + "   1 中断\n",
    ],
    ids=["one king", "headers", "an ending"],
)
def test_a_problem_without_moves_is_a_position(text):
    assert kinds(text) == ["position"]


def test_a_game_that_ends_before_its_first_move_is_a_game():
    assert kinds(HEAD + "1 投了\n") == ["game"]


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        (MATE, True),
        (f"sfen {MIDDLE} moves 8c8d", False),
        ("sfen 4k4/9/9/9/9/9/9/9/9 b G 1 moves G*6b", False),
    ],
)
def test_a_line_that_mates_is_distinguished_from_one_that_does_not(line, ends):
    assert mates(load(line).games[0].record) is ends


@pytest.mark.parametrize(("forks", "players", "kind"), [(5, "", "tree"), (4, "", "game"), (5, "甲", "game")])
def test_a_tree_has_many_variations_and_no_players(forks, players, kind):
    rows = "".join(f"{ply} {text}\n" for ply, text in enumerate(SHUFFLE, 1))
    pawns = ("２六歩(27)", "８四歩(83)")
    others = "".join(f"変化：{ply}手\n{ply} {pawns[(ply + 1) % 2]}\n" for ply in range(forks, 0, -1))
    assert kinds(f"先手：{players}\n{HEAD}{rows}{others}") == [kind]


def test_several_short_lines_without_an_ending_are_an_opening_collection():
    assert kinds("startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n") == ["tree", "tree"]
    assert kinds(f"startpos moves 7g7f\nsfen {MIDDLE}\nstartpos moves 2g2f\n") == ["tree", "position", "tree"]
    assert kinds("startpos moves 7g7f 3c3d\nstartpos moves 2g2f resign\n") == ["game", "game"]
    there_and_back = " 4i5h 4a5b 5h4i 5b4a" * 16
    assert kinds(f"startpos moves{there_and_back}\nstartpos moves 2g2f\n") == ["game", "game"]
