"""The upload page and records of Quoridor: checked, replayed and converted as they stand there."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.models import Upload
from tests.browser.conftest import PageMaker

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

CODE = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"


def test_a_pasted_code_is_checked_replayed_and_converted_without_being_stored(
    open_page: PageMaker, live_server: LiveServer, settings: Settings
) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    page, before = open_page(live_server.url + "/upload/"), Upload.objects.count()
    page.locator("#text").fill(CODE)
    expect(page.locator(".check .findings")).to_contain_text("QF  ? − ?  手数 46")
    page.get_by_role("button", name="追加せずに再生").click()
    expect(page.locator(".check .qf_board_viewer svg").first).to_be_visible()
    formats = page.locator(".check select option:not([hidden])")
    expect(formats).to_have_text(["QF", "ALG", "JSON"])
    page.locator(".check select").select_option("alg")
    page.get_by_role("button", name="追加せずに変換").click()
    expect(page.locator(".check .result textarea")).to_have_value(
        re.compile(r"1\. e2 e8 2\. e3 e7 .*0-1", re.S)
    )
    assert Upload.objects.count() == before
