"""The report of a game in a browser: chart, gauge, lines on the board, mistakes as problems."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import Game
from tests.archive import builders
from tests.archive.analysed import SWINGING, analyse
from tests.browser.boards import after, expect_board, tap
from tests.browser.conftest import PageMaker

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LINE = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h"


@pytest.fixture
def game() -> Game:
    builders.ingest(builders.ready(LINE, black="甲", white="乙"))
    game = Game.objects.get()
    analyse(game, SWINGING, lines=2)
    return game


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".controls .ply")).to_have_text(str(ply))


def test_the_gauge_is_as_high_as_the_chart_at_each_move(
    open_page: PageMaker, live_server: LiveServer, game: Game
):
    page = open_page(f"{live_server.url}/games/{game.pk}/")
    heights = [
        float(one) for one in (page.locator("svg.score-chart").get_attribute("data-heights") or "").split()
    ]
    assert len(heights) == 8
    gauge = page.locator(".gauge .black")
    for ply in (0, 1, 2, 3):
        expect(gauge).to_have_attribute("y", f"{heights[ply]:g}")
        page.keyboard.press("ArrowRight")
    expect(page.locator(".charts .here")).to_have_text("+50 ??")


def test_a_marked_move_leads_to_its_position(open_page: PageMaker, live_server: LiveServer, game: Game):
    page = open_page(f"{live_server.url}/games/{game.pk}/")
    link = page.locator(".marked-moves a[data-key]").first
    link.focus()
    page.keyboard.press("Enter")
    expect_ply(page, 3)
    expect_board(page, after("7g7f 3c3d 2g2f"))


def test_a_mouse_over_the_chart_shows_a_small_board(
    open_page: PageMaker, live_server: LiveServer, game: Game
):
    page = open_page(f"{live_server.url}/games/{game.pk}/")
    page.locator("svg.score-chart").hover(position={"x": 5, "y": 5})
    expect(page.locator(".preview-board svg.board")).to_be_visible()
    page.mouse.move(1, 1)
    expect(page.locator(".preview-board")).to_have_count(0)


def test_an_engines_line_is_played_on_the_board(open_page: PageMaker, live_server: LiveServer, game: Game):
    page = open_page(f"{live_server.url}/games/{game.pk}/?ply=2")
    page.locator(".archive-moves .engine-lines .line a").first.click()
    expect_ply(page, 3)
    expect_board(page, after("7g7f 3c3d 1g1f"))
    expect(page).to_have_url(re.compile("try=1g1f"))


def test_a_better_move_than_the_mistake_is_looked_for_on_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game
):
    page = open_page(f"{live_server.url}/games/{game.pk}/mistakes/", language="en")
    news = page.locator(".solve-news")
    expect(news).to_have_text("Play it on the board.")
    expect_ply(page, 2)
    tap(page, 5, 7)
    tap(page, 5, 6)
    expect(news).to_contain_text("Try again")
    expect_ply(page, 2)
    page.locator("button.hint").click()
    expect(news).to_have_text("The marked piece moves.")
    tap(page, 1, 7)
    tap(page, 1, 6)
    expect(news).to_have_text("Right.")
    expect_ply(page, 3)
    expect(page.locator(".guess-score")).to_have_text("Found at once: 0 / 1")
    page.get_by_role("link", name="Next").last.click()
    expect(page.locator(".solve h2")).to_have_text("Mistake 2 of 2")
    expect_ply(page, 3)


def test_the_solution_of_a_mistake_is_played_on_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game
):
    page = open_page(f"{live_server.url}/games/{game.pk}/mistakes/")
    page.locator("details.solution > summary").click()
    page.locator(".solution .engine-lines .line a").first.click()
    expect_board(page, after("7g7f 3c3d 1g1f"))
