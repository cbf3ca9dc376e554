"""Legal moves, and what is wrong with others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifu_core.shogi import moves, rules
from kifu_core.shogi.position import Position
from tests.cases import each

MATSURI = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg"
MOST_MOVES = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p"


def count_lines(position: Position, depth: int) -> int:
    """How many sequences of legal moves of that length there are."""
    found = rules.legal_moves(position)
    if depth == 1:
        return len(found)
    total = 0
    for move in found:
        captured = position.do_move(move)
        total += count_lines(position, depth - 1)
        position.undo_move(move, captured)
    return total


@pytest.mark.parametrize(
    ("sfen", "counts"),
    [
        (Position.initial().sfen(), [30, 900, 25470]),
        (MATSURI, [207, 28684]),
        (MOST_MOVES, [593, 105677]),
    ],
)
def test_the_numbers_of_lines_are_the_published_ones(sfen, counts):
    position = Position.from_sfen(sfen)
    assert [count_lines(position, depth) for depth in range(1, len(counts) + 1)] == counts
    assert position == Position.from_sfen(sfen)


def usi(position: Position) -> set[str]:
    return {moves.to_usi(move) for move in rules.legal_moves(position)}


def all_packed() -> list[int]:
    """Every packed move that is a move at all, and some that are not."""
    return [moves.pack(origin, to, promote) for origin in range(89) for to in range(82) for promote in (0, 1)]


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Positions with any pieces anywhere: several kings, none, dead pieces, two pawns on a file."""
    position = Position([0] * 81, [[0] * 8, [0] * 8], draw(st.integers(0, 1)))
    cells = st.tuples(st.integers(0, 80), st.integers(-14, 14))
    for square, piece in draw(st.lists(cells, max_size=30)):
        position.board[square] = piece
    for square, piece in zip(draw(st.tuples(st.integers(0, 80), st.integers(0, 80))), (8, -8), strict=True):
        position.board[square] = piece
    for color in (0, 1):
        for kind in range(1, 8):
            position.hands[color][kind] = draw(st.integers(0, 1))
    return position


@given(positions())
def test_the_legal_moves_are_those_with_nothing_wrong(position):
    before = position.copy()
    found = rules.legal_moves(position)
    assert len(found) == len(set(found))
    assert set(found) == {move for move in all_packed() if rules.violation(position, move) is None}
    assert position == before


@given(positions(), st.integers(0, 3))
def test_the_rules_know_neither_left_and_right_nor_colours(position, orientation):
    found = {moves.orient(move, orientation) for move in rules.legal_moves(position)}
    assert found == set(rules.legal_moves(position.oriented(orientation)))


@given(positions())
def test_a_square_is_attacked_where_a_piece_could_go(position):
    for to in range(81):
        for color in (0, 1):
            comers = any(rules.sources(position, color, kind, to) for kind in range(1, 15))
            assert rules.is_attacked(position.board, to, color) == comers


@each(
    ("sfen", "move", "fault"),
    [
        ("4k4/9/9/9/9/9/9/9/4K4 b -", "5e5d", "no-piece"),
        ("4k4/9/9/9/9/9/9/9/4K4 b -", "5a5b", "wrong-side"),
        ("4k4/9/9/9/9/9/9/4G4/4K4 b -", "5i5h", "occupied"),
        ("4k4/9/9/9/9/9/9/9/4K4 b -", "5i5g", "unreachable"),
        ("4k4/9/9/9/9/4p4/4L4/9/4K4 b -", "5g5e", "unreachable"),
        ("4k4/9/9/9/9/9/9/9/4K1N2 b -", "3i3g", "unreachable"),
        ("4k4/9/9/9/9/9/4P4/9/4K4 b -", "5g5f+", "bad-promote"),
        ("4k4/9/9/4G4/9/9/9/9/4K4 b -", "5d5c+", "bad-promote"),
        ("4k4/8P/9/9/9/9/9/9/4K4 b -", "1b1a", "must-promote"),
        ("4k4/9/8L/9/9/9/9/9/4K4 b -", "1c1a", "must-promote"),
        ("4k4/9/9/8N/9/9/9/9/4K4 b -", "1d2b", "must-promote"),
        ("4k4/9/9/9/9/9/9/7p1/4K4 w -", "2h2i", "must-promote"),
        ("4k4/9/9/9/9/7n1/9/9/4K4 w -", "2f1h", "must-promote"),
        ("4k4/9/9/9/9/9/9/9/4K4 b r", "R*5e", "not-in-hand"),
        ("4k4/9/9/9/4p4/9/9/9/4K4 b R", "R*5e", "occupied"),
        ("4k4/9/9/9/9/9/9/9/4K4 b P", "P*1a", "dead-drop"),
        ("4k4/9/9/9/9/9/9/9/4K4 b L", "L*1a", "dead-drop"),
        ("4k4/9/9/9/9/9/9/9/4K4 b N", "N*1b", "dead-drop"),
        ("4k4/9/9/9/9/9/9/9/4K4 w n", "N*1h", "dead-drop"),
        ("4k4/9/9/9/9/9/8P/9/4K4 b P", "P*1e", "nifu"),
        ("4k4/9/9/9/4r4/9/4G4/9/4K4 b -", "5g4g", "self-check"),
        ("4k4/9/9/9/4r4/9/9/9/4K4 b G", "G*4h", "self-check"),
        ("4k4/9/9/9/4r4/9/9/9/4K4 b -", "5i5h", "self-check"),
        ("7lk/7n1/7G1/9/9/9/9/9/K8 b P", "P*1b", "uchifuzume"),
        ("k8/9/9/9/9/9/7g1/7N1/7LK w p", "P*1h", "uchifuzume"),
    ],
)
def test_it_says_what_is_wrong_with_a_move(sfen, move, fault):
    position = Position.from_sfen(sfen)
    assert rules.violation(position, moves.from_usi(move)) == fault
    assert not rules.is_legal(position, moves.from_usi(move))
    assert move not in usi(position)
    assert position == Position.from_sfen(sfen)


def test_a_drop_cannot_promote():
    position = Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b P")
    assert rules.violation(position, moves.from_usi("P*5b") | 1) == "bad-promote"


@pytest.mark.parametrize("move", [0, -1, 88 << 8, 80 << 8 | 81 << 1, 1 << 15, 1 << 40])
def test_a_number_that_is_no_move_is_not_legal(move):
    assert rules.violation(Position.initial(), move) == "bad-move"


@pytest.mark.parametrize(
    ("sfen", "move"),
    [
        ("4k4/9/9/9/9/9/8+P/9/4K4 b P", "P*1e"),  # a promoted pawn is no second pawn
        ("4k4/9/9/9/9/9/8p/9/4K4 b P", "P*1e"),  # nor is the other side's
        ("7lk/9/9/9/9/9/9/9/K7R b P", "P*1b"),  # mate but for a flight square: 2b
        ("6k2/9/6G2/9/9/9/9/9/K8 b P", "P*3b"),  # check without mate
        ("7lk/6r2/7G1/9/9/9/9/9/K8 b P", "P*1b"),  # the rook can take the pawn
        ("7lk/7n1/7G1/8P/9/9/9/9/K8 b -", "1d1c"),  # a pawn that moves may mate
        ("4k4/9/9/4S4/9/9/9/9/4K4 b -", "5d5c"),  # a silver may stay a silver
    ],
)
def test_such_a_move_is_legal(sfen, move):
    position = Position.from_sfen(sfen)
    assert rules.violation(position, moves.from_usi(move)) is None
    assert move in usi(position)


def test_a_pinned_piece_still_guards_a_dropped_pawn():
    position = Position.from_sfen("7lk/9/7G1/7K1/9/9/9/9/9 b P")
    assert rules.violation(position, moves.from_usi("P*1b")) == "uchifuzume"


def test_a_pinned_piece_does_not_take_a_dropped_pawn():
    position = Position.from_sfen("R6gk/9/7G1/9/9/9/9/9/K8 b P")
    assert rules.violation(position, moves.from_usi("P*1b")) == "uchifuzume"


def test_a_check_is_answered_by_capturing_blocking_or_moving_away():
    position = Position.from_sfen("4r3k/9/9/9/9/9/3B5/3S5/4K4 b P")
    between = {f"P*5{rank}" for rank in "bcdefgh"}
    assert usi(position) == {"5i4i", "5i4h", "5i6i", "6h5g", "6g5f", "6g5h"} | between


def test_two_checks_are_met_by_the_king_alone():
    position = Position.from_sfen("4r4/9/9/9/9/9/9/2G6/k3K3r b 2G")
    assert usi(position) == {"5i6h", "5i4h"}


def test_the_king_does_not_hide_behind_itself():
    position = Position.from_sfen("4r4/9/9/9/4K4/9/9/9/9 b -")
    assert "5e5f" not in usi(position)


def test_without_kings_every_move_by_the_way_pieces_go_is_legal():
    position = Position.from_sfen("9/9/9/9/4P4/9/9/9/9 b L")
    assert usi(position) == {"5e5d"} | {
        f"L*{file}{rank}" for file in range(1, 10) for rank in "bcdefghi" if (file, rank) != (5, "e")
    }


def test_of_two_kings_neither_may_stay_in_check():
    position = Position.from_sfen("9/9/9/9/r3K4/9/9/9/K7r b -")
    assert rules.in_check(position, 0)
    assert usi(position) == set()
    assert not rules.in_check(position, 1)


def test_a_king_may_be_taken_and_the_game_goes_on():
    position = Position.from_sfen("4k4/4G4/9/9/9/9/9/9/9 b -")
    assert "5b5a" in usi(position)


def test_the_ways_of_a_piece_are_seen_through_nothing():
    position = Position.from_sfen("9/9/9/9/4R1P1K/9/9/9/9 b -")
    assert rules.reaches(position.board, 40, 41)
    assert not rules.reaches(position.board, 40, 43)
    assert rules.sources(position, 0, 7, 41) == [40]
    assert rules.sources(position, 0, 7, 43) == []
    assert rules.sources(position, 1, 7, 41) == []
