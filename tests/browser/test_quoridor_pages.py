"""Quoridor's games and positions on this site, in a browser."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.derive.game import derive_game
from archive.models import Game
from archive.web.replay.record import find_node, position_at
from kifu_core.quoridor.board import name
from kifu_core.quoridor.keys import display_key, path_code
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfState
from kifu_core.quoridor.record import QuoridorEntry, as_jkf, new_record
from kifu_core.record import Ending, ParsedGame
from tests.archive.builders import ingest
from tests.archive.games import stored
from tests.archive.quoridor import after, line, ready
from tests.browser.conftest import DESKTOP, PHONE, PageMaker, follow
from tests.browser.quoridor_boards import click, expect_drawn, expected, point
from tests.browser.test_accessibility import keep_picture, violations

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LINE = "e2 e8 e3h e7 e3 e6 e6h d6v e4"
FORKS = {2: [["d9", "e3"]], 3: [["e3", "e7"], ["d3h"]]}
LAST = 9


@pytest.fixture
def game() -> Game:
    """A game of nine moves with forks, times and a comment, stored, and two that share its beginning."""
    entries: list[QuoridorEntry] = [{}, *line(QuoridorPosition.initial(), LINE.split(), FORKS)]
    entries[3]["comments"] = ["A wall at last https://example.org/ <b>"]
    for ply, entry in enumerate(entries[1:], start=1):
        entry["time"] = {"now": {"m": 0, "s": ply}, "total": {"h": 0, "m": ply, "s": 0}}
    header = {"先手": "Ada", "後手": "Bo"}
    record = new_record(header, QfState(QuoridorPosition.initial()), entries)
    ending = Ending("X", "TORYO", LAST, 0)
    ingest(derive_game(ParsedGame(as_jkf(record), "game", ending)))
    ingest(ready("e2 e8 e3", black="Cy", white="Di"), ready("e2 e8 e6h", black="Di", white="Cy", winner=1))
    return Game.objects.get(player0__name="Ada")


def expect_node(page: Page, game: Game, ply: int, fork: str = "", flipped: bool = False) -> None:
    """Board, walls in hand, code, list and counter all show this node."""
    node = find_node(game.jkf, fork, ply)
    position, last, played = position_at(game.jkf, node)
    expect(page.locator(".controls .ply")).to_have_text(str(played))
    expect_drawn(page.locator("svg.qf-board"), expected(position, name(last) if last else ""), flipped)
    for color in (0, 1):
        count = page.locator(f'.seat[data-color="{color}"] .qf-count')
        expect(count).to_have_attribute("title", re.compile(rf" {position.walls_left(color)}$"))
    expect(page.locator(".qf-code")).to_have_text(display_key(position))
    current = page.locator('.moves a[aria-current="step"]')
    expect(current).to_have_count(1)
    expect(current.locator("xpath=..")).to_have_attribute("data-key", f"{fork}:{ply}")


def address(live_server: LiveServer, game: Game, query: str = "") -> str:
    return f"{live_server.url}/games/{game.pk}/{query}"


def test_keys_step_through_the_game_and_its_forks(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game), language="en")
    for ply in range(LAST + 1):
        expect_node(page, game, ply)
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(rf"\?ply={LAST}$"))
    for ply in range(LAST - 1, 1, -1):
        page.keyboard.press("ArrowLeft")
        expect_node(page, game, ply)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect_node(page, game, 3, "3.0")
    page.keyboard.press("ArrowRight")
    expect_node(page, game, 4, "3.0")
    expect(page).to_have_url(re.compile(r"\?ply=4&fork=3\.0$"))
    page.keyboard.press("Home")
    expect_node(page, game, 0)


def test_buttons_the_list_and_turning_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game), language="en")
    page.locator('[data-go="end"]').click()
    expect_node(page, game, LAST)
    page.locator('li[data-key=":3"] > a').click()
    expect_node(page, game, 3)
    expect(page.locator(".comment")).to_contain_text("A wall at last")
    expect(page.locator('.seat[data-color="0"] .clock')).to_have_text("0:04")
    page.keyboard.press("f")
    expect_node(page, game, 3, flipped=True)
    page.locator('[data-go="back"]').click()
    expect_node(page, game, 2, flipped=True)
    expect(page.locator(".choices li")).to_have_count(3)
    page.locator(".choices a", has_text="d3h").click()
    expect_node(page, game, 3, "3.1", flipped=True)


def test_what_other_games_played_stands_beside_the_board_and_on_it(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"), language="en")
    table = page.locator(".archive-moves tbody tr")
    expect(table).to_have_count(3)
    expect(page.locator("svg.qf-board .qf-hint")).to_have_count(3)
    table.locator("a", has_text="e3h").click()
    expect_node(page, game, 3)
    page.keyboard.press("ArrowLeft")
    expect(table).to_have_count(3)
    # A move that the record has not is tried as a branch.
    table.locator("a", has_text="e6h").click()
    expect(page.locator(".tried li")).to_have_text(["3 ♙e6h"])
    expect_drawn(page.locator("svg.qf-board"), expected(after("e2 e8 e6h"), "e6h"))


def test_own_moves_are_tried_on_the_board_and_taken_to_the_free_one(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=3"), language="en")
    board = page.locator("svg.qf-board")
    page.mouse.move(*point(board, "d7h"))
    expect(page.locator(".qf-ghost")).to_have_class("qf-wall qf-ghost qf-black")
    click(page, board, "e7")  # the game's own move
    expect_node(page, game, 4)
    click(page, board, "c3v")
    click(page, board, "d7")
    expect_drawn(board, expected(after("e2 e8 e3h e7 c3v d7"), "d7"))
    expect(page.locator(".tried li")).to_have_text(["5 ♙c3v", "6 ♟\ufe0ed7"])
    click(page, board, "e3v")  # it crosses a wall
    expect(page.locator("p.live")).to_have_text("e3v: another wall is in the way")
    expect(page.locator("a.board-link")).to_have_attribute("href", re.compile(r"&ply=6$"))
    follow(page.locator("a.board-link"))
    requested = expected(after("e2 e8 e3h e7 c3v d7"), "d7", neutral=True)
    expect_drawn(page.locator("svg.qf-board"), requested)
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?ply=4&try=c3v\.d7$"))
    expect_drawn(board, expected(after("e2 e8 e3h e7 c3v d7"), "d7"))
    expect(page.locator(".tried li")).to_have_text(["5 ♙c3v", "6 ♟\ufe0ed7"])
    page.locator(".tried a.back").click()
    expect_node(page, game, 4)


def test_why_a_move_was_refused_is_not_replaced_by_the_words_of_the_move_before(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=4"), language="en")
    board = page.locator("svg.qf-board")
    click(page, board, "d2")
    expect(page.locator(".tried li")).to_have_text(["5 ♙d2"])
    click(page, board, "e3v")  # while the words of the move before are still to come
    expect(page).to_have_url(re.compile(r"\?ply=4&try=d2$"))
    expect(page.locator("p.live")).to_have_text("e3v: another wall is in the way")


def test_the_shown_line_is_played_on_on_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=4&fork=3.0"), language="en")
    expect(page.locator("a.board-link")).to_have_attribute("href", re.compile(r"&ply=4$"))
    follow(page.locator("a.board-link"))
    expect_drawn(page.locator("svg.qf-board"), expected(after("e2 e8 e3 e7"), "e7", neutral=True))


def test_a_game_from_a_start_of_its_own_is_played_on_from_there(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    stored("yzoAAIBQMBJSskqrh5dHVBA", "x.qf")  # it begins in turn 5
    page = open_page(address(live_server, Game.objects.get(), "?ply=3"), language="en")
    page.keyboard.press("ArrowRight")
    expect(page.locator("a.board-link")).to_have_attribute("href", re.compile(r"&ply=4$"))
    follow(page.locator("a.board-link"))
    expect(page.locator(".qf-info")).to_contain_text("TURN 9")
    expect(page.locator(".qf-field")).to_have_value("yzoAAIBQMBJSskqrh5dHVBA")
    expect(page.locator(".qf-status")).not_to_contain_text("does not fit")


def test_a_move_of_a_position_changes_board_table_and_address(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(f"{live_server.url}/positions/quoridor/{path_code(display_key(after('e2')))}/")
    page.evaluate("window.same = true")
    page.locator(".moves-table a", has_text="e8").click()
    expect(page).to_have_url(re.compile(re.escape(path_code(display_key(after("e2 e8"))))))
    expect_drawn(page.locator("svg.qf-board"), expected(after("e2 e8"), "e8"))
    expect(page.locator(".moves-table tbody tr")).to_have_count(3)
    assert page.evaluate("window.same")


def test_a_frame_steps_too(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = open_page(f"{live_server.url}/embed/games/{game.pk}/?ply=2", language="en")
    page.keyboard.press("ArrowRight")
    expect_drawn(page.locator("svg.qf-board"), expected(after("e2 e8 e3h"), "e3h"))
    page.locator('[data-go="forward"]').click()
    expect_drawn(page.locator("svg.qf-board"), expected(after("e2 e8 e3h e7"), "e7"))


LOOKS: list[tuple[str, tuple[int, int], Literal["light", "dark"]]] = [
    ("ja", DESKTOP, "light"),
    ("en", PHONE, "dark"),
]


@pytest.mark.parametrize(("language", "size", "theme"), LOOKS)
def test_axe_finds_no_violation_on_any_page(
    browser: Browser,
    live_server: LiveServer,
    game: Game,
    settings: Settings,
    language: str,
    size: tuple[int, int],
    theme: Literal["light", "dark"],
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    code = path_code(display_key(after("e2 e8")))
    view = ViewportSize(width=size[0], height=size[1])
    page = browser.new_page(locale=language, reduced_motion="reduce", viewport=view, color_scheme=theme)
    for path in (
        f"/games/{game.pk}/?ply=3", f"/positions/quoridor/{code}/?match=any", "/quoridor/board/?code=QBA",
        f"/embed/games/{game.pk}/?ply=1", f"/embed/positions/quoridor/{code}/", "/positions/quoridor/gkw/",
    ):  # fmt: skip
        page.goto(live_server.url + path)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true;")
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
        keep_picture(page, f"{language}-{theme}{path}")
    page.close()
