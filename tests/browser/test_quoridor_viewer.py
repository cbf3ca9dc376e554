"""The Quoridor viewer on pages of other sites, written for the original of 2014."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from kifu_core.quoridor.board import name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import decode
from tests.browser.conftest import PageMaker
from tests.browser.other_site import OtherSite, as_whitenoise
from tests.browser.quoridor_boards import expect_drawn, expected

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

STATE = "j7oklAHMe1ICg"
GAME = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"
PUBLISHED = f"""
<div class="qf_board_viewer" data-boardsize="7" data-flags="6" data-qfcode="{STATE}"></div>
<div class="qf_board_viewer" data-boardsize="9" data-flags="13" data-qfcode="{GAME}"></div>
"""
"""The two examples of the original's page, unchanged."""


def shown(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite, body: str, language: str = "en"
) -> Page:
    """A page of the other site that loads our module and sheet in place of jQuery and the originals."""
    files = (
        f'<link rel="stylesheet" href="{live_server.url}/static/quoridor/boards.css">'
        f'<script type="module" src="{live_server.url}/static/quoridor/boards.js"></script>'
    )
    html = f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8"><title>x</title>{files}{body}'
    other_site.pages["/"] = ("text/html; charset=utf-8", html.encode())
    page = open_page()
    page.route(f"{live_server.url}/static/**", as_whitenoise)
    page.goto(other_site.url + "/")
    return page


def viewer(code: str = "", **attributes: object) -> str:
    arguments = "".join(f' data-{key}="{value}"' for key, value in {"qfcode": code, **attributes}.items())
    return f'<div class="qf_board_viewer"{arguments}></div>'


def start(code: str) -> QuoridorPosition:
    return decode(code).start().position


def after(code: str, plies: int) -> tuple[QuoridorPosition, str]:
    """A position of a record, and the name of the move that led there."""
    result = decode(code)
    position = result.start().position.copy()
    moves = (result.moves or ())[:plies]
    for move in moves:
        position.do_move(move)
    return position, name(moves[-1]) if moves else ""


def board(page: Page, number: int = 0) -> Locator:
    return page.locator(".qf_board_viewer").nth(number).locator("svg.qf-board")


def test_the_published_page_works_unchanged(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    page = shown(open_page, live_server, other_site, PUBLISHED)
    first, second = page.locator(".qf_board_viewer").all()
    # Flags 6: neutral walls, the last move marked, no info bar, no buttons as there is no record.
    expect_drawn(board(page, 0), expected(start(STATE), "c3h", neutral=True))
    expect(first.locator(".qf-info, button")).to_have_count(0)
    box = board(page, 0).bounding_box()
    assert box
    assert round(box["width"]) == 7 * 48
    # Flags 13: turned, the last move marked, an info bar; NEXT plays.
    expect_drawn(board(page, 1), expected(QuoridorPosition.initial()), flipped=True)
    expect(second.locator(".qf-info")).to_have_text("TURN 1WHITE 10BLACK 10")
    for plies in range(1, 47):
        second.get_by_role("button", name="NEXT").click()
        if plies % 9 == 1:
            expect_drawn(board(page, 1), expected(*after(GAME, plies)), flipped=True)
    expect(second.locator(".qf-info")).to_have_text("TURN 47WHITE 0BLACK 3")


@pytest.mark.shared
def test_the_published_codes_show_what_they_say(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite, shared: Path
) -> None:
    pairs = json.loads((shared / "golden" / "qf" / "published-pairs.json").read_text())
    body = "".join(viewer(pair["code"], boardsize=4, flags=0) for pair in pairs)
    page = shown(open_page, live_server, other_site, body)
    for number, pair in enumerate(pairs):
        if pair["kind"].startswith("invalid"):
            expect(page.locator(".qf_board_viewer").nth(number).get_by_role("alert")).to_be_visible()
        else:
            expect_drawn(board(page, number), expected(start(pair["code"])))


def test_back_and_next_end_where_the_record_ends(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    page = shown(open_page, live_server, other_site, viewer("yzoAAIBQMBJSskqrh5dHVBA"))
    back, forward = page.get_by_role("button", name="BACK"), page.get_by_role("button", name="NEXT")
    expect(back).to_be_disabled()
    for _ in range(12):
        forward.click()
    expect(forward).to_be_disabled()
    expect(back).to_be_focused()
    expect_drawn(board(page), expected(*after("yzoAAIBQMBJSskqrh5dHVBA", 12)))
    page.keyboard.press("ArrowLeft")
    expect_drawn(board(page), expected(*after("yzoAAIBQMBJSskqrh5dHVBA", 11)))
    expect(forward).to_be_enabled()


def width(page: Page, number: int) -> int:
    box = board(page, number).bounding_box()
    assert box
    return round(box["width"])


def test_without_a_code_there_is_the_start_with_the_defaults(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    bare = '<div class="qf_board_viewer"></div>'
    body = bare + "".join(viewer(code) for code in ("", "null", "0", "false"))
    page = shown(open_page, live_server, other_site, body)
    for number in range(5):
        expect_drawn(board(page, number), expected(QuoridorPosition.initial()))
        expect(page.locator(".qf-info").nth(number)).to_have_text("TURN 1WHITE 10BLACK 10")
        assert width(page, number) == 480


SIZES = {"7.9": 336, "x": 480, "": 480, "-3": 480, "0": 480, "12": 576}


def test_a_size_that_is_no_number_is_ten_and_fractions_are_cut_off(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    page = shown(open_page, live_server, other_site, "".join(viewer(STATE, boardsize=size) for size in SIZES))
    expect(page.locator("svg.qf-board")).to_have_count(len(SIZES))
    assert [width(page, number) for number in range(len(SIZES))] == list(SIZES.values())


def test_buttons_stand_at_the_right_within_ten_units(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    sizes = (5, 6, 7, 10, 12)
    page = shown(open_page, live_server, other_site, "".join(viewer(GAME, boardsize=size) for size in sizes))
    for number, size in enumerate(sizes):
        field, element = board(page, number).bounding_box(), page.locator(".qf_board_viewer").nth(number)
        assert field
        for text in ("BACK", "NEXT"):
            button = element.get_by_role("button", name=text)
            box = button.bounding_box()
            assert box
            assert field["x"] + field["width"] <= box["x"], size
            assert box["x"] + box["width"] <= field["x"] + 58 * size + 0.5, size
            assert button.evaluate("(one) => one.scrollWidth <= one.clientWidth"), size


def test_each_flag_does_its_part(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    all_flags: list[tuple[str, int]] = [(str(bits), bits) for bits in range(16)] + [("19", 3), ("x", 5)]
    body = "".join(viewer(STATE, flags=text, boardsize=3) for text, _ in all_flags)
    page = shown(open_page, live_server, other_site, body)
    for number, (_, bits) in enumerate(all_flags):
        requested = expected(start(STATE), "c3h" if bits & 4 else "", neutral=bool(bits & 2))
        expect_drawn(board(page, number), requested, flipped=bool(bits & 8))
        expect(page.locator(".qf_board_viewer").nth(number).locator(".qf-info")).to_have_count(bits & 1)


WRONG = {
    "gkw": "truncated",
    "QTBAQEBAtGqpPsldTasr": "truncated",
    "j7oklAHMe1ICgA": "trailing-chars",
    "j7ok-_HMe1ICg": "bad-char",
    "qMwAAIAQ": "pawn-range",
    "lCgAAIAQ": "pawn-overlap",
    "gkwVBUAIBQ": "wall-conflict",
    "gkywAhBkElFoIpAAIMg": "wall-count",
    "QMBAQAZ3QE": "illegal-move",
    "A": "no-content",
}


def test_a_wrong_code_shows_a_message_and_no_board(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    body = "".join(
        f'<section lang="{("en", "ja")[n % 2]}">{viewer(code)}</section>' for n, code in enumerate(WRONG)
    )
    page = shown(open_page, live_server, other_site, body)
    for number, error in enumerate(WRONG.values()):
        words = ("This code cannot be shown: ", "このコードは表示できません：")[number % 2]
        element = page.locator(".qf_board_viewer").nth(number)
        expect(element.get_by_role("alert")).to_contain_text(words)
        expect(element.locator("code")).to_have_text(error)
        expect(element.locator("svg")).to_have_count(0)


def test_what_the_original_read_wrongly_is_read_as_it_was_meant(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    """It read a blank in a code as six zeros, and its own snapshot of the start with Black to move."""
    codes = [" j7okl\nAHMe 1ICg== ", "gkwAAAAQ", "gkwAAIAQ", "QA"]
    page = shown(open_page, live_server, other_site, "".join(map(viewer, codes)), "ja")
    expect_drawn(board(page), expected(start(STATE), "c3h"))
    expect(board(page)).to_have_accessible_name(
        "黒番 白：駒e4、残りの板8枚、置いた板：c3h、e3h 黒：駒e7、残りの板8枚、置いた板：d7h、d8v"
    )
    for number in (1, 2, 3):
        expect_drawn(board(page, number), expected(QuoridorPosition.initial()))
        assert (board(page, number).get_attribute("aria-label") or "").startswith("白番")
    # Nor is there anything to play in a record without moves.
    expect(page.get_by_role("button", name="NEXT")).to_be_disabled()


def test_boards_that_come_later_are_started_when_asked(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    page = shown(open_page, live_server, other_site, viewer(STATE))
    expect(board(page)).to_be_visible()
    page.evaluate(
        "async ([address, html]) => { document.body.insertAdjacentHTML('beforeend', html);"
        " (await import(address)).startBoards(); }",
        [f"{live_server.url}/static/quoridor/boards.js", viewer(GAME)],
    )
    expect(board(page, 1)).to_be_visible()
    expect(page.locator("svg.qf-board")).to_have_count(2)


def test_it_works_under_a_strict_policy_and_fits_a_narrow_screen(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    policy = f"default-src 'none'; script-src {live_server.url}; style-src {live_server.url}"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = shown(open_page, live_server, other_site, meta + viewer(GAME))
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="NEXT").click()
    expect_drawn(board(page), expected(*after(GAME, 1)))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.get_by_role("button", name="NEXT").bounding_box()
    assert box
    assert box["height"] >= 44
