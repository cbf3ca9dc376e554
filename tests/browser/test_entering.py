"""A game is entered on the board with keys, mouse and fingers, annotated, kept as a draft and saved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

import archive
from archive.accounts.roles import Role
from archive.drafts import own_drafts
from archive.intake import uploads
from archive.intake.worker import work_off
from archive.models import Correction, Draft, Game, Upload, User, codec
from kifu_core.games import SHOGI
from kifu_core.jkf import Record
from kifu_core.shogi.annotations import read
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.replay import packed_move
from tests.archive import builders
from tests.browser.boards import after, drag, expect_board, finger_drag, in_hand, middle
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PHONE, PageMaker, eventually, follow
from tests.browser.test_accounts import looked_at
from tests.browser.test_libraries import all_right, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]


SAMPLES = Path(archive.__file__).parent / "samples"


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


@pytest.fixture
def own_page(browser: Browser) -> Iterator[PageMaker]:
    """Makes a page that may report refused and failed requests to its console."""
    context = browser.new_context(locale="ja")
    yield lambda: context.new_page()
    context.close()


def entering(
    open_page: PageMaker, live_server: LiveServer, user: User | None = None, **options: object
) -> Page:
    page = open_page(**options)
    if user is not None:
        sign_in(page, live_server, user)
    page.goto(f"{live_server.url}/games/new/")
    expect(page.locator(".moves li")).to_have_count(1)
    return page


def typed(page: Page, text: str) -> None:
    page.locator("#typed").fill(text)
    page.locator("#typed").press("Enter")


def rows(page: Page) -> list[str]:
    return page.locator(".stretch > li > a").all_text_contents()


def expect_saved(page: Page) -> None:
    expect(page.locator(".draft-state")).to_have_attribute("data-state", "saved")


def save(page: Page) -> Game:
    """Save what is on the page into the account's library, and wait for the page of the game."""
    page.locator("button.save").click()
    page.locator(".save-as button.main").click()
    eventually(page, lambda: Upload.objects.exists(), True)
    with page.expect_event("load"):
        work_off(Upload.objects.get().pk)
    expect(page).to_have_url(re.compile(r"/games/[1-9]\d*/$"))
    return Game.objects.get()


def source(name: str) -> Record:
    """The record of a sample."""
    return SHOGI.formats.load((SAMPLES / name).read_bytes().decode("cp932")).games[0].record


def usis(record: Record) -> list[str]:
    return [to_usi(packed_move(entry["move"])) for entry in record["moves"] if "move" in entry]


def test_a_game_is_entered_with_the_keyboard_alone_and_stored_as_its_source_has_it(
    open_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    record = source("1709-10-10-soguin-intatsu.kif")
    moves = [entry["move"] for entry in record["moves"] if "move" in entry]
    words = [
        SHOGI.text.record_move_label(move, before, "ja").strip("▲△").replace("　", "")
        for move, before in zip(moves, [None, *moves], strict=False)
    ]
    page = entering(open_page, live_server, anna)
    page.keyboard.press("7")
    expect(page.locator("#typed")).to_be_focused()
    page.keyboard.press("Backspace")
    for start in range(0, len(words), 20):
        page.keyboard.insert_text(" ".join(words[start : start + 20]))
        page.keyboard.press("Enter")
        expect(page.locator(".stretch > li")).to_have_count(min(start + 20, len(words)) + 1)
    page.keyboard.insert_text("投了")
    page.keyboard.press("Enter")
    for name in ("先手", "後手", "棋戦"):
        page.locator(f'[data-header="{name}"]').focus()
        page.keyboard.insert_text(record["header"].get(name, name))
        page.keyboard.press("Tab")
    expect_saved(page)
    stored = save(page).jkf
    assert usis(stored) == usis(record)
    assert stored["moves"][-1] == {"special": "TORYO"}
    assert stored["header"]["先手"] == record["header"].get("先手", "先手")


def test_variations_are_added_promoted_ordered_and_deleted_and_all_is_undone(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = entering(open_page, live_server)
    drag(page, middle(page, 7, 7), middle(page, 7, 6))
    drag(page, middle(page, 3, 3), middle(page, 3, 4))
    drag(page, middle(page, 8, 8), middle(page, 2, 2))
    page.locator('.promotion [data-promote="1"]').click()
    expect(page.locator(".stretch > li")).to_have_count(4)
    page.keyboard.press("ArrowLeft")
    for move in ("26歩", "66歩"):
        typed(page, move)
        page.locator("#typed").press("ArrowLeft")
    expect(page.locator(".fork")).to_have_count(2)
    page.locator("#typed").press("ArrowRight")
    expect_board(page, after("7g7f 3c3d 8h2b+"))
    page.locator("#typed").press("ArrowDown")
    expect_board(page, after("7g7f 3c3d 2g2f"))
    page.locator('[data-act="down"]').click()
    expect(page.locator(".fork > li > a")).to_have_text(["▲６六歩", "▲２六歩"])
    page.locator('[data-act="promote"]').click()
    assert rows(page) == ["開始局面", "▲７六歩", "△３四歩", "▲２六歩"]
    expect(page.locator(".fork > li > a")).to_have_text(["▲２二角成", "▲６六歩"])
    page.locator('[data-act="remove"]').click()
    assert rows(page)[-1] == "▲２二角成"
    expect(page.locator(".fork")).to_have_count(1)
    for _change in range(6):
        page.keyboard.press("Control+z")
    expect(page.locator(".stretch > li")).to_have_count(3)
    for _change in range(6):
        page.keyboard.press("Control+y")
    expect(page.locator(".fork")).to_have_count(1)
    page.keyboard.press("Home")
    page.keyboard.press("End")
    drag(page, in_hand(page, "black", 6), middle(page, 5, 5))
    typed(page, "同銀 55角打")
    expect(page.locator(".stretch > li")).to_have_count(6)


def test_comments_marks_shapes_times_and_endings_are_kept_over_a_reload_and_saved(
    open_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    page = entering(open_page, live_server, anna)
    typed(page, "7g7f 3c3d?!")
    page.locator('[data-mark="緩手"][aria-pressed="true"]').wait_for()
    page.locator('[data-mark="勝負手"]').click()
    page.locator("#comment").fill("ここが\n要点")
    page.locator("#time").fill("1:05")
    page.locator("#time").press("Enter")
    page.mouse.move(*middle(page, 8, 8))
    page.mouse.down(button="right")
    page.mouse.move(*middle(page, 2, 2))
    page.mouse.up(button="right")
    page.locator("button.drawing").click()
    page.locator('[data-brush="R"]').click()
    page.mouse.click(*middle(page, 5, 5))
    drag(page, middle(page, 2, 7), middle(page, 2, 6))
    drag(page, middle(page, 2, 7), middle(page, 2, 6))
    expect(page.locator("svg.board .chosen")).to_have_count(0)
    typed(page, "1a")
    page.locator("button.drawing").click()
    expect(page.locator(".board-shapes > g")).to_have_count(3)
    page.locator("#ending").select_option("SENNICHITE")
    expect_saved(page)
    expect(page).to_have_url(re.compile(r"/drafts/\d+/$"))
    page.reload()
    assert rows(page) == ["開始局面", "▲７六歩", "△３四歩!?", "千日手"]
    stored = save(page).jkf
    entry = stored["moves"][2]
    assert entry["time"]["now"] == {"m": 1, "s": 5}
    mark, shapes, lines = read(entry["comments"])
    assert mark is not None and mark.sign == "!?"
    assert [*map(str, shapes)] == ["R5e", "R1a", "G8h2b"] and lines == ["ここが", "要点"]
    assert stored["moves"][3] == {"special": "SENNICHITE"}
    expect(page.locator('li[data-key=":2"] .sign').first).to_have_text("!?")


def test_a_version_that_another_tab_has_sent_is_not_overwritten_in_silence(
    own_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    page = entering(own_page, live_server, anna)
    typed(page, "76歩")
    expect_saved(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".stretch > li")).to_have_count(2)
    other.keyboard.press("End")
    typed(other, "34歩")
    expect_saved(other)
    typed(page, "84歩")
    page.locator('dialog.conflict button[value="mine"]').click()
    expect_saved(page)
    record = codec.unpack(Draft.objects.get().record)
    assert [entry["move"]["to"]["x"] for entry in record["moves"][1:]] == [7, 8]
    typed(other, "26歩")
    other.locator('dialog.conflict button[value="theirs"]').click()
    eventually(other, lambda: rows(other)[-1], "△８四歩")


def test_a_draft_that_is_one_too_many_is_said_to_be(
    own_page: PageMaker, live_server: LiveServer, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_drafts, "MOST", 0)
    page = entering(own_page, live_server, anna)
    typed(page, "76歩")
    expect(page.locator(".draft-state")).to_contain_text("下書きが多すぎます")


def test_without_a_connection_the_browser_keeps_what_was_entered(
    own_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    page = entering(own_page, live_server, anna)
    typed(page, "76歩")
    expect_saved(page)
    page.route("**/api/v1/drafts/*", lambda route: route.abort())
    page.locator("#comment").fill("途中")
    expect(page.locator(".draft-state")).to_have_attribute("data-state", "offline")
    page.unroute("**/api/v1/drafts/*")
    page.reload()
    expect(page.locator("#comment")).to_have_value("途中")
    expect_saved(page)
    record = codec.unpack(Draft.objects.get().record)
    assert record["moves"][1]["comments"] == ["途中"]


def test_a_visitor_enters_a_game_with_fingers_downloads_it_and_goes_on_after_signing_in(
    phone: Page, live_server: LiveServer, anna: User
) -> None:
    page = phone
    page.goto(f"{live_server.url}/games/new/")
    for file, rank in ((7, 7), (7, 6)):
        page.touchscreen.tap(*middle(page, file, rank))
    expect(page.locator(".stretch > li")).to_have_count(2)
    finger_drag(page, middle(page, 3, 3), middle(page, 3, 4))
    expect(page.locator(".stretch > li")).to_have_count(3)
    page.locator("button.drawing").tap()
    page.touchscreen.tap(*middle(page, 5, 5))
    finger_drag(page, middle(page, 8, 8), middle(page, 2, 2))
    expect(page.locator(".board-shapes > g")).to_have_count(2)
    expect(page.locator(".stretch > li")).to_have_count(3)
    page.locator("button.save").tap()
    with page.expect_download() as download:
        page.locator('[data-to="kifu"]').tap()
    assert "２ ３四歩(33)" in download.value.path().read_text().replace("   2", "２")
    assert not Draft.objects.exists()
    sign_in(page, live_server, anna)
    page.reload()
    expect_saved(page)
    assert len(codec.unpack(Draft.objects.get().record)["moves"]) == 3


def test_a_line_tried_on_the_board_of_a_game_becomes_a_draft_with_its_players(
    open_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    builders.ingest(builders.ready("7g7f 3c3d", black="甲野", white="乙山"))
    page = open_page()
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/{Game.objects.get().pk}/?ply=1&try=8c8d.2g2f")
    follow(page.locator(".tried a.keep"))
    assert rows(page) == ["開始局面", "▲７六歩不成", "△８四歩", "▲２六歩"]
    expect(page.locator('[data-header="先手"]')).to_have_value("甲野")
    page.keyboard.press("End")
    typed(page, "85歩")
    expect_saved(page)
    draft = Draft.objects.get()
    assert (draft.title, draft.game) == ("甲野 – 乙山", Game.objects.get().pk)


def test_a_correction_is_what_was_changed_on_the_board_and_nothing_else(
    own_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    text = (SAMPLES / "1709-10-10-soguin-intatsu.kif").read_bytes()
    upload, _new = uploads.receive("a.kif", [text], anna, "web")
    work_off(upload.pk)
    game = Game.objects.get()
    page = own_page()
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/{game.pk}/")
    follow(page.get_by_role("link", name="盤上で訂正"))
    page.locator("button.save").click()
    page.locator("#reason").fill("御城将棋留")
    page.locator(".save-as button.main").click()
    expect(page.locator(".save-news")).to_have_text("変わったところがありません。")
    page.keyboard.press("Escape")
    page.locator('[data-header="場所"]').fill("江戸城")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.locator("button.save").click()
    with page.expect_response("**/corrections") as answer:
        page.locator(".save-as button.main").click()
    assert answer.value.status == 201
    operations = Correction.objects.get().operations
    assert [(one["op"], one["name"], one["new"]) for one in operations] == [("header", "場所", "江戸城")]


def test_a_pasted_record_is_edited_and_pasting_is_undone(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    page = entering(open_page, live_server)
    typed(page, "26歩")
    expect(page.locator(".stretch > li")).to_have_count(2)
    page.evaluate(
        """(text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }""",
        "先手：甲野\n後手：乙山\n   1 ７六歩(77)\n*初手\n   2 ３四歩(33)\n",
    )
    eventually(page, lambda: rows(page), ["開始局面", "▲７六歩", "△３四歩"])
    expect(page.locator('[data-header="先手"]')).to_have_value("甲野")
    page.keyboard.press("Control+z")
    eventually(page, lambda: rows(page), ["開始局面", "▲２六歩"])
    expect(page.locator('[data-header="先手"]')).to_have_value("")


def test_names_of_the_archive_are_offered(open_page: PageMaker, live_server: LiveServer) -> None:
    builders.ingest(builders.ready("7g7f 3c3d", black="甲野太郎", white="乙山", event="名人戦"))
    page = entering(open_page, live_server)
    page.locator('[data-header="先手"]').press_sequentially("甲野")
    offered = "[...document.querySelectorAll('#players-offered option')].map((one) => one.value)"
    eventually(page, lambda: page.evaluate(offered), ["甲野太郎"])


def test_handicaps_and_own_positions_are_starts(open_page: PageMaker, live_server: LiveServer) -> None:
    page = entering(open_page, live_server)
    page.locator("#start").select_option("2")
    typed(page, "62銀")
    moves = page.locator(".stretch > li > a")
    expect(moves).to_have_text(["開始局面", "△６二銀"])
    page.goto(f"{live_server.url}/games/new/?sfen=4k4/9/9/9/9/9/9/9/4K4%20b%20G%201")
    expect(moves).to_have_count(1)
    typed(page, "52金")
    expect(moves).to_have_text(["開始局面", re.compile("^▲５二金打?$")])


@BOTH_SIZES_AND_LANGUAGES
def test_the_pages_are_as_every_page_and_all_their_controls_have_keys(
    open_page: PageMaker, live_server: LiveServer, anna: User, size: tuple[int, int], language: str
) -> None:
    name = f"{size[0]}-{language}-enter"
    page = entering(open_page, live_server, anna, size=size, language=language)
    typed(page, "76歩 34歩 22角成 同銀 45角!")
    expect(page.locator(".stretch > li")).to_have_count(6)
    page.locator("#typed").press("ArrowLeft")
    typed(page, "77桂")
    expect(page.locator(".fork")).to_have_count(1)
    expect_saved(page)
    looked_at(page, name)
    for tab in ("comments", "info") if size == PHONE else ():
        page.locator(f'.tabs [data-tab="{tab}"]').click()
        looked_at(page, f"{name}-{tab}")
    page.locator("button.save").click()
    looked_at(page, f"{name}-save")
    page.keyboard.press("Escape")
    page.goto(f"{live_server.url}/drafts/")
    all_right(page, f"{size[0]}-{language}-drafts")


def test_the_board_and_all_fields_are_in_sight_on_tablets_and_small_screens(
    open_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    builders.ingest(builders.ready("7g7f 3c3d", black="甲野"))
    User.objects.filter(pk=anna.pk).update(role=Role.CURATOR)
    page = open_page(size=(1024, 768), language="en")
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/{Game.objects.get().pk}/edit/")
    expect(page.locator(".stretch > li")).to_have_count(4)
    looked_at(page, "1024-correct")
    page.set_viewport_size({"width": 1366, "height": 650})
    bottom = "element => element.getBoundingClientRect().bottom"
    end = page.locator(".facts-part").evaluate(bottom)
    eventually(page, lambda: page.locator("#start").evaluate(bottom) <= end, True)
