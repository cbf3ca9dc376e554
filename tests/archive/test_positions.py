"""Answers about positions against plain counting by replay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from archive.derive.game import DerivedGame, index_rows
from archive.models import Game, HotMove, HotPosition, codec
from archive.queries.games.facets import facets
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.listing import find_games
from archive.queries.games.statistics import counts
from archive.queries.names import people
from archive.queries.positions.explorer import Results, explore
from archive.queries.positions.position_games import games_through
from archive.queries.scope import PUBLIC, Scope
from kifu_core.errors import DecodeError
from kifu_core.shogi import moves
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.notation import move_text
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, random_game, ready
from tests.archive.replaying import TURNS, askers, counts_of, expected_games, naive, numbers

pytestmark = pytest.mark.django_db

GAMES = 300
START = shogi64.encode(Position.initial())


@pytest.fixture(scope="module")
def pool() -> list[DerivedGame]:
    random = Random(4)
    games = {game.digest: game for game in (random_game(random) for _ in range(2 * GAMES))}
    return list(games.values())[:GAMES]


def test_answers_are_those_of_counting_by_replay(pool, hot_at_three):
    for start in range(0, len(pool), 25):
        ingest(*pool[start : start + 25])
    assert Game.objects.count() == len(pool) and HotPosition.objects.count() > 20
    reached = 0
    for position in askers(pool, Random(1), 60):
        code = shogi64.encode(position)
        for match in TURNS:
            for lines in ("main", "all"):
                answer = explore(PUBLIC, "shogi", code, match, lines)
                assert counts_of(answer) == naive(pool, position, match, lines), (
                    position.sfen(),
                    match,
                    lines,
                )
                reached += answer.total
    assert reached > 1000


def test_counters_and_rows_answer_alike(pool, hot_at_three, monkeypatch):
    ingest(*pool[:60])
    codes = [shogi64.encode(position) for position in askers(pool[:60], Random(2), 20)]
    hot = [explore(PUBLIC, "shogi", code, "any") for code in codes]
    HotMove.objects.all().delete()
    HotPosition.objects.all().delete()
    assert [explore(PUBLIC, "shogi", code, "any") for code in codes] == hot


def test_the_images_of_a_question_get_the_images_of_the_answer(pool):
    ingest(*pool[:60])
    for position in askers(pool[:60], Random(3), 20):
        for turn in (1, 2, 3):
            explorer = explore(PUBLIC, "shogi", shogi64.encode(position), "any")
            image = explore(PUBLIC, "shogi", shogi64.encode(position.oriented(turn)), "any")
            assert (explorer.total, explorer.others) == (image.total, image.others)
            results = numbers(explorer.results)
            swapped = (results[1], results[0], *results[2:]) if turn & 2 else results
            assert numbers(image.results) == swapped


# --- games -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("match", TURNS)
def test_pages_hold_every_game_once_in_order(pool, order, match):
    ingest(*pool[:80])
    for position in askers(pool[:80], Random(5), 4):
        code, rows, cursor = shogi64.encode(position), [], None
        while True:
            page = games_through(PUBLIC, "shogi", code, match, order, cursor, limit=7, lines="all")
            assert len(page.items) == 7 or page.next is None
            rows += page.items
            cursor = page.next
            if cursor is None:
                break
        result = Counter((row.place.played, row.ply, row.fork, row.move) for row in rows)
        assert result == expected_games(pool[:80], position, match, "all")
        assert len({row.place for row in rows}) == len(rows)
        existing = [row.place[:2] for row in rows if row.played_from]
        unknown = [row.place[:2] for row in rows if not row.played_from]
        assert [row.place[:2] for row in rows] == existing + unknown
        for part in (existing, unknown):
            assert all(a >= b if order == "newest" else a <= b for a, b in pairwise(part))


def test_first_and_latest_are_games_with_a_day():
    days = {"a": "2020/01/01", "b": "1743", "c": "2021/05/05"}
    ingest(*(ready("7g7f 3c3d", black=name, day=day) for name, day in days.items()))
    ingest(ready("7g7f 3c3d", black="d"), ready("7g7f", kind="problem", black="e", day="2022/01/01"))
    answer = explore(PUBLIC, "shogi", START)
    assert (answer.first.first, answer.latest.first) == ("b", "c")
    assert (answer.total, answer.others) == (4, 1)


def test_a_position_nobody_reached_gives_zeros():
    answer = explore(PUBLIC, "shogi", START, "any", "all")
    assert (answer.total, answer.others, answer.moves, answer.first) == (0, 0, (), None)
    assert answer.results == Results(0, 0, 0, 0)
    assert games_through(PUBLIC, "shogi", START).items == ()


def test_moves_come_with_text_and_the_position_after_them():
    ingest(ready("7g7f 3c3d 8h2b+ 3a2b"), ready("7g7f 8c8d", winner=1))
    (stats,) = explore(PUBLIC, "shogi", START).moves
    assert (stats.name, stats.text, stats.total, numbers(stats.results)) == (
        "7g7f",
        "７六歩",
        2,
        (1, 1, 0, 0),
    )
    answer = explore(PUBLIC, "shogi", stats.code)
    assert [move.text for move in answer.moves] == ["８四歩", "３四歩"]
    position = Position.initial()
    for usi in ("7g7f", "3c3d"):
        position.do_move(moves.from_usi(usi))
    assert move_text(position, moves.from_usi("8h2b+")) == "２二角成"
    assert move_text(position, moves.from_usi("8h2b")) == "２二角不成"
    assert move_text(Position.initial(), moves.from_usi("6i5h")) == "５八金左"
    dropping = Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b G")
    assert move_text(dropping, moves.from_usi("G*5b")) == "５二金"


def test_a_game_of_the_other_colour_is_told_as_the_asker_sees_it():
    start = "4k4/9/9/9/9/9/4P4/9/4K4 w - 1"
    ingest(ready("5a4a", winner=1, start=start))
    turned = Position.from_sfen(start).oriented(2)
    answer = explore(PUBLIC, "shogi", shogi64.encode(turned), "color")
    assert numbers(answer.results) == (1, 0, 0, 0)
    assert [stats.name for stats in answer.moves] == ["5i6i"]
    (row,) = games_through(PUBLIC, "shogi", shogi64.encode(turned), "color").items
    assert (row.move_name, row.turned, row.result) == ("5i6i", True, 1)
    assert explore(PUBLIC, "shogi", shogi64.encode(turned)).total == 0


@pytest.mark.parametrize("code", ["", "!", "A" * 40, START + "A"])
def test_an_invalid_code_is_refused_with_the_decoders_error(code):
    for ask in (explore, games_through):
        with pytest.raises(DecodeError):
            ask(PUBLIC, "shogi", code)


def test_questions_that_mean_nothing_are_refused():
    for arguments in (("chess", START), ("shogi", START, "near"), ("shogi", START, "exact", "some")):
        with pytest.raises(ValueError):
            explore(PUBLIC, *arguments)
    with pytest.raises(ValueError):
        games_through(PUBLIC, "shogi", START, limit=0)
    with pytest.raises(ValueError):
        games_through(PUBLIC, "shogi", START, order="best")


def test_a_cursor_is_good_for_its_own_order_only():
    ingest(*(ready("7g7f", black=name) for name in "abc"))
    cursor = games_through(PUBLIC, "shogi", START, limit=1).next
    assert len(games_through(PUBLIC, "shogi", START, cursor=cursor).items) == 2
    for bad in ("", "x", cursor[:-1], cursor[1:], cursor + "A", "\ud800", "é" * 20):
        with pytest.raises(InvalidCursorError):
            games_through(PUBLIC, "shogi", START, cursor=bad)
    with pytest.raises(InvalidCursorError):
        games_through(PUBLIC, "shogi", START, order="oldest", cursor=cursor)


def test_private_spaces_do_not_meet_public_games():
    game = ready("7g7f 3c3d")
    rows, codes = index_rows(codec.unpack(game.record), "shogi", 7)
    ingest(replace(game, space=7, rows=rows, codes=codes))
    assert explore(PUBLIC, "shogi", START).total == 0
    assert explore(Scope((7,)), "shogi", START).total == 1
    assert explore(Scope((0, 7)), "shogi", START).total == 1
    for scope, result in ((PUBLIC, 0), (Scope((7,)), 1), (Scope((0, 7)), 1)):
        assert len(find_games(scope).items) == facets(scope).games == counts(scope).games == result
    assert people.names(Scope((7,)), "player") == []
