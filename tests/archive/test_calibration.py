"""The calibration of an engine, against a plain computation over the same games."""

from __future__ import annotations

import math
import random
from array import array

import pytest

from archive.derive.calibration import BANDS, DecidedGame, calibrate
from archive.derive.chances import fit

pytestmark = pytest.mark.one_engine


def drawn(number, seed=3, scale=400):
    dice = random.Random(seed)
    games = []
    for _game in range(number):
        lead = dice.randint(-800, 800)
        won = dice.random() < 1 / (1 + math.exp(-lead / scale))
        games.append(DecidedGame(array("i", (lead + dice.randint(-200, 200) for _ply in range(20))), won))
    return games


def test_each_game_is_predicted_by_a_scale_that_was_fitted_without_it():
    games = drawn(300)
    made = calibrate(games)
    assert made is not None
    rows, losses = [], []
    for part in (0, 1):
        other = fit([(score, one.won) for one in games[1 - part :: 2] for score in one.scores])
        for number, one in enumerate(games[part::2]):
            for score in one.scores:
                chance = 1 / (1 + math.exp(-score / other.scale))
                rows.append(((part, number), chance, one.won))
                losses.append(-math.log(chance if one.won else 1 - chance))
    assert made.fit.log_loss == pytest.approx(sum(losses) / len(losses))
    assert made.fit.positions == len(rows) == sum(band.positions for band in made.bands)
    for band in made.bands:
        within = [row for row in rows if band.least <= row[1] < band.least + 1 / BANDS]
        assert band.positions == pytest.approx(len(within), abs=2)
        assert band.games == pytest.approx(len({row[0] for row in within}), abs=2)
        assert band.predicted == pytest.approx(sum(row[1] for row in within) / len(within), abs=0.01)
        assert band.won == pytest.approx(sum(row[2] for row in within) / len(within), abs=0.01)


def test_chances_from_which_results_were_drawn_agree_with_them():
    made = calibrate(drawn(4_000))
    assert made is not None
    for band in made.bands:
        assert band.won == pytest.approx(band.predicted, abs=0.1)


def test_games_that_no_scale_fits_have_no_calibration():
    always = [DecidedGame(array("i", [100]), won=True)] * 40
    assert calibrate(always) is None
    assert calibrate([]) is None
