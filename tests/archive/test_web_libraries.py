"""Badges of everything that is not public, links that are shown once, the selected scope."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from archive import libraries
from archive.accounts.roles import Role, set_role
from archive.models import Game, Space, Upload, User
from tests.archive.games import CSA, KIF, START
from tests.archive.library_games import game_of, send, signed_in

pytestmark = pytest.mark.django_db

BADGE = re.compile(r'<span class="badge private"[^>]*>([^<]*)</span>')


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


@pytest.fixture
def boris() -> User:
    return User.objects.create_user("boris", password="opensesame")


@pytest.fixture
def group(anna: User, boris: User) -> Space:
    made = libraries.create_group(anna, "<研究会>")
    libraries.join(boris, libraries.invite(anna, made))
    return made


def page_of(client: Client, address: str) -> str:
    answer = client.get(address, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200, address
    return str(answer.content.decode())


def badges(client: Client, address: str) -> list[str]:
    return BADGE.findall(page_of(client, address))


def test_what_is_not_public_has_a_badge_wherever_it_is_listed(anna, group):
    mine, ours = send(anna, KIF), send(anna, CSA, f"group-{group.pk}", "ours.csa")
    public = send(anna, KIF, "public")
    client = signed_in(anna)
    both = ["&lt;研究会&gt;", "My library"]
    for address in ("/", "/games/", "/uploads/"):
        assert sorted(badges(client, address)) == both, address
    first, *listed = badges(client, f"/positions/shogi/{START}/")
    assert (first, sorted(listed)) == ("My library", both), "the first game through a position has one, too"
    for upload, names in ((mine, ["My library"]), (ours, ["&lt;研究会&gt;"]), (public, [])):
        game = game_of(upload)
        addresses = (f"/games/{game.pk}/", f"/embed/games/{game.pk}/", f"/uploads/{upload.pk}/")
        assert [badges(client, address) for address in addresses] == [names] * 3
    assert "(My library)" in page_of(client, f"/games/{game_of(mine).pk}/").partition("</title>")[0]


def test_a_groups_page_shows_its_games_and_leads_to_all_of_them(anna, boris, group):
    ours = send(anna, KIF, f"group-{group.pk}")
    send(anna, CSA.replace("先手の人", "甲"), "mine", "mine.csa")
    page = page_of(signed_in(boris), f"/libraries/{group.pk}/")
    assert page.count('class="game-row"') == 1 and f'href="/games/{game_of(ours).pk}/"' in page
    (address,) = re.findall(r'href="(/games/\?scope=[^"]+)"', page)
    assert page_of(signed_in(boris), address.replace("&amp;", "&")).count('class="game-row"') == 1


def test_libraries_count_all_their_records_and_say_so(anna, group):
    client = signed_in(anna)
    send(anna, KIF, f"group-{group.pk}")
    send(anna, "4k4/9/4P4/9/9/9/9/9/9 b G 1", f"group-{group.pk}", "mate.sfen")
    page = page_of(client, f"/libraries/{group.pk}/")
    assert "2 records" in page and "All records" in page
    assert "2 records" in page_of(client, "/libraries/")
    (address,) = re.findall(r'href="(/games/\?scope=[^"]+)"', page)
    assert page_of(client, address.replace("&amp;", "&")).count('class="game-row"') == 2


def test_administrators_are_led_to_invitations_for_people_without_an_account(anna, group):
    address = f"/libraries/{group.pk}/"
    assert 'href="/account/invitations/"' not in page_of(signed_in(anna), address)
    set_role(anna, Role.ADMINISTRATOR)
    assert 'href="/account/invitations/"' in page_of(signed_in(anna), address)


def test_a_game_that_is_shared_says_so(anna, boris):
    game = game_of(send(anna, KIF))
    libraries.share_with(anna, game, "boris")
    assert badges(signed_in(boris), f"/games/{game.pk}/") == ["Shared with you"]
    left_out = "This game is not in lists, searches and statistics."
    assert left_out in page_of(signed_in(boris), f"/games/{game.pk}/")
    assert left_out not in page_of(signed_in(anna), f"/games/{game.pk}/")
    assert signed_in(boris).get(f"/api/v1/games/{game.pk}").json()["space"] == "shared"


def test_strangers_see_no_badge_and_cost_no_question_about_libraries(anna):
    send(anna, KIF, "public")
    assert badges(Client(), "/games/") == []
    with CaptureQueriesContext(connection) as queries:
        page_of(Client(), "/games/?order=oldest")
    text = " ".join(str(one["sql"]) for one in queries)
    assert "archive_space" not in text and "archive_membership" not in text


def test_the_api_tells_where_games_and_uploads_lie(anna, group):
    sent = [
        (send(anna, KIF), "mine"),
        (send(anna, CSA, f"group-{group.pk}", "ours.csa"), f"group-{group.pk}"),
        (send(anna, KIF, "public"), "public"),
    ]
    client = signed_in(anna)
    for upload, space in sent:
        assert client.get(f"/api/v1/uploads/{upload.pk}").json()["space"] == space
        assert client.get(f"/api/v1/games/{game_of(upload).pk}").json()["space"] == space
    listed = client.get("/api/v1/games").json()["results"]
    through = client.get(f"/api/v1/positions/shogi/{START}/games").json()["results"]
    for result in (listed, through):
        assert sorted(one["space"] for one in result) == sorted(space for _upload, space in sent)
    assert [one["space"] for one in Client().get("/api/v1/games").json()["results"]] == ["public"]
    made = client.post("/api/v1/uploads", {"file": SimpleUploadedFile("b.kif", b"x"), "space": "mine"})
    assert made.json()["uploads"][0]["space"] == "mine"


def test_a_link_is_shown_once_to_be_copied(anna, group):
    game = game_of(send(anna, KIF))
    client = signed_in(anna)
    for address, action, path in (
        (f"/games/{game.pk}/library/", "link", "/shared/"),
        (f"/libraries/{group.pk}/", "invite", "/join/"),
        (f"/libraries/{group.pk}/", "invite-several", "/join/"),
    ):
        shown = client.post(address, {"action": action}, follow=True).content.decode()
        (link,) = re.findall(r'<code id="made-link"[^>]*>([^<]*)</code>', shown)
        assert path in link
        assert 'data-copy="made-link"' in shown
        assert path not in page_of(client, f"/games/{game.pk}/")


def test_the_chosen_scope_is_told_on_every_page_until_all_is_shown_again(anna, group):
    client = signed_in(anna)
    libraries.own_library(anna)
    assert "Shown and counted here" not in page_of(client, "/games/")
    client.post("/scope/", {"scope": f"group-{group.pk}", "next": "/games/"})
    for address in ("/games/", "/statistics/", f"/positions/shogi/{START}/"):
        assert "only <strong>&lt;研究会&gt;</strong>" in " ".join(page_of(client, address).split())
    client.post("/scope/", {"scope": "all", "next": "/games/"})
    assert "Shown and counted here" not in page_of(client, "/games/")
    html = page_of(client, "/games/?scope=public,mine&order=oldest")
    assert "<strong>Public + My library</strong>" in html
    assert '<input type="hidden" name="next" value="/games/?order=oldest">' in html
    assert "Shown and counted here" not in page_of(Client(), "/games/?scope=public")


def test_every_change_is_answered_in_words(anna, boris, group):
    game = game_of(send(anna, KIF))
    client = signed_in(anna)

    def message_after(address: str, **sent: object) -> str:
        html = client.post(address, sent, follow=True, HTTP_ACCEPT_LANGUAGE="en").content.decode()
        return " ".join(re.findall(r'<p class="message" role="status">([^<]*)</p>', html))

    page, members = f"/games/{game.pk}/library/", f"/libraries/{group.pk}/"
    assert message_after(page, action="share", name=" boris ") == "boris can read this game now."
    assert message_after(page, action="share", name="nobody") == "There is no user of this name."
    assert message_after(page, action="unshare", share=game.shares.get().pk) == "This is no longer shared."
    assert message_after(members, action="promote", member=boris.pk) == "The group has one more owner."
    assert message_after(members, action="dismiss", member=boris.pk) == "That person is no longer a member."
    assert (
        message_after(members, action="dismiss", member=anna.pk) == "You have left the group &lt;研究会&gt;."
    )


def test_names_are_not_guessed_by_sharing(anna, boris, throttled):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 3
    client, page = signed_in(anna), f"/games/{game_of(send(anna, KIF)).pk}/library/"

    def share(name: str) -> int:
        return client.post(page, {"action": "share", "name": name}).status_code

    assert [share("boris") for _ in range(5)] == [302] * 5, "who knows a name is not counted"
    EmailAddress.objects.create(user=boris, email="boris@example.org", verified=True)
    assert share("boris@example.org") == 302
    assert [share(f"guess{n}") for n in range(2)] == [302] * 2
    assert (share("guess9"), share("boris")) == (429, 429), (
        "then no answer tells of anybody, and an address counts"
    )


def test_uploads_are_moved_from_the_list_of_ones_own(anna, boris, group):
    upload = send(anna, KIF)
    client = signed_in(anna)
    listed = page_of(client, "/uploads/")
    form = listed[listed.index(f"/uploads/{upload.pk}/move/") :]
    assert re.findall(r'<option\s+value="([^"]*)"', form) == ["public", f"group-{group.pk}"]
    answer = client.post(f"/uploads/{upload.pk}/move/", {"space": "public", "next": "/uploads/"})
    assert answer.headers["Location"] == "/uploads/"
    assert Upload.objects.get().moving_to is not None or Game.objects.get().space == 0
    assert "/move/" not in page_of(signed_in(boris), "/uploads/")
