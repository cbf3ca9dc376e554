"""Filters on the games through a position, whichever way they are read, in small archives."""

from __future__ import annotations

from datetime import date

import pytest

from archive.derive.headers import player_name
from archive.index import schema
from archive.models import Game, Upload
from archive.queries.games.filters import GameFilters
from archive.queries.positions import reading_plan
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.positions.reading_plan import Sample
from archive.queries.scope import PUBLIC
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.builders import HANDICAP, ingest, rated, ready

pytestmark = pytest.mark.django_db

START = shogi64.encode(Position.initial())


def test_the_first_and_the_latest_game_pass_the_filters():
    days = {"a": "2020/01/01", "b": "1990/02/02", "c": "2021/05/05", "d": "1980/01/01"}
    ingest(*(ready("7g7f 3c3d", black=name, white="乙", day=day) for name, day in days.items()))
    answer = explore(
        PUBLIC, "shogi", START, filters=GameFilters(since=date(1985, 1, 1), until=date(2020, 12, 31))
    )
    assert (answer.total, answer.first.first, answer.latest.first) == (2, "b", "a")


@pytest.mark.parametrize("at_hand", [False, True])
def test_an_upload_is_a_filter(hot_at_three, monkeypatch, at_hand):
    monkeypatch.setattr(reading_plan, "FEW_ROWS", 0)
    monkeypatch.setattr(reading_plan, "ROWS_A_LOOKUP", 100 * at_hand)
    games = [ready("7g7f 3c3d", black=name) for name in "abcde"]
    ingest(*games[:4])
    ingest(*games[3:])
    for upload, names in zip(Upload.objects.order_by("pk"), ("abcd", "de"), strict=True):
        filters = GameFilters(upload=upload.pk)
        assert explore(PUBLIC, "shogi", START, filters=filters).total == len(names)
        page = games_through(PUBLIC, "shogi", START, order="oldest", filters=filters)
        assert sorted(game.first for game in page.items) == list(names)


def test_who_plays_himself_counts_once(hot_at_three, monkeypatch):
    ingest(*(ready("7g7f 3c3d", black="甲", white=name) for name in "甲乙丙丁"))
    for few, rows_a_lookup in ((0, 0), (0, 100), (1000, 0)):
        monkeypatch.setattr(reading_plan, "FEW_ROWS", few)
        monkeypatch.setattr(reading_plan, "ROWS_A_LOOKUP", rows_a_lookup)
        assert explore(PUBLIC, "shogi", START, filters=GameFilters(player="甲")).total == 4
        assert explore(PUBLIC, "shogi", START, filters=GameFilters(player="乙")).total == 1
        assert len(games_through(PUBLIC, "shogi", START, filters=GameFilters(player="甲")).items) == 4


def test_sides_are_those_of_the_askers_board():
    ingest(ready("7c7d", start=HANDICAP, black="下", white="上", winner=1))
    turned = shogi64.encode(Position.from_sfen(HANDICAP).turned())
    for filters, total in ((GameFilters(black="上"), 1), (GameFilters(white="上"), 0)):
        assert explore(PUBLIC, "shogi", turned, "color", filters=filters).total == total
    assert explore(PUBLIC, "shogi", turned, "color", filters=GameFilters(result=0)).total == 1


# --- samples ---------------------------------------------------------------------------------------------


@pytest.fixture
def small_samples(monkeypatch, hot_at_three) -> None:
    monkeypatch.setattr(reading_plan, "FEW_ROWS", 0)
    monkeypatch.setattr(reading_plan, "EXACT_ROWS", 20)
    monkeypatch.setattr(reading_plan, "SAMPLE_ROWS", 10)
    # What is counted by year and rating needs no sample.
    monkeypatch.setattr(schema, "PARTED_ROWS", 10**9)


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
    answer = explore(PUBLIC, "shogi", START, filters=GameFilters(min_rating=1022))
    assert answer.sample == Sample(10, 35, date(2020, 1, 21), date(2020, 1, 30))
    assert answer.total == 8 and answer.first is None and answer.latest.played_from == date(2020, 1, 30)


def test_a_sample_says_so_on_the_page_and_in_the_api(small_samples, client):
    many()
    page = f"/positions/shogi/{START}/?from=2020"
    for language, words in {
        "ja": ("35局のうち、新しい10局の集計です。", "2020-01-21から2020-01-30までに"),
        "en": ("the newest 10 of 35 games", "from 2020-01-21 to 2020-01-30"),
    }.items():
        shown = client.get(page, headers={"accept-language": language}).content.decode()
        assert [word for word in words if word not in shown] == []
    data = client.get(f"/api/v1/positions/shogi/{START}?from=2020-01-01").json()["sample"]
    assert data == {"read": 10, "of": 35, "window": {"from": "2020-01-21", "to": "2020-01-30"}}
    complete = client.get(f"/positions/shogi/{START}/", headers={"accept-language": "en"}).content.decode()
    assert "the newest" not in complete


def test_a_short_list_or_few_days_keep_an_answer_exact(small_samples):
    many()
    for filters, total in (
        (GameFilters(player="丙"), 12),
        (GameFilters(min_rating=1, since=date(2020, 1, 1), until=date(2020, 1, 15)), 15),
        (GameFilters(result=0), 18),
    ):
        answer = explore(PUBLIC, "shogi", START, filters=filters)
        assert (answer.sample, answer.total) == (None, total)


def test_ratings_are_left_out_where_too_many_games_would_be_looked_up(small_samples, monkeypatch):
    many(15, 0)
    filters = GameFilters(min_rating=1)
    (move,) = explore(PUBLIC, "shogi", START, filters=filters).moves
    assert (move.rated, move.rating) == (15, 1007)
    monkeypatch.setattr(reading_plan, "RATED_ROWS", 5)
    (move,) = explore(PUBLIC, "shogi", START, filters=filters).moves
    assert (move.total, move.rated, move.rating) == (15, None, None)


def test_names_that_nobody_has_find_nothing():
    ingest(ready("7g7f 3c3d", black="甲"))
    assert player_name("甲") == "甲" and Game.objects.count() == 1
    for filters in (GameFilters(player="誰"), GameFilters(event="何")):
        answer = explore(PUBLIC, "shogi", START, filters=filters)
        assert (answer.total, answer.first, answer.latest) == (0, None, None)
        assert games_through(PUBLIC, "shogi", START, filters=filters).items == ()
