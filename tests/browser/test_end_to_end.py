"""The complete path: upload files, search a shared position, replay a game to its end."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import expect

from archive.management.commands.sample_games import sample_files
from tests.serving import archive_at
from tests.shared import CORPUS

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.one_engine]

SHARED_BY_TWO = ("1709-10-10-soguin-intatsu.kif", "wcsc28-l1-icb-gar.csa")
"""Two real games, three centuries apart, that both begin with ７六歩 and ３四歩."""

OPENING = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"


def send_files(archive, paths) -> list[int]:
    """Upload files as multipart/form-data, as a form or curl does; the ids of the uploads."""
    boundary = "----kifu"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n'
    parts = [(head % path.name).encode() + path.read_bytes() for path in paths]
    body = b"\r\n".join(parts) + f"\r\n--{boundary}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    request = urllib.request.Request(f"{archive.url}/api/v1/uploads", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 202
        return [upload["id"] for upload in json.load(answer)["uploads"]]


def sample_paths():
    return [path for path in sample_files() if path.name in SHARED_BY_TWO]


def replay_to_the_end(page, archive, game: int) -> None:
    """Open a game's page, press the key for "forward" to the end, and compare with the server's position."""
    expected = archive.get(f"/api/v1/games/{game}/positions")["results"][-1]
    page.goto(f"{archive.url}/games/{game}/")
    board = page.locator(".board-host")
    for _ in range(expected["ply"]):
        page.keyboard.press("ArrowRight")
    expect(board).to_have_attribute("data-sfen", expected["sfen"])


def test_real_files_become_games_that_are_found_by_position_and_replayed(tmp_path, open_page):
    with archive_at(tmp_path) as archive:
        for upload in send_files(archive, sample_paths()):
            assert archive.wait_done(upload)["entries"]["stored"] == 1

        result = archive.get(f"/api/v1/positions/shogi?sfen={urllib.parse.quote(OPENING)}")
        assert result["games"] == 2
        games = archive.get(result["games_url"])["results"]
        assert [game["date"][:4] for game in games] == ["2018", "1709"]

        page = open_page(f"{archive.url}/positions/shogi/{result['code']}/")
        expect(page.locator("main")).to_contain_text("伊藤印達")
        for game in games:
            replay_to_the_end(page, archive, game["id"])
        page.close()  # before the archive stops: an open page goes on asking it


@pytest.mark.shared
def test_files_of_the_corpus_are_read_by_the_same_path(tmp_path, open_page):
    paths = [
        next(CORPUS.glob(pattern))
        for pattern in ("csa/HiraokaTakuya__apery/*L1_762*", "kif/na2hiro*/*.kif", "ki2/na2hiro*/*.ki2")
    ]
    with archive_at(tmp_path) as archive:
        uploads = send_files(archive, paths)
        for upload in uploads:
            assert archive.wait_done(upload)["entries"]["failed"] == 0
        page = open_page()
        for game in archive.get("/api/v1/games")["results"]:
            replay_to_the_end(page, archive, game["id"])
        page.close()
