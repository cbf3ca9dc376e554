"""The board of a position's page is played on, by mouse, finger and keyboard."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from kifu_core.shogi.keys import shogi64
from tests.archive import builders
from tests.browser.boards import after, drag, expect_board, finger_drag, in_hand, middle, tap
from tests.browser.conftest import (
    BOTH_SIZES_AND_LANGUAGES,
    DESKTOP,
    PHONE,
    PageMaker,
    eventually,
    follow,
)

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

EXCHANGE = "7g7f 3c3d 8h2b+ 3a2b"


def address(live_server: LiveServer, moves: str = "", query: str = "") -> str:
    return f"{live_server.url}/positions/shogi/{shogi64.encode(after(moves))}/{query}"


@pytest.fixture(autouse=True)
def archive() -> None:
    builders.ingest(
        builders.ready(f"{EXCHANGE} B*4e", black="甲野", white="乙山", day="2024/05/06"),
        builders.ready("7g7f 8c8d", winner=1, black="丙", white="丁", day="2020/01/01"),
        builders.ready("2g2f 8c8d", winner=None),
    )


def expect_position(page: Page, moves: str, games: int, start: str = "") -> None:
    """Board, list, line and address are those of the position after the moves."""
    expect_board(page, after(moves))
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", after(moves).sfen())
    expect(page.locator(".game-row")).to_have_count(games)
    assert urlsplit(page.url).path == f"/positions/shogi/{shogi64.encode(after(moves))}/"
    expect(page.locator("#position")).not_to_have_attribute("aria-busy", "true")


def line_of(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("line", [""])[0].split(".")


@BOTH_SIZES_AND_LANGUAGES
def test_a_move_is_dragged_or_tapped_and_the_list_follows_without_a_load(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = open_page(address(live_server), size, language)
    page.evaluate("window.same = true")
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    expect_position(page, "7g7f", 2)
    assert line_of(page) == ["7g7f"]
    tap(page, 3, 3)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 3, 4)
    expect_position(page, "7g7f 3c3d", 1)
    assert line_of(page) == ["7g7f", "3c3d"]
    words = {
        "ja": ["開始局面", "1 ▲７六歩", "2 △３四歩"],
        "en": ["Start of the line", "1 ▲P-7f", "2 △P-3d"],
    }[language]
    expect(page.locator(".walk li")).to_have_text(words)
    expect(page.locator(".walk [aria-current]")).to_have_text(words[2])
    assert page.evaluate("window.same") is True
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_legal_targets_are_shown_and_other_squares_refused(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(address(live_server))
    tap(page, 2, 8)
    expect(page.locator("svg.board .target")).to_have_count(6)
    tap(page, 2, 4)
    expect(page.locator("svg.board .target")).to_have_count(0)
    tap(page, 3, 3)
    expect(page.locator("svg.board .chosen")).to_have_count(0)
    drag(page, middle(page, 2, 7), middle(page, 2, 5))
    expect(page.locator("svg.board .chosen")).to_have_count(0)
    expect(page.locator(".carried")).to_have_count(0)
    expect_position(page, "", 3)


def test_a_promotion_is_asked_for_and_pieces_are_dropped_from_the_hand(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(address(live_server, "7g7f 3c3d"))
    drag(page, middle(page, 8, 8), middle(page, 2, 2))
    expect(page.locator(".promotion")).to_be_visible()
    page.locator('.promotion [data-promote="1"]').click()
    expect_position(page, "7g7f 3c3d 8h2b+", 1)
    drag(page, middle(page, 3, 1), middle(page, 2, 2))
    expect_position(page, EXCHANGE, 1)
    drag(page, in_hand(page, "black", 6), middle(page, 4, 5))
    expect_position(page, f"{EXCHANGE} B*4e", 1)
    assert line_of(page) == ["8h2b+", "3a2b", "B*4e"]
    tap_hand = page.locator('.seat.white [data-kind="6"]')
    tap_hand.click()
    expect(page.locator("svg.board .target")).not_to_have_count(0)
    tap(page, 5, 5)
    expect_position(page, f"{EXCHANGE} B*4e B*5e", 0)


def test_escape_lets_go_of_a_piece_and_of_a_promotion(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(address(live_server, "7g7f 3c3d"))
    drag(page, middle(page, 8, 8), middle(page, 2, 2))
    expect(page.locator(".promotion")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".promotion")).to_be_hidden()
    tap(page, 2, 7)
    expect(page.locator("svg.board .chosen")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("svg.board .chosen")).to_have_count(0)


def test_a_finger_drags_a_piece_and_does_not_scroll_the_page(phone: Page, live_server: LiveServer) -> None:
    phone.goto(address(live_server))
    expect(phone.locator(".played-on")).to_have_count(1)
    finger_drag(phone, middle(phone, 7, 7), middle(phone, 7, 6))
    expect_position(phone, "7g7f", 2)
    phone.touchscreen.tap(*middle(phone, 3, 3))
    expect(phone.locator("svg.board .target")).to_have_count(1)
    phone.touchscreen.tap(*middle(phone, 3, 4))
    expect_position(phone, "7g7f 3c3d", 1)
    assert phone.evaluate("scrollY") == 0


def test_moves_made_before_the_list_has_come_follow_one_another(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(address(live_server))
    held: list[Route] = []
    page.route("**/positions/shogi/*/?line=7g7f", lambda route: held.append(route))
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    eventually(page, lambda: len(held), 1)
    expect_board(page, after("7g7f"))
    drag(page, middle(page, 3, 3), middle(page, 3, 4))
    expect_board(page, after("7g7f 3c3d"))
    held[0].continue_()
    expect_position(page, "7g7f 3c3d", 1)
    assert line_of(page) == ["7g7f", "3c3d"]


def test_the_line_leads_back_and_forward_and_so_does_the_browser(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(address(live_server))
    page.evaluate("window.same = true")
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    expect_position(page, "7g7f", 2)
    page.locator('tr[data-move="3c3d"] a').click()
    expect_position(page, "7g7f 3c3d", 1)
    page.locator('.walk [data-go="back"]').click()
    expect_position(page, "7g7f", 2)
    expect(page.locator(".walk li")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect_position(page, "", 3)
    page.keyboard.press("ArrowRight")
    expect_position(page, "7g7f", 2)
    page.reload()
    expect_position(page, "7g7f", 2)
    expect(page.locator(".walk li")).to_have_count(3)
    page.evaluate("window.same = true")
    page.go_back()
    expect_position(page, "", 3)
    page.go_back()
    expect_position(page, "7g7f", 2)
    page.go_back()
    expect_position(page, "7g7f 3c3d", 1)
    page.go_forward()
    expect_position(page, "7g7f", 2)
    drag(page, middle(page, 8, 3), middle(page, 8, 4))
    expect_position(page, "7g7f 8c8d", 1)
    assert line_of(page) == ["7g7f", "8c8d"]


def test_filters_and_a_flipped_board_stay_from_move_to_move(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(address(live_server, "", "?black=%E7%94%B2%E9%87%8E"))
    expect(page.locator(".game-row")).to_have_count(1)
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    expect_position(page, "7g7f", 1)
    page.locator("a.flip").click()
    expect_board(page, after("7g7f"), flipped=True)
    page.locator('tr[data-move="3c3d"] a').click()
    expect_board(page, after("7g7f 3c3d"), flipped=True)
    assert parse_qs(urlsplit(page.url).query) == {"black": ["甲野"], "flip": ["1"], "line": ["7g7f.3c3d"]}


def test_the_moves_of_the_archive_are_arrows_that_can_be_hidden(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(address(live_server))
    expect(page.locator(".board-arrows .arrow")).to_have_count(2)
    page.locator("button.arrows").click()
    expect(page.locator(".board-arrows .arrow")).to_have_count(0)
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    expect_position(page, "7g7f", 2)
    expect(page.locator(".board-arrows .arrow")).to_have_count(0)
    page.locator("button.arrows").click()
    expect(page.locator(".board-arrows .arrow")).to_have_count(2)


@BOTH_SIZES_AND_LANGUAGES
def test_moves_are_played_without_a_pointer(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = open_page(address(live_server), size, language)
    menu = page.locator("select.legal")
    menu.focus()
    expect(menu.locator("option")).to_have_count(31)
    expect(menu.locator('option[value="7g7f"]')).to_have_text({"ja": "７六歩", "en": "P-7f"}[language])
    menu.select_option("7g7f")
    expect_position(page, "7g7f", 2)
    expect(menu).to_be_focused()
    expect(menu.locator("option")).to_have_count(31)


def test_without_javascript_the_links_carry_the_line(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(address(live_server), script=False)
    follow(page.locator('tr[data-move="7g7f"] a'))
    follow(page.locator('tr[data-move="8c8d"] a'))
    expect_position(page, "7g7f 8c8d", 1)
    follow(page.locator('.walk [data-go="back"]'))
    expect_position(page, "7g7f", 2)
    follow(page.locator('.walk [data-go="forward"]'))
    expect_position(page, "7g7f 8c8d", 1)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_board_of_the_server_does_not_jump_when_it_comes_alive(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int]
) -> None:
    place = address(live_server, EXCHANGE, "?line=7g7f.3c3d.8h2b%2B.3a2b")
    plain = open_page(place, size, script=False)
    live = open_page(place, size)
    expect(live.locator(".played-on")).to_have_count(1)
    for selector in ("svg.board", ".seat.black .hand", "svg.board .last-to"):
        box = plain.locator(selector).bounding_box()
        assert box
        eventually(live, live.locator(selector).bounding_box, box)
