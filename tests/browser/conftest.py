"""One headless Chromium for all browser tests, and pages of a given size, language and theme."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Literal, TypeVar
from weakref import WeakSet

import pytest
from django.core.servers.basehttp import ThreadedWSGIServer
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, expect, sync_playwright

from tests.browser.other_site import Answer, OtherSite
from tests.browser.pages import PATIENCE_SECONDS, Pages

NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
)  # fmt: skip
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
DESKTOP = (1280, 800)
PHONE = (390, 844)
SIZES = {"screen": DESKTOP, "phone": PHONE}

expect.set_options(timeout=PATIENCE_SECONDS * 1000)

# Milliseconds by which every answer is late: a test that reads too early fails.
DELAY = int(os.environ.get("KIFU_BROWSER_DELAY", "0"))

LANGUAGES = ("ja", "en")
FULL = os.environ.get("KIFU_BROWSER") == "full"
USUAL = (("screen", "ja"), ("phone", "en"))
BOTH_SIZES_AND_LANGUAGES = pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(size, language, id=f"{name}-{language}")
        for name, size in SIZES.items()
        for language in LANGUAGES
        if FULL or (name, language) in USUAL
    ],
)
"""Tasks are done on a screen and on a phone, in Japanese and in English; `KIFU_BROWSER=full` runs all four
pairs."""

CONNECTIONS: WeakSet[socket.socket] = WeakSet()
"""Those of the tests' server that are open, and some that were."""

PageMaker = Callable[..., Page]
T = TypeVar("T")


def find_chromium() -> str:
    """The browser's path; skips the test where there is none, fails on CI (`CI=true`)."""
    path = next((result for name in NAMES if (result := shutil.which(name))), None)
    if path is not None:
        return path
    reason = f"no Chromium is installed (looked for {', '.join(NAMES)})"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def connections_noted() -> Iterator[None]:
    """The connections of the tests' server are in `CONNECTIONS`."""
    process = ThreadedWSGIServer.process_request

    def noting(server: ThreadedWSGIServer, request: socket.socket, address: object) -> None:
        CONNECTIONS.add(request)
        process(server, request, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThreadedWSGIServer, "process_request", noting)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Playwright runs an event loop here, which Django must allow."""
    path = find_chromium()
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture(scope="session")
def pages(browser: Browser) -> Iterator[Pages]:
    """The pages that tests use one after another."""
    pages = Pages(browser, DELAY)
    yield pages
    pages.close()


@pytest.fixture
def open_page(request: pytest.FixtureRequest, pages: Pages) -> Iterator[PageMaker]:
    """Makes pages; at the end of the test none of them may have reported an error to its console.

    A page is as good as new and is used again, unless the test wants it `alone`.
    """
    problems: list[str] = []
    taken: list[tuple[Page, bool]] = []
    failed = request.session.testsfailed

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(f"{message.type}: {message.text}")

    def note_error(error: Error) -> None:
        problems.append(str(error))

    def make(
        url: str = "",
        size: tuple[int, int] = DESKTOP,
        language: str = "ja",
        theme: Literal["light", "dark"] = "light",
        script: bool = True,
        alone: bool = False,
    ) -> Page:
        page = pages.take(language, script, alone)
        taken.append((page, alone))
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=theme)
        page.on("console", note)
        page.on("pageerror", note_error)
        if url:
            page.goto(url)
        return page

    yield make
    for page, alone in taken:
        page.remove_listener("console", note)
        page.remove_listener("pageerror", note_error)
        pages.give_back(page, again=not alone and request.session.testsfailed == failed)
    wait_for_answers()
    assert problems == []


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page on a phone, in Japanese, that takes fingers."""
    context = browser.new_context(
        viewport={"width": PHONE[0], "height": PHONE[1]}, has_touch=True, is_mobile=True, locale="ja"
    )
    yield context.new_page()
    context.close()


@pytest.fixture
def other_site() -> Iterator[OtherSite]:
    """A site of somebody else that answers while the test runs."""
    server = OtherSite(("127.0.0.1", 0), Answer)
    server.pages = {"/favicon.ico": ("image/x-icon", b"\0")}
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def wait_for_answers() -> None:
    """Wait until the test's server has nothing left to do for pages that are left.

    The tables are emptied after the test: a request that still reads them would meet a lock or half of the
    data. Idle connections of browsers are closed; each thread answers its request and ends.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while answering := [one.name for one in threading.enumerate() if "process_request_thread" in one.name]:
        for connection in list(CONNECTIONS):
            with suppress(OSError):  # its thread has closed it
                connection.shutdown(socket.SHUT_RD)
        assert time.monotonic() < until, f"the server still answers: {answering}"
        time.sleep(0.005)


def loading(page: Page) -> AbstractContextManager[object]:
    """Wait until the page to which the body leads is loaded.

    The page that is left may still change its own address, which is no load.
    """
    return page.expect_event("load")


def follow(link: Locator) -> None:
    """Click a link or button and wait until the next page is loaded."""
    with loading(link.page):
        link.click()


def eventually(page: Page, read: Callable[[], T], expected: T) -> None:
    """Wait until a value read from a page equals `expected`, for values that `expect` cannot read."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (result := read()) != expected and time.monotonic() < until:
        page.wait_for_timeout(20)
    assert result == expected


def drop_files(page: Page, *paths: Path) -> None:
    """Drop files and folders of this machine onto a page, as from a file manager."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def freeze(page: Page) -> None:
    """From the next load on time passes in the page only where the test says `page.clock.run_for`.

    Nothing sets it going again: the page has to be the test's `alone`.
    """
    page.clock.install(time=0)
    page.clock.pause_at(1)
