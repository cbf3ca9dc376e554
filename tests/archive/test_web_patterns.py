"""The page of patterns: what it tells of a part of a board, and what it says where a text is none."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest
from django.http import QueryDict
from django.test import Client

from archive.columns.duck import BusyError
from archive.columns.finding import find_first_matches
from archive.models import Game
from archive.web.lists.rows import side_mark
from kifu_core.shogi.patterns import parse
from tests.archive.builders import ingest, ready
from tests.archive.columns import build
from tests.archive.games import stored

pytestmark = pytest.mark.django_db

CORNER = "1g1f 8c8d 9g9f 8d8e 1i1h"


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> Path:
    """Files of these tests alone."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    return tmp_path


def shown(client: Client, query: str, language: str = "en", status: int = 200) -> str:
    answer = client.get(f"/patterns/{query}", headers={"Accept-Language": language})
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_without_a_pattern_it_says_how_one_is_written(client):
    page = shown(client, "")
    assert "How it is written" in page and "?pattern=K9i%20L9h%20N8i%20S8h" in page
    page = shown(client, "", "ja")
    assert "書き方" in page and "その後20手以内" in page and "<code>9九玉9八香8九桂8八銀</code>" in page


def test_its_examples_are_the_same_patterns_in_both_languages(client):
    examples = {
        language: re.findall(r'href="\?pattern=([^"]+)"', shown(client, "", language))
        for language in ("en", "ja")
    }
    for text in examples["ja"]:
        shown(client, f"?pattern={text}", "ja")
    english, japanese = ([parse(unquote(text)) for text in examples[one]] for one in ("en", "ja"))
    assert english == japanese and len(english) == 5


def test_it_leads_to_each_game_at_the_move_where_the_pattern_stands_first(client):
    ingest(ready(CORNER, black="甲", day="2020/01/02"))
    assert "1 new game cannot be searched yet." in shown(client, "?pattern=L1h%20P1f")
    build()
    page = shown(client, "?pattern=L1h%20P1f")
    game = Game.objects.get().pk
    assert f"/games/{game}/?ply=5" in page and "at move 5" in page
    assert f"{side_mark('shogi', 0)} at move 5" in page
    assert 'You won</th> <td class="number">1</td>' in page
    assert ">甲</a></th>" in page
    assert "/games/?q=pattern%3A%22P1f+L1h%22" in page
    assert "No game has this pattern." in shown(client, "?pattern=L1h%20P1e")


def test_what_is_wrong_is_marked_in_the_text(client):
    page = shown(client, "?pattern=9九玉、9八香香、8八玉", "ja", status=400)
    assert "8文字目" in page and "9九玉、9八香<mark>香</mark>、8八玉</code>" in page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P7f " * 11 + "P0f", "…" + (" P7f" * 10 + " P")[-40:] + "<mark>0f</mark></code>"),
        ("P0f " + "P7f " * 10 + "P7f", "<code>P<mark>0f</mark> " + "P7f " * 9 + "P7f…</code>"),
        ("Q" * 50 + " P7f", "<code><mark>" + "Q" * 40 + "…</mark> P7f</code>"),
        ("P7f P0f P7f", "<code>P7f P<mark>0f</mark> P7f</code>"),
    ],
    ids=["before", "after", "itself", "nothing"],
)
def test_what_is_left_out_around_what_is_wrong_is_told(client, text, expected):
    assert expected in shown(client, f"?pattern={text}", status=400)


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("K9i turn:mine L9h", 10, "K9i turn:<mark>mine</mark> L9h"),
        ("K9i {G,Q,S}7h", 8, "K9i {G,<mark>Q</mark>,S}7h"),
        ("hand:B,P>=x,r=0", 11, "hand:B,P&gt;=<mark>x</mark>,r=0"),
        ("K9i kept:12x", 12, "K9i kept:12<mark>x</mark>"),
        ("K9i ply:60..10", 13, "K9i ply:60..<mark>10</mark>"),
        ("９九玉 ＫＱ１ａ", 5, "９九玉 <mark>ＫＱ１ａ</mark>"),
        ("K9i {G, S}7h", 5, "K9i <mark>{G,</mark> S}7h"),
    ],
)
def test_the_page_marks_what_is_wrong_and_nothing_else(client, text, column, expected):
    page = shown(client, "?" + urlencode({"pattern": text}), status=400)
    assert f"Character {column}:" in page and f"<code>{expected}</code>" in page
    assert (
        f"<code>{expected}</code>"
        in client.get("/positions/shogi/edit/", {"pattern": text, "part": "feedback"}).content.decode()
    )


def test_a_query_marks_the_character_that_is_wrong_in_its_pattern(client):
    answer = client.get("/games/", {"q": 'NOT result:draw pattern:"K9i turn:mine"'})
    assert answer.status_code == 400
    assert "<mark>m</mark>ine&quot;" in answer.content.decode()


@pytest.mark.parametrize("text", ["P0f", "K9i then", "hand:", "<script>alert(1)</script>"])
def test_what_is_no_pattern_is_told_with_its_character(client, text):
    page = shown(client, f"?pattern={text}", status=400)
    assert 'role="alert"' in page and "Character " in page
    assert "<script>alert" not in page


def test_a_page_that_is_none_is_a_wrong_address(client):
    ingest(ready(CORNER))
    build()
    shown(client, "?pattern=P1f&cursor=x", status=400)


def test_the_next_page_opens_at_its_games(client, monkeypatch):
    monkeypatch.setattr("archive.web.shogi.patterns.PAGE", 1)
    ingest(ready(CORNER, black="甲", day="2020/01/02"))
    ingest(ready(CORNER, black="乙", day="2019/01/02"))
    build()
    page = shown(client, "?pattern=P1f")
    (link,) = re.findall(r'rel="next" href="([^"]+)"', page)
    address, hash_mark, place = link.partition("#")
    assert hash_mark and f'<section id="{place}"> <h2>Games</h2>' in page
    further = shown(client, address.replace("&amp;", "&"))
    assert f'<section id="{place}"> <h2>Games</h2>' in further and 'rel="next"' not in further


@pytest.fixture
def two_games() -> None:
    """Games of 甲 and of 乙 with the same moves."""
    ingest(ready(CORNER, winner=0, black="甲", day="2020/01/02"))
    ingest(ready(CORNER, winner=0, black="乙", day="2019/01/02"))
    build()


@pytest.mark.parametrize(
    ("address", "label"),
    [
        ("player=甲", "Player: 甲"),
        ("from=2020", "From: 2020"),
        ("q=NOT+player:乙", "Player: not 乙"),
    ],
)
def test_other_conditions_narrow_its_games_down_and_stay(client, two_games, address, label):
    assert "2 games" in shown(client, "?pattern=P1f")
    page = shown(client, f"?pattern=P1f&{address}")
    assert "1 game</strong>" in page and ">甲</a></th>" in page and ">乙</a></th>" not in page
    assert f"<span>{label}</span>" in page and 'href="?pattern=P1f"' in page
    name, _, value = address.partition("=")
    (on,) = re.findall(r'<th scope="row"><a href="(\?[^"]+)">△P-8d</a></th>', page)
    (as_list,) = re.findall(r'href="/games/(\?[^"]+)" rel="nofollow">As a list', page)
    for link in (on, as_list):
        query = QueryDict(unescape(link)[1:])
        assert value.replace("+", " ") in query[name]
    assert "1 game</strong>" in shown(client, unescape(on))
    listed = client.get(f"/games/{unescape(as_list)}", headers={"Accept-Language": "en"}).content.decode()
    assert ">1 in all<" in listed


def test_the_editor_keeps_the_conditions_on_the_way_there_and_back(client, two_games):
    page = shown(client, "?pattern=P1f&player=甲&result=black")
    (link,) = re.findall(r'href="(/positions/shogi/edit/[^"]+)">\s*Edit on', page)
    editor = client.get(unescape(link), headers={"Accept-Language": "en"}).content.decode()
    (form,) = re.findall(r'<form action="/patterns/".*?</form>', editor, re.DOTALL)
    assert 'value="P1f"' in form and "Player: 甲 · Result: ☗ wins" in " ".join(form.split())
    for name, value in (("player", "甲"), ("result", "black")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in form
    part = client.get("/positions/shogi/edit/?pattern=P1f&player=甲&part=feedback").content.decode()
    assert "<html" not in part and "甲" not in part


def test_a_further_page_has_the_same_conditions(client, two_games, monkeypatch):
    monkeypatch.setattr("archive.web.shogi.patterns.PAGE", 1)
    page = shown(client, "?pattern=P1f&result=black")
    (link,) = re.findall(r'rel="next" href="([^"#]+)#', page)
    assert QueryDict(unescape(link)[1:])["result"] == "black"
    assert ">乙</span>" in shown(client, unescape(link))


def test_without_games_the_conditions_can_be_left_out(client, two_games):
    page = shown(client, "?pattern=P1f&player=丙")
    assert "No game has this pattern." in page and "<span>Player: 丙</span>" in page


def test_where_nothing_is_found_it_says_why_no_game_can_have_it(client, two_games):
    page = shown(client, "?pattern=P5a%20hand:R>=3")
    assert "No game has this pattern.</p> <p>No game can have this pattern:</p>" in page
    assert '<ul class="plain"><li>rook: at least 3' in page
    assert "<li>pawn on 5a: it could never move</li></ul>" in page
    assert "５一の歩は行き所がありません" in shown(client, "?pattern=P5a", "ja")
    assert "No game can" not in shown(client, "?pattern=P1e")
    assert "No game can" not in shown(client, "?pattern=P1f")


@pytest.mark.parametrize(
    ("query", "expected", "status"),
    [
        ("from=yesterday", "Write a date as 2024-03-15, 2024-03 or 2024.", 400),
        ("q=mover:甲", "mover", 400),
    ],
)
def test_conditions_that_are_not_understood_are_told_beside_their_field(
    client, two_games, query, expected, status
):
    page = shown(client, f"?pattern=P1f&{query}", status=status)
    (form,) = re.findall(r'<details class="filter-games" open>.*?</details>', page)
    assert expected in form and "<strong>" not in page
    assert "How it is written" in shown(client, f"?{query}")


def test_too_many_at_once_are_told_to_come_again(client, monkeypatch):
    def busy(*_args: object) -> None:
        raise BusyError

    monkeypatch.setattr("archive.queries.patterns.summary.with_columns", busy)
    answer = client.get("/patterns/?pattern=P1f")
    assert (answer.status_code, answer["Retry-After"]) == (429, "1")


def test_it_shows_what_is_asked_as_a_board_and_in_words(client):
    page = shown(client, "?pattern=K9i%20{G,S}7h%20hand:B%20then<=9%20K8h%20own:white")
    assert page.count('class="pattern-board"') == 2 and page.count('class="asked"') == 2
    assert "<li>9i king, 7h silver or gold</li>" in page and "<li>In hand: bishop 1 or more</li>" in page
    assert "Within 9 moves" in page and "For White only" in page
    assert 'aria-label="9i king, 7h silver or gold. In hand: bishop 1 or more"' in page
    links = re.findall(r'<a href="/positions/shogi/edit/([^"]+)" title="Edit on the board">', page)
    pattern = "{G,S}7h K9i hand:B then<=9 K8h own:white".replace("{G,S}", "{S,G}")
    assert [QueryDict(unescape(link)[1:]).dict() for link in links] == [
        {"pattern": pattern},
        {"pattern": pattern, "step": "2"},
    ]


def test_a_game_opens_where_the_pattern_stands_with_its_squares_marked(client):
    ingest(ready("7g7f 3c3d 2g2f", {3: [["6g6f", "8c8d", "6i7h"]]}))
    build()
    game = Game.objects.get().pk
    for text, where in (
        ("P7f%20P2f", "ply=3&amp;marked=7f.2f"),
        ("p8d%20G7h", "ply=5&amp;fork=3.0&amp;marked=8d.7h"),
        ("P7f%20own:white", "ply=2&amp;marked=3d"),
        ("P3f%20own:black%20mirror:yes", "ply=1&amp;marked=7f"),
        ("P7g%20ply:0%20own:black", "ply=0&amp;marked=7g"),
    ):
        page = shown(client, f"?pattern={text}")
        assert page.count(f'href="/games/{game}/?{where}"') == 2, text
    opened = client.get(f"/games/{game}/?ply=5&fork=3.0&marked=8d.7h", headers={"Accept-Language": "en"})
    html = " ".join(opened.content.decode().split())
    assert 'data-node="3.0:5"' in html and 'data-marked="8d.7h"' in html
    assert "Marked at move 5" in html and ": 8d 7h" in html


def listed(client: Client, query: str, status: int = 200) -> str:
    answer = client.get("/games/", {"q": query}, headers={"Accept-Language": "en"})
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_in_a_list_too_games_open_where_the_pattern_of_the_query_stands(client):
    ingest(ready("7g7f 3c3d 2g2f", {3: [["6g6f", "8c8d", "6i7h"]]}, black="甲"))
    build()
    game = Game.objects.get().pk
    for query, where, text in (
        ('pattern:"P7f P2f"', "ply=3&amp;marked=7f.2f", "at move 3"),
        ('甲 pattern:"p8d G7h"', "ply=5&amp;fork=3.0&amp;marked=8d.7h", "variation, move 5"),
        (
            'NOT pattern:"P1f" pattern:"P3f own:black mirror:yes"',
            "ply=1&amp;marked=7f",
            "at move 1 · mirrored",
        ),
        ('pattern:"P1f" OR pattern:"P2f own:black"', "ply=3&amp;marked=2f", "at move 3"),
        ('pattern:"P7f own:white" pattern:"P2f own:black"', "ply=2&amp;marked=3d", "at move 2"),
    ):
        page = listed(client, query)
        assert page.count(f'href="/games/{game}/?{where}"') == 2 and f"{text}</a>" in page, query
    for query in ('NOT pattern:"P1f"', '甲 OR pattern:"P1f"'):
        assert f'href="/games/{game}/"' in listed(client, query)


def test_in_a_list_the_place_of_a_pattern_stands_before_that_of_a_word(client):
    stored("手合割：平手\n手数----指手--\n1 ７六歩(77)\n*角道を開ける\n2 ３四歩(33)\n")
    build()
    page = listed(client, '角道 pattern:"P7f"')
    assert page.index("at move 1</a>") < page.index("<mark>角道</mark>")


def test_places_are_looked_for_in_the_files_that_have_games_of_the_list(client, monkeypatch):
    ingest(ready("7g7f", black="甲"))
    build()
    ingest(ready("7g7f", black="乙"))
    build()
    queries: list[int] = []

    def noted(question: Any, state: Any, *rest: Any) -> Any:
        queries.append(len(state.files))
        return find_first_matches(question, state, *rest)

    monkeypatch.setattr("archive.columns.finding.find_first_matches", noted)
    assert "at move 1</a>" in listed(client, '甲 pattern:"P7f"')
    assert queries == [2, 1]


def test_where_others_ask_at_the_time_a_list_says_so(client, monkeypatch):
    ingest(ready("7g7f", black="甲"))
    build()

    def busy(*_args: object) -> None:
        raise BusyError

    monkeypatch.setattr("archive.queries.patterns.summary.with_columns", busy)
    assert "other patterns are being searched" in listed(client, '甲 pattern:"P7f"', status=422)


@pytest.mark.parametrize(
    "query", ["?ply=1&marked=0a", "?ply=1&marked=" + "7f." * 90, "?ply=9&marked=7f", "?marked=7f"]
)
def test_what_names_no_squares_marks_none(client, query):
    ingest(ready("7g7f"))
    answer = client.get(f"/games/{Game.objects.get().pk}/{query}")
    assert answer.status_code == 200 and "data-marked" not in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "language", "written"),
    [
        ("L1h P1f then<=9 p8d", "ja", "１六歩 １八香 その後9手以内 △８四歩"),
        ("1六歩1八香", "en", "P1f L1h"),
    ],
)
def test_a_pattern_is_written_in_the_language_of_the_page(client, query, language, written):
    ingest(ready(CORNER))
    build()
    for address in ("/patterns/", "/positions/shogi/edit/"):
        page = client.get(address, {"pattern": query}, headers={"Accept-Language": language})
        field = re.search(r'<input id="pattern"[^>]*value="([^"]*)"', page.content.decode())
        assert field and unescape(field[1]) == written


def test_what_is_wrong_stays_as_it_was_typed(client):
    for address in ("/patterns/", "/positions/shogi/edit/"):
        page = client.get(address, {"pattern": "K8h turn:mine"}, headers={"Accept-Language": "ja"})
        assert 'value="K8h turn:mine"' in page.content.decode()


def test_what_is_played_next_is_told_as_people_write_it_and_leads_on(client):
    ingest(ready(CORNER, winner=0, black="甲"))
    build()
    page = shown(client, "?pattern=P1f%20own:black", "ja")
    assert ">△８四歩</a></th>" in page and "▲は図の手前の側" in page
    links = re.findall(r'<th scope="row"><a href="([^"]*)">([^<]*)</a>', page)
    (link,) = [link for link, move in links if move == "△８四歩"]
    assert "1局" in shown(client, link.replace("&amp;", "&"), "ja")
    assert f"/players/{Game.objects.get().player0_id}/" in page


def test_games_are_counted_unless_other_records_are_asked_for_and_the_list_has_as_many(client):
    ingest(ready("7g7f 3c3d", black="甲", white="乙"), ready("7g7f 8c8d", kind="tree"))
    build()
    for query, number in (("", 1), ("&record_kind=all", 2), ("&record_kind=tree", 1)):
        page = shown(client, f"?pattern=P7f{query}")
        link = re.search(r'href="(/games/\?[^"]*pattern[^"]*)"', page)
        listed = client.get(unescape(link[1])).content.decode() if link else ""
        assert page.count('class="game-row"') == listed.count('class="game-row"') == number, query
