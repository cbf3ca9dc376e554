"""An archivist's round through the archive, counted in actions: a click, a field that is filled, a key."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.accounts.roles import Role, set_role
from archive.curation import batches
from archive.models import Correction, CorrectionBatch, Game, GamePlayer, Player, User
from tests.archive.builders import ingest, ready
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PHONE, PageMaker, follow, loading
from tests.browser.test_accessibility import keep_picture, violations
from tests.browser.test_libraries import all_right, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

MOST = 25
FIRST_MOVES = ["1g1f", "2g2f", "3g3f", "4g4f", "5g5f", "6g6f", "7g7f", "8g8f", "9g9f", "9i9h"]


@dataclass
class Archivist:
    """Whoever works at a page, and the number of actions so far. A phone has buttons in place of keys."""

    page: Page
    phone: bool
    actions: int = 0

    def click(self, target: str | Locator) -> None:
        """Click a link or a button that leads to another page."""
        self.actions += 1
        follow(self.page.locator(target) if isinstance(target, str) else target)

    def open(self, target: str) -> None:
        """Click something that opens a part of the page."""
        self.actions += 1
        self.page.click(target)

    def fill(self, target: str, text: str) -> None:
        self.actions += 1
        self.page.fill(target, text)

    def press(self, key: str) -> None:
        """Press a key of the bench, which answers its first row."""
        if self.phone:
            return self.click(self.page.locator(f"[data-key='{key}']").first)
        self.actions += 1
        with loading(self.page):
            self.page.keyboard.press(key)

    def enter(self) -> None:
        self.actions += 1
        with loading(self.page):
            self.page.keyboard.press("Enter")

    def bench(self) -> None:
        self.open("details.account summary")
        self.click(".account-menu a[href='/curation/']")

    def kind(self, name: str) -> None:
        self.click(f".kinds a[href='?kind={name}']")


@pytest.fixture
def clara() -> User:
    """A curator of an archive with a wrong name in 20 games, two spellings of another, an undated game."""
    for day in range(20):
        moves, played = f"{FIRST_MOVES[day % 10]} 3c3d", f"1985/05/{day + 1:02}"
        ingest(ready(moves, black="谷川浩二", white="桐山清澄", day=played))
    ingest(ready("7g7f 8c8d", black="大山康晴", white="升田幸三", day="1957/07/11"))
    ingest(ready("2g2f 8c8d", black="大山康靖", white="塚田正夫", day="1948/05/18"))
    ingest(ready("7g7f 4c4d", black="花村元司", white="灘蓮照"))
    user = User.objects.create_user("clara")
    set_role(user, Role.CURATOR)
    return user


def games_of(name: str) -> int:
    return GamePlayer.objects.filter(player__name=name).count()


def state() -> tuple[object, ...]:
    """What the round changes."""
    merged = Player.objects.exclude(home=None).count()
    undated = Game.objects.filter(played=0).count()
    return games_of("谷川浩二"), games_of("谷川浩司"), merged, undated, Game.objects.count()


def work() -> None:
    """Let workers work on the edits of many games."""
    for batch in batches.unfinished():
        assert batches.work(batch, 60)


@BOTH_SIZES_AND_LANGUAGES
def test_a_name_in_20_games_two_players_a_day_and_a_game_are_put_right_and_all_is_undone(
    live_server: LiveServer, open_page: PageMaker, clara: User, size: tuple[int, int], language: str
) -> None:
    page, mark, before = open_page(size=size, language=language), f"{size[0]}-{language}", state()
    sign_in(page, live_server, clara)
    page.goto(f"{live_server.url}/")
    me = Archivist(page, size == PHONE)

    me.fill("#site-q", "谷川浩二")
    me.enter()
    me.click("a[href^='/curation/batches/new/']")
    me.fill("#old", "谷川浩二")
    me.fill("#new", "谷川浩司")
    me.fill("#reason", "将棋年鑑")
    me.click("button[value=preview]")
    me.click("button[value=run]")
    work()
    assert state()[:2] == (0, 20)

    me.bench()
    me.kind("people")
    all_right(page, f"{mark}-bench-people")
    me.press("a")
    assert state()[2] == 1

    me.kind("days")
    me.press("e")
    me.fill("form.correct div:has(> input[value='開始日時']) input[name=new]", "1950/02/03")
    me.fill("#reason", "将棋世界")
    me.click("button[value=send]")
    assert state()[3] == 0

    if me.phone:
        me.open("button[data-tab=info]")
    me.click("a[href$='/take-down/']")
    all_right(page, f"{mark}-take-down")
    me.fill("#reason", "本人の希望")
    me.click("main button.main")
    assert state()[4] == 22
    all_right(page, f"{mark}-bench-taken")

    for _deed in range(4):
        me.press("u")
    work()
    assert state() == before
    expect(page.locator("[data-key=u]")).to_have_count(0)
    assert CorrectionBatch.objects.get().state == "undone"
    assert not Correction.objects.exclude(state="undone").exists()
    assert me.actions <= MOST


def test_a_name_is_chosen_from_a_list_while_it_is_typed(
    live_server: LiveServer, open_page: PageMaker, clara: User
) -> None:
    page, row = open_page(), Player.objects.get(name="大山康靖")
    sign_in(page, live_server, clara)
    page.goto(f"{live_server.url}/players/{row.pk}/correct/")
    page.locator("#into").press_sequentially("大山")
    expect(page.locator("#into-choices li")).to_have_count(2)
    keep_picture(page, "choosing")
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    other = Player.objects.get(name="大山康晴")
    expect(page.locator("#into")).to_have_value(f"大山康晴 #{other.pk}")
    expect(page.locator("#into-choices")).to_be_hidden()
    page.fill("#merge-reason", "誤植")
    follow(page.locator("form.merge button"))
    expect(page.locator("h1")).to_have_text("大山康晴")
    assert Player.objects.get(pk=row.pk).home == other
