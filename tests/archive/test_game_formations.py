"""Castles and openings of stored games: found when these come in, kept as they change, asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.management import call_command

from archive import libraries, store
from archive.derive import formations as derived
from archive.derive.game import derive_game
from archive.models import Game, GameFormation
from archive.queries.games import list_query
from archive.queries.games import listing as games
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters, game_filters, position_filters
from archive.queries.games.listing import find_games
from archive.queries.patterns import formation_counts as queries
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_filters import shortest_driver, space_queries
from archive.queries.positions.position_games import games_through
from archive.queries.positions.position_query import position_query
from archive.queries.scope import PUBLIC
from archive.queries.search.errors import QueryError
from archive.store import verify
from archive.web.lists.rows import side_mark
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NAME, VERSION
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, parsed, ready, record

pytestmark = pytest.mark.django_db

MINO = "7g7f 8c8d 7i7h 8d8e 8h7g 3c3d 6g6f 7a6b 2h6h 4a3b 5i4h 5c5d 4h3h 5a4b 3h2h 4b4a 3i3h"
"""Black plays Fourth File Rook and a Mino, White nothing that has a castle's name yet."""
STATIC = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d"
START = SHOGI.codec.encode(Position.initial())


def names(colour: int | None = None) -> set[str]:
    rows = GameFormation.objects.all() if colour is None else GameFormation.objects.filter(colour=colour)
    numbers = set(rows.values_list("formation", flat=True))
    return {name for name, one in BY_NAME.items() if one.number in numbers}


def listed(**asked: str) -> set[int]:
    return {row.id for row in find_games(PUBLIC, game_filters(asked)).items}


@pytest.fixture
def two(db) -> tuple[int, int]:
    """A game with a Mino of Black's, and one without."""
    ingest(ready(MINO, black="甲", white="乙", day="2020/01/02"))
    (mino,) = Game.objects.values_list("pk", flat=True)
    ingest(ready(STATIC, black="丙", white="丁", day="2021/03/04", winner=1))
    (static,) = Game.objects.exclude(pk=mino).values_list("pk", flat=True)
    return mino, static


# --- stored ----------------------------------------------------------------------------------------------


def test_a_game_comes_in_with_the_formations_of_both_sides():
    ingest(ready(MINO, black="甲"))
    assert {"mino", "shikenbisha", "furibisha"} <= names(0)
    assert "mino" not in names(1)
    result = {(BY_NAME["mino"].number, 0): 17, (BY_NAME["shikenbisha"].number, 0): 9}
    rows = GameFormation.objects.values_list("formation", "colour", "ply")
    assert result.items() <= {(formation, colour): ply for formation, colour, ply in rows}.items()
    assert Game.objects.get().formations_version == VERSION


def test_a_problem_has_none():
    ingest(ready(MINO, kind="problem"))
    assert not GameFormation.objects.exists()


def test_another_day_of_the_same_game_leaves_them_under_the_slot_that_it_has_then():
    ingest(ready(MINO, black="甲", white="乙"))
    before = names()
    ingest(ready(MINO, black="甲", white="乙", day="2020/01/02"))
    game = Game.objects.get()
    assert set(GameFormation.objects.values_list("slot", flat=True)) == {game.slot}
    assert names() == before
    assert not [*verify.verify()]


def test_they_go_with_their_game(two):
    mino, _static = two
    store.delete_games([mino])
    assert "mino" not in names()
    assert not [*verify.verify()]


def test_a_game_that_is_indexed_again_has_them_in_its_new_slot(two):
    before = names()
    store.reindex_games(two)
    assert names() == before
    slots = set(Game.objects.values_list("slot", flat=True))
    assert set(GameFormation.objects.values_list("slot", flat=True)) == slots
    assert not [*verify.verify()]


def test_an_older_library_is_made_good_by_one_command(two, capsys):
    GameFormation.objects.all().delete()
    Game.objects.update(formations_version=0)
    assert not [*verify.verify()]
    call_command("find_formations")
    assert "2 games examined" in capsys.readouterr().out
    assert "mino" in names()
    call_command("find_formations")
    assert "0 games examined" in capsys.readouterr().out
    call_command("find_formations", "--all", "--batch", "1")
    assert "2 games examined" in capsys.readouterr().out
    assert not [*verify.verify()]


def test_what_is_missing_or_belongs_to_nothing_is_found(two):
    row = GameFormation.objects.first()
    number = row.formation
    row.delete()
    assert {one.check for one in verify.verify()} == {"formations"}
    GameFormation.objects.create(formation=number, slot=99_999, colour=0, ply=1)
    assert {one.check for one in verify.verify()} == {"formations", "list"}


# --- asked for -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mino", "shikenbisha", "furibisha"])
def test_games_are_filtered_by_what_either_side_has(two, name):
    assert listed(formation=name) == {two[0]}


def test_and_by_what_one_side_has(two):
    assert listed(black_formation="mino") == {two[0]}
    assert listed(white_formation="mino") == set()


@pytest.mark.parametrize(
    "query",
    ["formation:mino", "囲い:美濃囲い", "castle:みのがこい", "formation:mino,yagura",
     "NOT 囲い:矢倉 castle:mino", "black_formation:mino", "先手囲い:美濃",
     "-後手囲い:美濃 囲い:美濃", "player:甲 formation:四間飛車"],
)  # fmt: skip
def test_the_search_language_knows_them_by_any_of_their_names(two, query):
    assert listed(q=query) == {two[0]}


def test_their_opposite_are_the_other_games(two):
    assert listed(q="NOT formation:mino") == {two[1]}


def test_a_name_that_no_formation_has_is_no_query(two):
    with pytest.raises(QueryError) as raised:
        listed(q="player:甲 formation:砂の城")
    assert (raised.value.code, raised.value.position) == ("query-value", 19)


def test_games_through_a_position_are_filtered_too(two):
    parameters = position_filters("shogi", {"formation": "mino"})
    assert {one.id for one in games_through(PUBLIC, "shogi", START, filters=parameters).items} == {two[0]}
    assert explore(PUBLIC, "shogi", START, filters=parameters).total == 1
    both = position_filters("shogi", {"formation": "mino", "player": "丙"})
    assert explore(PUBLIC, "shogi", START, filters=both).total == 0


def test_facets_count_games_not_sides(two):
    ingest(ready(f"{MINO} 9c9d", black="戊"))
    result = dict(facets(PUBLIC, GameFilters()).formations)
    assert result["mino"] == 2
    assert "mino" not in dict(facets(PUBLIC, game_filters({"player": "丙"})).formations)


# --- added up --------------------------------------------------------------------------------------------


def test_standings_tell_how_those_fared_that_have_one(two):
    result = queries.formation_counts(PUBLIC)["mino"]
    assert (result.games, result.tally.wins, result.tally.losses) == (1, 1, 0)
    assert "yagura" not in queries.formation_counts(PUBLIC)


def test_a_game_in_which_both_have_it_is_one_game_of_two_sides():
    created = ready(MINO, black="甲")
    number = BY_NAME["mino"].number
    both = (*created.formations, derived.FormationRow(number, 1, 20))
    ingest(replace(created, formations=both))
    result = queries.formation_counts(PUBLIC)["mino"]
    assert (result.games, result.tally.games, result.tally.wins, result.tally.losses) == (1, 2, 1, 1)
    details = queries.formation_details(PUBLIC, BY_NAME["mino"])
    assert dict((one.name, tally.games) for one, tally in details.against)["mino"] == 2


def test_one_of_them_in_detail(two):
    result = queries.formation_details(PUBLIC, BY_NAME["shikenbisha"])
    assert (result.counted, result.more) == (1, False)
    assert result.colours[0].wins == 1 and not result.colours[1].games
    assert result.years == ((2020, 1),)
    assert dict(result.plies)[5] == 1
    assert [one.name for one, _tally in result.players] == ["甲"]
    assert [(move["piece"], move["to"]) for move, _n in result.moves] == [("OU", {"x": 4, "y": 8})]
    assert result.games == ((two[0], 0, 9),)
    assert queries.formation_details(PUBLIC, BY_NAME["yagura"]).counted == 0


def test_the_moves_that_follow_are_told_apart_as_ki2_does(client, db):
    for golds in ("6i5h", "4i5h"):
        ingest(ready(f"2h6h 9c9d {golds} 1c1d", black=golds))
    data = client.get("/api/v1/formations/shikenbisha").json()["moves"]
    assert {one["text"].removesuffix("不成") for one in data} == {"▲５八金右", "▲５八金左"}
    assert {one["english"].removesuffix("=") for one in data} == {"▲G4i-5h", "▲G6i-5h"}


def test_those_of_a_game_stand_in_order_and_once(two):
    slot = Game.objects.get(pk=two[0]).slot
    result = [(one.formation.name, one.colour, one.ply) for one in queries.formations_of_game(slot)]
    assert ("shikenbisha", 0, 9) in result and ("mino", 0, 17) in result
    assert "furibisha" not in {name for name, _colour, _ply in result}
    assert [ply for _name, _colour, ply in result] == sorted(ply for _name, _colour, ply in result)


def test_a_position_has_the_most_special_opening_of_most_of_its_games(two):
    position = Position.initial()
    for usi in MINO.split()[:9]:
        position.do_move(from_usi(usi))
    result = queries.opening_of(PUBLIC, "shogi", SHOGI.codec.encode(position))
    assert result and (result.formation.name, result.games, result.counted) == ("shikenbisha", 1, 1)
    assert queries.opening_of(PUBLIC, "quoridor", "") is None


# --- pages -----------------------------------------------------------------------------------------------


def test_the_list_has_all_of_them_with_numbers_and_boards(client, two):
    shown = client.get("/formations/", headers={"Accept-Language": "ja"}).content.decode()
    assert shown.count('class="called"') == len(BY_NAME)
    assert "美濃囲い" in shown and "/api/v1/formations/mino.svg" in shown
    assert "Mino" in client.get("/formations/", headers={"Accept-Language": "en"}).content.decode()


def test_a_page_of_one_leads_to_its_games_at_the_move_where_it_arises(client, two):
    shown = client.get("/formations/mino/").content.decode()
    assert f"/games/{two[0]}/?ply=17" in shown and f"/games/{two[1]}/" not in shown
    assert f'?ply=17">{side_mark("shogi", 0)}' in shown and f'scope="row">{side_mark("shogi", 1)}' in shown
    assert 'href="/patterns/?pattern=' in shown and "２八玉" in shown
    in_english = client.get("/formations/mino/", headers={"Accept-Language": "en"}).content.decode()
    assert "+K2h" in in_english and "２八玉" not in in_english
    assert client.get("/formations/sandcastle/").status_code == 404
    assert client.get("/formations/so-yagura/").status_code == 200


def test_a_page_of_one_and_the_api_tell_its_sources(client, db):
    shown = client.get("/formations/kin-muso/", headers={"Accept-Language": "ja"}).content.decode()
    work = BY_NAME["kin-muso"].sources[0]
    assert "出典: " in shown and f'href="{work.url}"' in shown
    assert f"({work.author}, {work.publisher}" in shown
    assert "ISBN" in client.get("/formations/migi-elmo/").content.decode()
    data = client.get("/api/v1/formations/kin-muso").json()["sources"]
    assert data[0] == {
        "title": work.title,
        "author": work.author,
        "publisher": "日本将棋連盟",
        "year": 2018,
        "isbn": None,
        "url": work.url,
    }
    assert "棋譜から定めた形です" in client.get("/formations/kinkan/").content.decode()
    assert client.get("/api/v1/formations/kinkan").json()["sources"] == []


def test_a_game_tells_them_at_their_moves_and_a_problem_hides_what_it_solves(client, two):
    shown = client.get(f"/games/{two[0]}/", headers={"Accept-Language": "ja"}).content.decode()
    assert 'data-key=":17"><span\n          class="muted">17</span> 美濃囲い</a>' in shown
    assert f'<p><span class="side">{side_mark("shogi", 0)}</span>' in shown
    other = client.get(f"/games/{two[1]}/", headers={"Accept-Language": "ja"}).content.decode()
    assert "美濃囲い" not in other


def test_what_is_private_chooses_no_way_to_what_is_public(two, monkeypatch, django_user_model):
    """Pages would end elsewhere, and numbers be exact or not, as others keep many games or few."""
    mine = libraries.own_library(django_user_model.objects.create_user("anna"))
    private = (parsed(record(f"{MINO} 9c9d 1g1f", header={"先手": name})) for name in "私我")
    ingest(*(derive_game(one, mine.pk) for one in private))
    parameters = position_query(PUBLIC, "shogi", START, "exact", "main")
    ((_asked, resolved, _reading),) = space_queries(PUBLIC, parameters, GameFilters(formation="mino"))
    assert shortest_driver(resolved, parameters, 10) == (0, 1)
    monkeypatch.setattr(list_query, "SORTED_GAMES", 1)
    monkeypatch.setattr(games, "PAGE_GAMES", 1)
    page = find_games(PUBLIC, GameFilters(formation="mino"))
    assert ([row.id for row in page.items], page.next) == ([two[0]], None)


def test_what_is_private_is_in_no_number_of_others(client, two, django_user_model):
    owner = django_user_model.objects.create_user("anna")
    mine = libraries.own_library(owner)
    ingest(derive_game(parsed(record(f"{MINO} 9c9d 1g1f", header={"先手": "私"})), mine.pk))
    assert queries.formation_counts(PUBLIC)["mino"].games == 1
    assert client.get("/api/v1/formations/mino").json()["counted"]["games"] == 1
    client.force_login(owner)
    assert client.get("/api/v1/formations/mino?scope=all").json()["counted"]["games"] == 2
