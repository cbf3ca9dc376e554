"""The rules: moves of pawns, walls, paths, wins; compared with a second implementation."""

from __future__ import annotations

from random import Random

import pytest

from kifu_core.quoridor.board import BLACK, WHITE, is_wall, name, orient, read_name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.rules import cuts_path, distance, fault, has_paths, legal_moves, pawn_moves
from tests.cases import each
from tests.kifu_core.quoridor import plain_rules
from tests.kifu_core.quoridor.games import positions, random_game

COUNTS = {1: 131, 2: 16_677, 3: 2_062_264}
"""Sequences of legal moves from the start; those of one and two moves are also counted by the plain rules."""


def board(text: str, turn: int = WHITE) -> QuoridorPosition:
    """A position from names: both pawns, then White's walls."""
    white, black, *walls = text.split()
    squares = [read_name(square) & 127 for square in (white, black)]
    return QuoridorPosition.of(squares, [[read_name(wall) for wall in walls], []], turn)


def plain(position: QuoridorPosition) -> plain_rules.Board:
    found = plain_rules.Board()
    for color in (WHITE, BLACK):
        for wall in map(name, position.walls(color)):
            place = wall[2], "abcdefgh".index(wall[0]), int(wall[1]) - 1
            found = plain_rules.with_wall(found, place, color)
    (white, black), turn = position.pawns, position.turn
    pawns = ((white % 9, white // 9), (black % 9, black // 9))
    return plain_rules.Board(pawns, found.walls, turn, found.edges)


def names(moves: list[int]) -> set[str]:
    found = {name(move) for move in moves}
    assert len(found) == len(moves)
    return found


def count_lines(position: QuoridorPosition, depth: int) -> int:
    moves = legal_moves(position)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        before = position.do_move(move)
        total += count_lines(position, depth - 1)
        position.undo_move(move, before)
    return total


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_as_many_lines_from_the_start_as_the_rules_allow(depth):
    assert count_lines(QuoridorPosition.initial(), depth) == COUNTS[depth]


def test_the_plain_rules_count_the_same_from_the_start_and_from_a_crowded_board():
    assert plain_rules.count_lines(plain_rules.Board(), 1) == COUNTS[1]
    several = (found for seed in range(20) for found in positions(seed))
    crowded = next(found for found in several if found.walls_left(0) + found.walls_left(1) == 8)
    assert count_lines(crowded, 2) == plain_rules.count_lines(plain(crowded), 2)


def test_every_position_of_random_games_has_the_legal_moves_of_the_plain_rules():
    random = Random(1)
    for seed in range(6):
        for position in random.sample(list(positions(seed)), 5):
            assert names(legal_moves(position)) == plain_rules.move_names(plain(position))


def test_a_move_is_legal_exactly_if_it_is_generated():
    every = [read_name(text) for text in plain_rules.move_names(plain_rules.Board())]
    every += [256 + square for square in range(81)]
    for seed in range(4):
        for position in list(positions(seed))[::9]:
            legal = set(legal_moves(position))
            assert {move for move in every if fault(position, move) is None} == legal & set(every)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("e5 a9", "e6 f5 e4 d5"),
        ("e5 e6", "e7 f5 e4 d5"),  # a straight jump, and no diagonal one
        ("e5 e6 e6h", "d6 f6 f5 e4 d5"),  # a wall behind the other pawn
        ("e5 e6 e6h d6v", "f6 f5 e4 d5"),  # and one at its left
        ("e5 e6 e5h", "f5 e4 d5"),  # a wall between the pawns
        ("e5 i5 d5h d4h", "f5 d5"),
        ("e8 e9", "d9 f9 f8 e7 d8"),  # the edge behind the other pawn
        ("a1 b1", "a2 c1"),
        ("h4 i4", "i5 i3 h5 h3 g4"),
    ],
)
def test_where_a_pawn_goes(text, targets):
    assert names(pawn_moves(board(text))) == set(targets.split())


@each(
    ("text", "move", "broken"),
    [
        ("e1 e9 c3h", "c3v", "wall-conflict"),
        ("e1 e9 c3h", "d3h", "wall-conflict"),
        ("e1 e9 c3h", "b3h", "wall-conflict"),
        ("e1 e9 c3v", "c4v", "wall-conflict"),
        ("e1 e9 c3h", "e3h", None),
        ("e1 e9 c3h", "d3v", None),
        ("e1 e9 c3h", "c4v", None),
        ("e1 e9 h3h", "a4h", None),  # the next row is no neighbour
        ("e1 e9 d1v e1v", "d2h", "no-path"),
        ("e1 e9 a3h c3h e3h g3h", "h3v", None),
        ("e1 e9 a3h c3h e3h g3h h4v", "h3v", "wall-conflict"),
        ("e1 e9 a3h c3h e3h g3h h3v", "h5h", None),
        ("e1 e9 a3h c3h e3h g3h h3v", "h4h", "no-path"),
        ("e1 e9 a3h c3h e3h g3h h3v", "h2h", "no-path"),
        ("e1 e9", "e3", "illegal-move"),
        ("a9 e8", "b9", "after-win"),
        ("a9 e8", "c3h", "after-win"),
        ("e1 e9 a1h c1h e1h g1h a3h c3h e3h g3h a5h c5h", "a7h", "wall-count"),
        ("e1 e9 a1h c1h e1h g1h a3h c3h e3h g3h a5h c5h", "a5v", "wall-conflict"),
    ],
)
def test_which_rule_a_move_breaks(text, move, broken):
    assert fault(board(text), read_name(move)) == broken


def test_the_row_of_walls_with_one_gap_is_closed_by_nobody():
    position = board("e1 e9 a3h c3h e3h g3h h3v")
    assert has_paths(position)
    assert "h2h" not in names(legal_moves(position))
    assert not cuts_path(position, read_name("a5h"))


def test_an_imported_position_without_a_path_has_no_legal_wall():
    position = board("e1 e9 d1v e1v d2h")
    assert not has_paths(position)
    assert distance(position, WHITE) is None and distance(position, BLACK) == 9
    assert not any(map(is_wall, legal_moves(position)))
    assert fault(position, read_name("a5h")) == "no-path"


def test_the_distance_is_that_of_the_shortest_way_round_walls():
    assert distance(QuoridorPosition.initial(), WHITE) == 8
    assert distance(board("e1 e9 e1h d1v"), WHITE) == 10


def test_a_game_is_won_on_the_other_side_and_ends_there():
    position = board("e8 e2")
    assert position.winner() is None
    position.do_move(read_name("d8"))
    position.do_move(read_name("d2"))
    position.do_move(read_name("d9"))
    assert position.winner() == WHITE
    assert legal_moves(position) == []
    both = board("a9 i1", BLACK)
    assert both.winner() == WHITE  # of two on their goals the one that moved last
    assert board("a9 i1", WHITE).winner() == BLACK


def test_taking_back_restores_the_position():
    position = QuoridorPosition.initial()
    kept, done = [], []
    for move in random_game(5):
        kept.append(position.copy())
        done.append((move, position.do_move(move)))
    for (move, before), expected in zip(reversed(done), reversed(kept), strict=True):
        position.undo_move(move, before)
        assert position == expected


def test_walls_are_counted_and_listed_by_their_owners():
    position = QuoridorPosition.initial()
    for text in ("e3h", "e6v", "a1v", "h8h", "b2h"):
        position.do_move(read_name(text))
    assert [name(wall) for wall in position.walls(WHITE)] == ["b2h", "e3h", "a1v"]
    assert [name(wall) for wall in position.walls(BLACK)] == ["h8h", "e6v"]
    assert (position.walls_left(WHITE), position.walls_left(BLACK)) == (7, 8)
    assert repr(position).startswith("Position(")


@pytest.mark.parametrize("orientation", [0, 1, 2, 3])
def test_moves_turn_with_the_board(orientation):
    for seed in range(3):
        position, turned = QuoridorPosition.initial(), QuoridorPosition.initial()
        turned.turn = orientation >> 1
        for move in random_game(seed)[:40]:
            there = {orient(found, orientation) for found in legal_moves(position)}
            assert set(legal_moves(turned)) == there
            position.do_move(move)
            turned.do_move(orient(move, orientation))
            assert orient(orient(move, orientation), orientation) == move
