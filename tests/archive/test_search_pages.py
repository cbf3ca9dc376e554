"""Queries of the search language on the site and in the API."""

from __future__ import annotations

import re
from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils.translation import override

from archive.queries.games.filters import filters_of
from archive.queries.search.box import is_query
from tests.archive.builders import ingest, ready
from tests.cases import each

pytestmark = pytest.mark.django_db

GAMES = "/api/v1/games"


@pytest.fixture
def games() -> None:
    for number, (black, winner) in enumerate((("羽生善治", 0), ("森内俊之", 1), ("羽生英樹", None))):
        ingest(
            ready(
                "7g7f 3c3d 2g2f"[: 4 + 5 * number], black=black, white="乙", winner=winner, day="2014/05/01"
            )
        )


def api(client: Client, **parameters: object) -> list[str]:
    answer = client.get(GAMES, parameters)
    assert answer.status_code == 200, answer.content
    return sorted(game["black"] for game in answer.json()["results"])


# --- the API ---------------------------------------------------------------------------------------------


def test_the_api_answers_queries(client, games):
    assert api(client, q="羽生 NOT result:black") == ["羽生英樹"]
    assert api(client, q="player:羽生善治 OR player:森内俊之") == ["森内俊之", "羽生善治"]
    assert api(client, q="year:2014 plies:>=2", player="乙") == ["森内俊之", "羽生英樹"]
    assert client.get(f"{GAMES}/facets", {"q": "羽生"}).json()["total"] == {"count": 2, "exact": True}


def test_pages_of_a_query_keep_it(client, games):
    first = client.get(GAMES, {"q": "羽生 OR 森内", "limit": 1}).json()
    names = [game["black"] for game in first["results"]]
    while first["next_url"]:
        first = client.get(first["next_url"]).json()
        names += [game["black"] for game in first["results"]]
    assert sorted(names) == ["森内俊之", "羽生善治", "羽生英樹"]


@pytest.mark.parametrize(
    ("language", "message"),
    [("en", "character 7: expected a closing parenthesis"), ("ja", "7文字目：閉じ括弧が必要です")],
)
def test_an_error_is_a_problem_with_its_place_in_the_readers_language(client, language, message):
    answer = client.get(GAMES, {"q": "羽生 (森内"}, headers={"accept-language": language})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "query-syntax")
    assert problem["detail"] == "character 7: expected a closing parenthesis"
    (error,) = problem["errors"]
    assert (error["field"], error["position"], error["expected"]) == ("q", 7, ["closing"])
    assert error["message"] == message


def test_blanks_before_a_query_count_as_characters(client):
    assert client.get(GAMES, {"q": "  (a"}).json()["errors"][0]["position"] == 5


def slow(*_arguments: object) -> None:
    forever = {
        "sqlite": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "postgresql": "SELECT pg_sleep(60)",
    }
    with connection.cursor() as cursor:
        cursor.execute(forever[connection.vendor])


@pytest.fixture
def slow_lists(monkeypatch, settings) -> None:
    settings.ARCHIVE_SEARCH_SECONDS = 0.05
    monkeypatch.setattr("archive.queries.games.listing._fetch", slow)


def test_a_query_that_takes_too_long_is_422_and_says_what_to_add(client, games, slow_lists):
    answer = client.get(GAMES, {"q": "羽生"})
    assert (answer.status_code, answer.json()["code"]) == (422, "query-too-slow")
    assert "a player, an event or years" in answer.json()["detail"]
    page = client.get("/games/", {"q": "羽生 OR 森内"}, headers={"accept-language": "ja"})
    assert page.status_code == 422 and "対局者、棋戦または年" in page.text


# --- the search box --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "羽生 OR 森内", "NOT 羽生", "羽生 かつ 森内", "除く 羽生", "(羽生 OR 森内)", "year:2014..2016",
        "plies:>=120",        "手数：１２０〜", "min_plies:>3", "player:(羽生, 森内)", "result:black,draw",
        "reaches:startpos", "date:2014",        "pos:x", "羽生 レーティング:2000", "player:羽生 AND",
        "-囲い:穴熊", "羽生 －結果:引き分け", "(-player:a)",
    ],
)  # fmt: skip
def test_what_only_the_language_knows_is_a_query(words):
    assert is_query(words)


@each(
    "words",
    [
        "羽生", "羽生 善治", "@羽生", "player:羽生 result:black", '"羽生 OR 森内"', "event:第1期,予選",
        "Bonanza", "from:2014 to:2015", "先手:羽生 後手:森内", "12:30", "https://example.com/a..b",
        "black:A.B..C", "ORDER", "order:longest", "結果:先手勝ち", "android", "or not", "(羽生)",
        "has:forks", "site:天童", "-羽生", "a-player:b", "-無い:穴熊", "先手囲い:穴熊",
        *(f"{key}:x" for one in filters_of("games") for key in (one.name, *one.keys)),
    ],
)  # fmt: skip
def test_what_the_box_took_so_far_is_none(words):
    assert not is_query(words)


def test_the_list_shows_the_query_and_keeps_it(client, games):
    answer = client.get("/games/", {"q": "羽生 AND NOT result:black"})
    assert answer.status_code == 200
    assert "羽生英樹" in answer.text and "森内俊之" not in answer.text and "羽生善治" not in answer.text
    # The box, the form of filters, and both forms of files for engines.
    assert answer.text.count('value="羽生 AND NOT result:black"') == 4
    assert 'class="chip" href="."' in answer.text
    for language, words in (
        ("ja", "検索式: 羽生 · 結果: ☗勝ち以外"), ("en", "Query: 羽生 · Result: not ☗ wins"),
    ):  # fmt: skip
        answer = client.get(
            "/games/", {"q": "羽生 AND NOT result:black"}, headers={"accept-language": language}
        )
        assert chips(answer.text) == [words]
    narrowed = client.get("/games/", {"q": "羽生 AND NOT result:x"})
    assert narrowed.status_code == 400


def chips(html: str) -> list[str]:
    """Return the texts of the filters in use on a page."""
    return re.findall(r'class="chip"[^>]*><span>(.*?)</span>', html)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("player:羽生* AND 穴", "検索式: 対局者: 羽生… · 穴"), ("player:(羽生,森内)", "対局者: 羽生 / 森内"),
        ("date:2014..2016", "対局日: 2014–2016"), ("NOT result:first", "結果: ☗勝ち以外"),
        ("羽生 OR 森内", "検索式: 羽生 OR 森内"), ("NOT castle:mino", "囲い・戦型: 美濃囲い以外"),
    ],
)  # fmt: skip
def test_a_query_in_use_is_in_words(client, games, query, words):
    html = client.get("/games/", {"q": query}, headers={"accept-language": "ja"}).text
    assert chips(html) == [words]


def test_a_query_that_is_none_is_shown_with_the_character_that_is_wrong(client):
    answer = client.get("/games/", {"q": "羽生 OR <b>:x"}, headers={"accept-language": "en"})
    assert answer.status_code == 400
    assert "<code>羽生 OR <mark>&lt;</mark>b&gt;:x</code>" in answer.text
    assert "there is no field “&lt;b&gt;”" in answer.text


def test_the_order_and_other_filters_go_with_a_query(client, games):
    address = "/games/?" + urlencode({"q": "羽生 OR 森内", "order": "longest", "player": "乙"})
    answer = client.get(address)
    assert answer.text.index("羽生英樹") < answer.text.index("羽生善治")


def test_a_query_without_games_says_so_and_leads_back(client, games):
    answer = client.get("/games/", {"q": "森内 AND 羽生"}, headers={"accept-language": "en"})
    assert answer.status_code == 200 and "No game matches all of these." in answer.text
    assert "Query:" in answer.text and "<strong>森内 AND 羽生</strong>" in answer.text


# --- the command line ------------------------------------------------------------------------------------


def output_of(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("find_games", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_the_command_lists_what_a_query_finds(games, monkeypatch):
    monkeypatch.setattr("archive.queries.games.listing.MAX_PAGE", 1)
    lines = [line.split("\t")[1:4] for line in output_of("羽生 OR 森内", "--order", "longest")]
    assert lines == [["2014-05-01", name, "乙"] for name in ("羽生英樹", "森内俊之", "羽生善治")]
    assert len(output_of("羽生", "--limit", "1")) == 1


def test_the_command_shows_where_a_query_is_wrong():
    with override("en"), pytest.raises(CommandError) as error:
        output_of("羽生 (森内")
    assert str(error.value).startswith("羽生 (森内 ⟨?⟩ \n")
