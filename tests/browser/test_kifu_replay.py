"""`<kifu-replay>` on a page of another site, and what it shares with the server's own tables."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.models import Game
from tests.archive import builders, games
from tests.browser.conftest import PageMaker
from tests.browser.other_site import OtherSite, as_whitenoise

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]


def shown(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite, element: str, language: str = "ja"
) -> Page:
    """A page of the other site with the element in it."""
    module = f"{live_server.url}/static/shogi/kifu-replay.js"
    script = f'<script type="module" src="{module}"></script>'
    html = f'<!DOCTYPE html><html lang="{language}"><title>x</title>{script}{element}'
    other_site.pages["/"] = ("text/html; charset=utf-8", html.encode())
    page = open_page()
    page.route(f"{live_server.url}/static/**", as_whitenoise)
    page.goto(other_site.url + "/")
    return page


def test_a_record_of_this_archive_is_replayed_on_another_site(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 8h2b+", {2: [["8c8d"]]}, black="甲野"))
    address = f"{live_server.url}/api/v1/games/{Game.objects.get().pk}/record.jkf"
    page = shown(open_page, live_server, other_site, f'<kifu-replay src="{address}" ply="2"></kifu-replay>')
    replay = page.locator("kifu-replay")
    expect(replay.locator(".move")).to_have_text("△３四歩不成")
    expect(replay.locator(".seat").nth(1)).to_contain_text("甲野")
    replay.locator('[data-go="back"]').click()
    expect(replay.locator(".choices button")).to_have_count(2)
    replay.locator(".choices button").nth(1).click()
    expect(replay.locator(".move")).to_have_text("△８四歩不成")
    replay.press("Home")
    expect(replay.locator(".count")).to_have_text("0 / 3")


def test_marks_circles_and_arrows_of_comments_are_drawn(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    text = "▲７六歩\n*【疑問手】\n*角道 [%csl G5e][%cal R8h2b]\n△３四歩\n"
    page = shown(open_page, live_server, other_site, f'<kifu-replay ply="1">{text}</kifu-replay>')
    replay = page.locator("kifu-replay")
    expect(replay.locator(".move")).to_have_text("▲７六歩?")
    expect(replay.locator(".comment")).to_have_text("? 疑問手 角道")
    expect(replay.locator(".board-shapes .brush-R path")).to_have_count(1)
    expect(replay.locator(".board-shapes .brush-G circle")).to_have_count(2)
    replay.press("End")
    expect(replay.locator(".board-shapes > *")).to_have_count(0)


@pytest.mark.parametrize("encoding", ["utf-8", "cp932"])
def test_kif_of_the_other_site_is_read_by_the_archive(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite, encoding: str
) -> None:
    other_site.pages["/game.kif"] = ("text/plain", games.KIF.encode(encoding))
    page = shown(open_page, live_server, other_site, '<kifu-replay src="game.kif" ply="4"></kifu-replay>')
    expect(page.locator("kifu-replay .move")).to_have_text("△同　銀")
    assert Game.objects.count() == 0


def test_a_record_may_stand_between_the_tags(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    element = f'<kifu-replay ply="1" theme="dark">{games.CSA}</kifu-replay>'
    page = shown(open_page, live_server, other_site, element, "en")
    expect(page.locator("kifu-replay .move")).to_have_text("▲P-7f")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_readable_on_a_page_of_any_colour_and_narrow_enough(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite, theme: str
) -> None:
    element = f'<body style="color: #777"><kifu-replay theme="{theme}">{games.CSA}</kifu-replay>'
    page = shown(open_page, live_server, other_site, element)
    page.set_viewport_size({"width": 320, "height": 640})
    replay = page.locator("kifu-replay")
    expect(replay.locator(".count")).to_have_text("0 / 7")
    paper, ink = {
        "light": ("rgb(250, 247, 240)", "rgb(31, 27, 22)"),
        "dark": ("rgb(23, 21, 15)", "rgb(233, 227, 214)"),
    }[theme]
    expect(replay).to_have_css("background-color", paper)
    expect(replay).to_have_css("color", ink)
    expect(replay.locator("button svg")).to_have_count(4)
    count, button = replay.locator(".count").bounding_box(), replay.locator("button").first.bounding_box()
    assert count and button
    assert count["height"] <= button["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_record_that_cannot_be_read_says_so(
    open_page: PageMaker, live_server: LiveServer, other_site: OtherSite
) -> None:
    jkf = json.dumps({"header": {}, "moves": 3})
    page = shown(open_page, live_server, other_site, f"<kifu-replay>{jkf}</kifu-replay>")
    expect(page.locator("kifu-replay [role=alert]")).to_have_text("棋譜を読み込めませんでした。")
