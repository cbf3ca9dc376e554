"""The page of the API: it runs under the policy of all pages, and its requests reach the API."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.archive.games import KIF, stored
from tests.browser.conftest import SIZES, PageMaker
from tools.contract import contract

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

TALL = (1280, 20_000)
"""Swagger UI renders the operations that are in sight."""

VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.blockedURI));
"""


def opened(page: Page, name: str) -> None:
    """Open an operation, and say that it is to be tried."""
    block = page.locator(f'[id$="-{name}"]')
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    expect(block.get_by_role("button", name="Execute")).to_be_visible()


def test_everything_is_there_and_can_be_tried_without_breaking_the_policy(
    open_page: PageMaker, live_server: LiveServer
) -> None:
    stored(KIF)
    queries: list[str] = []
    page = open_page(size=TALL, alone=True)
    page.on("request", lambda request: queries.append(request.url))
    page.add_init_script(VIOLATIONS)
    answer = page.goto(f"{live_server.url}/api/v1/docs")
    assert answer and "script-src 'self';" in answer.headers["content-security-policy"]
    operations = [one for methods in contract({})["paths"].values() for one in methods]
    expect(page.locator(".opblock")).to_have_count(len(operations))
    opened(page, "get_games")
    block = page.locator('[id$="-get_games"]')
    block.locator('[data-param-name="player"] input').fill("先手の人")
    block.get_by_role("button", name="Execute").click()
    expect(block.locator(".live-responses-table .response-col_status").last).to_have_text(re.compile("200"))
    expect(block.locator(".live-responses-table")).to_contain_text("試しの棋戦")
    opened(page, "post_check")
    block = page.locator('[id$="-post_check"]')
    block.get_by_role("button", name="Execute").click()
    expect(block.locator(".live-responses-table .response-col_status").last).to_have_text(re.compile("200"))
    assert page.evaluate("window.violations") == []
    assert [url for url in queries if not url.startswith((live_server.url, "data:"))] == []
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["ja", "en"])
def test_without_scripts_it_leads_to_the_contract(
    open_page: PageMaker, live_server: LiveServer, language: str
) -> None:
    page = open_page(f"{live_server.url}/api/v1/docs", language=language, script=False)
    expect(page.locator("noscript a")).to_have_attribute("href", "/api/v1/schema")
    expect(page.locator("noscript p")).to_contain_text({"ja": "スクリプト", "en": "JavaScript"}[language])
