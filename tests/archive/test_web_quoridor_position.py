"""Pages, frames and pictures of positions of Quoridor."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape
from urllib.parse import unquote

import pytest
from django.test import Client

from kifu_core.quoridor import draw
from kifu_core.quoridor.keys import display_key, path_code
from kifu_core.quoridor.qf_code import QfCode, QfState, decode
from tests.archive.builders import ingest
from tests.archive.quoridor import START, after, ready

pytestmark = pytest.mark.django_db

OPENING = "e2 e8 e3h"


@pytest.fixture(scope="module", autouse=True)
def games(module_db: None) -> None:
    ingest(
        ready(f"{OPENING} e7", black="Ada", white="Bo", day="2024/05/06", event="Open"),
        ready("e2 e8 e6h", black="Bo", white="Cy", winner=1, day="2023/05/06"),
        ready("e2 d9", black="Di", white="Ada", winner=None, day="2022/05/06"),
    )


def address(played: str) -> str:
    return f"/positions/quoridor/{path_code(display_key(after(played)))}/"


def page(client: Client, path: str, language: str = "en") -> str:
    answer = client.get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200, path
    return answer.content.decode()


def texts(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_a_position_tells_how_many_games_reach_it_and_what_was_played(client: Client) -> None:
    html = page(client, address("e2 e8"))
    assert "2 games reach this position" in texts(html)
    for move, code in (("e3h", OPENING), ("e6h", "e2 e8 e6h")):
        assert re.search(rf'href="{address(code)}\?[^"]*line={move}">[^<]*{move}</a>', html)
    assert draw.board(after("e2 e8"), label=draw.words(after("e2 e8"), "en")) in html


def test_the_bar_of_results_has_the_colours_of_the_game(client: Client) -> None:
    bar = re.search(r'<svg class="disc" viewBox="0 0 2 1".*?</svg>', page(client, address("e2 e8")))
    assert bar is not None
    assert re.findall(r'<rect class="(\w+)"', bar[0]) == ["white", "draw", "black"]


def test_games_are_listed_and_narrowed_down_by_the_sides_of_the_board(client: Client) -> None:
    assert page(client, address("e2 e8")).count('class="game-row"') == 2
    assert page(client, f"{address('e2 e8')}?white=Ada").count('class="game-row"') == 1
    assert page(client, f"{address('e2 e8')}?result=black").count('class="game-row"') == 1


def test_the_match_counts_mirrored_and_turned_positions_and_shows_them(client: Client) -> None:
    mirrored = after("e2 e8 d3h").copy()
    path = f"/positions/quoridor/{path_code(display_key(mirrored))}/"
    assert "No game here reaches this position on its main line yet." in texts(page(client, path))
    html = page(client, path + "?match=mirror")
    assert "1 game reaches this position" in texts(html)
    assert f'href="{address(OPENING)}?match=mirror"' in html
    assert f'src="/api/v1/positions/quoridor/{path_code(display_key(after(OPENING)))}.svg"' in html
    turned = after("e2").turned()
    html = page(client, f"/positions/quoridor/{path_code(display_key(turned))}/?match=any")
    assert "3 games reach this position" in texts(html)


def test_the_seats_tell_the_walls_that_are_left_and_whose_turn_it_is(client: Client) -> None:
    words = texts(page(client, address(OPENING)))
    assert "Black to move 10 Walls left: 10" in words
    assert "White 9 Walls left: 9" in words
    assert "残りの板：9枚" in page(client, address(OPENING), "ja")


def board_code(html: str) -> str:
    match = re.search(r'href="/quoridor/board/\?code=([^"&]+)"', html)
    assert match is not None
    return unquote(match[1])


def test_a_position_leads_to_the_board_and_to_other_sites(client: Client) -> None:
    html = page(client, address("e2 e8"))
    for played, turn_number in (("e2 e8", 1), ("e2 e8 e3h", 2)):
        code = board_code(page(client, address(played)))
        assert decode(code) == QfCode(QfState(after(played), None, turn_number), None)  # nothing odd about it
    assert f"http://testserver/embed{address('e2 e8')}" in html
    picture = re.search(r'<meta property="og:image" content="http://testserver([^"]+)"', html)
    assert picture is not None
    assert client.get(picture[1]).status_code == 200


def test_an_embedded_position_may_stand_in_frames(client: Client) -> None:
    answer = client.get(f"/embed{address(OPENING)}?theme=dark&flip=1")
    html = answer.content.decode()
    assert "X-Frame-Options" not in answer.headers
    assert 'data-theme="dark"' in html
    assert f'href="{address(OPENING)}"' in html
    assert draw.board(after(OPENING), flip=True, label=draw.words(after(OPENING), "ja")) in html


def test_the_table_of_moves_can_be_asked_for_alone(client: Client) -> None:
    html = page(client, address("e2") + "?part=moves")
    assert "<table" in html
    assert "site-header" not in html
    assert f'href="{address("e2 e8")}"' in html


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("gkw", "truncated"),
        ("QBA", "not-a-position"),
        ("j7oklAHMe1ICh", "nonzero-padding"),
        ("!", "bad-char"),
    ],
)
def test_a_wrong_code_is_answered_with_the_name_of_its_fault(client: Client, code: str, error: str) -> None:
    answer = client.get(f"/positions/quoridor/{code}/")
    assert answer.status_code == 400
    assert error in answer.content.decode()
    assert f'class="button" href="/positions/quoridor/{START}/"' in answer.content.decode()
    assert client.get(f"/embed/positions/quoridor/{code}/").status_code == 400
    assert client.get(f"/api/v1/positions/quoridor/{code}.svg").status_code == 400


@pytest.mark.parametrize(
    ("language", "words"), [("ja", "板 e3v がほかの板と"), ("en", "the wall e3v overlaps")]
)
def test_a_frame_of_a_wrong_code_says_what_is_wrong(client: Client, language: str, words: str) -> None:
    address = "/embed/positions/quoridor/gkwVBUAIBQ/?theme=dark"
    answer = client.get(address, headers={"Accept-Language": language})
    html = answer.content.decode()
    assert answer.status_code == 400
    assert words in texts(html) and "wall-conflict" in html and 'data-theme="dark"' in html
    assert "X-Frame-Options" not in answer.headers


def test_the_picture_is_drawn_in_the_language_and_turned(client: Client) -> None:
    path = f"/api/v1/positions/quoridor/{path_code(display_key(after(OPENING)))}.svg"
    answer = client.get(path + "?flip=1", headers={"Accept-Language": "en"})
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer.content.decode() == draw.svg(after(OPENING), flip=True, language="en")
    assert ET.fromstring(answer.content).get("aria-label") == "Quoridor position, Black to move"


def test_the_start_has_a_page(client: Client) -> None:
    assert "3 games reach this position" in texts(page(client, f"/positions/quoridor/{START}/"))


def test_the_board_opens_with_what_the_address_says(client: Client) -> None:
    html = page(client, "/quoridor/board/?code=yzoA+BQ/A&ply=3")
    assert 'data-qfcode="yzoA+BQ/A"' in html.replace("&#x2B;", "+")
    assert 'data-ply="3"' in html
    assert "quoridor/boards.js" in html
