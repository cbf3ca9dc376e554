"""Statistics of own games, against plain counting by replay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from random import Random

import pytest
from django.test import Client

from archive.derive.game import DerivedGame
from archive.following import own_names
from archive.models import Player, User
from archive.queries.games import own_games as module
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.games.own_games import OwnGroup, own_statistics
from archive.queries.positions.explorer import wilson
from archive.queries.positions.own_positions import own_positions
from archive.queries.scope import Scope
from kifu_core.shogi.keys import shogi64
from tests.archive.builders import ingest, random_game
from tests.archive.replaying import nodes

pytestmark = pytest.mark.django_db

OWN = ("甲", "乙")
OPENINGS = ("矢倉", "四間飛車", "")
LIMITS = ({"main": 600, "byoyomi": 30, "increment": 0, "periods": 0}, None)


def drawn(random: Random, number: int) -> DerivedGame:
    game = random_game(random)
    limit = LIMITS[number % 2]
    return replace(
        game,
        opening=OPENINGS[number % 3],
        ratings=(1400 + 7 * number, 1500 + 11 * number),
        header_data={**game.header_data, **({"time_limit": limit} if limit else {})},
    )


@pytest.fixture
def pool() -> list[DerivedGame]:
    """Stored games."""
    random = Random(3)
    games = {game.digest: game for game in (drawn(random, number) for number in range(120))}
    ingest(*games.values())
    return [game for game in games.values() if game.record_kind == "game"]


@pytest.fixture
def anna(pool) -> User:
    user = User.objects.create_user("anna")
    for name in OWN:
        own_names.add_own_name(user, Player.objects.get(name=name))
    return user


def sides(pool: list[DerivedGame]) -> list[tuple[DerivedGame, int]]:
    """The own sides of the games."""
    return [(game, colour) for game in pool for colour in (0, 1) if game.players[colour] in OWN]


def outcome(game: DerivedGame, colour: int) -> int:
    """0 for a win, 1 for a loss, 2 for a draw, 3 if unknown."""
    return game.result ^ colour if game.result < 2 else game.result


def values(by: str, game: DerivedGame, colour: int) -> str:
    """What a side is counted under."""
    rating, limit = game.ratings[1 - colour], game.header_data.get("time_limit")
    return {
        "side": ("black", "white")[colour],
        "opening": game.opening and f"{game.opening} {colour}",
        "opponent": game.players[1 - colour] or "",
        "month": date.fromordinal(game.played).isoformat()[:7] if game.played else "",
        "rating": "" if rating is None or not game.players[1 - colour] else str(rating // 100 * 100),
        "clock": "600+30+0" if limit else "",
    }[by]


def numbers(group: OwnGroup) -> list[int]:
    return [group.tally.wins, group.tally.losses, group.tally.draws, group.tally.unknown]


@pytest.mark.parametrize("by", ["side", "opening", "opponent", "month", "rating", "clock"])
def test_groups_are_those_of_plain_counting(pool, anna, monkeypatch, by):
    monkeypatch.setattr(module, "MOST_GROUPS", 1_000)
    monkeypatch.setattr(module, "MOST_MONTHS", 1_000)
    expected: dict[str, list[int]] = {}
    for game, colour in sides(pool):
        if value := values(by, game, colour):
            expected.setdefault(value, [0, 0, 0, 0])[outcome(game, colour)] += 1
    groups = own_statistics(Scope((0,), account=anna.pk), GameFilters()).groups[by]
    named = {f"{one.value} {one.colour}" if by == "opening" else one.value: numbers(one) for one in groups}
    assert named == expected and expected


def test_every_number_leads_to_the_list_of_its_games(pool, anna):
    client = Client()
    client.force_login(anna)
    answer = client.get("/api/v1/account/games/statistics").json()
    for name in ("sides", "openings", "formations", "opponents", "months", "ratings", "clocks"):
        for group in answer[name]:
            if name == "opponents" and group["value"] in OWN:
                continue  # against oneself: the list has all games of this name
            listed = client.get(group["games_url"] + "&limit=100").json()["results"]
            own = Counter(one["id"] for one in listed)
            against_oneself = sum(one["black"] in OWN and one["white"] in OWN for one in listed)
            assert len(own) - against_oneself <= group["games"] <= len(own) + against_oneself, group


def test_filters_narrow_the_statistics(pool, anna):
    scope = Scope((0,), account=anna.pk)
    filters = GameFilters(me=1, result=0, since=date(2020, 6, 1))
    found = own_statistics(scope, filters)
    expected = [
        game for game, colour in sides(pool)
        if colour == 1 and game.result == 0 and game.played >= date(2020, 6, 1).toordinal()
    ]  # fmt: skip
    assert found.games == len(expected) == len(find_games(scope, replace(filters, record_kind="game")).items)


def test_the_worst_openings_have_enough_games_and_come_by_their_interval(pool, anna, monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 5)
    found = own_statistics(Scope((0,), account=anna.pk), GameFilters())
    assert found.worst
    for one in found.worst:
        assert one.decided >= module.ENOUGH
        assert one.interval == wilson(one.tally.wins + one.tally.draws / 2, one.decided)
    highs = [one.interval.high for one in found.worst]
    assert highs == sorted(highs)


@pytest.mark.parametrize("colour", [0, 1])
def test_positions_that_are_reached_often_are_those_of_a_replay(pool, anna, colour):
    scope = Scope((0,), account=anna.pk)
    found = own_positions(scope, "shogi", GameFilters(), colour)
    own: Counter[str] = Counter()
    everybody: Counter[str] = Counter()
    moves: dict[str, Counter[int]] = {}
    for game in pool:
        reached = {}
        for text, _ply, fork, move in nodes(game):
            if not fork:
                reached.setdefault(text, move)
        everybody.update(reached.keys())
        if game.players[colour] in OWN:
            own.update(reached.keys())
            for text, move in reached.items():
                moves.setdefault(text, Counter())[move] += 1
    assert found

    for one in found:
        text = shogi64.decode(one.code).sfen(None)
        assert (one.own.total, one.all.total) == (own[text], everybody[text])
        played = {move.move: move.total for move in one.own.moves if move.total}
        assert played == {move: n for move, n in moves[text].items() if move}


def test_nobody_else_sees_them(pool, anna):
    boris = User.objects.create_user("boris")
    assert own_statistics(Scope((0,), account=boris.pk), GameFilters()).games == 0
    client = Client(headers={"accept-language": "en"})
    assert client.get("/mine/games/").status_code == 302
    assert client.get("/api/v1/account/games/statistics").status_code == 401
    client.force_login(boris)
    assert "This is me" in client.get("/mine/games/").text
    assert client.get("/api/v1/account/games/statistics").json()["games"] == 0


def test_the_page_has_the_tables_and_positions(pool, anna, monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 5)
    client = Client(headers={"accept-language": "en"})
    client.force_login(anna)
    page = client.get("/mine/games/")
    assert page.status_code == 200 and "no-store" in page["Cache-Control"]
    for text in (
        "Opponents",
        "Time control",
        "Openings with the worst results",
        "Positions that you reach often",
    ):
        assert text in page.text
    assert client.get("/mine/games/?from=x").status_code == 400
    assert client.get("/mine/games/?me=white&opening=矢倉").status_code == 200
