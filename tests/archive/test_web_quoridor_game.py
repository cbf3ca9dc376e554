"""The page of a game of Quoridor, without JavaScript, and its frame."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.test import Client

from archive.models import Game, Upload
from kifu_core.quoridor import draw
from kifu_core.quoridor.board import read_name
from kifu_core.quoridor.keys import display_key, path_code
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import decode
from tests.archive.builders import ingest
from tests.archive.games import stored
from tests.archive.quoridor import NAMED, after, ready
from tests.archive.test_web_words_and_weight import KEYS
from tests.archive.test_web_words_and_weight import texts as read_or_spoken

pytestmark = pytest.mark.django_db

LINE = "e2 e8 e3h e7 e3 e6"
FORKS = {2: [["d9", "e3"]], 3: [["e3", "e7"], ["d3h"]]}


def store() -> Game:
    ingest(ready(LINE, FORKS, black="Ada", white="Bo", event="Open", day="2024/05/06"))
    return Game.objects.get()


def page(client: Client, address: str, language: str = "en") -> str:
    answer = client.get(address, headers={"Accept-Language": language})
    assert answer.status_code == 200, address
    return answer.content.decode()


def texts(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def code_of(html: str) -> str:
    """The position that the board says it shows."""
    match = re.search(r'class="board-host" data-code="([^"]+)"', html)
    assert match
    return unescape(match[1])


def test_it_begins_at_the_start_with_the_facts_and_the_moves(client: Client) -> None:
    html = page(client, f"/games/{store().pk}/")
    assert code_of(html) == display_key(QuoridorPosition.initial())
    words = texts(html)
    for text in ("Ada", "Bo", "Open", "White wins", "♙e2", "♟\ufe0ee8", "♙e3h", "Start position"):
        assert text in words


def test_japanese_pages_have_the_sides_in_japanese(client: Client) -> None:
    ingest(ready("e2"))
    words = texts(page(client, f"/games/{Game.objects.get().pk}/", "ja"))
    for text in ("白", "黒", "白の勝ち", "残りの板：10枚", "この局面から指す"):
        assert text in words


@pytest.mark.parametrize(
    ("language", "names"), [("en", ["White", "Black", "Date"]), ("ja", ["先手", "後手", "開始日時"])]
)
def test_headers_are_called_as_the_reader_knows_them(client: Client, language: str, names: list[str]) -> None:
    stored(NAMED, "x.alg")
    html = page(client, f"/games/{Game.objects.get().pk}/", language)
    assert re.findall(r'<th scope="row">([^<]*)</th>', html) == names


def test_a_ply_shows_its_position_its_last_move_and_leads_on_and_back(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=3")
    assert code_of(html) == display_key(after("e2 e8 e3h"))
    assert draw.board(after("e2 e8 e3h"), last=read_name("e3h"), label="♙e3h") in html
    assert re.search(r'data-go="back" href="/games/\d+/\?ply=2"', html)
    assert re.search(r'data-go="forward" href="/games/\d+/\?ply=4"', html)
    assert "Walls left: 9" in texts(html)


def test_a_fork_is_shown_by_its_address_and_offered_where_it_begins(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=3&fork=2.0")
    assert code_of(html) == display_key(after("e2 d9 e3"))
    choices = page(client, f"/games/{game.pk}/?ply=2")
    for text, query in (("♙e3h", "?ply=3"), ("♙e3", "?ply=3&amp;fork=3.0"), ("♙d3h", "?ply=3&amp;fork=3.1")):
        assert re.search(rf'class="button" href="[^"]*{re.escape(query)}"[^>]*>{text}</a>', choices)


def test_the_board_can_be_turned(client: Client) -> None:
    html = page(client, f"/games/{store().pk}/?ply=1&flip=1")
    assert draw.board(after("e2"), last=read_name("e2"), flip=True, label="♙e2") in html
    assert "flipped" in html


def test_files_of_the_game_are_offered_and_none_of_shogi(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/")
    for suffix in ("qf", "alg", "json"):
        assert f'href="/api/v1/games/{game.pk}/record.{suffix}" download' in html
        assert client.get(f"/api/v1/games/{game.pk}/record.{suffix}").status_code == 200
    assert "record.kif" not in html
    assert "lishogi" not in html
    assert "SFEN" not in html.split("</header>", 1)[1]


def test_the_position_the_board_and_a_frame_are_linked(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=2")
    assert f'href="/positions/quoridor/{path_code(display_key(after("e2 e8")))}/"' in html
    match = re.search(r'href="/quoridor/board/\?code=([^&"]+)&amp;ply=2"', html)
    assert match
    assert len(decode(match[1].replace("%2B", "+").replace("%2F", "/")).moves or ()) == 6
    assert f"http://testserver/embed/games/{game.pk}/" in html
    picture = re.search(r'<meta property="og:image" content="http://testserver([^"]+)"', html)
    assert picture is not None
    assert client.get(picture[1]).status_code == 200


def test_the_frame_has_the_board_and_the_moves(client: Client) -> None:
    game = store()
    answer = client.get(f"/embed/games/{game.pk}/?ply=3&theme=dark")
    html = answer.content.decode()
    assert "X-Frame-Options" not in answer.headers
    assert code_of(html) == display_key(after("e2 e8 e3h"))
    assert 'data-theme="dark"' in html
    assert f'href="/embed/games/{game.pk}/?ply=4"' in html


def test_the_record_is_in_the_page_for_scripts(client: Client) -> None:
    game = store()
    match = re.search(r'<script id="record"[^>]*>(.*?)</script>', page(client, f"/games/{game.pk}/"))
    assert match
    assert json.loads(match[1])["moves"][1]["move"] == {"color": 0, "from": "e1", "to": "e2"}


def test_a_game_that_began_elsewhere_begins_there(client: Client) -> None:
    stored("yzoAAIBQMBJSskqrh5dHVBA", "x.qf")
    start = decode("yzoAAIBQMBJSskqrh5dHVBA").start().position
    html = page(client, f"/games/{Game.objects.get().pk}/")
    assert code_of(html) == display_key(start)
    assert f'data-start="{display_key(start)}"' in unescape(html)
    assert "own start position" in texts(html)


NOTATION = re.compile(r"[a-i][1-9][hv]?")
ALLOWED = KEYS | {"English", "JSON", "qf", "code"}
"""Names of formats and keys, and the link to the other language."""


def test_japanese_pages_hold_no_latin_word_of_ours(client: Client) -> None:
    ingest(ready(LINE, FORKS, black="甲野", white="乙山", event="大会", day="2024/05/06"))
    Upload.objects.update(name="棋譜")
    game, code = Game.objects.get().pk, path_code(display_key(after("e2 e8")))
    for address in (
        f"/games/{game}/?ply=3", f"/positions/quoridor/{code}/?match=any", "/quoridor/board/",
        f"/embed/games/{game}/", f"/embed/positions/quoridor/{code}/",
    ):  # fmt: skip
        shown = read_or_spoken(
            re.sub(r"<header class=.*?</header>", "", page(client, address, "ja"), flags=re.DOTALL)
        )
        words = {word for word in re.findall(r"[A-Za-z][A-Za-z0-9]+", shown) if not NOTATION.fullmatch(word)}
        assert words <= ALLOWED, address
