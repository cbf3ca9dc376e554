"""Signing in and out on the site's own pages, for members and staff; an archive closed to others."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from archive.models import User
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db

RIGHT = "opensesame"
SIGN_IN = "/sign-in/"


@pytest.fixture
def closed(settings: Settings) -> None:
    """An archive that shows nothing without signing in."""
    settings.ARCHIVE_LOGIN_REQUIRED = True
    required = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, required]


@pytest.fixture
def hanako() -> User:
    """A member who is not staff."""
    return User.objects.create_user("hanako", password=RIGHT)


@pytest.fixture
def taro() -> User:
    return User.objects.create_user("taro", password=RIGHT, is_staff=True)


def sign_in(client: Client, name: str = "hanako", password: str = RIGHT, **more: str):
    return client.post(SIGN_IN, {"login": name, "password": password, **more})


def text_of(client: Client, address: str, language: str = "en") -> str:
    return tidy(client.get(address, headers={"Accept-Language": language}).content.decode())


# --- an archive behind a login ---------------------------------------------------------------------------


def test_a_member_who_is_not_staff_signs_in_and_is_where_they_wanted(closed, client, hanako):
    response = client.get("/games/?player=x")
    assert (response.status_code, response.headers["Location"]) == (
        302,
        f"{SIGN_IN}?next=/games/%3Fplayer%3Dx",
    )
    assert 'value="/games/?player=x"' in text_of(client, response.headers["Location"])
    answer = sign_in(client, next="/games/?player=x")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/games/?player=x")
    assert client.get("/games/").status_code == 200


@pytest.mark.parametrize("address", ["/", "/games/", "/upload/", "/embed/games/1/", "/players/"])
def test_a_stranger_is_led_to_the_page_that_signs_in(closed, client, address):
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{SIGN_IN}?next={address}")


def test_the_page_itself_can_be_read_in_both_languages_and_themes_by_a_stranger(closed, client):
    for language, words in (("ja", "ログイン"), ("en", "Sign in")):
        page = client.get(SIGN_IN, headers={"Accept-Language": language})
        assert page.status_code == 200 and f"<h1>{words}</h1>" in page.content.decode()
    switched = client.post("/i18n/setlang/", {"language": "en", "next": f"{SIGN_IN}?next=/games/"})
    assert switched.headers["Location"] == f"{SIGN_IN}?next=/games/"
    assert client.post("/theme/", {"next": SIGN_IN}).headers["Location"] == SIGN_IN
    assert client.post("/pieces/", {"next": SIGN_IN}).headers["Location"] == SIGN_IN


# --- anywhere --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_signing_in_leads_to_no_other_site(client, hanako, address):
    assert sign_in(client, next=address).headers["Location"] == "/"


def test_a_wrong_password_is_told_and_keeps_where_one_wanted(client, hanako):
    answer = sign_in(client, password="wrong", next="/games/")
    page = tidy(answer.content.decode())
    assert answer.status_code == 200 and 'role="alert"' in page and 'value="/games/"' in page
    assert "sessionid" not in client.cookies


@pytest.mark.parametrize(("language", "words"), [("ja", "試行回数が多すぎます"), ("en", "Too many attempts")])
def test_guesses_are_counted(throttled, client, hanako, language, words):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    statuses = [sign_in(client, password="wrong").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    refused = client.post(
        SIGN_IN, {"login": "hanako", "password": RIGHT}, headers={"Accept-Language": language}
    )
    assert refused.status_code == 429 and words in refused.content.decode()
    assert int(refused.headers["Retry-After"]) > 0


def test_a_form_of_another_site_signs_nobody_in(hanako):
    client = Client(enforce_csrf_checks=True)
    assert sign_in(client).status_code == 403


def test_pages_say_who_is_signed_in_and_staff_find_the_admin(client, hanako, taro):
    assert "Sign out" not in text_of(client, "/games/") and f'href="{SIGN_IN}"' in text_of(client, "/games/")
    for user, admin in ((hanako, False), (taro, True)):
        client.force_login(user)
        page = text_of(client, "/games/")
        assert f'<span class="name">{user.username}</span>' in page
        assert ('href="/admin/"' in page) is admin
        assert 'action="/sign-out/"' in page and f'href="{SIGN_IN}"' not in page


def test_a_name_is_text_on_the_page(client):
    client.force_login(User.objects.create_user("<b>&'"))
    assert "&lt;b&gt;&amp;&#x27;" in text_of(client, "/games/")


def test_signing_out_takes_a_post_and_ends_the_session(closed, client, hanako):
    client.force_login(hanako)
    assert client.get("/sign-out/").status_code == 405
    assert client.get("/games/").status_code == 200
    assert client.post("/sign-out/").headers["Location"] == "/"
    assert client.get("/games/").status_code == 302


def test_signing_out_twice_is_no_error(closed, client):
    assert client.post("/sign-out/").headers["Location"] == "/"


def test_who_has_signed_in_goes_on_to_where_they_wanted(client, hanako):
    client.force_login(hanako)
    assert client.get(f"{SIGN_IN}?next=/games/").headers["Location"] == "/games/"


def test_uploading_leads_to_the_page_where_strangers_may_not(client, settings):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    assert f'href="{SIGN_IN}?next=/upload/"' in text_of(client, "/upload/")
