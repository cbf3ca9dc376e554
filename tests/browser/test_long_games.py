"""The replay of a long game, of which a page holds a part: over its borders, to its end, into variations."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import Game
from archive.web.replay.folding import AHEAD, FORK_ROWS
from archive.web.replay.record import find_node, position_at
from tests.archive import long_games
from tests.browser.conftest import PageMaker, follow, loading

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

PLIES = 3_000
FORK = 1_500


@pytest.fixture
def game() -> Game:
    """A game of 3,000 plies, with three long variations in its middle."""
    made = long_games.with_forks(long_games.record(PLIES), {FORK: 3}, 100)
    return long_games.stored(made, black="甲野", white="乙山")


def address(live_server: LiveServer, game: Game, query: str = "", page: str = "games") -> str:
    return f"{live_server.url}/{page}/{game.pk}/{query}"


def expect_node(page: Page, game: Game, ply: int, fork: str = "") -> None:
    """Board, list and counter show this node."""
    shown, _last, played = position_at(game.jkf, find_node(game.jkf, fork, ply))
    expect(page.locator(".controls .ply")).to_have_text(str(played))
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", shown.sfen(played + 1))
    expect(page.locator("#replay")).to_have_class(re.compile(r"\blive\b"))
    current = page.locator('.moves a[aria-current="step"]')
    expect(current.locator("xpath=..")).to_have_attribute("data-key", f"{fork}:{ply}")


def test_stepping_goes_on_across_the_border_and_back(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?flip=1"))
    expect_node(page, game, 0)
    page.locator(f'.moves li[data-key=":{AHEAD}"] > a').click()
    expect_node(page, game, AHEAD)
    expect(page.locator(".controls .last-ply")).to_have_text(str(PLIES))
    with loading(page):
        page.keyboard.press("ArrowRight")
    expect_node(page, game, AHEAD + 1)
    expect(page).to_have_url(re.compile(rf"\?flip=1&ply={AHEAD + 1}$|\?ply={AHEAD + 1}&flip=1$"))
    expect(page.locator("#replay")).to_have_class(re.compile(r"\bflipped\b"))
    first = AHEAD + 1 - AHEAD // 2
    page.locator(f'.moves li[data-key=":{first}"] > a').click()
    expect_node(page, game, first)
    with loading(page):
        page.keyboard.press("ArrowLeft")
    expect_node(page, game, first - 1)


def test_the_clocks_and_the_last_move_are_those_of_the_whole_game(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, f"?ply={FORK}"))
    first = FORK - AHEAD // 2
    page.locator(f'.moves li[data-key=":{first}"] > a').click()
    expect_node(page, game, first)
    expect(page.locator(".board-host .last-to")).to_have_count(1)
    before = [page.locator(f'.seat[data-color="{color}"] .clock').inner_text() for color in (0, 1)]
    page.goto(address(live_server, game, f"?ply={first}"))
    expect_node(page, game, first)
    assert before == [page.locator(f'.seat[data-color="{color}"] .clock').inner_text() for color in (0, 1)]
    assert all(before)


def test_the_end_and_the_start_are_one_key_away(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    with loading(page):
        page.keyboard.press("End")
    expect_node(page, game, PLIES)
    expect(page.locator('.controls a[data-go="end"]')).to_have_attribute("aria-disabled", "true")
    with loading(page):
        page.keyboard.press("Home")
    expect_node(page, game, 0)


def test_the_last_move_is_in_sight_where_rows_before_it_have_variations(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    forks = dict.fromkeys(range(PLIES - 21, PLIES, 4), 1)
    game = long_games.stored(long_games.with_forks(long_games.record(PLIES), forks, 2))
    page = open_page(address(live_server, game, f"?ply={PLIES}"))
    expect_node(page, game, PLIES)
    expect(page.locator('.moves a[aria-current="step"]')).to_be_in_viewport(ratio=0.9)


def test_the_shown_move_stays_in_sight_when_the_list_becomes_lower(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, f"?ply={PLIES}"))
    expect_node(page, game, PLIES)
    current = page.locator('.moves a[aria-current="step"]')
    expect(current).to_be_in_viewport(ratio=0.9)
    page.locator(".moves").evaluate("list => { list.style.flex = 'none'; list.style.height = '120px'; }")
    expect(current).to_be_in_viewport(ratio=0.9)


def test_a_variation_is_followed_beyond_what_is_shown_of_it(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, f"?ply={FORK - 1}"))
    expect_node(page, game, FORK - 1)
    expect(page.locator(".choices li")).to_have_count(4)
    page.locator(f'.choices a[data-key="{FORK}.1:{FORK}"]').click()
    expect_node(page, game, FORK, f"{FORK}.1")
    last = FORK + FORK_ROWS - 1
    page.locator(f'.moves li[data-key="{FORK}.1:{last}"] > a').click()
    expect_node(page, game, last, f"{FORK}.1")
    with loading(page):
        page.keyboard.press("ArrowRight")
    expect_node(page, game, last + 1, f"{FORK}.1")
    page.keyboard.press("End")
    expect_node(page, game, FORK + 99, f"{FORK}.1")


def test_the_chart_leads_to_any_ply(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = open_page(address(live_server, game))
    expect_node(page, game, 0)
    chart = page.locator("svg.time-chart")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    with loading(page):
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".controls .ply")).to_have_text(re.compile(r"^1[45]\d\d$"))


def test_without_scripts_links_lead_across_the_border(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, f"?ply={AHEAD}"), script=False)
    follow(page.locator('.controls a[data-go="forward"]'))
    expect(page.locator(".controls .ply")).to_have_text(str(AHEAD + 1))
    follow(page.locator(".moves .fold a").last)
    expect(page.locator(".controls .ply")).to_have_text(str(2 * AHEAD + 2))
    follow(page.locator(".moves .fold a").first)
    expect(page.locator(".controls .ply")).to_have_text(str(AHEAD + 2 + AHEAD // 2 - 1))


def test_a_frame_goes_on_in_itself_with_its_looks(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, f"?ply={AHEAD}&theme=dark", "embed/games"))
    expect(page.locator(".controls .ply")).to_have_text(str(AHEAD))
    with loading(page):
        page.keyboard.press("End")
    expect(page.locator(".controls .ply")).to_have_text(str(PLIES))
    expect(page).to_have_url(re.compile(rf"/embed/games/\d+/\?ply={PLIES}&theme=dark$"))


def test_further_continuations_are_listed_by_pages(open_page: PageMaker, live_server: LiveServer) -> None:
    game = long_games.stored(long_games.with_forks(long_games.record(40), {3: 3_000}))
    page = open_page(address(live_server, game, "?ply=2"))
    expect_node(page, game, 2)
    follow(page.locator(".choices .further a"))
    expect(page.locator(".choices li")).to_have_count(40)
    follow(page.locator(".choices .further a"))
    expect(page.locator('.choices a[data-key="3.39:3"]')).to_be_visible()
    follow(page.locator(".choices .further a"))
    expect(page.locator('.choices a[data-key="3.79:3"]')).to_be_visible()


def test_playing_by_itself_goes_on_across_the_border(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    page.locator(f'.moves li[data-key=":{AHEAD - 1}"] > a').click()
    expect_node(page, game, AHEAD - 1)
    page.locator("select.speed").select_option("0.3")
    with loading(page):
        page.locator("button.play").click()
    expect(page.locator(".controls .ply")).to_have_text(re.compile(r"^(40[3-9]|4[1-9]\d|[5-9]\d\d)$"))
    page.locator("button.play").click()
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "false")
