"""The replay in a browser: what keys, buttons, the list and forks do to board, texts and address."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.derive.game import derive_game
from archive.models import Game
from archive.web.replay.record import find_node, position_at
from kifu_core.jkf import MoveEntry
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.browser.boards import drawn, expect_board, expected, hand
from tests.browser.conftest import DESKTOP, PHONE, PageMaker, eventually, follow, loading

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

LINE = "7g7f 3c3d 8h2b+ 3a2b B*4e 6a5b 4e3d 2b3c 3d5f"
FORKS = {2: [["8c8d", "2g2f"]], 3: [["2g2f", "8c8d"], ["6g6f"]]}
LAST = 10

# One step is on the screen, and the page is left before the address has followed it.
STEP_AND_LEAVE = """
async () => {
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
  setTimeout(() => document.querySelector("header a").click());
}
"""


@pytest.fixture
def game() -> Game:
    """A game of nine moves with forks, times and a comment, stored."""
    made = builders.record(LINE, FORKS, {"先手": "甲野", "後手": "乙山"})
    entries = made["moves"]
    entries[3]["comments"] = ["角交換 https://example.org/ <b>", "次の行"]
    for ply, entry in enumerate(entries[1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": ply}, "total": {"h": 0, "m": ply, "s": 0}}
    builders.ingest(derive_game(builders.parsed(made)))
    return Game.objects.get()


def position(game: Game, ply: int, fork: str = "") -> tuple[Position, int]:
    """The server's position of a node, and the moves played."""
    shown, _last, played = position_at(game.jkf, find_node(game.jkf, fork, ply))
    return shown, played


def expect_node(page: Page, game: Game, ply: int, fork: str = "", flipped: bool = False) -> None:
    """Board, hands, SFEN, list and counter all show this node."""
    shown, played = position(game, ply, fork)
    expect(page.locator(".controls .ply")).to_have_text(str(played))
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", shown.sfen(played + 1))
    expect_board(page, shown, flipped)
    for color, side in enumerate(("black", "white")):
        kinds = sum(count > 0 for count in shown.hands[color])
        eventually(page, lambda side=side: len(hand(page, side)), kinds)  # type: ignore[misc]
    expect(page.locator(".sfen")).to_have_text(shown.sfen(played + 1))
    current = page.locator('.moves a[aria-current="step"]')
    expect(current).to_have_count(1)
    expect(current.locator("xpath=..")).to_have_attribute("data-key", f"{fork}:{ply}")


def address(live_server: LiveServer, game: Game, query: str = "") -> str:
    return f"{live_server.url}/games/{game.pk}/{query}"


def test_arrow_keys_step_through_the_game_and_the_address_follows(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    expect_node(page, game, 0)
    for ply in range(1, LAST + 1):
        page.keyboard.press("ArrowRight")
        expect_node(page, game, ply)
    page.keyboard.press("ArrowRight")
    expect_node(page, game, LAST)
    expect(page).to_have_url(re.compile(rf"\?ply={LAST}$"))
    for ply in range(LAST - 1, -1, -1):
        page.keyboard.press("ArrowLeft")
        expect_node(page, game, ply)
    expect(page).to_have_url(address(live_server, game))


def test_who_leaves_within_the_step_comes_back_to_what_was_shown(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    expect_node(page, game, 0)
    with loading(page):
        page.evaluate(STEP_AND_LEAVE)
    page.go_back()
    expect(page).to_have_url(address(live_server, game, "?ply=1"))
    expect_node(page, game, 1)


def test_home_and_end_and_the_buttons_do_the_same(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=4"))
    expect_node(page, game, 4)
    page.keyboard.press("End")
    expect_node(page, game, LAST)
    page.keyboard.press("Home")
    expect_node(page, game, 0)
    for name, ply in (("forward", 1), ("forward", 2), ("back", 1), ("end", LAST), ("start", 0)):
        page.locator(f'[data-go="{name}"]').click()
        expect_node(page, game, ply)


def test_an_address_opens_at_its_ply_and_fork(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=3&fork=2.0"))
    expect_node(page, game, 3, "2.0")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect_node(page, game, 1)


def test_a_click_on_a_move_goes_there_without_loading_the_page(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    page.evaluate("window.same = true")
    page.locator('li[data-key=":7"] > a').click()
    expect_node(page, game, 7)
    page.locator('li[data-key="3.0:4"] > a').click()
    expect_node(page, game, 4, "3.0")
    expect(page).to_have_url(re.compile(r"\?ply=4&fork=3\.0$"))
    assert page.evaluate("window.same") is True


def test_choices_appear_where_the_game_branches_and_lead_into_forks(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    expect(page.locator(".choices")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    choices = page.locator(".choices a")
    expect(choices).to_have_count(3)
    choices.nth(2).click()
    expect_node(page, game, 3, "3.1")
    page.keyboard.press("ArrowUp")
    expect_node(page, game, 3, "3.0")
    page.keyboard.press("ArrowUp")
    expect_node(page, game, 3)
    page.keyboard.press("ArrowDown")
    expect_node(page, game, 3, "3.0")


def test_the_board_can_be_flipped_and_stays_flipped(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=5"))
    page.keyboard.press("f")
    expect_node(page, game, 5, flipped=True)
    expect(page).to_have_url(re.compile(r"\?ply=5&flip=1$"))
    page.keyboard.press("ArrowRight")
    expect_node(page, game, 6, flipped=True)
    expect(page).to_have_url(re.compile(r"\?ply=6&flip=1$"))
    page.reload()
    expect_node(page, game, 6, flipped=True)
    page.locator("a.flip").click()
    expect_node(page, game, 6)


def test_the_last_move_is_marked(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = open_page(address(live_server, game))
    places = "(name) => { const r = document.querySelector('svg.board .' + name);" + (
        " return [r.getAttribute('visibility'), r.getAttribute('x'), r.getAttribute('y')]; }"
    )
    assert page.evaluate(places, "last-to")[0] == "hidden"
    page.keyboard.press("ArrowRight")
    expect_node(page, game, 1)
    assert page.evaluate(places, "last-from") == ["visible", "128", "422"]
    assert page.evaluate(places, "last-to") == ["visible", "128", "356"]
    page.locator('li[data-key=":5"] > a').click()
    expect_node(page, game, 5)
    assert page.evaluate(places, "last-from")[0] == "hidden"


def test_comments_stand_beside_the_board_with_safe_links(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"))
    comment = page.locator(".comment")
    expect(comment).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(comment).to_be_visible()
    expect(comment).to_contain_text("角交換 https://example.org/ <b>")
    expect(comment.locator("a")).to_have_attribute("rel", re.compile("nofollow"))
    page.keyboard.press("ArrowRight")
    expect(comment).to_be_hidden()


def test_clocks_show_what_each_side_has_used(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=4"))
    expect(page.locator(".seat.black .clock")).to_have_text("0:04")
    expect(page.locator(".seat.white .clock")).to_have_text("0:06")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".seat.black .clock")).to_have_text("0:09")


def test_the_position_link_leads_to_the_shown_position(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    page.keyboard.press("End")
    expect_node(page, game, LAST)
    follow(page.locator("a.position-link"))
    shown, _played = position(game, LAST)
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", shown.sfen())
    expect_board(page, shown)
    expect(page.locator(".game-row")).to_have_count(1)


def test_the_wheel_over_the_board_steps(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = open_page(address(live_server, game))
    page.locator(".board-host").hover()
    page.mouse.wheel(0, 100)
    expect(page.locator(".controls .ply")).to_have_text("1")
    page.mouse.wheel(0, -100)
    expect(page.locator(".controls .ply")).to_have_text("0")


def test_typing_in_the_search_box_does_not_move_the_pieces(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"))
    page.locator("#site-q").focus()
    page.keyboard.press("f")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    expect(page.locator("#site-q")).to_have_value("f")
    expect_node(page, game, 2)


def test_each_move_is_announced_to_screen_readers(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    page.keyboard.press("ArrowRight")
    expect(page.locator('[aria-live="polite"].live')).to_contain_text("▲７六歩")
    expect(page.locator("svg.board")).to_have_attribute("aria-label", re.compile("▲７六歩"))


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_board_of_the_server_does_not_jump_when_the_script_takes_over(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int]
) -> None:
    query = "?ply=5&flip=1"
    plain = open_page(address(live_server, game, query), size, script=False)
    live = open_page(address(live_server, game, query), size)
    live.wait_for_selector(".game-page.live")
    expect_board(plain, position(game, 5)[0], flipped=True)
    expect_board(live, position(game, 5)[0], flipped=True)
    for selector in ("svg.board", ".seat.black .hand", ".seat.white .hand"):
        place = plain.locator(selector).bounding_box()
        eventually(live, live.locator(selector).bounding_box, place)


@pytest.mark.parametrize("size", [(1000, 600), DESKTOP, (1920, 1000)])
def test_charts_and_a_long_comment_beside_the_board_end_above_what_stands_below(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int]
) -> None:
    made = builders.record(
        LINE, None, {"先手": "とても長い名前" * 6, "後手": "乙山", "棋戦": "長い棋戦" * 12}
    )
    for ply, entry in enumerate(made["moves"][1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": ply}, "total": {"h": 0, "m": ply, "s": 0}}
        entry["comments"] = [f"** {ply * 10}", *["長い解説が続く。" * 8] * 5]
    builders.ingest(derive_game(builders.parsed(made)))
    page = open_page(address(live_server, Game.objects.get(), "?ply=4"), size)
    expect(page.locator("svg.chart")).to_have_count(2)
    expect(page.locator(".archive-moves tbody tr")).to_have_count(1)
    below = page.locator(".more").bounding_box()
    assert below
    parts = page.evaluate(PARTS)
    assert {"notes", "move-part", "below", "charts"} <= {part["name"] for part in parts}
    assert [part for part in parts if part["bottom"] > below["y"]] == []
    assert [pair for pair in itertools.combinations(parts, 2) if overlap(*pair)] == []


PARTS = """
() => {
  const parts = document.querySelectorAll(".panel > *, .charts, .controls, .tools, .board-frame, .seat");
  const places = [...parts].map((part) => {
    const { top, bottom, left, right } = part.getBoundingClientRect();
    return { name: part.className, top, bottom, left, right };
  });
  return places.filter((place) => place.bottom > place.top);
}
"""


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two parts of a page overlap."""
    apart = one["right"] <= other["left"] or other["right"] <= one["left"]
    return not apart and one["top"] < other["bottom"] - 1 and other["top"] < one["bottom"] - 1


def test_the_list_keeps_the_current_move_in_sight_and_the_board_in_place(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    shuffle = "2h3h 8b7b 3h2h 7b8b " * 30
    builders.ingest(builders.ready(shuffle))
    game = Game.objects.get()
    page = open_page(address(live_server, game), size=PHONE)
    expect(page.locator(".archive-moves")).not_to_have_attribute("aria-busy", "true")
    board = page.locator("svg.board").bounding_box()
    page.keyboard.press("End")
    expect(page.locator(".controls .ply")).to_have_text("120")
    eventually(page, lambda: page.evaluate(IN_SIGHT), True)
    eventually(page, page.locator("svg.board").bounding_box, board)


IN_SIGHT = """
() => {
  const frame = document.querySelector(".moves").getBoundingClientRect();
  const current = document.querySelector('.moves a[aria-current="step"]').getBoundingClientRect();
  return frame.top <= current.top && current.bottom <= frame.bottom;
}
"""


def test_without_javascript_the_links_step(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = open_page(address(live_server, game), script=False)
    for ply in (1, 2, 3):
        follow(page.locator('[data-go="forward"]'))
        assert drawn(page) == expected(position(game, ply)[0])
    expect(page.locator(".comment")).to_be_visible()
    follow(page.locator('li[data-key="2.0:3"] > a'))
    assert drawn(page) == expected(position(game, 3, "2.0")[0])
    follow(page.locator("a.flip"))
    assert drawn(page, flipped=True) == expected(position(game, 3, "2.0")[0])


def test_a_step_changes_as_little_of_the_page_in_a_long_game_as_in_a_short_one(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    """500 moves and 200 forks: the changes are counted, which does not depend on the machine."""
    shuffle = ("2h3h 8b7b 3h2h 7b8b " * 125).split()
    forks = {ply: [["7g7f", "3c3d"]] for ply in range(1, 401, 4)} | {
        ply: [["3c3d", "7g7f"]] for ply in range(2, 401, 4)
    }
    builders.ingest(builders.ready(shuffle[:40]))
    short = most_changes(open_page(address(live_server, Game.objects.get())), 30)
    builders.ingest(builders.ready(shuffle, forks))
    page = open_page(address(live_server, Game.objects.latest("pk")))
    assert most_changes(page, 200) <= short + FORK_CHANGES
    expect(page.locator(".controls .ply")).to_have_text("200")


FORK_CHANGES = 20
"""The cost of the choices at a fork for a step."""


def most_changes(page: Page, steps: int) -> int:
    """The most nodes and attributes that one of so many steps changed, once the first few are done."""
    page.evaluate(WATCH)
    counts: list[int] = [page.evaluate(STEP) for _ in range(steps)]
    assert min(counts) > 0
    return max(counts[4:])


WATCH = """
() => {
  window.changes = 0;
  const observer = new MutationObserver((records) => { window.changes += records.length; });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document.body, everything);
}
"""

# The three callbacks run in one frame, the page's between the others: what it does later is not counted here,
# however late the frame comes.
STEP = """
() => new Promise((done) => {
  requestAnimationFrame(() => { window.changes = 0; });
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  requestAnimationFrame(() => done(window.changes));
})
"""


def entry_count(entries: list[MoveEntry]) -> int:
    """How many nodes a list of entries has, forks included."""
    return sum(1 + sum(entry_count(fork) for fork in entry.get("forks", ())) for entry in entries)


def test_every_node_of_the_record_can_be_reached_in_the_list(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    links = page.locator(".moves li > a")
    expect(links).to_have_count(entry_count(game.jkf["moves"]))
    for index in range(links.count()):
        links.nth(index).click()
        path, ply = (links.nth(index).locator("xpath=..").get_attribute("data-key") or "").split(":")
        expect_node(page, game, int(ply), path)
