"""Filters on the games through a position, whichever way they are read, against plain counting.

All questions are put to one archive, which no test changes. It has all games twice: in the public space, and
spread over three others, the sum of which has to say the same.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import pairwise
from random import Random

import pytest

from archive.derive.game import DerivedGame
from archive.index import schema
from archive.queries.games.filters import GameFilters
from archive.queries.names.ids_of_names import ids_of_name
from archive.queries.positions import reading_plan
from archive.queries.positions.counting import choose_plans
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_filters import space_queries
from archive.queries.positions.position_games import games_through
from archive.queries.positions.position_query import position_query
from archive.queries.scope import PUBLIC, Scope
from archive.store.rereading import in_space
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, random_game, rated
from tests.archive.replaying import TURNS, Passes, askers, counts_of, expected_games, naive, numbers
from tests.cases import each

pytestmark = pytest.mark.django_db

GAMES = 120
START = shogi64.encode(Position.initial())
DAY = date(2021, 5, 5)

FILTERS = [
    GameFilters(player="甲"),
    GameFilters(black="甲"),
    GameFilters(white="乙"),
    GameFilters(black="甲", white="乙"),
    GameFilters(event="名人戦"),
    GameFilters(place="天童"),
    GameFilters(since=DAY),
    GameFilters(until=date(2020, 12, 31)),
    GameFilters(since=date(2020, 1, 1), until=date(2020, 1, 1), player="乙"),
    GameFilters(result=0),
    GameFilters(result=1, event="王位戦"),
    GameFilters(result=3),
    GameFilters(handicap="KA", result=1),
    GameFilters(handicap="OTHER"),
    GameFilters(min_rating=1500),
    GameFilters(min_rating=1501, player="丙"),
    GameFilters(player="誰も"),
]


@pytest.fixture(scope="module")
def pool(module_db: None) -> list[DerivedGame]:
    """Games that are stored for all tests of this module."""
    random = Random(11)
    games = {game.digest: game for game in (random_game(random) for _ in range(2 * GAMES))}
    result = list(games.values())[:GAMES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "HOT_GAMES", 3)
        for start in range(0, len(result), 40):
            ingest(*result[start : start + 40])
        ingest(
            *(rated(in_space(game, _space_of(number)), *game.ratings) for number, game in enumerate(result))
        )
    return result


SPREAD = Scope((1, 2, 3))
SCOPES = [PUBLIC, SPREAD]


def _space_of(number: int) -> int:
    """One space of many games, one of some and one of few, in which not every name is known."""
    return 1 if number % 2 else 2 if number % 10 else 3


WAYS = {
    "rows": {"FEW_ROWS": 10**9},
    "driving lists": {"FEW_ROWS": 0, "ROWS_A_LOOKUP": 0},
    "lists at hand": {"FEW_ROWS": 0, "ROWS_A_LOOKUP": 10**9, "SLOTS_A_PROBE": 10**3},
    "as it comes": {},
}


@pytest.fixture(params=[*WAYS])
def way(request, monkeypatch, hot_at_three) -> str:
    """How answers are read."""
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(reading_plan, name, value)
    return request.param


def passes(filters: GameFilters) -> Passes:
    """The filters in plain words."""

    def check(game: DerivedGame, turn: int) -> bool:
        turned = turn >> 1
        black, white = game.players[turned], game.players[1 - turned]
        result = game.result ^ turned if game.result < 2 else game.result
        if game.record_kind != "game" and filters.result is not None:
            return False
        existing = [rating for rating, name in zip(game.ratings, game.players, strict=True) if name]
        return all(
            (
                filters.player in (None, black, white),
                filters.black in (None, black),
                filters.white in (None, white),
                filters.event in (None, game.event),
                filters.place in (None, game.site),
                filters.since is None or (game.played and game.played >= filters.since.toordinal()),
                filters.until is None or (game.played and game.played <= filters.until.toordinal()),
                filters.result in (None, result),
                filters.handicap in (None, game.handicap),
                filters.min_rating is None
                or sum(rating is not None and rating >= filters.min_rating for rating in existing) == 2,
            )
        )

    return check


@pytest.mark.parametrize("scope", SCOPES, ids=str)
@each("filters", FILTERS, ids=repr)
def test_filtered_answers_are_those_of_counting_by_replay(pool, way, filters, scope):
    for number, position in enumerate(askers(pool, Random(1), 4)):
        code, match = shogi64.encode(position), ("any", *TURNS)[number % 5]
        for lines in ("main", "all"):
            answer = explore(scope, "shogi", code, match, lines, filters=filters)
            assert counts_of(answer) == naive(pool, position, match, lines, passes(filters))
            assert answer.sample is None
            games = [game for game in pool if game.record_kind == "game"]
            days = [day for day, *_ in expected_games(games, position, match, lines, passes(filters)) if day]
            ends = [game and game.place.played for game in (answer.first, answer.latest)]
            assert ends == ([min(days), max(days)] if days else [None, None])


@pytest.mark.parametrize("scope", SCOPES, ids=str)
@pytest.mark.parametrize("rows", [1, 3, 1000])
@each("order", ["newest", "oldest"])
@each("filters", FILTERS, ids=repr)
def test_filtered_pages_hold_every_game_once_in_order_however_few_rows_a_page_reads(
    pool, hot_at_three, monkeypatch, filters, order, rows, scope
):
    monkeypatch.setattr(reading_plan, "FEW_ROWS", rows % 2)
    monkeypatch.setattr(reading_plan, "PAGE_ROWS", 4 * rows * len(scope.spaces))
    for position, match in zip(askers(pool, Random(5), 1), ("any", "mirror", "exact", "any"), strict=True):
        items, cursor = [], None
        while True:
            page = games_through(
                scope, "shogi", shogi64.encode(position), match, order, cursor, 4, "all", filters
            )
            items += page.items
            cursor = page.next
            if cursor is None:
                break
        result = Counter((row.place.played, row.ply, row.fork, row.move) for row in items)
        assert result == expected_games(pool, position, match, "all", passes(filters))
        places = [(not row.place.played, row.place[:2]) for row in items]
        for (unknown, a), (unknown_next, b) in pairwise(places):
            assert unknown <= unknown_next
            assert unknown != unknown_next or (a >= b if order == "newest" else a <= b)


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_a_sample_says_the_same_as_the_exact_answer_where_games_do_not_change(
    pool, hot_at_three, monkeypatch, scope
):
    monkeypatch.setattr(reading_plan, "FEW_ROWS", 0)
    filters = GameFilters(min_rating=1500)
    exact = explore(scope, "shogi", START, "any", filters=filters)
    monkeypatch.setattr(reading_plan, "EXACT_ROWS", 5)
    everything = explore(scope, "shogi", START, "any").total + explore(scope, "shogi", START, "any").others
    monkeypatch.setattr(reading_plan, "SAMPLE_ROWS", everything)
    assert everything > 20
    sampled = explore(scope, "shogi", START, "any", filters=filters)
    assert (sampled.sample.read, sampled.sample.of) == (everything, everything)
    assert (sampled.total, sampled.results, sampled.moves) == (exact.total, exact.results, exact.moves)
    monkeypatch.setattr(reading_plan, "SAMPLE_ROWS", everything // 2)
    half = explore(scope, "shogi", START, "any", filters=filters)
    assert half.sample.read >= everything // 2
    assert 0 < half.total < exact.total
    for part, complete in zip(numbers(half.results), numbers(exact.results), strict=True):
        assert part <= complete


def test_each_space_is_asked_about_its_own_lists_in_the_shortest_way_to_its_own_games(
    pool, hot_at_three, monkeypatch
):
    monkeypatch.setattr(reading_plan, "FEW_ROWS", 5)
    filters = GameFilters(player="甲")
    parts = choose_plans(space_queries(SPREAD, position_query(SPREAD, "shogi", START), filters))
    assert [part.resolved.players[0] for part in parts] == [
        ids_of_name(Scope((space,)), "player", "甲") for space in (1, 2, 3)
    ]
    alone = [
        choose_plans(space_queries(Scope((space,)), position_query(Scope((space,)), "shogi", START), filters))
        for space in (1, 2, 3)
    ]
    assert [part.plan for part in parts] == [part.plan for (part,) in alone]
    assert len({part.plan for part in parts}) > 1
