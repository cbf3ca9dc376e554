"""The position page and the position editor in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.browser.boards import drawn, expect_board, hand, middle, tap
from tests.browser.conftest import PHONE, PageMaker, eventually, follow

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

START = shogi64.encode(Position.initial())
AFTER_76 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -"


@pytest.fixture(autouse=True)
def archive() -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d 2g2f", black="甲野", white="乙山", day="2024/05/06"),
        builders.ready("7g7f 8c8d", winner=1, black="丙", white="丁", day="2020/01/01"),
        builders.ready("2g2f 8c8d", winner=None),
    )


def expect_sfen_of_board(page: Page, sfen: str) -> None:
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", re.compile(f"^{re.escape(sfen)}"))


def test_moves_are_clicked_through_without_a_load_and_the_back_button_returns(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/")
    page.evaluate("window.same = true")
    expect(page.locator(".game-row")).to_have_count(3)
    page.locator('tr[data-move="7g7f"] a').click()
    expect_sfen_of_board(page, AFTER_76)
    expect_board(page, Position.from_sfen(AFTER_76))
    expect(page.locator(".game-row")).to_have_count(2)
    expect(page.locator("#position-news")).to_contain_text("2")
    page.locator('tr[data-move="3c3d"] a').click()
    expect(page.locator(".game-row")).to_have_count(1)
    page.go_back()
    expect(page.locator(".game-row")).to_have_count(2)
    page.go_back()
    expect(page.locator(".game-row")).to_have_count(3)
    assert page.evaluate("window.same") is True


def test_the_match_toggle_shows_the_positions_that_count_too(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/")
    page.locator('tr[data-move="7g7f"] a').click()
    expect_sfen_of_board(page, AFTER_76)
    page.locator('.match a[href*="any"]').click()
    expect(page.locator(".images li")).to_have_count(3)
    expect(page.locator('.match a[aria-current="true"]')).to_have_attribute("href", re.compile("any"))
    expect(page).to_have_url(re.compile("match=any"))


def test_the_board_stays_while_one_reads_what_is_beside_it(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/")
    page.locator(".filter-games summary").click()
    page.evaluate("scrollTo(0, 250)")
    assert page.evaluate("scrollY") == 250
    expect(page.locator("svg.board")).to_be_in_viewport(ratio=1)


def test_games_come_in_either_order(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/")
    expect(page.locator(".game-row").first).to_contain_text("甲野")
    page.locator(".through .section-head a").click()
    expect(page.locator(".game-row").first).to_contain_text("丙")
    expect(page).to_have_url(re.compile("order=oldest"))


def test_the_links_of_a_position_work_without_javascript(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/", script=False)
    follow(page.locator('tr[data-move="7g7f"] a'))
    expect_sfen_of_board(page, AFTER_76)


def test_the_code_for_other_sites_follows_the_chosen_size(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/")
    page.locator(".embed-code summary").click()
    page.locator('[data-embed="size"]').select_option("320x440")
    page.locator('[data-embed="theme"]').select_option("dark")
    code = page.locator("#snippet")
    expect(code).to_contain_text('width="320" height="440"')
    expect(code).to_contain_text(f"/embed/positions/shogi/{START}/?theme=dark")


def editor(open_page: PageMaker, live_server: LiveServer, **options: object) -> Page:
    return open_page(live_server.url + "/positions/shogi/edit/", **options)


def expect_sfen(page: Page, sfen: str) -> None:
    expect(page.locator("#sfen")).to_have_value(re.compile(f"^{re.escape(sfen)}"))


def test_a_position_is_set_up_by_tapping_and_searched(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server, size=PHONE)
    tap(page, 7, 7)
    tap(page, 7, 6)
    page.locator("button.turn-toggle").click()
    expect_sfen(page, AFTER_76)
    follow(page.get_by_role("link", name="この局面を検索"))
    expect(page.locator(".game-row")).to_have_count(2)


def test_pieces_are_dragged_to_squares_and_hands(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server)
    drag(page, middle(page, 8, 2), middle(page, 5, 5))
    expect_sfen(page, "lnsgkgsnl/7b1/ppppppppp/9/4r4/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1")
    box = page.locator('[data-hand="0"]').bounding_box()
    assert box
    drag(page, middle(page, 5, 5), (box["x"] + 5, box["y"] + 5))
    expect_sfen(page, "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1")
    eventually(page, lambda: hand(page, "black"), ["飛"])


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end)
    page.mouse.up()


def test_a_second_tap_turns_a_piece_over_and_then_gives_it_to_the_other_side(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server)
    tap(page, 2, 8)
    for row in ("1B5+R1", "1B5r1", "1B5+r1", "1B5R1"):
        tap(page, 2, 8)
        expect_sfen(page, f"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/{row}/LNSGKGSNL b - 1")


def test_the_box_takes_and_gives_and_steps_are_undone(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server)
    tap(page, 5, 7)
    page.locator("button.remove").click()
    expect(page.locator('[data-box="1"] .left')).to_have_text("1")
    page.locator("button.side").click()
    page.locator('[data-box="1"]').click()
    tap(page, 5, 5)
    expect_sfen(page, "lnsgkgsnl/1r5b1/ppppppppp/9/4p4/9/PPPP1PPPP/1B5R1/LNSGKGSNL b - 1")
    expect(page.locator("#hints .error")).to_have_text("☖の5筋が二歩です。")
    page.locator("button.undo").click()
    page.locator("button.undo").click()
    expect_sfen(page, Position.initial().sfen())
    expect(page.locator("#hints .fine")).to_be_visible()


def test_a_position_is_set_up_with_the_keyboard_alone(open_page: PageMaker, live_server: LiveServer) -> None:
    page = editor(open_page, live_server)
    page.locator("select.preset").select_option("9/9/9/9/9/9/9/9/9 b - 1")
    page.locator("#editor .board-host").focus()
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+R")
    page.keyboard.press("+")
    expect_sfen(page, "9/9/9/4+r4/4K4/9/9/9/9 b - 1")
    expect(page.locator("#cursor")).to_have_text("5四 ☖龍")
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect_sfen(page, "9/9/9/3+r5/4K4/9/9/9/9 b - 1")
    page.keyboard.press("Delete")
    expect_sfen(page, "9/9/9/9/4K4/9/9/9/9 b - 1")


def test_the_cursor_of_the_keyboard_goes_where_one_taps_and_shows_when_keys_are_pressed(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server, size=PHONE)
    cursor = page.locator("svg.board .target")
    page.locator("#editor .board-host").focus()
    expect(cursor).to_have_count(1)
    tap(page, 7, 7)
    expect(page.locator("svg.board .chosen")).to_have_count(1)
    expect(cursor).to_have_count(0)
    page.keyboard.press("Escape")
    expect(cursor).to_have_count(1)
    page.keyboard.press("+")
    expect_sfen(page, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PP+PPPPPPP/1B5R1/LNSGKGSNL b - 1")


def test_without_javascript_the_editors_forms_do_the_same(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = editor(open_page, live_server, script=False)
    page.locator("#text").fill("position startpos moves 7g7f")
    follow(page.get_by_role("button", name="読み取る"))
    expect_board(page, Position.from_sfen(AFTER_76))
    page.locator("#sfen").fill("4k4/9/9/9/9/9/9/9/4K4 b - 1")
    follow(page.get_by_role("button", name="表示", exact=True))
    assert len(drawn(page)) == 2
