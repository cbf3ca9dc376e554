"""Checks of all pages: languages, theme, errors, the home page, no inline code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from tests.archive import builders
from tests.archive.html import tidy
from tests.archive.test_web_words_and_weight import ALLOWED

pytestmark = pytest.mark.django_db

PAGES = ("/", "/games/", "/upload/", "/sign-in/", "/positions/shogi/zzz/", "/nowhere/")
TEMPLATES = sorted((Path(settings.BASE_DIR) / "archive" / "templates").rglob("*.html"))


def html(client: Client, address: str, language: str = "ja") -> str:
    return tidy(client.get(address, headers={"Accept-Language": language}).content.decode())


def test_home_shows_the_archive_in_one_look(client: Client) -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲", white="乙"),
        builders.ready("2g2f 8c8d", black="丙", white="丁"),
    )
    page = html(client, "/")
    for text in (
        "<dt>棋譜</dt><dd>2</dd>",
        "<dd>6</dd>",
        "▲７六歩",
        "▲２六歩",
        "甲",
        "丁",
        'class="board"',
        'href="/upload/"',
    ):
        assert text in page


def test_home_counts_games_apart_from_problems_trees_and_positions(client: Client) -> None:
    cache.clear()
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲", white="乙"),
        builders.ready("2g2f 8c8d", black="丙", white="丁"),
        builders.ready("5g5f", kind="problem"),
        builders.ready("5g5f 5c5d", {1: [["7g7f"]]}, kind="tree"),
    )
    page = html(client, "/")
    assert "<dt>棋譜</dt><dd>2</dd>" in page
    assert '<dt>問題</dt><dd><a href="/games/?record_kind=problem">1</a></dd>' in page
    assert '<dt>定跡</dt><dd><a href="/games/?record_kind=tree">1</a></dd>' in page
    assert "record_kind=position" not in page
    assert "<dt>opening trees</dt>" in html(client, "/", "en")


def test_home_of_an_empty_archive_asks_for_records(client: Client) -> None:
    assert "最初の棋譜を追加" in html(client, "/")


@pytest.mark.parametrize("address", PAGES)
def test_pages_speak_the_language_that_the_browser_prefers(client: Client, address: str) -> None:
    assert '<html lang="ja"' in html(client, address, "ja")
    assert '<html lang="en"' in html(client, address, "en-GB,en;q=0.9")
    assert '<html lang="ja"' in html(client, address, "fr")


def test_the_language_switch_keeps_the_address(client: Client) -> None:
    response = client.post("/i18n/setlang/", {"language": "en", "next": "/games/?player=x"})
    assert response.status_code == 302
    assert response.headers["Location"] == "/games/?player=x"
    assert '<html lang="en"' in html(client, "/games/", "ja")


def test_japanese_pages_hold_no_english_words_of_ours(client: Client) -> None:
    allowed = ALLOWED | {"KI", "Shogi", "QUIT", "zzz", "truncated"}
    for address in PAGES:
        text = re.sub(r"<script.*?</script>|<[^>]+>", " ", html(client, address), flags=re.S)
        assert set(re.findall(r"[A-Za-z]{2,}", text)) <= allowed, address


def test_the_theme_is_a_cookie_that_the_page_obeys(client: Client) -> None:
    assert "data-theme" not in html(client, "/games/")
    response = client.post("/theme/", {"next": "/games/?from=2020"})
    assert response.headers["Location"] == "/games/?from=2020"
    assert 'data-theme="dark"' in html(client, "/games/")
    client.post("/theme/", {"next": "/games/"})
    assert 'data-theme="light"' in html(client, "/games/")
    client.cookies["theme"] = '"><script>'
    assert "data-theme" not in html(client, "/games/")


def test_the_theme_switch_leads_to_no_other_site(client: Client) -> None:
    for elsewhere in (
        "https://example.org/",
        "//example.org",
        "games",
        """'"'><b onclick=1>""",
        "a b",
        "\\x",
    ):
        assert client.post("/theme/", {"next": elsewhere}).headers["Location"] == "/"


def test_pages_need_no_inline_code_or_styles(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d", black="甲", white="乙"))
    matches = re.findall(r'href="(/(?:games/\d+|positions/shogi/[^"]+|uploads/\d+)/)', html(client, "/"))
    for address in (*PAGES, *matches):
        page = html(client, address)
        assert not re.search(r'\sstyle="|\son\w+="|<style', page), address
        for script in re.findall(r"<script[^>]*>", page):
            assert " src=" in script or 'type="application/json"' in script, address


def test_every_answer_has_a_strict_content_security_policy(client: Client) -> None:
    for address in (*PAGES, "/admin/login/", "/api/v1/games"):
        policy = client.get(address).headers["Content-Security-Policy"]
        directives = dict(part.split(" ", 1) for part in policy.split("; "))
        assert directives["default-src"] == "'none'", address
        assert directives["script-src"] == directives["style-src"] == "'self'"
        assert directives["frame-ancestors"] == "'none'"
        assert "unsafe" not in policy


def test_pages_take_nothing_from_other_sites(client: Client) -> None:
    for address in PAGES:
        assert not re.search(r'(?:src|href)="(?:https?:)?//', html(client, address)), address


@pytest.mark.parametrize(
    ("address", "status", "japanese", "english"),
    [
        ("/nowhere/", 404, "ページが見つかりません", "Page not found"),
        ("/games/?cursor=x", 400, "リクエストを読み取れませんでした", "Bad request"),
    ],
)
def test_errors_are_told_in_both_languages(
    client: Client, address: str, status: int, japanese: str, english: str
) -> None:
    for language, text in (("ja", japanese), ("en", english)):
        response = client.get(address, headers={"Accept-Language": language})
        assert response.status_code == status
        assert text in response.content.decode()


def test_a_form_without_its_token_is_told_what_to_do() -> None:
    response = Client(enforce_csrf_checks=True).post("/theme/", headers={"Accept-Language": "ja"})
    assert response.status_code == 403
    assert "もう一度お試しください" in response.content.decode()


@override_settings(ROOT_URLCONF="tests.archive.test_web_site")
def test_a_fault_of_ours_is_told_without_details() -> None:
    response = Client(raise_request_exception=False).get("/fault/", headers={"Accept-Language": "ja"})
    assert response.status_code == 500
    assert "サーバーで問題が起きました" in response.content.decode()
    assert "secret" not in response.content.decode()


def test_every_template_with_words_has_them_translated() -> None:
    for template in TEMPLATES:
        text = template.read_text()
        bare = re.sub(
            r"<kbd>\w+</kbd>|{%.*?%}|{{.*?}}|{#.*?#}|<script.*?</script>|<svg.*?</svg>|<[^>]+>",
            "",
            text,
            flags=re.S,
        )
        bare = re.sub(r"English|日本語|CSV|NDJSON", "", bare)
        if "blocktranslate" not in text:
            assert not re.search(r"[A-Za-z]{3,}", bare), template.name


def fault(_request: HttpRequest) -> HttpResponse:
    """A view with a fault."""
    raise RuntimeError("secret")


urlpatterns = [path("fault/", fault), path("", include("archive.project.urls"))]
