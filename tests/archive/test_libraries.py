"""Libraries of persons and groups: who reads what, through every door."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress

from archive import libraries, store
from archive.accounts.roles import Role, set_role
from archive.libraries import LibraryError
from archive.models import Entry, Game, Membership, Share, Space, Upload, User
from archive.project.env import Origin
from archive.queries.games import facets as facet_queries
from archive.queries.scope import PUBLIC as EVERYBODYS
from archive.store import verify
from kifu_core.classes import PUBLIC
from tests.archive.games import CSA, KIF, START, stored
from tests.archive.library_games import SECRET, game_of, page_in_english, send, signed_in, text_of

pytestmark = pytest.mark.django_db

MARKERS = ("甲之進", "秘密会", "ひそかな", "himitsu")
"""Marks that no response may contain for visitors who cannot read the library."""


@pytest.fixture(autouse=True)
def open_to_strangers(settings) -> None:
    """An archive that takes uploads of strangers, as one at home does."""
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


@pytest.fixture
def boris() -> User:
    return User.objects.create_user("boris", password="opensesame")


def addresses(game: Game, upload: Upload) -> Iterator[str]:
    """Addresses that would tell of a game: its own, its upload's, lists, counts, suggestions."""
    entry = Entry.objects.get(upload=upload)
    pk, at = game.pk, f"{upload.pk}/entries/{entry.seq}"
    yield from (
        f"/games/{pk}/",
        f"/embed/games/{pk}/",
        f"/uploads/{upload.pk}/",
        f"/games/?upload={upload.pk}",
    )
    yield from (f"/api/v1/games/{pk}", f"/api/v1/games/{pk}/positions", f"/api/v1/games/{pk}/series")
    yield f"/api/v1/games/{pk}/novelty"
    yield from (f"/api/v1/games/{pk}/record.{name}" for name in ("kif", "csa", "jkf", "usi"))
    yield from (f"/api/v1/uploads/{upload.pk}", f"/api/v1/uploads/{upload.pk}/source")
    yield from (
        f"/api/v1/uploads/{upload.pk}/entries",
        f"/api/v1/uploads/{at}/source",
        f"/api/v1/uploads/{at}/report",
    )
    players = {*filter(None, (game.player0_id, game.player1_id))}
    yield from (f"/players/{player}/" for player in players)
    yield f"/events/{game.event_id}/"
    yield from (f"/api/v1/players/{player}" for player in players)
    yield f"/api/v1/events/{game.event_id}"
    yield from ("/api/v1/players", "/api/v1/players?name=秘密&order=games", "/api/v1/events")
    yield from ("/api/v1/uploads", "/api/v1/statistics", "/api/v1/openings")
    yield from (
        "/",
        "/games/",
        "/players/",
        "/events/",
        "/statistics/",
        "/uploads/",
        f"/positions/shogi/{START}/",
    )
    yield from ("/games/?q=秘密", "/games/?player=秘密甲之", "/players/?name=秘密", "/events/?name=秘密")
    yield from ("/api/v1/games", "/api/v1/games?player=秘密甲之進", "/api/v1/games/facets")
    yield from (f"/api/v1/positions/shogi/{START}", f"/api/v1/positions/shogi/{START}/games")


@pytest.mark.parametrize("visitor", ["nobody", "boris"])
def test_what_lies_in_a_library_is_told_to_nobody_else(visitor, anna, boris):
    upload = send(anna, SECRET)
    game = game_of(upload)
    stranger, owner = signed_in(boris if visitor == "boris" else None), signed_in(anna)
    for address in addresses(game, upload):
        answer = stranger.get(address)
        assert answer.status_code < 500
        text = text_of(answer)
        assert not any(marker in text for marker in MARKERS), address
        if address.startswith(
            (f"/games/{game.pk}", f"/embed/games/{game.pk}", "/uploads/", "/api/v1/uploads/")
        ):
            assert answer.status_code == 404 or address == "/uploads/", address
    seen = {address: owner.get(address).status_code for address in addresses(game, upload)}
    assert set(seen.values()) <= {200, 302}, seen


def test_counts_of_a_library_are_told_to_its_members(anna, boris):
    send(anna, SECRET)
    send(boris, KIF, "public")
    for client, names in ((signed_in(None), [1]), (signed_in(boris), [1]), (signed_in(anna), [2])):
        assert [client.get("/api/v1/games/facets").json()["total"]["count"]] == names
    anna_client = signed_in(anna)
    for scope, number in (("public", 1), ("mine", 1), ("all", 2), ("public,mine", 2)):
        answer = anna_client.get(f"/api/v1/positions/shogi/{START}?scope={scope}").json()
        assert answer["games"] == number, scope
    assert signed_in(None).get("/api/v1/games?scope=mine").status_code == 404
    assert signed_in(None).get("/games/?scope=mine").status_code == 404
    assert signed_in(None).get("/api/v1/games?scope=public").status_code == 200


def test_a_choice_of_the_session_holds_on_all_pages(anna):
    send(anna, SECRET)
    send(anna, KIF, "public")
    client = signed_in(anna)
    assert client.get("/api/v1/games/facets").json()["total"]["count"] == 2
    assert client.post("/scope/", {"scope": "mine", "next": "/games/"}).headers["Location"] == "/games/"
    assert client.get("/api/v1/games/facets").json()["total"]["count"] == 1
    assert "先手の人" not in client.get("/games/").content.decode()
    assert client.post("/scope/", {"scope": "group-99"}).status_code == 404
    assert (
        client.post("/scope/", {"scope": "all", "next": "https://elsewhere.example/"}).headers["Location"]
        == "/"
    )


def test_errors_are_told_in_the_language_of_the_page(anna):
    for language, words in (("en", "1 to 100 characters"), ("ja", "1〜100文字")):
        answer = signed_in(anna).post("/libraries/", {"name": ""}, follow=True, HTTP_ACCEPT_LANGUAGE=language)
        assert words in answer.content.decode()


def test_links_lead_to_the_address_that_is_known_outside(anna, settings):
    settings.PUBLIC_URL = Origin("https", "kifu.example")
    group = libraries.create_group(anna, "研究会")
    game = game_of(send(anna, SECRET))
    client = signed_in(anna)
    for address, action in ((f"/libraries/{group.pk}/", "invite"), (f"/games/{game.pk}/library/", "link")):
        shown = client.post(address, {"action": action}, follow=True).content.decode()
        assert "https://kifu.example/" in shown


def test_readers_publish_nothing(anna):
    upload = send(anna, KIF)
    set_role(anna, Role.READER)
    with pytest.raises(LibraryError, match="not-yours"):
        libraries.publish(anna, game_of(upload))
    with pytest.raises(LibraryError, match="not-yours"):
        libraries.move_upload(anna, upload, PUBLIC)
    assert 'value="publish"' not in page_in_english(anna, f"/games/{game_of(upload).pk}/")
    assert '<option\n      value="public"' not in page_in_english(anna, f"/uploads/{upload.pk}/")


def test_one_sends_only_to_libraries_of_ones_own(anna, boris):
    group = libraries.create_group(anna, "研究会")
    client = signed_in(boris)
    for space in (f"group-{group.pk}", "group-x", "0", "all", "mine,public"):
        answer = client.post("/api/v1/uploads", {"text": KIF, "space": space})
        assert (answer.status_code, answer.json()["code"]) == (400, "unknown-space"), space
        assert client.post("/upload/", {"text": KIF, "space": space}).status_code == 400
    assert signed_in(None).post("/api/v1/uploads", {"text": KIF, "space": "mine"}).status_code == 400
    assert not Upload.objects.exists()


def test_a_link_shares_the_game_and_nothing_else(anna, boris):
    upload = send(anna, SECRET)
    game = game_of(upload)
    key = libraries.share_by_link(anna, game)
    for client in (signed_in(None), signed_in(boris)):
        assert client.get(f"/games/{game.pk}/").status_code == 404
        assert client.get(f"/shared/{key}/").headers["Location"] == f"/games/{game.pk}/"
        page = client.get(f"/games/{game.pk}/")
        assert "秘密甲之進" in page.content.decode() and "himitsu" not in page.content.decode()
        assert "public" not in page.headers["Cache-Control"]
        assert client.get(f"/api/v1/games/{game.pk}/record.kif").status_code == 200
        assert client.get(f"/api/v1/games/{game.pk}").json()["sources"] == []
        assert client.get(f"/uploads/{upload.pk}/").status_code == 404
        assert client.get("/api/v1/games").json()["results"] == []
        assert client.get(f"/api/v1/positions/shogi/{START}").json()["games"] == 0
        assert client.get(f"/players/{game.player0_id}/").status_code == 404
    other = signed_in(None)
    assert other.get(f"/api/v1/games/{game.pk}?key={key}").status_code == 200
    assert other.get(f"/api/v1/games/{game.pk}?key={key[:-1]}").status_code == 404
    again = libraries.share_by_link(anna, game)
    assert other.get(f"/api/v1/games/{game.pk}?key={key}").status_code == 404
    libraries.unshare(anna, game, Share.objects.get().pk)
    assert other.get(f"/shared/{again}/").status_code == 404


def test_a_page_that_a_link_opened_is_not_told_to_the_next_stranger(anna):
    game = game_of(send(anna, SECRET))
    key = libraries.share_by_link(anna, game)
    friend = signed_in(None)
    friend.get(f"/shared/{key}/")
    assert friend.get(f"/games/{game.pk}/").status_code == friend.get(f"/games/{game.pk}/").status_code == 200
    assert signed_in(None).get(f"/games/{game.pk}/").status_code == 404
    assert signed_in(None).get(f"/api/v1/games/{game.pk}").status_code == 404


def test_sharing_finds_a_person_as_signing_in_does(anna, boris):
    """A name that is another account's address gives no access to shares with that account."""
    EmailAddress.objects.create(user=boris, email="boris@example.org", verified=True, primary=True)
    EmailAddress.objects.create(user=anna, email="carla@example.org", verified=False)
    User.objects.create_user("boris@example.org")
    carla = User.objects.create_user("carla@example.org")
    game = game_of(send(anna, SECRET))
    libraries.share_with(anna, game, "Boris@example.org")
    assert Share.objects.get().user == boris
    libraries.share_with(anna, game, "carla@example.org")
    assert {share.user for share in game.shares.all()} == {boris, carla}, "nobody confirmed that address"


def test_a_game_is_shared_with_a_person(anna, boris):
    game = game_of(send(anna, SECRET))
    client = signed_in(anna)
    client.post(f"/games/{game.pk}/library/", {"action": "share", "name": "boris"})
    assert signed_in(boris).get(f"/games/{game.pk}/").status_code == 200
    assert signed_in(boris).get("/api/v1/games").json()["results"] == []
    other_number = Share.objects.get().pk + 1
    body = {"action": "unshare", "share": other_number}
    answer = client.post(f"/api/v1/games/{game.pk}/library", body, content_type="application/json")
    assert answer.status_code == 404 and str(other_number) in answer.json()["detail"]
    for action in ("publish", "link", "share", "unshare", "take-back"):
        signed_in(boris).post(f"/games/{game.pk}/library/", {"action": action, "name": "x", "share": "1"})
    game.refresh_from_db()
    assert game.space != PUBLIC and Share.objects.count() == 1
    client.post(f"/games/{game.pk}/library/", {"action": "unshare", "share": Share.objects.get().pk})
    assert signed_in(boris).get(f"/games/{game.pk}/").status_code == 404


def test_a_game_is_published_and_taken_back_on_its_page(anna, boris):
    theirs = send(boris, CSA, "public", "theirs.csa")
    game = game_of(send(anna, KIF))
    client = signed_in(anna)
    answer = client.post(f"/games/{game.pk}/library/", {"action": "publish"})
    public = game_of(theirs).pk
    assert answer.headers["Location"] == f"/games/{public}/"
    assert client.get(f"/games/{game.pk}/").headers["Location"] == f"/games/{public}/"
    assert signed_in(boris).get(f"/games/{game.pk}/").status_code == 404
    assert "himitsu" not in signed_in(boris).get(f"/games/{public}/").content.decode()
    back = client.post(f"/games/{public}/library/", {"action": "take-back"}).headers["Location"]
    assert signed_in(None).get(back).status_code == 404 and client.get(back).status_code == 200
    assert signed_in(None).get(f"/games/{public}/").status_code == 200
    assert list(verify.verify()) == []


def test_who_publishes_again_what_is_public_already_is_told_the_same(anna, boris):
    game = game_of(send(anna, KIF))
    ask = f"/api/v1/games/{game.pk}/library"
    answers = [signed_in(anna).post(ask, {"action": "publish"}, "application/json") for _ in range(2)]
    assert [(one.status_code, one.json()["game_id"]) for one in answers] == [(200, game.pk)] * 2
    other = signed_in(boris).post(ask, {"action": "publish"}, "application/json")
    assert other.status_code == 403 and other.json()["code"] == "not-yours"


@pytest.mark.parametrize("way", ["taken back", "deleted"])
def test_numbers_that_are_kept_forget_who_is_not_public_any_more(anna, monkeypatch, way):
    monkeypatch.setattr(facet_queries, "SAMPLE", 1)
    stored(
        CSA.replace("先手の人", "甲").replace("後手の人", "乙") + "/\n" + CSA.replace("+7776FU", "+2726FU")
    )
    game = game_of(send(anna, SECRET, "public"))
    assert "秘密甲之進" in [name for _pk, name, _n in facet_queries.facets(EVERYBODYS).players]
    if way == "deleted":
        store.delete_games([game.pk])
    else:
        libraries.take_back(anna, game)
    assert "秘密甲之進" not in [name for _pk, name, _n in facet_queries.facets(EVERYBODYS).players]


def test_a_curator_gives_a_game_back_to_those_who_sent_it(anna, boris):
    mine, theirs = send(anna, KIF, "public"), send(boris, CSA, "public", "theirs.csa")
    game = game_of(mine)
    curator = signed_in(User.objects.create_user("keeper", role=Role.CURATOR))
    assert 'value="give-back"' in curator.get(f"/games/{game.pk}/").content.decode()
    answer = curator.post(f"/games/{game.pk}/library/", {"action": "give-back"})
    assert answer.headers["Location"] == "/games/"
    assert not Game.objects.filter(space=PUBLIC).exists()
    for user, upload in ((anna, mine), (boris, theirs)):
        assert game_of(upload).space == libraries.own_library(user).pk
    assert list(verify.verify()) == []


def test_what_came_without_an_account_stays_public_when_a_game_is_given_back(anna):
    stored(CSA)
    game = game_of(send(anna, KIF, "public"))
    keeper = User.objects.create_user("keeper", role=Role.CURATOR)
    assert libraries.give_back(keeper, game) == 1
    game.refresh_from_db()
    assert game.space == PUBLIC and Game.objects.exclude(space=PUBLIC).count() == 1
    assert not libraries.may_give_back(keeper, game)


def test_only_curators_give_games_back(anna, boris):
    game = game_of(send(anna, KIF, "public"))
    with pytest.raises(LibraryError):
        libraries.give_back(boris, game)


def test_an_upload_is_moved_by_who_sent_it(anna, boris):
    upload = send(
        anna, "/\n".join(CSA.replace("05/01", f"05/{day:02}") for day in range(1, 4)), name="three.csa"
    )
    for client in (signed_in(None), signed_in(boris)):
        client.post(f"/uploads/{upload.pk}/move/", {"space": "public"})
    assert not Game.objects.filter(space=PUBLIC).exists()
    signed_in(anna).post(f"/uploads/{upload.pk}/move/", {"space": "public"})
    while not store.move_upload(upload.pk, 10):
        pass
    upload.refresh_from_db()
    assert upload.space == PUBLIC and Game.objects.filter(space=PUBLIC).count() == 3
    assert signed_in(None).get(f"/uploads/{upload.pk}/").status_code == 200


def test_what_was_deleted_in_a_library_was_never_there_for_others(anna, boris):
    game = game_of(send(anna, SECRET))
    store.delete_games([game.pk])
    assert signed_in(anna).get(f"/games/{game.pk}/").status_code == 410
    assert signed_in(boris).get(f"/games/{game.pk}/").status_code == 404


def test_a_library_is_made_once(anna):
    assert libraries.own_library(anna) == libraries.own_library(anna)
    assert Membership.objects.filter(user=anna).count() == 1


@pytest.mark.parametrize("language", ["ja", "en"])
def test_pages_of_libraries_are_drawn_in_both_languages(language, anna, boris):
    group = libraries.create_group(anna, "研究会")
    game = game_of(send(anna, SECRET))
    libraries.share_with(anna, game, "boris")
    client = signed_in(anna)
    client.cookies["django_language"] = language
    words = {"ja": ("ライブラリ", "公開する"), "en": ("Libraries", "Make it public")}[language]
    assert words[0] in client.get("/libraries/").content.decode()
    assert "研究会" in client.get(f"/libraries/{group.pk}/").content.decode()
    assert words[1] in client.get(f"/games/{game.pk}/").content.decode()
    assert client.get("/upload/?space=mine").status_code == 200
    for name in ("", "x" * 101):
        assert client.post("/libraries/", {"name": name}, follow=True).status_code == 200
    made = client.post("/libraries/", {"name": "<b>道場</b>"}, follow=True).content.decode()
    assert "<b>道場" not in made and "&lt;b&gt;道場" in made


def test_the_own_library_can_be_asked_for_before_anything_is_in_it(anna):
    client = signed_in(anna)
    stored(KIF)

    def spaces() -> list[dict[str, object]]:
        response = client.get("/api/v1/spaces").json()["results"]
        return [{key: one[key] for key in ("name", "games", "is_default", "may_upload")} for one in response]

    def total_of(scope: str) -> int:
        answer = client.get("/api/v1/games", {"scope": scope})
        assert answer.status_code == 200 and "ETag" not in answer.headers
        return len(answer.json()["results"])

    before = [
        {"name": "public", "games": 1, "is_default": True, "may_upload": True},
        {"name": "mine", "games": 0, "is_default": True, "may_upload": True},
    ]
    assert spaces() == before
    assert client.get("/api/v1/spaces?scope=public").json()["results"][1]["is_default"] is False
    assert [total_of(scope) for scope in ("mine", "public,mine", "all")] == [0, 1, 1]
    assert client.get(f"/api/v1/positions/shogi/{START}?scope=mine").json()["games"] == 0
    assert client.get("/api/v1/games/facets?scope=mine").json()["total"]["count"] == 0
    assert not Space.objects.exists()  # nothing was made by asking
    send(anna, CSA)
    assert [one["games"] for one in spaces()] == [1, 1]
    assert signed_in(None).get("/api/v1/games?scope=mine").status_code == 404


def test_what_is_wrong_with_a_move_says_where_games_can_go(anna):
    upload = send(anna, CSA)

    def moved(space: str) -> dict[str, Any]:
        address = f"/api/v1/uploads/{upload.pk}/move"
        answer = signed_in(anna).post(address, {"space": space}, content_type="application/json")
        return answer.json() | {"status": answer.status_code}

    problem = moved("nope")
    assert (problem["status"], problem["code"], problem["errors"][0]["field"]) == (
        400,
        "unknown-space",
        "space",
    )
    assert "(public, mine)" in problem["detail"]
    assert moved("public")["status"] == 202
    problem = moved("public")
    assert (problem["status"], problem["code"]) == (409, "still-working")
    assert problem["detail"] == "The upload is still being read or moved: try again when that is done."


def test_a_name_of_nobodys_is_named(anna):
    upload = send(anna, CSA)
    address = f"/api/v1/games/{Entry.objects.get(upload=upload).game_id}/library"
    body = {"action": "share", "name": "nobody"}
    data = signed_in(anna).post(address, body, content_type="application/json").json()
    assert (data["code"], [one["field"] for one in data["errors"]]) == ("nobody", ["name"])
