"""Libraries as a member meets them: groups, sharing, publishing, the chosen scope, reports.

Nothing on these pages is what axe forbids or wider than a phone, and the keyboard comes to all controls. What
the content policy refuses is an error of the console, which no page of `open_page` may have.
"""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive import libraries
from archive.intake.worker import work_off
from archive.models import Report, SiteText, Upload, User
from tests.archive.games import CSA, KIF, START
from tests.archive.library_games import game_of, send
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker, follow
from tests.browser.test_accounts import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

GROUP = "第三土曜日の研究会"
TEXTS = {
    "terms": "お静かに。\n\nhttps://example.org/terms",
    "privacy": "少しだけ。",
    "contact": "<mail@example.org>",
}
CONTROLS = """() => {
    const reached = window.reached;
    const shown = one => !one.disabled && one.checkVisibility({visibilityProperty: true});
    const ofGroup = one => one.type === 'radio' && [...reached].some(other => other.name === one.name);
    const kinds = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
    return [...document.querySelectorAll(kinds)]
        .filter(one => shown(one) && !reached.has(one) && !ofGroup(one))
        .map(one => one.outerHTML);
}"""
"""The controls that were not focused since `window.reached` notes them; of radio buttons one is enough."""


UNCOVERED = """one => {
    const place = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2));
}"""
"""Whether the middle of an element is not covered."""


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


@pytest.fixture
def boris() -> User:
    return User.objects.create_user("boris", password="opensesame")


@pytest.fixture
def page(open_page: PageMaker, size: tuple[int, int], language: str) -> Page:
    return open_page(size=size, language=language)


@pytest.fixture
def mark(size: tuple[int, int], language: str) -> str:
    """The prefix of the names of pictures of a size and language."""
    return f"{size[0]}-{language}"


def sign_in(page: Page, live_server: LiveServer, user: User) -> None:
    """Let the browser be signed in as somebody, whoever it was before."""
    client = Client()
    client.force_login(user)
    page.context.clear_cookies()
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )


def all_right(page: Page, name: str) -> None:
    """The page is as it was looked at, and the keyboard reaches all its controls."""
    looked_at(page, name)
    page.evaluate(
        "window.reached = new Set(); addEventListener('focusin', event => reached.add(event.target))"
    )
    page.locator(".skip").focus()
    # After the last control, Tab begins anew.
    for _round in range(30):
        for _press in range(10):
            page.keyboard.press("Tab")
        if not (left := page.evaluate(CONTROLS)):
            return
    raise AssertionError(f"{name}: {left}")


def press(page: Page, action: str) -> None:
    """Press the button of a game's or a group's form, which leads to a page that answers."""
    follow(page.locator(f'main button[value="{action}"]').first)


def made_link(page: Page) -> str:
    """Return the link that the page shows, once."""
    return page.locator("#made-link").inner_text()


@BOTH_SIZES_AND_LANGUAGES
def test_a_group_is_made_and_joined_by_a_link(
    live_server: LiveServer, page: Page, mark: str, anna: User, boris: User
) -> None:
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/libraries/")
    all_right(page, f"{mark}-libraries-none")
    page.fill("[name=name]", GROUP)
    follow(page.locator("main button.main"))
    expect(page.locator("h1")).to_have_text(GROUP)
    press(page, "invite")
    all_right(page, f"{mark}-group-invited")
    link = made_link(page)
    page.goto(f"{live_server.url}/libraries/")
    expect(page.locator(".card h2")).to_have_count(2)
    all_right(page, f"{mark}-libraries")
    page.context.clear_cookies()
    page.goto(link)
    expect(page.locator("h1")).to_have_text(GROUP)
    all_right(page, f"{mark}-join-stranger")
    sign_in(page, live_server, boris)
    page.goto(link)
    all_right(page, f"{mark}-join")
    follow(page.locator("main button.main"))
    expect(page.locator(".members li")).to_have_count(2)
    all_right(page, f"{mark}-group-joined")
    press(page, "dismiss")
    expect(page.locator(".card h2")).to_have_count(1)
    page.goto(link)
    expect(page).to_have_url(f"{live_server.url}/libraries/")
    all_right(page, f"{mark}-invitation-used")


@BOTH_SIZES_AND_LANGUAGES
def test_a_game_goes_into_ones_own_library_and_is_shared_published_and_taken_back(
    live_server: LiveServer, page: Page, mark: str, anna: User, boris: User
) -> None:
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/libraries/")
    follow(page.locator(".card a.main").first)
    expect(page.locator("#space")).to_have_value("mine")
    page.fill("#text", KIF)
    expect(page.locator("form.upload").get_by_role("listitem").filter(has_text="先手の人")).to_be_visible()
    all_right(page, f"{mark}-upload")
    follow(page.locator("form.upload button.main"))
    upload = Upload.objects.get()
    work_off(upload.pk)
    for address in ("/uploads/", f"/uploads/{upload.pk}/"):
        page.goto(live_server.url + address)
        all_right(page, f"{mark}{address}")
    game = game_of(upload)
    page.goto(f"{live_server.url}/games/{game.pk}/")
    expect(page.locator(".game-private .badge")).to_be_visible()
    all_right(page, f"{mark}-game-of-mine")
    open_box(page)
    all_right(page, f"{mark}-game-box")
    page.fill("#share-name", "boris")
    press(page, "share")
    open_box(page)
    expect(page.locator(".shared-with li")).to_have_count(1)
    all_right(page, f"{mark}-game-shared")
    press(page, "unshare")
    open_box(page)
    expect(page.locator(".shared-with li")).to_have_count(0)
    press(page, "publish")
    expect(page.locator(".game-private")).to_have_count(0)
    all_right(page, f"{mark}-game-published")
    if (tab := page.locator('.tabs [data-tab="info"]')).is_visible():
        tab.click()
    open_box(page)
    all_right(page, f"{mark}-game-to-be-taken-back")
    press(page, "take-back")
    expect(page.locator(".game-private .badge")).to_be_visible()
    all_right(page, f"{mark}-game-taken-back")


def open_box(page: Page) -> None:
    """Open what its owner can do with a game, by the keyboard. The list of moves stays as high as it is."""
    place = "list => [list.offsetTop, list.offsetHeight]"
    before = page.locator(".moves").evaluate(place)
    page.locator(".library summary").press("Enter")
    expect(page.locator(".library button").first).to_be_visible()
    assert page.locator(".library summary").evaluate(UNCOVERED)
    assert page.locator(".moves").evaluate(place) == before


@BOTH_SIZES_AND_LANGUAGES
def test_lists_and_counts_are_asked_of_everything_or_of_one_library(
    live_server: LiveServer, page: Page, mark: str, anna: User
) -> None:
    group = libraries.create_group(anna, GROUP)
    scopes = {"public": KIF, "mine": KIF, f"group-{group.pk}": CSA}
    uploads = [send(anna, text, scope, f"{scope}.kif") for scope, text in scopes.items()]
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/")
    expect(page.locator(".game-row")).to_have_count(3)
    page.locator(".account summary").click()
    all_right(page, f"{mark}-scopes")
    page.locator(".account summary").press("Enter")
    for scope in ("all", *scopes):
        page.locator(".account summary").click()
        follow(page.locator(f'.account-menu button[value="{scope}"]'))
        expect(page.locator(".selected-scope")).to_have_count(0 if scope == "all" else 1)
        expect(page.locator(".game-row")).to_have_count(3 if scope == "all" else 1)
    for address in ("/games/", f"/positions/shogi/{START}/", "/statistics/", "/"):
        page.goto(live_server.url + address)
        expect(page.locator(".selected-scope strong")).to_have_text(GROUP)
        all_right(page, f"{mark}-group{address}")
    page.goto(f"{live_server.url}/positions/shogi/{START}/")
    follow(page.locator(".selected-scope button"))
    all_right(page, f"{mark}-everything")
    expect(page.locator(".position-right .badge.private")).to_have_text(GROUP)
    page.goto(f"{live_server.url}/games/{game_of(uploads[0]).pk}/")
    page.locator(".account summary").click()
    follow(page.locator('.account-menu button[value="mine"]'))
    expect(page.locator(".selected-scope")).to_have_count(1)


@BOTH_SIZES_AND_LANGUAGES
def test_a_stranger_reads_a_game_by_its_link_and_reports_it(
    live_server: LiveServer, page: Page, mark: str, anna: User
) -> None:
    game = game_of(send(anna, KIF))
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/{game.pk}/")
    open_box(page)
    press(page, "link")
    all_right(page, f"{mark}-link-made")
    link = made_link(page)
    page.context.clear_cookies()
    page.goto(link)
    expect(page).to_have_url(f"{live_server.url}/games/{game.pk}/")
    expect(page.locator(".game-private .badge")).to_be_visible()
    all_right(page, f"{mark}-shared")
    page.goto(f"{live_server.url}/positions/shogi/{START}/")
    all_right(page, f"{mark}-position-of-shared")
    page.goto(f"{live_server.url}/games/{game.pk}/report/")
    all_right(page, f"{mark}-report")
    page.locator("[name=reason]").first.check()
    page.fill("[name=text]", "名前が違います")
    follow(page.locator("main button.main"))
    expect(page.locator(".message")).to_be_visible()
    assert Report.objects.get().game == game.pk
    all_right(page, f"{mark}-reported")


@BOTH_SIZES_AND_LANGUAGES
def test_the_owners_texts_are_read_by_everybody(live_server: LiveServer, page: Page, mark: str) -> None:
    for name, text in TEXTS.items():
        SiteText.objects.create(page=name, language="ja", text=text)
    page.goto(f"{live_server.url}/")
    for name in TEXTS:
        follow(page.locator(f'.site-footer a[href="/{name}/"]'))
        all_right(page, f"{mark}-{name}")
