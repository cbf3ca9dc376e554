"""One headless Chromium for all browser tests, and pages of a given size, language and theme."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, TypeVar

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from tests.browser.other_site import Answer, OtherSite

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
DESKTOP = (1280, 800)
PHONE = (390, 844)
SIZES = {"screen": DESKTOP, "phone": PHONE}

# How long a test waits for what it expects. It fails late on a broken page, and never on a busy machine.
PATIENCE_SECONDS = 60
expect.set_options(timeout=PATIENCE_SECONDS * 1000)

# Milliseconds by which every answer is late: what a test reads without having waited for it is not there yet.
DELAY = int(os.environ.get("KIFU_BROWSER_DELAY", "0"))

LANGUAGES = ("ja", "en")
BOTH_SIZES_AND_LANGUAGES = pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(size, language, id=f"{name}-{language}")
        for name, size in SIZES.items()
        for language in LANGUAGES
    ],
)
"""What can be done on a page is done on a screen and on a phone, in Japanese and in English."""

PageMaker = Callable[..., Page]
T = TypeVar("T")


def find_chromium() -> str:
    """The browser's path; skips the test where there is none, fails on CI (`CI=true`)."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is not None:
        return path
    reason = f"no Chromium is installed (looked for {', '.join(NAMES)})"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Playwright runs an event loop here, so Django must be told."""
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


@pytest.fixture
def open_page(browser: Browser) -> Iterator[PageMaker]:
    """Makes pages; at the end of the test none of them may have reported an error to its console."""
    problems: list[str] = []
    contexts = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(f"{message.type}: {message.text}")

    def make(
        url: str = "",
        size: tuple[int, int] = DESKTOP,
        language: str = "ja",
        theme: Literal["light", "dark"] = "light",
        script: bool = True,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale=language,
            color_scheme=theme,
            java_script_enabled=script,
        )
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        contexts.append(context)
        page = context.new_page()
        if DELAY:
            slow_down(page)
        page.on("console", note)
        page.on("pageerror", lambda error: problems.append(str(error)))
        if url:
            page.goto(url)
        return page

    yield make
    for context in contexts:
        context.close()
    wait_for_answers()
    assert problems == []


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


def slow_down(page: Page) -> None:
    """Let every answer come `DELAY` milliseconds later, and the page's scripts take four times as long."""
    session = page.context.new_cdp_session(page)
    speed = {"latency": DELAY, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {"offline": False, **speed})
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})


def wait_for_answers() -> None:
    """Wait until the test's server has nothing left to do for pages that are closed.

    The tables are emptied after the test: what still reads them then would meet a lock or find half of it.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while answering := [one.name for one in threading.enumerate() if "process_request_thread" in one.name]:
        assert time.monotonic() < until, f"the server still answers: {answering}"
        time.sleep(0.005)


def loading(page: Page) -> AbstractContextManager[object]:
    """What is done inside leads to another page; at the end that page is there as a whole.

    A page that is left may change its own address last, which is no page that is loaded.
    """
    return page.expect_event("load")


def follow(link: Locator) -> None:
    """Click a link or button and wait until the page it leads to is there as a whole."""
    with loading(link.page):
        link.click()


def eventually(page: Page, read: Callable[[], T], wanted: T) -> None:
    """Wait until something read from a page is as wanted, for what `expect` has no words."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (found := read()) != wanted and time.monotonic() < until:
        page.wait_for_timeout(20)
    assert found == wanted


def drop_files(page: Page, *paths: Path) -> None:
    """Drop files and folders of this machine onto a page, as from a file manager."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def freeze(page: Page) -> None:
    """From the next load on time passes in the page only where the test says `page.clock.run_for`."""
    page.clock.install(time=0)
    page.clock.pause_at(1)
