"""My page as its owner meets it: forms that follow, save a search and write notes, without scripts of their
own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive import libraries, store
from archive.drafts.own_drafts import create_draft
from archive.models import Game, Player, User
from tests.archive.games import CSA, KIF, START, stored
from tests.archive.library_games import send
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES, PageMaker, follow
from tests.browser.test_libraries import all_right, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

NEXT = KIF.replace("2024/05/01", "2025/01/02")


def unfold(page: Page, action: str) -> None:
    """Open the folded form that is sent to an address, if it is folded."""
    page.evaluate(
        "end => { for (const one of document.querySelectorAll(`form[action$='${end}']`)) {"
        " const folded = one.closest('details'); if (folded) folded.open = true; } }",
        action,
    )


@BOTH_SIZES_AND_LANGUAGES
def test_what_is_followed_and_noted_is_on_my_page(
    live_server: LiveServer, open_page: PageMaker, size: tuple[int, int], language: str
) -> None:
    anna = User.objects.create_user("anna", password="opensesame", role=User.Role.CONTRIBUTOR)
    libraries.create_group(anna, "第三土曜日の研究会")
    stored(KIF)
    send(anna, CSA.replace("先手の人", "秘密の人"), name="himitsu.csa")
    create_draft(anna, {"header": {"先手": "甲野", "後手": "乙山"}, "moves": [{}]})
    store.number_changes()
    player, game = Player.objects.get(name="先手の人"), Game.objects.earliest("pk")
    page, mark, at = open_page(size=size, language=language), f"{size[0]}-{language}", live_server.url
    sign_in(page, live_server, anna)
    page.goto(f"{at}/mine/")
    all_right(page, f"{mark}-mine-empty")
    page.goto(f"{at}/players/{player.pk}/")
    follow(page.locator("form.follow button"))
    all_right(page, f"{mark}-player-followed")
    page.goto(f"{at}/games/?player={player.name}")
    unfold(page, "/mine/follows/new/")
    page.fill("#search-title", "今年の棋譜")
    all_right(page, f"{mark}-save-search")
    follow(page.locator("form[action$='/mine/follows/new/'] button"))
    page.goto(f"{at}/positions/shogi/{START}/")
    unfold(page, "/mine/notes/new/")
    page.fill("#note-text", "ここから始まる。\n角道を開けるか、飛車先を突く。")
    follow(page.locator("form[action$='/mine/notes/new/'] button"))
    unfold(page, "/mine/follows/new/")
    unfold(page, "/mine/notes/new/")
    all_right(page, f"{mark}-position-note")
    follow(page.locator("form[action$='/mine/follows/new/'] button"))
    stored(NEXT)
    store.number_changes()
    page.goto(f"{at}/mine/")
    expect(page.locator(".follows button.main")).to_have_count(3)
    all_right(page, f"{mark}-mine")
    follow(page.locator(".follows button.main").first)
    expect(page.locator(".game-row")).to_have_count(1)
    page.goto(f"{at}/mine/")
    expect(page.locator(".follows button.main")).to_have_count(2)
    page.goto(f"{at}/games/{game.pk}/?ply=0")
    expect(page.locator(".position-notes")).to_contain_text("ここから始まる。")
    all_right(page, f"{mark}-game-note")


@BOTH_SIZES_AND_LANGUAGES
def test_own_games_are_counted_after_a_player_is_said_to_be_oneself(
    live_server: LiveServer, open_page: PageMaker, size: tuple[int, int], language: str
) -> None:
    anna = User.objects.create_user("anna", password="opensesame", role=User.Role.CONTRIBUTOR)
    for month in range(1, 13):
        stored(KIF.replace("2024/05/01", f"2023/{month:02}/01").replace("後手の人", f"相手{month % 3}"))
    player = Player.objects.get(name="先手の人")
    page, mark, at = open_page(size=size, language=language), f"{size[0]}-{language}", live_server.url
    sign_in(page, live_server, anna)
    page.goto(f"{at}/mine/games/")
    all_right(page, f"{mark}-own-games-empty")
    page.goto(f"{at}/players/{player.pk}/")
    page.locator(".own-name summary").click()
    all_right(page, f"{mark}-this-is-me")
    follow(page.locator(".own-name button"))
    all_right(page, f"{mark}-is-me")
    page.goto(f"{at}/mine/")
    all_right(page, f"{mark}-mine-names")
    follow(page.locator("#names .section-head a"))
    expect(page.locator(".own-positions li").first).to_be_visible()
    all_right(page, f"{mark}-own-games")
    page.locator(".own-filters summary").click()
    all_right(page, f"{mark}-own-games-filters")
    follow(page.locator("table.own td a").first)
    expect(page.locator(".game-row")).to_have_count(12)
    page.goto(f"{at}/mine/games/")
    follow(page.locator(".own-positions a").first)
    all_right(page, f"{mark}-own-position")
