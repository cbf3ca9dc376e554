"""Passkeys in a browser with an authenticator of its own: made, used in every way, removed.

What the content policy refuses is an error of the console, which no page of `open_page` may have.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from playwright.sync_api import CDPSession, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import User
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker, follow, loading
from tests.browser.test_accounts import PASSWORD, looked_at, send

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

INDEX = "/account/second-factor/"
NO_HELPERS = """
  delete PublicKeyCredential.parseCreationOptionsFromJSON;
  delete PublicKeyCredential.parseRequestOptionsFromJSON;
  delete PublicKeyCredential.prototype.toJSON;
"""
"""Browsers of before 2025: what is base64url in JSON is made bytes by the page itself."""
NONE = "delete window.PublicKeyCredential;"


class Key:
    """The browser's authenticator: a telephone that knows its person's finger."""

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.session.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True,
        }  # fmt: skip
        made = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self.id = made["authenticatorId"]

    def held(self) -> list[dict[str, Any]]:
        """The passkeys in it."""
        result = self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})
        return list(result["credentials"])

    def knows(self, person: bool) -> None:
        """Let it know whoever touches it from now on, or not."""
        self.session.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": person})


@pytest.fixture
def hanako() -> User:
    return User.objects.create_user("hanako", password=PASSWORD)


def enter(page: Page, site: str, expected: str = INDEX) -> None:
    """Give name and password, on the way to a page."""
    page.goto(f"{site}/sign-in/?next={expected}")
    page.fill("[name=login]", "hanako")
    page.fill("[name=password]", PASSWORD)
    send(page)


def leave(page: Page) -> None:
    page.locator(".account summary").click()
    follow(page.locator(".account-menu form button"))


def some_time_later() -> None:
    """Let it be so long since somebody signed in that it proves nothing any more."""
    for key in Session.objects.values_list("session_key", flat=True):
        session = SessionStore(key)
        if "signed_in" in session:
            session["signed_in"] -= 301
            session.save()


def use(page: Page) -> None:
    """Press the button of a passkey."""
    follow(page.locator("form.passkey button"))


def add(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/account/reauthenticate/?next={INDEX}passkeys/new/")
    page.fill("[name=password]", PASSWORD)
    send(page)
    page.fill("[name=name]", name)
    use(page)


@BOTH_SIZES_AND_LANGUAGES
def test_a_passkey_is_made_used_in_every_way_and_removed(
    live_server: LiveServer, open_page: PageMaker, hanako: User, size: tuple[int, int], language: str
) -> None:
    page = open_page(size=size, language=language, alone=True)
    site, mark, key = live_server.url, f"passkeys-{size[0]}-{language}", Key(page)
    enter(page, site)
    looked_at(page, f"{mark}-none")
    some_time_later()
    follow(page.locator(f"a[href='{INDEX}passkeys/new/']"))
    page.fill("[name=password]", PASSWORD)
    send(page)
    expect(page.locator(".no-passkeys")).to_have_count(0)
    looked_at(page, f"{mark}-new")
    page.fill("[name=name]", "電話 <1>")
    use(page)
    expect(page.locator(".codes-list li")).to_have_count(10)
    assert [one["rpId"] for one in key.held()] == ["localhost"]
    page.goto(site + INDEX)
    expect(page.locator(".things .what")).to_have_text("電話 <1>")
    looked_at(page, f"{mark}-one")

    leave(page)
    enter(page, site)
    looked_at(page, f"{mark}-asked")
    use(page)
    expect(page).to_have_url(site + INDEX)

    leave(page)
    page.goto(f"{site}/sign-in/?next={INDEX}")
    expect(page.locator("form.passkey button")).to_be_visible()
    looked_at(page, f"{mark}-sign-in")
    use(page)
    expect(page).to_have_url(site + INDEX)

    number = Authenticator.objects.get(type="webauthn").pk
    some_time_later()
    follow(page.locator(f"a[href='{INDEX}passkeys/{number}/rename/']"))
    follow(page.locator("a[href*='/account/reauthenticate/passkey/']"))
    looked_at(page, f"{mark}-once-more")
    use(page)
    looked_at(page, f"{mark}-rename")
    page.fill("[name=name]", "鍵")
    send(page)
    expect(page.locator(".things .what")).to_have_text("鍵")
    follow(page.locator(f"a[href='{INDEX}passkeys/{number}/remove/']"))
    looked_at(page, f"{mark}-remove")
    send(page)
    expect(page.locator(".things")).to_have_count(0)
    assert not Authenticator.objects.exists()
    leave(page)
    enter(page, site)
    expect(page).to_have_url(site + INDEX)


TOLD = {
    "ja": ("操作が取り消されたか、時間切れ", "すでにあります", "受け付けられませんでした", "もう一度"),
    "en": ("cancelled", "already", "was not accepted", "try again"),
}


@pytest.mark.parametrize("language", TOLD)
def test_what_goes_wrong_is_told_on_the_page(
    live_server: LiveServer, open_page: PageMaker, hanako: User, language: str
) -> None:
    page = open_page(language=language, alone=True)
    site, key, message = live_server.url, Key(page), page.locator("form.passkey .error")
    cancelled, existing, refused, failed = TOLD[language]
    enter(page, site)
    add(page, site, "one")
    page.goto(f"{site}{INDEX}passkeys/new/")
    page.locator("form.passkey button").click()
    expect(message).to_contain_text(existing)
    looked_at(page, f"passkeys-{language}-known")
    leave(page)
    page.goto(f"{site}/sign-in/")
    key.knows(False)
    page.locator("form.passkey button").click()
    expect(message).to_contain_text(cancelled)
    looked_at(page, f"passkeys-{language}-cancelled")
    key.knows(True)
    Authenticator.objects.all().delete()
    use(page)
    expect(page.locator("main > .message")).to_contain_text(refused)
    page.route("**/sign-in/passkey/", lambda route: route.fulfill(status=204))
    page.locator("form.passkey button").click()
    expect(message).to_contain_text(failed)
    expect(page.locator("form.passkey button")).to_be_enabled()


def test_browsers_that_know_no_json_of_passkeys_have_them_too(
    live_server: LiveServer, open_page: PageMaker, hanako: User
) -> None:
    page = open_page(alone=True)
    page.add_init_script(NO_HELPERS)
    site, _key = live_server.url, Key(page)
    enter(page, site)
    add(page, site, "one")
    page.goto(f"{site}{INDEX}passkeys/new/")
    page.locator("form.passkey button").click()
    expect(page.locator("form.passkey .error")).to_be_visible()
    leave(page)
    enter(page, site)
    use(page)
    expect(page).to_have_url(site + INDEX)
    leave(page)
    page.goto(f"{site}/sign-in/?next={INDEX}")
    use(page)
    expect(page).to_have_url(site + INDEX)
    assert page.evaluate("'toJSON' in PublicKeyCredential.prototype") is False


def test_browsers_without_passkeys_are_told_so_where_they_come_for_one(
    live_server: LiveServer, open_page: PageMaker, hanako: User
) -> None:
    page = open_page(alone=True)
    page.add_init_script(NONE)
    site = live_server.url
    page.goto(f"{site}/sign-in/")
    expect(page.locator("form.passkey")).to_be_hidden()
    enter(page, site)
    page.goto(f"{site}/account/reauthenticate/?next={INDEX}passkeys/new/")
    page.fill("[name=password]", PASSWORD)
    send(page)
    expect(page.locator("form.passkey")).to_be_hidden()
    expect(page.locator(".no-passkeys")).to_be_visible()


def test_pages_that_came_by_a_network_address_have_none(
    live_server: LiveServer, open_page: PageMaker, hanako: User
) -> None:
    page = open_page()
    site = re.sub("localhost", "127.0.0.1", live_server.url)
    enter(page, site)
    expect(page.locator("h1")).to_be_visible()
    assert page.locator("form.passkey, a[href*=passkeys]").count() == 0


def test_going_back_to_a_page_asks_anew(live_server: LiveServer, open_page: PageMaker, hanako: User) -> None:
    page = open_page(alone=True)
    site, _key = live_server.url, Key(page)
    enter(page, site)
    add(page, site, "one")
    leave(page)
    page.goto(f"{site}/sign-in/")
    follow(page.locator("footer a").first)
    with loading(page):
        page.go_back()
    use(page)
    page.goto(f"{site}/account/")
    expect(page.locator("h1")).to_have_text("hanako")
