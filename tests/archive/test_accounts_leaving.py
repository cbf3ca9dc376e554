"""An account taken along, and deleted."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from archive import libraries, store
from archive.accounts import tokens
from archive.collections import editing
from archive.intake import tasks
from archive.libraries import LibraryError
from archive.models import AuditLine, Game, Membership, Share, Space, Upload, User
from archive.store import verify
from archive.web.accounts.leaving import account_data, end_account
from tests.archive.games import CSA, KIF, stored
from tests.archive.library_games import game_of, send

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"


@pytest.fixture
def hanako() -> User:
    user = User.objects.create_user("hanako", password=PASSWORD, email="h@example.org")
    EmailAddress.objects.create(user=user, email="h@example.org", verified=True, primary=True)
    return user


@pytest.fixture
def browser(hanako) -> Client:
    client = Client()
    client.post("/sign-in/", {"login": "hanako", "password": PASSWORD})
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/"})
    return client


def test_an_export_has_all_and_no_secret(browser, hanako):
    _token, key = tokens.create(hanako, "sync", ["upload"], None)
    Upload.objects.create(sha256="x", name="a.kif", size=1, source="web", uploader=hanako)
    answer = browser.get("/account/export/")
    held = answer.json()
    assert (held["name"], held["role"], held["email_addresses"][0]["email"]) == (
        "hanako",
        "contributor",
        "h@example.org",
    )
    assert held["tokens"][0]["name"] == "sync" and held["uploads"][0]["name"] == "a.kif"
    text = answer.content.decode()
    assert key not in text and tokens.digest(key) not in text and hanako.password not in text
    assert "no-store" in answer.headers["Cache-Control"]


def test_an_export_needs_a_proof_of_who_asks(hanako):
    client = Client()
    client.force_login(hanako)
    assert client.get("/account/export/").headers["Location"].startswith("/account/reauthenticate/")


def test_an_account_without_uploads_leaves_nothing(browser):
    page = browser.post("/account/delete/", {"games": "stay", "name": "hanako"})
    assert page.status_code == 200 and not User.objects.exists() and not EmailAddress.objects.exists()
    assert browser.get("/account/").status_code == 302


@pytest.mark.parametrize(("games", "state"), [("stay", "done"), ("go", None)])
def test_what_was_sent_stays_without_a_name_or_goes(
    browser, hanako, games, state, django_capture_on_commit_callbacks
):
    Upload.objects.create(sha256="x", size=1, source="web", uploader=hanako, state="done")
    _token, key = tokens.create(hanako, "sync", ["upload"], None)
    with django_capture_on_commit_callbacks(execute=True):
        browser.post("/account/delete/", {"games": games, "name": "hanako"})
    assert Upload.objects.values_list("state", flat=True).first() == state
    assert not any("hanako" in str(row) or "example.org" in str(row) for row in User.objects.values())
    assert tokens.find(key) is None and not EmailAddress.objects.exists()
    assert Client().post("/sign-in/", {"login": "hanako", "password": PASSWORD}).status_code == 200


@pytest.mark.parametrize("name", ["", "taro"])
def test_an_account_is_deleted_by_its_name_only(browser, name):
    browser.post("/account/delete/", {"games": "stay", "name": name})
    assert User.objects.filter(username="hanako").exists()


def test_the_only_administrator_stays(client):
    client.force_login(User.objects.create_superuser("keeper", password=PASSWORD))
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/"})
    client.post("/account/delete/", {"games": "stay", "name": "keeper"})
    assert User.objects.filter(username="keeper", is_active=True).exists()


@pytest.fixture
def taro() -> User:
    return User.objects.create_user("taro")


def end(user: User, *, games_go: bool = False) -> None:
    """End an account, and let the scheduler and workers do what is left of it."""
    end_account(user, games_go=games_go)
    for _ in range(2):
        store.end_abandoned(10)
        for pk in Upload.objects.filter(state="deleting").values_list("pk", flat=True):
            store.delete_upload(pk)
    assert not list(verify.verify())


@pytest.mark.parametrize("games_go", [True, False])
def test_a_library_ends_with_its_person(hanako, games_go):
    send(hanako, KIF)
    end(hanako, games_go=games_go)
    assert not Game.objects.exists() and not Upload.objects.exists() and not Space.objects.exists()


def test_what_was_published_of_a_private_upload_stays_and_the_rest_goes(hanako):
    upload = send(hanako, CSA + "/\n" + CSA.replace("+7776FU", "+2726FU"), name="two.csa")
    published, private = (entry.game for entry in upload.entries.order_by("seq"))
    libraries.publish(hanako, published)
    end(hanako)
    assert list(Game.objects.values_list("pk", flat=True)) == [published.pk]
    assert not Game.objects.filter(pk=private.pk).exists()


def test_a_public_game_that_was_taken_back_goes_and_the_others_of_its_upload_stay(hanako):
    upload = send(hanako, CSA + "/\n" + CSA.replace("+7776FU", "+2726FU"), "public", "two.csa")
    taken, left = (entry.game for entry in upload.entries.order_by("seq"))
    libraries.take_back(hanako, taken)
    end(hanako)
    assert list(Game.objects.values_list("pk", flat=True)) == [left.pk]
    assert upload.entries.get(game=None).hidden and not Space.objects.exists()


def test_what_was_sent_to_a_group_stays_there_and_the_eldest_owns_it(hanako, taro):
    group = libraries.create_group(hanako, "研究会")
    libraries.join(taro, libraries.invite(hanako, group))
    game = game_of(send(hanako, KIF, f"group-{group.pk}"))
    end(hanako, games_go=True)
    assert Game.objects.get().pk == game.pk
    assert [(one.user_id, one.owner) for one in group.memberships.all()] == [(taro.pk, True)]


def test_a_group_without_members_ends_with_its_games(hanako, taro):
    group = libraries.create_group(hanako, "研究会")
    libraries.join(taro, libraries.invite(hanako, group))
    send(taro, KIF, f"group-{group.pk}")
    libraries.dismiss(hanako, group, taro.pk)
    end(hanako)
    assert not Game.objects.exists() and not Space.objects.filter(kind=Space.Kind.GROUP).exists()


def test_links_and_invitations_of_somebody_end_with_the_account(hanako, taro):
    group = libraries.create_group(hanako, "研究会")
    libraries.join(taro, libraries.invite(hanako, group))
    game = game_of(send(hanako, KIF, f"group-{group.pk}"))
    libraries.share_by_link(hanako, game)
    key = libraries.invite(hanako, group)
    end(hanako)
    assert not Share.objects.exists()
    with pytest.raises(LibraryError):
        libraries.join(User.objects.create_user("jiro"), key)


def test_the_scheduler_ends_libraries_without_members(hanako):
    send(hanako, KIF)
    Membership.objects.all().delete()
    tasks.sweep()
    assert Upload.objects.get().state == "deleting"


def test_libraries_with_members_are_left_alone(hanako):
    send(hanako, KIF)
    store.end_abandoned(10)
    assert Game.objects.count() == 1 and Space.objects.count() == 1


def test_an_export_has_libraries_shares_and_reports(hanako, taro):
    game = game_of(send(hanako, KIF))
    libraries.share_with(hanako, game, "taro")
    public = game_of(stored(CSA))
    client = Client()
    client.force_login(hanako)
    client.post(f"/games/{public.pk}/report/", {"reason": "wrong", "text": "名前が違う"})
    editing.create(hanako, libraries.own_library(hanako).pk, "名局集")
    held = account_data(hanako)
    assert [one["kind"] for one in held["libraries"]] == ["person"]
    assert [one["title"] for one in held["collections"]] == ["名局集"]
    assert [one["name"] for one in held["shared_by_you"]] == ["taro"]
    assert [one["text"] for one in held["reports"]] == ["名前が違う"]
    assert [one["game"] for one in account_data(taro)["shared_with_you"]] == [game.pk]


def test_who_ended_an_account_is_noted(hanako):
    keeper, pk = User.objects.create_superuser("keeper"), hanako.pk
    end_account(hanako, keeper)
    line = AuditLine.objects.get(event="delete")
    assert (line.name, line.what) == ("keeper", f"account {pk}")
