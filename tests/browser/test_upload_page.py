"""The upload page in a browser: buttons that choose files, and a list that follows the work."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, FileChooser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from archive.intake.worker import work_off
from archive.models import Upload
from tests.browser.conftest import (
    BOTH_SIZES_AND_LANGUAGES,
    PHONE,
    PageMaker,
    eventually,
    follow,
    wait_for_answers,
)

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db(transaction=True)]

BUTTONS = {
    "ja": ("ファイルを選ぶ", "フォルダーを選ぶ", "棋譜を追加"),
    "en": ("Choose files", "Choose a folder", "Add games"),
}


@pytest.fixture(autouse=True)
def anyone_may_upload(settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


@pytest.fixture
def records(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("a.kif", "b.kif")]
    for path in paths:
        path.write_text(f"先手：{path.name}\n1 ７六歩(77)\n2 投了\n")
    return paths


def choosing(page: Page) -> tuple[Page, list[FileChooser]]:
    """The page, and the dialogs for files that it opens from its next load on."""
    choosers: list[FileChooser] = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    return page, choosers


def choose(page: Page, choosers: list[FileChooser], paths: list[Path]) -> None:
    """Choose files in the dialog."""
    eventually(page, lambda: len(choosers), 1)
    choosers[0].set_files(paths)


@BOTH_SIZES_AND_LANGUAGES
def test_files_are_chosen_by_a_button_in_our_words_and_followed_until_all_are_done(
    open_page: PageMaker, live_server: LiveServer, records: list[Path], size: tuple[int, int], language: str
) -> None:
    page, choosers = choosing(open_page(size=size, language=language))
    page.goto(live_server.url + "/upload/")
    files, folder, send = BUTTONS[language]
    page.get_by_text(files, exact=True).click()
    choose(page, choosers, records)
    expect(page.locator(".chosen li")).to_have_text(["a.kif", "b.kif"])
    expect(page.get_by_label(folder)).to_have_attribute("webkitdirectory", "")
    follow(page.locator("form.upload").get_by_role("button", name=send, exact=True))
    expect(page.locator("#sent li")).to_have_count(2)
    expect(page.locator("#sent")).to_have_attribute("data-poll", re.compile("sent="))
    page.evaluate("window.same = true")
    for upload in Upload.objects.all():
        work_off(upload.pk)
    done = {"ja": "追加 1", "en": "added 1"}[language]
    expect(page.locator("#sent li")).to_have_text(
        [re.compile(f"{name}.*{done}") for name in ("a.kif", "b.kif")]
    )
    expect(page.locator("#sent")).not_to_have_attribute("data-poll", re.compile(""))
    assert page.evaluate("window.same") is True


def test_the_button_for_files_is_pressed_by_the_keyboard_too(
    open_page: PageMaker, live_server: LiveServer, records: list[Path]
) -> None:
    page, choosers = choosing(open_page(language="en"))
    page.goto(live_server.url + "/upload/")
    page.get_by_label("Choose files").focus()
    page.keyboard.press("Enter")
    choose(page, choosers, records[:1])
    expect(page.locator(".chosen li")).to_have_text(["a.kif"])


def test_more_files_than_a_request_may_have_go_in_several_and_refused_ones_are_named(
    open_page: PageMaker, live_server: LiveServer, settings: Settings, records: list[Path]
) -> None:
    settings.ARCHIVE_MAX_FILES_PER_REQUEST = 2
    empty = records[0].with_name("empty.kif")
    empty.write_bytes(b"")
    page, choosers = choosing(open_page(language="en"))
    page.goto(live_server.url + "/upload/")
    page.get_by_text("Choose files", exact=True).click()
    choose(page, choosers, [records[0], empty, records[1]])
    page.locator("form.upload").get_by_role("button", name="Add games", exact=True).click()
    expect(page.locator(".chosen li")).to_have_text(
        ["2 / 3", "not read 1:", "empty.kif: This file is empty.", "Just sent"]
    )
    assert Upload.objects.count() == 2
    follow(page.locator(".chosen").get_by_role("link", name="Just sent"))
    expect(page).to_have_url(re.compile(r"\?sent=\d+-\d+$"))
    expect(page.locator("#sent li")).to_have_count(2)
    expect(page.locator("#sent .state")).to_contain_text("0 / 2")
    for upload in Upload.objects.all():
        work_off(upload.pk)
    expect(page.locator("#sent .state")).to_contain_text("2 / 2")
    expect(page.locator("#sent .stored dd")).to_have_text("2")


def test_files_beyond_a_limit_are_sent_when_the_archive_says(
    browser: Browser, live_server: LiveServer, settings: Settings, records: list[Path]
) -> None:
    # A page of its own: browsers report a 429 on the console, which `open_page` takes for a defect.
    settings.ARCHIVE_MAX_FILES_PER_REQUEST = 1
    refusals = [{"status": 429, "headers": {"Retry-After": "1"}, "body": "{}"}]
    page, choosers = choosing(browser.new_page(locale="en"))
    page.route(
        "**/api/v1/uploads",
        lambda route: route.fulfill(**refusals.pop()) if refusals else route.continue_(),
    )
    page.goto(live_server.url + "/upload/")
    page.get_by_text("Choose files", exact=True).click()
    choose(page, choosers, records)
    page.locator("form.upload").get_by_role("button", name="Add games", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?sent=\d+-\d+$"))
    page.close()
    wait_for_answers()
    assert refusals == []
    assert Upload.objects.count() == 2


def test_files_that_are_too_much_together_for_a_request_go_in_several(
    open_page: PageMaker, live_server: LiveServer, settings: Settings, records: list[Path]
) -> None:
    settings.ARCHIVE_MAX_REQUEST_BYTES = 25_000
    for path in records:
        path.write_text(path.read_text() + "*" + "あ" * 3_000)
    page, choosers = choosing(open_page(language="en"))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto(live_server.url + "/upload/")
    page.get_by_text("Choose files", exact=True).click()
    choose(page, choosers, records)
    page.locator("form.upload").get_by_role("button", name="Add games", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?sent=\d+-\d+$"))
    assert [url for url in sent if url.endswith("/uploads")] == [live_server.url + "/api/v1/uploads"] * 2
    assert Upload.objects.count() == 2


def test_a_check_that_the_archive_puts_off_says_so_in_words_and_is_made_then(
    browser: Browser, live_server: LiveServer
) -> None:
    # A page of its own, as above.
    refusal = {"status": 429, "headers": {"Retry-After": "2"}, "body": '{"detail": "`Retry-After` tells"}'}
    page = browser.new_page(locale="ja")
    page.route("**/api/v1/check", lambda route: route.fulfill(**refusal), times=1)
    page.goto(live_server.url + "/upload/")
    page.locator("#text").fill("先手：甲\n1 ７六歩(77)\n2 投了\n")
    expect(page.locator(".check .issues")).to_have_text("しばらく待ってから、もう一度お試しください。")
    expect(page.locator(".check .findings")).to_contain_text("KIF  甲")
    page.close()
    wait_for_answers()


@BOTH_SIZES_AND_LANGUAGES
def test_the_button_that_sends_is_always_in_view(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = open_page(live_server.url + "/upload/", size=size, language=language)
    send = page.locator("form.upload").get_by_role("button", name=BUTTONS[language][2], exact=True)
    expect(send).to_be_in_viewport(ratio=1)
    page.locator("#text").fill("先手：甲\n1 ７六歩(77)\n2 ９九玉(11)\n")
    expect(page.locator(".check .issues pre").first).to_have_text("2 ９九玉(11)")
    expect(send).to_be_in_viewport(ratio=1)


@BOTH_SIZES_AND_LANGUAGES
def test_a_pasted_game_opens_when_it_is_stored(
    open_page: PageMaker, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page = open_page(live_server.url + "/upload/", size=size, language=language)
    page.locator("#text").fill("先手：甲\n後手：乙\n1 ７六歩(77)\n2 投了\n")
    follow(page.locator("form.upload").get_by_role("button", name=BUTTONS[language][2], exact=True))
    texts = {"ja": "順番待ち：1番目", "en": "In the queue: number 1"}[language]
    expect(page.locator("#state strong")).to_have_text(texts)
    work_off(Upload.objects.get().pk)
    expect(page).to_have_url(re.compile(r"/games/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("甲")


def test_an_empty_file_is_called_empty_before_and_after_it_is_sent(
    browser: Browser, live_server: LiveServer, tmp_path: Path
) -> None:
    # A page of its own: the console notes every answer of status 400.
    empty = tmp_path / "empty.kif"
    empty.write_bytes(b"\xef\xbb\xbf\r\n")
    page = browser.new_page(locale="ja")
    page.goto(live_server.url + "/upload/")
    page.locator("#file").set_input_files(empty)
    expect(page.locator(".check .issues li")).to_have_text(["ファイルが空です"])
    page.locator("form.upload").get_by_role("button", name="棋譜を追加", exact=True).click()
    expect(page.locator("#state strong")).to_have_text("順番待ち：1番目")
    work_off(Upload.objects.get().pk)
    expect(page.locator(".entry.failed .issues")).to_have_text("ファイルが空です")
    page.close()


def test_a_check_without_an_answer_says_so_in_words(browser: Browser, live_server: LiveServer) -> None:
    page = browser.new_page(locale="en")
    page.route("**/api/v1/check", lambda route: route.fulfill(status=502, body="<p>bad gateway"))
    page.goto(live_server.url + "/upload/")
    page.locator("#text").fill("1 ７六歩(77)")
    expect(page.locator(".check .issues")).to_have_text("Please wait a moment, then try again.")
    page.close()


def test_files_are_sent_without_javascript(
    open_page: PageMaker, live_server: LiveServer, records: list[Path]
) -> None:
    page, choosers = choosing(open_page(size=PHONE, script=False))
    page.goto(live_server.url + "/upload/")
    field = page.locator("#file")
    expect(field).to_have_css("opacity", "1")
    expect(page.locator("#folder")).to_be_hidden()
    page.get_by_text("ファイルを選ぶ").click()
    choose(page, choosers, records)
    follow(page.get_by_role("button", name="棋譜を追加", exact=True))
    expect(page.locator("#sent li")).to_have_count(2)
    expect(page.get_by_role("link", name="表示を更新")).to_be_visible()


def test_pasted_text_goes_along_with_files_that_are_too_many_for_a_request(
    open_page: PageMaker, live_server: LiveServer, settings: Settings, records: list[Path]
) -> None:
    settings.ARCHIVE_MAX_FILES_PER_REQUEST = 2
    page, choosers = choosing(open_page(language="en"))
    page.goto(live_server.url + "/upload/")
    page.get_by_label("Or paste a record here").fill("先手：貼付\n1 ２六歩(27)\n2 投了\n")
    page.get_by_text("Choose files", exact=True).click()
    choose(page, choosers, records)
    page.locator("form.upload").get_by_role("button", name="Add games", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?sent=\d+-\d+$"))
    assert sorted(Upload.objects.values_list("name", flat=True)) == ["a.kif", "b.kif", "pasted text"]
    assert b"".join(Upload.objects.get(name="pasted text").stream()).decode().startswith("先手：貼付")


@BOTH_SIZES_AND_LANGUAGES
def test_a_chosen_zip_is_told_to_be_one_and_offers_no_replay(
    browser: Browser, live_server: LiveServer, tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    archive = tmp_path / "games.zip"
    with ZipFile(archive, "w") as packed:
        packed.writestr("a.kif", "先手：甲\n1 ７六歩(77)\n2 投了\n")
    # A page of its own: the console notes every answer of status 400.
    page = browser.new_page(locale=language, viewport={"width": size[0], "height": size[1]})
    page.goto(live_server.url + "/upload/")
    page.locator("#file").set_input_files(archive)
    texts = {
        "ja": "これは書庫です（ZIP）。追加すると、中のファイルを一つずつ読み取ります",
        "en": "this is an archive (ZIP); add it, and every file in it is read",
    }[language]
    expect(page.locator(".check .issues li")).to_have_text([texts])
    expect(page.locator(".check .issues .error")).to_have_count(0)
    expect(page.locator(".check button.look")).to_be_hidden()
    expect(page.locator(".check select")).to_be_hidden()
    page.locator("#text").fill("先手：甲\n1 ７六歩(77)\n")
    expect(page.locator(".check .findings li")).to_have_count(1)
    expect(page.locator(".check button.look")).to_be_enabled()
    page.close()


@BOTH_SIZES_AND_LANGUAGES
def test_a_record_that_is_too_large_to_be_checked_is_told_so(
    open_page: PageMaker, live_server: LiveServer, settings: Settings, size: tuple[int, int], language: str
) -> None:
    settings.ARCHIVE_MAX_CONVERT_BYTES = 100
    page = open_page(live_server.url + "/upload/", size=size, language=language)
    page.locator("#text").fill("先手：甲\n1 ７六歩(77)\n" + "*あ" * 50)
    texts = {"ja": "大きすぎるため、ここでは確認できません", "en": "Too large to check here"}[language]
    expect(page.locator(".check .issues li")).to_contain_text(texts)
    expect(page.locator(".check button.look")).to_be_disabled()
    page.locator("#text").fill("先手：甲\n1 ７六歩(77)\n")
    expect(page.locator(".check .findings li")).to_have_count(1)
    expect(page.locator(".check .issues li")).to_have_count(0)
