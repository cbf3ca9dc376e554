"""All actions on pages, on a screen and on a phone, in Japanese and in English.

What each of these leads to in all its cases stands in the tests of the page; here is that all of them work
everywhere, many on one page, since loading it is what takes time.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.derive.game import derive_game
from archive.intake.worker import work_off
from archive.models import Entry, Game, Upload
from kifu_core import load
from kifu_core.shogi.formats import ki2
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders, games
from tests.browser.boards import expect_board, middle, swipe, tap
from tests.browser.conftest import (
    BOTH_SIZES_AND_LANGUAGES,
    PHONE,
    PageMaker,
    drop_files,
    eventually,
    follow,
    loading,
)
from tests.browser.other_site import OtherSite, as_whitenoise

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

START = shogi64.encode(Position.initial())
AFTER_76 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -"
AFTER_26 = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w -"
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".controls .ply")).to_have_text(str(ply))


def open_part(page: Page, size: tuple[int, int], name: str) -> None:
    """On a phone, the part of the page that stands under the board."""
    if size == PHONE:
        page.locator(f'.tabs [data-tab="{name}"]').click()


@pytest.fixture
def game() -> Game:
    """A game with a fork, times and a comment."""
    made = builders.record("7g7f 3c3d 8h2b+ 3a2b", {2: [["8c8d", "2g2f"]]}, {"先手": "甲野", "後手": "乙山"})
    for ply, entry in enumerate(made["moves"][1:-1], start=1):
        entry["time"] = {"now": {"m": 0, "s": 10 * ply}, "total": {"h": 0, "m": 0, "s": 10 * ply}}
    made["moves"][1]["comments"] = ["角道を開ける https://example.org/"]
    builders.ingest(derive_game(builders.parsed(made)))
    return Game.objects.get()


@pytest.fixture
def page_of_game(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> Page:
    page = open_page(f"{live_server.url}/games/{game.pk}/", size, language)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    return page


@BOTH_SIZES_AND_LANGUAGES
def test_a_game_is_stepped_through_by_keys_wheel_swipe_buttons_and_list(
    page_of_game: Page, language: str
) -> None:
    page = page_of_game
    for key, ply in (("ArrowRight", 1), ("ArrowLeft", 0), ("End", 4), ("Home", 0)):
        page.keyboard.press(key)
        expect_ply(page, ply)
    page.locator(".board-host").hover()
    page.mouse.wheel(0, 100)
    expect_ply(page, 1)
    expect(page.locator("[aria-live].live")).to_contain_text({"ja": "▲７六歩", "en": "▲P-7f"}[language])
    swipe(page, 300, 200)
    expect_ply(page, 2)
    swipe(page, 200, 300)
    page.locator('[data-go="back"]').click()
    expect_ply(page, 0)
    page.locator('li[data-key="2.0:2"] > a').click()
    expect_ply(page, 2)
    expect(page).to_have_url(re.compile(r"\?ply=2&fork=2\.0$"))
    page.keyboard.press("ArrowUp")
    expect(page.locator('.moves a[aria-current="step"]')).to_have_text(
        {"ja": re.compile("３四歩"), "en": re.compile("P-3d")}[language]
    )
    page.keyboard.press("ArrowLeft")
    page.locator(".choices a").nth(1).click()
    expect(page).to_have_url(re.compile(r"\?ply=2&fork=2\.0$"))
    page.keyboard.press("f")
    expect(page.locator(".game-page")).to_have_class(re.compile("flipped"))
    page.keyboard.press("Space")
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(page.locator("button.play")).to_have_attribute("aria-pressed", "false")


@BOTH_SIZES_AND_LANGUAGES
def test_comments_charts_own_moves_copies_and_prints_are_there(
    page_of_game: Page, size: tuple[int, int], language: str
) -> None:
    page = page_of_game
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("ArrowRight")
    open_part(page, size, "comments")
    expect(page.locator(".comment")).to_contain_text("角道を開ける")
    expect(page.locator(".comment a")).to_have_attribute("rel", re.compile("nofollow"))
    open_part(page, size, "archive")
    expect(page.locator(".archive-moves tbody tr")).to_have_count(1)
    open_part(page, size, "charts")
    page.locator('.chart-part [data-key=":4"]').click()
    expect_ply(page, 4)
    open_part(page, size, "info")
    copy = page.locator('[data-take="link"]')
    copy.click()
    expect(copy).to_have_text({"ja": "コピー済み", "en": "Copied"}[language])
    page.keyboard.press("Home")
    expect_ply(page, 0)
    tap(page, 2, 7)
    expect(page.locator("svg.board .target")).to_have_count(1)
    tap(page, 2, 6)
    expect(page.locator(".tried li")).to_have_text([{"ja": "1 ▲２六歩", "en": "1 ▲P-2f"}[language]])
    expect(page.locator(".board-host")).to_have_attribute("data-sfen", re.compile(f"^{re.escape(AFTER_26)}"))
    page.locator("select.legal").focus()
    expect(page.locator("select.legal option")).to_have_count(31)
    page.locator("select.legal").select_option("8c8d")
    expect(page.locator(".tried li").nth(1)).to_have_text({"ja": "2 △８四歩", "en": "2 △P-8d"}[language])
    heading = page.locator(".tried h2").bounding_box()
    assert heading and heading["height"] < 30
    page.locator(".tried a.back").click()
    expect_ply(page, 0)
    page.emulate_media(media="print")
    for selector in ("h1", ".facts", "svg.board", ".moves"):
        expect(page.locator(selector).first).to_be_visible()
        box = page.locator(selector).first.bounding_box()
        assert box and min(box["width"], box["height"]) > 20, selector
    for selector in (".controls", ".tabs", ".tools", ".site-header", ".more", ".board-arrows"):
        expect(page.locator(selector)).to_be_hidden()


@BOTH_SIZES_AND_LANGUAGES
def test_a_position_is_walked_through_without_a_load(
    open_page: PageMaker, live_server: LiveServer, game: Game, size: tuple[int, int], language: str
) -> None:
    page = open_page(f"{live_server.url}/positions/shogi/{START}/", size, language)
    page.evaluate("window.same = true")
    page.locator('tr[data-move="7g7f"] a').click()
    expect_board(page, Position.from_sfen(AFTER_76))
    expect(page.locator(".game-row")).to_have_count(1)
    page.locator('.match a[href*="any"]').click()
    expect(page.locator(".images li")).to_have_count(3)
    page.go_back()
    page.go_back()
    expect_board(page, Position.initial())
    assert page.evaluate("window.same") is True


@BOTH_SIZES_AND_LANGUAGES
def test_a_position_is_set_up_by_taps_drags_keys_and_texts(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = open_page(live_server.url + "/positions/shogi/edit/", size, language)
    tap(page, 7, 7)
    tap(page, 7, 6)
    page.locator("button.turn-toggle").click()
    expect_sfen(page, AFTER_76)
    page.locator("button.undo").click()
    page.locator("button.undo").click()
    page.mouse.move(*middle(page, 2, 7))
    page.mouse.down()
    page.mouse.move(*middle(page, 2, 6))
    page.mouse.up()
    expect_sfen(page, AFTER_26.replace(" w -", " b -"))
    page.locator("select.preset").select_option("9/9/9/9/9/9/9/9/9 b - 1")
    page.locator("#editor .board-host").focus()
    for key in ("k", "ArrowUp", "Shift+R", "+"):
        page.keyboard.press(key)
    # The keyboard goes on where the drag began.
    expect_sfen(page, "9/9/9/9/9/7+r1/7K1/9/9 b - 1")
    expect(page.locator("#cursor")).to_have_text({"ja": "2六 ☖龍", "en": "2f ☖dragon"}[language])
    page.locator("#text").fill("position startpos moves 7g7f")
    page.get_by_role("button", name={"ja": "読み取る", "en": "Read"}[language], exact=True).click()
    expect_board(page, Position.from_sfen(AFTER_76))


def expect_sfen(page: Page, sfen: str) -> None:
    expect(page.locator("#sfen")).to_have_value(re.compile(f"^{re.escape(sfen)}"))


@BOTH_SIZES_AND_LANGUAGES
def test_records_of_any_format_are_replayed_on_another_site(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite, size: tuple[int, int], language: str
) -> None:
    record = load(games.KIF).games[0].record
    other_site.pages |= {
        "/game.kif": ("text/plain", games.KIF.encode("cp932")),
        "/game.ki2": ("text/plain", ki2.dump(record).encode("cp932")),
        "/game.csa": ("text/plain", games.CSA.encode()),
    }
    names = ("kif", "ki2", "csa")
    elements = "".join(f'<kifu-replay src="game.{name}" ply="4"></kifu-replay>' for name in names)
    module = f'<script type="module" src="{live_server.url}/static/shogi/kifu-replay.js"></script>'
    html = f'<!DOCTYPE html><html lang="{language}"><title>x</title>{module}{elements}'
    other_site.pages["/"] = ("text/html; charset=utf-8", html.encode())
    page = open_page(size=size)
    page.route(f"{live_server.url}/static/**", as_whitenoise)
    page.goto(other_site.url + "/")
    moves = page.locator("kifu-replay .move")
    expect(moves).to_have_text([{"ja": "△同　銀", "en": "△Sx2b"}[language]] * 3)
    page.locator('kifu-replay [data-go="forward"]').nth(1).click()
    expect(moves.nth(1)).to_contain_text({"ja": "▲４五角", "en": "▲B*4e"}[language])
    assert Game.objects.count() == 0


@BOTH_SIZES_AND_LANGUAGES
def test_games_are_found_narrowed_down_and_shown_in_other_colours_and_words(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲野", white="乙山", day="2024/05/06", event="名人戦"),
        builders.ready("7g7f 8c8d", black="甲野", white="丙", day="2023/05/06"),
    )
    page = open_page(live_server.url, size, language)
    page.locator("#site-q").fill("@甲野")
    with loading(page):
        page.keyboard.press("Enter")
    rows = page.locator(".game-row")
    expect(rows).to_have_count(2)
    if size == PHONE:
        page.locator(".to-facets a").click()
    follow(page.locator("#facets").get_by_role("link", name="2023"))
    expect(rows).to_have_count(1)
    follow(page.locator("a.chip", has_text="2023"))
    expect(rows).to_have_count(2)
    page.locator("form.theme button").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    follow(page.locator("form.language button"))
    expect(page.locator("html")).to_have_attribute("lang", {"ja": "en", "en": "ja"}[language])
    expect(rows).to_have_count(2)


@BOTH_SIZES_AND_LANGUAGES
def test_lists_of_games_and_players_are_put_in_another_order(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    for game in (
        builders.ready("7g7f 3c3d 2g2f 8c8d", black="甲野", white="乙山", day="2024/05/06"),
        builders.ready("7g7f 8c8d", black="甲野", white="渡辺明", day="2025/05/06"),
    ):
        builders.ingest(game)
    page = open_page(live_server.url + "/games/?player=甲野", size, language)
    menu, rows = page.locator(".sorting:not(.downloads)"), page.locator(".game-row")
    longest = menu.get_by_role("link", name={"ja": "手数の多い順", "en": "Longest first"}[language])
    expect(rows.first).to_contain_text("渡辺明")
    expect(longest).to_be_hidden()
    menu.locator("summary").click()
    follow(longest)
    expect(page).to_have_url(re.compile("player=.*order=longest"))
    expect(rows.first).to_contain_text("乙山")
    # The form keeps it.
    page.locator("#id_player").fill("渡辺明")
    with loading(page):
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("order=longest"))
    expect(rows).to_have_count(1)
    page.goto(live_server.url + "/players/")
    names = page.locator(".names li a")
    expect(names).to_have_text(["渡辺明", "乙山", "甲野"])
    menu.locator("summary").click()
    follow(menu.get_by_role("link", name={"ja": "対局数の多い順", "en": "Most games first"}[language]))
    expect(names.first).to_have_text("甲野")


@BOTH_SIZES_AND_LANGUAGES
def test_a_pasted_record_is_checked_converted_and_replayed_before_it_is_sent(
    open_page: PageMaker, live_server: LiveServer, settings: Settings, size: tuple[int, int], language: str
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    page = open_page(live_server.url + "/upload/", size, language)
    page.locator("#text").fill(games.KIF)
    expect(page.locator(".check .findings")).to_contain_text("先手の人")
    page.locator(".check .look").click()
    page.locator('.check kifu-replay [data-go="forward"]').click()
    expect(page.locator(".check kifu-replay .move")).to_contain_text(
        {"ja": "▲７六歩", "en": "▲P-7f"}[language]
    )
    page.locator("#text").fill(games.BROKEN)
    expect(page.locator(".check .issues li").first).to_contain_text(
        {"ja": "· 4行目", "en": "· line 4"}[language]
    )
    page.locator("#text").fill(games.KIF)
    expect(page.locator(".check .issues li")).to_have_count(0)
    page.locator(".check select").select_option("csa")
    page.locator(".check .convert").click()
    expect(page.locator(".check .result textarea")).to_have_value(re.compile(r"\+7776FU"))
    follow(page.locator("form.upload button.main"))
    expect(page.locator("#state .state")).to_be_visible()


@BOTH_SIZES_AND_LANGUAGES
def test_a_promotion_is_asked_for_on_the_board_and_either_answer_is_played(
    page_of_game: Page, language: str
) -> None:
    page = page_of_game
    prompt = page.get_by_role("group", name={"ja": "成りますか", "en": "Promote?"}[language])
    yes, no = {"ja": ("成る", "成らない"), "en": ("Promote", "Do not promote")}[language]
    page.locator('li[data-key=":2"] > a').click()
    expect_ply(page, 2)
    ask_for_promotion(page)
    board, box = page.locator("svg.board").bounding_box(), prompt.bounding_box()
    assert board and box
    assert board["x"] <= box["x"] and box["x"] + box["width"] <= board["x"] + board["width"]
    assert board["y"] <= box["y"] and box["y"] + box["height"] <= board["y"] + board["height"]
    page.keyboard.press("Escape")
    expect(prompt).to_be_hidden()
    ask_for_promotion(page)
    prompt.get_by_role("button", name=no, exact=True).click()
    expect(prompt).to_be_hidden()
    expect(page.locator(".tried li")).to_have_text([{"ja": "3 ▲２二角不成", "en": "3 ▲Bx2b="}[language]])
    page.locator(".tried a.back").click()
    expect_ply(page, 2)
    ask_for_promotion(page)
    prompt.get_by_role("button", name=yes, exact=True).click()
    expect_ply(page, 3)
    expect(page.locator(".tried")).to_be_hidden()
    expect(page.locator('.moves a[aria-current="step"]')).to_have_text(
        {"ja": re.compile("▲２二角成"), "en": re.compile(r"▲Bx2b\+")}[language]
    )


def ask_for_promotion(page: Page) -> None:
    """Take with the bishop where it may promote."""
    tap(page, 8, 8)
    expect(page.locator("svg.board .target")).not_to_have_count(0)
    tap(page, 2, 2)
    expect(page.locator(".promotion")).to_be_visible()


@BOTH_SIZES_AND_LANGUAGES
def test_bookmarks_of_a_record_are_listed_and_the_one_for_opening_is_where_it_opens(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    text = games.KIF.replace("   3 ２二角成", "&読み込み時表示\n   3 ２二角成").replace(
        "   5 ", "&要点\n   5 "
    )
    upload = games.stored(text)
    work_off(upload.pk)
    game = Entry.objects.get(upload=upload).game
    assert game
    page = open_page(f"{live_server.url}/games/{game.pk}/", size, language)
    expect_ply(page, 2)
    open_part(page, size, "comments")
    expect(page.locator(".bookmarks")).to_contain_text({"ja": "しおり", "en": "Bookmarks"}[language])
    expect(page.locator(".bookmarks a")).to_have_text(["4 要点"])
    page.locator(".bookmarks a").click()
    expect_ply(page, 4)
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(r"\?ply=0$"))
    page.reload()
    expect_ply(page, 0)


@BOTH_SIZES_AND_LANGUAGES
def test_the_solution_of_a_problem_is_seen_by_those_who_ask_for_it(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    builders.ingest(builders.ready("G*5b", {1: [["G*4b"]]}, kind="problem", start=MATE_IN_ONE))
    page = open_page(f"{live_server.url}/games/{Game.objects.get().pk}/", size, language)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    expect(page.locator(".moves")).to_be_hidden()
    expect(page.locator(".choices")).to_be_hidden()
    page.locator('.seat.black [data-kind="5"]').click()
    tap(page, 5, 2)
    expect_ply(page, 1)
    page.keyboard.press("Home")
    expect(page.locator(".board-arrows .arrow")).to_have_count(0)
    expect(page.locator(".archive-moves tr")).to_have_count(0)
    page.get_by_text({"ja": "解答を見る", "en": "Show the solution"}[language], exact=True).click()
    expect(page.locator(".moves")).to_contain_text({"ja": "▲５二金", "en": "▲G*5b"}[language])
    expect(page.locator(".choices a")).to_have_count(2)
    page.locator('li[data-key=":1"] > a').click()
    expect_ply(page, 1)


LETTERS = {"P", "L", "N", "S", "G", "B", "R", "K"}


@BOTH_SIZES_AND_LANGUAGES
def test_pieces_have_letters_for_those_who_do_not_read_kanji(
    page_of_game: Page, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = page_of_game
    switch = {"ja": "駒の文字（漢字・英字）", "en": "Letters or kanji on the pieces"}[language]
    follow(page.get_by_role("button", name=switch))
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    page.locator('li[data-key=":3"] > a').click()
    expect_ply(page, 3)
    pieces = page.locator('.board .piece:not([visibility="hidden"]) text')
    eventually(page, lambda: set(pieces.all_text_contents()), LETTERS - {"B"} | {"+B"})
    expect(page.locator(".seat.black .hand text").first).to_have_text("B")
    for address in (f"/positions/shogi/{START}/", "/positions/shogi/edit/"):
        page.goto(live_server.url + address)
        eventually(page, lambda: set(pieces.all_text_contents()), LETTERS)
    tap(page, 7, 7)
    tap(page, 7, 6)
    eventually(page, lambda: set(pieces.all_text_contents()), LETTERS)
    follow(page.get_by_role("button", name=switch))
    expect(pieces.first).to_have_text("香")


@BOTH_SIZES_AND_LANGUAGES
def test_the_code_for_other_sites_has_the_chosen_size_and_colours_and_works_there(
    page_of_game: Page,
    live_server: LiveServer,
    other_site: OtherSite,
    size: tuple[int, int],
    language: str,
) -> None:
    page = page_of_game
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    pages = {f"/positions/shogi/{START}/": "svg.board", page.url.removeprefix(live_server.url): ".controls"}
    for address, part in pages.items():
        page.goto(live_server.url + address)
        if part == ".controls":
            expect(page.locator(".game-page")).to_have_class(re.compile("live"))
            open_part(page, size, "info")
        page.locator(".embed-code summary").click()
        page.locator('[data-embed="size"]').select_option("320x440")
        page.locator('[data-embed="theme"]').select_option(label={"ja": "ダーク", "en": "dark"}[language])
        copy = page.locator('[data-copy="snippet"]')
        copy.click()
        expect(copy).to_have_text({"ja": "コピー済み", "en": "Copied"}[language])
        code = page.evaluate("navigator.clipboard.readText()")
        html = f'<!DOCTYPE html><html lang="{language}"><title>x</title>{code}'
        other_site.pages["/"] = ("text/html; charset=utf-8", html.encode())
        page.goto(other_site.url + "/")
        expect(page.locator("iframe")).to_have_attribute("width", "320")
        expect(page.locator("iframe")).to_have_attribute("height", "440")
        frame = page.frame_locator("iframe")
        expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
        expect(frame.locator(part)).to_be_visible()
        wide = frame.locator("html").evaluate("(html) => html.scrollWidth")
        assert wide <= 320


@BOTH_SIZES_AND_LANGUAGES
def test_what_is_pasted_into_the_search_box_leads_to_its_game_or_its_position(
    page_of_game: Page, live_server: LiveServer
) -> None:
    page = page_of_game
    of_game = page.url
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    paste(page, "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角成(88)\n4 同　銀(31)\n")
    expect(page).to_have_url(of_game)
    expect(page.locator(".game-page")).to_have_class(re.compile("live"))
    paste(page, "手合割：平手\n1 ７六歩(77)\n2 ９四歩(93)\n")
    expect_board(page, Position.from_sfen(AFTER_76))
    expect(page.locator(".game-row")).to_have_count(1)
    paste(page, f"{AFTER_76} 2", enter=True)
    expect(page.locator(".game-row")).to_have_count(1)


def paste(page: Page, text: str, enter: bool = False) -> None:
    """Paste a text into the search box with the keys for it; one of several lines goes off by itself."""
    page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    page.locator("#site-q").focus()
    with loading(page):
        page.keyboard.press("ControlOrMeta+v")
        if enter:
            page.keyboard.press("Enter")


@BOTH_SIZES_AND_LANGUAGES
def test_files_dropped_onto_the_upload_page_are_sent_with_its_button(
    open_page: PageMaker,
    live_server: LiveServer,
    settings: Settings,
    tmp_path: Path,
    size: tuple[int, int],
    language: str,
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / name for name in ("a.kif", "b.csa", "folder/c.kif")]
    for path, text in zip(paths, (games.KIF, games.CSA, games.BROKEN), strict=True):
        path.write_text(text)
    page = open_page(live_server.url + "/upload/", size, language)
    drop_files(page, paths[0], paths[1], tmp_path / "folder")
    expect(page.locator(".chosen li")).to_have_text([path.name for path in paths])
    follow(page.locator("form.upload button.main"))
    expect(page.locator("#sent li")).to_have_count(len(paths))
    for upload in Upload.objects.all():
        work_off(upload.pk)
    outcome = {"ja": "(追加|収録済み)\\s+1", "en": "(added|already here)\\s+1"}[language]
    expect(page.locator("#sent li")).to_have_text([re.compile(f"{path.name}.*{outcome}") for path in paths])
