"""The layout of the pages of a game and of a position, in windows of laptops and phones."""

from __future__ import annotations

import itertools
import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.derive.game import derive_game
from archive.models import Game
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.games import BROKEN, stored
from tests.browser.boards import after, expect_board
from tests.browser.conftest import LANGUAGES, PHONE, PageMaker, eventually
from tests.browser.test_accessibility import assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LAPTOP = (1366, 650)
SIDEWAYS = (844, 390)
LINE = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d"
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def game() -> Game:
    """A game with times, comments on some moves, and evaluations with lines of play on others."""
    made = builders.record(LINE, None, {"先手": "甲野", "後手": "乙山", "棋戦": "名人戦"})
    for ply, entry in enumerate(made["moves"][1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": ply}, "total": {"h": 0, "m": ply, "s": 0}}
    made["moves"][2]["comments"] = ["** 120 +2726FU -8384FU +2625FU"]
    made["moves"][3]["comments"] = ["飛車先を突く。" * 40]
    made["moves"][6]["comments"] = ["** -80 +6978KI"]
    made["moves"][8]["comments"] = ["** 30000"]
    builders.ingest(derive_game(builders.parsed(made)))
    return Game.objects.get()


def opened(open_page: PageMaker, server: LiveServer, game: Game, query: str = "", **options: Any) -> Page:
    page = open_page(f"{server.url}/games/{game.pk}/{query}", **options)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    return page


def box(page: Page, selector: str) -> dict[str, float]:
    """The box of an element in the window."""
    result: dict[str, float] = page.locator(selector).first.evaluate(
        "(element) => element.getBoundingClientRect().toJSON()"
    )
    return result


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_laptop_the_board_takes_three_quarters_of_the_window_and_has_one_row_of_controls(
    open_page: PageMaker, live_server: LiveServer, game: Game, language: str
) -> None:
    page = opened(open_page, live_server, game, "?ply=3", size=LAPTOP, language=language)
    board = box(page, "svg.board")
    assert board["height"] >= 0.75 * LAPTOP[1]
    assert box(page, ".seat.white")["right"] <= board["left"]
    assert box(page, ".seat.black")["left"] >= board["right"]
    buttons = page.locator(".controls a, .tools button, .tools select").all()
    rows = {round(place["y"]) for one in buttons if (place := one.bounding_box())}
    assert len(rows) == 1
    for part in (
        ".seat.white", ".seat.black", ".controls", ".tools", ".moves", ".archive-part", "svg.score-chart",
    ):  # fmt: skip
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= LAPTOP[0]


@pytest.mark.parametrize("size", [LAPTOP, SIDEWAYS])
def test_what_a_record_has_that_could_not_be_read_is_told_beside_the_board(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int]
) -> None:
    stored(BROKEN)
    page = opened(open_page, live_server, Game.objects.get(), size=size)
    expect(page.locator(".broken-record")).to_be_in_viewport(ratio=1)
    for part in ("svg.board", ".controls"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [LAPTOP, (1280, 800)])
def test_the_move_list_and_the_board_stay_while_comments_come_and_go(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int]
) -> None:
    page = opened(open_page, live_server, game, size=size)
    places = [box(page, ".moves"), box(page, "svg.board"), box(page, ".archive-part")]
    for ply in range(1, 11):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".controls .ply")).to_have_text(str(ply))
        expect(page.locator(".comment, .no-comment").locator("visible=true")).to_have_count(1)
        assert [box(page, ".moves"), box(page, "svg.board"), box(page, ".archive-part")] == places, ply


@pytest.mark.parametrize(("flipped", "language"), [("", "ja"), ("&flip=1", "en")])
def test_on_a_phone_on_its_side_the_whole_board_stands_beside_the_record(
    open_page: PageMaker, live_server: LiveServer, game: Game, flipped: str, language: str
) -> None:
    page = opened(open_page, live_server, game, f"?ply=3{flipped}", size=SIDEWAYS, language=language)
    for part in ("svg.board", ".seat.white", ".seat.black", ".controls", ".tabs"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    board, moves = box(page, "svg.board"), box(page, ".moves")
    assert board["height"] > 0.8 * SIDEWAYS[1]
    assert moves["left"] > board["right"]
    expect(page.locator('.moves [aria-current="step"]')).to_be_in_viewport(ratio=1)
    assert moves["bottom"] <= SIDEWAYS[1]


def test_on_a_phone_a_line_tells_of_the_last_move_between_board_and_controls(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = opened(open_page, live_server, game, "?ply=2", size=PHONE)
    line = page.locator(".last-move")
    expect(line).to_have_text(re.compile(r"△３四歩\S*\s+0:02\s+\+120"))
    page.keyboard.press("ArrowRight")
    expect(line).to_have_text(re.compile(r"▲２六歩\S*\s+0:03\s+飛車先を突く。"))
    tops = [box(page, part) for part in (".seat.black", ".last-move", ".controls", ".tabs")]
    assert all(above["bottom"] <= below["top"] for above, below in itertools.pairwise(tops))
    assert tops[1]["height"] < 32
    assert tops[-1]["bottom"] <= PHONE[1]


def test_on_a_phone_the_archive_and_the_charts_are_one_tap_away_under_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = opened(open_page, live_server, game, "?ply=2", size=PHONE)
    page.locator('.tabs [data-tab="archive"]').click()
    expect(page.locator(".archive-moves tbody tr")).to_have_count(1)
    eventually(page, lambda: box(page, ".archive-part")["top"] - box(page, ".stage")["bottom"] < 16, True)
    expect(page.locator("svg.board")).to_be_in_viewport(ratio=1)
    page.locator('.tabs [data-tab="charts"]').click()
    expect(page.locator("svg.score-chart")).to_be_in_viewport(ratio=1)
    expect(page.locator("svg.board")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS])
def test_the_moves_of_a_position_stand_at_its_board_on_a_phone_and_the_board_stays(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int]
) -> None:
    code = shogi64.encode(after("7g7f"))
    page = open_page(f"{live_server.url}/positions/shogi/{code}/?line=7g7f", size=size)
    expect(page.locator(".moves-table tbody tr")).to_have_count(1)
    table, walk = box(page, ".moves-table"), box(page, ".walk")
    assert 0 <= table["top"] - walk["bottom"] < 24
    expect(page.locator(".moves-table tbody tr").first).to_be_in_viewport(ratio=1)
    page.locator(".codes").scroll_into_view_if_needed()
    expect(page.locator("svg.board")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chart_of_evaluations_is_under_the_board_and_the_values_beside_the_moves(
    open_page: PageMaker, live_server: LiveServer, game: Game, language: str
) -> None:
    page = opened(open_page, live_server, game, "?ply=6", size=(1280, 800), language=language)
    chart, board = box(page, "svg.score-chart"), box(page, "svg.board")
    assert chart["height"] >= 100 and chart["width"] >= 300
    assert chart["top"] >= board["bottom"]
    expect(page.locator("svg.score-chart")).to_be_in_viewport(ratio=1)
    values = page.locator(".moves .e")
    expect(values).to_have_text(["+120", "-80", {"ja": "+詰", "en": "+mate"}[language]])
    expect(page.locator('li[data-key=":2"] > .e')).to_have_text("+120")
    for row in page.locator(".moves li:has(> .e)").all():
        move, value = row.locator("> a").bounding_box(), row.locator("> .e").bounding_box()
        assert move and value and move["x"] + move["width"] <= value["x"]
        assert row.locator("> a").evaluate("one => one.scrollWidth <= one.offsetWidth")
    expect(page.locator(".charts .here")).to_have_text("-80")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".charts .here")).to_have_text("")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_of_play_is_followed_on_the_board(
    open_page: PageMaker, live_server: LiveServer, game: Game, language: str
) -> None:
    page = opened(open_page, live_server, game, "?ply=2", size=LAPTOP, language=language)
    line = page.locator(".comment .line a")
    expect(line).to_have_text(
        {"ja": ["▲２六歩", "△８四歩", "▲２五歩"], "en": ["▲P-2f", "△P-8d", "▲P-2e"]}[language]
    )
    line.nth(1).click()
    expect_board(page, after("7g7f 3c3d 2g2f 8c8d"))
    expect(line.nth(1)).to_have_attribute("aria-current", "step")
    expect(page).to_have_url(re.compile(r"\?ply=2&try=2g2f\.8c8d$"))
    page.keyboard.press("ArrowRight")
    expect_board(page, after("7g7f 3c3d 2g2f 8c8d 2f2e"))
    expect(line.nth(2)).to_have_attribute("aria-current", "step")
    line.nth(0).click()
    expect_board(page, after("7g7f 3c3d 2g2f"))
    page.locator(".tried a.back").click()
    expect_board(page, after("7g7f 3c3d"))


def test_a_line_of_play_is_followed_without_javascript(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(f"{live_server.url}/games/{game.pk}/?ply=2", script=False)
    link = page.locator(".comment .line a").nth(1)
    expect(link).to_have_attribute("href", f"/games/{game.pk}/?ply=2&try=2g2f.8c8d")


@pytest.mark.parametrize("theme", THEMES)
def test_black_is_filled_and_white_hollow_in_the_colour_of_text(
    open_page: PageMaker, live_server: LiveServer, game: Game, theme: Literal["light", "dark"]
) -> None:
    page = opened(open_page, live_server, game, theme=theme)
    for address in (
        f"/games/{game.pk}/",
        "/games/",
        f"/positions/shogi/{shogi64.encode(Position.initial())}/",
    ):
        page.goto(live_server.url + address)
        looks = page.evaluate(LOOKS)
        assert {side for side, _look in looks} == {"black", "white"}, address
        for side, look in looks:
            assert look["filled"] and look["hollow"] == (side == "white"), address
    assert page.evaluate(BARS) == ["black", "white"]


LOOKS = """
() => [...document.querySelectorAll(".mark.wedge")].map((mark) => {
  const { backgroundColor, clipPath, color } = getComputedStyle(mark);
  const side = mark.classList.contains("white") ? "white" : "black";
  return [side, { filled: backgroundColor === color, hollow: clipPath.includes("evenodd") }];
})
"""

# Of the bars the part that is nearer to the colour of text is Black's.
BARS = """
() => {
  const probe = document.body.appendChild(document.createElement("div"));
  const shade = (value) => {
    probe.style.color = value;
    const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3);
    return parts.reduce((sum, one) => sum + Number(one), 0);
  };
  const ink = shade("var(--ink)");
  const away = (name) => Math.abs(shade(`var(--${name}-wins)`) - ink);
  return ["white", "black"].sort((one, other) => away(one) - away(other));
}
"""


@pytest.mark.parametrize("theme", THEMES)
def test_arrows_and_marks_are_told_from_wood_and_pieces(
    open_page: PageMaker, live_server: LiveServer, game: Game, theme: Literal["light", "dark"]
) -> None:
    builders.ingest(builders.ready("7g7f 8c8d"))
    page = opened(open_page, live_server, game, "?ply=1", theme=theme)
    for ground in ("board", "piece"):
        contrasts = page.evaluate(CONTRASTS, ground)
        assert max(contrasts["arrow"], contrasts["arrow-edge"]) >= 3, (ground, contrasts)
    expect(page.locator(".board-arrows .arrow").first).to_be_visible()
    edge = page.locator(".board-arrows .arrow").first.evaluate("(arrow) => getComputedStyle(arrow).stroke")
    assert edge not in ("none", "")
    assert page.evaluate(CONTRASTS, "piece")["crossed"] >= 3


CONTRASTS = """
(ground) => {
  const probe = document.body.appendChild(document.createElement("div"));
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map((one) => {
      const share = Number(one) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const contrast = (name) => {
    const [dark, bright] = [light(name), light(ground)].sort((one, other) => one - other);
    return (bright + 0.05) / (dark + 0.05);
  };
  return Object.fromEntries(["arrow", "arrow-edge", "crossed"].map((name) => [name, contrast(name)]));
}
"""


def test_axe_finds_no_violation_in_windows_of_any_shape(
    browser: Browser, live_server: LiveServer, game: Game
) -> None:
    page = browser.new_page(locale="ja", reduced_motion="reduce")
    code = shogi64.encode(after("7g7f"))
    for width, height in (LAPTOP, SIDEWAYS, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        for address in (f"/games/{game.pk}/?ply=2", f"/positions/shogi/{code}/"):
            page.goto(live_server.url + address)
            assert_accessible(page, (address, width))
            if page.locator(".tabs").is_visible():
                for tab in page.locator(".tabs button").all():
                    tab.click()
                    assert_accessible(page, (width, tab.text_content()))
    page.close()
