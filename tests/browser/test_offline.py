"""The site as an app: what can be read and sent with the network cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive import libraries
from archive.accounts.roles import Role
from archive.curation import corrections
from archive.intake.worker import work_off
from archive.models import Game, Upload, User
from archive.web.pages import offline
from tests.archive.full import sent
from tests.archive.games import KIF, stored
from tests.browser.conftest import LANGUAGES, PHONE, eventually

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

SHARED = "先手：シェア\n後手：乙\n1 ２六歩(27)\n2 投了\n"


@pytest.fixture(autouse=True)
def anyone_may_upload(settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A phone whose service worker is not that of another test."""
    context = browser.new_context(
        viewport={"width": PHONE[0], "height": PHONE[1]}, locale="ja", service_workers="allow"
    )
    yield context
    context.close()


def opened(context: BrowserContext, address: str) -> Page:
    """A page that the service worker controls, and has stored."""
    page = context.new_page()
    page.goto(address)
    page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    eventually(page, lambda: page.evaluate("!!navigator.serviceWorker.controller"), True)
    page.reload()
    return page


def cached_paths(page: Page) -> list[str]:
    """The paths of the pages that are stored."""
    return list(
        page.evaluate("""async () => {
            const paths = [];
            for (const name of await caches.keys()) {
                if (!name.startsWith("pages ")) continue;
                const requests = await (await caches.open(name)).keys();
                paths.push(...requests.map(({ url }) => new URL(url).pathname));
            }
            return paths;
        }""")
    )


def sign_in(context: BrowserContext, live_server: LiveServer, user: User) -> None:
    client = Client()
    client.force_login(user)
    context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )


def test_a_game_that_was_opened_is_replayed_with_the_network_cut(context, live_server):
    stored(KIF)
    game = f"{live_server.url}/games/{Game.objects.get().pk}/"
    page = opened(context, game)
    eventually(page, lambda: f"/games/{Game.objects.get().pk}/" in cached_paths(page), True)
    context.set_offline(True)
    page.goto(game)
    expect(page.locator("h1")).to_contain_text("先手の人")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".moves [aria-current]").first).to_contain_text("７六歩")
    page.goto(f"{live_server.url}/players/")
    expect(page.locator("h1")).to_have_text("オフライン")
    expect(page.locator("#cached-games a")).to_have_text(["先手の人 – 後手の人"])


def test_who_is_online_never_sees_an_earlier_version(context, live_server):
    stored(KIF)
    game = Game.objects.get()
    page = opened(context, f"{live_server.url}/games/{game.pk}/")
    eventually(page, lambda: cached_paths(page) != [], True)
    rename = {"op": "header", "name": "先手", "old": "先手の人", "new": "次の人"}
    corrections.correct_game(User.objects.create_user("clara", role=Role.CURATOR), game, [rename], "a source")
    page.goto(f"{live_server.url}/games/{game.pk}/")
    expect(page.locator("h1")).to_contain_text("次の人")


def test_pages_of_an_account_are_gone_when_it_signs_out(context, live_server):
    anna = User.objects.create_user("anna", role=Role.CONTRIBUTOR)
    mine = libraries.own_library(anna)
    upload = sent(KIF.replace("先手の人", "秘密"), "secret.kif", anna, mine.pk)
    path = f"/games/{upload.entries.get().game_id}/"
    sign_in(context, live_server, anna)
    page = opened(context, f"{live_server.url}{path}")
    expect(page.locator("h1")).to_contain_text("秘密")
    eventually(page, lambda: path in cached_paths(page), True)
    context.set_offline(True)
    page.goto(f"{live_server.url}{path}")
    expect(page.locator("h1")).to_contain_text("秘密")
    context.set_offline(False)
    context.clear_cookies()
    page.goto(f"{live_server.url}/")
    eventually(page, lambda: path in cached_paths(page), False)
    context.set_offline(True)
    page.goto(f"{live_server.url}{path}")
    expect(page.locator("h1")).to_have_text("オフライン")


def test_an_upload_waits_for_the_network_and_arrives_once(context, live_server):
    page = opened(context, f"{live_server.url}/upload/")
    eventually(page, lambda: "/upload/" in cached_paths(page), True)
    context.set_offline(True)
    page.fill("#text", SHARED)
    page.click("form.upload button.main")
    expect(page.locator("#waiting li")).to_contain_text("通信の回復待ち")
    assert not Upload.objects.exists()
    page.reload()
    expect(page.locator("#waiting li")).to_have_count(1)
    context.set_offline(False)
    expect(page.locator("#waiting .done a")).to_be_visible()
    expect(page.locator("#waiting li")).to_have_count(0)
    work_off(Upload.objects.get().pk)
    assert Game.objects.get().player0.name == "シェア"


def test_an_upload_that_is_refused_says_why_and_stays(context, live_server, settings):
    page = opened(context, f"{live_server.url}/upload/")
    eventually(page, lambda: "/upload/" in cached_paths(page), True)
    context.set_offline(True)
    page.fill("#text", SHARED)
    page.click("form.upload button.main")
    expect(page.locator("#waiting li")).to_have_count(1)
    settings.ARCHIVE_MAX_UPLOAD_BYTES = 10
    context.set_offline(False)
    expect(page.locator("#waiting li")).to_contain_text("読み取れなかったもの")
    page.click("#waiting li button")
    expect(page.locator("#waiting")).to_be_hidden()
    assert not Upload.objects.exists()


def test_what_another_app_shares_is_added_with_one_press(context, live_server):
    page = opened(context, f"{live_server.url}/upload/")
    page.evaluate(
        """text => {
            const form = document.createElement("form");
            Object.assign(form, { action: "/upload/share/", method: "post", enctype: "multipart/form-data" });
            const field = document.createElement("textarea");
            Object.assign(field, { name: "text", value: text });
            form.append(field);
            document.body.append(form);
            form.submit();
        }""",
        SHARED,
    )
    expect(page.locator("#text")).to_have_value(re.compile("シェア"))
    assert not Upload.objects.exists(), "nothing is stored without a press"
    page.click("form.upload button.main")
    page.wait_for_url(re.compile(r"/uploads/\d+/|/games/\d+/"))
    work_off(Upload.objects.get().pk)
    assert Game.objects.get().player0.name == "シェア"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_app_is_installed_from_files_that_are_there(client, language):
    shown = json.loads(client.get(f"/manifest/{language}.webmanifest").content)
    assert {one["purpose"] for one in shown["icons"]} == {"any", "maskable"}
    assert all(finders.find(one["src"].removeprefix("/static/")) for one in shown["icons"])
    for address in (shown["start_url"], *(one["url"] for one in shown["shortcuts"])):
        assert client.get(address).status_code == 200, address
    assert shown["share_target"]["action"] == "/upload/share/" and shown["lang"] == language
    script = client.get("/service-worker.js").content.decode()
    places = json.loads(script.partition(";\n")[0].removeprefix("self.PLACES = "))
    assert "/static/shogi/board.js" in places["files"] and len(places["files"]) == len(offline.shell_files())
    assert client.get("/manifest/xx.webmanifest").status_code == 404
