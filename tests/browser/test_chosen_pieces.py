"""Patterns that are taken from shown positions: squares are chosen by mouse, finger and keyboard."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import Game
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.patterns import parse, text_of
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.browser.boards import drag_over, expect_pattern, finger_drag, middle, point
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PHONE, PageMaker, eventually, follow
from tests.browser.test_accessibility import CONTRAST, violations

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

START = shogi64.encode(Position.initial())


@pytest.fixture
def game() -> Game:
    builders.ingest(builders.ready("7g7f 3c3d 8h2b+ 3a2b", black="甲野", white="乙山", day="2024/05/06"))
    return Game.objects.get()


def chosen(page: Page) -> str:
    """The pattern that the links of the mode lead to, in letters."""
    link = page.locator('.selecting a[data-address="/patterns/"]')
    text = parse_qs(urlsplit(link.get_attribute("href") or "").query).get("pattern", [""])[0]
    return text_of(parse(text)) if text else ""


@BOTH_SIZES_AND_LANGUAGES
def test_pieces_of_a_game_are_chosen_and_searched_for(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> None:
    page = open_page(f"{live_server.url}/games/{game.pk}/?ply=4", size=size, language=language)
    page.locator("button.select-pieces").click()
    expect(page.locator(".selecting a.main")).not_to_have_attribute("href", "")
    drag_over(page, (9, 7), (8, 8))
    point(page, 9, 8)
    point(page, 2, 2)
    eventually(page, lambda: chosen(page), "s2b P9g P8g")
    page.locator('[data-switch="empty"]').check()
    page.locator('[data-switch="hands"]').check()
    page.locator('[data-switch="either"]').uncheck()
    eventually(page, lambda: chosen(page), "s2b P9g P8g -8h hand:b,B own:black")
    expect(page.locator(".controls .ply")).to_have_text("4")
    follow(page.locator('.selecting a[data-address="/positions/shogi/edit/"]'))
    expect_pattern(page, "s2b P9g P8g -8h hand:b,B own:black")
    expect(page.locator("svg.board .asked")).to_have_count(4)


@BOTH_SIZES_AND_LANGUAGES
def test_board_and_fields_are_in_sight_while_pieces_are_chosen(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> None:
    for address in (f"/games/{game.pk}/?ply=4", f"/positions/shogi/{START}/"):
        page = open_page(live_server.url + address, size=size, language=language)
        page.locator("button.select-pieces").click()
        expect(page.locator(".selecting a.main")).to_be_in_viewport(ratio=1)
        expect(page.locator(".selecting button.leave")).to_be_in_viewport(ratio=1)
        expect(page.locator("svg.board")).to_be_in_viewport(ratio=1 if size != PHONE else 0.6)
        board, panel = (page.locator(one).bounding_box() for one in ("svg.board", ".selecting"))
        assert board and panel
        right = panel["x"] >= board["x"] + board["width"]
        assert right or panel["y"] >= board["y"] + board["height"]


def test_the_side_below_is_the_owner_of_what_is_searched_for(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(f"{live_server.url}/games/{game.pk}/?ply=4&flip=1", language="en")
    page.locator("button.select-pieces").click()
    point(page, 8, 8)
    page.locator('[data-switch="either"]').uncheck()
    eventually(page, lambda: chosen(page), "S8h own:white")
    page.locator('.controls a[data-go="back"]').click()
    eventually(page, lambda: chosen(page), "+b8h own:white")


def test_a_finger_and_the_keyboard_choose_squares_and_escape_leaves(
    phone: Page, live_server: LiveServer, game: Game
) -> None:
    phone.goto(f"{live_server.url}/games/{game.pk}/")
    phone.locator("button.select-pieces").tap()
    expect(phone.locator(".selecting")).to_be_visible()
    expect(phone.locator("svg.board .square-cursor")).to_have_count(0)
    finger_drag(phone, middle(phone, 9, 9), middle(phone, 7, 9))
    eventually(phone, lambda: chosen(phone), "L9i N8i S7i")
    phone.touchscreen.tap(*middle(phone, 8, 9))
    eventually(phone, lambda: chosen(phone), "L9i S7i")
    phone.locator(".select-cover").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowRight", "Space"):
        phone.keyboard.press(key)
    eventually(phone, lambda: chosen(phone), "L9i S7i K5i G4i S3i")
    expect(phone.locator(".controls .ply")).to_have_text("0")
    phone.keyboard.press("Escape")
    expect(phone.locator(".selecting")).to_be_hidden()
    expect(phone.locator(".select-cover")).to_have_count(0)
    expect(phone.locator("button.select-pieces")).to_be_focused()
    expect(phone.locator("svg.board .selected")).to_have_count(0)
    phone.keyboard.press("ArrowRight")
    expect(phone.locator(".controls .ply")).to_have_text("1")


def test_pieces_of_a_position_are_chosen_too_and_another_position_ends_that(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/", language="en")
    page.locator("button.select-pieces").click()
    drag_over(page, (2, 8), (1, 9))
    eventually(page, lambda: chosen(page), "R2h N2i L1i")
    page.locator('tr[data-move="7g7f"] a').click()
    expect(page.locator(".walk [aria-current]")).to_contain_text("P-7f")
    expect(page.locator(".selecting")).to_be_hidden()
    page.locator("button.select-pieces").click()
    point(page, 7, 6)
    eventually(page, lambda: chosen(page), "P7f")
    follow(page.locator(".selecting a.main"))
    assert parse_qs(urlsplit(page.url).query) == {"pattern": ["P7f"]}
    follow(page.get_by_role("link", name="Edit on the board"))
    expect_pattern(page, "P7f")


def test_pieces_of_a_position_that_is_set_up_are_chosen(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(live_server.url + "/positions/shogi/edit/", language="en")
    page.locator("button.select-pieces").click()
    page.keyboard.press("Space")
    expect(page.locator(".select-cursor")).to_have_text("5e empty (chosen)")
    drag_over(page, (6, 9), (4, 9))
    eventually(page, lambda: chosen(page), "G6i K5i G4i")
    page.keyboard.press("Escape")
    expect(page.locator(".selecting")).to_be_hidden()
    expect(page.locator("#sfen")).to_have_value(Position.initial().sfen())


@pytest.mark.parametrize("language", ["ja", "en"])
def test_axe_finds_nothing_while_squares_are_chosen(
    open_page: PageMaker, live_server: LiveServer, game: Game, language: str
) -> None:
    for theme in ("light", "dark"):
        page = open_page(f"{live_server.url}/games/{game.pk}/", language=language, theme=theme)
        page.emulate_media(reduced_motion="reduce")
        page.locator("button.select-pieces").click()
        point(page, 7, 7)
        assert violations(page, None if theme == "light" else CONTRAST) == []
