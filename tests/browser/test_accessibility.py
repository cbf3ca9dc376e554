"""Every page as axe-core sees it, at both sizes, in both languages and themes: no violations.

With SCREENSHOTS=folder pictures of all of them are written there, to be looked at.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.accounts.roles import Role, set_role
from archive.curation import batches, corrections, names
from archive.curation.batch_edits import BatchEdit
from archive.models import Event, Game, Player, Report, Upload, User
from kifu_core.classes import PUBLIC
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.analysed import SWINGING, analyse
from tests.archive.columns import build
from tests.browser.conftest import BOTH_SIZES_AND_LANGUAGES

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

AFTER = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
AXE = Axe()
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}


@pytest.fixture
def addresses(settings: Settings, tmp_path: Path) -> list[str]:
    """One of every kind of page, with as much on it as there can be."""
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    moves = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d"
    builders.ingest(
        builders.ready(moves, {2: [["8c8d"]]}, black="甲野", white="乙山", day="2024/05/06", event="名人戦"),
        builders.ready(moves, black="甲野", day="2023/05/06", event="名人戦"),
        builders.ready("7g7f 8c8d", winner=1, black="丙", white="甲野", day="2022"),
        builders.ready("5g5f", kind="problem"),
    )
    game, problem = Game.objects.order_by("pk")[0], Game.objects.get(record_kind="problem")
    build()
    analyse(game, SWINGING, lines=2)
    player, event = Player.objects.get(name="甲野"), Event.objects.get()
    upload, code = Upload.objects.get(), shogi64.encode(Position.from_sfen(AFTER))
    return [
        "/", "/games/", "/games/?player=nobody&result=draw", "/games/?from=nonsense", "/games/#facets",
        "/games/?order=longest", "/players/?order=games",
        f"/games/{game.pk}/?ply=1", f"/games/{game.pk}/mistakes/", f"/games/{problem.pk}/mistakes/",
        f"/games/{problem.pk}/", f"/positions/shogi/{code}/?match=any",
        "/positions/shogi/wrong/", "/positions/shogi/edit/",
        "/positions/shogi/edit/?pattern=K9i+{G,S}7h+-7f+!P1e+hand:B",
        "/positions/shogi/edit/?pattern=K9i+then+Q", "/patterns/", "/patterns/?pattern=K9i+turn:mine",
        "/patterns/?pattern=P7f+hand:p<=9+then<=9+P2f&result=black", "/patterns/?pattern=P5a&player=nobody",
        "/games/?q=pattern:P7f", "/upload/", "/games/new/", f"/uploads/{upload.pk}/",
        "/players/", f"/players/{player.pk}/", "/events/", f"/events/{event.pk}/", "/statistics/",
        "/formations/", "/formations/furibisha/", "/problems/",
        "/sign-in/",
        f"/embed/games/{game.pk}/?ply=1", f"/embed/positions/shogi/{code}/", "/nowhere/",
    ]  # fmt: skip


def violations(page: Page, options: dict[str, object] | None = None) -> list[tuple[str, list[str]]]:
    """The rules that the page breaks, and where."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.axe_script)
    command = "options => axe.run(document, options).then(result => result.violations)"
    result = page.evaluate(command, options or {"resultTypes": ["violations"]})
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in result]


def assert_accessible(page: Page, where: object) -> None:
    """The page breaks no rule, and has enough contrast in the dark theme, too, in which it is left."""
    page.emulate_media(color_scheme="light")
    assert violations(page) == [], where
    page.emulate_media(color_scheme="dark")
    assert violations(page, CONTRAST) == [], f"{where} dark"


def keep_picture(page: Page, name: str) -> None:
    """Write what the page shows to the folder for pictures, if there is one."""
    if folder := os.environ.get("SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{re.sub(r'[^0-9A-Za-z]+', '-', name).strip('-')}.png")


@pytest.fixture
def curators_addresses(addresses: list[str]) -> list[str]:
    """The pages of corrections, as a curator sees them."""
    clara, anna = User.objects.create_user("clara"), User.objects.create_user("anna")
    set_role(clara, Role.CURATOR)
    set_role(anna, Role.CONTRIBUTOR)
    game = Game.objects.order_by("pk")[0]
    operations = [
        {"op": "header", "name": "棋戦", "old": "名人戦", "new": "名人戦七番勝負"},
        {"op": "comments", "at": "1", "move": "7g7f", "old": [], "new": ["好手"]},
    ]
    corrections.correct_game(clara, game, operations, "将棋世界")
    rename = [{"op": "header", "name": "先手", "old": "甲野", "new": "甲野一郎"}]
    corrections.correct_game(anna, game, rename, "将棋年鑑")
    batch = batches.create(clara, PUBLIC, {"player": "甲野"}, BatchEdit("set", "place", "", "東京"), "年鑑")
    batches.work(batch.pk, 60)
    Report.objects.create(game=game.pk, reason="wrong", text="日付が違う")
    player, event = Player.objects.get(name="甲野"), Event.objects.get()
    titles = {"op": "field", "name": "titles", "old": [], "new": [{"title": "名人", "from": "2006"}]}
    names.correct(clara, player, [titles], "将棋年鑑")
    rename = {"op": "field", "name": "name", "old": "名人戦", "new": "名人戦七番勝負"}
    names.correct(anna, event, [rename], "将棋年鑑")
    return [
        f"/players/{player.pk}/", f"/players/{player.pk}/correct/", f"/players/{player.pk}/history/",
        f"/players/{player.pk}/split/", f"/events/{event.pk}/correct/", f"/events/{event.pk}/history/",
        f"/games/{game.pk}/?ply=1", f"/games/{game.pk}/correct/?ply=1",
        f"/games/{game.pk}/history/?from=0&to=1", f"/games/{game.pk}/editions/", "/curation/",
        "/curation/?kind=proposals", "/curation/?kind=days", "/curation/?kind=people",
        f"/games/{game.pk}/take-down/", f"/players/{player.pk}/take-down/", "/curation/batches/",
        f"/curation/batches/{batch.pk}/", "/curation/batches/new/?player=甲野",
    ]  # fmt: skip


def look_at_all(page: Page, site: str, addresses: list[str], name: str) -> None:
    """Look at pages with all their parts unfolded, in both themes."""
    for address in addresses:
        page.goto(site + address)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true;")
        assert_accessible(page, address)
        keep_picture(page, f"{name}-dark{address}")
        page.emulate_media(color_scheme="light")
        keep_picture(page, f"{name}-light{address}")


@BOTH_SIZES_AND_LANGUAGES
def test_axe_finds_no_violation_on_any_page(
    browser: Browser,
    live_server: LiveServer,
    addresses: list[str],
    curators_addresses: list[str],
    size: tuple[int, int],
    language: str,
) -> None:
    # A page of its own: those of `open_page` may not meet an address that is answered 404.
    # Colours that change slowly would be looked at on their way.
    page = browser.new_page(locale=language, reduced_motion="reduce")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    look_at_all(page, live_server.url, addresses, f"{language}-{size[0]}")
    client = Client()
    client.force_login(User.objects.get(username="clara"))
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    look_at_all(page, live_server.url, curators_addresses, f"{language}-{size[0]}-curator")
    page.close()
