"""Forced mates: mate in one, the proof-number search, and its claims."""

from __future__ import annotations

import csv
from random import Random

from kifu_core import Board, load
from kifu_core.shogi import rules
from kifu_core.shogi.mate import checking_moves, mate_in_one, search_mate
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import start
from tests.cases import each
from tests.kifu_core.random_games import random_positions
from tests.shared import CORPUS, need_shared

PROBLEMS = {
    1: "7k1/9/7S1/9/9/9/9/9/9 b S2r2b4g2s4n4l18p",
    3: "7kl/9/5+P3/9/9/9/9/9/9 b GS2r2b3g3s4n3l17p",
    5: "7nl/7k1/5Npp1/9/9/9/9/9/9 b RBrb4g4s2n3l16p",
    7: "9/9/3ppP3/3r5/3nkB3/5R3/3sgG3/9/9 b Gbg3s3n4l15p",
    11: "5r1nl/4s1kB1/5p1pp/9/9/9/9/9/9 b R2GSNb2g2s2n3l15p",
}
"""Problems by the plies of their solution."""


def is_checking(position, move):
    captured = position.do_move(move)
    check = rules.in_check(position, position.turn)
    position.undo_move(move, captured)
    return check


def brute_force(position, plies):
    """Return whether there is a mate by checks within a number of plies."""
    for move in filter(lambda move: is_checking(position, move), rules.legal_moves(position)):
        captured = position.do_move(move)
        answers = rules.legal_moves(position)
        mates = not answers or (plies > 2 and all(answered(position, answer, plies) for answer in answers))
        position.undo_move(move, captured)
        if mates:
            return True
    return False


def answered(position, answer, plies):
    captured = position.do_move(answer)
    mates = brute_force(position, plies - 2)
    position.undo_move(answer, captured)
    return mates


def assert_is_mate(position, moves):
    """Assert that every odd move checks, every move is legal, and the last one mates."""
    board = Board.from_position(position)
    for number, move in enumerate(moves):
        board.push(move)
        assert number % 2 or board.is_check()
    assert len(moves) % 2 == 1
    assert board.is_checkmate()


def test_checking_moves_are_the_legal_moves_that_check():
    for position in random_positions(Random(5), 400):
        legal = rules.legal_moves(position)
        assert sorted(checking_moves(position)) == sorted(m for m in legal if is_checking(position, m))


def test_mate_in_one_is_that_of_trying_all_moves():
    for position in random_positions(Random(6), 400):
        before = position.sfen()
        assert (mate_in_one(position) is not None) == brute_force(position, 1)
        assert position.sfen() == before


@each("plies, sfen", PROBLEMS.items())
def test_problems_are_solved_in_their_length_at_least(plies, sfen):
    position = Position.from_sfen(sfen)
    result = search_mate(position)
    assert result.verdict == "mate"
    assert len(result.moves) >= plies
    assert_is_mate(position, result.moves)


def test_the_search_and_brute_force_agree_on_short_mates():
    agreed = 0
    for position in random_positions(Random(7), 150):
        result = search_mate(position, nodes=300)
        if brute_force(position, 3):
            assert result.verdict != "no-mate"
            agreed += result.verdict == "mate"
        if result.verdict == "mate":
            assert_is_mate(position, result.moves)
        if result.verdict == "no-mate":
            assert not brute_force(position, 3)
    assert agreed > 5


@each(
    "sfen, verdict",
    [
        ("8k/9/8P/9/9/9/9/9/9 b P2r2b4g4s4n4l15p", "no-mate"),  # only by a dropped pawn
        ("4k4/9/9/9/9/9/9/9/4K4 b -", "no-mate"),
        ("9/9/9/9/9/9/9/9/9 b R", "no-mate"),
        ("k8/9/9/9/9/9/9/9/8R b -", "no-mate"),  # checks that come back to the same positions
    ],
)
def test_positions_without_a_mate(sfen, verdict):
    assert search_mate(Position.from_sfen(sfen)).verdict == verdict


def test_a_search_that_ends_before_an_answer_is_undecided():
    result = search_mate(Position.from_sfen(PROBLEMS[11]), nodes=20)
    assert (result.verdict, result.moves, result.nodes) == ("undecided", (), 20)


def test_the_problems_of_the_corpus_that_solvers_mate_are_solved():
    """Those of at most fifteen plies; a few hundred nodes are enough for all but one."""
    need_shared()
    with (CORPUS / "index.csv").open(encoding="utf-8", newline="") as file:
        paths = [row["path"] for row in csv.DictReader(file) if row["kind"] == "tsume/position"]
    mates = 0
    for path in paths:
        for position in starts(CORPUS / path):
            result = search_mate(position, nodes=250)
            mates += result.verdict == "mate"
            if result.moves:
                assert_is_mate(position, result.moves)
    assert mates == 21


def starts(path):
    """Return the start of the first game of a file, if it has one."""
    games = load(path.read_bytes(), path.name).games[:1]
    return [start(game.record) for game in games if "initial" in game.record]
