"""Checks of all pages: Japanese ones are in Japanese, and none is too large."""

from __future__ import annotations

import gzip
import re
from html import unescape
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.test import Client

from archive.models import Event, Game, Player, Upload
from kifu_core.games import GAMES
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders

pytestmark = [pytest.mark.one_engine, pytest.mark.django_db]

WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
WRITERS = [one for game in GAMES.values() for one in game.formats.writers.values()]
FORMATS = {word for one in WRITERS for word in WORD.findall(f"{one.name.upper()} {one.called('ja')}")}
FORMATS |= {"PSN", "UTF", "Shogi64"}
FORMATS |= {"hcpe", "hcpe3", "psv", "db", "ybb", "sbk", "bin"}
OTHER_PROGRAMS = {"lishogi", "editor", "KENTO", "Apery", "ShogiGUI", "YaneuraOu"}
KEYS = {"Shift", "Delete", "Home", "End", "Esc"}
ALLOWED = FORMATS | OTHER_PROGRAMS | KEYS | {"English", "ZIP", "KB", "CSV", "NDJSON"}
"""Names of formats, containers, programs and keys, units, and the link to the other language."""

LIMIT = 150_000
"""Bytes of a game's page with all that it loads, compressed, its record left out."""


@pytest.fixture
def addresses() -> list[str]:
    """Every kind of page, of an archive without Latin words of its own."""
    cache.clear()
    builders.ingest(
        builders.ready("7g7f 3c3d 2g2f", black="甲野", white="乙山", day="2024/05/06", event="名人戦"),
        builders.ready("7g7f 8c8d", winner=1, black="甲野", white="丙", day="2023/05/06", event="竜王戦"),
    )
    Upload.objects.update(name="棋譜")
    game, code = Game.objects.get(plies=3).pk, shogi64.encode(Position.initial())
    player, event = Player.objects.get(name="甲野").pk, Event.objects.get(name="名人戦").pk
    upload = Upload.objects.get().pk
    return [
        "/", "/games/", "/games/?player=誰か&result=draw", "/games/?from=無", f"/games/{game}/?ply=1",
        f"/positions/shogi/{code}/?match=any", "/positions/shogi/edit/", "/upload/", f"/uploads/{upload}/",
        "/players/", f"/players/{player}/", "/events/", f"/events/{event}/", "/statistics/",
        f"/embed/games/{game}/", f"/embed/positions/shogi/{code}/", "/ない/",
    ]  # fmt: skip


UNSEEN = re.compile(r"<(script|style|code|textarea|pre)\b.*?</\1>", re.DOTALL)
READ_ALOUD = re.compile(r'\b(?:aria-label|title|alt|placeholder|content)="([^"]*)"')


def texts(html: str) -> str:
    """The visible and accessible text of a page, without codes and records."""
    html = UNSEEN.sub(
        " ", re.sub(r"<meta (?!property=\"og:(?:title|description|site_name))[^>]*>", " ", html)
    )
    spoken = " ".join(READ_ALOUD.findall(html))
    return unescape(spoken + re.sub(r"<[^>]*>", " ", html))


def test_japanese_pages_hold_no_latin_word_outside_the_list(client: Client, addresses: list[str]) -> None:
    matches = {
        (word, address)
        for address in addresses
        for word in WORD.findall(texts(_get(client, address)))
        if word not in ALLOWED
    }
    assert sorted(matches)[:3] == []


def _get(client: Client, address: str) -> str:
    return client.get(address, headers={"Accept-Language": "ja"}).content.decode()


def loaded(html: str) -> set[Path]:
    """The style sheets and modules that a page loads, and what these import."""
    waiting = re.findall(r'(?:href|src)="/static/([^"]+\.(?:css|js|svg))"', html)
    result: set[Path] = set()
    while waiting:
        name = waiting.pop()
        path = Path(str(finders.find(name)))
        if path not in result and path.exists():
            result.add(path)
            folder = PurePosixPath(name).parent
            for other in re.findall(
                r'(?:from|import)\s*\(?"(\.{1,2}/[^"]+)"', path.read_text(encoding="utf-8")
            ):
                waiting.append(normpath(folder / other))
    return result


def test_a_games_page_with_all_that_it_loads_is_light(client: Client, addresses: list[str]) -> None:
    html = _get(client, next(address for address in addresses if "?ply=" in address))
    files = loaded(html)
    assert {"replay.js", "board.js", "position.js", "replay.css"} <= {path.name for path in files}
    page = re.sub(r'<script id="record".*?</script>', "", html, flags=re.DOTALL).encode()
    assert sum(len(gzip.compress(data)) for data in (page, *(path.read_bytes() for path in files))) < LIMIT


def test_pages_and_answers_are_sent_compressed_to_whoever_takes_them(client: Client) -> None:
    for address in ("/", f"/api/v1/positions/shogi/{shogi64.encode(Position.initial())}/legal"):
        plain = client.get(address)
        packed = client.get(address, headers={"accept-encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers
        assert packed["Content-Encoding"] == "gzip"
        assert len(packed.content) < len(plain.content) / 2


def test_scripts_and_style_sheets_are_sent_compressed_too(client: Client) -> None:
    script = Path(finders.find("shogi/board.js") or "").read_bytes()
    packed = client.get("/static/shogi/board.js", headers={"accept-encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.getvalue()) == script
    assert "Accept-Encoding" in packed["Vary"]
    # Other sites load the element; a browser that has cached the file gets 304.
    assert packed["Access-Control-Allow-Origin"] == "*"
    again = client.get("/static/shogi/board.js", headers={"if-none-match": packed["ETag"]})
    assert again.status_code == 304
