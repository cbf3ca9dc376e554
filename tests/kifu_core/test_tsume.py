"""Mate problems: soundness, shortest mates, and keys of positions that are alike."""

from __future__ import annotations

from random import Random

from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.pieces import OU
from kifu_core.shogi.position import Position
from kifu_core.shogi.tsume import (
    completed,
    idle_pieces,
    neighbour_keys,
    problem_key,
    shortest_mate,
    soundness,
)
from tests.cases import each
from tests.kifu_core.random_games import random_positions
from tests.kifu_core.test_mate import PROBLEMS, brute_force

THREE = "7kl/9/5+P3/9/9/9/9/9/9 b GS 1"
SOLUTION = "S*3b 2a2b G*2c"
ROOK = "k8/9/K8/9/9/9/9/9/9 b R 1"


def packed(moves):
    return [from_usi(move) for move in moves.split()]


def examined(sfen, moves, nodes=20_000):
    return soundness(Position.from_sfen(sfen), packed(moves), nodes=nodes)


VERDICTS = {
    "sound": (THREE, SOLUTION, "sound"),
    "a king that escapes": ("7k1/9/9/9/9/9/9/9/9 b G 1", "G*2b", "no-mate"),
    "a mate only with the help of the king": (THREE.replace("5+P3", "9"), SOLUTION, "no-mate"),
    "a line that does not mate": (THREE, "S*3b 2a3b G*3a", "wrong-solution"),
    "a line without check": (THREE, "4c3c", "wrong-solution"),
    "an illegal line": (THREE, "S*3b 2a2b B*2c", "wrong-solution"),
}


@each("sfen, moves, verdict", VERDICTS.values())
def test_a_solution_is_examined(sfen, moves, verdict):
    found = examined(sfen, moves)
    assert (found.verdict, found.cooks) == (verdict, ())


def test_too_few_nodes_leave_a_problem_undecided():
    found = examined(THREE, SOLUTION, nodes=30)
    assert (found.verdict, found.undecided) == ("undecided", (1,))


def test_another_first_move_that_mates_is_a_cook():
    # Either gold gives the same mate, and the pawns take its other squares.
    found = examined("4k4/9/3PPP3/9/9/9/9/9/9 b 2G 1", "G*6b 5a4a G*4b")
    assert found.verdict == "cooked"
    assert "G*5b" in [to_usi(cook.move) for cook in found.cooks if cook.kind == "cook"]


def test_other_spots_of_a_drop_and_other_last_moves_are_no_cooks():
    found = examined(ROOK, "R*1a")
    assert found.verdict == "sound"
    assert {cook.kind for cook in found.cooks} == {"last"}
    assert [to_usi(cook.move) for cook in found.cooks] == [f"R*{file}a" for file in (7, 6, 5, 4, 3, 2)]


def test_a_solution_ends_before_futile_interpositions():
    found = examined(ROOK, "R*1a")
    assert (found.verdict, found.defence) == ("sound", "best")


def test_unused_and_idle_pieces_are_named():
    sfen = "4k4/9/4P4/9/9/9/9/9/P8 b 2G 1"
    assert examined(sfen, "G*5b").unused == (5,)
    idle = idle_pieces(Position.from_sfen(sfen), packed("G*5b"))
    assert [(one.piece, one.square) for one in idle] == [(1, 72), (5, None)]


def test_a_defender_has_all_other_pieces():
    assert completed(Position.from_sfen(THREE)).sfen() == "7kl/9/5+P3/9/9/9/9/9/9 b GS2r2b3g3s4n3l17p 1"
    with_king = Position.from_sfen("7kl/9/5+P3/9/9/9/9/9/4K4 b GS 1")
    assert completed(with_king) == with_king


@each("plies, sfen", [item for item in PROBLEMS.items() if item[0] <= 5])
def test_the_shortest_mate_is_that_of_trying_all_moves(plies, sfen):
    position = Position.from_sfen(sfen)
    found = shortest_mate(position)
    assert (found.verdict, len(found.moves)) == ("mate", plies)
    assert not (plies > 1 and brute_force(position, plies - 2))


def test_mirrored_and_turned_positions_have_one_key_and_others_do_not():
    keys = set()
    positions = list(random_positions(Random(3), 200))
    for position in positions:
        for mate in (True, False):
            alike = {problem_key(position.oriented(orientation), mate=mate) for orientation in range(4)}
            assert len(alike) == 1
        keys |= alike
    assert len(keys) == len({one.sfen() for one in positions})


def test_the_key_of_a_mate_ignores_the_hand_of_the_defender():
    position = Position.from_sfen(THREE)
    assert problem_key(position) == problem_key(completed(position))
    assert problem_key(position, mate=False) != problem_key(completed(position), mate=False)


def test_neighbours_are_the_positions_without_one_piece():
    for position in random_positions(Random(4), 50):
        assert neighbour_keys(position) == {problem_key(one) for one in without_a_piece(position)}
        assert neighbour_keys(position.oriented(3)) == neighbour_keys(position)


def without_a_piece(position):
    for square in range(81):
        smaller = position.copy()
        if abs(smaller.board[square]) not in (0, OU):
            smaller.board[square] = 0
            yield smaller
    for kind in range(1, 8):
        smaller = position.copy()
        smaller.hands[position.turn][kind] -= 1
        if smaller.hands[position.turn][kind] >= 0:
            yield smaller
