"""Winning chances, and what the moves of a game cost: marks, accuracy, turning points.

Pure functions. A winning chance is from -1 (colour 1 wins) to 1 (colour 0 wins), a logistic function of the
score whose scale belongs to the engine: `fit` finds it by the results of games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, log, log1p, tanh
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PONANZA: Final = 600.0
"""The usual scale of shogi, in hundredths of a pawn: a winning probability of 1 / (1 + e^(-score / 600))."""
LISHOGI: Final = 1 / 0.0007
PRESETS: Final[Mapping[str, float]] = {"ponanza": PONANZA, "lishogi": LISHOGI}
INACCURACY, MISTAKE, BLUNDER = "inaccuracy", "mistake", "blunder"
MARKS: Final = ((0.3, BLUNDER), (0.2, MISTAKE), (0.1, INACCURACY))
"""The least loss of winning chances of each mark, as on Lichess and lishogi."""
MATE_MARKS: Final = ((0.951, INACCURACY), (0.858, MISTAKE))
"""The mark of a move that lets a mate in or out, by the chances of the other side beforehand, or of the own
side afterwards: Lichess's 999 and 700 hundredths of a pawn. Below them it is a blunder."""
ACCEPTED: Final = 0.07
"""The loss of a move that is accepted instead of the best one: 3.5 points of a winning percentage."""
AHEAD: Final = 0.2
"""The winning chances from which on a side is ahead."""
PHASES: Final = ("opening", "middlegame", "endgame")
SURPRISING: Final = 0.05
"""The largest likelihood of a surprising move."""
HARD_ENTROPY: Final = log(4)
"""The least entropy of the policy in a hard position: as if it were divided between four moves."""
HARD_SWING: Final = 8.0
"""The least swing of the chances in the plies before a hard position, in points of a winning percentage.
Without it most hard positions would be openings with many good moves."""
DECIDED: Final = 0.8
"""The winning chances from which on no move is surprising, since most moves lose nothing."""

_EASIEST, _HARDEST = 0.5, 12.0
"""Limits of the weight of a move, in points of a winning percentage."""
_WINDOWS: Final = 2, 8
"""Plies of the window in which chances vary, at least and at most."""
_EVEN: Final = log(10)
"""The entropy of a policy that is divided between ten moves."""
_SCALES: Final = 20.0, 5_000.0
"""The least and the largest scale that a fit may have."""
_STEPS: Final = 60


class JudgedPosition(NamedTuple):
    """A position as an engine judges it.

    `chance` is that of colour 0, 1 or -1 with a mate, which `mate` distinguishes; None without a verdict.
    `best` is the engine's own move, `spread` the chances of all its candidates. Of a network `policy` has the
    likelihoods of its candidates, the best first.
    """

    turn: int
    phase: int = 0
    chance: float | None = None
    mate: bool = False
    best: str = ""
    spread: tuple[float, ...] = ()
    policy: tuple[tuple[str, float], ...] = ()

    @property
    def entropy(self) -> float:
        """Return the entropy of the policy, 0 without one. The moves that are no candidates have at most the
        likelihood of the last candidate each, so this is the least that it can be."""
        parts = [part for _name, part in self.policy if part > 0]
        rest = max(0.0, 1 - sum(parts))
        return entropy(parts) - rest * log(parts[-1]) if parts else 0.0

    def likelihood(self, move: str) -> float | None:
        """Return the likelihood of a move by the policy, at most: moves that are no candidates share the
        rest. None without a policy."""
        if not self.policy:
            return None
        parts = dict(self.policy)
        return parts.get(move, max(0.0, min(self.policy[-1][1], 1 - sum(parts.values()))))


class Cost(NamedTuple):
    """What the move to `ply` cost its side: `loss` of winning chances from 0 to 2, an accuracy from 0 to 100,
    and the weight of the move, which grows with the difficulty of the position.

    A network also gave the move a `likelihood`, at most: a `surprising` one had next to none and lost nothing
    all the same. `hard` is the position before the move if its policy is widely spread while the chances
    swing.
    """

    ply: int
    color: int
    phase: int
    loss: float
    accuracy: float
    weight: float
    mark: str = ""
    turning: bool = False
    likelihood: float | None = None
    surprising: bool = False
    hard: bool = False

    @property
    def is_grave(self) -> bool:
        """Return whether it is a mistake or a blunder."""
        return self.mark in (MISTAKE, BLUNDER)


class Fit(NamedTuple):
    """A fitted scale with the mean log loss of the results, in natural units."""

    scale: float
    log_loss: float
    positions: int


def chance(score: int | None, winner: int | None, scale: float) -> float:
    """Return the winning chance of colour 0.

    >>> chance(0, None, PONANZA), chance(None, 1, PONANZA), round(chance(600, None, PONANZA), 3)
    (0.0, -1.0, 0.462)
    """
    if winner is not None:
        return -1.0 if winner else 1.0
    return tanh((score or 0) / (2 * scale))


def percentage(chance_: float) -> float:
    """Return a winning chance as a percentage: 50 for an even position."""
    return 50 + 50 * chance_


def probability(score: int, scale: float) -> float:
    """Return the winning probability of colour 0 by a score without a mate.

    >>> probability(0, PONANZA), round(probability(600, PONANZA), 3)
    (0.5, 0.731)
    """
    return (1 + tanh(score / (2 * scale))) / 2


def fit(samples: Iterable[tuple[int, bool]]) -> Fit | None:
    """Return the scale with the greatest likelihood: `samples` are scores of colour 0 without mates, and
    whether it won. None if no scale within the limits is better than every other one.

    The log loss is convex in the inverse of the scale: the zero of its slope is found by halving an interval.
    Linear in the samples, of which equal ones are counted first.
    """
    data = Counter(samples)
    slopes = [(score, won, number) for (score, won), number in data.items() if score]
    low, high = 1 / _SCALES[1], 1 / _SCALES[0]
    if not slopes or _slope(slopes, low) >= 0 or _slope(slopes, high) <= 0:
        return None
    for _step in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(slopes, middle) < 0 else (low, middle)
    return Fit(1 / low, _mean_log_loss(data, 1 / low), data.total())


def _slope(slopes: Sequence[tuple[int, bool, int]], inverse: float) -> float:
    """Return the derivative of the log loss by the inverse of the scale."""
    return sum(number * score * ((1 + tanh(score * inverse / 2)) / 2 - won) for score, won, number in slopes)


def log_loss(samples: Iterable[tuple[int, bool]], scale: float) -> float:
    """Return the mean log loss of results as predicted from scores, log 2 for predictions of one half."""
    return _mean_log_loss(Counter(samples), scale)


def _mean_log_loss(data: Counter[tuple[int, bool]], scale: float) -> float:
    total = sum(
        number * _log_loss(score / scale if won else -score / scale) for (score, won), number in data.items()
    )
    return total / data.total()


def _log_loss(odds: float) -> float:
    return log1p(exp(-odds)) if odds > 0 else -odds + log1p(exp(odds))


def entropy(policy: Iterable[float]) -> float:
    """Return the entropy of probabilities, in natural units.

    >>> entropy([1.0]), round(entropy([0.5, 0.5]), 3)
    (0.0, 0.693)
    """
    return -sum(part * log(part) for part in policy if part > 0) + 0.0


def costs(positions: Sequence[JudgedPosition], moves: Sequence[str]) -> list[Cost]:
    """Return what each move cost between two judged positions; `moves[ply]` leads to `positions[ply + 1]`.

    Linear in the moves.
    """
    swings = [0.0, *_swings(positions)]
    return [
        _cost(ply, before, after, move, swings[ply - 1 : ply + 1])
        for ply, (before, after, move) in enumerate(
            zip(positions, positions[1:], moves, strict=False), start=1
        )
        if before.chance is not None and after.chance is not None
    ]


def _cost(
    ply: int, before: JudgedPosition, after: JudgedPosition, move: str, swings: Sequence[float]
) -> Cost:
    """Return what a move cost; `swings` are those in the windows that end before and after it."""
    sign = -1 if before.turn else 1
    own, left = sign * (before.chance or 0.0), sign * (after.chance or 0.0)
    own_best = bool(move) and move == before.best
    loss = 0.0 if own_best else max(0.0, own - left)
    mark = "" if own_best else _mark(own, left, before.mate, after.mate)
    turning = mark in (MISTAKE, BLUNDER) and _state(own) != _state(left)
    likelihood = before.likelihood(move)
    surprising = likelihood is not None and likelihood <= SURPRISING and left >= own and abs(own) < DECIDED
    hard = before.entropy >= HARD_ENTROPY and swings[0] >= HARD_SWING
    weight = _weight(before, swings[1])
    cost = Cost(ply, before.turn, before.phase, loss, accuracy(loss), weight, mark, turning)
    return cost._replace(likelihood=likelihood, surprising=surprising, hard=hard)


def _mark(own: float, left: float, mate_before: bool, mate_after: bool) -> str:
    """Return the mark of a move of the side whose chances were `own` and are `left` now."""
    if mate_after and left < 0 and not (mate_before and own < 0):  # a mate was let in
        return BLUNDER if mate_before else _of_mate(-own)
    if mate_before and own > 0 and not (mate_after and left > 0):  # a mate was let out
        return _of_mate(left)
    return next((mark for least, mark in MARKS if own - left >= least), "")


def _of_mate(winning: float) -> str:
    return next((mark for least, mark in MATE_MARKS if winning > least), BLUNDER)


def _state(own: float) -> int:
    return (own >= AHEAD) - (own <= -AHEAD)


def accuracy(loss: float) -> float:
    """Return the accuracy of a move, from 0 to 100, by the winning chances that it lost: Lichess's formula.

    >>> accuracy(0.0), round(accuracy(0.1), 1), round(accuracy(0.3), 1)
    (100.0, 80.8, 51.5)
    """
    exact = 103.1668100711649 * exp(-0.04354415386753951 * 50 * loss) - 3.166924740191411 + 1
    return min(100.0, max(0.0, exact)) if loss > 0 else 100.0


def _weight(before: JudgedPosition, swing: float) -> float:
    """Return the difficulty of a position in points of a winning percentage: what a move at random among the
    candidates costs; without several of them by the entropy of the policy; else how far chances swing."""
    if len(before.spread) > 1:
        sign = -1 if before.turn else 1
        ordered = [sign * one for one in before.spread]
        points = 50 * (max(ordered) - fmean(ordered))
    elif before.policy:
        points = _HARDEST * min(1.0, before.entropy / _EVEN)
    else:
        points = swing
    return min(_HARDEST, max(_EASIEST, points))


def _swings(positions: Sequence[JudgedPosition]) -> list[float]:
    """Return the standard deviation of the winning percentage in a window that ends after each move."""
    least, most = _WINDOWS
    width = min(most, max(least, len(positions) // 10))
    chances = [50 * one.chance if one.chance is not None else None for one in positions]
    return [_swing(chances[max(0, ply + 1 - width) : ply + 1]) for ply in range(1, len(positions))]


def _swing(window: Iterable[float | None]) -> float:
    values = [one for one in window if one is not None]
    return pstdev(values) if len(values) > 1 else 0.0


def mean_accuracy(of: Sequence[Cost]) -> float | None:
    """Return the mean of the weighted and the harmonic mean of accuracies, None for no moves: hard positions
    count more than easy ones, and a bad move is not made up for by many good ones."""
    if not of:
        return None
    weighted = sum(one.accuracy * one.weight for one in of) / sum(one.weight for one in of)
    harmonic = len(of) / sum(1 / max(1.0, one.accuracy) for one in of)
    return (weighted + harmonic) / 2
