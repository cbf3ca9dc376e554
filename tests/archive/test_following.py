"""My page: what an account follows, with the new games, and its notes on positions."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from archive import libraries, store
from archive.following import follows, news, notes
from archive.following.errors import FollowError
from archive.models import Event, Follow, Game, GameChange, Player, PositionNote, Space, User
from archive.queries.scope import spaces_of
from archive.store import people
from archive.web.accounts.leaving import account_data, end_account
from kifu_core.classes import PUBLIC
from kifu_core.games import GAMES, SHOGI
from tests.archive.games import KIF, START, stored
from tests.archive.library_games import send, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

NEXT = KIF.replace("2024/05/01", "2025/01/02")
OTHER = KIF.replace("先手の人", "別の人").replace("試しの棋戦", "別の棋戦")


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", role=User.Role.CONTRIBUTOR)


@pytest.fixture
def boris() -> User:
    return User.objects.create_user("boris", role=User.Role.CONTRIBUTOR)


def sent(text: str) -> Game:
    """A game, with its change numbered."""
    upload = stored(text)
    store.number_changes()
    return Game.objects.get(entries__upload=upload)


def new_games(user: User) -> dict[str, list[int]]:
    """The new games of each follow of an account."""
    found = news.news_of(follows.own_follows(user), spaces_of(user))
    return {one.kind: found[one.pk].games for one in follows.own_follows(user) if one.pk in found}


def group_of(owner: User, *members: User) -> Space:
    group = libraries.create_group(owner, "研究会")
    for member in members:
        libraries.join(member, libraries.invite(owner, group))
    return group


def post(user: User, address: str, **fields: Any) -> Any:
    return signed_in(user).post(address, fields)


def page(user: User | None, address: str, **headers: str) -> str:
    return str(signed_in(user).get(address, HTTP_ACCEPT_LANGUAGE="en", **headers).content.decode())


# --- follows ---------------------------------------------------------------------------------------------


def follow_everything(user: User) -> None:
    """Follow a player, an event, a position and a search by the site's forms."""
    player = Player.objects.get(name="先手の人", space=PUBLIC)
    event = Event.objects.get(name="試しの棋戦", space=PUBLIC)
    for fields in (
        {"kind": "player", "target": player.pk},
        {"kind": "event", "target": event.pk},
        {"kind": "position", "game": "shogi", "code": START},
        {"kind": "search", "search": "from=2025-01-01&cursor=x", "title": "今年"},
    ):
        assert post(user, "/mine/follows/new/", **fields).status_code == 302


def test_new_games_are_those_since_the_follow_was_made_or_opened(anna):
    sent(KIF)
    follow_everything(anna)
    assert new_games(anna) == {"player": [], "event": [], "position": [], "search": []}
    game = sent(NEXT)
    assert new_games(anna) == {kind: [game.pk] for kind in ("player", "event", "position", "search")}
    other = sent(OTHER)
    assert new_games(anna)["player"] == [game.pk]
    assert new_games(anna)["position"] == [other.pk, game.pk]
    follow = Follow.objects.get(kind="position")
    answer = post(anna, f"/mine/follows/{follow.pk}/", action="open")
    assert answer.headers["Location"] == f"/games/?ids={other.pk},{game.pk}&record_kind=all&scope=all"
    assert new_games(anna) == {"player": [game.pk], "event": [game.pk], "position": [], "search": [game.pk]}


def test_my_page_shows_follows_and_their_new_games(anna):
    sent(KIF)
    follow_everything(anna)
    sent(NEXT)
    text = page(anna, "/mine/")
    assert text.count("1 new") == 4
    assert "今年" in text and "先手の人" in text and "試しの棋戦" in text
    post(anna, f"/mine/follows/{Follow.objects.get(kind='search').pk}/", action="remove", next="/mine/")
    assert "今年" not in page(anna, "/mine/")


def test_buttons_of_pages_follow_and_unfollow(anna):
    sent(KIF)
    player = Player.objects.get(name="先手の人")
    address = f"/players/{player.pk}/"
    assert ">Follow<" in page(anna, address) and ">Follow<" not in page(None, address)
    post(anna, "/mine/follows/new/", kind="player", target=player.pk)
    post(anna, "/mine/follows/new/", kind="player", target=player.pk)
    assert Follow.objects.count() == 1
    assert ">Unfollow<" in page(anna, address)
    assert "Save this search" in page(anna, "/games/?player=先手の人")
    assert "Save this search" not in page(None, "/games/?player=先手の人")


def test_a_follow_goes_along_when_its_player_is_merged_and_the_merge_is_undone(anna):
    sent(KIF)
    sent(OTHER)
    one, home = Player.objects.get(name="別の人"), Player.objects.get(name="先手の人")
    post(anna, "/mine/follows/new/", kind="player", target=one.pk)
    row = people.correct_name("player", one.pk, [{"op": "merge", "into": home.pk}], None, apply=True)
    store.number_changes()
    assert f'href="/players/{home.pk}/"' in page(anna, "/mine/")
    assert ">Unfollow<" in page(anna, f"/players/{home.pk}/")
    people.undo_name(row.pk, None)
    assert f'href="/players/{one.pk}/"' in page(anna, "/mine/")


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "player", "target": "9"},
        {"kind": "player", "target": "x"},
        {"kind": "position", "game": "shogi", "code": "wrong"},
        {"kind": "position", "game": "go", "code": START},
        {"kind": "search", "search": "result=nonsense"},
        {"kind": "search", "search": "result=draw", "scope": "group-1"},
        {"kind": "nonsense"},
    ],
)
def test_a_follow_of_nothing_is_refused(anna, fields):
    assert post(anna, "/mine/follows/new/", **fields).status_code in (400, 404)
    assert not Follow.objects.exists()


def test_an_account_has_so_many_follows(anna, monkeypatch):
    monkeypatch.setattr(follows, "MOST_FOLLOWS", 1)
    follows.save_search(anna, {"player": "甲"}, "", "all")
    with pytest.raises(FollowError, match="too-many-follows"):
        follows.save_search(anna, {"player": "乙"}, "", "all")
    with pytest.raises(FollowError, match="follow-title"):
        follows.save_search(anna, {}, "あ" * 201, "all")


def test_private_games_are_new_only_for_those_who_read_them(anna, boris):
    sent(KIF)
    group = group_of(anna, boris)
    for user in (anna, boris):
        follows.follow_position(user, "shogi", START)
    send(anna, NEXT, f"group-{group.pk}")
    store.number_changes()
    assert len(new_games(anna)["position"]) == len(new_games(boris)["position"]) == 1
    libraries.dismiss(anna, group, boris.pk)
    assert new_games(boris)["position"] == []


def test_names_of_a_library_are_not_shown_to_those_who_left_it(anna, boris):
    group = group_of(anna, boris)
    send(anna, KIF, f"group-{group.pk}")
    post(boris, "/mine/follows/new/", kind="player", target=Player.objects.get(name="先手の人").pk)
    post(boris, "/mine/follows/new/", kind="search", search="player=先手の人", scope=f"group-{group.pk}")
    assert page(boris, "/mine/").count("先手の人") > 1
    libraries.dismiss(anna, group, boris.pk)
    text = page(boris, "/mine/")
    assert "no longer here" in text and "研究会" not in text
    assert new_games(boris) == {}


def test_a_restored_archive_has_nothing_new_at_first(anna):
    sent(KIF)
    follow = follows.follow_position(anna, "shogi", START)
    Follow.objects.update(seen=follow.seen + (5 << GameChange.COUNT_BITS))
    assert new_games(anna) == {"position": []}
    assert Follow.objects.get().seen == follow.seen


# --- notes -----------------------------------------------------------------------------------------------


def note(user: User, text: str, space: str = "mine", code: str = START) -> Any:
    return post(user, "/mine/notes/new/", game="shogi", code=code, text=text, space=space, next="/mine/")


def test_a_note_is_shown_at_its_position_to_its_readers_only(anna, boris):
    group = group_of(anna, boris)
    stranger = User.objects.create_user("clara")
    note(anna, "ひみつの研究")
    note(anna, "みんなの研究", f"group-{group.pk}")
    for address in (f"/positions/shogi/{START}/", f"/positions/shogi/{START}/?part=moves"):
        assert "ひみつの研究" in (own := page(anna, address)) and "みんなの研究" in own
        assert "ひみつの研究" not in (read := page(boris, address)) and "みんなの研究" in read
        for other in (stranger, None):
            assert "の研究" not in page(other, address)
    assert "みんなの研究" in page(anna, "/mine/") and "みんなの研究" not in page(boris, "/mine/")
    libraries.dismiss(anna, group, boris.pk)
    assert "の研究" not in page(boris, f"/positions/shogi/{START}/")


def test_a_note_is_shown_at_the_mirror_image_if_it_counts_as_the_same(anna):
    position = SHOGI.text.parse_typed("7g7f")
    code, mirrored = (SHOGI.codec.encode(one) for one in (position, position.mirrored()))
    note(anna, "角道", code=code)
    assert "角道" in page(anna, f"/positions/shogi/{mirrored}/?match=mirror")
    assert "角道" not in page(anna, f"/positions/shogi/{mirrored}/")


def test_only_its_author_changes_a_note_and_owners_remove_it(anna, boris):
    group = group_of(anna, boris)
    note(boris, "一", f"group-{group.pk}")
    note(boris, "二")
    shared, own = PositionNote.objects.order_by("pk")
    assert post(anna, f"/mine/notes/{shared.pk}/", text="三").status_code == 404
    assert post(anna, f"/mine/notes/{own.pk}/", action="remove").status_code == 404
    assert post(boris, f"/mine/notes/{own.pk}/", text=" 三\r\n四 ").status_code == 302
    assert PositionNote.objects.get(pk=own.pk).text == "三\n四"
    assert post(anna, f"/mine/notes/{shared.pk}/", action="remove").status_code == 302
    assert PositionNote.objects.get() == own


def test_notes_are_written_only_as_a_member_and_within_limits(anna, boris, monkeypatch):
    group = group_of(boris)
    note(anna, "一", f"group-{group.pk}")
    note(anna, "一", "public")
    note(anna, "あ" * 5_001)
    assert not PositionNote.objects.exists()
    monkeypatch.setattr(notes, "MOST_NOTES", 1)
    for text in ("", "", "二"):
        note(anna, text)
    assert PositionNote.objects.get().text == ""
    assert "Bookmark" in page(anna, f"/positions/shogi/{START}/")
    assert note(anna, "一", code="wrong").status_code == 400


def test_text_of_a_note_is_no_html(anna):
    note(anna, "<b>&amp;\u202e")
    for address in (f"/positions/shogi/{START}/", "/mine/"):
        assert "&lt;b&gt;&amp;amp;<" in page(anna, address)


# --- accounts --------------------------------------------------------------------------------------------


def test_follows_and_notes_are_in_the_export_of_the_account_and_leave_with_it(anna, boris):
    group = group_of(boris, anna)
    sent(KIF)
    send(anna, KIF)
    follow_everything(anna)
    note(anna, "一", f"group-{group.pk}")
    data = account_data(anna)
    assert [one["kind"] for one in data["follows"]] == ["player", "event", "position", "search"]
    (written,) = data["position_notes"]
    assert (written["text"], written["library"]) == ("一", "研究会")
    end_account(anna)
    assert not Follow.objects.exists() and not PositionNote.objects.exists()


def test_my_page_needs_an_account_and_shows_its_own(anna, boris):
    assert Client().get("/mine/").status_code == 302
    send(anna, KIF, name="anna.kif")
    assert "anna.kif" in page(anna, "/mine/")
    assert "anna.kif" not in page(boris, "/mine/") and "先手の人" not in page(boris, "/mine/")


# --- API -------------------------------------------------------------------------------------------------


def api(user: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def test_programs_follow_and_see_new_games(anna, boris):
    sent(KIF)
    player, client = Player.objects.get(name="先手の人"), api(anna)
    for body in (
        {"kind": "player", "target_id": player.pk},
        {"kind": "position", "code": START, "title": "初形"},
        {"kind": "search", "search": "player=先手の人&from=2025-01-01", "scope": "public"},
    ):
        made = client.post("/api/v1/account/follows", body, format="json")
        assert (made.status_code, made.json()["new_game_ids"]) == (201, [])
    game = sent(NEXT)
    found = client.get("/api/v1/account/follows").json()["results"]
    assert [one["new_game_ids"] for one in found] == [[game.pk]] * 3
    assert found[0]["search"] == {"player": "先手の人", "from": "2025-01-01"}
    address = found[0]["url"]
    assert api(boris).get(address).status_code == api(boris).delete(address).status_code == 404
    assert client.post(f"{address}/seen").json() == {"game_ids": [game.pk]}
    assert client.get(address).json()["new_game_ids"] == []
    assert client.delete(address).status_code == 204 and client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"kind": "player", "target_id": 9}, "not-found"),
        ({"kind": "event"}, "not-found"),
        ({"kind": "position"}, "empty"),
        ({"kind": "search", "search": "player=x&player=y"}, "invalid"),
        ({"kind": "search", "scope": "group-1"}, "unknown-space"),
        ({"kind": "search", "title": "あ" * 201}, "follow-title"),
    ],
)
def test_programs_are_told_what_is_wrong_with_a_follow(anna, body, code):
    answer = api(anna).post("/api/v1/account/follows", body, format="json")
    assert answer.json()["code"] == code
    assert not Follow.objects.exists()


def test_programs_write_and_read_notes(anna, boris):
    group = group_of(anna, boris)
    client = api(anna)
    for text, space in (("一", "mine"), ("二", f"group-{group.pk}")):
        body = {"code": START, "text": text, "space": space}
        assert client.post("/api/v1/notes", body, format="json").status_code == 201
    page = client.get(f"/api/v1/notes?code={START}&limit=1").json()
    (shared,) = page["results"]
    assert (shared["text"], shared["space"], shared["own"]) == ("二", f"group-{group.pk}", True)
    (own,) = client.get(page["next_url"]).json()["results"]
    assert own["text"] == "一"
    (read,) = api(boris).get("/api/v1/notes").json()["results"]
    assert (read["text"], read["own"]) == ("二", False)
    assert api(boris).get(own["url"]).status_code == 404
    assert api(boris).post(shared["url"], {"text": "三"}, format="json").status_code == 404
    assert client.post(own["url"], {"text": "三"}, format="json").json()["text"] == "三"
    assert client.delete(own["url"]).status_code == 204
    refused = client.post("/api/v1/notes", {"code": START, "space": "public"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "not-a-member")


def test_a_token_without_private_rights_reads_no_notes(anna):
    note(anna, "一")
    anna.limited_to = frozenset({"archive.upload_records"})
    assert api(anna).get("/api/v1/notes").status_code == 403
    assert api(anna).get("/api/v1/account/follows").status_code == 403


def test_positions_of_other_games_have_notes_and_follows_too(anna):
    game = GAMES["quoridor"]
    code = game.codec.path_code(game.codec.encode(game.rules.initial()))
    for address, kind in (("/mine/notes/new/", ""), ("/mine/follows/new/", "position")):
        post(anna, address, game="quoridor", code=code, kind=kind, text="壁")
    text = page(anna, f"/positions/quoridor/{code}/")
    assert "壁" in text and ">Unfollow<" in text
    assert "壁" in page(anna, "/mine/")
    assert new_games(anna) == {"position": []}
