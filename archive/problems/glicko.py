"""Glicko-2 ratings (M. Glickman, "Example of the Glicko-2 system", 2012). Pure functions.

Each attempt at a problem is a game between an account and the problem, and a rating period of its own.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MIDDLE: Final = 1_500.0
LARGEST_DEVIATION: Final = 350.0
SMALLEST_DEVIATION: Final = 45.0
"""Below it a rating would no longer follow a change of strength."""

_SCALE: Final = 173.7178
_TAU: Final = 0.5
"""How much volatility may change."""
_PRECISION: Final = 1e-6
_STEPS: Final = 100
_LOWEST, _HIGHEST = 100.0, 4_000.0


class Rating(NamedTuple):
    """A rating with its deviation and its volatility."""

    rating: float = MIDDLE
    deviation: float = LARGEST_DEVIATION
    volatility: float = 0.06


class Outcome(NamedTuple):
    """The result of a game, 1 for a win, against an opponent."""

    opponent: Rating
    score: float


def rated(own: Rating, outcomes: Sequence[Outcome]) -> Rating:
    """Return a rating after the games of a rating period, within sensible limits.

    >>> games = [Outcome(Rating(1400, 30), 1), Outcome(Rating(1550, 100), 0), Outcome(Rating(1700, 300), 0)]
    >>> [round(one, 2) for one in rated(Rating(1500, 200, 0.06), games)[:2]]
    [1464.05, 151.52]
    """
    mean, deviation = (own.rating - MIDDLE) / _SCALE, own.deviation / _SCALE
    if not outcomes:
        widened = sqrt(deviation**2 + own.volatility**2) * _SCALE
        return own._replace(deviation=min(LARGEST_DEVIATION, widened))
    weights = [_weight(one.opponent) for one in outcomes]
    expected = [
        1 / (1 + exp(-weight * (mean - (one.opponent.rating - MIDDLE) / _SCALE)))
        for one, weight in zip(outcomes, weights, strict=True)
    ]
    variance = 1 / sum(w * w * e * (1 - e) for w, e in zip(weights, expected, strict=True))
    surplus = sum(w * (one.score - e) for one, w, e in zip(outcomes, weights, expected, strict=True))
    volatility = _volatility(own.volatility, deviation, variance, variance * surplus)
    before = sqrt(deviation**2 + volatility**2)
    after = 1 / sqrt(1 / before**2 + 1 / variance)
    rating = (mean + after**2 * surplus) * _SCALE + MIDDLE
    return Rating(
        min(_HIGHEST, max(_LOWEST, rating)),
        min(LARGEST_DEVIATION, max(SMALLEST_DEVIATION, after * _SCALE)),
        volatility,
    )


def _weight(opponent: Rating) -> float:
    """Return how much a game counts: less against an opponent whose rating is uncertain."""
    return 1 / sqrt(1 + 3 * (opponent.deviation / _SCALE / pi) ** 2)


def _volatility(old: float, deviation: float, variance: float, improvement: float) -> float:
    """Return the new volatility: the zero of the paper's function, by the Illinois method."""
    start = log(old**2)

    def slope(x: float) -> float:
        square = exp(x)
        total = deviation**2 + variance + square
        return square * (improvement**2 - total) / (2 * total**2) - (x - start) / _TAU**2

    low = start
    if improvement**2 > deviation**2 + variance:
        high = log(improvement**2 - deviation**2 - variance)
    else:
        steps = 1
        while slope(start - steps * _TAU) < 0 and steps < _STEPS:
            steps += 1
        high = start - steps * _TAU
    at_low, at_high = slope(low), slope(high)
    for _step in range(_STEPS):
        if abs(high - low) <= _PRECISION:
            break
        middle = low + (low - high) * at_low / (at_high - at_low)
        value = slope(middle)
        if value * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, value
    return exp(low / 2)
