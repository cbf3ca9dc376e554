"""The scale of an engine, and how well its winning chances agree with the results of games. Pure functions.

Games are dealt into two halves. Each half is held back from a fit: the scale of the other one predicts its
results. So every number of `Calibration` is about games that its scale was not fitted to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.derive.chances import Fit, fit, log_loss, probability

if TYPE_CHECKING:
    from array import array

BANDS: Final = 10
"""Bands of predicted winning probabilities, of the same width."""


class DecidedGame(NamedTuple):
    """The scores of the positions of a game without mates, from the side of colour 0, and whether it won."""

    scores: array[int]
    won: bool


class Band(NamedTuple):
    """The positions whose predicted probability for colour 0 is in a tenth, from `least` on: how many, of how
    many games, with the mean prediction and the share of those whose game colour 0 won."""

    least: float
    positions: int
    games: int
    predicted: float
    won: float


class Calibration(NamedTuple):
    """The scale by all games, and the log loss and the bands of games that are held back."""

    fit: Fit
    bands: tuple[Band, ...]


def calibrate(games: Sequence[DecidedGame]) -> Calibration | None:
    """Return the calibration by these games; None if no scale fits them, or one of their halves.

    Linear in the positions.
    """
    complete = fit(_samples(games))
    halves = [games[part::2] for part in (0, 1)]
    others = [fit(_samples(half)) for half in reversed(halves)]
    if complete is None or None in others:
        return None
    scales = [one.scale for one in others if one]
    parts = [[(one, scale) for one in half] for half, scale in zip(halves, scales, strict=True)]
    held_back = [one for part in parts for one in part]
    samples = sum(len(one.scores) for one in games)
    loss = sum(
        log_loss(_samples(half), scale) * sum(len(one.scores) for one in half)
        for half, scale in zip(halves, scales, strict=True)
    )
    return Calibration(complete._replace(log_loss=loss / samples), tuple(_bands(held_back)))


def _samples(games: Iterable[DecidedGame]) -> Iterable[tuple[int, bool]]:
    return ((score, one.won) for one in games for score in one.scores)


def _bands(games: Iterable[tuple[DecidedGame, float]]) -> Iterable[Band]:
    positions, of_games, won = [0] * BANDS, [0] * BANDS, [0] * BANDS
    predicted = [0.0] * BANDS
    for one, scale in games:
        reached = set[int]()
        for score in one.scores:
            value = probability(score, scale)
            band = min(BANDS - 1, int(BANDS * value))
            positions[band] += 1
            predicted[band] += value
            won[band] += one.won
            reached.add(band)
        for band in reached:
            of_games[band] += 1
    for band, number in enumerate(positions):
        if number:
            yield Band(band / BANDS, number, of_games[band], predicted[band] / number, won[band] / number)
