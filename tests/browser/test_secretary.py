"""What the secretary of a club does: games are entered, saved, collected and published, and all see the
table."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.accounts.roles import Role
from archive.intake.worker import work_off
from archive.models import Game, Upload, User
from kifu_core.classes import PUBLIC
from tests.browser.boards import in_hand, middle
from tests.browser.conftest import PageMaker, eventually, follow
from tests.browser.test_entering import rows, typed
from tests.browser.test_libraries import open_box, press, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame", role=Role.CONTRIBUTOR)


def fill(page: Page, **headers: str) -> None:
    for name, text in headers.items():
        page.locator(f'[data-header="{name}"]').fill(text)
        page.keyboard.press("Tab")


def save(page: Page, space: str, proposed: str) -> Game:
    """Save what is on the page in a library, and wait for the page of the game."""
    before = Upload.objects.count()
    page.locator("button.save").click()
    expect(page.locator("#space")).to_have_value(proposed)
    page.locator("#space").select_option(space)
    page.locator(".save-as button.main").click()
    eventually(page, lambda: Upload.objects.count(), before + 1)
    with page.expect_event("load"):
        work_off(Upload.objects.latest("pk").pk)
    expect(page).to_have_url(re.compile(r"/games/[1-9]\d*/$"))
    return Game.objects.latest("pk")


def test_games_of_a_tournament_are_entered_one_after_another_collected_and_published(
    open_page: PageMaker, live_server: LiveServer, anna: User
) -> None:
    page = open_page()
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/new/")
    typed(page, "76歩 34歩 22角成 同銀 投了")
    expect(page.locator(".stretch > li")).to_have_count(6)
    fill(page, 先手="佐藤", 後手="鈴木", 棋戦="秋季大会 1回戦", 開始日時="2026/11/23", 場所="本町公民館")
    save(page, "public", proposed="mine")

    follow(page.locator("a.next-game"))
    for name, text in (
        ("先手", ""),
        ("棋戦", "秋季大会 1回戦"),
        ("開始日時", "2026/11/23"),
        ("場所", "本町公民館"),
    ):
        expect(page.locator(f'[data-header="{name}"]')).to_have_value(text)
    fill(page, 先手="鈴木", 後手="佐藤", 棋戦="秋季大会 2回戦")
    typed(page, "26歩 84歩 25歩 投了")
    expect(page.locator(".stretch > li")).to_have_count(5)
    save(page, "public", proposed="public")

    page.goto(f"{live_server.url}/games/?event=秋季大会")
    follow(page.locator('a[href*="/collections/add/?search"]'))
    expect(page.locator("#title")).to_have_value("秋季大会")
    follow(page.locator(".collection-form button.main"))
    follow(page.locator('a[href$="/edit/#readers"]'))
    page.locator('#readers [value="public"]').check()
    follow(page.locator('#readers button[value="show"]'))
    follow(page.locator(".above a"))
    follow(page.locator('a[href$="/standings/"]'))
    page.context.clear_cookies()
    page.reload()
    expect(page.locator("main table")).to_contain_text("佐藤")


def test_a_game_is_entered_with_fingers_saved_and_published(
    phone: Page, live_server: LiveServer, anna: User
) -> None:
    page = phone
    sign_in(page, live_server, anna)
    page.goto(f"{live_server.url}/games/new/")
    moves = "7g7f 3c3d 8h2b+ 3a2b B*4e 5c5d 4e3d"
    for number, (source, target) in enumerate((move[:2], move[2:]) for move in moves.split()):
        side = "white" if number % 2 else "black"
        if source[1] == "*":
            page.touchscreen.tap(*in_hand(page, side, "PLNSGBR".index(source[0]) + 1))
        else:
            page.touchscreen.tap(*on_board(page, source))
        page.touchscreen.tap(*on_board(page, target))
        if target.endswith("+"):
            page.locator('.promotion [data-promote="1"]').tap()
        expect(page.locator(".stretch > li")).to_have_count(number + 2)
    assert rows(page)[-1] == "▲３四角"
    page.locator("#ending").select_option("TORYO")
    page.locator('[data-tab="info"]').tap()
    for name, text in (("先手", "佐藤"), ("後手", "鈴木")):
        page.locator(f'[data-header="{name}"]').tap()
        page.keyboard.insert_text(text)
    game = save(page, "mine", proposed="mine")
    page.locator('.tabs [data-tab="info"]').tap()
    open_box(page)
    press(page, "publish")
    page.context.clear_cookies()
    page.reload()
    expect(page.locator(".seat.black .name")).to_have_text("佐藤")
    assert Game.objects.get(pk=game.pk).space == PUBLIC


def on_board(page: Page, square: str) -> tuple[float, float]:
    return middle(page, int(square[0]), "abcdefghi".index(square[1]) + 1)
