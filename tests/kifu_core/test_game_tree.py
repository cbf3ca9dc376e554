"""Games as trees: a move with its time, comments and evaluation; variations; merging."""

from __future__ import annotations

import pytest

from kifu_core import Board, Game, KifuError, Move, load, merge
from kifu_core.errors import IllegalMoveError, LossError, ParseError, UnknownFormatError
from kifu_core.lines import nodes_of
from kifu_core.shogi.replay import main_moves
from tests.cases import each
from tests.kifu_core.random_games import random_record

KIF = """手合割：平手
先手：甲
後手：乙
*はじめに
1 ７六歩(77) ( 0:05/00:00:05)
*よくある手
**#評価値=120
2 ３四歩(33) ( 0:07/00:00:07)
3 ２六歩(27) ( 0:01/00:00:06)
4 投了 ( 0:00/00:00:07)

変化：3手
3 ６八銀(79)

変化：2手
2 ８四歩(83)
*別の手
3 ２六歩(27)
"""


def test_a_move_comes_with_its_time_comments_and_text():
    game = Game.read(KIF)
    first, second, third = game
    assert (first.ply, first.move, first.text, first.seconds, first.clock) == (
        1, Move.from_usi("7g7f"), "▲７六歩", 5, 5
    )  # fmt: skip
    assert "よくある手" in first.comments
    assert (third.seconds, third.clock) == (1, 6)
    assert second.comments == ()
    assert game.comments == ("はじめに",)
    assert game.headers["先手"] == "甲"
    assert (game.ending.special, game.winner, game.main_line.ending) == ("TORYO", 0, "TORYO")


def test_evaluations_stand_beside_their_moves_in_variations_too():
    game = Game.read("1 ７六歩(77)\n*#評価値=34\n2 ３四歩(33)\n\n変化：2手\n2 ８四歩(83)\n*#評価値=-56\n")
    first, second = game
    (variation,) = second.variations
    assert first.evaluation.score == 34
    assert next(iter(variation)).evaluation.score == -56


def test_variations_have_their_own_positions():
    game = Game.read(KIF)
    second, third = list(game)[1:]
    (other,) = second.variations
    assert (other.path, other.ply, len(other), [node.text for node in other]) == (
        "2.0", 1, 2, ["△８四歩", "▲２六歩"]
    )  # fmt: skip
    board = game.board(1)
    board.push("8c8d")
    assert next(iter(other)).position == board.position
    assert [line.path for line in game.lines()] == ["", "2.0", "3.0"]
    assert [node.text for node in third.variations[0]] == ["▲６八銀"]


@each("seed", range(30))
def test_the_lines_of_a_game_visit_every_node_of_its_record(seed):
    record = random_record(seed)
    moves = sum("move" in entry for _, _, entry in nodes_of(record["moves"]))
    game = Game(record)
    assert sum(1 for line in game.lines() for _ in line) == moves
    assert [node.move for node in game] == main_moves(record)
    assert game.board().position == (list(game)[-1].position if len(game.main_line) else game.start)


def test_a_board_becomes_a_game_and_a_game_a_board():
    board = Board.handicap("角落ち")
    for move in ("3c3d", "7g7f"):
        board.push(move)
    game = Game.from_board(board, {"先手": "甲"}, "TORYO")
    assert game.board() == board
    assert game.winner == 0
    assert "手合割：角落ち" in game.dump("kif")
    assert Game.read(str(game)).record["moves"] == game.record["moves"]
    with pytest.raises(ParseError):
        Game.from_board(board, ending="NONSENSE")
    board.push("3a3e", legal=False)
    with pytest.raises(IllegalMoveError):
        Game.from_board(board)


def test_a_file_without_games_is_an_error():
    with pytest.raises((ParseError, UnknownFormatError)):
        Game.read("hello")


def moves_of(line):
    return " ".join(node.move.usi for node in line)


def game_of(moves, ending=None, **headers):
    board = Board()
    for move in moves.split():
        board.push(move)
    return Game.from_board(board, headers, ending)


def test_games_merge_into_one_tree():
    tree = merge([
        game_of("7g7f 3c3d 2g2f", 先手="甲", 棋戦="杯"),
        game_of("7g7f 3c3d 6i7h 8c8d", 先手="乙", 棋戦="杯"),
        game_of("7g7f 3c3d 6i7h 4c4d", 先手="丙", 棋戦="杯"),
        game_of("2g2f 3c3d", 先手="丁", 棋戦="杯"),
        game_of("7g7f 3c3d 2g2f 8c8d", 先手="甲", 棋戦="杯"),
    ])  # fmt: skip
    assert moves_of(tree) == "7g7f 3c3d 2g2f 8c8d"
    assert {line.path: moves_of(line) for line in tree.lines() if line.path} == {
        "1.0": "2g2f 3c3d",
        "3.0": "6i7h 8c8d",
        "3.0-4.0": "4c4d",
    }
    assert tree.headers == {"棋戦": "杯"}
    assert load(tree.dump("kif")).games[0].record["moves"] == tree.record["moves"]


def test_an_ending_before_another_games_moves_becomes_a_comment():
    tree = merge([game_of("7g7f 3c3d 2g2f"), game_of("7g7f 3c3d", "TORYO")])
    assert next(node for node in tree if node.ply == 2).comments == ("投了",)
    assert moves_of(merge([game_of("7g7f", "TORYO"), game_of("7g7f 3c3d")]).main_line.variations[0]) == "3c3d"


@each("seed", range(0, 60, 2))
def test_merging_loses_no_line(seed):
    games = [Game(random_record(seed)), Game(random_record(seed + 38))]
    if games[0].start != games[1].start:
        games[1] = Game(random_record(seed))
    tree = merge(games)
    lines = {path for game in [tree] for path in paths_of(game)}
    assert all(path in lines for game in games for path in paths_of(game))


def paths_of(game):
    """Return every sequence of moves from the start to a node."""
    paths, waiting = set(), [(game.main_line, ())]
    while waiting:
        line, before = waiting.pop()
        for node in line:
            waiting += [(variation, before) for variation in node.variations]
            before = (*before, node.move)
            paths.add(before)
    return paths


def test_games_from_different_starts_do_not_merge():
    with pytest.raises(KifuError, match="start"):
        merge([game_of(""), Game.from_board(Board.handicap("角落ち"))])


def test_merged_games_are_left_as_they_were():
    one, other = game_of("7g7f 3c3d"), game_of("2g2f")
    before = one.dump("jkf")
    merge([one, other])
    assert one.dump("jkf") == before


def test_a_game_is_not_written_with_losses_unless_they_are_ignored():
    game = Game.read(KIF)
    with pytest.raises(LossError) as raised:
        game.dump("csa")
    assert [issue.code for issue in raised.value.losses] == ["lost-comments", "lost-forks"]
    assert raised.value.code == "lost-comments"
    assert game.dump("csa", losses="ignore").startswith("V2.2\nN+甲\n")
    assert Game.read(game.dump("kif")).record == game.record


def test_a_game_keeps_the_issues_and_the_unread_text_of_its_reading():
    game = Game.read("1 ７六歩(77)\n2 ３四歩(33)\n3 ９九玉(59)\n4 ８四歩(83)\n")
    assert len(game) == 2
    assert "error" in {issue.severity for issue in game.issues}
    assert game.unread
    with pytest.raises(LossError) as raised:
        game.dump("kif")
    assert "lost-unread" in {issue.code for issue in raised.value.losses}


def test_a_file_with_a_game_that_cannot_be_read_at_all_is_an_error():
    good = "PI\n+\n+7776FU\n%TORYO\n"
    bad = "P1 nonsense\n+\n+7776FU\n"
    with pytest.raises(ParseError):
        Game.read_all(f"{bad}/\n{good}", "games.csa")


@pytest.mark.parametrize(
    "remark",
    [
        "# ---- Kifu for Windows V7 V7.80 棋譜ファイル ----",
        "#KIF version=2.0 encoding=Shift_JIS",
        "# KIF形式棋譜ファイル Generated by Electron Shogi",
        "# ファイル名：C:\\棋譜\\a.kif",
    ],
)
def test_remarks_about_a_file_and_its_program_are_no_losses(remark):
    game = Game.read(f"{remark}\n手合割：平手\n1 ７六歩(77)\n2 投了\n")
    assert game.parsed.remarks
    assert game.dump("csa").endswith("%TORYO\n")


def test_other_remarks_are_losses_or_kept_by_formats_with_a_place_for_them():
    game = Game.read("V2.2\nN+a\nN-b\n'rating:a+1:b+2\nPI\n+\n+7776FU\n%TORYO\n")
    with pytest.raises(LossError, match="lost-remarks"):
        game.dump("kif")
    assert "'rating:a+1:b+2\n" in game.dump("csa")


def test_headers_are_replaced_added_and_removed():
    game = Game.read(KIF).with_headers({"先手": "丙", "棋戦": "練習", "後手": ""})
    assert (game.headers, game.players) == ({"手合割": "平手", "先手": "丙", "棋戦": "練習"}, ("丙", ""))
    assert len(list(game.lines())) == len(list(Game.read(KIF).lines()))


def test_lines_and_games_are_short_in_an_interpreter():
    game = game_of("7g7f 3c3d", 先手="甲")
    assert repr(game) == "<Game 甲 - ?: 7g7f 3c3d>"
    assert repr(game.main_line) == "<Line '': 7g7f 3c3d>"


def test_fractions_and_remarks_are_losses_too():
    game = Game.read("V3.0\n'remark\nPI\n+\n+7776FU\nT1.250\n%TORYO\n")
    with pytest.raises(LossError) as raised:
        game.dump("csa")
    assert {issue.code for issue in raised.value.losses} >= {"lost-fractions"}
    assert "T1.250" in game.dump("csa", version="3", losses="ignore")
    with pytest.raises(KifuError, match=r"CSA 3\.0"):
        game.dump("csa", version="3.0", losses="ignore")


def test_the_bytes_of_a_game_have_the_encoding_of_their_format():
    game = game_of("7g7f", 先手="甲")
    assert "先手：甲".encode("cp932") in game.encode("kif")
    assert "先手：甲".encode() in game.encode("kifu")
    with pytest.raises(LossError):
        game_of("7g7f", 先手="𠮷").encode("kif")


def test_players_are_those_of_handicap_games_too():
    assert Game.read("手合割：角落ち\n下手：甲\n上手：乙\n1 ３四歩(33)\n").players == ("甲", "乙")
    assert game_of("7g7f").players == ("", "")


def test_a_game_is_built_with_comments_times_and_variations():
    game = Game.from_board(
        Board("startpos moves 7g7f 3c3d"), comments={0: ["前"], 2: ["角"]}, seconds={1: 75}
    )
    first, second = game
    assert (game.comments, first.seconds, second.comments) == (("前",), 75, ("角",))
    varied = game.with_variation(2, "8c8d", "２六歩").with_comments(1, "一", "二")
    assert [(line.path, moves_of(line)) for line in varied.lines()] == [
        ("", "7g7f 3c3d"),
        ("2.0", "8c8d 2g2f"),
    ]
    assert next(iter(varied)).comments == ("一", "二")
    assert len(list(game.lines())) == 1
    with pytest.raises(IllegalMoveError):
        game.with_variation(2, "2g2f")
    for wrong in (lambda: game.board(3), lambda: Game.from_board(Board(), comments={-1: ["x"]})):
        with pytest.raises(KifuError, match="no-such-ply"):
            wrong()


def test_merging_keeps_the_order_of_headers_and_games_without_any_do_not_matter():
    names = {name: "x" for name in ("棋戦", "場所", "表題", "備考")}
    tree = merge([game_of("7g7f", **names), game_of("2g2f"), game_of("7g7f 3c3d", **names)])
    assert list(tree.headers) == list(names)
    assert merge([game_of("2g2f"), game_of("7g7f", **names)]).headers == names


def test_a_game_is_read_from_a_path(tmp_path):
    path = tmp_path / "game.kif"
    path.write_bytes(KIF.encode("cp932"))
    assert Game.read(path).players == ("甲", "乙")
    assert Game.read(path).svg(1).count("甲") == 1
