"""One headless Chromium for all browser tests, and pages of a given size, language and theme."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
DESKTOP = (1280, 800)
PHONE = (390, 844)

PageMaker = Callable[..., Page]


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
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: problems.append(str(error)))
        if url:
            page.goto(url)
        return page

    yield make
    for context in contexts:
        context.close()
    assert problems == []


def follow(link: Locator) -> None:
    """Click a link or button and wait until the page it leads to is there as a whole."""
    with link.page.expect_navigation(wait_until="load"):
        link.click()
