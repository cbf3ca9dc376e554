"""What the explorer tells of each move: shares, scores, ratings, years, and what is reached in any order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from archive.derive.game import DerivedGame
from archive.index.engine import engine
from archive.models import HotMove, HotPosition
from archive.queries.positions.explorer import explore, explore_many, wilson
from archive.queries.positions.position_games import games_through
from archive.queries.scope import PUBLIC
from kifu_core.errors import DecodeError
from kifu_core.shogi import moves, rules
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, random_game, rated, ready
from tests.archive.replaying import TURNS, askers

pytestmark = pytest.mark.django_db

START = shogi64.encode(Position.initial())


@pytest.fixture(scope="module")
def pool() -> list[DerivedGame]:
    random = Random(8)
    return [random_game(random) for _ in range(60)]


def code_after(*played: str) -> str:
    position = Position.initial()
    for usi in played:
        position.do_move(moves.from_usi(usi))
    return shogi64.encode(position)


def test_a_move_tells_its_share_score_rating_and_last_year():
    results = {"a": 0, "b": 0, "c": 1, "d": None}
    for (name, winner), rating in zip(results.items(), (1500, 1700, None, 2000), strict=True):
        game = ready("7g7f 3c3d", black=name, white="乙", winner=winner, day=f"20{ord(name) - 87}/02/01")
        ingest(rated(game, rating, None))
    ingest(ready("2g2f 8c8d", black="e", winner=1), ready("7g7f", kind="problem", black="f", day="2030"))
    first, second = explore(PUBLIC, "shogi", START).moves
    assert (first.name, first.total, first.share, first.others) == ("7g7f", 4, 0.8, 1)
    assert (first.score, first.rated, first.rating, first.last_year) == (2 / 3, 3, 5200 / 3, 2013)
    assert (second.name, second.share, second.score, second.rated, second.last_year) == (
        "2g2f",
        0.2,
        0,
        0,
        None,
    )
    assert second.rating is None
    (reply,) = explore(PUBLIC, "shogi", first.code).moves
    assert (reply.score, reply.rating) == (1 / 3, None)


def test_counters_tell_the_same_as_rows(pool, hot_at_three):
    ingest(*pool)
    codes = [shogi64.encode(position) for position in askers(pool, Random(2), 20)]
    hot = [explore(PUBLIC, "shogi", code, "any", transpositions=True) for code in codes]
    assert any(move.rated for answer in hot for move in answer.moves)
    HotMove.objects.all().delete()
    HotPosition.objects.all().delete()
    assert [explore(PUBLIC, "shogi", code, "any", transpositions=True) for code in codes] == hot


@pytest.mark.parametrize("games", [1, 2, 10, 1000])
def test_the_interval_holds_the_score_and_narrows_with_games(games):
    for points in {0, games / 2, games}:
        low, high = wilson(points, games)
        assert 0 <= low <= points / games + 1e-12 and points / games - 1e-12 <= high <= 1
    assert wilson(games / 2, games).low > wilson(1 / 2, 1).low or games == 1


def test_undecided_games_give_no_score():
    ingest(ready("7g7f 3c3d", winner=None))
    (move,) = explore(PUBLIC, "shogi", START).moves
    assert (move.total, move.score, move.interval) == (1, None, None)


def test_a_move_tells_how_many_games_reach_what_it_leads_to_in_any_order():
    ingest(ready("7g7f 3c3d 2g2f 8c8d"), ready("2g2f 3c3d 7g7f 4c4d"), ready("2g2f 8c8d"))
    (seventh,) = [
        move for move in explore(PUBLIC, "shogi", code_after("2g2f", "3c3d")).moves if move.name == "7g7f"
    ]
    assert (seventh.total, seventh.reached) == (1, 2)


def test_legal_moves_that_nobody_played_are_told_where_games_reach_what_they_lead_to():
    ingest(ready("7g7f 3c3d 2g2f 8c8d"), ready("2g2f 3c3d 9g9f"))
    code = code_after("2g2f", "3c3d")
    assert explore(PUBLIC, "shogi", code).unplayed is None
    (move,) = explore(PUBLIC, "shogi", code, transpositions=True).unplayed
    assert (move.name, move.text, move.reached, move.code) == (
        "7g7f", "７六歩", 1, code_after("7g7f", "3c3d", "2g2f"),
    )  # fmt: skip


@pytest.mark.parametrize("lines", ["main", "all"])
def test_reached_is_the_total_of_the_position_after_the_move(pool, hot_at_three, lines):
    ingest(*pool)
    seen = 0
    for position in askers(pool, Random(3), 10):
        for match in TURNS:
            answer = explore(PUBLIC, "shogi", shogi64.encode(position), match, lines, transpositions=True)
            data = {move.move: move for move in (*answer.moves, *answer.unplayed)}
            for move in data.values():
                assert explore(PUBLIC, "shogi", move.code, match, lines).total == move.reached
                seen += move.reached
            for move in set(rules.legal_moves(position)) - data.keys():
                after = position.copy()
                after.do_move(move)
                folded = moves.orient(move, 1) in data
                assert folded or explore(PUBLIC, "shogi", shogi64.encode(after), match, lines).total == 0
    assert seen > 100


@contextmanager
def statements(together: int, apart: int) -> Iterator[None]:
    """So many statements where index and catalogue are one database. On Citus each side is asked by itself,
    of keys without counters the rows, and each other one for its first rows: no more than so many."""
    with CaptureQueriesContext(connection) as parameters:
        yield
    result = len(parameters)
    assert result <= apart if engine().REMOTE_INDEX else result == together, parameters.captured_queries


def test_many_positions_are_answered_at_once_as_one_by_one(pool, hot_at_three):
    ingest(*pool)
    codes = [shogi64.encode(position) for position in askers(pool, Random(4), 60)]
    for match in ("exact", "any"):
        with statements(together=1, apart=3):
            answers = explore_many(PUBLIC, "shogi", codes, match, "all")
        for code, answer in zip(codes, answers, strict=True):
            alone = explore(PUBLIC, "shogi", code, match, "all")
            assert (answer.total, answer.results, answer.others) == (alone.total, alone.results, alone.others)
            for mine, its in zip(answer.moves, alone.moves, strict=True):
                assert (mine.code, mine.total, mine.score) == (its.code, its.total, its.score)


def test_an_answer_takes_three_statements_and_a_page_of_games_one(pool, hot_at_three):
    ingest(*pool)
    for position in askers(pool, Random(5), 5):
        code = shogi64.encode(position)
        for match, keys in (("exact", 1), ("any", 4)):
            with statements(together=3, apart=6 + (2 * keys if keys > 1 else 0)):
                explore(PUBLIC, "shogi", code, match, transpositions=True)
            with statements(together=1, apart=keys + 1):
                games_through(PUBLIC, "shogi", code, match, limit=25)


def test_no_more_than_a_hundred_positions_at_once():
    assert len(explore_many(PUBLIC, "shogi", [START] * 100)) == 100
    assert explore_many(PUBLIC, "shogi", []) == []
    with pytest.raises(ValueError, match="100"):
        explore_many(PUBLIC, "shogi", [START] * 101)
    with pytest.raises(DecodeError):
        explore_many(PUBLIC, "shogi", [START, "x"])
