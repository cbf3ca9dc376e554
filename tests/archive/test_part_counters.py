"""Questions about days and ratings in busy positions are answered from counters, as from the rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from random import Random

import pytest

from archive.index import counters
from archive.index.engine import engine
from archive.models import HotPart, HotPosition
from archive.queries.games.filters import GameFilters
from archive.queries.positions import counting, reading_plan
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_filters import space_queries
from archive.queries.positions.position_query import position_query
from archive.queries.scope import PUBLIC
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders

START = shogi64.encode(Position.initial())
DAYS = (None, date(2018, 1, 1), date(2019, 3, 5), date(2019, 12, 31), date(2021, 1, 1), date(2021, 6, 30))

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def archive(module_db: None) -> None:
    """Games of six years, some without day or ratings, whose first positions are counted in parts."""
    if engine().REMOTE_INDEX:
        pytest.skip("rows on other servers are not counted in parts")
    random = Random(41)
    games = []
    for _ in range(150):
        day = date(2017, 1, 1).toordinal() + random.randrange(6 * 365)
        played = builders.random_line(Position.initial(), random, 5, 3)
        header = {"day": f"{date.fromordinal(day):%Y/%m/%d}"} if random.random() < 0.9 else {}
        game = builders.ready(played, winner=random.choice([0, 1, None]), black="甲", white="乙", **header)
        ratings = (random.choice([None, 1449, 1450, 1500, 1700, 2010]) for _ in range(2))
        games.append(builders.rated(game, *ratings))
    builders.ingest(*games)
    for game in games[:20]:
        for row, code in zip(game.rows[:3], game.codes[:3], strict=True):
            counters.promote(row.key, code)
            counters.promote_parts(row.key)


@pytest.mark.parametrize("match", ["exact", "any"])
@pytest.mark.parametrize("lines", ["main", "all"])
def test_years_and_ratings_are_answered_as_from_the_rows(
    archive: None, match: str, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert HotPosition.objects.filter(parted=True).exists()
    parameters = [GameFilters(since=since, until=until) for since in DAYS for until in DAYS]
    parameters += [GameFilters(min_rating=rating) for rating in (0, 1450, 1475, 1500, 1700, 2050)]
    parameters += [replace(one, result=0) for one in parameters]
    for filters in filter(None, parameters):
        explorer = explore(PUBLIC, "shogi", START, match, lines, filters=filters)
        with monkeypatch.context() as patch:
            patch.setattr(counting, "_by_part", lambda _parts: None)
            assert explorer == explore(PUBLIC, "shogi", START, match, lines, filters=filters), filters


def test_days_at_both_ends_of_full_years_need_no_sample(
    archive: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    filters = GameFilters(since=DAYS[2], until=DAYS[5])
    exact = explore(PUBLIC, "shogi", START, filters=filters)
    query = position_query(PUBLIC, "shogi", START)
    (size,) = counting._sizes(space_queries(PUBLIC, query, filters))
    monkeypatch.setattr(reading_plan, "FEW_ROWS", 0)
    monkeypatch.setattr(reading_plan, "EXACT_ROWS", size.rows + 1)
    monkeypatch.setattr(counting, "_sampling_plan", None)
    assert explore(PUBLIC, "shogi", START, filters=filters) == exact


@pytest.mark.parametrize(
    "filters", [GameFilters(since=date(2018, 1, 1), until=date(2020, 12, 31)), GameFilters(min_rating=1500)]
)
def test_whole_years_and_bands_read_no_rows_to_count(
    archive: None, filters: GameFilters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_grouped", None)
    assert HotPart.objects.exists()
    assert explore(PUBLIC, "shogi", START, filters=filters).total
