"""Which way a filtered question is answered: decided from numbers, without a database."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from archive.queries.positions.reading_plan import (
    EXACT_ROWS,
    FEW_ROWS,
    RATED_ROWS,
    ReadingPlan,
    plan_for_all,
    plan_for_page,
)
from tests.cases import each

MANY = EXACT_ROWS + 1


@dataclass
class Made:
    """Numbers that are made up, and what was asked for."""

    rows: int
    lists: tuple[int, ...] = ()
    within: int | None = None
    rating: bool = False
    games: int = 10**6
    asked: list[str] = field(default_factory=list)

    @property
    def dated(self) -> bool:
        return self.within is not None

    def shortest_list(self, limit: int) -> tuple[int, int] | None:
        self.asked.append("lists")
        best = min(((length, number) for number, length in enumerate(self.lists)), default=None)
        return None if best is None or best[0] >= limit else (best[1], best[0])

    def rows_within_days(self) -> int:
        self.asked.append("days")
        assert self.within is not None
        return min(self.within, MANY)

    def games_in_all(self) -> int:
        self.asked.append("games")
        return self.games


@each(
    ("numbers", "way"),
    [
        (Made(FEW_ROWS, lists=(1,)), ReadingPlan()),
        (Made(1_000), ReadingPlan()),
        # A list at hand costs a sixth of a look into the index for each row, and a tenth of a probe to bring.
        (Made(1_000, lists=(1_500,)), ReadingPlan(at_hand=0, most=1_000)),
        (Made(1_000, lists=(10_001,)), ReadingPlan()),
        (Made(6_000, lists=(1_000,)), ReadingPlan(at_hand=0, most=6_000)),
        (Made(6_001, lists=(5_000, 1_000)), ReadingPlan(driver=1, most=1_000)),
        (Made(MANY, lists=(100_000,)), ReadingPlan(driver=0, rated=False, most=100_000)),
        (Made(RATED_ROWS + 1), ReadingPlan(rated=False)),
        (Made(MANY), None),
        (Made(MANY, within=5_000), ReadingPlan()),
        (Made(MANY, within=10 * MANY), None),
        (Made(5_000, rating=True, games=25_000), ReadingPlan()),
        (Made(5_001, rating=True, games=25_000), ReadingPlan(ratings_at_once=True)),
    ],
)
def test_the_shortest_way_to_all_games_is_taken(numbers, way):
    assert plan_for_all(numbers) == way


@pytest.mark.parametrize(
    ("numbers", "way"),
    [
        (Made(FEW_ROWS, lists=(1,)), ReadingPlan()),
        (Made(MANY), ReadingPlan()),
        (Made(1_000, lists=(500,)), ReadingPlan(at_hand=0, most=1_000)),
        (Made(MANY, lists=(500,)), ReadingPlan(driver=0, most=500)),
    ],
)
def test_a_page_never_takes_a_sample(numbers, way):
    assert plan_for_page(numbers) == way


def test_only_what_decides_is_looked_up():
    for numbers, parameters in (
        (Made(FEW_ROWS, lists=(1,), within=1, rating=True), []),
        (Made(1_000, lists=(500,), within=1, rating=True), ["lists"]),
        (Made(1_000, within=1), ["lists"]),
        (Made(MANY, within=1, rating=True), ["lists", "days", "games"]),
    ):
        plan_for_all(numbers)
        assert numbers.asked == parameters
