"""Positions: SFEN, doing and undoing moves, mirror and turn; packed moves."""

from __future__ import annotations

import pytest

from kifu_core.errors import DecodeError
from kifu_core.lines import NO_MOVE
from kifu_core.shogi import moves
from kifu_core.shogi.position import Position
from tests.cases import each

MIDDLE = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg"


def test_the_start_reads_back_as_the_well_known_sfen():
    text = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
    assert Position.initial().sfen() == text
    assert Position.from_sfen(text) == Position.initial()


def test_a_position_with_hands_reads_back():
    assert (
        Position.from_sfen(MIDDLE + " 1").sfen()
        == MIDDLE.replace("GR", "RG").replace("5pnsg", "gsn5p") + " 1"
    )


def test_hands_are_read_in_any_order_and_in_parts():
    assert Position.from_sfen("9/9/9/9/9/9/9/9/9 b pP2pR").sfen(None) == "9/9/9/9/9/9/9/9/9 b RP3p"


def test_runs_of_empty_cells_may_be_written_in_parts():
    assert Position.from_sfen("45/9/333/9/9/9/9/9/9 b -") == Position.from_sfen("9/9/9/9/9/9/9/9/9 b -")


@each(
    ("text", "code"),
    [
        ("", "sfen-fields"),
        ("9/9/9/9/9/9/9/9/9 b", "sfen-fields"),
        ("9/9/9/9/9/9/9/9/9 b - 1 moves", "sfen-fields"),
        ("9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("9/9/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("91/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("8/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("8+G/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("8x/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("0p8/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("8+/9/9/9/9/9/9/9/9 b - 1", "sfen-board"),
        ("9/9/9/9/9/9/9/9/9 x - 1", "sfen-turn"),
        ("9/9/9/9/9/9/9/9/9 b K 1", "sfen-hands"),
        ("9/9/9/9/9/9/9/9/9 b 0P 1", "sfen-hands"),
        ("9/9/9/9/9/9/9/9/9 b 100P 1", "sfen-hands"),
        ("9/9/9/9/9/9/9/9/9 b +P 1", "sfen-hands"),
        ("9/9/9/9/9/9/9/9/9 b - one", "sfen-number"),
        ("9/9/9/9/9/9/9/9/9 b - -1", "sfen-number"),
        ("9/9/9/9/9/9/9/9/9 b - ٣", "sfen-number"),
    ],
)
def test_it_says_what_is_wrong_with_an_sfen(text, code):
    with pytest.raises(DecodeError) as error:
        Position.from_sfen(text)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("sfen", "move", "after"),
    [
        ("4k4/9/9/9/9/9/4P4/9/4K4 b -", "5g5f", "4k4/9/9/9/9/4P4/9/9/4K4 w -"),
        ("4k4/9/4p4/4R4/9/9/9/9/4K4 b -", "5d5c+", "4k4/9/4+R4/9/9/9/9/9/4K4 w P"),
        ("4k4/9/9/9/9/9/9/4+P4/4K4 w -", "5a5b", "9/4k4/9/9/9/9/9/4+P4/4K4 b -"),
        ("4k4/9/9/9/4+b4/4+P4/9/9/4K4 w -", "5e5f", "4k4/9/9/9/9/4+b4/9/9/4K4 b p"),
        ("4k4/9/9/9/9/9/9/9/4K4 w 2g", "G*5h", "4k4/9/9/9/9/9/9/4g4/4K4 b g"),
        ("4k4/4G4/9/9/9/9/9/9/9 b -", "5b5a", "4G4/9/9/9/9/9/9/9/9 w -"),
    ],
)
def test_a_move_is_played_and_taken_back(sfen, move, after):
    position = Position.from_sfen(sfen)
    packed = moves.from_usi(move)
    captured = position.do_move(packed)
    assert position.sfen(None) == after
    position.undo_move(packed, captured)
    assert position.sfen(None) == sfen


def test_the_captured_piece_has_its_sign_and_promotion():
    position = Position.from_sfen("4k4/9/9/9/4+b4/4R4/9/9/4K4 b -")
    assert position.do_move(moves.from_usi("5f5e")) == -13


def test_a_copy_is_independent():
    position = Position.initial()
    copy = position.copy()
    copy.do_move(moves.from_usi("7g7f"))
    copy.hands[0][1] += 1
    assert position == Position.initial()
    assert copy != position


def test_a_position_equals_only_positions():
    assert Position.initial() != "a position"


def test_its_repr_evaluates_to_it():
    position = Position.from_sfen(MIDDLE)
    assert eval(repr(position), {"Position": Position}) == position


def test_mirror_and_turn_of_a_position():
    position = Position.from_sfen("l8/9/9/9/9/9/P8/1B5R1/9 b 2Pg")
    assert position.mirrored().sfen(None) == "8l/9/9/9/9/9/8P/1R5B1/9 b 2Pg"
    assert position.turned().sfen(None) == "9/1r5b1/8p/9/9/9/9/9/8L w G2p"
    assert position.oriented(3) == position.mirrored().turned() == position.turned().mirrored()


@pytest.mark.parametrize("orientation", range(4))
def test_a_move_on_the_oriented_board_leads_to_the_oriented_position(orientation):
    position = Position.from_sfen(MIDDLE)
    for usi in ("2c3e", "P*5d", "6f8h+", "1b1c"):
        move = moves.from_usi(usi)
        after = position.copy()
        after.do_move(move)
        turned = position.oriented(orientation)
        turned.do_move(moves.orient(move, orientation))
        assert turned == after.oriented(orientation)
        assert moves.orient(moves.orient(move, orientation), orientation) == move


def test_nothing_played_stays_nothing_in_every_orientation():
    assert [moves.orient(NO_MOVE, orientation) for orientation in range(4)] == [NO_MOVE] * 4


def test_every_packed_move_fits_a_small_integer_and_reads_back():
    for origin in range(88):
        for promote in (False, True):
            packed = moves.pack(origin, 80, promote)
            assert 0 < packed < 2**15
            assert (moves.source(packed), moves.target(packed), moves.promotes(packed)) == (
                origin,
                80,
                promote,
            )
            assert moves.dropped(packed) == max(0, origin - moves.DROP)


@pytest.mark.parametrize("usi", ["7g7f", "8h2b+", "1a9i", "P*5e", "R*1a"])
def test_a_usi_move_reads_back(usi):
    assert moves.to_usi(moves.from_usi(usi)) == usi


@pytest.mark.parametrize(
    "text", ["", "7g", "7g7g", "P*5e+", "K*5e", "p*5e", "7g7f++", "0a1a", "7j7f", "resign", "7g7f\n"]
)
def test_what_is_no_usi_move_is_refused(text):
    with pytest.raises(DecodeError) as error:
        moves.from_usi(text)
    assert error.value.code == "bad-usi-move"


def test_moves_are_mirrored_and_turned():
    move = moves.from_usi("2g2f")
    assert [moves.to_usi(moves.orient(move, orientation)) for orientation in (1, 2)] == ["8g8f", "8c8d"]
