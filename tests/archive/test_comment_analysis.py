"""Reports by the evaluations in comments, against a plain computation from the definition of each source."""

from __future__ import annotations

import math
import random
from functools import cache
from pathlib import Path

import pytest

from archive.derive.chances import BLUNDER
from archive.derive.comment_analysis import CommentAnalysis
from kifu_core.game import Evaluation
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi

pytestmark = pytest.mark.one_engine
SAMPLES = Path("archive/samples")


@cache
def record():
    return SHOGI.formats.load(sorted(SAMPLES.glob("*.csa"))[0].read_bytes()).games[0].record


@cache
def moves():
    return [to_usi(move) for _ply, _position, move, _entry in SHOGI.replay.main_line(record()) if move]


def value(one: Evaluation) -> float:
    if one.winner is not None:
        return 1 - 2 * one.winner
    return 2 / (1 + math.exp(-(one.score or 0) / 600)) - 1


def losses(evaluations):
    return {one.ply: one.loss for one in CommentAnalysis(record(), evaluations).costs}


def drawn(plies, **values):
    dice = random.Random(7)
    return [Evaluation(ply, score=dice.randint(-900, 900), **values) for ply in plies]


def test_two_successive_values_of_an_analysis_say_what_the_move_between_them_cost():
    evaluations = drawn([0, 1, 2, 3, 5, 6, 9], source="shogihome", role="analysis")
    at = {one.ply: value(one) for one in evaluations}
    expected = {
        ply: max(0.0, (at[ply - 1] - at[ply]) * (1 if ply % 2 else -1)) for ply in at if ply - 1 in at
    }
    assert sorted(expected) == [1, 2, 3, 6]
    assert losses(evaluations) == pytest.approx(expected)


def test_values_of_two_programs_are_not_compared():
    one = drawn([0, 2, 4], source="shogihome", role="analysis", engine="A")
    other = drawn([1, 3, 5], source="shogihome", role="analysis", engine="B")
    assert losses([*one, *other]) == {}


def test_a_players_program_judges_the_replies_of_the_other_side():
    evaluations = drawn(range(12), source="floodgate", role="player")
    at = {one.ply: value(one) for one in evaluations}
    # Of the side that made the move to `ply - 1`, before its next move and after that one.
    expected = {ply: max(0.0, (at[ply - 1] - at[ply + 1]) * (1 if ply % 2 else -1)) for ply in range(1, 11)}
    assert losses(evaluations) == pytest.approx(expected)


def test_the_moves_of_a_side_without_a_program_are_the_only_ones_that_are_judged():
    evaluations = drawn(range(0, 12, 2), source="floodgate", role="player")
    assert sorted(losses(evaluations)) == [1, 3, 5, 7, 9]


def test_the_reply_that_a_program_expects_costs_nothing():
    first, second = drawn([2, 4], source="floodgate", role="player")
    first, second = first._replace(score=900), second._replace(score=-900)
    assert losses([first, second])[3] > 0.5
    assert losses([first._replace(moves=(moves()[2],)), second]) == {3: 0.0}
    assert losses([first._replace(moves=("1g1f",)), second])[3] > 0.5


def test_a_value_after_a_players_own_move_judges_the_next_move():
    evaluations = drawn([2, 4, 6], source="shogigui", role="player")
    at = {one.ply: value(one) for one in evaluations}
    expected = {3: max(0.0, at[2] - at[4]), 5: max(0.0, at[4] - at[6])}
    assert losses(evaluations) == pytest.approx(expected)


def test_analyses_precede_players_values():
    analysis = drawn(range(6), source="shogihome", role="analysis", engine="A")
    of_players = drawn(range(12), source="floodgate", role="player")
    both = losses([*of_players, *analysis])
    assert {ply: both[ply] for ply in range(1, 6)} == losses(analysis)
    assert sorted(both) == list(range(1, 11))


def test_a_side_has_an_accuracy_if_half_of_its_moves_are_judged():
    number = len(moves())
    half = drawn(range(number // 2 + 2), source="shogihome", role="analysis")
    few = CommentAnalysis(record(), half[: number // 3]).analysis
    many = CommentAnalysis(record(), half).analysis
    assert [few.accuracy(color) for color in (0, 1)] == [None, None]
    assert all(many.accuracy(color) is not None for color in (0, 1))
    assert sum(many.played(color) for color in (0, 1)) == number
    assert [many.moves(color) for color in (0, 1)] == [
        sum(one.color == color for one in many.costs) for color in (0, 1)
    ]


def test_marks_turning_points_and_mates_are_those_of_engines():
    ahead, lost = Evaluation(0, "shogihome", "analysis", 600), Evaluation(1, "shogihome", "analysis", -600)
    (cost,) = CommentAnalysis(record(), [ahead, lost]).costs
    assert (cost.mark, cost.turning) == (BLUNDER, True)
    (own,) = CommentAnalysis(record(), [ahead._replace(moves=(moves()[0],)), lost]).costs
    assert (own.mark, own.turning, own.loss) == ("", False, 0)
    (mated,) = CommentAnalysis(record(), [ahead, lost._replace(score=None, winner=1, mate=7)]).costs
    assert mated.mark == BLUNDER


def test_a_record_with_a_program_for_each_move_takes_no_more_time():
    named = [
        one._replace(engine=str(one.ply // 2))
        for one in drawn(range(60), source="shogihome", role="analysis")
    ]
    assert len(losses(named)) == 4
