"""Squares of a pattern, marked where it stands in a game: for either side, mirrored, and in a variation."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from kifu_core.shogi.draw import PAGE
from kifu_core.shogi.squares import USI
from tests.archive.builders import ingest, ready
from tests.archive.columns import build
from tests.browser.conftest import PageMaker, eventually, follow

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

_FRAMES = """
() => [...document.querySelectorAll("#replay svg.board .marked rect")].map(
  (rect) => [Number(rect.getAttribute("x")), Number(rect.getAttribute("y"))])
"""


@pytest.fixture(autouse=True)
def game(settings: Settings, tmp_path: Path) -> None:
    """A game with a variation at its third move."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    ingest(ready("7g7f 3c3d 2g2f", {3: [["6g6f", "8c8d", "6i7h"]]}))
    build()


def marked(page: Page, flipped: bool = False) -> set[str]:
    """The squares that have a frame on the page's board, as it lies."""
    rows: list[list[int]] = page.evaluate(_FRAMES)
    squares = [(y - PAGE.top) // PAGE.height * 9 + (x - PAGE.left) // PAGE.width for x, y in rows]
    return {USI[80 - square if flipped else square] for square in squares}


def opened(open_page: PageMaker, live_server: LiveServer, pattern: str) -> Page:
    """The page of the game, by the link in the list of games with a pattern."""
    page = open_page()
    page.goto(f"{live_server.url}/patterns/?{urlencode({'pattern': pattern})}")
    follow(page.locator(".games .game-row"))
    expect(page.locator("#replay")).to_have_class("game-page forked live")
    return page


@pytest.mark.parametrize(
    ("pattern", "node", "squares"),
    [
        ("P7f P2f own:black", ":3", {"7f", "2f"}),
        ("P7f -7g own:white", ":2", {"3d", "3c"}),
        ("P3f -3g own:black mirror:yes", ":1", {"7f", "7g"}),
        ("P7f p8d {G,S}7h", "3.0:5", {"7f", "8d", "7h"}),
    ],
    ids=["black", "white", "mirrored", "in a variation"],
)
def test_the_board_marks_the_squares_where_the_pattern_stands(
    open_page: PageMaker, live_server: LiveServer, pattern: str, node: str, squares: set[str]
) -> None:
    page = opened(open_page, live_server, pattern)
    expect(page.locator("#replay")).to_have_attribute("data-node", node)
    eventually(page, lambda: marked(page), squares)
    page.locator("a.flip").click()
    eventually(page, lambda: marked(page, flipped=True), squares)


def test_marks_go_with_their_move_and_stay_in_the_address(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = opened(open_page, live_server, "P7f P2f own:black")
    eventually(page, lambda: marked(page), {"7f", "2f"})
    page.keyboard.press("ArrowLeft")
    eventually(page, lambda: marked(page), set())
    eventually(page, lambda: "marked" in page.url, False)
    page.locator(".marked-squares a").click()
    eventually(page, lambda: marked(page), {"7f", "2f"})
    eventually(page, lambda: "ply=3&marked=7f.2f" in page.url, True)
    page.reload()
    eventually(page, lambda: marked(page), {"7f", "2f"})


def test_without_scripts_they_are_marked_too(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(script=False)
    page.goto(f"{live_server.url}/patterns/?{urlencode({'pattern': 'P7f P2f own:black'})}")
    page.locator(".games .game-row").click()
    expect(page.locator("#replay svg.board .marked rect")).to_have_count(2)


def test_boards_of_steps_lie_side_by_side_whatever_is_told_of_them(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(language="en")
    text = "P7f hand:P<=9 board:R=1 turn:own ply:1..9 kept:1 then P2f then<=3 P6f"
    page.goto(f"{live_server.url}/patterns/?{urlencode({'pattern': text})}")
    boards = [board.bounding_box() for board in page.locator(".pattern-board svg.board").all()]
    assert len({box["y"] for box in boards if box}) == 1 and len(boards) == 3
    words = [caption.bounding_box() for caption in page.locator(".pattern-board figcaption").all()]
    assert len({box["y"] for box in words if box}) == 1
    page.set_viewport_size({"width": 390, "height": 844})
    stacked = [board.bounding_box() for board in page.locator(".pattern-board svg.board").all()]
    assert len({box["x"] for box in stacked if box}) == 1 and len({box["y"] for box in stacked if box}) == 3


def test_on_paper_the_results_stand_without_what_is_for_the_screen(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(language="en", theme="dark")
    page.goto(f"{live_server.url}/patterns/?{urlencode({'pattern': 'P7f own:black'})}")
    page.emulate_media(media="print")
    for one in ("form.name-filter", ".edit-pattern", ".filter-games", ".total a", ".plot details"):
        expect(page.locator(one).first).to_be_hidden()
    for one in (".total", "svg.board", ".tally", ".games .game-row"):
        expect(page.locator(one).first).to_be_visible()
