"""Names that are oneself, and the filters of games by them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from django.test import Client

from archive import libraries
from archive.derive.game import DerivedGame
from archive.following import own_names
from archive.following.errors import FollowError
from archive.models import Game, OwnName, Player, User
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.names.own_names import EITHER, OwnPlayer, own_players
from archive.queries.positions.explorer import explore
from archive.queries.scope import PUBLIC, Scope
from archive.store.rereading import in_space
from kifu_core.shogi.keys import shogi64
from tests.archive.builders import ingest, random_game, rated, ready
from tests.archive.replaying import Passes, askers, counts_of, naive
from tests.archive.spellings import add_spelling
from tests.cases import each

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


def named(name: str, space: int = 0) -> Player:
    return Player.objects.get(name=name, space=space)


def of(user: User, *spaces: int) -> Scope:
    return Scope(spaces or (0,), account=user.pk)


def listed(scope: Scope, **filters: object) -> set[int]:
    return {row.id for row in find_games(scope, GameFilters(**filters)).items}  # type: ignore[arg-type]


def games_of(*names: str) -> set[int]:
    return {
        game.pk
        for game in Game.objects.select_related("player0", "player1")
        if {str(game.player0), str(game.player1)} & {*names}
    }


@pytest.fixture
def games() -> None:
    ingest(
        rated(ready("7g7f", black="甲", white="乙"), 1500, 1600),
        rated(ready("2g2f", black="丙", white="甲"), 1700, 1500),
        replace(ready("7g7f 3c3d", black="乙", white="丙"), site="天童", ratings=(1600, 1700)),
    )


def test_games_of_every_own_name_are_listed_by_the_own_colour(anna, games):
    own_names.add_own_name(anna, named("甲"))
    assert listed(of(anna), me=EITHER) == games_of("甲")
    assert listed(of(anna), me=0) | listed(of(anna), me=1) == games_of("甲")
    assert len(listed(of(anna), me=0)) == len(listed(of(anna), me=1)) == 1
    own_names.add_own_name(anna, named("乙"))
    assert listed(of(anna), me=EITHER) == games_of("甲", "乙") and len(listed(of(anna), me=0)) == 2


def test_nobody_else_has_these_games(anna, games):
    own_names.add_own_name(anna, named("甲"))
    boris = User.objects.create_user("boris")
    assert listed(PUBLIC, me=EITHER) == listed(of(boris), me=EITHER) == set()


def test_the_search_language_has_own_games_too(anna, games):
    own_names.add_own_name(anna, named("甲"))
    for query in ("me:yes", "自分:はい", "me:black OR me:white", "(me:yes)", "me:yes NOT player:丁"):
        assert listed(of(anna), q=query) == games_of("甲"), query
    assert listed(of(anna), q="me:black") == listed(of(anna), me=0)
    assert listed(of(anna), q="me:black min_opponent:1601") == set()
    assert listed(PUBLIC, q="me:yes") == set()


def test_a_name_may_be_oneself_at_one_place_only(anna, games):
    own_names.add_own_name(anna, named("乙"), "天童")
    assert listed(of(anna), me=EITHER) == {Game.objects.get(site="天童").pk}
    assert listed(of(anna), me=1) == set()
    assert listed(of(anna), q="me:yes") == listed(of(anna), q="me:yes (me:black OR 丁)")
    own_names.add_own_name(anna, named("乙"))
    assert own_players(of(anna)) == (OwnPlayer(named("乙").pk, ""),)


def test_opponents_are_limited_by_their_rating(anna, games):
    own_names.add_own_name(anna, named("甲"))
    assert len(listed(of(anna), me=EITHER, min_opponent=1650)) == 1
    assert listed(of(anna), me=0, min_opponent=1650) == set()
    assert listed(of(anna), me=EITHER, max_opponent=1650) == listed(of(anna), me=0)


def test_a_merged_name_is_oneself_with_the_other_names_of_the_person(anna, games):
    own_names.add_own_name(anna, named("甲"))
    add_spelling(named("甲"), "甲野")
    ingest(ready("5g5f", black="甲野", white="丁"))
    assert listed(of(anna), me=EITHER) == games_of("甲", "甲野")
    assert own_names.own_name_of(anna, named("甲")).player == named("甲")


def test_the_same_name_in_ones_library_is_oneself(anna, games):
    space = libraries.own_library(anna).pk
    ingest(in_space(ready("5g5f", black="甲", white="丁"), space))
    own_names.add_own_name(anna, named("甲"))
    assert len(listed(of(anna), me=EITHER)) == 2
    assert len(listed(of(anna, 0, space), me=EITHER)) == 3
    assert len(listed(of(anna, space), me=EITHER)) == 1


def test_a_namesake_is_somebody_else(anna, games):
    player = named("甲")
    namesake = Player.objects.create(name="甲", key="甲\x1e1", namesake=player)
    ingest(replace(ready("5g5f", black="甲", white="丁"), attributed=(namesake.pk, None)))
    own_names.add_own_name(anna, player)
    assert len(listed(of(anna), me=EITHER)) == 2
    OwnName.objects.update(player=namesake)
    assert len(listed(of(anna), me=EITHER)) == 1


def test_an_account_has_so_many_names_at_most(anna, games, monkeypatch):
    monkeypatch.setattr(own_names, "MOST_OWN_NAMES", 1)
    first = own_names.add_own_name(anna, named("甲"))
    assert own_names.add_own_name(anna, named("甲")) == first
    with pytest.raises(FollowError, match="too-many-own-names"):
        own_names.add_own_name(anna, named("乙"))
    with pytest.raises(FollowError, match="own-site"):
        own_names.add_own_name(anna, named("乙"), "あ" * 201)


def test_names_are_chosen_on_a_players_page_and_removed_on_ones_own(anna, games):
    client = Client(headers={"accept-language": "en"})
    client.force_login(anna)
    address = f"/players/{named('甲').pk}/"
    assert "This is me" in client.get(address).text and "This is me" not in Client().get(address).text
    client.post("/mine/names/new/", {"target": named("甲").pk, "site": " 天童 ", "next": address})
    assert OwnName.objects.get().site == "天童"
    assert "This is you" in client.get(address).text and "天童" in client.get("/mine/").text
    remove = f"/mine/names/{OwnName.objects.get().pk}/"
    boris = Client(headers={"accept-language": "en"})
    boris.force_login(User.objects.create_user("boris"))
    assert boris.post(remove).status_code == 404 and "天童" not in boris.get("/mine/").text
    client.post(remove)
    assert not OwnName.objects.exists()


def test_the_pages_of_lists_and_positions_take_the_filter(anna, games):
    client = Client(headers={"accept-language": "en"})
    client.force_login(anna)
    own_names.add_own_name(anna, named("甲"))
    page = client.get("/games/?me=black").text
    assert "乙" in page and "丙" not in page.split('<ol class="games')[1]
    start = shogi64.encode(next(iter(askers([ready("7g7f")], Random(1), 1))))
    assert client.get(f"/positions/shogi/{start}/?me=white").status_code == 200
    assert len(client.get("/api/v1/games?me=yes").json()["results"]) == 2
    assert Client().get("/api/v1/games?me=yes").json()["results"] == []


def own(*names: str, side: int = EITHER) -> Passes:
    def check(game: DerivedGame, turn: int) -> bool:
        sides = [game.players[turn >> 1], game.players[1 - (turn >> 1)]]
        return bool({*names} & {*(sides if side == EITHER else [sides[side]])})

    return check


@each("side", [0, 1, EITHER])
def test_the_explorer_counts_own_games_as_a_replay_of_all_games_does(anna, hot_at_three, side):
    random = Random(7)
    drawn = {game.digest: game for game in (random_game(random) for _ in range(80))}
    pool = [*drawn.values()]
    ingest(*pool)
    own_names.add_own_name(anna, named("甲"))
    own_names.add_own_name(anna, named("乙"))
    for number, position in enumerate(askers(pool, Random(1), 8)):
        match = ("exact", "any", "mirror")[number % 3]
        answer = explore(of(anna), "shogi", shogi64.encode(position), match, filters=GameFilters(me=side))
        assert counts_of(answer) == naive(pool, position, match, "main", own("甲", "乙", side=side))
