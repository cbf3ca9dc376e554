"""Evaluations and clocks beside a game: stored with it, made anew with it, told by the API."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from archive import store
from archive.derive.game import derive_game
from archive.derive.series import Series, pack, series_of, unpack
from archive.models import Game, GameSeries
from kifu_core import load
from kifu_core.game import Evaluation
from kifu_core.shogi.clock import Tick, TimeLimit
from tests.archive.builders import replace_games
from tests.archive.games import CSA, KIF, stored

pytestmark = pytest.mark.django_db

TIMED = KIF.replace("棋戦：", "持ち時間：10分\n棋戦：").replace(
    "00:00:01)\n", "00:00:01)\n*#評価値=130\n*#読み筋=△３四歩▲２二角成\n*#深さ=12\n"
)
SERVER = CSA.replace("+7776FU\n", "+7776FU\nT3.5\n'** 130 -3334FU\n").replace(
    "-3334FU\n-", "-3334FU\nT2\n'** -15\n-"
)


def series() -> Series:
    return unpack(GameSeries.objects.get().series)


def test_a_series_is_packed_and_read_back():
    data = Series(
        (Evaluation(1, "floodgate", "player", 130, moves=("3c3d",)), Evaluation(2, "piyo", "analysis", 0)),
        (Tick(1, 0, 3.5, 3.5, 596.5), Tick(2, 1, 2, 2, None, ending=True)),
    )
    assert unpack(pack(data)) == data
    assert unpack(pack(Series())) == Series() and pack(Series()) == b""
    assert unpack(pack(Series(clock=data.clock))) == Series(clock=data.clock)


def test_a_series_uses_the_limits_of_the_details():
    created = load(TIMED).games[0].record
    assert series_of(created, {"time_limit": {"main": 600, "byoyomi": 0}}).clock[0].remaining == 599
    own = {"time_limits": [{"main": 600}, None]}
    assert [tick.remaining for tick in series_of(created, own).clock[:2]] == [599, None]
    assert series_of(created, {}).clock[0].remaining is None
    assert TimeLimit(main=600) == TimeLimit(600, 0, 0, 0)


def test_series_are_stored_with_the_game():
    stored(TIMED)
    data = series()
    assert [(one.ply, one.score, one.depth, one.moves) for one in data.evaluations] == [
        (1, 130, 12, ("3c3d", "8h2b+"))
    ]
    assert [(tick.ply, tick.used, tick.remaining, tick.ending) for tick in data.clock[-2:]] == [
        (7, 7, 584, False),
        (8, 8, 580, True),
    ]
    assert Game.objects.get().jkf["moves"][1]["comments"][0] == "#評価値=130"


def test_a_game_that_tells_nothing_has_no_series():
    stored(CSA, "a.csa")
    assert not GameSeries.objects.exists()


def test_fractions_of_seconds_are_kept():
    stored(SERVER, "a.csa")
    assert series().clock[0].used == 3.5


def test_a_further_edition_brings_its_evaluations():
    stored(KIF)
    assert series().evaluations == ()
    stored(TIMED, "other.kif")
    assert Game.objects.count() == 1
    assert [one.score for one in series().evaluations] == [130]


def test_reindexing_and_replacing_make_series_anew():
    stored(TIMED)
    game = Game.objects.get()
    GameSeries.objects.all().delete()
    store.reindex_games([game.pk])
    assert [one.score for one in series().evaluations] == [130]
    replace_games({game.pk: derive_game(load(CSA, "a.csa").games[0])})
    assert not GameSeries.objects.exists()
    replace_games({game.pk: derive_game(load(TIMED).games[0])})
    assert len(series().clock) == 8


def test_deleting_a_game_deletes_its_series():
    stored(TIMED)
    store.delete_games([Game.objects.get().pk])
    assert not GameSeries.objects.exists()


def test_the_api_tells_the_series():
    stored(TIMED)
    pk = Game.objects.get().pk
    client = APIClient()
    address = client.get(f"/api/v1/games/{pk}").json()["series_url"]
    answer = client.get(address).json()
    assert answer["scores"] == [{"ply": 1, "score": 130, "mate": None}]
    assert answer["evaluations"] == [
        {
            "ply": 1, "source": "shogihome", "role": "analysis", "score": 130, "mate": None, "depth": 12,
            "pv": "△３四歩▲２二角成", "usi": ["3c3d", "8h2b+"],
        }
    ]  # fmt: skip
    assert answer["clock"][0] == {
        "ply": 1, "side": "black", "used": 1, "elapsed": 1, "remaining": 599, "periods": None,
        "ending": False,
    }  # fmt: skip


def test_mates_name_their_side():
    stored(KIF.replace("00:00:01)\n", "00:00:01)\n*#詰み=後手勝ち:8手\n"))
    answer = APIClient().get(f"/api/v1/games/{Game.objects.get().pk}/series").json()
    assert answer["scores"] == [{"ply": 1, "score": None, "mate": {"winner": "white", "plies": 8}}]


def test_a_game_without_a_series_answers_empty_and_no_game_404():
    stored(CSA, "a.csa")
    client = APIClient()
    pk = Game.objects.get().pk
    assert client.get(f"/api/v1/games/{pk}/series").json() == {
        "scores": [],
        "evaluations": [],
        "clock": [],
        "next_url": None,
    }
    assert client.get(f"/api/v1/games/{pk + 1}/series").status_code == 404
