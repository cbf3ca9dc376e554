"""Finding one's way: what the search box offers, the menu, and the games before and after one in a list."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import Game
from archive.web.pages import views
from tests.archive import builders
from tests.archive.games import START
from tests.browser.conftest import DESKTOP, LANGUAGES, PHONE, PageMaker, follow, loading
from tests.browser.test_accessibility import violations

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LAPTOP = (1366, 650)
SIDEWAYS = (844, 390)
FOREMOST = ("/formations/", "/problems/", "/patterns/", "/positions/shogi/edit/", "/sign-in/")


@pytest.fixture(autouse=True)
def archive() -> None:
    builders.ingest(
        *(
            builders.ready(f"7g7f {move}", black="羽生善治", white="谷川浩司", day=f"2024/05/0{day}")
            for day, move in enumerate(("3c3d", "8c8d", "4c4d", "5c5d", "9c9d"), start=1)
        ),
        builders.ready("2g2f", black="羽生善治", white="佐藤康光", event="棋王戦"),
        builders.ready("5g5f", black="佐藤天彦", white="誰か"),
    )


def box(page: Page) -> Locator:
    return page.locator("#site-q")


def offered(page: Page) -> Locator:
    return page.get_by_role("option")


# --- the search box --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_names_are_offered_while_typing_and_chosen_by_keyboard(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int]
) -> None:
    page = open_page(f"{live_server.url}/", size=size)
    box(page).press_sequentially("佐藤")
    expect(offered(page)).to_have_count(2)
    expect(offered(page).first).to_contain_text("佐藤天彦")
    expect(offered(page).first).to_contain_text("1局")
    expect(box(page)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    chosen = page.locator('[role=option][aria-selected="true"]')
    expect(chosen).to_contain_text("佐藤康光")
    expect(box(page)).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")
    page.keyboard.press("ArrowUp")
    expect(chosen).to_contain_text("佐藤天彦")
    with loading(page):
        page.keyboard.press("Enter")
    expect(page.locator(".chip")).to_contain_text("佐藤天彦")
    expect(page.locator(".game-row")).to_have_count(1)


def test_the_second_of_two_players_is_offered_behind_the_first(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/")
    box(page).press_sequentially("羽生 対 さと")
    expect(offered(page)).to_have_count(1)
    expect(offered(page)).to_contain_text("羽生 対 佐藤康光")
    follow(offered(page).first)
    expect(page.locator(".game-row")).to_have_count(1)


def test_a_reader_of_english_finds_japanese_players(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/", language="en")
    box(page).press_sequentially("habu")
    expect(offered(page).first).to_contain_text("羽生善治 Habu Yoshiharu")
    expect(offered(page).first).to_contain_text("6 games")
    follow(offered(page).first)
    expect(page.locator(".game-row")).to_have_count(6)


def test_what_is_typed_is_searched_unless_something_is_chosen(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/")
    box(page).press_sequentially("佐藤")
    expect(offered(page)).to_have_count(2)
    with loading(page):
        page.keyboard.press("Enter")
    expect(page.locator(".game-row")).to_have_count(2)


def test_escape_closes_the_list_and_keeps_what_was_typed(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/")
    box(page).press_sequentially("佐藤")
    expect(offered(page)).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("#completions")).to_be_hidden()
    expect(box(page)).to_have_value("佐藤")
    expect(box(page)).to_have_attribute("aria-expanded", "false")
    box(page).press_sequentially("康")
    expect(offered(page)).to_have_count(1)
    page.locator("h1").click()
    expect(page.locator("#completions")).to_be_hidden()
    box(page).press_sequentially("かい")
    expect(page.locator("#completions")).to_be_hidden()


def test_the_box_works_where_nothing_is_offered(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/", script=False)
    box(page).fill("佐藤")
    with loading(page):
        box(page).press("Enter")
    expect(page.locator(".game-row")).to_have_count(2)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_while_the_list_and_the_menu_are_open(
    open_page: PageMaker, live_server: LiveServer, theme: str
) -> None:
    page = open_page(f"{live_server.url}/", theme=theme)
    box(page).press_sequentially("佐藤")
    expect(offered(page)).to_have_count(2)
    page.keyboard.press("ArrowDown")
    assert violations(page) == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.locator(".menu summary").click()
    assert violations(page) == []


# --- the menu --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wide_header_has_the_pages_in_one_row(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    for size in (LAPTOP, DESKTOP):
        page = open_page(f"{live_server.url}/", size=size, language=language)
        for address in FOREMOST:
            expect(page.locator(f'.site-header a[href="{address}"]:visible')).to_have_count(1)
        assert page.locator(".site-header").evaluate("one => one.offsetHeight") < 70
        expect(box(page)).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phone_on_its_side_has_one_row_and_shows_all_that_is_offered(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    page = open_page(f"{live_server.url}/", size=SIDEWAYS, language=language)
    assert page.locator(".site-header").evaluate("one => one.offsetHeight") < 70
    box(page).press_sequentially("佐藤")
    expect(offered(page)).to_have_count(2)
    expect(page.locator("#completions")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phone_has_them_in_a_menu(
    open_page: PageMaker, live_server: LiveServer, language: str, script: bool
) -> None:
    page = open_page(f"{live_server.url}/", size=PHONE, language=language, script=script)
    for address in (*FOREMOST, "/players/", "/upload/"):
        expect(page.locator(f'.menu a[href="{address}"]')).to_be_hidden()
    page.locator(".menu summary").click()
    for address in (*FOREMOST, "/players/", "/upload/"):
        expect(page.locator(f'.menu a[href="{address}"]')).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    follow(page.locator('.menu a[href="/patterns/"]'))
    expect(page.locator('.menu a[href="/patterns/"]')).to_have_attribute("aria-current", "page")


def test_escape_and_a_click_beside_it_close_the_menu(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/", size=PHONE)
    menu = page.locator("details.menu")
    page.locator(".menu summary").click()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(page.locator(".menu summary")).to_be_focused()
    page.locator(".menu summary").click()
    page.mouse.click(200, 800)
    expect(menu).not_to_have_attribute("open", "")


# --- lists -----------------------------------------------------------------------------------------------


def neighbour(page: Page, name: str) -> Locator:
    return page.locator(f".neighbours .{name}:visible")


def players_day(page: Page) -> str:
    match = re.search(r"2024/05/0(\d)", page.content())
    return match[1] if match else ""


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_game_that_was_opened_from_a_list_leads_to_those_before_and_after_it(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int]
) -> None:
    page = open_page(f"{live_server.url}/games/?player=谷川&order=oldest", size=size)
    follow(page.locator(".game-row").nth(1))
    assert players_day(page) == "2"
    expect(neighbour(page, "back")).to_contain_text("2 / 5")
    follow(neighbour(page, "following"))
    assert players_day(page) == "3"
    follow(neighbour(page, "previous"))
    follow(neighbour(page, "previous"))
    assert players_day(page) == "1"
    expect(neighbour(page, "following")).to_be_visible()
    expect(neighbour(page, "previous")).to_have_count(0)
    follow(neighbour(page, "back"))
    expect(page).to_have_url(re.compile(r"/games/\?player=.*order=oldest"))
    expect(page.locator(".game-row")).to_have_count(5)


def test_the_list_goes_on_over_its_pages(
    open_page: PageMaker, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE", 2)
    page = open_page(f"{live_server.url}/games/?player=谷川&order=oldest")
    follow(page.locator(".game-row").nth(1))
    for day in ("3", "4", "5"):
        follow(neighbour(page, "following"))
        assert players_day(page) == day
    expect(neighbour(page, "following")).to_have_count(0)
    expect(neighbour(page, "back")).to_contain_text("5 / 5")
    page.goto(f"{live_server.url}/games/?player=谷川&order=oldest")
    follow(page.locator("a[rel=next]").last)
    follow(page.locator(".game-row").first)
    expect(neighbour(page, "back")).to_contain_text("3")
    follow(neighbour(page, "previous"))
    assert players_day(page) == "2"


def test_games_through_a_position_open_at_it(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/?player=谷川浩司")
    follow(page.locator(".game-row").first)
    ply = re.search(r"ply=\d+", page.url)
    follow(neighbour(page, "following"))
    assert not ply or ply[0] in page.url
    expect(neighbour(page, "back")).to_contain_text("2 / 5")


def test_a_game_that_was_opened_otherwise_has_no_neighbours(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    game = Game.objects.order_by("pk").first()
    assert game is not None
    page = open_page(f"{live_server.url}/games/{game.pk}/")
    expect(page.locator("#replay")).to_be_visible()
    expect(page.locator(".neighbours:visible")).to_have_count(0)
