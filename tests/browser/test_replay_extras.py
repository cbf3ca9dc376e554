"""What stands around the replay: autoplay, swipes, tabs, own moves, the archive's moves, copies, charts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.ingest.ready import ready_game
from archive.ingest.work import work_off
from archive.models import Entry, Game
from kifu_core import load
from kifu_core.position import Position
from tests.archive import builders, games
from tests.browser.boards import drawn, expected
from tests.browser.conftest import PHONE, PageMaker

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LINE = "7g7f 3c3d 8h2b+ 3a2b B*4e"
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"


@pytest.fixture
def game() -> Game:
    """A game with times and a comment, beside another one that leaves it at the second move."""
    made = builders.record(LINE, None, {"先手": "甲野", "後手": "乙山", "持ち時間": "各10分"})
    for ply, entry in enumerate(made["moves"][1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": 10 * ply}, "total": {"h": 0, "m": 0, "s": 10 * ply}}
    made["moves"][1]["comments"] = ["角道を開ける"]
    builders.ingest(ready_game(builders.parsed(made)), builders.ready("7g7f 8c8d", black="丙", white="丁"))
    return Game.objects.get(plies=5)


def address(live_server: LiveServer, game: Game, query: str = "") -> str:
    return f"{live_server.url}/games/{game.pk}/{query}"


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".controls .ply")).to_have_text(str(ply))


def tap(page: Page, file: int, rank: int) -> None:
    """Click a square of a board that is not flipped."""
    box = page.locator("svg.board").bounding_box()
    assert box
    scale = box["width"] / 578
    page.mouse.click(
        box["x"] + (8 + (9 - file + 0.5) * 60) * scale, box["y"] + (26 + (rank - 0.5) * 66) * scale
    )


def test_the_space_key_plays_the_game_to_its_end_and_stops(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    page.locator("select.speed").select_option("0.3")
    page.locator("h1").first.click()
    page.keyboard.press("Space")
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "true")
    expect_ply(page, 6)
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "false")


def test_a_step_by_hand_stops_the_playing(open_page: PageMaker, live_server: LiveServer, game: Game) -> None:
    page = open_page(address(live_server, game))
    page.locator("select.speed").select_option("0.5")
    page.locator("button.play").click()
    expect_ply(page, 1)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "false")


SWIPE = """
([from, to]) => {
  const board = document.querySelector(".board-host");
  const send = (name, x) => board.dispatchEvent(new PointerEvent(name, {
    pointerType: "touch", pointerId: 7, clientX: x, clientY: 200, bubbles: true,
  }));
  send("pointerdown", from);
  send("pointerup", to);
}
"""


def test_a_swipe_turns_to_the_next_move_and_back(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game), size=PHONE)
    page.evaluate(SWIPE, [300, 200])
    expect_ply(page, 1)
    page.evaluate(SWIPE, [200, 300])
    expect_ply(page, 0)
    page.evaluate(SWIPE, [200, 210])
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
    assert page.evaluate("document.querySelector('.stage').getBoundingClientRect().top") >= -1


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
    expect(page.locator(".board-arrows line")).to_have_count(2)
    page.locator("button.arrows").click()
    expect(page.locator(".board-arrows line")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(1)


def test_a_move_of_the_archive_is_tried_or_leads_along_the_game(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=1"))
    page.locator('.archive-moves tr[data-usi="3c3d"] a').click()
    expect_ply(page, 2)
    expect(page.locator(".tried")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    page.locator('.archive-moves tr[data-usi="8c8d"] a').click()
    expect(page.locator(".tried li")).to_have_text(["2 △８四歩"])
    expect(page).to_have_url(re.compile(r"\?ply=1$"))


def test_own_moves_are_played_beside_the_game_and_never_stored(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    tap(page, 2, 7)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 2, 6)
    expect(page.locator(".tried li")).to_have_text(["1 ▲２六歩"])
    tap(page, 8, 3)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 8, 4)
    expect(page.locator(".tried li")).to_have_text(["1 ▲２六歩", "2 △８四歩"])
    sfen = "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL b - 3"
    assert drawn(page) == expected(Position.from_sfen(sfen))
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
    page = open_page(address(live_server, game, "?ply=2"))
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


def test_links_lead_to_the_same_place_in_other_programs(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"))
    sfen = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL_b_-_3"
    link = page.locator('[data-open-in="lishogi"]')
    expect(link).to_have_attribute("href", f"https://lishogi.org/analysis/{sfen}")
    kento = page.locator('[data-open-in="kento"]').get_attribute("href") or ""
    assert kento.endswith("&moves=7g7f.3c3d.8h2b%2B.3a2b.B*4e#2")


def test_the_time_chart_follows_the_moves_and_leads_to_them(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game))
    chart = page.locator("svg.time-chart")
    page.keyboard.press("ArrowRight")
    expect(chart.locator(".cursor")).to_have_attribute("transform", "translate(1 0)")
    box = chart.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 5 / 7, box["y"] + 10)
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


def test_a_record_opens_at_the_bookmark_that_asks_for_it(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    text = games.KIF.replace("   3 ２二角成", "&読み込み時表示\n   3 ２二角成").replace(
        "   5 ", "&ここから\n   5 "
    )
    upload = games.stored(text)
    work_off(upload.pk)
    game = Entry.objects.get(upload=upload).game
    assert game
    page = open_page(address(live_server, game))
    expect_ply(page, 2)
    page.keyboard.press("Home")
    expect_ply(page, 0)
    expect(page).to_have_url(re.compile(r"\?ply=0$"))
    page.reload()
    expect_ply(page, 0)
    page.locator(".bookmarks a").click()
    expect_ply(page, 4)


def test_a_printed_sheet_has_the_facts_the_board_and_the_moves_and_no_controls(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=2"), size=PHONE)
    page.emulate_media(media="print")
    for selector in ("h1", "svg.board", ".moves"):
        expect(page.locator(selector).first).to_be_visible()
    for selector in (".controls", ".tabs", ".tools", ".site-header", ".more", ".board-arrows"):
        expect(page.locator(selector)).to_be_hidden()


def test_pieces_can_have_letters_on_every_page(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page(address(live_server, game, "?ply=3"))
    assert page.locator(".board .piece text").first.text_content() == "香"
    page.locator("form.pieces button").click()
    expect(page.locator("html")).to_have_attribute("data-pieces", "letters")
    expect(page).to_have_url(re.compile(r"\?ply=3$"))
    page.wait_for_selector(".game-page.live")
    texts = page.locator('.board .piece:not([visibility="hidden"]) text').all_text_contents()
    assert set(texts) == {"P", "L", "N", "S", "G", "B", "R", "K", "+B"} - {"B"}
    expect(page.locator(".seat.black .hand text").first).to_have_text("B")
    page.locator("form.pieces button").click()
    expect(page.locator("html")).not_to_have_attribute("data-pieces", "letters")


def test_a_browser_that_keeps_nothing_replays_all_the_same(
    open_page: PageMaker, live_server: LiveServer, game: Game
) -> None:
    page = open_page()
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })"
    )
    page.goto(address(live_server, game))
    page.keyboard.press("ArrowRight")
    expect_ply(page, 1)
    page.locator("button.arrows").click()
    expect(page.locator("button.arrows")).to_have_attribute("aria-pressed", "false")
