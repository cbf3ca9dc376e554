"""An engine in the browser: its lines beside the boards of games and positions, and playing them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import Game
from archive.project import browser_engine
from tests.archive.builders import ingest, ready
from tests.archive.games import START
from tests.archive.test_browser_engine import FOLDER
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def engine(settings) -> None:
    settings.BROWSER_ENGINE = browser_engine.read(str(FOLDER))


def stored_game() -> int:
    ingest(ready("7g7f 3c3d", black="甲", white="乙"))
    return Game.objects.get().pk


def switch_on(page: Page) -> None:
    page.locator(".engine-switch").click()
    expect(page.locator(".engine-switch")).to_have_attribute("aria-pressed", "true")


def expect_scores(page: Page, *scores: str) -> None:
    expect(page.locator(".engine-result .score")).to_have_text([*scores])


@BOTH_SIZES_AND_LANGUAGES
def test_lines_beside_a_game_follow_the_board_and_are_played_on_it(
    open_page: PageMaker, live_server: LiveServer, size, language
):
    game = stored_game()
    page = open_page(f"{live_server.url}/games/{game}/", size, language)
    page.locator(".browser-engine a").click()
    page.wait_for_url("**engine=1*")
    assert page.evaluate("crossOriginIsolated")
    switch_on(page)
    mate = "☖が5手で詰み" if language == "ja" else "☖ mates in 5"
    expect_scores(page, "+35", "-20", mate)
    expect(page.locator(".engine-facts")).to_contain_text("1,234")
    page.locator(".engine-result li").nth(1).locator("a").nth(1).click()
    expect(page.locator(".controls .ply")).to_have_text("2")
    page.keyboard.press("ArrowLeft")
    expect_scores(page, "-12", "☖が3手で詰み" if language == "ja" else "☖ mates in 3")
    page.locator(".engine-result a").nth(1).click()
    expect(page.locator(".tried")).to_be_visible()


def test_lines_beside_a_position_lead_to_positions_and_the_engine_comes_along(
    open_page: PageMaker, live_server: LiveServer
):
    page = open_page(f"{live_server.url}/positions/shogi/{START}/?engine=1")
    switch_on(page)
    expect_scores(page, "+35", "-20", "☖が5手で詰み")
    page.locator(".engine-result li").nth(1).locator("a").first.click()
    expect_scores(page, "-12", "☖が3手で詰み")
    expect(page.locator(".engine-switch")).to_have_attribute("aria-pressed", "true")


def test_results_stay_in_the_browser_and_are_shown_without_a_search(
    open_page: PageMaker, live_server: LiveServer
):
    game = stored_game()
    page = open_page(f"{live_server.url}/games/{game}/?engine=1", alone=True)
    switch_on(page)
    expect_scores(page, "+35", "-20", "☖が5手で詰み")
    page.locator(".engine-switch").click()
    page.reload()
    expect_scores(page, "+35", "-20", "☖が5手で詰み")
    expect(page.locator(".engine-switch")).to_have_attribute("aria-pressed", "false")


def test_fewer_lines_are_shown_where_fewer_are_chosen(open_page: PageMaker, live_server: LiveServer):
    game = stored_game()
    page = open_page(f"{live_server.url}/games/{game}/?engine=1", alone=True)
    page.locator(".browser-engine select").select_option("1")
    switch_on(page)
    expect_scores(page, "+35")
