"""Accounts from the first link to the last page: nothing on them that axe or the content policy forbids.

What the policy refuses is an error of the console, which no page of `open_page` may have.
"""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.accounts import invitations
from archive.accounts.roles import Role
from archive.models import User
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker, follow
from tests.browser.test_accessibility import assert_accessible, keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

PASSWORD = "correct horse"
PAGES = (
    "/account/", "/account/email/", "/account/password/", "/account/second-factor/", "/account/sessions/",
    "/account/tokens/", "/account/invitations/", "/account/delete/", "/account/reauthenticate/",
)  # fmt: skip
STRANGERS = (
    "/sign-in/", "/sign-up/", "/account/password/reset/", "/account/password/reset/sent/",
    "/account/email/confirm/x/", "/account/inactive/", "/account/password/reset/1-a-b/",
)  # fmt: skip


def looked_at(page: Page, name: str) -> None:
    """The page as it is now breaks no rule, and is not wider than the window."""
    # Colours that change slowly would be looked at on their way.
    page.emulate_media(reduced_motion="reduce")
    assert_accessible(page, name)
    page.emulate_media(color_scheme="light")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    keep_picture(page, name)


def send(page: Page) -> None:
    follow(page.locator("main form button.main, main form.sign-in button").first)


@BOTH_SIZES_AND_LANGUAGES
def test_what_strangers_see_of_accounts_is_as_every_page(
    live_server: LiveServer, open_page: PageMaker, settings: Settings, size: tuple[int, int], language: str
) -> None:
    settings.ARCHIVE_REGISTRATION = "open"
    page = open_page(size=size, language=language)
    for address in STRANGERS:
        page.goto(live_server.url + address)
        looked_at(page, f"{size[0]}-{language}{address}")


@BOTH_SIZES_AND_LANGUAGES
def test_an_owner_comes_sets_up_everything_and_signs_in_again(
    live_server: LiveServer, open_page: PageMaker, settings: Settings, size: tuple[int, int], language: str
) -> None:
    settings.ARCHIVE_REGISTRATION = "invitation"
    _made, key = invitations.create(Role.ADMINISTRATOR, 1)
    page = open_page(size=size, language=language)
    mark = f"{size[0]}-{language}"
    page.goto(f"{live_server.url}/sign-up/{key}/")
    looked_at(page, f"{mark}-invited")
    page.fill("[name=username]", "owner")
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    send(page)
    expect(page.locator("h1")).to_have_text("owner")
    assert User.objects.get().role == "administrator"
    page.goto(f"{live_server.url}/account/reauthenticate/?next=/account/second-factor/")
    page.fill("[name=password]", PASSWORD)
    send(page)
    for address in PAGES:
        page.goto(live_server.url + address)
        looked_at(page, f"{mark}{address}")
    page.goto(f"{live_server.url}/account/second-factor/app/")
    looked_at(page, f"{mark}-app")
    secret = page.locator(".copyline code").inner_text()
    page.fill("[name=code]", format_hotp_value(hotp_value(secret, int(time.time()) // 30)))
    send(page)
    expect(page.locator(".codes-list li")).to_have_count(10)
    recovery = page.locator(".codes-list code").first.inner_text()
    looked_at(page, f"{mark}-codes")
    page.goto(f"{live_server.url}/account/tokens/")
    page.fill("[name=name]", "sync")
    page.locator("[name=scopes]").first.check()
    send(page)
    expect(page.locator("main .copyline code")).to_have_text(re.compile("^kifu_"))
    looked_at(page, f"{mark}-token")
    page.locator(".account summary").click()
    follow(page.locator(".account-menu form button"))
    page.goto(f"{live_server.url}/sign-in/?next=/account/second-factor/")
    page.fill("[name=login]", "owner")
    page.fill("[name=password]", PASSWORD)
    send(page)
    looked_at(page, f"{mark}-second-factor-asked")
    page.fill("[name=code]", recovery)
    send(page)
    expect(page).to_have_url(f"{live_server.url}/account/second-factor/")
    looked_at(page, f"{mark}-second-factor-on")
