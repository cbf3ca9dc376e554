"""All pages in both languages, both themes and several sizes: nothing overflows, nothing complains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.intake.worker import work_off
from archive.models import Event, Game, Player, Upload
from tests.archive import builders
from tests.browser.conftest import DESKTOP, PHONE, PageMaker, drop_files, eventually, follow, loading

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

SMALL = (320, 640)
LONG = "とても長い名前" * 6


@pytest.fixture(autouse=True)
def archive(settings: Settings) -> None:
    """A few games, one of them with long names."""
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    builders.ingest(
        builders.ready("7g7f 3c3d 2g2f", black="甲野", white="乙山", day="2024/05/06", event="名人戦"),
        builders.ready("7g7f 8c8d", winner=1, black=LONG, white=LONG, event=LONG, day="2023/05/06"),
        builders.ready("2g2f 8c8d", winner=None),
    )


def addresses(page: Page, url: str) -> list[str]:
    """Every kind of page."""
    game = Game.objects.get(plies=3)
    page.goto(f"{url}/games/{game.pk}/?ply=1")
    position = page.locator("a.position-link").get_attribute("href") or ""
    upload = Upload.objects.latest("pk").pk
    empty = "/games/?player=nobody&result=draw"
    player, event = Player.objects.get(name="甲野").pk, Event.objects.get(name="名人戦").pk
    browsing = ["/players/", f"/players/{player}/", "/events/", f"/events/{event}/", "/statistics/"]
    browsing += ["/formations/", "/formations/furibisha/"]
    embedded = [f"/embed/games/{game.pk}/?ply=1", "/embed" + position]
    others = ["/positions/shogi/edit/", position + "?match=any", "/upload/", f"/uploads/{upload}/"]
    return ["/", "/games/", empty, f"/games/{game.pk}/?ply=1", position, *others, *browsing, *embedded]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_page_is_wider_than_the_screen(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    page = open_page(language=language)
    for address in addresses(page, live_server.url):
        page.goto(live_server.url + address)
        for width, height in (DESKTOP, PHONE, SMALL):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address


NAMED = {"button", "link", "textbox", "searchbox", "combobox", "image", "checkbox", "navigation"}
FAULTS = """
() => {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = new Set();
  for (const { id } of all("[id]")) {
    if (seen.has(id)) faults.push(`id twice: ${id}`);
    seen.add(id);
  }
  if (all("main").length !== 1) faults.push("main");
  if (!document.body.classList.contains("embed") && all("h1").length !== 1) faults.push("h1");
  let level = 1;
  for (const heading of all("h1, h2, h3, h4")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) faults.push(`heading skips a level: ${heading.textContent}`);
    level = own;
  }
  for (const element of all("[aria-describedby], [aria-controls], [for]")) {
    for (const name of ["aria-describedby", "aria-controls", "for"]) {
      const id = element.getAttribute(name);
      if (id && !document.getElementById(id)) faults.push(`${name} leads nowhere: ${id}`);
    }
  }
  for (const table of all("table")) if (!table.querySelector("th")) faults.push("table without headers");
  for (const element of all("a, button, input, select, textarea, summary")) {
    const box = element.getBoundingClientRect();
    const inText = element.matches("p a, td a, th a, li a, dd a, span a");
    const small = box.width && Math.min(box.width, box.height) < 24;
    if (small && !inText) faults.push(`small: ${element.outerHTML}`);
  }
  if (all("[tabindex]").some((element) => element.tabIndex > 0)) faults.push("tabindex");
  return faults;
}
"""


def nameless(page: Page) -> list[str]:
    """Controls, pictures and landmarks that have no name for a screen reader."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored")
        and node["role"]["value"] in NAMED
        and not node.get("name", {}).get("value", "").strip()
    ]


def test_screen_readers_find_their_way(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page()
    for address in addresses(page, live_server.url):
        page.goto(live_server.url + address)
        for width, height in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(FAULTS) == [], (address, width)
            assert nameless(page) == [], (address, width)


def test_the_theme_switch_turns_the_page_and_is_remembered(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = open_page(live_server.url)
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(paper) == "rgb(250, 247, 240)"
    page.locator("form.theme button").click()
    eventually(page, lambda: page.evaluate(paper), "rgb(23, 21, 15)")
    page.goto(live_server.url + "/games/")
    assert page.evaluate(paper) == "rgb(23, 21, 15)"


@pytest.mark.parametrize("switched", [False, True])
def test_paper_is_light_and_numbers_of_moves_stand_on_one_line(
    open_page: PageMaker, live_server: LiveServer, switched: bool
) -> None:
    builders.ingest(builders.ready(" ".join(["2h3h 8b7b 3h2h 7b8b"] * 26)))
    page = open_page(f"{live_server.url}/games/{Game.objects.get(plies=104).pk}/", theme="dark")
    if switched:
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(31, 27, 22)"
    heights = "(ply) => document.querySelector(`li[data-key=':${ply}'] .n`).offsetHeight"
    assert page.evaluate(heights, 104) == page.evaluate(heights, 9)


def test_the_language_switch_stays_at_the_shown_move(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/games/{Game.objects.get(plies=3).pk}/")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?ply=1$"))
    follow(page.locator("form.language button"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page).to_have_url(re.compile(r"\?ply=1$"))
    expect(page.locator('.moves a[aria-current="step"]')).to_have_text("▲P-7f=")


def test_the_search_box_finds_a_player_and_a_position(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(live_server.url)
    search(page, "甲野")
    expect(page.locator(".game-row")).to_have_count(1)
    search(page, "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2")
    expect(page.locator(".game-row")).to_have_count(2)


@pytest.mark.parametrize("menu", ["details.downloads", "details.sorting:not(.downloads)"])
def test_escape_and_a_click_beside_it_close_a_menu(
    open_page: PageMaker, live_server: LiveServer, menu: str
) -> None:
    page = open_page(f"{live_server.url}/games/")
    page.locator(f"{menu} > summary").click()
    expect(page.locator(f"{menu} li").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(f"{menu} li").first).to_be_hidden()
    expect(page.locator(f"{menu} > summary")).to_be_focused()
    page.locator(f"{menu} > summary").click()
    page.locator("h1").click()
    expect(page.locator(f"{menu} li").first).to_be_hidden()


def search(page: Page, text: str) -> None:
    page.locator("#site-q").fill(text)
    with loading(page):
        page.keyboard.press("Enter")


PASTE = """
(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.getElementById("site-q").dispatchEvent(event);
}
"""


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_a_record_pasted_into_the_search_box_leads_to_its_game(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int]
) -> None:
    page, game = open_page(live_server.url, size), Game.objects.get(plies=3)
    text = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n"
    with page.expect_navigation(wait_until="load"):
        page.evaluate(PASTE, text)
    expect(page).to_have_url(f"{live_server.url}/games/{game.pk}/")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_facets_narrow_the_list_down_and_the_back_button_returns(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    page = open_page(live_server.url + "/games/", PHONE, language)
    facets = page.locator("#facets")
    expect(facets).to_be_hidden()
    page.locator(".to-facets a").click()
    follow(facets.get_by_role("link", name="2023"))
    expect(page.locator(".game-row")).to_have_count(1)
    expect(facets).to_be_hidden()
    page.go_back()
    expect(facets).to_be_visible()
    facets.locator(".close").click()
    expect(facets).to_be_hidden()
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    expect(facets).to_be_visible()
    expect(page.locator(".game-row")).to_have_count(3)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_position_in_words_follows_the_moves(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    page = open_page(f"{live_server.url}/games/{Game.objects.get(plies=3).pk}/", language=language)
    page.get_by_text({"ja": "局面の説明", "en": "The position in words"}[language]).click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".position-words")).to_contain_text({"ja": "歩７六", "en": "pawn 7f"}[language])
    expect(page.locator(".position-words")).to_contain_text({"ja": "後手番", "en": "White to move"}[language])


def test_pasted_records_are_uploaded_and_their_page_follows_the_work(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    """The page of a single record would open its game."""
    page = open_page(live_server.url + "/upload/")
    games = (
        "先手：丙\n後手：丁\n手合割：平手\n1 ７六歩(77)\n2 投了\n",
        "先手：戊\n後手：己\n手合割：平手\n1 ２六歩(27)\n2 投了\n",
    )
    page.locator("#text").fill("\n".join(games))
    follow(page.get_by_role("button", name="棋譜を追加", exact=True))
    expect(page.locator("#state")).to_contain_text("順番待ち")
    page.evaluate("window.same = true")
    work_off(Upload.objects.latest("pk").pk)
    expect(page.locator("#state")).to_contain_text("完了")
    expect(page.locator("#state .entry a")).to_have_text([re.compile("丙"), re.compile("戊")])
    assert page.evaluate("window.same") is True
    expect(page.locator("#state")).not_to_have_attribute("data-poll", re.compile(""))


def test_files_dropped_anywhere_land_in_the_form(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(live_server.url + "/upload/")
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["a"], "a.kif"));
          data.items.add(new File(["b"], "b.csa"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }"""
    )
    expect(page.locator(".chosen li")).to_have_text(["a.kif", "b.csa"])
    assert page.evaluate("document.getElementById('file').files.length") == 2


def test_a_pasted_record_is_checked_replayed_and_converted_without_being_stored(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page, before = open_page(live_server.url + "/upload/"), Upload.objects.count()
    page.locator("#text").fill("先手：丙\n後手：丁\n手合割：平手\n1 ７六歩(77)\n2 ５五歩(54)\n")
    expect(page.locator(".check .findings")).to_contain_text("KIF  丙 − 丁  手数 1")
    expect(page.locator(".check .issues .error")).to_contain_text("5行目")
    page.locator("#text").fill("先手：丙\n後手：丁\n手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n")
    expect(page.locator(".check .findings")).to_contain_text("手数 2")
    page.get_by_role("button", name="追加せずに再生").click()
    replay = page.locator(".check kifu-replay")
    replay.get_by_role("button", name="最終手へ").click()
    expect(replay.get_by_text("2 / 2")).to_be_visible()
    page.locator(".check select").select_option("csa")
    page.get_by_role("button", name="追加せずに変換").click()
    expect(page.locator(".check .result textarea")).to_have_value(
        re.compile("N\\+丙[^*]*\\+7776FU\n-3334FU\n%TORYO")
    )
    assert Upload.objects.count() == before


def test_a_folder_of_more_files_than_a_request_may_have_is_sent_in_parts(
    open_page: PageMaker, live_server: LiveServer, settings: Settings, tmp_path: Path
) -> None:
    settings.ARCHIVE_MAX_FILES_PER_REQUEST = 2
    (tmp_path / "deep").mkdir()
    for name in ("a.kif", "b.kif", "deep/c.kif"):
        (tmp_path / name).write_text(f"先手：{name}\n1 ７六歩(77)\n2 投了\n")
    page = open_page(live_server.url + "/upload/")
    page.locator("#folder").set_input_files(tmp_path)
    expect(page.locator(".chosen li")).to_have_count(3)
    page.get_by_role("button", name="棋譜を追加", exact=True).click()
    expect(page.locator(".sent li")).to_have_count(3)
    names = Upload.objects.order_by("-pk").values_list("name", flat=True)[:3]
    assert set(names) == {"a.kif", "b.kif", "c.kif"}


def test_a_dropped_folder_gives_all_files_in_it(
    open_page: PageMaker, live_server: LiveServer, tmp_path: Path
) -> None:
    games = tmp_path / "games"
    (games / "deep" / "deeper").mkdir(parents=True)
    # Browsers list a folder in pieces of 100 files.
    names = [f"{number}.kif" for number in range(120)] + ["deep/a.csa", "deep/deeper/b.kif"]
    for name in names:
        (games / name).write_text("1 ７六歩(77)\n")
    (tmp_path / "other.kif").write_text("1 ２六歩(27)\n")
    page = open_page(live_server.url + "/upload/")
    drop_files(page, games, tmp_path / "other.kif")
    expect(page.locator(".chosen li").last).to_have_text(f"+ {len(names) + 1 - 20}")
    chosen = page.evaluate("Array.from(document.getElementById('file').files, (file) => file.name)")
    assert sorted(chosen) == sorted([*(Path(name).name for name in names), "other.kif"])


def test_texts_can_be_copied(open_page: PageMaker, live_server: LiveServer) -> None:
    page = open_page(f"{live_server.url}/games/{Game.objects.get(plies=3).pk}/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator('[data-copy="sfen"]').click()
    sfen = page.locator(".board-host").get_attribute("data-sfen")
    eventually(page, lambda: page.evaluate("navigator.clipboard.readText()"), sfen)
