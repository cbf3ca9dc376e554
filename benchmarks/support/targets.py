"""Targets of benchmarks and the verdict on a run: a missed target makes `make bench` fail."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A figure and its bound: the most that it may be, or with `least` the least that it must be.

    The figure is None where it cannot be measured, as without the peer to compare with.
    """

    name: str
    figure: float | None
    bound: float
    unit: str = ""
    least: bool = False

    @property
    def missed(self) -> bool:
        if self.figure is None:
            return False
        # A figure that is no number misses its target.
        return not (self.figure >= self.bound if self.least else self.figure <= self.bound)

    def __str__(self) -> str:
        figure = "" if self.figure is None else f" {self.figure:.4g}{self.unit},"
        return f"{self.name}:{figure} target at {'least' if self.least else 'most'} {self.bound:g}{self.unit}"


def lines(targets: Iterable[Target]) -> list[str]:
    """Return a line for each target that is missed or was not measured."""
    return [
        f"{'missed' if target.missed else 'not measured'}: {target}"
        for target in targets
        if target.missed or target.figure is None
    ]


def verdict(targets: Iterable[Target]) -> bool:
    """Print these lines to standard error; return whether a target is missed, as the status to exit with."""
    all_targets = list(targets)
    for line in lines(all_targets):
        print(line, file=sys.stderr, flush=True)
    return any(target.missed for target in all_targets)
