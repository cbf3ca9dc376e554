"""Winning chances, marks and accuracies, against plain computations over whole games."""

from __future__ import annotations

import math
import random
import statistics
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.derive import chances, game_analysis
from archive.derive.chances import (
    BLUNDER,
    INACCURACY,
    LISHOGI,
    MISTAKE,
    PONANZA,
    JudgedPosition,
    chance,
    costs,
    fit,
)
from archive.derive.game_analysis import EngineVerdict, StoredAnalysis, analyse, pack, phase_of
from archive.derive.verdicts import Line
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi
from tests.cases import each

pytestmark = pytest.mark.one_engine
SAMPLES = Path("archive/samples")

scores = st.integers(-3_000, 3_000)
lines = st.builds(Line, scores) | st.builds(Line, st.none(), st.integers(0, 1), st.integers(1, 30))


@cache
def records():
    files = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".kif", ".kifu", ".ki2u", ".csa"))
    return [SHOGI.formats.load(path.read_bytes()).games[0].record for path in files]


def verdicts_on(record, seed):
    """Made-up verdicts on the positions of a record, some with mates or with the move that was played."""
    dice = random.Random(seed)
    made = []
    for _ply, position, move, _entry in SHOGI.replay.main_line(record):
        legal = [to_usi(one) for one in SHOGI.rules.legal_moves(position)]
        best = [Line(dice.randint(-2_500, 2_500)) for _ in range(dice.randint(1, 4))]
        if dice.random() < 0.1:
            best[0] = Line(None, dice.randint(0, 1), 7)
        if legal:
            first = to_usi(move) if move and dice.random() < 0.4 else dice.choice(legal)
            best[0] = best[0]._replace(moves=(first,))
        made.append(None if dice.random() < 0.05 else EngineVerdict(tuple(best), 100, 0, tuple(best)))
    return made


def plain(record, verdicts, scale):
    """Loss, accuracy, weight and mark of each move, computed one by one from the definitions."""

    def of(line):
        if line.winner is not None:
            return 1 - 2 * line.winner
        return 2 / (1 + math.exp(-line.score / scale)) - 1

    line = [(position.turn, move) for _ply, position, move, _entry in SHOGI.replay.main_line(record)]
    values = [verdict and of(verdict.lines[0]) for verdict in verdicts]
    width = min(8, max(2, len(line) // 10))
    for ply in range(1, len(line)):
        before, after = verdicts[ply - 1], verdicts[ply]
        if before is None or after is None:
            continue
        turn, move = line[ply - 1]
        sign = (1, -1)[turn]
        own, left = sign * values[ply - 1], sign * values[ply]
        was, now = (
            0 if one.lines[0].winner is None else 1 if one.lines[0].winner == turn else -1
            for one in (before, after)
        )
        best = before.lines[0].moves[:1] == (to_usi(move),)
        loss = 0 if best or left > own else own - left
        exact = 103.1668100711649 * math.exp(-0.04354415386753951 * 50 * loss) - 2.166924740191411
        candidates = [sign * of(one) for one in before.lines]
        if len(candidates) > 1:
            weight = 50 * (max(candidates) - statistics.fmean(candidates))
        else:
            window = [50 * one for one in values[max(0, ply + 1 - width) : ply + 1] if one is not None]
            weight = statistics.pstdev(window)
        if best:
            mark = ""
        elif now == -1 and was != -1:
            mark = BLUNDER if was == 1 or own > -0.858 else MISTAKE if own > -0.951 else INACCURACY
            mark = mark if was == 0 else BLUNDER
        elif was == 1 and now != 1:
            mark = INACCURACY if left > 0.951 else MISTAKE if left > 0.858 else BLUNDER
        else:
            lost = own - left
            mark = BLUNDER if lost >= 0.3 else MISTAKE if lost >= 0.2 else INACCURACY if lost >= 0.1 else ""
        yield ply, turn, loss, 100 if loss == 0 else max(0, min(100, exact)), max(0.5, min(12, weight)), mark


def plain_mean(own):
    """Accuracy of rows of `plain`: the mean of that weighted by difficulty and of the harmonic one."""
    weighted = sum(one[3] * one[4] for one in own) / sum(one[4] for one in own)
    return (weighted + statistics.harmonic_mean([max(1, one[3]) for one in own])) / 2


@pytest.mark.parametrize("scale", [320.0, PONANZA, LISHOGI])
def test_costs_of_whole_games_are_those_of_a_plain_computation(scale):
    for seed, record in enumerate(records()):
        verdicts = verdicts_on(record, seed)
        analysis = analyse(record, verdicts, scale)
        expected = list(plain(record, verdicts, scale))
        assert len(analysis.costs) == len(expected) > 20
        for cost, (ply, color, loss, accuracy, weight, mark) in zip(analysis.costs, expected, strict=True):
            assert (cost.ply, cost.color, cost.mark) == (ply, color, mark)
            assert (cost.loss, cost.accuracy, cost.weight) == pytest.approx((loss, accuracy, weight))
        phases = [cost.phase for cost in analysis.costs]
        for color in (0, 1):
            for phase in (None, 0, 1, 2):
                own = [
                    one
                    for one, its in zip(expected, phases, strict=True)
                    if one[1] == color and phase in (None, its)
                ]
                assert analysis.accuracy(color, phase) == (pytest.approx(plain_mean(own)) if own else None)


def opinions_on(record, seed):
    """Made-up verdicts of a network: a score, and likelihoods of up to five moves."""
    dice = random.Random(seed)
    made = []
    score = 0
    for _ply, position, move, _entry in SHOGI.replay.main_line(record):
        score += dice.randint(-300, 300)
        names = [to_usi(one) for one in SHOGI.rules.legal_moves(position)]
        dice.shuffle(names)
        if move and dice.random() < 0.5:
            names = [to_usi(move), *(one for one in names if one != to_usi(move))]
        shares = sorted((dice.randint(1, 190) for _name in names[:5]), reverse=True)
        lines = [
            Line(None if number else score, moves=(name,), policy=share)
            for number, (name, share) in enumerate(zip(names, shares, strict=False))
        ]
        made.append(EngineVerdict(tuple(lines), 1, 0, tuple(lines)) if lines else None)
    return made


def plain_opinions(record, verdicts, scale):
    """Likelihood of each move, and whether it is surprising and its position hard, from the definitions."""
    line = [(position.turn, move) for _ply, position, move, _entry in SHOGI.replay.main_line(record)]
    values = [one and 2 / (1 + math.exp(-one.lines[0].score / scale)) - 1 for one in verdicts]
    width = min(8, max(2, len(line) // 10))
    for ply in range(1, len(line)):
        turn, move = line[ply - 1]
        if verdicts[ply - 1] is None or verdicts[ply] is None:
            continue
        shares = {one.moves[0]: one.policy / 1000 for one in verdicts[ply - 1].lines}
        rest, least = 1 - sum(shares.values()), min(shares.values())
        likelihood = shares.get(to_usi(move), min(rest, least))
        own, left = ((1, -1)[turn] * values[at] for at in (ply - 1, ply))
        surprising = likelihood <= 0.05 and left >= own and abs(own) < 0.8
        entropy = -sum(one * math.log(one) for one in shares.values()) - rest * math.log(least)
        window = [50 * one for one in values[max(0, ply - width) : ply] if one is not None]
        swing = statistics.pstdev(window) if ply > 1 else 0
        weight = max(0.5, min(12, 12 * entropy / math.log(10)))
        yield ply, likelihood, surprising, entropy >= math.log(4) and swing >= 8, weight


@pytest.mark.parametrize("scale", [320.0, PONANZA])
def test_opinions_of_a_network_are_those_of_a_plain_computation(scale):
    number = {"surprising": 0, "hard": 0}
    for seed, record in enumerate(records()):
        verdicts = opinions_on(record, seed)
        stored_costs = StoredAnalysis(pack(analyse(record, verdicts, scale), scale))
        expected = list(plain_opinions(record, verdicts, scale))
        of_costs = [(one.ply, one.surprising, one.hard) for one in stored_costs.analysis.costs]
        assert of_costs == [
            (ply, surprising, hard) for ply, _likelihood, surprising, hard, _weight in expected
        ]
        weights = [one.weight for one in stored_costs.analysis.costs]
        assert weights == pytest.approx([one[4] for one in expected], abs=1e-3)
        likelihoods = [one.likelihood for one in stored_costs.analysis.costs]
        assert likelihoods == pytest.approx([one[1] for one in expected], abs=1e-3)
        assert list(stored_costs.noted) == [
            one for one in stored_costs.analysis.costs if one.mark or one.surprising or one.hard
        ]
        number["surprising"] += sum(one[2] for one in expected)
        number["hard"] += sum(one[3] for one in expected)
    assert min(number.values()) > 20


def test_an_engine_has_no_opinions():
    for seed, record in enumerate(records()[:5]):
        for one in analyse(record, verdicts_on(record, seed), PONANZA).costs:
            assert (one.likelihood, one.surprising, one.hard) == (None, False, False)


def exchanged(one: JudgedPosition) -> JudgedPosition:
    return one._replace(
        turn=1 - one.turn,
        chance=None if one.chance is None else -one.chance,
        spread=tuple(-part for part in one.spread),
    )


def test_exchanged_colours_exchange_the_costs():
    for seed, record in enumerate(records()[:10]):
        judged, moves = [], []
        for (_ply, position, move, _entry), verdict in zip(
            SHOGI.replay.main_line(record), verdicts_on(record, seed), strict=True
        ):
            judged.append(game_analysis._judged(position.turn, 0, verdict, PONANZA))
            moves.append(to_usi(move) if move else "")
        turned = costs([exchanged(one) for one in judged], moves)
        assert turned == [one._replace(color=1 - one.color) for one in costs(judged, moves)]


def test_phases_are_those_of_the_mirror_image_and_of_exchanged_colours():
    for record in records()[:10]:
        for _ply, position, _move, _entry in SHOGI.replay.main_line(record):
            images = (position.mirrored(), position.turned())
            assert [phase_of(image) for image in images] == [phase_of(position)] * 2


def test_games_go_through_their_phases_in_order():
    for seed, record in enumerate(records()):
        phases = [one.phase for one in analyse(record, verdicts_on(record, seed), PONANZA).costs]
        assert phases == sorted(phases)


def judged(*values, best=""):
    return [
        JudgedPosition(ply % 2, chance=one, best=best, mate=abs(one) == 1) for ply, one in enumerate(values)
    ]


@each(
    "before, after, mark",
    [
        (0.0, -0.09, ""),
        (0.0, -0.1, INACCURACY),
        (0.0, -0.2, MISTAKE),
        (0.1, -0.2, BLUNDER),
        (0.0, 0.5, ""),
        (-0.5, -1.0, BLUNDER),
        (-0.9, -1.0, MISTAKE),
        (-0.97, -1.0, INACCURACY),
        (1.0, 0.97, INACCURACY),
        (1.0, 0.9, MISTAKE),
        (1.0, 0.5, BLUNDER),
        (1.0, -1.0, BLUNDER),
        (-1.0, -1.0, ""),
        (-1.0, 0.2, ""),
        (1.0, 1.0, ""),
    ],
)
def test_moves_are_marked_by_what_they_lose(before, after, mark):
    (cost,) = costs(judged(before, after), ["7g7f"])
    assert cost.mark == mark


def test_the_engines_own_move_costs_nothing():
    (cost,) = costs(judged(0.5, -1.0, best="7g7f"), ["7g7f"])
    assert (cost.mark, cost.loss, cost.accuracy) == ("", 0, 100)


def test_a_mark_after_which_another_side_is_ahead_is_a_turning_point():
    turning = [cost.turning for cost in costs(judged(0.3, -0.3, 0.3, 0.25), ["7g7f", "3c3d", "2g2f"])]
    assert turning == [True, True, False]
    assert not costs(judged(-0.3, -0.6), ["7g7f"])[0].turning


@given(st.lists(lines, min_size=2, max_size=30), st.floats(50, 2_000))
def test_accuracies_and_weights_are_within_their_limits(drawn, scale):
    values = [chance(one.score, one.winner, scale) for one in drawn]
    positions = [JudgedPosition(ply % 2, chance=value) for ply, value in enumerate(values)]
    made = costs(positions, [""] * len(drawn))
    assert len(made) == len(drawn) - 1
    for cost in made:
        assert 0 <= cost.loss <= 2
        assert 0 <= cost.accuracy <= 100
        assert 0.5 <= cost.weight <= 12
    accuracy = chances.mean_accuracy(made)
    assert accuracy is not None
    assert min(cost.accuracy for cost in made) - 1e-9 <= accuracy + 1e-9 or accuracy >= 1
    assert accuracy <= 100 + 1e-9


@given(scores, scores, st.floats(50, 2_000))
def test_chances_grow_with_scores_and_change_sign_with_them(low, high, scale):
    low, high = sorted((low, high))
    assert chance(low, None, scale) <= chance(high, None, scale)
    assert chance(-low, None, scale) == -chance(low, None, scale)


def test_a_hard_position_counts_more_than_an_easy_one():
    easy = JudgedPosition(0, chance=0.5, spread=(0.5, 0.5, 0.5))
    hard = easy._replace(spread=(0.5, 0.1, -0.3))
    after = JudgedPosition(1, chance=0.2)
    assert costs([hard, after], [""])[0].weight > costs([easy, after], [""])[0].weight
    sharp, flat = (
        easy._replace(spread=(), policy=tuple((str(number), 1 / many) for number in range(many)))
        for many in (1, 5)
    )
    assert costs([flat, after], [""])[0].weight > costs([sharp, after], [""])[0].weight


@pytest.mark.parametrize("scale", [200.0, 320.0, 900.0])
def test_a_fit_finds_the_scale_from_which_results_were_drawn(scale):
    dice = random.Random(33)
    drawn = [dice.randint(-2_000, 2_000) for _ in range(20_000)]
    samples = [(score, dice.random() < 1 / (1 + math.exp(-score / scale))) for score in drawn]
    fitted = fit(samples)
    assert fitted is not None
    assert fitted.scale == pytest.approx(scale, rel=0.05)
    for other in (0.9, 1.1):
        assert fitted.log_loss < chances.log_loss(samples, fitted.scale * other)


@each("samples", [[], [(0, True)], [(100, True), (-100, False)], [(100, False), (-100, True)]])
def test_scores_that_always_or_never_name_the_winner_fit_no_scale(samples):
    assert fit(samples) is None
