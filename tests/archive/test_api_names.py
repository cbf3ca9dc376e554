"""Players and events of the API: what their pages show, to everybody what they may read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from archive import libraries
from archive.intake import uploads, worker
from archive.models import Event, Player, User
from archive.queries.names import directory, people
from archive.web.wording import opening_text
from kifu_core.games import SHOGI
from tests.archive import builders
from tests.archive.pages import get_json, names, number, page, tables, text
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db

PLAYERS = ["青野照市", "加藤一二三", "羽生善治", "渡辺明", "Bonanza", "ponanza", "激指", "蟲"]
SECRET = (
    "手合割：平手\n先手：羽生善治\n後手：秘密\n"
    "棋戦：{event}\n開始日時：2023/01/0{n}\n戦型：{opening}\n1 {move}\n2 投了\n"
)
LISTS = ("players", "players?order=games", "events", "events?order=games", "places", "players?name=za")
SCOPES = ("public", "mine", "all")


@pytest.fixture(scope="module", autouse=True)
def anna(module_db: None) -> User:
    """Games of these players, and four in the library of an account that know one of them."""
    builders.ingest(
        *(builders.ready("7g7f", black=name, event=f"第{n}回戦") for n, name in enumerate(PLAYERS)),
        builders.ready("2g2f", black="羽生善治", white="蟲", event="名人戦", day="2020/01/01", site="天童"),
        builders.ready("5g5f 3c3d", winner=1, black="羽生善治", white="蟲", event="名人戦", day="2022/05/05"),
        builders.ready("9g9f", winner=None, black="蟲", white="羽生善治", event="名人戦", day="2022/06/05"),
    )
    user = User.objects.create_user("anna", password="opensesame")
    space = libraries.own_library(user).pk
    for n, (move, event, opening) in enumerate(
        [("７六歩(77)", "名人戦", "矢倉"), ("２六歩(27)", "内輪", "矢倉"), ("５六歩(57)", "内輪", "中飛車")]
    ):
        record = SECRET.format(n=n + 1, move=move, event=event, opening=opening)
        upload, _new = uploads.receive("a.kif", [record.encode()], user, "web", space=space)
        worker.work_off(upload.pk)
    return user


@pytest.fixture
def client(anna: User) -> Client:
    """The owner of the library, who reads all there is."""
    result = Client()
    result.force_login(anna)
    return result


def with_scope(address: str, scope: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}scope={scope}"


def site_of(address: str) -> str:
    """The page that shows what an address of the API tells."""
    path, _mark, query = address.partition("?")
    return f"/{path}/?{query}"


# --- lists -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("address", LISTS)
def test_a_list_is_that_of_the_page(client, address, scope):
    result = get_json(client, with_scope(address, scope))
    shown = page(client, with_scope(site_of(address), scope))
    assert [(one["id"], one["name"], one["total"]["count"]) for one in result["results"]] == names(shown)
    assert result["total"] == {"count": len(result["results"]), "exact": True}
    if result["results"]:
        assert f"{len(result['results'])} in all" in text(shown)


def test_the_lists_of_a_library_and_of_everybody_are_not_the_same(client):
    public, mine, every = (
        {one["name"] for one in get_json(client, with_scope("players", scope))["results"]} for scope in SCOPES
    )
    assert (mine, every) == ({"羽生善治", "秘密"}, public | mine) and "秘密" not in public
    assert {one["name"] for one in get_json(Client(), "players")["results"]} == public
    games = {one["name"]: one["total"]["count"] for one in get_json(client, "players?order=games")["results"]}
    assert games["羽生善治"] == 7


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("address", LISTS)
@pytest.mark.parametrize("limit", [1, 3])
def test_pages_of_a_list_join_without_gaps_or_doubles(client, address, scope, limit):
    url, result = with_scope(f"{address}{'&' if '?' in address else '?'}limit={limit}", scope), []
    while url:
        answer = get_json(client, url)
        assert len(answer["results"]) <= limit
        result += answer["results"]
        url = answer["next_url"]
    assert result == get_json(client, with_scope(address, scope))["results"]


def test_players_stand_in_rows_and_a_list_begins_with_one(client):
    rows = {one["name"]: one["row"] for one in get_json(client, "players")["results"]}
    assert (rows["羽生善治"], rows["Bonanza"], rows["蟲"]) == ("は", "a", "others")
    for row in ("は", "a", "others"):
        assert get_json(client, f"players?limit=1&row={row}")["results"][0]["row"] == row
        first = names(page(client, f"/players/?row={row}"))[0]
        assert get_json(client, f"players?row={row}")["results"][0]["id"] == first[0]
    assert {one["row"] for one in get_json(client, "players?order=games")["results"]} == {None}
    assert "row" not in get_json(client, "events")["results"][0]


def test_a_number_of_games_says_whether_it_is_all_of_them(client, monkeypatch):
    monkeypatch.setattr(people, "COUNT_LIMIT", 2)
    result = {one["name"]: one for one in get_json(client, "players")["results"]}
    assert result["羽生善治"]["total"] == {"count": 2, "exact": False}
    assert result["渡辺明"]["total"] == {"count": 1, "exact": True}
    assert all(one["total"]["exact"] for one in get_json(client, "players?order=games")["results"])


def test_the_last_page_says_that_others_have_fewer_games(client, monkeypatch):
    monkeypatch.setattr(directory, "MOST_RANKED", 3)
    first = get_json(client, "players?order=games&limit=2")
    last = get_json(client, first["next_url"])
    assert (first["cut"], last["cut"], last["next_url"], len(last["results"])) == (False, True, None, 1)


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("limit=0", "invalid-limit", "limit"),
        ("limit=101", "invalid-limit", "limit"),
        ("limit=²", "invalid-limit", "limit"),
        ("order=name", "invalid", "order"),
        ("order=", "invalid", "order"),
        ("row=ん", "invalid", "row"),
        ("row=", "invalid", "row"),
        ("row=は&order=games", "invalid", "row"),
        ("name=%00", "invalid", "name"),
        ("name=" + 201 * "x", "invalid", "name"),
        ("name=a&name=b", "invalid", "name"),
        ("after=a", "invalid", "after"),
        ("cursor=x", "invalid-cursor", "cursor"),
        ("cursor=%E7%BE%BD:x", "invalid-cursor", "cursor"),
        ("cursor=2&order=games", "invalid-cursor", "cursor"),
        ("cursor=" + 5000 * "9", "invalid-cursor", "cursor"),
    ],
)
def test_a_list_that_cannot_be_asked_for_is_refused(query, code, field):
    answer = Client().get(f"/api/v1/players?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_who_mistypes_a_name_is_told_the_names_that_are_spelt_nearly_so(client):
    assert client.get("/api/v1/players", {"name": "羽生善冶"}).json()["similar"] == ["羽生善治"]
    assert client.get("/api/v1/events", {"name": "名人線"}).json()["similar"] == ["名人戦"]
    for result in ({"name": "羽生"}, {"name": "誰でもない"}, {}):
        assert client.get("/api/v1/players", result).json()["similar"] == []


def test_names_of_a_library_are_told_to_nobody_else(client):
    url = {"name": "秘蜜"}
    assert client.get("/api/v1/players", url | {"scope": "mine"}).json()["similar"] == ["秘密"]
    assert client.get("/api/v1/players", url | {"scope": "public"}).json()["similar"] == []
    assert Client().get("/api/v1/players", url).json()["similar"] == []


def test_a_cursor_is_of_one_list_in_one_order(client):
    cursor = get_json(client, "players?limit=1")["next_url"].partition("cursor=")[2]
    for other in ("players?order=games", "events?order=name"):
        answer = client.get(f"/api/v1/{other}&cursor={cursor}")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid-cursor")


@pytest.mark.parametrize("query", ["name=%25", "name=_", "name=!", "name=\\", "name='"])
def test_strange_parts_of_names_are_only_texts(query):
    assert (
        get_json(Client(), f"players?{query}")["results"]
        == get_json(Client(), f"events?{query}")["results"]
        == []
    )


# --- one of them -----------------------------------------------------------------------------------------


def fared(one: dict[str, Any]) -> list[str]:
    return [str(one[name]) for name in ("games", "won", "lost", "drawn")]


def assert_equal(result: dict[str, Any], people: str, shown: str, sides: slice) -> None:
    """Assert that an answer tells what a page shows."""
    rows = tables(shown)
    assert f"<h1>{result['name']}</h1>" in shown
    assert [fared(one) for one in result["sides"][sides]] == [row[1:] for row in rows["Results"]]
    assert [[one["name"], *fared(one)] for one in result[people]] == rows.get(people.capitalize(), [])
    openings = rows.get("Openings as the records name them", [])
    with override("en"):
        expected = [[opening_text(one["opening"]), str(one["games"])] for one in result["openings"]]
    assert expected == openings
    years = rows.get("Games by year", [])
    if len(result["years"]) > 1:
        # The page leaves years without games to its picture.
        played = [[one["year"], one["games"]] for one in result["years"] if one["games"]]
        assert played == [[number(year), number(games)] for year, games in years]


@pytest.mark.parametrize("scope", SCOPES)
def test_a_player_is_told_as_on_the_page(client, scope):
    for one in get_json(client, with_scope("players", scope))["results"]:
        result = get_json(client, with_scope(one["url"], scope))
        shown = page(client, with_scope(f"/players/{one['id']}/", scope))
        assert_equal(result, "opponents", shown, slice(None))
        assert result["counted"] == {"games": one["total"]["count"], "newest": None}
        games = get_json(client, f"{result['games_url']}&scope={scope}")
        assert len(games["results"]) == one["total"]["count"]


@pytest.mark.parametrize("scope", SCOPES)
def test_the_rest_of_a_players_page_is_told_by_addresses_that_are_named(client, scope):
    pk = Player.objects.get(name="羽生善治", space=0).pk if scope != "mine" else found_in_library()
    shown = page(client, with_scope(f"/players/{pk}/", scope))
    result = get_json(client, with_scope(f"players/{pk}", scope))
    latest = get_json(client, f"{result['games_url']}&limit=10&scope={scope}")["results"]
    assert [str(one["id"]) for one in latest] == re.findall(r'class="game-row" href="/games/(\d+)/', shown)
    start = get_json(client, with_scope("statistics?game=shogi", scope))["start_url"]
    moves = get_json(client, f"{start}?scope={scope}&black={result['name']}")["moves"]
    rows = re.findall(r'<tr data-move="(.+?)" data-total="(\d+)"', shown)
    assert rows and [(one["move"], str(one["games"])) for one in moves[:5]] == rows


def found_in_library() -> int:
    """The player's id in the library."""
    return Player.objects.exclude(space=0).get(name="羽生善治").pk


@pytest.mark.parametrize("kind", ["events", "places"])
@pytest.mark.parametrize("scope", SCOPES)
def test_events_and_places_are_told_as_on_their_pages(client, scope, kind):
    for one in get_json(client, with_scope(kind, scope))["results"]:
        result = get_json(client, with_scope(one["url"], scope))
        shown = page(client, with_scope(f"/{kind}/{one['id']}/", scope))
        assert_equal(result, "players", shown, slice(0, None, 2))
        games = get_json(client, f"{result['games_url']}&scope={scope}")
        assert len(games["results"]) == one["total"]["count"]


def test_a_player_is_told_by_sides_opponents_years_and_openings(client):
    pk = Player.objects.get(name="羽生善治", space=0).pk
    result = get_json(client, f"players/{pk}")
    black, white = result["sides"]
    assert (black["game"], black["side"], white["side"]) == ("shogi", *SHOGI.rules.sides)
    assert fared(black) == ["6", "5", "1", "0"] and white["unknown"] == 1
    assert {one["name"]: one["games"] for one in result["opponents"]} == {"蟲": 3, "秘密": 3}
    years = {one["year"]: one["games"] for one in result["years"]}
    assert years == {2020: 1, 2021: 0, 2022: 2, 2023: 3}
    assert result["openings"] == [{"opening": "矢倉", "games": 2}, {"opening": "中飛車", "games": 1}]
    public = get_json(Client(), f"players/{pk}")
    assert public["counted"]["games"] == 4 and public["openings"] == []
    assert [one["name"] for one in public["opponents"]] == ["蟲"]


def test_a_player_of_a_library_is_nobody_to_others(client):
    pk, event = Player.objects.get(name="秘密").pk, Event.objects.get(name="内輪").pk
    for address in (f"players/{pk}", f"events/{event}"):
        assert client.get(f"/api/v1/{address}").status_code == 200
        assert client.get(f"/api/v1/{address}?scope=public").status_code == 404
        assert Client().get(f"/api/v1/{address}").status_code == 404
        assert Client().get(f"/api/v1/{address}?scope=mine").status_code == 404
        assert client.get(f"/api/v1/{address}")["Cache-Control"] == "private, no-store"


def test_many_games_are_added_up_over_the_newest(client, monkeypatch):
    monkeypatch.setattr(people, "MOST_COUNTED", 2)
    result = get_json(client, f"players/{Player.objects.get(name='羽生善治', space=0).pk}?scope=public")
    assert result["counted"] == {"games": 2, "newest": 2}


def test_other_names_are_told_and_a_former_id_leads_on(client):
    player = Player.objects.get(name="渡辺明")
    former = add_spelling(player, "渡辺名人")
    assert get_json(client, f"players/{player.pk}")["names"] == ["渡辺"]
    answer = client.get(f"/api/v1/players/{former}")
    assert (answer.status_code, answer["Location"]) == (301, f"http://testserver/api/v1/players/{player.pk}")


def test_an_answer_that_is_known_is_not_sent_again():
    pk = Player.objects.get(name="渡辺明").pk
    for address in ("players", f"players/{pk}", "events?order=games"):
        tag = Client().get(f"/api/v1/{address}")["ETag"]
        again = Client().get(f"/api/v1/{address}", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
