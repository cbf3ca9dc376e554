"""Boards: play and taking back, the rules of a game, moves in every notation."""

from __future__ import annotations

from copy import copy
from random import Random

import pytest

from kifu_core import Board, Move
from kifu_core.errors import AmbiguousMoveError, DecodeError, IllegalMoveError, KifuError
from kifu_core.shogi.position import Position
from tests.cases import each

SHUTTLE = ["2h3h", "8b7b", "3h2h", "7b8b"]
"""Four quiet moves that bring the start back."""

NOTATIONS = ("usi", "csa", "kif", "ki2", "western")


def test_taking_back_all_moves_restores_the_start():
    dice, board = Random(3), Board()
    while board.ply < 200 and (moves := board.legal_moves()):
        board.push(dice.choice(moves))
    played = board.moves
    assert [board.pop() for _ in played] == list(reversed(played))
    assert board.position == Position.initial()
    assert board.peek() is None
    with pytest.raises(IndexError):
        board.pop()


def test_an_illegal_move_is_refused_with_its_code_and_changes_nothing():
    board = Board()
    board.push("7g7f")
    for move, code in (("3d3c", "no-piece"), ("2g2f", "wrong-side"), ("2b7g", "unreachable")):
        with pytest.raises(IllegalMoveError) as raised:
            board.push(move)
        assert (raised.value.code, raised.value.ply) == (code, 2)
    assert board.usi() == "startpos moves 7g7f"


def test_a_foul_can_be_played_on_demand_but_nothing_that_no_board_allows():
    board = Board("4k4/9/9/9/9/9/4P4/9/4K4 b P 1")
    assert not board.is_legal("P*5e")
    board.push("P*5e", legal=False)
    assert board.moves == (Move.from_usi("P*5e"),)
    with pytest.raises(IllegalMoveError, match="not in hand"):
        board.push("P*4e", legal=False)


def test_every_legal_move_is_read_back_in_every_notation():
    for seed in range(20):
        dice, board = Random(seed), Board()
        for _ in range(60):
            moves = board.legal_moves()
            if not moves:
                break
            for move in dice.sample(moves, min(8, len(moves))):
                for notation in NOTATIONS:
                    assert board.parse(board.text(move, notation)) == move, (board.sfen(), notation)
            board.push(dice.choice(moves))


def test_texts_that_name_no_move_or_several_have_errors():
    board = Board("4k4/9/9/9/9/9/9/3G1G3/4K4 b - 1")
    with pytest.raises(AmbiguousMoveError):
        board.parse("５八金")
    assert board.parse("５八金左") == Move.from_usi("6h5h")
    with pytest.raises(IllegalMoveError, match="like that"):
        board.parse("５五銀")
    with pytest.raises(DecodeError):
        board.parse("hello")


def test_the_fourth_occurrence_is_a_draw():
    board = Board()
    for count in range(3):
        assert board.outcome() is None
        for move in SHUTTLE:
            board.push(move)
        assert board.occurrences() == list(range(0, 4 * count + 5, 4))
    assert board.is_fourfold_repetition()
    assert board.outcome() == (None, "fourfold")
    board.pop()
    assert board.outcome() is None


def test_perpetual_check_loses_for_the_side_that_gives_it():
    board = Board("4k4/9/9/9/9/9/9/9/4K2R1 b - 1")
    board.push("2i2a")
    for _ in range(3):
        for move in ("5a5b", "2a2b", "5b5a", "2b2a"):
            board.push(move)
    assert board.perpetual_checker() == 0
    assert board.outcome() == (1, "perpetual-check")


def test_checkmate_ends_the_game_for_the_side_that_gave_it():
    board = Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    assert board.mate_in_one() == Move.from_usi("G*5b")
    assert board.gives_check(Move.from_usi("G*5b"))
    board.push("G*5b")
    assert board.is_checkmate()
    assert board.outcome() == (0, "no-moves")


def test_boards_are_equal_by_their_positions_and_copies_are_independent():
    one, other = Board(), Board()
    for move in ("7g7f", "3c3d", "2g2f"):
        one.push(move)
    for move in ("2g2f", "3c3d", "7g7f"):
        other.push(move)
    assert one == other
    assert one.code == other.code
    copy = one.copy()
    copy.push("8c8d")
    assert one == other != copy
    assert one.sfen().endswith(" w - 4")


def test_handicaps_are_set_up_by_name():
    assert Board.handicap("二枚落ち").turn == 1
    with pytest.raises(DecodeError, match="handicap"):
        Board.handicap("百枚落ち")


@each(
    "sfen, rule, result",
    [
        ("K8/PPPPPPPPP/RB7/9/9/9/9/9/8k b RB4P 1", 27, "win"),  # 9 pawns, rook, bishop, rook, bishop, 4 pawns
        ("K8/PPPPPPPPP/RB7/9/9/9/9/9/8k b RB4P 1", 24, "win"),
        ("K8/PPPPPPPPP/R8/9/9/9/9/9/8k b RB3P 1", 27, None),  # 27 points
        ("K8/PPPPPPPPP/R8/9/9/9/9/9/8k b RB3P 1", 24, "draw"),
        ("8K/9/9/9/9/9/7rb/ppppppppp/k8 w rb3p 1", 27, "win"),
        ("K8/PPPPPPPP1/R8/9/9/9/9/9/8k b 2B2R9P 1", 27, None),  # nine pieces in the zone
        ("9/PPPPPPPPP/RB7/K8/9/9/9/9/8k b RB4P 1", 27, None),  # the king is outside
        ("K7r/PPPPPPPPP/RB7/9/9/9/9/9/8k b RB4P 1", 27, None),  # in check
    ],
)
def test_a_declaration_needs_king_pieces_and_points(sfen, rule, result):
    assert Board(sfen).claim().result(rule) == result


def test_the_pieces_that_white_gives_count_as_points_of_white():
    board = Board.handicap("二枚落ち")
    facts = board.claim()
    assert (facts.color, facts.pieces, facts.points) == (1, 0, 10)


def test_a_board_reads_the_positions_and_moves_of_usi():
    board = Board("position startpos moves 7g7f 3c3d")
    assert board == Board(board.usi()) == Board(f"sfen {board.start.sfen()} moves 7g7f 3c3d")
    assert (board.piece_at("7f"), board.piece_at("3d"), board.piece_at("5e")) == ("P", "p", None)
    board.push("8h2b+")
    assert board.hand(0) == {"B": 1}
    with pytest.raises(IllegalMoveError):
        Board("startpos moves 7g7f 7f7e")


def test_an_illegal_move_is_not_legal_and_a_text_that_is_no_move_is_an_error():
    assert not Board().is_legal("５五歩")
    assert not Board().is_legal("7g7f+")
    with pytest.raises(DecodeError):
        Board().is_legal("hello")


def test_copies_by_the_module_copy_are_independent_too():
    board = Board("startpos moves 7g7f")
    copy(board).pop()
    assert board.ply == 1


def test_a_shorter_mate_can_be_asked_for():
    board = Board("9/5gp2/6kSR/4NL1p1/4B1P2/9/9/9/9 b rb3g3s3n3l15p 1")
    assert len(board.search_mate(plies=1).moves) == 1
    assert Board("7kl/9/5+P3/9/9/9/9/9/9 b GS2r2b3g3s4n3l17p 1").search_mate(plies=1).verdict == "undecided"


def test_a_board_draws_itself():
    board = Board()
    board.push("7g7f")
    assert "v香v桂v銀v金v玉v金v銀v桂v香" in str(board)
    assert board._repr_svg_().startswith("<svg")
    assert eval(repr(board)) == board


def test_every_fault_has_a_sentence():
    for text in ("hello", "2b7g"):
        with pytest.raises(KifuError) as raised:
            Board().push(text)
        assert str(raised.value) != raised.value.code
