"""The parts around the replay: autoplay, swipes, tabs, own moves, the archive's moves, copies, charts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from archive.derive.game import derive_game
from archive.models import Game
from kifu_core import load
from kifu_core.shogi.draw import HEIGHT, WIDTH
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.browser.boards import expect_board, swipe, tap
from tests.browser.conftest import PHONE, PageMaker, eventually, follow, freeze

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LINE = "7g7f 3c3d 8h2b+ 3a2b B*4e"
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"


@pytest.fixture
def game() -> Game:
    """A game with times and a comment, and another one that leaves it at the second move."""
    made = builders.record(LINE, None, {"先手": "甲野", "後手": "乙山", "持ち時間": "各10分"})
    for ply, entry in enumerate(made["moves"][1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": 10 * ply}, "total": {"h": 0, "m": 0, "s": 10 * ply}}
    made["moves"][1]["comments"] = ["角道を開ける"]
    builders.ingest(derive_game(builders.parsed(made)), builders.ready("7g7f 8c8d", black="丙", white="丁"))
    return Game.objects.get(plies=5)


def address(live_server: LiveServer, game: Game, query: str = "") -> str:
    return f"{live_server.url}/games/{game.pk}/{query}"


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".controls .ply")).to_have_text(str(ply))


def expect_archive_moves(page: Page, count: int) -> None:
    """The table of the archive's moves is the one of the shown position, and stays."""
    expect(page.locator(".archive-moves")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator(".archive-moves tbody tr")).to_have_count(count)


def frozen(open_page: PageMaker, url: str) -> Page:
    """A page in which time stands still."""
    page = open_page(alone=True)
    freeze(page)
    page.goto(url)
    return page


FRAME = 20
"""Milliseconds in which a frame is drawn."""


def test_the_space_key_plays_the_game_to_its_end_and_stops(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = frozen(open_page, address(live_server, game))
    page.locator("select.speed").select_option("0.3")
    page.locator("h1").first.click()
    page.keyboard.press("Space")
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "true")
    for ply in range(1, 7):
        page.clock.run_for(300 + FRAME if ply == 1 else 300)
        expect_ply(page, min(ply, 5))
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(300)
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "false")
    expect_ply(page, 5)


def test_a_step_by_hand_stops_the_playing(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = frozen(open_page, address(live_server, game))
    page.locator("select.speed").select_option("0.5")
    page.locator("button.play").click()
    page.clock.run_for(500 + FRAME)
    expect_ply(page, 1)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.clock.run_for(FRAME)
    expect_ply(page, 5)
    page.clock.run_for(500)
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "false")
    expect_ply(page, 5)


def test_a_swipe_turns_to_the_next_move_and_back(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game), size=PHONE)
    swipe(page, 300, 200)
    expect_ply(page, 1)
    swipe(page, 200, 300)
    expect_ply(page, 0)
    swipe(page, 200, 210)
    expect_ply(page, 0)


def test_on_a_phone_one_part_at_a_time_stands_under_a_board_that_stays(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=1"), size=PHONE)
    expect(page.locator(".moves")).to_be_visible()
    expect(page.locator(".comment")).to_be_hidden()
    page.locator('.tabs [data-tab="comments"]').click()
    expect(page.locator(".comment")).to_contain_text("角道を開ける")
    expect(page.locator(".moves")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".no-comment")).to_be_visible()
    page.locator('.tabs [data-tab="info"]').click()
    expect(page.locator(".headers")).to_be_visible()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    top = "document.querySelector('.stage').getBoundingClientRect().top >= -1"
    eventually(page, lambda: page.evaluate(top), True)


@pytest.mark.parametrize("size", [PHONE, (320, 640)])
def test_on_a_phone_the_chosen_part_comes_up_to_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int]
) -> None:
    page = open_page(address(live_server, game, "?ply=1"), size=size)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    page.locator('.tabs [data-tab="comments"]').click()
    expect(page.locator(".comment")).to_be_in_viewport(ratio=1)
    page.locator('.tabs [data-tab="info"]').click()
    expect(page.locator("h1")).to_be_in_viewport(ratio=1)
    expect(page.locator("svg.board")).to_be_in_viewport(ratio=1)
    # From the end of a long part to the beginning of another one, which the board does not cover.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.locator('.tabs [data-tab="charts"]').click()
    gap = (
        "document.querySelector('.charts').getBoundingClientRect().top"
        " - document.querySelector('.tabs').getBoundingClientRect().bottom"
    )
    assert page.evaluate(gap) >= 0


@pytest.mark.parametrize("size", [(844, 390), (667, 375), (820, 1100), (320, 640)])
def test_board_and_controls_stay_whole_on_screens_of_any_shape(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int]
) -> None:
    page = open_page(address(live_server, game, "?ply=1"), size=size)
    page.wait_for_selector(".game-page.live")
    page.locator('.tabs [data-tab="info"]').click()
    page.evaluate("document.querySelector('.more').scrollIntoView()")
    for part in ("svg.board", ".seat.white", ".seat.black", ".controls"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_controls_of_a_phone_are_large_and_in_reach(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game), size=PHONE)
    for control in page.locator(".controls a, .tabs button").all():
        box = control.bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= PHONE[1]


def test_what_other_games_played_here_stands_beside_the_board_and_on_it(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=1"))
    rows = page.locator(".archive-moves tbody tr")
    expect(rows).to_have_count(2)
    expect(page.locator(".board-arrows .arrow")).to_have_count(2)
    page.locator("button.arrows").click()
    expect(page.locator(".board-arrows .arrow")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(1)


def test_moves_that_no_game_has_are_no_arrows(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    builders.ingest(builders.ready("7g7f 4a3b", kind="tree"), builders.ready("7g7f 3c3d 9g9f", kind="tree"))
    page = open_page(address(live_server, game, "?ply=1"))
    expect(page.locator(".archive-moves tbody tr")).to_have_count(3)
    expect(page.locator(".board-arrows .arrow")).to_have_count(2)
    # The only game's own next move would be revealed.
    page.keyboard.press("ArrowRight")
    expect_archive_moves(page, 2)
    expect(page.locator(".board-arrows .arrow")).to_have_count(0)


def test_a_move_of_the_archive_is_tried_or_leads_along_the_game(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=1"))
    expect_archive_moves(page, 2)
    page.locator('.archive-moves tr[data-move="3c3d"] a').click()
    expect_ply(page, 2)
    expect(page.locator(".tried")).to_be_hidden()
    expect_archive_moves(page, 1)
    page.keyboard.press("ArrowLeft")
    expect_ply(page, 1)
    expect_archive_moves(page, 2)
    page.locator('.archive-moves tr[data-move="8c8d"] a').click()
    expect(page.locator(".tried li")).to_have_text(["2 △８四歩"])
    expect(page).to_have_url(re.compile(r"\?ply=1&try=8c8d$"))


def try_a_pawn(page: Page) -> None:
    """Play ▲２六歩 by two taps, instead of the game's own first move."""
    tap(page, 2, 7)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 2, 6)
    expect(page.locator(".tried li")).to_have_text(["1 ▲２六歩"])


def test_own_moves_are_played_beside_the_game_and_never_stored(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    try_a_pawn(page)
    tap(page, 8, 3)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 8, 4)
    expect(page.locator(".tried li")).to_have_text(["1 ▲２六歩", "2 △８四歩"])
    sfen = "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL b - 3"
    expect_board(page, Position.from_sfen(sfen))
    page.keyboard.press("ArrowLeft")
    expect_ply(page, 1)
    page.locator(".tried a.back").click()
    expect_ply(page, 0)
    assert Game.objects.count() == 2


def test_a_move_that_is_not_legal_is_not_played(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    tap(page, 2, 7)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 2, 5)
    expect(page.locator("svg.board .target")).to_have_count(0)
    expect_ply(page, 0)


def test_a_move_tapped_before_the_legal_moves_have_come_is_played(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=4"))
    queries: list[Route] = []
    page.route("**/legal", lambda route: queries.append(route))
    page.locator('.seat.black [data-kind="6"]').click()
    tap(page, 5, 5)
    expect_ply(page, 4)
    eventually(page, lambda: len(queries), 1)
    queries[0].continue_()
    expect(page.locator(".tried li")).to_have_text(["5 ▲５五角"])


def test_a_promotion_is_asked_for_and_drops_come_from_the_hand(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"))
    tap(page, 8, 8)
    expect(page.locator("svg.board .target")).not_to_have_count(0)
    tap(page, 2, 2)
    expect(page.locator(".promotion")).to_be_visible()
    page.locator('.promotion [data-promote="0"]').click()
    expect(page.locator(".tried li")).to_have_text(["3 ▲２二角不成"])
    page.goto(address(live_server, game, "?ply=4"))
    page.locator('.seat.black [data-kind="6"]').click()
    expect(page.locator("svg.board .target")).not_to_have_count(0)
    tap(page, 5, 5)
    expect(page.locator(".tried li")).to_have_text(["5 ▲５五角"])


def test_own_moves_can_be_chosen_without_a_pointer(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game), language="en")
    page.locator("select.legal").focus()
    expect(page.locator("select.legal option")).to_have_count(31)
    page.locator("select.legal").select_option("2g2f")
    expect(page.locator(".tried li")).to_have_text(["1 ▲P-2f"])


def test_arrow_keys_in_a_menu_step_and_play_no_move_by_themselves(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    page.locator("select.speed").select_option("2")
    page.locator("select.speed").focus()
    page.keyboard.press("ArrowRight")
    expect_ply(page, 1)
    expect(page.locator("select.speed")).to_have_value("2")
    page.locator("select.legal").focus()
    expect(page.locator("select.legal option")).to_have_count(31)
    page.keyboard.press("ArrowLeft")
    expect_ply(page, 0)
    expect(page.locator('select.legal option[value="2g2f"]')).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    expect(page.locator('.moves a[aria-current="step"]')).to_have_text(re.compile("７六歩"))
    expect(page.locator(".tried")).to_be_hidden()


@pytest.mark.parametrize(
    ("take", "expected_text"),
    [
        ("kif", "▲甲野"),
        ("usi", "position sfen"),
        ("bod", "後手の持駒"),
        ("link", "?ply=2"),
    ],
)
def test_records_positions_and_links_are_copied_with_one_tap(
    open_page: PageMaker, live_server: LiveServer, game: Game, take: str, expected_text: str
) -> None:
    page = frozen(open_page, address(live_server, game, "?ply=2"))
    page.clock.run_for(1000)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.locator(f'[data-take="{take}"]')
    button.click()
    expect(button).to_have_text("コピー済み")
    copied = page.evaluate("navigator.clipboard.readText()")
    if take == "kif":
        assert load(copied).games[0].record["moves"][:6] != []
        assert "甲野" in copied
    else:
        assert expected_text in copied
    if take == "usi":
        assert copied.endswith(f"moves {LINE}")


def test_the_code_for_other_sites_shows_the_shown_move(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=3&flip=1"), script=False)
    code = page.locator(".embed-code code")
    expect(code).to_contain_text(f'src="{live_server.url}/embed/games/{game.pk}/?ply=3&amp;flip=1"')
    page = open_page(address(live_server, game, "?ply=3"))
    code = page.locator(".embed-code code")
    page.keyboard.press("ArrowRight")
    expect(code).to_contain_text(f'/embed/games/{game.pk}/?ply=4"')
    page.locator(".embed-code summary").click()
    page.locator('[data-embed="theme"]').select_option("dark")
    page.keyboard.press("Home")
    expect(code).to_contain_text(f'/embed/games/{game.pk}/?theme=dark"')


PICTURE = """
async () => {
  const [item] = await navigator.clipboard.read();
  const bitmap = await createImageBitmap(await item.getType("image/png"));
  return [bitmap.width, bitmap.height];
}
"""


@pytest.mark.parametrize("place", ["game", "position"])
def test_a_position_is_copied_as_a_picture(
    open_page: PageMaker, live_server: LiveServer, game: Game, place: str
) -> None:
    page = open_page(address(live_server, game, "?ply=3"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if place == "position":
        follow(page.locator("a.position-link"))
    button = page.locator("button[data-picture]")
    button.click()
    expect(button).to_have_text("コピー済み")
    assert page.evaluate(PICTURE) == [2 * WIDTH, 2 * HEIGHT]


def test_links_lead_to_the_same_place_in_other_programs(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"))
    sfen = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL_b_-_3"
    link = page.locator('[data-open-in="lishogi"]')
    expect(link).to_have_attribute("href", f"https://lishogi.org/analysis/{sfen}")
    moves = re.escape("&moves=7g7f.3c3d.8h2b%2B.3a2b.B*4e#2")
    expect(page.locator('[data-open-in="kento"]')).to_have_attribute("href", re.compile(f"{moves}$"))


def test_the_time_chart_follows_the_moves_and_leads_to_them(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    chart = page.locator("svg.time-chart")
    page.keyboard.press("ArrowRight")
    expect(chart.locator(".cursor")).to_have_attribute("transform", "translate(1 0)")
    expect_archive_moves(page, 2)
    width = chart.evaluate("(chart) => chart.getBoundingClientRect().width")
    chart.click(position={"x": width * 5 / 7, "y": 10})
    expect_ply(page, 4)
    expect(page.locator(".chart-part")).to_contain_text("0:50")
    page.locator('.chart-part [data-key=":5"]').click()
    expect_ply(page, 5)


def test_the_solution_of_a_problem_is_hidden_until_it_is_asked_for(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    builders.ingest(builders.ready("G*5b", kind="problem", start=MATE_IN_ONE))
    page = open_page(address(live_server, Game.objects.get()))
    expect(page.locator(".moves")).to_be_hidden()
    page.locator(".solution summary").click()
    expect(page.locator(".moves")).to_contain_text("▲５二金")


def test_a_printed_sheet_has_the_facts_the_board_and_the_moves_and_no_controls(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"), size=PHONE)
    page.emulate_media(media="print")
    for selector in ("h1", "svg.board", ".moves"):
        expect(page.locator(selector).first).to_be_visible()
    for selector in (".controls", ".tabs", ".tools", ".site-header", ".more", ".board-arrows"):
        expect(page.locator(selector)).to_be_hidden()


PAPER = (718, 1040)
"""A sheet of A4 less its margins, in the pixels of a style sheet."""


def test_a_printed_sheet_breaks_no_move_in_two(open_page: PageMaker, live_server: LiveServer) -> None:
    shuffle = "7g7f 3c3d 8h2b+ 3a2b 6i5h 8b7b " + "2h3h 7b8b 3h2h 8b7b " * 26
    made = builders.record(shuffle, {5: [["B*4e", "6a5b", "4e3d"]]})
    for entry in made["moves"][1:-1]:
        entry["time"] = {"now": {"m": 10, "s": 1}, "total": {"h": 1, "m": 0, "s": 0}}
        entry["comments"] = ["解説"]
    builders.ingest(derive_game(builders.parsed(made)))
    page = open_page(address(live_server, Game.objects.get()), PAPER)
    page.wait_for_selector(".game-page.live")
    page.emulate_media(media="print")
    assert page.evaluate(BROKEN_LINES) == []


BROKEN_LINES = """
() => {
  const parts = [...document.querySelectorAll(".moves .n, .moves a, .moves .t")];
  const tall = (part) => part.getBoundingClientRect().height > 24;
  const wide = (part) => part.scrollWidth > part.clientWidth + 1;
  return parts.filter((part) => tall(part) || wide(part)).map((part) => part.textContent);
}
"""


def test_pieces_can_have_letters_on_every_page(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=3"))
    expect(page.locator(".board .piece text").first).to_have_text("香")
    follow(page.locator("form.pieces button"))
    expect(page.locator("html")).to_have_attribute("data-pieces", "letters")
    expect(page).to_have_url(re.compile(r"\?ply=3$"))
    page.wait_for_selector(".game-page.live")
    texts = page.locator('.board .piece:not([visibility="hidden"]) text')
    letters = {"P", "L", "N", "S", "G", "B", "R", "K", "+B"} - {"B"}
    eventually(page, lambda: set(texts.all_text_contents()), letters)
    expect(page.locator(".seat.black .hand text").first).to_have_text("B")
    follow(page.locator("form.pieces button"))
    expect(page.locator("html")).not_to_have_attribute("data-pieces", "letters")


def test_a_browser_that_keeps_nothing_replays_all_the_same(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(alone=True)
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })"
    )
    page.goto(address(live_server, game))
    page.keyboard.press("ArrowRight")
    expect_ply(page, 1)
    page.locator("button.arrows").click()
    expect(page.locator("button.arrows")).to_have_attribute("aria-pressed", "false")
