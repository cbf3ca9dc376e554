"""Answers about positions of Quoridor against plain counting by replay, and against their images."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random

import pytest

from archive.derive.game import DerivedGame
from archive.models import Game, HotMove, HotPosition
from archive.queries.games.filters import GameFilters
from archive.queries.positions import reading_plan
from archive.queries.positions.explorer import explore, explore_many
from archive.queries.positions.legal_moves import list_legal_moves
from archive.queries.positions.novelty import novelty
from archive.queries.positions.opening_tree import build_tree
from archive.queries.positions.position_games import games_through
from archive.queries.scope import PUBLIC
from kifu_core.errors import DecodeError
from kifu_core.games import QUORIDOR
from kifu_core.quoridor.board import name
from kifu_core.quoridor.keys import display_key
from kifu_core.quoridor.position import QuoridorPosition
from tests.archive import builders
from tests.archive.builders import ingest
from tests.archive.quoridor import START, after, random_game, ready, turned
from tests.archive.replaying import TURNS, askers, counts_of, expected_games, naive, numbers
from tests.archive.test_filters_by_replay import FILTERS, passes

pytestmark = pytest.mark.django_db

KIND = "quoridor"


@pytest.fixture(scope="module")
def pool() -> list[DerivedGame]:
    random = Random(4)
    games = {game.digest: game for game in (random_game(random) for _ in range(300))}
    return list(games.values())[:150]


def code(played: str) -> str:
    return display_key(after(played))


def test_answers_are_those_of_counting_by_replay(pool, hot_at_three):
    for start in range(0, len(pool), 25):
        ingest(*pool[start : start + 25])
    assert Game.objects.count() == len(pool) and HotPosition.objects.count() > 20
    reached = 0
    for position in askers(pool, Random(1), 20):
        for match in TURNS:
            for lines in ("main", "all"):
                answer = explore(PUBLIC, KIND, display_key(position), match, lines)
                assert counts_of(answer) == naive(pool, position, match, lines), (position, match, lines)
                reached += answer.total
    assert reached > 500


def test_counters_and_rows_answer_alike(pool, hot_at_three):
    ingest(*pool[:60])
    codes = [display_key(position) for position in askers(pool[:60], Random(2), 10)]
    hot = [explore(PUBLIC, KIND, one, "any", transpositions=True) for one in codes]
    HotMove.objects.all().delete()
    HotPosition.objects.all().delete()
    assert [explore(PUBLIC, KIND, one, "any", transpositions=True) for one in codes] == hot


def test_the_images_of_a_question_get_the_images_of_the_answer(pool):
    ingest(*pool[:60])
    for position in askers(pool[:60], Random(3), 15):
        asked = explore(PUBLIC, KIND, display_key(position), "any")
        exact = [explore(PUBLIC, KIND, display_key(turned(position, turn))) for turn in range(4)]
        apart = {turned(position, turn).__repr__(): one.total for turn, one in enumerate(exact)}
        if len(apart) == 4:
            assert asked.total == sum(one.total for one in exact)
        for turn in (1, 2, 3):
            image = explore(PUBLIC, KIND, display_key(turned(position, turn)), "any")
            results = numbers(asked.results)
            swapped = (results[1], results[0], *results[2:]) if turn & 2 else results
            assert (numbers(image.results), image.others) == (swapped, asked.others)


@pytest.mark.parametrize("match", TURNS)
def test_pages_hold_every_game_once(pool, match):
    ingest(*pool[:80])
    for position in askers(pool[:80], Random(5), 3):
        rows, cursor = [], None
        while True:
            page = games_through(PUBLIC, KIND, display_key(position), match, "newest", cursor, 7, "all")
            rows += page.items
            cursor = page.next
            if cursor is None:
                break
        found = Counter((row.place.played, row.ply, row.fork, row.move) for row in rows)
        assert found == expected_games(pool[:80], position, match, "all")


def test_reached_counts_every_order_of_moves(pool, hot_at_three):
    ingest(*pool[:80])
    seen = 0
    for position in askers(pool[:80], Random(7), 3):
        for match in ("exact", "any"):
            answer = explore(PUBLIC, KIND, display_key(position), match, transpositions=True)
            for move in (*answer.moves, *answer.unplayed):
                assert explore(PUBLIC, KIND, move.code, match).total == move.reached
                seen += move.reached
    assert seen > 50


def test_who_placed_a_wall_makes_no_difference_but_is_shown():
    # Both orders leave the same walls with nine left each; the owners differ.
    one, other = "d3h e6h", "e6h d3h"
    ingest(ready(f"{one} e2"), ready(f"{other} d1", white="Bo"))
    assert code(one) != code(other)
    for asked in (one, other):
        answer = explore(PUBLIC, KIND, code(asked))
        assert answer.total == 2 and answer.code == code(asked)
        walls = [after(asked).walls(color) for color in (0, 1)]
        for move in answer.moves:
            placed = QUORIDOR.codec.decode(move.code)
            assert [placed.walls(color) for color in (0, 1)] == walls


def test_moves_and_results_are_told_as_the_asker_sees_the_board():
    ingest(ready("e2 e8 d3h", winner=0))
    position = turned(after("e2 e8"), 2)
    answer = explore(PUBLIC, KIND, display_key(position), "color")
    assert numbers(answer.results) == (0, 1, 0, 0)
    assert [move.name for move in answer.moves] == ["e6h"]
    (row,) = games_through(PUBLIC, KIND, display_key(position), "color").items
    assert (row.move_name, row.turned, row.result) == ("e6h", True, 0)
    assert explore(PUBLIC, KIND, display_key(position)).total == 0


def test_a_symmetrical_board_folds_mirrored_moves():
    ingest(ready("d1 e8"), ready("f1 e8", white="Bo"))
    assert [(move.name, move.total) for move in explore(PUBLIC, KIND, START, "mirror").moves] == [("d1", 2)]
    assert [(move.name, move.total) for move in explore(PUBLIC, KIND, START).moves] == [("d1", 1), ("f1", 1)]


def test_the_kinds_of_games_have_nothing_in_common():
    ingest(ready("e2 e8"), builders.ready("7g7f 3c3d"))
    assert explore(PUBLIC, KIND, START, "any").total == 1
    with pytest.raises(DecodeError):
        explore(PUBLIC, "shogi", START)


def test_legal_moves_have_names_and_lead_on():
    moves = list_legal_moves(KIND, START)
    assert len(moves) == 131
    assert {move.name for move in moves} >= {"e2", "d1", "f1", "a1h", "h8v"}
    for move in moves[:5]:
        position = QuoridorPosition.initial()
        position.do_move(move.move)
        assert (move.name, move.text, move.code) == (name(move.move), move.name, display_key(position))


def test_there_are_no_moves_after_a_win():
    won = after("e2 e8 e3 e7 e4 e6 e5 d6 e6 d5 e7 d4 e8 d3 d8 d2 d9")
    assert list_legal_moves(KIND, display_key(won)) == []
    assert explore(PUBLIC, KIND, display_key(won), transpositions=True).unplayed == ()


def test_a_tree_of_moves_is_walked():
    ingest(ready("e2 e8 e3"), ready("e2 e8 d3h", white="Bo"), ready("e2 d9", white="Cy"))
    found = build_tree(PUBLIC, KIND, START, 3, 1)
    (first,) = found.root.children
    assert [(node.played.name, node.played.total) for node in first.children] == [("e8", 2), ("d9", 1)]
    assert {node.played.name for node in first.children[0].children} == {"e3", "d3h"}


def test_a_tree_knows_a_position_again_whoever_placed_its_walls():
    ingest(ready("d3h e6h e2"), ready("e6h d3h e2", white="Bo"))
    found = build_tree(PUBLIC, KIND, START, 3, 1)
    seconds = [node for first in found.root.children for node in first.children]
    assert sorted(node.again for node in seconds) == [False, True]
    assert sum(len(node.children) for node in seconds) == 1


def test_many_positions_are_answered_at_once(pool):
    ingest(*pool[:40])
    codes = [display_key(position) for position in askers(pool[:40], Random(6), 20)]
    for one, answer in zip(codes, explore_many(PUBLIC, KIND, codes, "any"), strict=True):
        alone = explore(PUBLIC, KIND, one, "any")
        assert (answer.total, answer.results) == (alone.total, alone.results)


def test_filters_mean_the_askers_colours():
    ingest(ready("e2 e8", black="Ada", white="Bo"), ready("e2 e8", black="Bo", white="Ada"))
    for filters, total in ((GameFilters(black="Ada"), 1), (GameFilters(player="Ada"), 2)):
        assert explore(PUBLIC, KIND, code("e2"), filters=filters).total == total
    asked = display_key(turned(after("e2"), 2))
    (row,) = games_through(PUBLIC, KIND, asked, "color", filters=GameFilters(black="Ada")).items
    assert row.second == "Ada"


@pytest.mark.parametrize("few", [0, 10**9])
def test_filtered_answers_are_those_of_counting_by_replay(pool, hot_at_three, monkeypatch, few):
    monkeypatch.setattr(reading_plan, "FEW_ROWS", few)
    ingest(*pool[:80])
    seen = 0
    for position in askers(pool[:80], Random(9), 1):
        for filters in FILTERS:
            for match in ("exact", "any"):
                answer = explore(PUBLIC, KIND, display_key(position), match, "all", filters=filters)
                assert counts_of(answer) == naive(pool[:80], position, match, "all", passes(filters))
                seen += answer.total
    assert seen > 200


def test_news_are_told():
    ingest(ready("e2 e8 e3", day="2020/01/01"), ready("e2 e8 d3h", white="Bo", day="2021/01/01"))
    assert [novelty(PUBLIC, game) for game in Game.objects.order_by("played")] == [1, 3]


@pytest.mark.parametrize("text", ["", "!", "gkwAAAAQA", START + "=", "QGCLJPRA"])
def test_an_invalid_code_is_refused_with_the_decoders_error(text):
    for ask in (partial(explore, PUBLIC), partial(games_through, PUBLIC), list_legal_moves):
        with pytest.raises(DecodeError):
            ask(KIND, text)
