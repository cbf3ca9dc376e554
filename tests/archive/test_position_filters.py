"""Filters on the games through a position, whichever way they are read, against plain counting."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import pairwise
from random import Random

import pytest

from archive.ingest.headers import player_name
from archive.ingest.ready import ReadyGame
from archive.models import Game, Upload
from archive.queries import counting, through
from archive.queries.positions import PositionFilters, Sample, explore, games_through
from kifu_core.keys import shogi64
from kifu_core.position import Position
from tests.archive.builders import HANDICAP, ingest, random_game, rated, ready
from tests.archive.replaying import TURNS, Passes, askers, expected_games, naive, numbers, told

pytestmark = pytest.mark.django_db

GAMES = 120
START = shogi64.encode(Position.initial())
DAY = date(2021, 5, 5)

FILTERS = [
    PositionFilters(player="甲"),
    PositionFilters(black="甲"),
    PositionFilters(white="乙"),
    PositionFilters(black="甲", white="乙"),
    PositionFilters(event="名人戦"),
    PositionFilters(since=DAY),
    PositionFilters(until=date(2020, 12, 31)),
    PositionFilters(since=date(2020, 1, 1), until=date(2020, 1, 1), player="乙"),
    PositionFilters(result=0),
    PositionFilters(result=1, event="王位戦"),
    PositionFilters(result=3),
    PositionFilters(handicap="KA", result=1),
    PositionFilters(handicap="OTHER"),
    PositionFilters(min_rating=1500),
    PositionFilters(min_rating=1501, player="丙"),
    PositionFilters(player="誰も"),
]


@pytest.fixture(scope="module")
def pool() -> list[ReadyGame]:
    random = Random(11)
    games = {game.digest: game for game in (random_game(random) for _ in range(2 * GAMES))}
    return list(games.values())[:GAMES]


@pytest.fixture(params=["rows", "lists", "counters"])
def way(request, monkeypatch, hot_at_three) -> str:
    """How answers are read: row by row, by the shorter list, as it comes."""
    if request.param != "counters":
        monkeypatch.setattr(counting, "FEW_ROWS", {"rows": 10**9, "lists": 0}[request.param])
    return request.param


def passes(filters: PositionFilters) -> Passes:
    """The filters in plain words."""

    def check(game: ReadyGame, turn: int) -> bool:
        turned = turn >> 1
        black, white = game.players[turned], game.players[1 - turned]
        result = game.result ^ turned if game.result < 2 else game.result
        if game.record_kind != "game" and filters.result is not None:
            return False
        known = [rating for rating, name in zip(game.ratings, game.players, strict=True) if name]
        return all(
            (
                filters.player in (None, black, white),
                filters.black in (None, black),
                filters.white in (None, white),
                filters.event in (None, game.event),
                filters.since is None or (game.played and game.played >= filters.since.toordinal()),
                filters.until is None or (game.played and game.played <= filters.until.toordinal()),
                filters.result in (None, result),
                filters.handicap in (None, game.handicap),
                filters.min_rating is None
                or sum(rating is not None and rating >= filters.min_rating for rating in known) == 2,
            )
        )

    return check


@pytest.mark.parametrize("filters", FILTERS, ids=repr)
def test_filtered_answers_are_those_of_counting_by_replay(pool, way, filters):
    for start in range(0, len(pool), 40):
        ingest(*pool[start : start + 40])
    for number, position in enumerate(askers(pool, Random(1), 8)):
        code, match = shogi64.encode(position), ("any", *TURNS)[number % 5]
        for lines in ("main", "all"):
            answer = explore("shogi", code, match, lines, filters=filters)
            assert told(answer) == naive(pool, position, match, lines, passes(filters))
            found = expected_games(pool, position, match, lines, passes(filters))
            days = [day for (day, *_), _ in found.items() if day]
            assert answer.sample is None
            if not any(game.record_kind != "game" for game in pool) and days:
                assert answer.first.place.played == min(days)


@pytest.mark.parametrize("rows", [1, 3, 1000])
@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("filters", FILTERS, ids=repr)
def test_filtered_pages_hold_every_game_once_in_order_however_few_rows_a_page_reads(
    pool, hot_at_three, monkeypatch, filters, order, rows
):
    monkeypatch.setattr(counting, "FEW_ROWS", rows % 2)
    monkeypatch.setattr(through, "PAGE_ROWS", 4 * rows)
    ingest(*pool[:60])
    for position, match in zip(
        askers(pool[:60], Random(5), 1), ("any", "mirror", "exact", "any"), strict=True
    ):
        items, cursor = [], None
        while True:
            page = games_through(
                "shogi", shogi64.encode(position), match, order, cursor, 4, "all", 0, filters
            )
            items += page.items
            cursor = page.next
            if cursor is None:
                break
        found = Counter((row.place.played, row.ply, row.fork, row.move) for row in items)
        assert found == expected_games(pool[:60], position, match, "all", passes(filters))
        places = [(not row.place.played, row.place[:2]) for row in items]
        for (unknown, a), (unknown_next, b) in pairwise(places):
            assert unknown <= unknown_next
            assert unknown != unknown_next or (a >= b if order == "newest" else a <= b)


def test_the_first_and_the_latest_game_pass_the_filters():
    days = {"a": "2020/01/01", "b": "1990/02/02", "c": "2021/05/05", "d": "1980/01/01"}
    ingest(*(ready("7g7f 3c3d", black=name, white="乙", day=day) for name, day in days.items()))
    answer = explore(
        "shogi", START, filters=PositionFilters(since=date(1985, 1, 1), until=date(2020, 12, 31))
    )
    assert (answer.total, answer.first.black, answer.latest.black) == (2, "b", "a")


def test_an_upload_is_a_filter(hot_at_three, monkeypatch):
    monkeypatch.setattr(counting, "FEW_ROWS", 0)
    games = [ready("7g7f 3c3d", black=name) for name in "abcde"]
    ingest(*games[:4])
    ingest(*games[3:])
    for upload, names in zip(Upload.objects.order_by("pk"), ("abcd", "de"), strict=True):
        filters = PositionFilters(upload=upload.pk)
        assert explore("shogi", START, filters=filters).total == len(names)
        page = games_through("shogi", START, order="oldest", filters=filters)
        assert sorted(game.black for game in page.items) == list(names)


def test_who_plays_himself_counts_once(hot_at_three, monkeypatch):
    ingest(*(ready("7g7f 3c3d", black="甲", white=name) for name in "甲乙丙丁"))
    for few in (0, 1000):
        monkeypatch.setattr(counting, "FEW_ROWS", few)
        assert explore("shogi", START, filters=PositionFilters(player="甲")).total == 4
        assert explore("shogi", START, filters=PositionFilters(player="乙")).total == 1
        assert len(games_through("shogi", START, filters=PositionFilters(player="甲")).items) == 4


def test_sides_are_those_of_the_askers_board():
    ingest(ready("7c7d", start=HANDICAP, black="下", white="上", winner=1))
    turned = shogi64.encode(Position.from_sfen(HANDICAP).turned())
    for filters, total in ((PositionFilters(black="上"), 1), (PositionFilters(white="上"), 0)):
        assert explore("shogi", turned, "color", filters=filters).total == total
    assert explore("shogi", turned, "color", filters=PositionFilters(result=0)).total == 1


# --- samples ---------------------------------------------------------------------------------------------


@pytest.fixture
def small_samples(monkeypatch, hot_at_three) -> None:
    monkeypatch.setattr(counting, "FEW_ROWS", 0)
    monkeypatch.setattr(counting, "EXACT_ROWS", 20)
    monkeypatch.setattr(counting, "SAMPLE_ROWS", 10)


def many(days: int = 30, undated: int = 5) -> None:
    """Games of one a day in 2020, every third with a draw by other players, and some without a day."""
    for number in range(days + undated):
        names = ("甲", "乙") if number % 3 else ("丙", "丁")
        header = {"day": f"2020/01/{number + 1:02}"} if number < days else {"site": f"{number}"}
        names = names if number < days else (names[0], f"戊{number}")
        game = ready("7g7f 3c3d", black=names[0], white=names[1], winner=number % 2, **header)
        ingest(rated(game, 1000 + number, 1000 + number))


def test_above_the_limit_the_newest_games_are_read_and_it_says_so(small_samples):
    many()
    answer = explore("shogi", START, filters=PositionFilters(min_rating=1022))
    assert answer.sample == Sample(10, 35, date(2020, 1, 21), date(2020, 1, 30))
    assert answer.total == 8 and answer.first is None and answer.latest.played_from == date(2020, 1, 30)


def test_a_short_list_or_few_days_keep_an_answer_exact(small_samples):
    many()
    for filters, total in (
        (PositionFilters(player="丙"), 12),
        (PositionFilters(min_rating=1, since=date(2020, 1, 1), until=date(2020, 1, 15)), 15),
        (PositionFilters(result=0), 18),
    ):
        answer = explore("shogi", START, filters=filters)
        assert (answer.sample, answer.total) == (None, total)


def test_a_sample_says_the_same_as_the_exact_answer_where_games_do_not_change(
    pool, hot_at_three, monkeypatch
):
    ingest(*pool)
    monkeypatch.setattr(counting, "FEW_ROWS", 0)
    filters = PositionFilters(min_rating=1500)
    exact = explore("shogi", START, "any", filters=filters)
    monkeypatch.setattr(counting, "EXACT_ROWS", 5)
    everything = explore("shogi", START, "any").total + explore("shogi", START, "any").others
    monkeypatch.setattr(counting, "SAMPLE_ROWS", everything)
    assert everything > 20
    sampled = explore("shogi", START, "any", filters=filters)
    assert (sampled.sample.read, sampled.sample.of) == (everything, everything)
    assert (sampled.total, sampled.results, sampled.moves) == (exact.total, exact.results, exact.moves)
    monkeypatch.setattr(counting, "SAMPLE_ROWS", everything // 2)
    half = explore("shogi", START, "any", filters=filters)
    assert half.sample.read >= everything // 2
    assert 0 < half.total < exact.total
    for part, whole in zip(numbers(half.results), numbers(exact.results), strict=True):
        assert part <= whole


def test_ratings_are_left_out_where_too_many_games_would_be_looked_up(small_samples, monkeypatch):
    many(15, 0)
    filters = PositionFilters(min_rating=1)
    (move,) = explore("shogi", START, filters=filters).moves
    assert (move.rated, move.rating) == (15, 1007)
    monkeypatch.setattr(counting, "RATED_ROWS", 5)
    (move,) = explore("shogi", START, filters=filters).moves
    assert (move.total, move.rated, move.rating) == (15, None, None)


def test_names_that_nobody_has_find_nothing():
    ingest(ready("7g7f 3c3d", black="甲"))
    assert player_name("甲") == "甲" and Game.objects.count() == 1
    for filters in (PositionFilters(player="誰"), PositionFilters(event="何")):
        answer = explore("shogi", START, filters=filters)
        assert (answer.total, answer.first, answer.latest) == (0, None, None)
        assert games_through("shogi", START, filters=filters).items == ()
