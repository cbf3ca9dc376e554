"""The board of a replay is played on; what was tried and what branches is in sight; problems are solved."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.derive.game import derive_game
from archive.models import Game, Problem
from archive.problems import finding
from tests.archive import builders
from tests.browser.boards import after, drag, expect_board, finger_drag, in_hand, middle, swipe
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, DESKTOP, PHONE, PageMaker, eventually, follow

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LINE = "7g7f 3c3d 8h2b+ 3a2b B*4e"
LAYOUTS = [DESKTOP, (1000, 600), (1920, 1000), (820, 1100), PHONE, (844, 390), (320, 640)]


@pytest.fixture
def game() -> Game:
    """A game with a variation, times and comments."""
    made = builders.record(LINE, {2: [["8c8d", "2g2f"]]}, {"先手": "甲野", "後手": "乙山", "棋戦": "名人戦"})
    for ply, entry in enumerate(made["moves"][1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": 10 * ply}, "total": {"h": 0, "m": 0, "s": 10 * ply}}
        entry["comments"] = ["長い解説が続く。" * 20, f"** {ply * 10}"]
    builders.ingest(derive_game(builders.parsed(made)))
    return Game.objects.get()


def opened(
    open_page: PageMaker, live_server: LiveServer, game: Game, query: str = "", **options: object
) -> Page:
    page = open_page(f"{live_server.url}/games/{game.pk}/{query}", **options)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    return page


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".controls .ply")).to_have_text(str(ply))


@BOTH_SIZES_AND_LANGUAGES
def test_pieces_are_dragged_and_what_was_tried_is_seen_without_scrolling(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> None:
    page = opened(open_page, live_server, game, size=size, language=language)
    drag(page, middle(page, 2, 7), middle(page, 2, 6))
    expect(page.locator(".tried li")).to_have_text([{"ja": "1 ▲２六歩", "en": "1 ▲P-2f"}[language]])
    expect(page.locator(".tried")).to_be_in_viewport(ratio=1)
    drag(page, middle(page, 8, 3), middle(page, 8, 4))
    expect(page.locator(".tried li")).to_have_count(2)
    expect(page.locator(".tried")).to_be_in_viewport(ratio=1)
    page.locator(".tried a.back").click()
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    expect_ply(page, 1)
    expect(page.locator(".tried")).to_be_hidden()
    expect(page.locator(".choices a")).to_have_count(2)
    expect(page.locator(".choices a").last).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0


def test_circles_and_arrows_of_comments_are_drawn_on_the_board(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    made = builders.record(LINE)
    made["moves"][1]["comments"] = ["【妙手】", "[%csl G5e,Y1a]", "[%cal B8h2b]"]
    builders.ingest(derive_game(builders.parsed(made)))
    page = opened(open_page, live_server, Game.objects.get(), "?ply=1")
    expect(page.locator(".board-shapes > g")).to_have_count(3)
    expect(page.locator(".comment")).to_have_text("!! 妙手")
    page.locator('a[data-go="forward"]').click()
    expect(page.locator(".board-shapes > g")).to_have_count(0)


def test_pieces_are_dragged_from_the_hand_and_promotion_is_asked(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = opened(open_page, live_server, game, "?ply=2")
    drag(page, middle(page, 8, 8), middle(page, 2, 2))
    page.locator('.promotion [data-promote="0"]').click()
    expect(page.locator(".tried li")).to_have_text(["3 ▲２二角不成"])
    page.locator('li[data-key=":4"] > a').click()
    expect_ply(page, 4)
    drag(page, in_hand(page, "black", 6), middle(page, 5, 5))
    expect(page.locator(".tried li")).to_have_text(["5 ▲５五角"])


def test_a_finger_that_rests_on_a_piece_takes_it_along_and_a_quick_one_turns_to_the_next_move(
    phone: Page, live_server: LiveServer, game: Game
) -> None:
    phone.goto(f"{live_server.url}/games/{game.pk}/")
    expect(phone.locator(".game-page")).to_have_class(re.compile("live"))
    finger_drag(phone, middle(phone, 2, 7), middle(phone, 2, 6), rest=400)
    expect(phone.locator(".tried li")).to_have_text(["1 ▲２六歩"])
    phone.locator(".tried a.back").click()
    expect_ply(phone, 0)
    finger_drag(phone, middle(phone, 2, 7), middle(phone, 8, 7))
    expect_ply(phone, 1)
    expect(phone.locator(".tried")).to_be_hidden()


@BOTH_SIZES_AND_LANGUAGES
def test_the_question_mark_shows_the_keys_and_the_pieces_stay_meanwhile(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> None:
    page = opened(open_page, live_server, game, size=size, language=language)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name={"ja": "キー操作", "en": "Keys"}[language])
    expect(dialog).to_be_visible()
    expect(dialog).to_be_in_viewport(ratio=1)
    expect(dialog).to_contain_text({"ja": "一手進む", "en": "one move forward"}[language])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect_ply(page, 0)
    if size == PHONE:
        page.keyboard.press("?")
    else:
        page.locator("button.show-keys").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button").click()
    expect(dialog).to_be_hidden()
    page.locator("#site-q").fill("?")
    expect(dialog).to_be_hidden()


@BOTH_SIZES_AND_LANGUAGES
def test_a_tried_line_is_kept_by_its_address_a_reload_and_a_copied_link(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> None:
    page = opened(open_page, live_server, game, "?ply=2", size=size, language=language)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    drag(page, middle(page, 2, 7), middle(page, 2, 6))
    expect(page.locator(".tried li")).to_have_count(1)
    drag(page, middle(page, 8, 3), middle(page, 8, 4))
    words = {"ja": ["3 ▲２六歩", "4 △８四歩"], "en": ["3 ▲P-2f", "4 △P-8d"]}[language]
    expect(page.locator(".tried li")).to_have_text(words)
    expect(page).to_have_url(re.compile(r"\?ply=2&try=2g2f\.8c8d$"))
    page.reload()
    expect(page.locator(".tried li")).to_have_text(words)
    expect(page.locator(".tried [aria-current]")).to_have_text(words[1])
    expect_board(page, after("7g7f 3c3d 2g2f 8c8d"))
    if size == PHONE:
        page.locator('.tabs [data-tab="info"]').click()
    page.locator('[data-take="link"]').click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith("?ply=2&try=2g2f.8c8d")
    expect(page).to_have_url(copied)
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"\?ply=2&try=2g2f$"))
    page.locator(".tried a.back").click()
    expect(page).to_have_url(re.compile(r"\?ply=2$"))
    other = open_page(copied)
    expect(other.locator(".tried li")).to_have_count(2)
    expect_board(other, after("7g7f 3c3d 2g2f 8c8d"))


def test_a_tried_line_never_leaves_its_address_while_the_page_loads(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(alone=True)
    page.add_init_script(_SLOW_FRAMES)
    page.goto(f"{live_server.url}/games/{game.pk}/?ply=2&try=2g2f")
    expect(page.locator("[aria-live]", has_text="▲２六歩")).to_be_attached()
    assert page.evaluate("window.addresses") == []
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"\?ply=2$"))


_SLOW_FRAMES = """
window.addresses = [];
const replace = history.replaceState.bind(history);
history.replaceState = (state, title, address) => {
  window.addresses.push(address);
  replace(state, title, address);
};
window.requestAnimationFrame = (draw) => setTimeout(draw, 120);
"""
"""Every address that the page takes is noted, and frames come long after timers."""


def test_an_address_that_tries_moves_of_the_record_leads_along_it(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = opened(open_page, live_server, game, "?ply=1&try=3c3d.8h2b%2B.4a3b")
    expect(page.locator(".tried li")).to_have_text(["4 △３二金"])
    expect(page).to_have_url(re.compile(r"\?ply=3&try=4a3b$"))


@pytest.mark.parametrize("tried", ["2g2e", "zz", "2g2f.2g2f", "%00", "2g2f." * 2_000])
def test_an_address_that_tries_no_legal_moves_shows_the_game(
    open_page: PageMaker, live_server: LiveServer, game: Game, tried: str
) -> None:
    page = opened(open_page, live_server, game, f"?ply=2&try={tried}")
    expect_ply(page, 2)
    expect(page.locator(".tried")).to_be_hidden()
    expect(page).to_have_url(re.compile(r"\?ply=2$"))


@pytest.fixture
def problem() -> Game:
    """A problem with a solution that is longer than its list is high."""
    mates = "2h3h 8b7b 3h2h 7b8b " * 15
    builders.ingest(builders.ready(mates, kind="problem"))
    return Game.objects.get()


PLACES = """
() => {
  const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  const [list, current] = [box(".moves"), box('.moves a[aria-current="step"]')];
  const solution = box(".solution");
  const others = [".archive-part", ".more", ".source"].map(box);
  const below = others.filter((one) => one && one.height > 1 && one.left < list.right);
  return {
    inside: list.top >= solution.top && list.bottom <= solution.bottom + 1,
    apart: below.every((one) => one.top >= list.bottom || one.bottom <= list.top),
    seen: current.top >= list.top && current.bottom <= list.bottom,
    high: list.height > 60,
  };
}
"""
WELL = {"inside": True, "apart": True, "seen": True, "high": True}


@pytest.mark.parametrize("size", LAYOUTS)
@pytest.mark.parametrize("kind", ["games", "embed/games"])
def test_an_opened_solution_has_a_place_of_its_own_and_shows_the_current_move(
    open_page: PageMaker, live_server: LiveServer, problem: Game, size: tuple[int, int], kind: str
) -> None:
    page = open_page(f"{live_server.url}/{kind}/{problem.pk}/?ply=40", size=size)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    page.locator(".solution summary").click()
    expect(page.locator(".moves")).to_be_visible()
    eventually(page, lambda: page.evaluate(PLACES), WELL)


def test_an_opened_solution_has_its_place_without_javascript(
    open_page: PageMaker, live_server: LiveServer, problem: Game
) -> None:
    page = open_page(f"{live_server.url}/games/{problem.pk}/", script=False)
    page.locator(".solution summary").click()
    expect(page.locator(".moves")).to_be_visible()
    result = page.evaluate(PLACES)
    assert result["inside"] and result["apart"]


THREE = "7kl/9/5+P3/9/9/9/9/9/9 b GS 1"
TWO_GOLDS = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"


@BOTH_SIZES_AND_LANGUAGES
def test_a_problem_is_solved_on_the_board(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    forks = {1: [["G*6b", "5a4a", "G*4b"]]}
    builders.ingest(builders.ready("G*4b 5a6a G*6b", forks, kind="problem", start=TWO_GOLDS))
    page = opened(open_page, live_server, Game.objects.get(), size=size, language=language)
    news = page.locator(".solve-news")
    expect(news).to_be_visible()
    drag(page, in_hand(page, "black", 5), middle(page, 5, 2))
    expect(news).to_have_text(
        {
            "ja": "棋譜の手と違います。もう一度どうぞ。",
            "en": "The record has another move. Try again.",
        }[language]
    )
    expect_ply(page, 0)
    expect(page.locator(".tried")).to_be_hidden()
    drag(page, in_hand(page, "black", 5), middle(page, 4, 2))
    expect_ply(page, 2)
    expect(news).to_have_text({"ja": "正解です。続けてください。", "en": "Right. Go on."}[language])
    hint = page.locator("button.hint")
    hint.click()
    expect(news).to_have_text({"ja": "持駒を打ちます。", "en": "A piece from the hand is dropped."}[language])
    hint.click()
    expect(page.locator("svg.board .target")).to_have_count(1)
    expect(news).to_contain_text({"ja": "▲６二金", "en": "▲G*6b"}[language])
    drag(page, in_hand(page, "black", 5), middle(page, 6, 2))
    expect_ply(page, 3)
    expect(news).to_have_text({"ja": "解けました。", "en": "Solved."}[language])
    expect(hint).to_be_disabled()
    expect(page.locator(".moves")).to_be_hidden()


@pytest.mark.parametrize("kind", ["games", "embed/games"])
def test_no_step_gives_a_solution_away_before_it_was_found_or_opened(
    open_page: PageMaker, live_server: LiveServer, kind: str
) -> None:
    builders.ingest(builders.ready("G*4b 5a6a G*6b", kind="problem", start=TWO_GOLDS))
    page = open_page(f"{live_server.url}/{kind}/{Game.objects.get().pk}/")
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    for key in ("ArrowRight", "End", "ArrowDown", "Space"):
        page.keyboard.press(key)
        expect(page.locator("[aria-live].live")).to_have_text("解答を見る")
        expect_ply(page, 0)
    swipe(page, 300, 200)
    page.locator(".board-host").hover()
    page.mouse.wheel(0, 100)
    forward = page.locator('[data-go="forward"]')
    expect(forward).to_have_attribute("aria-disabled", "true")
    forward.click(force=True)
    expect_ply(page, 0)
    page.locator(".solution summary").click()
    expect(forward).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("ArrowRight")
    expect_ply(page, 1)


def test_what_was_found_of_a_solution_can_be_stepped_through(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    builders.ingest(builders.ready("G*4b 5a6a G*6b", kind="problem", start=TWO_GOLDS))
    page = opened(open_page, live_server, Game.objects.get())
    drag(page, in_hand(page, "black", 5), middle(page, 4, 2))
    expect_ply(page, 2)
    page.keyboard.press("Home")
    expect_ply(page, 0)
    for ply in (1, 2, 2):
        page.keyboard.press("ArrowRight")
        expect_ply(page, ply)


@BOTH_SIZES_AND_LANGUAGES
def test_problems_are_solved_one_after_the_other_from_their_diagrams(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    for start, moves in (("4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b"), (THREE, "S*3b 2a2b G*2c")):
        builders.ingest(builders.ready(moves, kind="problem", start=start))
    finding.find(Game.objects.values_list("pk", flat=True))
    first, second = Problem.objects.order_by("plies").values_list("pk", flat=True)
    page = open_page(live_server.url + "/problems/", size=size, language=language)
    expect(page.locator(".problems li svg.board")).to_have_count(2)
    for solution in ("５二", "5b"):
        expect(page.locator("main")).not_to_contain_text(solution)
    follow(page.locator(".problems a").first)
    expect(page).to_have_url(re.compile(rf"/problems/{first}/$"))
    drag(page, in_hand(page, "black", 5), middle(page, 5, 2))
    expect(page.locator(".solve-news")).to_have_text({"ja": "解けました。", "en": "Solved."}[language])
    follow(page.get_by_role("link", name={"ja": "次の問題", "en": "Next problem"}[language]))
    expect(page).to_have_url(re.compile(rf"/problems/{second}/$"))


def test_a_mate_is_played_against_the_best_defence_and_wrong_moves_are_answered(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    builders.ingest(builders.ready("S*3b 2a2b G*2c", kind="problem", start=THREE))
    finding.find(Game.objects.values_list("pk", flat=True))
    page = open_page(f"{live_server.url}/problems/{Problem.objects.get().pk}/", language="en")
    news = page.locator(".solve-news")
    drag(page, in_hand(page, "black", 5), middle(page, 5, 5))
    expect(news).to_have_text("Every move of a mate gives check.")
    page.get_by_role("button", name="Try again").click()
    expect(news).to_have_text("Find the solution: play it on the board.")
    page.locator("select.legal").focus()
    page.locator("select.legal").select_option("S*3b")
    expect(news).to_have_text("Right. Go on.")
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", re.compile(" b G"))
    drag(page, in_hand(page, "black", 5), middle(page, 2, 3))
    expect(news).to_have_text("Solved.")
    expect(page.locator(".score")).to_have_text("0 / 1")


def test_a_problem_can_be_read_without_scripts(open_page: PageMaker, live_server: LiveServer) -> None:
    builders.ingest(builders.ready("S*3b 2a2b G*2c", kind="problem", start=THREE))
    finding.find(Game.objects.values_list("pk", flat=True))
    page = open_page(f"{live_server.url}/problems/{Problem.objects.get().pk}/", language="ja", script=False)
    expect(page.locator(".board-host svg.board")).to_be_visible()
    solution = page.get_by_text("３二銀")
    expect(solution).to_be_hidden()
    page.locator("details.solution summary").click()
    expect(solution).to_be_visible()


def test_a_variation_of_the_record_is_right_too_and_an_opened_solution_lets_one_try_freely(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    forks = {1: [["G*6b", "5a4a", "G*4b"]]}
    builders.ingest(builders.ready("G*4b 5a6a G*6b", forks, kind="problem", start=TWO_GOLDS))
    page = opened(open_page, live_server, Game.objects.get())
    drag(page, in_hand(page, "black", 5), middle(page, 6, 2))
    expect_ply(page, 2)
    expect(page.locator(".seat.black [data-kind]")).to_have_count(1)
    page.locator(".solution summary").click()
    expect(page.locator(".solve")).to_be_hidden()
    page.keyboard.press("Home")
    expect_ply(page, 0)
    drag(page, in_hand(page, "black", 5), middle(page, 5, 2))
    expect(page.locator(".tried li")).to_have_text(["1 ▲５二金"])
