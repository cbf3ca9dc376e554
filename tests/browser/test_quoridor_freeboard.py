"""The Quoridor free board: what the original of 2014 did, without its bugs, and what it did not."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.models import Upload
from kifu_core.quoridor.board import PAWN, read_name
from kifu_core.quoridor.keys import display_key
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfCode, QfState, decode, encode
from tests.archive.builders import ingest
from tests.archive.quoridor import ready
from tests.browser.conftest import PHONE, PageMaker, eventually
from tests.browser.other_site import OtherSite, as_whitenoise
from tests.browser.quoridor_boards import click, expect_drawn, expected, point

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

GAME = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"
WHITE_AT_THE_GOAL = QuoridorPosition([67, 40], [0, 0], [0, 0], 0)
"""White on e8, one step from winning."""
ALMOST_CLOSED = QuoridorPosition.of(
    [4, 76], [[read_name(wall) for wall in ("a3h", "c3h", "e3h")], [read_name("g3h")]], 0
)
"""Only the column i is open between the rows 3 and 4."""


class Board:
    """A free board on a page, and what a player does with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.svg = page.locator("svg.qf-board")
        self.status = page.locator(".qf-status")
        self.field = page.locator(".qf-field")

    def button(self, name: str) -> Locator:
        return self.page.locator(".qf-buttons button", has_text=name)

    def press(self, *names: str) -> None:
        for name in names:
            self.button(name).click()

    def input(self, text: str) -> None:
        self.field.fill(text)
        self.press("INPUT")

    def code_after(self, *names: str) -> str:
        """Texts that buttons write to the text field."""
        self.press(*names)
        return self.field.input_value()

    def play(self, *moves: str) -> None:
        for move in moves:
            click(self.page, self.svg, move)

    def shows(self, position: QuoridorPosition, last: str = "", neutral: bool = True) -> None:
        expect_drawn(self.svg, expected(position, last, neutral))


def state(position: QuoridorPosition, turn_number: int = 2) -> str:
    return encode(QfCode(QfState(position, None, turn_number), None))


def played(*moves: str) -> QuoridorPosition:
    position = QuoridorPosition.initial()
    for move in moves:
        position.do_move(read_name(move))
    return position


@pytest.fixture
def board(open_page: PageMaker, live_server: LiveServer) -> Board:
    return Board(open_page(live_server.url + "/quoridor/board/", language="en"))


# --- playing ---------------------------------------------------------------------------------------------


def test_moves_are_played_with_the_mouse_and_stepped_through(board: Board) -> None:
    board.play("e2", "e8", "e3h", "d6v")
    board.shows(played("e2", "e8", "e3h", "d6v"), "d6v")
    expect(board.page.locator(".qf-info")).to_contain_text("TURN 5")
    expect(board.page.locator(".qf-info")).to_contain_text("WHITE 9")
    board.press("BACK", "BACK", "BACK")
    board.shows(played("e2"), "e2")
    board.press("NEXT")
    board.shows(played("e2", "e8"), "e8")
    board.play("d2")
    board.shows(played("e2", "e8", "d2"), "d2")
    expect(board.button("NEXT")).to_be_disabled()  # a new move cuts off what followed


def test_what_would_be_played_is_shown_under_the_mouse(board: Board) -> None:
    page, ghost = board.page, board.svg.locator(".qf-ghost")
    page.mouse.move(*point(board.svg, "e2"))
    expect(ghost).to_have_class("qf-pawn qf-ghost qf-white")
    page.mouse.move(*point(board.svg, "c4v"))
    expect(ghost).to_have_class("qf-wall qf-ghost qf-white")
    page.mouse.move(*point(board.svg, "e5"))
    expect(ghost).to_have_count(0)
    board.play("c4v")
    page.mouse.move(*point(board.svg, "c5v"))
    expect(ghost).to_have_class("qf-wall qf-ghost qf-wrong")
    board.play("c5v")
    expect(board.status).to_contain_text("c5v: another wall is in the way")
    board.shows(played("c4v"), "c4v")


def test_the_board_turns_and_marks_and_colours(board: Board) -> None:
    board.play("e2", "e6h")
    expect_drawn(board.svg, expected(played("e2", "e6h"), "e6h", neutral=True))
    board.press("LM", "WALL", "INV")
    expect_drawn(board.svg, expected(played("e2", "e6h")), flipped=True)
    for name, on in (("LM", "false"), ("WALL", "false"), ("INV", "true"), ("REC", "false")):
        expect(board.button(name)).to_have_attribute("aria-pressed", on)
    click(board.page, board.svg, "e3", flipped=True)
    expect_drawn(board.svg, expected(played("e2", "e6h", "e3")), flipped=True)


def test_reset_clears_and_undo_brings_everything_back(board: Board) -> None:
    board.play("e2", "e8")
    board.press("RESET")
    board.shows(QuoridorPosition.initial())
    expect(board.button("NEXT")).to_be_disabled()
    board.press("UNDO")
    board.shows(played("e2", "e8"), "e8")
    board.press("BACK")
    board.play("d9")
    board.press("UNDO")
    board.press("NEXT")
    board.shows(played("e2", "e8"), "e8")


def test_keys_play_a_whole_opening(board: Board) -> None:
    keyboard = board.page.keyboard
    board.page.locator(".qf-host").focus()
    for key in (*["ArrowDown"] * 3, "Enter", *["ArrowUp"] * 6, " "):  # e2, e8
        keyboard.press(key)
    board.shows(played("e2", "e8"), "e8")
    for key in ("h", "ArrowDown", "ArrowLeft", "Enter"):
        keyboard.press(key)
    board.shows(played("e2", "e8", "d7h"), "d7h")
    keyboard.press("v")
    expect(board.status).to_have_text("d7v: another wall is in the way")
    keyboard.press("ArrowDown")
    expect(board.status).to_have_text("d6v")
    keyboard.press("u")
    keyboard.press("b")
    board.shows(played("e2"), "e2")
    keyboard.press("n")
    board.shows(played("e2", "e8"), "e8")


def test_a_finger_sees_a_wall_before_it_is_placed(phone: Page, live_server: LiveServer) -> None:
    phone.goto(live_server.url + "/quoridor/board/")
    board = Board(phone)
    phone.touchscreen.tap(*point(board.svg, "e2"))
    board.shows(played("e2"), "e2")
    phone.touchscreen.tap(*point(board.svg, "e7h"))
    expect(phone.locator(".qf-ghost")).to_have_class("qf-wall qf-ghost qf-black")
    phone.touchscreen.tap(*point(board.svg, "d7h"))
    phone.locator(".qf-confirm").tap()
    board.shows(played("e2", "d7h"), "d7h")
    phone.touchscreen.tap(*point(board.svg, "b4v"))
    phone.touchscreen.tap(*point(board.svg, "b4v"))
    board.shows(played("e2", "d7h", "b4v"), "b4v")
    for button in phone.locator(".qf_freeboard button:visible, .qf_freeboard a").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


# --- rules that the original lacks -----------------------------------------------------------------------


def test_a_wall_that_closes_the_last_way_is_refused(board: Board) -> None:
    """The original had no path test."""
    board.input(state(ALMOST_CLOSED))
    board.play("h3v", "e8")
    expect(board.button("NEXT")).to_be_disabled()
    board.play("h4h")
    expect(board.status).to_contain_text("h4h: it would close White's last way")
    following = ALMOST_CLOSED.copy()
    for move in ("h3v", "e8"):
        following.do_move(read_name(move))
    board.shows(following, "e8")


def test_a_pawn_at_its_goal_has_won_and_nothing_more_is_played(board: Board) -> None:
    """The original had no win test."""
    board.input(state(WHITE_AT_THE_GOAL, 15))
    board.play("e9")
    expect(board.status).to_have_text("White has won")
    won = QuoridorPosition([PAWN + 76 - PAWN, 40], [0, 0], [0, 0], 1)
    board.shows(won, "e9")
    board.play("e6", "c3h")
    board.shows(won, "e9")


# --- codes -----------------------------------------------------------------------------------------------


def test_a_snapshot_is_the_code_of_what_is_shown(board: Board) -> None:
    """The original's snapshot of the start was one of Black's to move."""
    assert board.code_after("SNAP") == "gkwAAIAQ"
    board.play("e2")
    assert board.code_after("SNAP") == "hswAAAAg"
    board.input(GAME)
    for _ in range(46):
        board.press("NEXT")
    assert board.code_after("SNAP") == "ooByS01V5bzMi1ZCOqzb8XILw"


def test_a_recording_from_the_start_needs_no_state(board: Board) -> None:
    board.press("REC")
    expect(board.button("REC")).to_have_attribute("aria-pressed", "true")
    board.play("e2")
    expect(board.button("BACK")).to_be_disabled()
    assert board.code_after("SNAP") == "QBA"  # the record so far
    board.play("e8")
    assert board.code_after("REC") == encode(QfCode(None, (PAWN + 13, PAWN + 67)))
    expect(board.button("BACK")).to_be_enabled()


def test_a_recording_after_next_keeps_where_it_began(board: Board) -> None:
    """The original forgot the state, so that `QFl9wGA` claimed to begin at the start."""
    board.input(GAME)
    board.press(*["NEXT"] * 10, "REC", *["NEXT"] * 5)
    code = decode(board.code_after("REC"))
    moves = decode(GAME).moves or ()
    assert code.moves == moves[10:15]
    position = QuoridorPosition.initial()
    for move in moves[:10]:
        position.do_move(move)
    assert code.state is not None
    assert code.state.position == position
    assert code.state.turn_number == 11


def test_nothing_is_stuck_after_reset_or_an_empty_recording(board: Board) -> None:
    """In the original both left buttons in a state that raised errors."""
    board.input("QA")
    expect(board.button("NEXT")).to_be_disabled()
    board.play("e2")
    board.press("REC", "RESET")
    expect(board.button("REC")).to_have_attribute("aria-pressed", "false")
    expect(board.button("BACK")).to_be_disabled()
    board.play("e2")
    board.press("REC")
    expect(board.button("BACK")).to_be_disabled()
    board.press("REC")
    expect(board.status).to_contain_text("Nothing was played, so nothing is recorded.")
    board.press("BACK")
    board.shows(QuoridorPosition.initial())


def test_counters_do_not_wrap(board: Board) -> None:
    """The original counted turns and moves modulo 1,024."""
    board.input(state(QuoridorPosition.initial(), 1023))
    board.play("e2")
    before = board.field.input_value()
    assert board.code_after("SNAP") == before
    expect(board.status).to_have_attribute("data-error", "turn-range")
    moves = tuple(read_name(move) for _ in range(256) for move in ("e2", "e8", "e1", "e9"))
    result = board.page.evaluate(_RECORDED, [encode(QfCode(None, moves[:1023])), *moves[1023:]])
    assert result == [encode(QfCode(None, moves[:1023])), "too-many-plies"]


_RECORDED = """
async ([code, ...more]) => {
  const { load, playOn, recording } = await import("/static/quoridor/game.js");
  const loaded = { ...load(code).game, at: 1023, recordedFrom: 0 };
  const [complete, beyond] = [loaded, more.reduce(playOn, loaded)];
  try {
    return [recording(complete), recording(beyond)];
  } catch (error) {
    return [recording(complete), error.code];
  }
}
"""


def test_characters_of_mails_and_pages_are_dropped_with_a_warning(board: Board) -> None:
    """The original read them, and blanks, as six zeros each."""
    board.input("> j7ok lAHM-e1I*Cg…")
    expect(board.status).to_contain_text("characters that are not allowed in a code were dropped: 4")
    board.shows(decode("j7oklAHMe1ICg").start().position, "c3h")
    board.input("j7ok lAHMe1ICg=")
    expect(board.status).not_to_contain_text("dropped")


@pytest.mark.parametrize("code", ["QK%2FUCh%2BsEPbFrg", "QK/UCh+sEPbFrg"])
def test_a_link_to_a_board_is_loaded_like_its_code(board: Board, code: str) -> None:
    board.input(f" https://archive.example/quoridor/board/?ply=3&code={code}&x=1\n")
    expect(board.status).to_contain_text("Loaded. Moves: 10.")
    expect(board.status).not_to_contain_text("dropped")


def test_a_turn_number_of_zero_disagrees_with_nobody(board: Board) -> None:
    """The codes of positions in addresses have it."""
    board.input("gkwAAIAA")
    expect(board.status).to_have_text("White to move · Loaded. Moves: 0.")
    board.input(state(QuoridorPosition.initial(), 2))
    expect(board.status).to_contain_text("the turn number 2 does not fit the side to move")


def test_codes_that_are_wrong_change_nothing(board: Board) -> None:
    """The original showed truncated codes, overlapping walls and pawns off the board."""
    board.play("e2")
    wrong = {"j7oklAHMe1IC": "truncated", "gkwVBUAIBQ": "wall-conflict", "qMwAAIAQ": "pawn-range"}
    wrong |= {"QMBAQAZ3QE": "illegal-move", "gkywAhBkElFoIpAAIMg": "wall-count", "!?": "empty"}
    for code, error in wrong.items():
        board.input(code)
        expect(board.status).to_have_attribute("data-error", error)
        board.shows(played("e2"), "e2")
    board.input("")
    board.shows(played("e2"), "e2")


def test_what_the_original_could_write_is_loaded_with_a_note(board: Board) -> None:
    closed = ALMOST_CLOSED.copy()
    for wall in ("h3v", "e8", "h4h"):
        closed.do_move(read_name(wall))
    board.input(state(closed))
    expect(board.status).to_contain_text("after ply 0, a pawn has no path to its goal")
    board.shows(closed, "h4h" if decode(state(closed)).start().last_wall else "e1")


# --- the archive -----------------------------------------------------------------------------------------


def test_the_address_and_the_link_are_those_of_the_game_on_the_board(board: Board) -> None:
    board.play("e2", "e8", "e3")
    board.press("BACK")
    code = encode(QfCode(None, tuple(map(read_name, ("e2", "e8", "e3")))))
    requested = {"code": [code], "ply": ["2"]}
    eventually(board.page, lambda: parse_qs(urlsplit(board.page.url).query), requested)
    board.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    board.page.get_by_role("button", name="Copy the link").click()
    expect(board.status).to_have_text("The link is copied.")
    address = board.page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(address).query) == requested
    board.page.goto(address)
    board.shows(played("e2", "e8"), "e8")
    board.press("NEXT")
    board.shows(played("e2", "e8", "e3"), "e3")
    link = board.page.get_by_role("link", name="Look this position up")
    path = display_key(played("e2", "e8", "e3")).replace("+", "-").replace("/", "_")
    expect(link).to_have_attribute(
        "href", f"{board.page.evaluate('location.origin')}/positions/quoridor/{path}/"
    )


def test_a_link_that_no_clipboard_takes_is_copied_by_hand(board: Board) -> None:
    """Browsers lock the clipboard away in frames, and where a site has no certificate."""
    board.play("e2")
    board.input("QA")
    share = board.page.get_by_role("button", name="Copy the link")
    board.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('x')); }")
    share.click()
    expect(board.status).to_have_text("The link is copied.")
    expect(board.field).to_have_value("QA")
    board.page.evaluate("() => { document.execCommand = () => false; }")
    share.click()
    expect(board.status).to_have_text("Copy the link from the field.")
    expect(board.field).to_have_value(re.compile(r"/quoridor/board/\?code=gkwAAIAQ$"))


def test_a_game_is_saved_to_the_archive_with_who_played(
    open_page: PageMaker, live_server: LiveServer, settings: Settings
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    board = Board(open_page(live_server.url + "/quoridor/board/", language="en"))
    board.play("e2", "e8", "e3h")
    board.page.get_by_role("button", name="Save the game").click()
    board.page.get_by_label("White's name").fill('Ada "the wall"')
    board.page.get_by_role("button", name="Save", exact=True).click()
    link = board.page.get_by_role("link", name="See the saved record")
    upload = Upload.objects.get() if link.get_attribute("href") else None
    assert upload is not None
    assert b"".join(upload.stream()).decode() == '[White "Ada the wall"]\n\ne2 e8 e3h\n'
    expect(link).to_have_attribute("href", f"{live_server.url}/uploads/{upload.pk}/")


def test_a_game_that_no_code_can_hold_is_saved_as_a_list(
    open_page: PageMaker, live_server: LiveServer, settings: Settings
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    moves = ["e2", "e8", "e1", "e9"] * 256
    code = quote(encode(QfCode(None, tuple(map(read_name, moves[:-1])))), safe="")
    board = Board(open_page(f"{live_server.url}/quoridor/board/?code={code}&ply=1023", language="en"))
    board.play(moves[-1])
    board.page.get_by_role("button", name="Copy the link").click()
    expect(board.status).to_have_attribute("data-error", "too-many-plies")
    board.page.get_by_role("button", name="Save the game").click()
    board.page.get_by_role("button", name="Save", exact=True).click()
    expect(board.page.get_by_role("link", name="See the saved record")).to_be_visible()
    assert b"".join(Upload.objects.get().stream()).decode().split() == moves


def test_without_names_what_is_saved_is_the_code(
    open_page: PageMaker, live_server: LiveServer, settings: Settings
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    code = "yzoAAIBQMBJSskqrh5dHVBA"
    board = Board(open_page(f"{live_server.url}/quoridor/board/?code={code}", language="en"))
    board.page.get_by_role("button", name="Save the game").click()
    board.page.get_by_role("button", name="Save", exact=True).click()
    expect(board.page.get_by_role("link", name="See the saved record")).to_be_visible()
    assert b"".join(Upload.objects.get().stream()).decode() == code


def test_a_wrong_code_in_the_address_shows_the_start_and_what_is_wrong(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    board = Board(open_page(live_server.url + "/quoridor/board/?code=gkw", language="en"))
    expect(board.status).to_contain_text("the code ends inside ")
    board.shows(QuoridorPosition.initial())


@pytest.mark.parametrize(("ply", "turn"), [("3", 4), ("1.9", 2), ("-3", 1), ("x", 1), ("9999", 47)])
def test_the_address_names_a_ply_or_the_start_is_shown(
    open_page: PageMaker, live_server: LiveServer, ply: str, turn: int
) -> None:
    page = open_page(f"{live_server.url}/quoridor/board/?code={GAME}&ply={ply}", language="en")
    expect(page.locator(".qf-info")).to_contain_text(re.compile(rf"TURN {turn}\s*WHITE"))
    expect(page.locator(".qf-last")).to_have_count(int(turn > 1))


def test_what_the_archive_has_played_stands_beside_the_board_and_can_be_played(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    ingest(ready("e2 e8 e3h"), ready("e2 e8 e3"), ready("e2 d9"))
    board = Board(open_page(live_server.url + "/quoridor/board/", language="en"))
    table = board.page.locator(".archive-moves tbody tr")
    expect(table).to_have_count(1)
    table.locator("a").click()
    board.shows(played("e2"), "e2")
    expect(table).to_have_count(2)
    expect(board.svg.locator(".qf-hint")).to_have_count(2)
    board.page.get_by_role("button", name="Arrows").click()
    expect(board.svg.locator(".qf-hint")).to_have_count(0)


def test_on_another_site_it_plays_alone_and_leads_here(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    files = (
        f'<link rel="stylesheet" href="{live_server.url}/static/quoridor/boards.css">'
        f'<script type="module" src="{live_server.url}/static/quoridor/boards.js"></script>'
    )
    element = '<div class="qf_freeboard" data-boardsize="8"></div>'
    html = f'<!DOCTYPE html><html lang="ja"><title>x</title>{files}{element}'
    other_site.pages["/"] = ("text/html; charset=utf-8", html.encode())
    page = open_page()
    page.route(f"{live_server.url}/static/**", as_whitenoise)
    page.goto(other_site.url + "/")
    board = Board(page)
    board.play("e2")
    board.shows(played("e2"), "e2")
    expect(board.status).to_have_text("黒番")
    expect(page.get_by_role("button", name="棋譜を保存")).to_have_count(0)
    expect(page.get_by_role("link", name="アーカイブで開く")).to_have_attribute(
        "href", f"{live_server.url}/quoridor/board/?code=QBA&ply=1"
    )
    box = board.svg.bounding_box()
    assert box
    assert round(box["width"]) == 8 * 52
