"""Boards in frames of other sites, the code that is copied for them, pictures for links."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from archive.models import Game, Upload
from archive.store import deletion
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders

pytestmark = pytest.mark.django_db

START = shogi64.encode(Position.initial())


def stored() -> Game:
    builders.ingest(builders.ready("7g7f 3c3d", black="甲野", white="乙山"))
    return Game.objects.get()


def test_only_embedded_pages_may_stand_in_frames_of_other_sites(client: Client) -> None:
    game = stored()
    for address, free in (
        (f"/embed/games/{game.pk}/", True),
        (f"/embed/positions/shogi/{START}/", True),
        (f"/games/{game.pk}/", False),
        (f"/positions/shogi/{START}/", False),
    ):
        headers = client.get(address).headers
        assert ("X-Frame-Options" in headers) is not free, address
        assert headers["Content-Security-Policy"].endswith("frame-ancestors *" if free else "'none'"), address


@pytest.mark.parametrize(("language", "title"), [("ja", "ページが見つかりません"), ("en", "Page not found")])
def test_a_frame_tells_of_an_error_itself_without_the_site_around_it(
    client: Client, language: str, title: str
) -> None:
    answer = client.get("/embed/games/99999/", headers={"Accept-Language": language})
    assert answer.status_code == 404
    assert "X-Frame-Options" not in answer.headers
    assert answer.headers["Content-Security-Policy"].endswith("frame-ancestors *")
    page = answer.content.decode()
    assert title in page
    assert 'class="embed"' in page
    assert 'class="site-header"' not in page
    assert "<form" not in page


def test_a_frame_of_a_game_that_was_taken_down_says_so(client: Client) -> None:
    game = stored()
    address = f"/embed/games/{game.pk}/"
    deletion.begin_deletion(Upload.objects.get().pk)
    answer = client.get(address)
    assert answer.status_code == 410
    assert "X-Frame-Options" not in answer.headers


def test_an_embedded_game_has_the_board_the_moves_and_the_way_back(client: Client) -> None:
    game = stored()
    page = client.get(f"/embed/games/{game.pk}/?ply=1&flip=1&theme=dark").content.decode()
    for text in ("甲野", "▲７六歩", 'data-theme="dark"', f'href="/games/{game.pk}/"', "flipped"):
        assert text in page
    assert 'class="site-header"' not in page
    assert f'href="/embed/games/{game.pk}/?ply=2&amp;flip=1"' in page


def test_the_moves_can_be_left_out_and_other_themes_are_ignored(client: Client) -> None:
    page = client.get(f"/embed/games/{stored().pk}/?moves=0&theme=pink").content.decode()
    assert "board-only" in page
    assert "data-theme" not in page


def test_an_embedded_position_shows_it_and_leads_to_its_page(client: Client) -> None:
    page = client.get(f"/embed/positions/shogi/{START}/").content.decode()
    assert 'class="board"' in page
    assert f'href="/positions/shogi/{START}/"' in page


@pytest.mark.parametrize(
    ("address", "status"), [("shogi/zzz", 400), ("chess/" + START, 404), ("shogi/" + START, 200)]
)
def test_wrong_positions_are_refused(client: Client, address: str, status: int) -> None:
    assert client.get(f"/embed/positions/{address}/").status_code == status


def test_pages_offer_the_code_for_other_sites(client: Client) -> None:
    game = stored()
    for address in (f"games/{game.pk}", f"positions/shogi/{START}"):
        page = client.get(f"/{address}/").content.decode()
        assert f"&lt;iframe src=&quot;http://testserver/embed/{address}/&quot;" in page.replace('"', "&quot;")


@pytest.mark.parametrize("kind", ["game", "position"])
def test_links_to_pages_carry_a_picture(client: Client, kind: str) -> None:
    address = f"/games/{stored().pk}/?ply=1" if kind == "game" else f"/positions/shogi/{START}/"
    page = client.get(address).content.decode()
    tags = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))
    assert tags["title"]
    assert tags["image"].startswith("http://testserver/api/v1/positions/shogi/")
    assert tags["url"].startswith("http://testserver/")
    picture = client.get(tags["image"].removeprefix("http://testserver"))
    assert picture.headers["Content-Type"] == "image/svg+xml"


def test_other_sites_may_read_records_and_positions_but_nothing_else(client: Client) -> None:
    game = stored()
    for address, free in (
        (f"/api/v1/games/{game.pk}/record.jkf", True),
        (f"/api/v1/positions/shogi/{START}", True),
        ("/api/v1/uploads/1", False),
        (f"/games/{game.pk}/", False),
    ):
        assert (client.get(address).headers.get("Access-Control-Allow-Origin") == "*") is free, address
    converted = client.post("/api/v1/convert", {"text": "1 ７六歩(77)\n", "to": "csa"})
    assert converted.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in client.post("/api/v1/uploads", {"text": "x"}).headers


def test_an_archive_behind_a_login_opens_nothing_to_other_sites(client: Client, settings: Settings) -> None:
    settings.ARCHIVE_LOGIN_REQUIRED = True
    address = f"/api/v1/positions/shogi/{START}"
    assert "Access-Control-Allow-Origin" not in client.get(address).headers
