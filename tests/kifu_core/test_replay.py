"""Positions along a record."""

from __future__ import annotations

import json
from pathlib import Path

from kifu_core import load
from kifu_core.classes import key
from kifu_core.games import GAMES
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.keys.canonical import canonical
from kifu_core.shogi.moves import orient, to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import codes, main_line, start, visits
from tests.kifu_core.random_games import random_record

DATA = Path(__file__).parents[1] / "data"


def record(name: str):
    return load((DATA / name).read_bytes(), name).games[0].record


def test_the_main_line_gives_every_position_and_the_move_played_there():
    game = record("kif/variations.kifu")
    found = [
        (ply, position.sfen(None), to_usi(move) if move else None)
        for ply, position, move, _ in main_line(game)
    ]
    assert [(ply, move) for ply, _, move in found] == [
        (0, "7g7f"),
        (1, "3c3d"),
        (2, "8h2b+"),
        (3, "3a2b"),
        (4, None),
    ]
    assert found[0][1] == Position.initial().sfen(None)
    assert found[1][1].endswith(" w -")


def test_the_entry_is_the_one_that_led_to_the_position():
    entries = [entry for *_, entry in main_line(record("kif/even_game.kif"))]
    assert entries[0] == {"comments": ["最初のコメント"]}
    assert entries[8]["comments"] == ["途中のコメント"]


def test_visits_are_the_main_line_then_the_forks_in_reading_order():
    game = record("kif/variations.kifu")
    found = visits(game)
    turned_back = [to_usi(orient(v.move, v.orientation)) if v.move != NO_MOVE else None for v in found]
    assert [(v.ply, v.fork) for v in found[:5]] == [
        (0, False),
        (1, False),
        (2, False),
        (3, False),
        (4, False),
    ]
    forks = list(zip([v.ply for v in found[5:]], turned_back[5:], strict=True))
    assert forks == [
        (0, "2g2f"), (1, None),
        (1, "8c8d"), (2, "2g2f"), (3, "8d8e"), (4, None),
        (2, "6g6f"), (3, None),
        (3, "8b2b"), (4, "B*4e"), (5, None),
    ]  # fmt: skip
    assert all(v.fork for v in found[5:])


def test_the_class_of_a_visit_is_that_of_its_position():
    game = record("kif/even_game.kif")
    positions = [position.copy() for _, position, _, _ in main_line(game)]
    for visit, position in zip(visits(game), positions, strict=True):
        assert (visit.code, visit.orientation, visit.symmetric) == tuple(canonical(position))


def test_the_codes_along_a_game_are_those_of_its_positions():
    for seed in range(20):
        record = random_record(seed)
        expected = [shogi64.encode(position) for _, position, _, _ in main_line(record)]
        assert [*codes(record)] == expected
    (game,) = load("sfen 4k4/9/9/9/9/9/9/9/4K4 b 19P 1 moves P*5e\n").games
    assert [*codes(game.record)] == []


def test_a_move_that_the_board_does_not_allow_ends_the_line():
    game = json.loads(json.dumps(record("kif/even_game.kif")))
    game["moves"][3]["move"]["from"] = {"x": 5, "y": 5}
    assert [visit.ply for visit in visits(game)] == [0, 1, 2]
    assert [ply for ply, *_ in main_line(game)] == [0, 1, 2]


def test_a_fork_that_is_only_an_ending_visits_nothing():
    game = load("手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n\n変化：2手\n2 投了\n").games[0].record
    assert [(visit.ply, visit.fork) for visit in visits(game)] == [(0, False), (1, False), (2, False)]


def test_a_record_may_begin_anywhere():
    assert start(record("kif/tombo.kif")).turn == 1
    assert start({"header": {}, "moves": [{}]}) == Position.initial()


def test_the_archive_finds_everything_in_one_table():
    shogi = GAMES["shogi"]
    game = shogi.formats.load((DATA / "csa" / "even_game.csa").read_bytes(), None).games[0].record
    first = shogi.replay.visits(game)[0]
    position = shogi.codec.decode(first.code).oriented(first.orientation)
    assert position == Position.initial()
    assert shogi.codec.canonical(position).code == first.code
    assert shogi.codec.decode(shogi.codec.encode(position)) == position
    assert key(first.code, first.orientation, "shogi") == shogi.codec.same_class_keys(position)[0]
    assert shogi.formats.load(shogi.formats.dump(game, "csa"), None).games[0].record == game
