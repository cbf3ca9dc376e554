"""Collections: who reads and changes them, their order, and games in them that are deleted or united."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from archive import libraries, store
from archive.accounts.roles import Role
from archive.collections import editing, rights, searching
from archive.collections import games as collecting
from archive.collections.errors import CollectionError
from archive.intake import worker
from archive.models import AuditLine, Collection, CollectionGame, Entry, Game, GameAlias, User
from archive.queries.collections import collections_with, count_of, games_of, neighbours
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters, stored_filters, stored_parameters
from archive.queries.games.listing import find_games
from archive.queries.names.ids_of_names import ids_of_collection, readable_collections
from archive.queries.positions.explorer import explore
from archive.queries.scope import PUBLIC, Scope
from kifu_core.classes import PUBLIC as PUBLIC_SPACE
from tests.archive.games import KIF, START, stored

pytestmark = pytest.mark.django_db(transaction=True)


def game(name: str, day: str = "2024/05/01", user: User | None = None, space: int = PUBLIC_SPACE) -> int:
    """A stored game of a player with this name."""
    text = KIF.replace("先手の人", name).replace("2024/05/01", day)
    if user is None:
        upload = stored(text)
    else:
        upload, _new = store.create_upload(f"{name}.kif", [text.encode()], user, "web", space=space)
        worker.work_off(upload.pk)
    return int(Entry.objects.get(upload=upload).game_id or 0)


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", role=Role.CONTRIBUTOR)


@pytest.fixture
def ben() -> User:
    return User.objects.create_user("ben", role=Role.CONTRIBUTOR)


def collection_of(user: User, *games: int, title: str = "名局集") -> Collection:
    space = libraries.own_library(user).pk
    made = editing.create(user, space, title)
    collecting.add(user, Scope((PUBLIC_SPACE, space)), made, games)
    return made


def around(collection: Collection, one: int) -> tuple[int | None, int | None, int, int]:
    """The ids of the neighbours of a game, its number and the number of all."""
    place = neighbours(PUBLIC, collection.pk, one)
    assert place
    before, after = (other and other.row.id for other in place[:2])
    return before, after, place.number, place.total


def ids(collection: Collection, scope: Scope = PUBLIC) -> list[int]:
    return [one.row.id for one in games_of(scope, collection.pk, 0, 100)[0]]


def test_games_stay_in_the_order_in_which_they_were_added_and_moved(anna):
    a, b, c, d = (game(name) for name in "甲乙丙丁")
    made = collection_of(anna, c, a, d)
    assert collecting.add(anna, PUBLIC, made, [a, b]) == 1
    assert ids(made) == [c, a, d, b]
    collecting.move(anna, made, b, None)
    collecting.move(anna, made, c, d)
    assert ids(made) == [b, a, d, c]
    assert around(made, a) == (b, d, 2, 4) and around(made, c) == (d, None, 4, 4)
    assert collecting.remove(anna, made, [a, c, 10**6]) == 2
    assert ids(made) == [b, d]


def test_between_two_games_there_is_always_room(anna):
    games = [game(name) for name in "甲乙丙"]
    made = collection_of(anna, *games)
    for _again in range(40):
        first, second, third = ids(made)
        collecting.move(anna, made, third, first)
        assert ids(made) == [first, third, second]
    CollectionGame.objects.filter(game=games[0]).update(position=CollectionGame.PART - 1)
    new = game("丁")
    collecting.add(anna, PUBLIC, made, [new])
    assert ids(made)[-2:] == [games[0], new]
    assert max(CollectionGame.objects.values_list("position", flat=True)) < CollectionGame.PART


def test_games_are_sorted_by_day_or_arrival(anna):
    late, unknown, early = game("甲", "2024/05/03"), game("乙", "不明"), game("丙", "2024/05/01")
    made = collection_of(anna, unknown, late, early)
    orders: tuple[tuple[Any, list[int]], ...] = (
        ("oldest", [early, late, unknown]),
        ("newest", [late, early, unknown]),
        ("added", [late, unknown, early]),
    )
    for order, expected in orders:
        collecting.sort(anna, made, order)
        assert ids(made) == expected


def test_a_note_and_the_first_ply_are_kept_for_each_game(anna):
    made = collection_of(anna, one := game("甲"))
    collecting.annotate(anna, made, one, "  手筋\r\n\u202e逆 ", 99)
    ((shown,), _more) = games_of(PUBLIC, made.pk, 0, 10)
    assert (shown.note, shown.ply) == ("手筋\n逆", Game.objects.get(pk=one).plies)
    with pytest.raises(CollectionError, match="not-collected"):
        collecting.annotate(anna, made, game("乙"), "x", 0)


def test_a_reader_sees_only_readable_games_and_their_number(anna, ben):
    private = game("甲", user=anna, space=libraries.own_library(anna).pk)
    made = collection_of(anna, private, public := game("乙"))
    mine = Scope((PUBLIC_SPACE, made.space_id))
    assert ids(made, mine) == [private, public]
    editing.show(anna, made, "public")
    assert ids(made) == [public] and count_of(PUBLIC, made.pk) == 1 and count_of(mine, made.pk) == 2
    assert neighbours(PUBLIC, made.pk, private) is None
    assert around(made, public) == (None, None, 1, 1)
    filters = GameFilters(collection=made.pk)
    assert [row.id for row in find_games(PUBLIC, filters, "collection").items] == [public]
    assert facets(PUBLIC, filters).games == 1 and facets(mine, filters).games == 2
    assert explore(PUBLIC, "shogi", START, filters=filters).total == 1
    assert explore(mine, "shogi", START, filters=filters).total == 2


def test_only_members_read_a_private_collection_by_any_query(anna, ben):
    made = collection_of(anna, one := game("甲"), title="秘密")
    theirs = Scope((PUBLIC_SPACE, libraries.own_library(ben).pk))
    for scope in (PUBLIC, theirs):
        filters = GameFilters(collection=made.pk)
        assert ids_of_collection(scope, made.pk) == ()
        assert find_games(scope, filters).items == ()
        assert find_games(scope, GameFilters(q=f"collection:{made.pk} OR collection:{made.pk}")).items == ()
        assert explore(scope, "shogi", START, filters=filters).total == 0
        assert collections_with(scope, one, 10) == []
    assert find_games(Scope((PUBLIC_SPACE, made.space_id)), GameFilters(q=f"棋譜集:{made.pk}")).items


def test_a_link_shares_a_collection_with_its_parts_and_ends(anna):
    made = collection_of(anna)
    part = editing.create_part(anna, made, "第一章")
    key = editing.show(anna, made, "link")
    client = Client()
    assert client.get(f"/api/v1/collections/{part.pk}").status_code == 404
    assert client.get(f"/api/v1/collections/{part.pk}?key={key}").status_code == 200
    assert editing.show(anna, made, "link") != key
    assert client.get(f"/api/v1/collections/{part.pk}?key={key}").status_code == 404


def test_members_of_a_group_edit_its_collections_and_owners_share_them(anna, ben):
    group = libraries.create_group(anna, "道場")
    made = editing.create(anna, group.pk, "定跡")
    assert not rights.may_edit(ben, made)
    with pytest.raises(CollectionError, match="not-an-editor"):
        collecting.add(ben, PUBLIC, made, [game("甲")])
    libraries.join(ben, libraries.invite(anna, group))
    assert collecting.add(ben, PUBLIC, made, [game("甲")]) == 1
    for deed in (lambda: editing.show(ben, made, "public"), lambda: editing.delete(ben, made)):
        with pytest.raises(CollectionError, match="not-an-owner"):
            deed()
    editing.show(anna, made, "public")
    editing.delete(anna, made)
    assert not Collection.objects.exists() and Game.objects.count() == 1
    written = AuditLine.objects.filter(what__startswith=f"collection {made.pk}")
    assert [line.event for line in written.order_by("pk")] == ["publish", "delete"]


def test_readers_do_not_publish_and_curators_hide_what_is_public(anna, ben):
    reader = User.objects.create_user("rea", role=Role.READER)
    with pytest.raises(CollectionError, match="no-publishing"):
        editing.show(reader, collection_of(reader), "public")
    curator = User.objects.create_user("cur", role=Role.CURATOR)
    made = collection_of(anna)
    assert not rights.may_show(curator, made, "private")
    editing.show(anna, made, "public")
    assert not rights.may_show(curator, made, "link") and not rights.may_show(ben, made, "private")
    editing.show(curator, made, "private")
    assert list(readable_collections(PUBLIC)) == []


def test_a_part_has_no_parts_and_is_shown_with_the_whole(anna):
    made = collection_of(anna, first := game("甲"))
    one, two = (editing.create_part(anna, made, title) for title in ("一", "二"))
    collecting.add(anna, PUBLIC, two, [second := game("乙"), first])
    with pytest.raises(CollectionError, match="part-of-part"):
        editing.create_part(anna, one, "三")
    with pytest.raises(CollectionError, match="of-the-whole"):
        editing.show(anna, two, "public")
    editing.show(anna, made, "public")
    editing.place_part(anna, two, 1)
    assert [part.title for part in made.parts.order_by("place")] == ["二", "一"]
    filters = GameFilters(collection=made.pk)
    assert [row.id for row in find_games(PUBLIC, filters, "collection").items] == [first, second]
    assert count_of(PUBLIC, made.pk) == explore(PUBLIC, "shogi", START, filters=filters).total == 2


def test_pages_in_the_order_of_a_collection_follow_each_other(anna):
    games = [game(name) for name in "甲乙丙丁戊"]
    made = collection_of(anna, *reversed(games))
    editing.show(anna, made, "public")
    found, cursor = [], None
    while cursor is not None or not found:
        page = find_games(PUBLIC, GameFilters(collection=made.pk, min_plies=1), "collection", cursor, 2)
        found += [row.id for row in page.items]
        cursor = page.next
    assert found == games[::-1]
    with pytest.raises(ValueError, match="of a collection"):
        find_games(PUBLIC, order="collection")


def test_a_deleted_game_leaves_all_collections(anna):
    made = collection_of(anna, one := game("甲"), other := game("乙"))
    store.delete_games([one])
    assert ids(made) == [other]
    store.delete_upload(Entry.objects.get(game=other).upload_id)
    assert not CollectionGame.objects.exists()


def test_a_game_that_becomes_another_ones_edition_is_followed(anna):
    space = libraries.own_library(anna).pk
    private, public = game("甲", user=anna, space=space), game("甲")
    both, single = collection_of(anna, private, game("乙"), public), collection_of(anna, private)
    collecting.annotate(anna, both, private, "一", 0)
    collecting.annotate(anna, both, public, "二", 0)
    assert libraries.publish(anna, Game.objects.get(pk=private)) == public
    assert GameAlias.objects.get(pk=private).game_id == public
    assert ids(single) == [public] and ids(both)[-1] == public and len(ids(both)) == 2
    assert CollectionGame.objects.get(collection=both, game=public).note == "二\n一"


def test_games_of_a_search_are_added_now_and_as_they_come(anna, ben):
    space = libraries.own_library(anna).pk
    first = game("羽生", "2024/05/02")
    made = collection_of(anna)
    store.number_changes()
    search = stored_parameters({"player": "羽生", "q": "", "since": None})
    assert searching.keep_up(anna, made, search) == 1 and searching.behind() == []
    later, others = game("羽生", "2024/05/03"), game("森")
    mine = game("羽生", "2024/05/04", user=anna, space=space)
    theirs = game("羽生", "2024/05/05", user=ben, space=libraries.own_library(ben).pk)
    store.number_changes()
    assert searching.behind() == [made.pk]
    assert searching.catch_up(made.pk) == 2 and searching.behind() == []
    assert ids(made, Scope((PUBLIC_SPACE, space, libraries.own_library(ben).pk))) == [first, later, mine]
    assert others and theirs
    collecting.remove(anna, made, [first])
    made.refresh_from_db()
    assert searching.repeat(anna, made) == 1
    searching.keep_up(anna, made, None)
    assert searching.behind() == []
    made.refresh_from_db()
    with pytest.raises(CollectionError, match="no-search"):
        searching.repeat(anna, made)


def test_a_stored_search_is_the_search():
    stored = stored_parameters({"player": "森", "from": "", "to": None, "result": "black", "min_plies": 3})
    assert stored == {"player": "森", "result": "black", "min_plies": 3}
    assert stored_filters(stored) == GameFilters(player="森", result=0, min_plies=3, game="shogi")


def test_a_game_that_the_scope_lacks_cannot_be_added(anna, ben):
    theirs = game("甲", user=ben, space=libraries.own_library(ben).pk)
    made = collection_of(anna)
    for unknown in (theirs, 10**9):
        with pytest.raises(CollectionError, match="unknown-game") as refused:
            collecting.add(anna, PUBLIC, made, [game("乙"), unknown])
        assert refused.value.values["game"] == unknown
    assert ids(made) == []


@pytest.mark.parametrize("title", ["", " \u202e\u200b", "長" * 201])
def test_a_title_has_visible_characters(anna, title):
    with pytest.raises(CollectionError, match="collection-title"):
        collection_of(anna, title=title)


def test_collections_end_with_the_library(anna):
    made = collection_of(anna, game("甲"))
    editing.show(anna, made, "public")
    libraries.leave_all(anna)
    store.end_abandoned(10)
    assert not Collection.objects.exists()


def test_the_order_of_a_collection_is_read_by_its_index(anna):
    made = collection_of(anna, game("甲"))
    if connection.vendor != "sqlite":
        pytest.skip("the planner of PostgreSQL scans small tables")
    rows = "SELECT position FROM archive_collectiongame WHERE collection_id = %s ORDER BY position"
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {rows}", [made.pk])
        assert "collection_order" in str(cursor.fetchall())


# --- pages and the API -----------------------------------------------------------------------------------


def signed_in(user: User) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


def test_a_collection_is_made_filled_and_published_on_pages(anna):
    client, one, other = signed_in(anna), game("甲"), game("乙")
    made = client.post("/collections/new/", {"title": "名局集", "space": "mine"})
    pk = Collection.objects.get().pk
    assert made.headers["Location"] == f"/collections/{pk}/edit/"
    assert "2 chosen games" in client.get(f"/collections/add/?game={one}&game={other}").content.decode()
    answer = client.post("/collections/add/", {"collection": pk, "game": [one, other]}, follow=True)
    assert "2 games were added." in answer.content.decode()
    edit = f"/collections/{pk}/edit/"
    client.post(edit, {"action": "note", "game": one, "note": "名手 https://example.com/", "ply": "3"})
    client.post(edit, {"action": "move", "game": one, "number": "2"})
    page = client.get(f"/collections/{pk}/").content.decode()
    assert page.index("乙") < page.index("甲") < page.index("名手") and 'rel="nofollow' in page
    assert f"/games/{one}/?ply=3&amp;collection={pk}" in page and page.count("<svg viewBox") >= 2
    assert "名手" in client.get(f"/collections/{pk}/?view=list").content.decode()
    stranger = Client()
    assert stranger.get(f"/collections/{pk}/").status_code == 404
    assert "名局集" not in stranger.get("/collections/").content.decode()
    client.post(edit, {"action": "show", "visibility": "public"})
    assert "名手" in stranger.get(f"/collections/{pk}/").content.decode()
    assert "名局集" in stranger.get("/collections/").content.decode()
    client.post(edit, {"action": "remove", "game": one})
    client.post(edit, {"action": "delete"})
    assert stranger.get(f"/collections/{pk}/").status_code == 404


def test_all_games_of_a_search_are_added_on_a_page_and_kept_up_to_date(anna):
    client, one = signed_in(anna), game("甲")
    game("乙")
    assert "Player: 甲" in client.get("/collections/add/?search=player%3D甲").content.decode()
    for keep in ("", "1"):
        fields = {"search": "player=甲", "title": f"甲の棋譜{keep}", "keep": keep}
        assert "1 game was added." in client.post("/collections/add/", fields, follow=True).content.decode()
    made = Collection.objects.latest("pk")
    assert made.search == {"player": "甲", "record_kind": "game"} and ids(made) == [one]
    assert "Player: 甲" in client.get(f"/collections/{made.pk}/edit/").content.decode()


def test_games_of_a_list_are_selected_for_a_collection(anna):
    client, one = signed_in(anna), game("甲")
    assert f"/collections/add/?game={one}" in client.get(f"/games/{one}/").content.decode()
    listed = client.get("/games/?player=甲").content.decode()
    assert "?player=%E7%94%B2&amp;select=1" in listed
    assert "/collections/add/?search=player%3D%25E7%2594%25B2" in listed
    selecting = client.get("/games/?player=甲&select=1").content.decode()
    assert f'form="chosen" name="game" value="{one}"' in selecting
    for address in (f"/games/{one}/", "/games/?player=甲&select=1"):
        assert "/collections/add/" not in Client().get(address).content.decode()


def test_a_game_leads_to_its_neighbours_in_the_collection_of_its_address(anna):
    a, b, c = games = [game(name) for name in "甲乙丙"]
    made = collection_of(anna, *games)
    collecting.annotate(anna, made, c, None, 2)
    editing.show(anna, made, "public")
    page = Client().get(f"/games/{b}/?collection={made.pk}").content.decode()
    assert f'href="/games/{a}/?collection={made.pk}" rel="prev"' in page
    assert re.search(rf'href="/games/{c}/\?ply=2&amp;collection={made.pk}"\s+rel="next"', page)
    assert "2 / 3" in page and "名局集" in page
    editing.show(anna, made, "private")
    assert "名局集" not in Client().get(f"/games/{b}/?collection={made.pk}").content.decode()


def tournament(anna: User) -> Collection:
    rows = (("甲", "乙", "準決勝"), ("丙", "丁", "準決勝"), ("甲", "丙", "決勝"))
    games = []
    for first, second, round_ in rows:
        text = KIF.replace("先手の人", first).replace("後手の人", second)
        upload = stored(text.replace("試しの棋戦", f"試しの棋戦 {round_}"))
        games.append(int(Entry.objects.get(upload=upload).game_id or 0))
    made = collection_of(anna, *games)
    editing.show(anna, made, "public")
    return made


def test_the_standings_of_a_tournament_are_shown_in_each_form(anna):
    made, client = tournament(anna), Client(headers={"accept-language": "en"})
    address = f"/collections/{made.pk}/standings/"
    page = client.get(address).content.decode()
    assert 'class="bracket"' in page and page.index("準決勝") < page.index("決勝</h2>")
    cross = client.get(f"{address}?kind=cross").content.decode()
    assert cross.count('class="self"') == 4 and "○" in cross and "/games/" in cross
    assert "By rounds" in client.get(f"{address}?kind=swiss").content.decode()
    assert client.get(f"{address}?kind=x").status_code == 400
    table = client.get(f"/api/v1/collections/{made.pk}/standings").json()
    assert table["kind"] == "knockout" and table["complete"]
    first = table["players"][0]
    assert (first["rank"], first["name"], first["points"]) == (1, "甲", 2)
    assert [one["name"] for one in table["rounds"]] == ["準決勝", "決勝"]
    assert table["rounds"][1]["matches"][0]["winner"] == 1


def test_a_collection_is_printed_with_diagrams_and_moves(anna):
    made = tournament(anna)
    page = Client().get(f"/collections/{made.pk}/print/", headers={"Accept-Language": "ja"}).content.decode()
    assert page.count("<article") == 3
    assert "<span>1 ▲７六歩</span> <span>2 △３四歩</span>" in page
    assert re.search(r"<span>投了</span> <span>.*勝ち</span></p>", page)
    assert Client().get(f"/collections/{made.pk}/print/?page=2").status_code == 404


def test_the_moves_of_a_game_are_guessed_and_lead_to_the_next_game(anna):
    made = tournament(anna)
    first, second = ids(made)[:2]
    course = Client().get(f"/collections/{made.pk}/course/").content.decode()
    address = f"/games/{first}/?collection={made.pk}&amp;guess=both"
    assert address in course
    client = Client(headers={"accept-language": "en"})
    page = client.get(f"/games/{first}/?collection={made.pk}&guess=black").content.decode()
    assert 'data-guess="black"' in page and 'details class="solution"' in page
    assert f"/games/{second}/?collection={made.pk}&amp;guess=black" in page
    assert 'details class="solution"' not in client.get(f"/games/{first}/?guess=x").content.decode()


def test_a_link_opens_a_collection_for_a_session(anna):
    made = collection_of(anna, game("甲"))
    page = signed_in(anna).post(
        f"/collections/{made.pk}/edit/", {"action": "show", "visibility": "link"}, follow=True
    )
    address = next(word for word in re.split('[<>"]', page.content.decode()) if "/shared/" in word)
    stranger = Client(headers={"accept-language": "en"})
    assert stranger.get(f"/collections/{made.pk}/").status_code == 404
    assert "名局集" in stranger.get(address, follow=True).content.decode()
    listed = stranger.get(f"/games/?collection={made.pk}").content.decode()
    assert "甲" in listed and "Collection: 名局集" in listed
    assert "名局集" not in stranger.get("/collections/").content.decode()


def test_games_are_moved_to_the_number_that_the_page_shows(anna):
    a, b, c, d = games = [game(name) for name in "甲乙丙丁"]
    made, client = collection_of(anna, *games), signed_in(anna)
    for number, expected in ((1, [c, a, b, d]), (4, [a, b, d, c]), (2, [a, c, b, d]), (3, [a, b, c, d])):
        client.post(f"/collections/{made.pk}/edit/", {"action": "move", "game": c, "number": number})
        assert ids(made) == expected


def test_the_api_changes_collections_as_their_members_may(anna, ben):
    client, one, other = signed_in(anna), game("甲"), game("乙")
    base = "/api/v1/collections"

    def post(address: str, fields: dict[str, Any], by: Client = client) -> Any:
        return by.post(f"{base}{address}", fields, "application/json")

    made = post("", {"title": "名局集", "description": "二局"}).json()
    assert made["visibility"] == "private" and made["space"] == "mine" and "edit" in made["may"]
    pk = made["id"]
    assert post(f"/{pk}/games", {"add": [one, other]}).json() == {"changed": 2}
    assert post(f"/{pk}/games", {"search": "player=甲"}).json() == {"changed": 0}
    assert post(f"/{pk}/games", {"search": "plyer=甲"}).status_code == 400
    assert post(f"/{pk}/games", {"add": [10**9]}).json()["code"] == "unknown-game"
    assert post(f"/{pk}/games/{other}", {"note": "一", "ply": 2, "after": 0}).status_code == 204
    first = client.get(f"{base}/{pk}/games?limit=1").json()
    assert [(row["id"], row["note"], row["ply"]) for row in first["results"]] == [(other, "一", 2)]
    assert [row["id"] for row in client.get(first["next_url"]).json()["results"]] == [one]
    assert post(f"/{pk}/search", {"search": "player=甲"}).json() == {"changed": 0}
    assert client.get(f"{base}/{pk}").json()["search"] == "player=%E7%94%B2"
    part = post(f"/{pk}/parts", {"title": "一章"}).json()
    assert part["parent_id"] == pk and post(f"/{part['id']}/parts", {"title": "x"}).status_code == 409
    stranger, theirs = Client(), signed_in(ben)
    for who, status in ((stranger, 401), (theirs, 404)):
        assert post(f"/{pk}", {"title": "x"}, who).status_code == status
        assert who.delete(f"{base}/{pk}/games/{one}").status_code == status
    linked = post(f"/{pk}", {"visibility": "link"}).json()
    assert "/shared/" in linked["link_url"]
    assert post(f"/{pk}", {"visibility": "public"}).json()["visibility"] == "public"
    shown = stranger.get(f"{base}/{pk}").json()
    assert (
        shown["games"] == 2 and shown["may"] == [] and shown["search"] is None and shown["space"] == "shared"
    )
    assert [row["id"] for row in stranger.get(base).json()["results"]] == [pk]
    assert post(f"/{pk}", {"title": "x"}, theirs).json()["code"] == "not-an-editor"
    ordered = stranger.get(f"/api/v1/games?collection={pk}&order=collection").json()["results"]
    assert [row["id"] for row in ordered] == [other, one]
    assert stranger.get("/api/v1/games?order=collection").status_code == 400
    assert client.delete(f"{base}/{pk}/search").status_code == 204
    assert client.delete(f"{base}/{pk}/games/{one}").status_code == 204
    assert client.delete(f"{base}/{pk}/games/{one}").json()["code"] == "not-collected"
    assert client.delete(f"{base}/{pk}").status_code == 204 and client.get(f"{base}/{pk}").status_code == 404


def test_a_curator_hides_a_collection_by_the_api(anna):
    curator = signed_in(User.objects.create_user("cur", role=Role.CURATOR))
    made = collection_of(anna)
    editing.show(anna, made, "public")
    address = f"/api/v1/collections/{made.pk}"
    answer = curator.post(address, {"visibility": "private"}, "application/json")
    assert (answer.status_code, answer.json()["visibility"]) == (200, "private")
    assert curator.get(address).status_code == 404


def test_a_change_by_the_api_that_is_refused_in_part_changes_nothing(anna):
    reader = User.objects.create_user("rea", role=Role.READER)
    made = collection_of(reader, title="名局集")
    change = {"title": "別の題名", "visibility": "public"}
    answer = signed_in(reader).post(f"/api/v1/collections/{made.pk}", change, "application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "no-publishing")
    made.refresh_from_db()
    assert made.title == "名局集"
    one = game("甲")
    collecting.add(reader, PUBLIC, made, [one])
    answer = signed_in(reader).post(
        f"/api/v1/collections/{made.pk}/games/{one}", {"note": "一", "after": one + 1}, "application/json"
    )
    assert answer.json()["code"] == "not-collected"
    assert CollectionGame.objects.get().note == ""


def test_pages_of_collections_follow_each_other(anna):
    client = signed_in(anna)
    for number in range(3):
        editing.show(anna, collection_of(anna, title=f"集{number}"), "public")
    first = client.get("/api/v1/collections?limit=2").json()
    second = client.get(first["next_url"]).json()
    titles = [row["title"] for row in first["results"] + second["results"]]
    assert titles == ["集2", "集1", "集0"] and second["next_url"] is None
    assert client.get("/api/v1/collections?cursor=x").json()["code"] == "invalid-cursor"
    assert client.get("/collections/?cursor=x").status_code == 400
