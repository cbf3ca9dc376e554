"""Quoridor in the lists of games: its own words, filters, facets, and what the search box makes of codes."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.core.cache import cache
from django.test import Client

from archive.models import Player
from archive.queries.positions.position_lookup import position_of_words
from archive.queries.scope import PUBLIC
from archive.queries.search.box import filters_of_words
from kifu_core.games import QUORIDOR
from kifu_core.quoridor.keys import display_key
from tests.archive import builders
from tests.archive.builders import ingest
from tests.archive.games import stored
from tests.archive.quoridor import CODE, LIST, NAMED, START, after, ready

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def archive() -> None:
    cache.clear()


def text(client: Client, address: str) -> str:
    answer = client.get(address, headers={"Accept-Language": "en"})
    assert answer.status_code == 200, address
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def test_a_row_names_the_sides_in_the_words_of_its_game(client: Client) -> None:
    stored(NAMED, "x.txt")
    page = text(client, "/games/")
    assert "♙ Ada ♟\ufe0e Bo" in page and "Black wins" in page and "☗ Ada" not in page


def test_lists_are_narrowed_down_by_the_kind_of_game(client: Client) -> None:
    stored(NAMED, "x.txt")
    ingest(builders.ready("7g7f 3c3d", black="Cy", white="Di"))
    page = client.get("/games/").content.decode()
    assert 'href="?game=quoridor"' in page and 'href="?game=shogi"' in page
    # Words for results differ between games, so they are no facet of both.
    assert "?result=" not in page
    assert "Cy" not in text(client, "/games/?game=quoridor")


def test_sides_are_those_of_the_game_that_is_asked_for(client: Client) -> None:
    ingest(ready("e2 e8", black="Ada", white="Bo", winner=1), ready("d1 e8", black="Bo", white="Ada"))
    for query, result in {"white=Ada": 1, "black=Ada": 1, "result=black": 1, "player=Ada": 2}.items():
        page = client.get(f"/games/?game=quoridor&{query}").content.decode()
        assert page.count('class="game-row"') == result, query
    page = client.get("/games/?game=quoridor&white=Ada").content.decode()
    assert page.index("Ada</span>") < page.index("Bo</span>")
    assert client.get("/games/?black=Ada").content.decode().count('class="game-row"') == 0


def choices(client: Client, address: str, field: str) -> list[str]:
    page = client.get(address).content.decode()
    (matches,) = re.findall(rf'<select name="{field}".*?</select>', page, re.DOTALL)
    return re.findall(r'<option value="([^"]+)"', matches)


def test_the_filters_are_those_of_the_game_that_is_asked_for(client: Client) -> None:
    ours = {
        "TORYO",
        "TIME_UP",
        "ILLEGAL_MOVE",
        "HIKIWAKE",
        "SENNICHITE",
        "CHUDAN",
        "GOAL",
        "WHITE_WINS",
        "BLACK_WINS",
    }
    assert set(choices(client, "/games/?game=quoridor", "special")) == ours
    shogi = choices(client, "/games/?game=shogi", "special")
    assert "TSUMI" in shogi and not {"GOAL", "WHITE_WINS", "BLACK_WINS"} & set(shogi)
    assert {"TSUMI", "GOAL"} < set(choices(client, "/games/", "special"))
    for game, order in {"quoridor": ["white", "black"], "shogi": ["black", "white"]}.items():
        page = client.get(f"/games/?game={game}").content.decode()
        assert re.findall(r'<input type="text" name="(black|white)"', page) == order


def test_facets_of_one_kind_lead_to_games_of_that_kind(client: Client) -> None:
    ingest(ready("e2 e8", white="Bo", winner=1), ready("d1 e8", white="Cy"))
    page = unescape(client.get("/games/").content.decode())
    (address,) = re.findall(r'href="(\?result=black[^"]*)"', page)
    assert client.get(f"/games/{address}").content.decode().count('class="game-row"') == 1


@pytest.mark.parametrize(
    ("words", "filters"),
    [
        ("game:quoridor", {"game": "quoridor"}),
        ("game:shogi @Ada", {"game": "shogi", "player": "Ada"}),
        ("ゲーム:コリドール", {"game": "quoridor"}),
        ("record_kind:problem", {"record_kind": "problem"}),
        ("先手:Ada", {"black": "Ada"}),
        ("先手:Ada 後手:Bo ゲーム:コリドール", {"game": "quoridor", "white": "Ada", "black": "Bo"}),
    ],
)
def test_the_search_box_knows_kinds_of_games(words: str, filters: dict[str, str]) -> None:
    assert filters_of_words(PUBLIC, words) == filters


@pytest.mark.parametrize(
    ("words", "played"),
    [
        (START, ""),
        (CODE, LIST),
        (display_key(after("e2 e8 d3h")), "e2 e8 d3h"),
        ("1. e2 e8 2. e3", "e2 e8 e3"),
    ],
)
def test_a_pasted_code_or_list_leads_to_its_position(client: Client, words: str, played: str) -> None:
    assert position_of_words(words) == (QUORIDOR, after(played))
    assert client.get("/games/", {"q": words})["Location"].startswith("/positions/quoridor/")


@pytest.mark.parametrize("words", ["Quoridor", "e2", "Ada Lovelace", "game:quoridor", "QGCLJPRAA", "第1回"])
def test_other_words_are_no_position(words: str) -> None:
    assert position_of_words(words) is None


def test_a_record_that_is_pasted_into_the_search_box_leads_to_its_game(client: Client) -> None:
    stored(NAMED, "x.txt")
    assert re.fullmatch(r"/games/\d+/", client.post("/find/", {"text": LIST})["Location"])
    shorter = client.post("/find/", {"text": LIST[:8] + " a1v"})["Location"]
    assert shorter.startswith("/positions/quoridor/")


def test_statistics_are_those_of_one_game(client: Client) -> None:
    ingest(ready("e2 e8", winner=1), builders.ready("7g7f 3c3d"), builders.ready("2g2f 3c3d"))
    shogi, quoridor = text(client, "/statistics/"), text(client, "/statistics/?game=quoridor")
    assert "☗ wins 2" in shogi and "2 games" in shogi and "Quoridor 1" in shogi
    assert "Black wins 1" in quoridor and "♙e2 1 100%" in quoridor and "☗ wins" not in quoridor


def test_a_player_of_both_games_has_sides_of_both(client: Client) -> None:
    ingest(ready("e2 e8", white="Ada", winner=1), builders.ready("7g7f 3c3d", black="Ada"))
    page = text(client, f"/players/{Player.objects.get(name='Ada').pk}/")
    assert "☗ Black 1 1 0 0" in page and "♟\ufe0e Black 1 1 0 0" in page
    assert "First moves as Black" in page and "First moves as White" not in page


@pytest.mark.parametrize("address", ["/", "/players/", "/events/", "/statistics/", "/uploads/1/"])
def test_other_pages_bear_games_of_both_kinds(client: Client, address: str) -> None:
    upload = stored(NAMED, "x.txt")
    ingest(builders.ready("7g7f 3c3d", black="Cy", white="Di"))
    text(client, address.replace("1", str(upload.pk)))
