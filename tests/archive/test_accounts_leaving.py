"""An account taken along, and deleted."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from archive.accounts import tokens
from archive.models import Upload, User

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
    _token, key = tokens.make(hanako, "sync", ["upload"], None)
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
    _token, key = tokens.make(hanako, "sync", ["upload"], None)
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
